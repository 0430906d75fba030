"""How busy the machine is when a call is timed, and how fast its processor runs."""

from __future__ import annotations

import os
import re
from functools import cache

from hcbench.run.workers.processes import LINUX, libc, read_proc


def load_average() -> float | None:
    """The load average of the last minute over the number of cores; None if the system has none."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None


def processor_frequency() -> float | None:
    """The frequency of the present core in MHz, or None if unknown; takes less than 0.1 ms."""
    library = libc()
    if not LINUX or library is None or not hasattr(library, "sched_getcpu"):
        return None
    core = max(library.sched_getcpu(), 0)
    scaled = read_proc(f"/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq")
    return int(scaled) / 1000 if scaled.strip().isdigit() else _nominal_frequency()


@cache
def _nominal_frequency() -> float | None:
    # Only read where the kernel does not measure frequencies, where it does not change.
    match = re.search(rb"^cpu MHz\s*:\s*([\d.]+)", read_proc("/proc/cpuinfo"), re.MULTILINE)
    return float(match[1]) if match else None
