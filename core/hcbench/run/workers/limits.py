"""What a job may take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

ALGORITHM = "algorithm"
WARM_UP = "warm-up"
#: The phases that run the algorithm.
MEASURED = (WARM_UP, ALGORITHM)
METRICS = "metrics"
#: The phases in which memory is limited.
WEIGHED = (*MEASURED, METRICS)
GRACE = 120.0  # seconds that imports, data and metrics may take at least
COMPILATION = 30.0  # seconds that a warm-up may take beyond those of the algorithm


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may take.

    Parameters
    ----------
    seconds
        Wall time of the phase ``"algorithm"``; None is no limit. The phase ``"warm-up"``, which
        runs the algorithm on a few items, may take `COMPILATION` more.
    memory
        Resident bytes, its children's included, above what the worker held when one of these two
        phases or ``"metrics"`` began; enforced in them. None is no limit.
    grace
        Wall time in seconds of each other phase (imports, data, metrics).
    """

    seconds: float | None = None
    memory: int | None = None
    grace: float = GRACE

    @classmethod
    def of_cell(cls, timeout: float | None, memory: int | None = None) -> Self:
        """What a cell may take: its data and its metrics twice its timeout, or 120 s if more."""
        grace = math.inf if timeout is None else max(GRACE, 2.0 * timeout)
        return cls(seconds=timeout, memory=memory, grace=grace)

    def allowed(self, phase: str) -> float:
        """Seconds for a phase."""
        if phase not in MEASURED:
            return self.grace
        if self.seconds is None:
            return math.inf
        return self.seconds + (COMPILATION if phase == WARM_UP else 0.0)
