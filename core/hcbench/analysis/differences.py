"""Differences: between two runs, and between the algorithms on one data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import find_metric
from hcbench.analysis.groups import PLACE, name_variants
from hcbench.analysis.statistics import Summary, paired_difference

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.plan.outcome import Outcome

_KEY = (*PLACE, "metric")


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
    standard_error : float or None
        Of the difference; None if a run has a single repetition.
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


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A cell whose status differs between two runs; "-" if a run does not have it."""

    algorithm: str
    dataset: str
    oracle: str
    budget: int | None
    repetition: int
    before: str
    after: str

    @property
    def in_both(self) -> bool:
        """Whether both runs have the cell; interrupted runs lack some."""
        return "-" not in (self.before, self.after)


def find_differences(before: Results, after: Results) -> list[Difference]:
    """All means of two runs side by side, in the order of the second run."""
    new, old = ({tuple(row[k] for k in _KEY): row for row in r.summary} for r in (after, before))
    none: Mapping[str, Any] = {"mean": None, "standard_error": None}
    differences = []
    for key in dict.fromkeys([*new, *old]):
        one, other = old.get(key, none), new.get(key, none)
        differences.append(
            Difference(
                **dict(zip(_KEY, key, strict=True)),
                before=one["mean"],
                after=other["mean"],
                standard_error=_joint(one["standard_error"], other["standard_error"]),
            )
        )
    return differences


def _joint(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else math.hypot(one, other)


def find_status_changes(before: Results, after: Results) -> list[StatusChange]:
    """The cells whose status differs, or that only one of the runs has."""
    old, new = _statuses(before.outcomes), _statuses(after.outcomes)
    changes = []
    for cell in dict.fromkeys([*new, *old]):
        algorithm, dataset, oracle, budget, repetition, _ = cell
        one, other = old.get(cell, "-"), new.get(cell, "-")
        if one != other:
            place = (algorithm, dataset, oracle, budget, repetition)
            changes.append(StatusChange(*place, one, other))
    return changes


def _statuses(
    outcomes: Sequence[Outcome],
) -> dict[tuple[str, str, str, int | None, int, int], str]:
    return {
        (o.algorithm, o.dataset, o.oracle, o.budget, o.repetition, o.seed): o.status
        for o in outcomes
    }


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference of two algorithms on one data set.

    Attributes
    ----------
    dataset : str
    best, other : str
        Names of the algorithms, unique on this data set.
    difference : Summary
        Of ``best - other`` over their common repetitions, which have the same data and, with one
        oracle, the same noise.
    differs : bool
        Whether the 95 % interval excludes 0. It is not corrected for the number of pairs. None if
        the repetitions have the same data, so that they support no statement.
    """

    dataset: str
    best: str
    other: str
    difference: Summary
    differs: bool | None


def paired_differences(results: Results, metric: str) -> tuple[PairedDifference, ...]:
    """The best mean of each data set against all others, at the end of calls.

    Reference lines are excluded. There is no best by a metric without a direction, nor on a data
    set with a single algorithm.

    Parameters
    ----------
    results : Results
    metric : str
        As for `find_metric`.
    """
    measured = find_metric(results, metric)
    groups = [
        group
        for group in results.groups
        if group.checkpoint is None and not results.is_reference(group)
    ]
    names = name_variants(groups)
    pairs, draws = [], results.inference.draws
    for dataset in results.datasets:
        rivals = [g for g in groups if g.dataset == dataset and g.numbers(measured.label)]
        top = [g for g in results.best_rows(dataset, measured) if g.checkpoint is None][:1]
        for best in top:
            pairs += [
                _compared(best, other, measured.label, names, new_data=draws.get(dataset, False))
                for other in rivals
                if other is not best
            ]
    return tuple(pairs)


def _compared(
    best: Group, other: Group, metric: str, names: dict[Group, str], *, new_data: bool
) -> PairedDifference:
    first, second = best.by_repetition(metric), other.by_repetition(metric)
    shared = [r for r in first if r in second]
    summary = paired_difference([first[r] for r in shared], [second[r] for r in shared])
    one_sign = (
        summary.n > 1
        and summary.low is not None
        and summary.high is not None
        and summary.low * summary.high > 0
    )
    return PairedDifference(
        best.dataset, names[best], names[other], summary, one_sign if new_data else None
    )
