"""Average ranks over all data sets with their significance, and performance profiles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from hcbench.analysis.axes import find_metric
from hcbench.analysis.block_ranks import (
    CriticalDifference,
    Direction,
    Failed,
    FriedmanTest,
    average_ranks,
    find_cliques,
    friedman_test,
    nemenyi_critical_difference,
)
from hcbench.analysis.blocks import Blocks, make_blocks
from hcbench.analysis.groups import COSTS
from hcbench.analysis.performance_profiles import Distance, PerformanceProfile, performance_profile
from hcbench.analysis.signed_ranks import (
    SignedRankTest,
    holm_adjusted,
    least_blocks,
    signed_rank_test,
)
from hcbench.errors import HcbenchError
from hcbench.model.arguments import one_of, probability

if TYPE_CHECKING:
    # Documentation tools read the annotations of inherited fields in this module.
    from collections.abc import Mapping  # noqa: F401

    from numpy.typing import NDArray  # noqa: F401

    from hcbench.analysis.blocks import Excluded  # noqa: F401
    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.inference import Inference  # noqa: F401
    from hcbench.plan.presentation import MetricInfo


#: The level of significance of all tests, unless it is chosen.
ALPHA = 0.05
#: Tests of pairs: signed-rank tests with Holm's correction, or Nemenyi's of average ranks.
PairTest: TypeAlias = Literal["holm", "nemenyi"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A comparison of two competitors.

    Attributes
    ----------
    first, second : str
        The first has the better or an equal average rank.
    rank_difference : float
    nemenyi_differs : bool or None
        Whether it exceeds the critical difference; None where another test decides.
    wilcoxon : SignedRankTest
    p_holm : float or None
        Its p, adjusted for the number of pairs; None where another test decides.
    differs : bool
        Whether the two differ by the test that decides (see `Ranking.test`).
    """

    first: str
    second: str
    rank_difference: float
    nemenyi_differs: bool | None
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
        The average ranks of the competitors over the blocks, in a family first over its data sets;
        NaN if there are no blocks.
    test : {"holm", "nemenyi", ""}
        The test of pairs that decides, and of which all is shown (see `choose_test`); "" if there
        is none.
    alpha : float
        Level of significance.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> ranking = hcbench.analysis.ranking(results, "AARI")
    >>> ranking.competitors, ranking.ranks
    (('Single', 'Complete'), (1.25, 1.75))
    """

    # No slots: cached_property needs the dictionary of the instance. Equality is that of the
    # object, as arrays have none.
    metric: MetricInfo
    ranks: tuple[float, ...]
    test: PairTest | Literal[""] = ""
    alpha: float = ALPHA

    @property
    def is_shown(self) -> bool:
        """Whether average ranks are shown: with a test, or over several data sets without one."""
        return not self.inference.reason or self.inference.has_variants

    @cached_property
    def friedman(self) -> FriedmanTest:
        """Friedman's test, for three or more competitors."""
        if self.inference.reason:
            return FriedmanTest(failed=self.failed, reason=self.inference.reason)
        direction = direction_of(self.metric)
        return friedman_test(self.scores, direction, failed=self.failed, blocks=self.block_of_row)

    @cached_property
    def nemenyi(self) -> CriticalDifference:
        """The critical difference of average ranks, unless signed-rank tests decide."""
        reason = self.inference.reason
        if self.test == "holm":
            reason = "signed-rank tests decide"
        elif not self.test:
            reason = reason or "there are too few blocks"
        if reason:
            return CriticalDifference(alpha=self.alpha, reason=reason)
        return nemenyi_critical_difference(len(self.competitors), self.n_blocks, self.alpha)

    @cached_property
    def differs_anywhere(self) -> bool:
        """Whether the global test rejects that all are equal: Friedman's, of two the signed-rank.

        Only then the best average rank is told from the others.
        """
        if len(self.competitors) == 2:
            p = self._signed_rank_test(0, 1).p
        else:
            p = self.friedman.p
        return p is not None and p <= self.alpha

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, compared by the test that decides."""
        tests = {}
        for i, j in combinations(range(len(self.competitors)), 2):
            tests[i, j] = self._signed_rank_test(i, j)

        adjusted: dict[tuple[int, int], float] = {}
        if self.test == "holm":
            # Holm's factor is the number of pairs with a p value.
            p_values = {}
            for place, test in tests.items():
                if test.p is not None:
                    p_values[place] = test.p
            p_adjusted = holm_adjusted(list(p_values.values())).tolist()
            adjusted = dict(zip(p_values, p_adjusted, strict=True))

        pairs = []
        for (i, j), test in tests.items():
            # At least 0, as competitors are in the order of their ranks.
            gap = self.ranks[j] - self.ranks[i]
            differs = False
            nemenyi_differs = None
            p_holm = adjusted.get((i, j))
            # One test decides, and what the other would say is not computed.
            if self.test == "nemenyi":
                limit = self.nemenyi.value
                nemenyi_differs = limit is not None and gap > limit
                differs = nemenyi_differs
            elif p_holm is not None:
                differs = p_holm <= self.alpha

            pair = Pair(
                first=self.competitors[i],
                second=self.competitors[j],
                rank_difference=gap,
                nemenyi_differs=nemenyi_differs,
                wilcoxon=test,
                p_holm=p_holm,
                differs=differs,
            )
            pairs.append(pair)
        return tuple(pairs)

    def _signed_rank_test(self, i: int, j: int) -> SignedRankTest:
        reason = self.inference.reason
        if self.test == "nemenyi":
            reason = "Nemenyi's test decides"
        if reason:
            return SignedRankTest(failed=self.failed, reason=reason)

        return signed_rank_test(
            first=self.scores[:, i],
            second=self.scores[:, j],
            direction=direction_of(self.metric),
            failed=self.failed,
            blocks=self.block_of_row,
        )

    @cached_property
    def cliques(self) -> tuple[tuple[int, ...], ...]:
        """Groups of competitors without a significant difference; none without a test."""
        if not self.test:
            return ()

        n = len(self.competitors)
        apart = np.zeros((n, n), dtype=bool)
        # Pairs are in the order of the upper triangle.
        apart[np.triu_indices(n, 1)] = [pair.differs for pair in self.pairs]
        return find_cliques(self.ranks, apart | apart.T)

    @property
    def least_blocks(self) -> int:
        """The smallest number of blocks with which a test of pairs can be significant."""
        return least_blocks_of_pairs(len(self.competitors), self.alpha)

    @property
    def worse_than_best(self) -> tuple[str, ...]:
        """The competitors that are significantly worse than the first.

        The tests allow for all pairs, since the best is chosen by the same data.
        """
        best = self.competitors[0]
        worse = []
        for pair in self.pairs:
            if pair.first == best and pair.differs:
                worse.append(pair.second)
        return tuple(worse)


def direction_of(metric: MetricInfo) -> Direction:
    """Which numbers are better."""
    if metric.direction == "lower":
        return "lower"
    return "higher"


def choose_test(n_competitors: int, n_blocks: int, alpha: float) -> PairTest | Literal[""]:
    """The test of pairs that can find a difference with so many blocks.

    Holm-corrected signed-rank tests use more than the order of the scores, and find more wherever
    they can find anything: n blocks give no smaller p than ``2^(1-n)``, which is multiplied by the
    number of pairs. With fewer blocks Nemenyi's test decides, if its critical difference is less
    than the largest possible difference of average ranks. For two competitors its normal
    approximation would reject too often, and the signed-rank test is the only one.

    Returns
    -------
    {"holm", "nemenyi", ""}
        "" if no test of pairs can be significant.
    """
    if n_blocks >= least_blocks(n_competitors * (n_competitors - 1) // 2, alpha):
        return "holm"

    if n_competitors > 2:
        # The largest possible difference of average ranks is k - 1.
        limit = nemenyi_critical_difference(n_competitors, n_blocks, alpha).value
        if limit is not None and limit < n_competitors - 1:
            return "nemenyi"
    return ""


def least_blocks_of_pairs(n_competitors: int, alpha: float) -> int:
    """The smallest number of blocks with which a test of pairs can be significant."""
    n = 1
    while not choose_test(n_competitors, n, alpha):
        n += 1
    return n


def rank(
    blocks: Blocks, metric: MetricInfo, alpha: float = ALPHA, test: PairTest | None = None
) -> Ranking:
    """Rank the competitors of blocks by their scores.

    Parameters
    ----------
    blocks : Blocks
    metric : MetricInfo
    alpha : float
        Level of significance.
    test : {"holm", "nemenyi"}, optional
        By default that of `choose_test`.
    """
    alpha = probability(alpha, "alpha")
    if test is not None:
        one_of(test, "test", get_args(PairTest))
    direction = direction_of(metric)
    ranks, n_included = average_ranks(
        blocks.scores, direction, failed=blocks.failed, blocks=blocks.block_of_row
    )
    # Stable, so that competitors of equal rank stay in the order of the suite.
    order = np.argsort(ranks, kind="stable").tolist()
    competitors = [blocks.competitors[i] for i in order]

    # None where repetitions or data sets are no independent observations.
    pair_test: PairTest | Literal[""] = ""
    if not blocks.inference.reason:
        pair_test = test or choose_test(len(blocks.competitors), n_included, alpha)

    return Ranking(
        inference=blocks.inference,
        block_of_row=blocks.block_of_row,
        competitors=tuple(competitors),
        scores=blocks.scores[:, order],
        failed=blocks.failed,
        excluded=blocks.excluded,
        failures=blocks.failures,
        metric=metric,
        ranks=tuple(ranks[order].tolist()),
        test=pair_test,
        alpha=alpha,
    )


@dataclass(frozen=True, slots=True)
class ProfileView:
    """Performance profiles.

    Attributes
    ----------
    metric : MetricInfo
    blocks : Blocks
        The scores; competitors in the order of the plan.
    profile : PerformanceProfile
        Of the competitors of `blocks`, in their order.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> view = hcbench.analysis.profile(results, "AARI")
    >>> view.metric.label, view.profile.by
    ('AARI', 'difference')
    >>> view.blocks.scores.round(2).tolist()
    [[1.0, -0.07], [1.0, 1.0]]
    """

    metric: MetricInfo
    blocks: Blocks
    profile: PerformanceProfile


def ranking(
    results: Comparison,
    metric: str,
    *,
    failed: Failed = "worst",
    alpha: float = ALPHA,
    test: PairTest | None = None,
) -> Ranking:
    """Average ranks over data sets with critical difference, groups and tests [1]_.

    Parameters
    ----------
    results : Comparison
    metric : str
        As for `find_metric`.
    failed : {"worst", "drop"}
        An algorithm ranks last on a data set where more than `MOST_FAILED` of its repetitions
        failed, and otherwise by the others; or repetitions in which an algorithm failed are
        excluded.
    alpha : float
        Level of significance.
    test : {"holm", "nemenyi"}, optional
        The test of pairs; by default that of `choose_test`.

    Raises
    ------
    HcbenchError
        If there are fewer than two competitors, or no data set on which all ran.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7
       (2006).

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> ranked = ranking(results, "AARI")
    >>> ranked.competitors, ranked.ranks
    (('Single', 'Complete'), (1.25, 1.75))
    >>> ranked.n_blocks, ranked.least_blocks
    (2, 6)
    """
    measured = find_metric(results, metric)
    return rank(_blocks_of(results, measured, failed), measured, alpha, test)


def profile(
    results: Comparison, metric: str, *, failed: Failed = "worst", by: Distance | None = None
) -> ProfileView:
    """The share of data sets on which each competitor is within a distance of the best.

    Parameters
    ----------
    results : Comparison
    metric : str
        As for `find_metric`.
    failed : {"worst", "drop"}
        As for `ranking`.
    by : {"ratio", "difference"}, optional
        By default ratios for costs and differences for qualities
        (see `hcbench.analysis.performance_profiles.performance_profile`).

    Raises
    ------
    HcbenchError
        As for `ranking`; or if ratios are requested for negative numbers.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> view = profile(results, "AARI")
    >>> view.blocks.competitors
    ('Single', 'Complete')
    >>> view.profile.at(0.0), view.profile.at(1.0)
    ([1.0, 0.5], [1.0, 0.5])
    """
    measured = find_metric(results, metric)
    blocks = _blocks_of(results, measured, failed)
    if by is not None:
        one_of(by, "by", get_args(Distance))
    distance = by
    if distance is None:
        # A quality such as a correlation has no natural zero.
        distance = "difference"
        if measured.cost:
            distance = "ratio"
    direction = direction_of(measured)
    try:
        profiles = performance_profile(
            blocks.scores, direction, by=distance, failed=failed, blocks=blocks.block_of_row
        )
    except ValueError as error:
        raise HcbenchError(f"{measured.label}: {error}") from error
    return ProfileView(metric=measured, blocks=blocks, profile=profiles)


def _blocks_of(results: Comparison, metric: MetricInfo, failed: Failed) -> Blocks:
    """The blocks of a comparison by a metric; an error if there is nothing to rank."""
    one_of(failed, "failed", get_args(Failed))
    if metric.direction == "none":
        raise HcbenchError(f"{metric.label} has no better direction, so it gives no ranking")
    if metric is COSTS.get(metric.label):
        labels = [m.label for m in results.metrics if m.direction != "none"]
        listed = ", ".join(labels)
        raise HcbenchError(f"{metric.label} was not measured as a metric; there are {listed}")

    blocks = make_blocks(
        results.competing,
        metric,
        failed,
        dependent=results.dependent_data,
        families=results.families,
    )
    if len(blocks.competitors) < 2:
        raise HcbenchError(f"there are no two algorithms to compare by {metric.label}")
    if not blocks.n_blocks or np.isnan(blocks.scores).all():
        reason = ""
        if blocks.excluded:
            first = blocks.excluded[0]
            reason = f": {first.block}: {first.reason}"
        raise HcbenchError(f"there is no data set on which all have {metric.label}{reason}")
    return blocks
