"""The best algorithms on one data set, and ranks over all data sets with their significance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis.groups import Group
from hcbench.analysis.statistics import (
    CriticalDifference,
    Direction,
    Failed,
    FriedmanTest,
    SignedRankTest,
    average_ranks,
    find_cliques,
    friedman_test,
    holm_adjusted,
    least_blocks,
    nemenyi_critical_difference,
    signed_rank_test,
)
from hcbench.analysis.views.blocks import Blocks, make_blocks
from hcbench.plan.presentation import ROUNDING

if TYPE_CHECKING:
    from hcbench.plan.presentation import MetricInfo

ALPHA = 0.05


def find_best(
    groups: Sequence[Group], metric: MetricInfo, query_kinds: Mapping[str, str]
) -> list[Group]:
    """The groups of one data set with the best average at each checkpoint; ties are all best.

    None is best if all are equal, or if a value is outside of the interval of the metric. Groups
    with a failure are excluded, as their averages are over other data.

    Parameters
    ----------
    groups : sequence of Group
        Without reference lines.
    metric : MetricInfo
    query_kinds : mapping of oracle to str
        Numbers of queries are compared only for one kind.
    """
    if metric.direction == "none" or any(group.leaves_range(metric) for group in groups):
        return []
    rivals: dict[tuple[int | None, str], list[tuple[float, Group]]] = {}
    for group in groups:
        average = group.average(metric)
        if average is None or math.isnan(average) or group.failed(metric):
            continue
        kind = query_kinds.get(group.oracle, group.oracle) if metric.unit == "questions" else ""
        rivals.setdefault((group.checkpoint, kind), []).append((average, group))
    choose = max if metric.direction == "higher" else min
    best = []
    for scored in rivals.values():
        top = choose(average for average, _ in scored)
        tied = [group for average, group in scored if _is_equal(average, top)]
        best += tied if len(tied) < len(scored) else []
    return best


def _is_equal(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=ROUNDING)


# ---- Ranks ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A comparison of two competitors.

    Attributes
    ----------
    first, second : str
        The first has the better or an equal average rank.
    rank_difference : float
    nemenyi_differs : bool
        Whether it exceeds the critical difference.
    wilcoxon : SignedRankTest
    p_holm : float or None
        Adjusted for the number of pairs.
    differs : bool
        Whether `p_holm` is at most the level of significance.
    """

    first: str
    second: str
    rank_difference: float
    nemenyi_differs: bool
    wilcoxon: SignedRankTest
    p_holm: float | None
    differs: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranking(Blocks):
    """Average ranks of competitors over blocks, with tests of their differences.

    The competitors are in the order of their ranks, best first.

    Attributes
    ----------
    metric : MetricInfo
    ranks : tuple of float
        The average ranks of the competitors; NaN if there are no blocks.
    alpha : float
        Level of significance.
    """

    # No slots: cached_property needs the dictionary of the instance.
    metric: MetricInfo
    ranks: tuple[float, ...]
    alpha: float = ALPHA

    @cached_property
    def friedman(self) -> FriedmanTest:
        """Friedman's test, for three or more competitors."""
        if self.inference.reason:
            return FriedmanTest(failed=self.failed, reason=self.inference.reason)
        return friedman_test(self.scores, direction_of(self.metric), failed=self.failed)

    @cached_property
    def nemenyi(self) -> CriticalDifference:
        """The critical difference of average ranks."""
        if self.inference.reason:
            return CriticalDifference(alpha=self.alpha, reason=self.inference.reason)
        return nemenyi_critical_difference(len(self.competitors), self.n_blocks, self.alpha)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, compared by Nemenyi's test and by Holm-corrected signed-rank tests."""
        which = list(combinations(range(len(self.competitors)), 2))
        tests = [self._test(i, j) for i, j in which]
        known = [test.p for test in tests if test.p is not None]
        adjusted = iter(holm_adjusted(known).tolist())
        pairs = []
        for (i, j), test in zip(which, tests, strict=True):
            gap = self.ranks[j] - self.ranks[i]
            p_holm = None if test.p is None else next(adjusted)
            pairs.append(
                Pair(
                    first=self.competitors[i],
                    second=self.competitors[j],
                    rank_difference=gap,
                    nemenyi_differs=self.nemenyi.value is not None and gap > self.nemenyi.value,
                    wilcoxon=test,
                    p_holm=p_holm,
                    differs=p_holm is not None and p_holm <= self.alpha,
                )
            )
        return tuple(pairs)

    def _test(self, i: int, j: int) -> SignedRankTest:
        if self.inference.reason:
            return SignedRankTest(failed=self.failed, reason=self.inference.reason)
        direction = direction_of(self.metric)
        first, second = self.scores[:, i], self.scores[:, j]
        return signed_rank_test(first, second, direction, failed=self.failed)

    @cached_property
    def cliques(self) -> tuple[tuple[int, ...], ...]:
        """Groups of competitors without a significant difference by Nemenyi's test."""
        return self._cliques([pair.nemenyi_differs for pair in self.pairs])

    @cached_property
    def holm_cliques(self) -> tuple[tuple[int, ...], ...]:
        """Groups of competitors without a significant difference by signed-rank tests."""
        return self._cliques([pair.differs for pair in self.pairs])

    def _cliques(self, differ: Sequence[bool]) -> tuple[tuple[int, ...], ...]:
        if self.inference.reason:
            return ()
        apart = np.zeros((len(self.competitors),) * 2, dtype=bool)
        apart[np.triu_indices(len(apart), 1)] = differ  # pairs are in this order
        return find_cliques(self.ranks, apart | apart.T)

    @property
    def too_few_blocks(self) -> bool:
        """Whether no Holm-corrected signed-rank test can be significant."""
        return self.n_blocks < self.least_blocks

    @property
    def least_blocks(self) -> int:
        """The smallest number of blocks with which a test can be significant."""
        return least_blocks(len(self.competitors) * (len(self.competitors) - 1) // 2, self.alpha)

    @property
    def worse_than_best(self) -> tuple[str, ...]:
        """The competitors that are significantly worse than the first by signed-rank tests.

        p values are corrected for all pairs, since the best is chosen by the same data.
        """
        best = self.competitors[0]
        return tuple(pair.second for pair in self.pairs if pair.first == best and pair.differs)


def direction_of(metric: MetricInfo) -> Direction:
    """Which numbers are better."""
    return "lower" if metric.direction == "lower" else "higher"


def rank_groups(
    groups: Iterable[Group],
    metric: MetricInfo,
    *,
    failed: Failed = "worst",
    alpha: float = ALPHA,
) -> Ranking:
    """Rank the competitors of some groups by the scores of `make_blocks`."""
    blocks = make_blocks(groups, metric, failed)
    ranks, _ = average_ranks(blocks.scores, direction_of(metric), failed=failed)
    order = np.argsort(ranks, kind="stable").tolist()
    return Ranking(
        inference=blocks.inference,
        names=blocks.names,
        competitors=tuple(blocks.competitors[i] for i in order),
        scores=blocks.scores[:, order],
        failed=failed,
        excluded=blocks.excluded,
        metric=metric,
        ranks=tuple(ranks[order].tolist()),
        alpha=alpha,
    )


def rank_algorithms(groups: Sequence[Group], metrics: Sequence[MetricInfo]) -> list[Ranking]:
    """A ranking for each metric of quality by which two or more algorithms can be compared."""
    rankings = [
        rank_groups(groups, metric)
        for metric in metrics
        if not metric.cost and metric.direction != "none"
    ]
    return [r for r in rankings if r.n_blocks and len(r.competitors) > 1]
