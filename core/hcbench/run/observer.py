"""What follows a run, such as a progress bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from hcbench.plan.outcome import Outcome

#: Labels of an algorithm and a data set: cells of one kind take about as long.
Kind: TypeAlias = tuple[str, str]


class Observer:
    """Follows a run; as it is, it shows nothing."""

    def started(self, total: int, reused: int, left: Mapping[Kind, int]) -> None:
        """So many cells are in the plan, so many are stored already, so many of each kind left."""

    def finished(self, outcome: Outcome, seconds: float) -> None:
        """A cell has its outcome, after so many seconds with its data and metrics."""

    def running(self, cells: Sequence[tuple[str, str, float]]) -> None:
        """Labels, phases and seconds of what runs now; called several times a second."""
