"""Checks in a process of their own, with a time limit: a hang or a crash ends only one of them."""

from __future__ import annotations

import multiprocessing
import signal
import warnings
from collections.abc import Generator, Sequence
from multiprocessing.connection import Connection

from hcbench.testing.checks import Check
from hcbench.testing.subjects import Finding


def run_limited(checks: Sequence[Check], seconds: float | None) -> Generator[Finding, None, None]:
    """Run checks one after the other.

    Parameters
    ----------
    checks : sequence of Check
    seconds : float, optional
        Wall time of each; None is no limit.

    Yields
    ------
    Finding
    """
    n_done = 0
    while n_done < len(checks):
        for finding in _until_one_ends_it(checks[n_done:], seconds):
            n_done += 1
            yield finding


def _until_one_ends_it(
    checks: Sequence[Check], seconds: float | None
) -> Generator[Finding, None, None]:
    """Run checks in one process, up to the first that hangs or crashes."""
    fork = multiprocessing.get_context("fork")  # a check holds functions that cannot be pickled
    reading, writing = fork.Pipe(duplex=False)
    process = fork.Process(target=_serve, args=(checks, writing))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads, as those of a BLAS
        process.start()
    # The child has its own end: if it dies, reading ends.
    writing.close()
    try:
        for check in checks:
            label = check.subject.label
            if not reading.poll(seconds):
                yield check.failure(f"{label} does not return within {seconds:g} s (--timeout)")
                return
            try:
                finding = reading.recv()
            except EOFError:
                process.join()
                yield check.failure(f"{label} ends the process {_ending(process.exitcode or 0)}")
                return
            yield finding
    finally:
        process.kill()
        process.join()
        reading.close()


def _ending(code: int) -> str:
    """How a process has ended, by its exit code as multiprocessing has it."""
    if code < 0:
        return f"by {signal.Signals(-code).name}"
    return f"with exit code {code}"


def _serve(checks: Sequence[Check], writing: Connection) -> None:
    # Ctrl-C reaches this process, too; the caller ends it then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for check in checks:
        writing.send(check.run())
