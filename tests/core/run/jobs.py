"""Jobs for the tests of the pool."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hcbench.run.workers.worker import Announce, InCopy


def perform(packed: bytes, announce: Announce) -> object:
    job: Callable[[], object] = pickle.loads(packed)
    announce("algorithm")
    return job()


def perform_in_copy(packed: bytes, announce: Announce) -> InCopy:
    """As `perform`, in a copy of the worker."""
    return InCopy(partial(perform, packed, announce))


def perform_phases(packed: bytes, announce: Announce) -> str:
    """Sleep through the phases of a job; in a phase of negative time, fill 200 MiB of memory."""
    job: dict[str, float] = pickle.loads(packed)
    for phase, seconds in job.items():
        announce(phase)
        time.sleep(seconds) if seconds > 0 else hog(200)
    return "slept"


def perform_and_judge(packed: bytes, announce: Announce) -> object:
    """Produce a value, and run the job with it."""
    job: Callable[[], object] = pickle.loads(packed)
    announce("algorithm")
    announce("metrics", "produced")
    return job()


def perform_or_produce(packed: bytes, announce: Announce) -> str:
    """Produce the first value, if any, and then run the job."""
    produced, then = pickle.loads(packed)
    announce("algorithm")
    if produced is not None:
        announce("metrics", produced)
    if then is not add:
        then()
    return "end"


def add(a: int, b: int) -> int:
    return a + b


def print_and_sleep() -> None:
    os.write(1, b"begun\n")
    time.sleep(0.05)


def segfault() -> None:
    ctypes.string_at(0)


def write_to_sockets(frame: bytes) -> None:
    """Write to every socket of the process, of which one leads to the main process."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                os.write(int(name), frame)
        except OSError:
            pass
    time.sleep(5)


def loop() -> None:
    while True:
        pass


def ignore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1000)


def come_back_twice() -> str:
    """Also return in a forked copy, which is slower and has another result."""
    if os.fork() == 0:
        time.sleep(0.05)
        return "copy"
    time.sleep(0.1)
    return "original"


def raise_in_a_copy() -> str:
    child = os.fork()
    if child == 0:
        raise ValueError("in the copy")
    return f"copy ended with {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}"


def leave_child(pids: Path, then: Callable[[], object] = str) -> object:
    """Start three kinds of children that outlive the job, and write their ids."""
    children = [
        subprocess.Popen(["sleep", "1000"]).pid,
        subprocess.Popen(["sleep", "1000"], start_new_session=True).pid,
        _daemon(),
    ]
    pids.write_text(" ".join(map(str, [os.getpid(), *children])))
    return then()


def _daemon() -> int:
    """Start a daemon: its parent has ended, and it has its own session."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.setsid()
        if (grandchild := os.fork()) == 0:
            time.sleep(1000)
        os.write(writing, str(grandchild).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return int(os.read(reading, 100))


def fork_many(pids: Path) -> None:
    """Fork until there are 32 sleeping processes, and wait."""
    for _ in range(5):
        os.fork()
    with pids.open("a") as file:
        file.write(f"{os.getpid()} ")
    time.sleep(1000)


def hog(mebibytes: int) -> int:
    """Fill memory step by step, and wait."""
    held = [bytearray(os.urandom(1 << 10)) * 1024 for _ in range(mebibytes)]
    time.sleep(1.0)
    return len(held)


def hog_in_a_child(mebibytes: int) -> int:
    child = os.fork()
    if child == 0:
        hog(mebibytes)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def share_memory(mebibytes: int, copies: int) -> str:
    """Share memory with forked copies."""
    held = bytes(1 << 20) + os.urandom(mebibytes << 20)
    children = []
    for _ in range(copies):
        if (child := os.fork()) == 0:
            time.sleep(0.3)
            os._exit(held[0])
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return "shared"


def print_everywhere() -> str:
    print("from Python")  # noqa: T201 - the point
    os.write(1, b"from descriptor 1\n")
    os.write(2, b"from descriptor 2 \xff\n")
    ctypes.CDLL(None).puts(b"from C")
    return input_or_eof()


def input_or_eof() -> str:
    try:
        return input()
    except EOFError:
        return "no input"


def print_much() -> None:
    for number in range(100_000):
        print("line", number)  # noqa: T201 - the point


def print_slowly(mebibytes: int) -> int:
    """Print slowly enough to be observed; return the largest size of the log."""
    sizes = []
    for _ in range(mebibytes):
        os.write(1, bytes(1 << 20))
        time.sleep(0.005)
        sizes.append(os.fstat(1).st_size)
    os.write(1, b"the end")
    return max(sizes)


def close_all_descriptors() -> None:
    os.closerange(3, 1000)
    time.sleep(1000)


def kill_own_group() -> None:
    os.killpg(0, signal.SIGKILL)


def kill_parent() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1000)


def recurse(depth: int = 0) -> int:
    return recurse(depth + 1) + 1


def unpicklable() -> object:
    return (number for number in range(3))


class Unreadable:
    """Can be pickled, but not unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return (_refuse, ())


def _refuse() -> None:
    raise ValueError("no")


def start_thread() -> str:
    import threading

    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    return "started"


def environment(name: str) -> str | None:
    return os.environ.get(name)


def echo(job: object, announce: Announce) -> object:
    announce("algorithm")
    return job


def make_temporary_files() -> None:
    """Leave a folder behind, and say where it is."""
    folder = Path(tempfile.gettempdir(), "made")
    folder.mkdir()
    (folder / "file").write_text("content")
    tempfile.tempdir = "/nowhere"
    sys.stdout.write(f"{folder}\n")


def make_temporary_files_and_crash() -> None:
    """The same, and kill the process."""
    make_temporary_files()
    os.kill(os.getpid(), signal.SIGKILL)
