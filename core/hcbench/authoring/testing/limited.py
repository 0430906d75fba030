"""Running checks in a process of their own: a hang or a crash ends only the check at fault."""

from __future__ import annotations

import multiprocessing
import signal
import warnings
from collections.abc import Generator, Sequence
from multiprocessing.connection import Connection

from hcbench.authoring.testing.checks import Check
from hcbench.authoring.testing.findings import Finding


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
    done = 0
    while done < len(checks):
        for finding in _until_one_ends_it(checks[done:], seconds):
            done += 1
            yield finding


def _until_one_ends_it(
    checks: Sequence[Check], seconds: float | None
) -> Generator[Finding, None, None]:
    fork = multiprocessing.get_context("fork")  # a check holds functions that cannot be pickled
    reading, writing = fork.Pipe(duplex=False)
    process = fork.Process(target=_serve, args=(checks, writing))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads, as those of a BLAS
        process.start()
    writing.close()
    try:
        for check in checks:
            if reading.poll(seconds):
                try:
                    finding = reading.recv()
                except EOFError:
                    process.join()
                    yield _ended(check, process.exitcode or 0)
                    return
                yield finding
            else:
                sentence = f"{check.subject.label} does not return within {seconds:g} s (--timeout)"
                yield Finding("failed", sentence)
                return
    finally:
        process.kill()
        process.join()
        reading.close()


def _ended(check: Check, code: int) -> Finding:
    how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
    return Finding("failed", f"{check.subject.label} ends the process {how}")


def _serve(checks: Sequence[Check], writing: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller receives it too and ends this process
    for check in checks:
        writing.send(check.run())
