"""The time of a call, with that of the processes that it starts: of a row, and in benchmarks.

The wall time of a call includes its processes, as the call waits for them. The processor time
counts the instructions of this process and of all that descend from it, whether they have ended or
still live, and no waiting: it is what benchmarks compare, as other processes hardly change it.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from time import perf_counter, process_time, thread_time

from hcbench.run.workers.processes import descendants


def processor_clock() -> float:
    """Seconds of processor time of this process alone; `Stopwatch` adds those of its children.

    Examples
    --------
    A process that sleeps takes no processor time.

    >>> import time
    >>> start = processor_clock()
    >>> time.sleep(0.1)
    >>> processor_clock() - start < 0.1
    True
    """
    # Workers have a limit of processor time. With one, Linux brings the clock of a process up to
    # date every few milliseconds only, or when the clock of its thread is read.
    thread_time()
    return process_time()


class Stopwatch:
    """Measures one call at a time.

    Parameters
    ----------
    clock : callable
        Such as `time.perf_counter`, of wall time, or `processor_clock`.

    Examples
    --------
    >>> watch = Stopwatch()
    >>> watch.start()
    >>> total = sum(range(1000))
    >>> seconds = watch.stop()
    >>> seconds > 0
    True
    """

    __slots__ = ("_children", "_clock", "_start")

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._children = 0.0
        self._start = 0.0

    def start(self) -> None:
        """Begin to measure."""
        if self._clock is processor_clock:
            self._children = children_seconds()
        self._start = self._clock()

    def stop(self) -> float:
        """The seconds since the start."""
        elapsed = self._clock() - self._start
        if self._clock is processor_clock:
            elapsed += max(children_seconds() - self._children, 0.0)
        return elapsed


def children_seconds() -> float:
    """Processor time, in s, of all processes that descend from this one, those that ended too."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = ended.ru_utime + ended.ru_stime
    living = descendants(os.getpid())
    if not living:
        return seconds
    import psutil  # 17 ms, and most calls start no process

    for pid in living:
        try:
            used = psutil.Process(pid).cpu_times()
        except psutil.Error:  # it has ended, and another process has waited for it
            continue
        seconds += used.user + used.system
        # Of its own children that ended; macOS does not tell.
        seconds += getattr(used, "children_user", 0.0) + getattr(used, "children_system", 0.0)
    return seconds
