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
        """The run begins: the numbers of cells in the plan, stored already, and left by kind."""

    def finished(self, outcome: Outcome, seconds: float) -> None:
        """A cell has its outcome; the seconds include making its data and computing its metrics."""

    def running(self, cells: Sequence[tuple[str, str, float]]) -> None:
        """Labels, phases and seconds of the cells that run now; called several times a second."""
