"""By how much the best of a data set is better than each other, repetition by repetition."""

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
    """Two competitors on one data set.

    Attributes
    ----------
    dataset : str
    best, other : str
        Algorithms, with all that tells them from others on this data set.
    difference : Summary
        Of ``best - other`` over the repetitions that both have, which are of the same data and,
        through one oracle, of the same noise.
    differs : bool
        Whether the 95 % interval is of one sign. It is of this pair alone: among many pairs some
        differ by chance.
    """

    dataset: str
    best: str
    other: str
    difference: Summary
    differs: bool


def paired_differences(results: Results, metric: str) -> tuple[PairedDifference, ...]:
    """The best mean of each data set against all others, at the end of calls.

    Reference lines do not take part. A metric that judges nothing has no best, nor has a data set
    with one competitor.

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
    found = []
    for dataset in results.datasets:
        rivals = [g for g in groups if g.dataset == dataset and g.numbers(measured.label)]
        top = [g for g in results.best_rows(dataset, measured) if g.checkpoint is None][:1]
        for best in top:
            found += [
                _compared(best, other, measured.label, names)
                for other in rivals
                if other is not best
            ]
    return tuple(found)


def _compared(best: Group, other: Group, metric: str, names: dict[Group, str]) -> PairedDifference:
    first, second = (_by_repetition(group, metric) for group in (best, other))
    shared = [r for r in first if r in second]
    summary = paired_difference([first[r] for r in shared], [second[r] for r in shared])
    one_sign = (
        summary.n > 1
        and summary.low is not None
        and summary.high is not None
        and summary.low * summary.high > 0
    )
    return PairedDifference(best.dataset, names[best], names[other], summary, one_sign)


def _by_repetition(group: Group, metric: str) -> dict[int, float]:
    values = zip(group.outcomes, group.values(metric), strict=True)
    return {o.repetition: value.value for o, value in values if value.value is not None}
