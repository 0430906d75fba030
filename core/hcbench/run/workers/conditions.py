"""What else the machine does while a call is timed, and how fast its processor runs."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache

from hcbench.run.workers.processes import LINUX, libc, read_proc


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which a call was timed; None what the system does not tell.

    Attributes
    ----------
    load : float or None
        The load average of the last minute, of all processes, over the number of cores.
    frequency : float or None
        Of the core on which the call ended, in MHz.
    """

    load: float | None = None
    frequency: float | None = None


def conditions() -> Conditions:
    """Those of this moment; takes less than 0.1 ms."""
    return Conditions(_load(), _frequency())


def _load() -> float | None:
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None


def _frequency() -> float | None:
    library = libc()
    if not LINUX or library is None or not hasattr(library, "sched_getcpu"):
        return None
    core = max(library.sched_getcpu(), 0)
    scaled = read_proc(f"/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq")
    return int(scaled) / 1000 if scaled.strip().isdigit() else _nominal_frequency()


@cache
def _nominal_frequency() -> float | None:
    # Where the kernel measures frequencies it has told already; elsewhere this does not change.
    found = re.search(rb"^cpu MHz\s*:\s*([\d.]+)", read_proc("/proc/cpuinfo"), re.MULTILINE)
    return float(found[1]) if found else None
