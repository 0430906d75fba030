"""Differences between two runs.

They are of means over the repetitions that both runs have, with the 95 % bootstrap interval of the
paired differences (see `hcbench.analysis.paired_difference`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis import PLACE, mean_and_std, paired_difference

if TYPE_CHECKING:
    from hcbench import Outcome, Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One mean in two runs.

    Attributes
    ----------
    algorithm, dataset, oracle : str
    budget, checkpoint : int or None
    metric : str
    before, after : float or None
        The means; None if missing.
    difference : float or None
        After minus before.
    standard_error, low, high : float or None
        Of the differences of common repetitions, with the 95 % interval of their mean.
    marked : bool
        Whether the interval excludes 0; not for a single repetition.
    in_both : bool
        Whether both runs have the cells and the metric; a mean that is missing is then n/a.
    """

    algorithm: str
    dataset: str
    oracle: str
    budget: int | str | None
    checkpoint: int | None
    metric: str
    before: float | None
    after: float | None
    difference: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    marked: bool
    in_both: bool

    @property
    def changes(self) -> bool:
        """Whether the means differ, or one of them has become n/a."""
        return self.in_both and self.before != self.after


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A cell whose status differs between two runs; "-" if a run does not have it."""

    algorithm: str
    dataset: str
    oracle: str
    budget: int | str | None
    repetition: int
    before: str
    after: str

    @property
    def in_both(self) -> bool:
        """Whether both runs have the cell; interrupted runs lack some."""
        return "-" not in (self.before, self.after)


def find_differences(before: Results, after: Results) -> list[Difference]:
    """All means of two runs side by side, in the order of the second run."""
    new, old = (
        {
            (*group.place.values(), metric.label): group.by_repetition(metric.label)
            for group in results.groups
            for metric in results.metrics
        }
        for results in (after, before)
    )
    differences = []
    for key in dict.fromkeys([*new, *old]):
        one, other = old.get(key, {}), new.get(key, {})
        mean, _ = mean_and_std([*one.values()])
        other_mean, _ = mean_and_std([*other.values()])
        change = paired_difference(other, one)
        differences.append(
            Difference(
                **dict(zip((*PLACE, "metric"), key, strict=True)),
                before=mean,
                after=other_mean,
                difference=None if mean is None or other_mean is None else other_mean - mean,
                standard_error=change.standard_error,
                low=change.low,
                high=change.high,
                marked=change.excludes_zero,
                in_both=key in old and key in new,
            )
        )
    return differences


def find_status_changes(before: Results, after: Results) -> list[StatusChange]:
    """The cells whose status differs, or that only one of the runs has."""
    old, new = _statuses(before.outcomes), _statuses(after.outcomes)
    changes = []
    for cell in dict.fromkeys([*new, *old]):
        one, other = old.get(cell, "-"), new.get(cell, "-")
        if one != other:
            changes.append(StatusChange(*cell[:5], one, other))
    return changes


def _statuses(
    outcomes: Sequence[Outcome],
) -> dict[tuple[str, str, str, int | str | None, int, int], str]:
    return {
        (o.algorithm, o.dataset, o.oracle, o.budget, o.repetition, o.seed): o.status
        for o in outcomes
    }
