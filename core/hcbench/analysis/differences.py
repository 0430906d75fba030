"""Differences between the algorithms on one data set.

They are of means over the repetitions that both have, with the 95 % bootstrap interval of the
paired differences (see `hcbench.analysis.statistics.paired_difference`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.axes import find_metric
from hcbench.analysis.groups import name_variants
from hcbench.analysis.statistics import Summary, paired_difference

if TYPE_CHECKING:
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
    groups = [group for group in results.competing if group.checkpoint is None]
    names = name_variants(groups)
    pairs = []
    for dataset in results.datasets:
        rivals = [g for g in groups if g.dataset == dataset and g.numbers(measured.label)]
        new_data = results.inference.draws.get(dataset, False)
        top = [g for g in results.best_rows(dataset, measured) if g.checkpoint is None][:1]
        for best in top:
            first = best.by_repetition(measured.label)
            for other in rivals:
                if other is not best:
                    gap = paired_difference(first, other.by_repetition(measured.label))
                    differs = gap.excludes_zero if new_data else None
                    pair = PairedDifference(dataset, names[best], names[other], gap, differs)
                    pairs.append(pair)
    return tuple(pairs)
