"""What became of a job."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Literal

Ending = Literal["done", "error", "timeout", "memory", "crash"]


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a job.

    Parameters
    ----------
    tag
        As submitted.
    ending
        ``"done"``: the target returned; ``"error"``: it raised, or its job or value cannot be
        pickled; ``"timeout"`` and ``"memory"``: it was killed at a limit; ``"crash"``: its process
        ended.
    value
        What the target returned; unless done, what it announced last, if anything.
    reason
        Why it is not done, in one line.
    traceback
        Of the exception of an error.
    log
        The last 64 KiB of what was printed, to any descriptor; the Python stack of a fatal signal.
    phase
        The phase announced last.
    seconds
        Wall time of the whole job.
    pid
        The worker; 0 if the job never reached one.
    outside
        Whether the process was ended by another one, as far as can be told.
    lost
        Whether the fork server ended, so that the job is not to blame.
    host
        The name of the machine, if it is another one.
    """

    tag: object
    ending: Ending
    value: object = None
    reason: str = ""
    traceback: str = ""
    log: str = ""
    phase: str = "start"
    seconds: float = 0.0
    pid: int = 0
    outside: bool = False
    lost: bool = False
    host: str = ""


def name_exit(code: int) -> str:
    """Say how a process ended, given its exit code, or minus the signal."""
    if code >= 0:
        return f"exited with code {code}"
    if -code == signal.SIGKILL:
        return "killed by signal 9 (possibly out of memory)"
    try:
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"killed by signal {-code}"
