"""What has changed between two runs: means that differ by more than chance, and statuses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.plan.outcome import Outcome

_PLACE = ("algorithm", "dataset", "oracle", "budget", "checkpoint", "metric")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One mean in two runs.

    Attributes
    ----------
    algorithm, dataset, oracle : str
    budget, checkpoint : int or None
    metric : str
    before, after : float or None
        The means; None where there is none.
    standard_error : float or None
        Of their difference; None if a run has one repetition only.
    """

    algorithm: str
    dataset: str
    oracle: str
    budget: int | None
    checkpoint: int | None
    metric: str
    before: float | None
    after: float | None
    standard_error: float | None

    @property
    def difference(self) -> float | None:
        """After minus before."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before

    @property
    def marked(self) -> bool:
        """Whether it exceeds two standard errors."""
        if self.difference is None or self.standard_error is None:
            return False
        return abs(self.difference) > 2 * self.standard_error


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusChange:
    """A cell that ended otherwise; "-" where a run does not have it."""

    algorithm: str
    dataset: str
    oracle: str
    budget: int | None
    repetition: int
    before: str
    after: str

    @property
    def in_both(self) -> bool:
        """Whether both runs have the cell; an interrupted one lacks what it did not come to."""
        return "-" not in (self.before, self.after)


def find_differences(before: Results, after: Results) -> list[Difference]:
    """All means of two runs side by side, in the order of the second."""
    rows = {_place(row): row for row in after.summary}
    old = {_place(row): row for row in before.summary}
    none: Mapping[str, Any] = {"mean": None, "standard_error": None}
    return [
        Difference(
            **dict(zip(_PLACE, place, strict=True)),
            before=old.get(place, none)["mean"],
            after=rows.get(place, none)["mean"],
            standard_error=_joint(
                old.get(place, none)["standard_error"], rows.get(place, none)["standard_error"]
            ),
        )
        for place in dict.fromkeys([*rows, *old])
    ]


def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _PLACE)


def _joint(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else math.hypot(one, other)


def find_status_changes(before: Results, after: Results) -> list[StatusChange]:
    """The cells whose status differs, or that only one of the runs has."""
    old, new = _statuses(before.outcomes), _statuses(after.outcomes)
    return [
        StatusChange(
            algorithm=cell[0],
            dataset=cell[1],
            oracle=cell[2],
            budget=cell[3],
            repetition=cell[4],
            before=old.get(cell, "-"),
            after=new.get(cell, "-"),
        )
        for cell in dict.fromkeys([*new, *old])
        if old.get(cell, "-") != new.get(cell, "-")
    ]


def _statuses(
    outcomes: Sequence[Outcome],
) -> dict[tuple[str, str, str, int | None, int, int], str]:
    return {
        (o.algorithm, o.dataset, o.oracle, o.budget, o.repetition, o.seed): o.status
        for o in outcomes
    }
