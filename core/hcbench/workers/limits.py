"""What a job may take, and when it has taken more."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hcbench.workers.memory import family_resident
from hcbench.workers.messages import Phase
from hcbench.workers.reports import Verdict


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may take.

    Parameters
    ----------
    seconds
        Wall time of the phase ``"algorithm"``; None is no limit.
    memory
        Resident bytes, its children's included, above what the worker held when the phase
        ``"algorithm"`` began; enforced in that phase. None is no limit.
    grace
        Wall time in seconds of each other phase (imports, data, warm-up, metrics).
    """

    seconds: float | None = None
    memory: int | None = None
    grace: float = 120.0


@dataclass(slots=True)
class Job:
    """A job on its way, and how far it is."""

    tag: object
    limits: Limits
    began: float
    phase: str = "start"
    phase_began: float = 0.0
    held: int = 0  # resident bytes when the phase began, if it is the algorithm's

    def start(self, now: float) -> None:
        """Let the time begin now."""
        self.began = self.phase_began = now

    def enter(self, phase: Phase) -> None:
        """Begin a phase."""
        self.phase, self.phase_began, self.held = phase.name, phase.at, phase.resident

    @property
    def deadline(self) -> float:
        """When the present phase must be over."""
        if self.phase != "algorithm":
            return self.phase_began + self.limits.grace
        return math.inf if self.limits.seconds is None else self.phase_began + self.limits.seconds

    def lateness(self, now: float) -> Verdict | None:
        """Return the verdict if the present phase has taken too long."""
        if now <= self.deadline:
            return None
        allowed = self.deadline - self.phase_began
        return Verdict("timeout", now, reason=f"phase {self.phase!r} took longer than {allowed:g} s")

    def excess(self, pid: int, now: float) -> Verdict | None:
        """Return the verdict if the worker `pid` holds too much memory for the present phase."""
        allowed = self.limits.memory
        if allowed is None or self.phase != "algorithm":
            return None
        more = family_resident(pid, enough=self.held + allowed) - self.held
        if more <= allowed:
            return None
        why = f"held {_mebibytes(more)} more than at its start, {_mebibytes(allowed)} allowed"
        return Verdict("memory", now, reason=why)


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB"
