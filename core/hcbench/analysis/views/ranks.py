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
from hcbench.analysis.inference import Inference, Unit
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
from hcbench.analysis.views.blocks import Blocks, Excluded, make_blocks
from hcbench.plan.presentation import ROUNDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    test : SignedRankTest
    p_holm : float or None
        Adjusted for the number of pairs.
    differs : bool
        Whether `p_holm` is at most the level of significance.
    """

    first: str
    second: str
    rank_difference: float
    nemenyi_differs: bool
    test: SignedRankTest
    p_holm: float | None
    differs: bool


@dataclass(frozen=True, eq=False)
class Ranking:
    """Average ranks of competitors over blocks, with tests of their differences.

    Attributes
    ----------
    metric : MetricInfo
    blocks : Blocks
        The scores; competitors in the order of the plan.
    order : tuple of int
        The competitors of `blocks`, best first.
    average_ranks : (n_competitors,) float
        In the order of `blocks`; NaN if there are no blocks.
    alpha : float
        Level of significance.
    """

    # No slots: cached_property needs the dictionary of the instance.
    metric: MetricInfo
    blocks: Blocks
    order: tuple[int, ...]
    average_ranks: NDArray[np.float64]
    alpha: float = ALPHA

    @property
    def competitors(self) -> tuple[str, ...]:
        """The names, best first."""
        return tuple(self.blocks.competitors[i] for i in self.order)

    @property
    def ranks(self) -> tuple[float, ...]:
        """The average ranks of `competitors`."""
        return tuple(float(self.average_ranks[i]) for i in self.order)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.blocks.names)

    @property
    def unit(self) -> Unit:
        """What a block is."""
        return self.inference.unit

    @property
    def inference(self) -> Inference:
        """What the blocks allow to conclude."""
        return self.blocks.inference

    @property
    def failed(self) -> Failed:
        """The treatment of failures."""
        return self.blocks.failed

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """The excluded blocks."""
        return self.blocks.excluded

    @cached_property
    def friedman(self) -> FriedmanTest:
        """Friedman's test, for three or more competitors."""
        if self.inference.reason:
            return FriedmanTest(failed=self.failed, reason=self.inference.reason)
        return friedman_test(self._scores, direction_of(self.metric), failed=self.failed)

    @cached_property
    def nemenyi(self) -> CriticalDifference:
        """The critical difference of average ranks."""
        if self.inference.reason:
            return CriticalDifference(alpha=self.alpha, reason=self.inference.reason)
        return nemenyi_critical_difference(len(self.order), self.n_blocks, self.alpha)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, compared by Nemenyi's test and by Holm-corrected signed-rank tests."""
        which = list(combinations(range(len(self.order)), 2))
        tests = [
            SignedRankTest(failed=self.failed, reason=self.inference.reason)
            if self.inference.reason
            else signed_rank_test(
                self._scores[:, i],
                self._scores[:, j],
                direction_of(self.metric),
                failed=self.failed,
            )
            for i, j in which
        ]
        known = [place for place, test in enumerate(tests) if test.p is not None]
        adjusted = dict(
            zip(known, holm_adjusted([tests[place].p or 0.0 for place in known]), strict=True)
        )
        names, ranks, limit = self.competitors, self.ranks, self.nemenyi.value
        return tuple(
            Pair(
                first=names[i],
                second=names[j],
                rank_difference=ranks[j] - ranks[i],
                nemenyi_differs=limit is not None and ranks[j] - ranks[i] > limit,
                test=test,
                p_holm=float(adjusted[place]) if place in adjusted else None,
                differs=place in adjusted and bool(adjusted[place] <= self.alpha),
            )
            for place, ((i, j), test) in enumerate(zip(which, tests, strict=True))
        )

    @cached_property
    def cliques(self) -> tuple[tuple[int, ...], ...]:
        """Groups of `competitors` without a significant difference by Nemenyi's test."""
        if self.inference.reason:
            return ()
        ranks = np.array(self.ranks)
        limit = math.inf if self.nemenyi.value is None else self.nemenyi.value
        return find_cliques(self.ranks, np.abs(ranks[:, None] - ranks) > limit)

    @cached_property
    def holm_cliques(self) -> tuple[tuple[int, ...], ...]:
        """Groups of `competitors` without a significant difference by signed-rank tests."""
        if self.inference.reason:
            return ()
        place = {name: i for i, name in enumerate(self.competitors)}
        apart = np.zeros((len(place), len(place)), dtype=bool)
        for pair in self.pairs:
            i, j = place[pair.first], place[pair.second]
            apart[i, j] = apart[j, i] = pair.differs
        return find_cliques(self.ranks, apart)

    @property
    def too_few_blocks(self) -> bool:
        """Whether no Holm-corrected signed-rank test can be significant."""
        return self.n_blocks < self.least_blocks

    @property
    def least_blocks(self) -> int:
        """The smallest number of blocks with which a test can be significant."""
        return least_blocks(len(self.order) * (len(self.order) - 1) // 2, self.alpha)

    @property
    def worse_than_best(self) -> tuple[str, ...]:
        """The competitors that are significantly worse than the first by signed-rank tests.

        p values are corrected for all pairs, since the best is chosen by the same data.
        """
        best = self.competitors[0]
        return tuple(pair.second for pair in self.pairs if pair.first == best and pair.differs)

    @property
    def _scores(self) -> NDArray[np.float64]:
        return self.blocks.scores[:, list(self.order)]


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
    if len(blocks.names):
        ranks, _ = average_ranks(blocks.scores, direction_of(metric), failed=failed)
    else:
        ranks = np.full(len(blocks.competitors), math.nan)
    order = tuple(np.argsort(ranks, kind="stable").tolist())
    return Ranking(metric, blocks, order, ranks, alpha)


def rank_algorithms(groups: Sequence[Group], metrics: Sequence[MetricInfo]) -> list[Ranking]:
    """A ranking for each metric of quality by which two or more algorithms can be compared."""
    rankings = [
        rank_groups(groups, metric)
        for metric in metrics
        if not metric.cost and metric.direction != "none"
    ]
    return [r for r in rankings if r.n_blocks and len(r.order) > 1]
