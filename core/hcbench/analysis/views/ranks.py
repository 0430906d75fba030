"""Who is better: the best means on one data set, and ranks over all, with their significance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
    mean_and_std,
    nemenyi_critical_difference,
    signed_rank_test,
)
from hcbench.analysis.views.blocks import Blocks, LeftOut, Unit, make_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.plan.presentation import MetricInfo

ALPHA = 0.05


def find_best(groups: Sequence[Group], metric: MetricInfo) -> list[Group]:
    """The groups of one data set with the best mean, at each checkpoint; one alone is not best."""
    if metric.direction == "none":
        return []
    rivals: dict[tuple[int | None, str], list[tuple[float, Group]]] = {}
    for group in groups:
        mean, _ = mean_and_std(group.numbers(metric.label))
        if mean is None or math.isnan(mean) or group.failed(metric.label):
            continue
        oracle = group.oracle if metric.unit == "questions" else ""
        rivals.setdefault((group.checkpoint, oracle), []).append((mean, group))
    choose = max if metric.direction == "higher" else min
    best = []
    for scored in rivals.values():
        if len(scored) > 1:
            top = choose(mean for mean, _ in scored)
            best += [group for mean, group in scored if mean == top]
    return best


# ---- Ranks ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two competitors, compared.

    Attributes
    ----------
    first, second : str
        The first has the better average rank, or the same.
    rank_difference : float
    nemenyi_differs : bool
        Whether that is more than the critical difference.
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
    """Average ranks of competitors over blocks, and what can be said of their differences.

    Attributes
    ----------
    metric : MetricInfo
    blocks : Blocks
        What was compared; competitors in the order asked for.
    order : tuple of int
        Of the competitors of `blocks`, the best first.
    average_ranks : (n_competitors,) float
        In the order of `blocks`; NaN if no block counts.
    alpha : float
        Level of significance.
    """

    # No slots: cached_property keeps what is derived in the instance's dictionary.
    metric: MetricInfo
    blocks: Blocks
    order: tuple[int, ...]
    average_ranks: NDArray[np.float64]
    alpha: float = ALPHA

    @property
    def competitors(self) -> tuple[str, ...]:
        """The best first."""
        return tuple(self.blocks.competitors[i] for i in self.order)

    @property
    def ranks(self) -> tuple[float, ...]:
        """The average ranks of `competitors`."""
        return tuple(float(self.average_ranks[i]) for i in self.order)

    @property
    def n_blocks(self) -> int:
        """How many blocks count."""
        return len(self.blocks.names)

    @property
    def unit(self) -> Unit:
        """What a block is."""
        return self.blocks.unit

    @property
    def failed(self) -> Failed:
        """How failures counted."""
        return self.blocks.failed

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Blocks that do not count."""
        return self.blocks.left_out

    @cached_property
    def friedman(self) -> FriedmanTest:
        """Whether there is any difference; for three competitors or more."""
        return friedman_test(self._scores, direction_of(self.metric), failed=self.failed)

    @cached_property
    def nemenyi(self) -> CriticalDifference:
        """How far apart average ranks must be."""
        return nemenyi_critical_difference(len(self.order), self.n_blocks, self.alpha)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, by Nemenyi's test and by signed-rank tests after Holm."""
        which = list(combinations(range(len(self.order)), 2))
        tests = [
            signed_rank_test(
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
        """Groups of `competitors` that Nemenyi's test cannot tell apart."""
        ranks = np.array(self.ranks)
        limit = math.inf if self.nemenyi.value is None else self.nemenyi.value
        return find_cliques(self.ranks, np.abs(ranks[:, None] - ranks) > limit)

    @cached_property
    def holm_cliques(self) -> tuple[tuple[int, ...], ...]:
        """Groups of `competitors` that signed-rank tests after Holm cannot tell apart."""
        place = {name: i for i, name in enumerate(self.competitors)}
        apart = np.zeros((len(place), len(place)), dtype=bool)
        for pair in self.pairs:
            i, j = place[pair.first], place[pair.second]
            apart[i, j] = apart[j, i] = pair.differs
        return find_cliques(self.ranks, apart)

    @property
    def too_few_blocks(self) -> bool:
        """Whether no signed-rank test after Holm can be significant, however they differ."""
        return self.n_blocks < self.least_blocks

    @property
    def least_blocks(self) -> int:
        """With how many blocks one can be."""
        return least_blocks(len(self.order) * (len(self.order) - 1) // 2, self.alpha)

    @property
    def worse_than_best(self) -> tuple[str, ...]:
        """Who is significantly worse than the first, by signed-rank tests after Holm.

        Corrected for all pairs, as it is only the ranks that tell which is the best.
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
    """Rank what competes in some groups, as `make_blocks` puts them together."""
    blocks = make_blocks(groups, metric, failed)
    if len(blocks.names):
        ranks, _ = average_ranks(blocks.scores, direction_of(metric), failed=failed)
    else:
        ranks = np.full(len(blocks.competitors), math.nan)
    order = tuple(np.argsort(ranks, kind="stable").tolist())
    return Ranking(metric, blocks, order, ranks, alpha)


def rank_algorithms(groups: Sequence[Group], metrics: Sequence[MetricInfo]) -> list[Ranking]:
    """A ranking for each metric of quality that has one; none for one competitor."""
    found = [
        rank_groups(groups, metric)
        for metric in metrics
        if not metric.cost and metric.direction != "none"
    ]
    return [r for r in found if r.n_blocks and len(r.order) > 1]
