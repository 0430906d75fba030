"""A job on its way, and when it has taken more than it may."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hcbench.run.workers.limits import WEIGHED, Limits
from hcbench.run.workers.memory import family_resident
from hcbench.run.workers.messages import Phase
from hcbench.run.workers.reports import Verdict


@dataclass(slots=True)
class Job:
    """A job on its way, and how far it is."""

    number: int
    tag: object
    limits: Limits
    frame: bytes  # the order, as it is sent
    began: float = math.inf
    phase: str = "start"
    phase_began: float = math.inf
    held: int = 0  # resident bytes when the phase began, if memory is limited in it

    def start(self, now: float) -> None:
        """Let the time begin now; it may have announced a phase already."""
        self.began = now
        if self.phase == "start":
            self.phase_began = now

    def enter(self, phase: Phase) -> None:
        """Begin a phase."""
        self.phase, self.phase_began, self.held = phase.name, phase.at, phase.resident

    def lateness(self, now: float) -> Verdict | None:
        """Return the verdict if the present phase has taken too long."""
        allowed = self.limits.allowed(self.phase)
        if now - self.phase_began <= allowed:
            return None
        why = f"phase {self.phase!r} took longer than {allowed:g} s"
        return Verdict("timeout", now, reason=why)

    def excess(self, pid: int, now: float) -> Verdict | None:
        """Return the verdict if the worker `pid` holds too much memory for the present phase."""
        allowed = self.limits.memory
        if allowed is None or self.phase not in WEIGHED:
            return None
        more = family_resident(pid, enough=self.held + allowed) - self.held
        if more <= allowed:
            return None
        why = f"held {_mebibytes(more)} more than at its start, {_mebibytes(allowed)} allowed"
        return Verdict("memory", now, reason=why)


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB"
