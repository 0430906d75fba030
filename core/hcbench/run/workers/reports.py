"""What became of a job, and how that is told."""

from __future__ import annotations

import pickle
import signal
import time
from dataclasses import dataclass
from typing import Literal

from hcbench.run.workers.messages import Result

Ending = Literal["done", "error", "timeout", "memory", "crash"]


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a job.

    Parameters
    ----------
    tag
        As submitted.
    ending
        ``"done"``: the target returned; ``"error"``: it raised, or its job or value cannot travel;
        ``"timeout"`` and ``"memory"``: it was killed at a limit; ``"crash"``: its process ended.
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
        Whether the process was ended by somebody else, as far as can be told.
    lost
        Whether that was what starts and watches the processes, so that the job is not to blame.
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


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a job ended, at which monotonic time.

    `log` is None if the worker did not send it: then it is still in the file.
    """

    ending: Ending
    at: float
    value: object = None
    reason: str = ""
    traceback: str = ""
    log: str | None = None
    outside: bool = False
    lost: bool = False


def judge(result: Result) -> Verdict:
    """Return the verdict on a job that came to its end."""
    if result.ending == "error":
        return Verdict(
            "error",
            result.at,
            reason=result.reason,
            traceback=result.traceback,
            log=result.log,
        )
    try:
        return Verdict("done", result.at, pickle.loads(result.value), log=result.log)
    except Exception as error:
        why = f"the result cannot be read: {type(error).__name__}: {error}"
        return Verdict("error", result.at, reason=why, log=result.log)


def read_interim(packed: bytes) -> object:
    """Return what a job produced before it failed; None if there is nothing."""
    try:
        return pickle.loads(packed) if packed else None
    except Exception:
        return None  # the failure is reported; this cannot say more


def crashed(reason: str, *, outside: bool = False, lost: bool = False) -> Verdict:
    """Return the verdict on a job whose process ended just now."""
    return Verdict("crash", time.monotonic(), reason=reason, outside=outside, lost=lost)


def ended_early(code: int, phase: str) -> Verdict:
    """Return the verdict on a job whose process ended with this code (or minus the signal)."""
    if code < 0:
        # A batch system that ends a job tells all its processes.
        return crashed(name_exit(code), outside=-code in (signal.SIGKILL, signal.SIGTERM))
    return crashed(f"{name_exit(code)} in phase {phase!r} before returning (os._exit?)")


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
