"""How much memory processes hold, and the peak of one call.

On Linux ``/proc`` takes microseconds; elsewhere psutil is used.
"""

from __future__ import annotations

import os
from functools import cache

from hcbench.run.workers.processes import LINUX, descendants, libc, read_proc


def resident(pid: int | None = None) -> int:
    """Return the resident bytes of a process (default: this one), 0 when it is gone."""
    if not LINUX:
        return _ask_psutil("rss", pid or os.getpid())
    statm = read_proc(f"/proc/{pid or 'self'}/statm")
    return int(statm.split()[1]) * _page() if statm else 0


def family_resident(pid: int, enough: int) -> int:
    """Return the resident bytes of a process and of all that descend from it.

    Parameters
    ----------
    pid
        The ancestor.
    enough
        Below this many bytes a cheap upper bound will do: forked children share pages with their
        parent, and the bound counts them once for each.

    Notes
    -----
    On Linux, a page counts for each process in proportion to the number of processes that share it
    (PSS), which include the fork server: so the sum is too low by at most what a worker holds
    before its call, and never below what the ancestor holds.
    """
    own = resident(pid)
    kin = descendants(pid)
    bound = own + sum(resident(member) for member in kin)
    if not kin or bound <= enough:
        return bound
    if LINUX:
        return max(own, sum(_ask_psutil("pss", member) for member in (pid, *kin)))
    return own + sum(_ask_psutil("uss", member) for member in kin)


def reset_peak() -> int:
    """Forget this process's peak of resident memory, and return the bytes it holds now.

    Freed memory is handed back to the system first, so that a call which reuses it is charged.
    """
    library = libc()
    if library is not None and hasattr(library, "malloc_trim"):
        library.malloc_trim(0)
    return _high_water() if _forget_peak() else resident()


def peak_since(start: int) -> int | None:
    """Return by how many bytes resident memory rose at most since ``reset_peak`` returned `start`.

    None where the system has no such number: ``ru_maxrss`` never falls.
    """
    return max(0, _high_water() - start) if _can_forget_peak() else None


def _forget_peak() -> bool:
    try:
        with open("/proc/self/clear_refs", "wb", buffering=0) as switch:
            switch.write(b"5")
    except OSError:
        return False
    return True


@cache
def _can_forget_peak() -> bool:
    # Opening is enough to know; writing here would lose the very peak that is asked for.
    return os.access("/proc/self/clear_refs", os.W_OK)


def _high_water() -> int:
    status = read_proc("/proc/self/status")
    return int(status.partition(b"VmHWM:")[2].split(maxsplit=1)[0]) * 1024


@cache
def _page() -> int:
    return os.sysconf("SC_PAGE_SIZE")


def _ask_psutil(what: str, pid: int) -> int:
    import psutil  # 17 ms, and Linux hardly ever needs it

    try:
        process = psutil.Process(pid)
        info = process.memory_info() if what == "rss" else process.memory_full_info()
        return int(getattr(info, what))
    except psutil.Error:
        return 0
