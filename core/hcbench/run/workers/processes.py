"""What the operating system does with processes: list, adopt, reap and kill them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from functools import cache

LINUX = sys.platform == "linux"


@cache
def libc() -> ctypes.CDLL | None:
    """Return the C library of this process, or None if it cannot be loaded."""
    try:
        return ctypes.CDLL(None)
    except (OSError, TypeError):
        return None


def adopt_orphans() -> None:
    """Become the parent of descendants whose parent ends (Linux)."""
    if LINUX and (library := libc()) is not None:
        library.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def die_with_parent() -> None:
    """Have this process killed when its parent ends (Linux)."""
    if LINUX and (library := libc()) is not None:
        library.prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG


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
    """Return the process ids of the children of a process, dead ones not yet waited for too."""
    if not _lists_children():
        return _ask_psutil_for_children(pid)
    pids: list[int] = []
    try:
        # A child is listed under the thread that forked it.
        for thread in os.listdir(f"/proc/{pid}/task"):
            pids += map(int, read_proc(f"/proc/{pid}/task/{thread}/children").split())
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
    try:
        return b"".join(iter(lambda: os.read(descriptor, 1 << 14), b""))
    except ProcessLookupError:
        return b""
    finally:
        os.close(descriptor)


@cache
def _lists_children() -> bool:
    # A kernel may be built without CONFIG_PROC_CHILDREN.
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _ask_psutil_for_children(pid: int) -> list[int]:
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:
        return []
