"""The best algorithms on one data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hcbench.analysis.groups import Group
from hcbench.analysis.tables import format_spread

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.plan.presentation import MetricInfo


def best_groups(results: Comparison, dataset: str, metric: MetricInfo) -> list[Group]:
    """The best groups of a data set (see `find_best`); none if its suite has no ranks."""
    if not results.suite.ranks:
        return []
    groups = []
    for group in results.competing:
        if group.dataset == dataset:
            groups.append(group)
    return find_best(groups, metric, results.query_kinds)


def find_best(
    groups: Sequence[Group], metric: MetricInfo, query_kinds: Mapping[str, str]
) -> list[Group]:
    """The groups of one data set with the best average at each checkpoint, and those printed equal.

    None is best if all are printed equal, or if a value is outside of the interval of the metric.
    Groups with too many failures are excluded, as their averages are over other data (see
    `hcbench.analysis.groups.MOST_FAILED`).

    Parameters
    ----------
    groups : sequence of Group
        Without reference lines.
    metric : MetricInfo
    query_kinds : mapping of oracle to str
        Numbers of queries are compared only for one kind.
    """
    # A value outside of the interval shows that the metric does not mean what it declares, so
    # that the others are no measure of what is better either.
    if metric.direction == "none" or any(group.leaves_range(metric) for group in groups):
        return []

    # By checkpoint and, for numbers of queries, by what is asked: only these are compared.
    rivals: dict[tuple[int | None, str], list[tuple[float, Group]]] = {}
    for group in groups:
        average = group.average(metric)
        if average is None or math.isnan(average) or group.fails_too_often(metric):
            continue
        kind = ""
        if metric.unit == "queries":
            kind = query_kinds.get(group.oracle, group.oracle)
        rivals.setdefault((group.checkpoint, kind), []).append((average, group))

    # What the table shows decides, not digits that nobody sees.
    printed = partial(format_spread, std=None, unit=metric.unit, interval=metric.interval)
    best: list[Group] = []
    for scored in rivals.values():
        averages = [average for average, _ in scored]
        top = min(averages)
        if metric.direction == "higher":
            top = max(averages)
        tied = [pair for pair in scored if printed(pair[0]) == printed(top)]
        if len(tied) == len(scored):
            # All look equal: none is the best.
            continue
        # The best before those that only look equal.
        tied.sort(key=lambda pair: pair[0] != top)
        for _, group in tied:
            best.append(group)
    return best
