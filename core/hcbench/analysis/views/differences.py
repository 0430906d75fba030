"""Paired differences between the best algorithm of a data set and each other algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.groups import name_variants
from hcbench.analysis.statistics import Summary, paired_difference
from hcbench.analysis.views.axes import find_metric

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results


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
