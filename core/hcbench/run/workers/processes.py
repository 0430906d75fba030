"""What the operating system knows of processes: their children, memory and processor.

On Linux ``/proc`` takes microseconds; elsewhere psutil is used.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import signal
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

LINUX = sys.platform == "linux"


#: How the system chooses what to kill, in thousandths of its memory.
_MORE_LIKELY = 300
_MOST_LIKELY = 1000


@cache
def libc() -> ctypes.CDLL:
    """Return the C library of this process."""
    return ctypes.CDLL(None)


def adopt_orphans() -> None:
    """Become the parent of descendants whose parent ends (Linux)."""
    if LINUX:
        libc().prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def die_with_parent() -> None:
    """Have this process killed when its parent ends (Linux)."""
    if LINUX:
        libc().prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG


def die_before_parent() -> None:
    """Have this process, and not its parent, killed when there is no memory left (Linux)."""
    file = Path("/proc/self/oom_score_adj")
    with suppress(OSError, ValueError):
        score = min(int(file.read_text()) + _MORE_LIKELY, _MOST_LIKELY)
        file.write_text(str(score))


def reap_any() -> tuple[int, int] | None:
    """Reap one child that ended: (pid, status), (0, 0) if all live, None if there is none."""
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None


def kill(pid: int) -> None:
    """Kill a process and its group."""
    # Both: the process may not have become the leader of its group yet.
    kill_group(pid)
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def kill_group(pid: int) -> bool:
    """Kill a process group; return whether there was anything in it, dead or alive."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        return False
    return True


def children(pid: int) -> list[int]:
    """Return the process ids of the children of a process, dead ones not yet waited for too.

    Examples
    --------
    >>> import os, subprocess, sys
    >>> command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    >>> with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
    ...     process.pid in children(os.getpid())
    True
    """
    if not _lists_children():
        import psutil  # 17 ms, and Linux hardly ever needs it

        with suppress(psutil.Error):
            return [child.pid for child in psutil.Process(pid).children()]
        return []
    pids: list[int] = []
    try:
        # A child is listed under the thread that forked it.
        for thread in os.listdir(f"/proc/{pid}/task"):
            listed = read_proc(f"/proc/{pid}/task/{thread}/children")
            pids += [int(child) for child in listed.split()]
    except FileNotFoundError:
        pass  # it ended meanwhile, and its children have another parent now
    return pids


def descendants(pid: int) -> list[int]:
    """Return the process ids of all that descend from a process."""
    pids = children(pid)
    for member in pids:  # grows during the loop
        pids += children(member)
    return pids


def read_proc(path: str) -> bytes:
    """Return a file of ``/proc``, empty if the process is gone: a third of the time of `Path`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    content = b""
    try:
        while part := os.read(descriptor, 1 << 14):
            content += part
        return content
    except ProcessLookupError:  # it ended while it was read
        return b""
    finally:
        os.close(descriptor)


@cache
def _lists_children() -> bool:
    # A kernel may be built without CONFIG_PROC_CHILDREN.
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def resident(pid: int | None = None) -> int:
    """Return the resident bytes of a process (default: this one), 0 when it is gone."""
    if pid is None:
        pid = os.getpid()
    if not LINUX:
        return _ask_psutil("rss", pid)
    statm = read_proc(f"/proc/{pid}/statm")
    if not statm:
        return 0
    pages = int(statm.split()[1])
    return pages * mmap.PAGESIZE


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
    of_ancestor = resident(pid)
    kin = descendants(pid)
    bound = of_ancestor + sum(resident(member) for member in kin)
    if not kin or bound <= enough:
        return bound
    if LINUX:
        proportional = _ask_psutil("pss", pid)
        proportional += sum(_ask_psutil("pss", member) for member in kin)
        return max(of_ancestor, proportional)
    # Elsewhere only what each process has for itself is known.
    return of_ancestor + sum(_ask_psutil("uss", member) for member in kin)


def reset_peak() -> int:
    """Forget this process's peak of resident memory, and return the bytes it holds now.

    Freed memory is handed back to the system first, so that a call which reuses it is charged.
    """
    if hasattr(libc(), "malloc_trim"):
        libc().malloc_trim(0)
    if _forget_peak():
        return _high_water()
    return resident()


def peak_since(start: int) -> int | None:
    """Return by how many bytes resident memory rose at most since ``reset_peak`` returned `start`.

    None where the system has no such number: ``ru_maxrss`` never falls.
    """
    if not _can_forget_peak():
        return None
    return max(0, _high_water() - start)


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


def _ask_psutil(what: str, pid: int) -> int:
    import psutil

    try:
        process = psutil.Process(pid)
        if what == "rss":
            info = process.memory_info()
        else:
            info = process.memory_full_info()  # which takes milliseconds
        return int(getattr(info, what))
    except psutil.Error:
        return 0


def load_average() -> float | None:
    """The load average of the last minute over the number of cores; None if the system has none."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None


def processor_frequency() -> float | None:
    """The frequency of the present core in MHz, or None if unknown; takes less than 0.1 ms."""
    if not hasattr(libc(), "sched_getcpu"):
        return None
    core = max(libc().sched_getcpu(), 0)
    scaled = read_proc(f"/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq")
    if scaled.strip().isdigit():
        return int(scaled) / 1000  # the file has kHz
    return _nominal_frequency()


@cache
def _nominal_frequency() -> float | None:
    # Only read where the kernel does not measure frequencies, where it does not change.
    match = re.search(rb"^cpu MHz\s*:\s*([\d.]+)", read_proc("/proc/cpuinfo"), re.MULTILINE)
    return float(match[1]) if match else None
