"""Differences between the algorithms on one data set.

They are of means over the repetitions that both have, with intervals that hold together and allow
for the choice of the best by the same data (see `hcbench.analysis.simultaneous`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.axes import find_metric
from hcbench.analysis.best import best_groups
from hcbench.analysis.groups import name_variants
from hcbench.analysis.intervals import Estimate, Limits
from hcbench.analysis.simultaneous import limits_below_best, paired_estimate
from hcbench.analysis.statistics import Summary, paired_difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.groups import Group
    from hcbench.plan.presentation import MetricInfo


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
        oracle, the same noise. Its interval is simultaneous: with a probability of 95 % those of
        all algorithms of the data set hold.
    differs : bool or None
        Whether the interval excludes 0. None if there is no interval, or if the repetitions have
        the same data or share items, so that they support no statement. Algorithms that use no
        random numbers differ if their values do.
    note : str
        Why it is None; "" if it is not.
    """

    dataset: str
    best: str
    other: str
    difference: Summary
    differs: bool | None
    note: str = ""


def paired_differences(results: Comparison, metric: str) -> tuple[PairedDifference, ...]:
    """The best mean of each data set against all others, at the end of calls.

    Reference lines are excluded. There is no best by a metric without a direction, nor on a data
    set with a single algorithm.

    Parameters
    ----------
    results : Comparison
    metric : str
        As for `find_metric`.
    """
    measured = find_metric(results, metric)
    groups = [group for group in results.competing if group.checkpoint is None]
    names = name_variants(groups)
    pairs: list[PairedDifference] = []
    for dataset in results.datasets:
        tied = best_groups(results, dataset, measured)
        best_at_end = [group for group in tied if group.checkpoint is None]
        # None is best if all are equal, or if all failed.
        if not best_at_end:
            continue
        best = best_at_end[0]
        # With the best itself.
        rivals = []
        for group in groups:
            if group.dataset == dataset and group.numbers(measured.label):
                rivals.append(group)
        why_dependent = _why_dependent(results, dataset)
        for rival in rivals:
            if rival is not best:
                pair = _difference(best, rival, measured, len(rivals), names, why_dependent)
                pairs.append(pair)
    return tuple(pairs)


def _difference(
    best: Group,
    rival: Group,
    metric: MetricInfo,
    n_rivals: int,
    names: Mapping[Group, str],
    why_dependent: str,
) -> PairedDifference:
    """The difference of the best of so many groups from another one."""
    first = best.by_repetition(metric.label)
    second = rival.by_repetition(metric.label)
    estimate = paired_estimate(
        first,
        second,
        metric.support,
        deterministic=best.is_exact(metric) and rival.is_exact(metric),
    )
    limits = limits_below_best(estimate, n_rivals)
    differs, note = _judge(estimate, limits, why_dependent)
    return PairedDifference(
        dataset=best.dataset,
        best=names[best],
        other=names[rival],
        difference=paired_difference(first, second).with_limits(limits),
        differs=differs,
        note=note,
    )


def _why_dependent(results: Comparison, dataset: str) -> str:
    """Why the repetitions are no independent observations; "" if they are."""
    if dataset in results.dependent_data:
        return "all repetitions have some of the same items"
    if results.inference.draws.get(dataset, False):
        return ""
    return "all repetitions have the same data"


def _judge(estimate: Estimate, limits: Limits, why_dependent: str) -> tuple[bool | None, str]:
    """Whether the difference is significant, or why that is unknown."""
    # Without random numbers a single repetition tells all.
    if estimate.law == "deterministic":
        return limits.excludes_zero, ""
    if estimate.n < 2:
        return None, "fewer than two common repetitions"
    if why_dependent:
        return None, why_dependent
    if limits.excludes_zero or not limits.note:
        return limits.excludes_zero, ""
    return None, f"undecided: {limits.note}"
