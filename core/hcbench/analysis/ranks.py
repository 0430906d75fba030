"""The best algorithms on one data set, and ranks over all data sets with their significance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from hcbench.analysis.axes import find_metric
from hcbench.analysis.groups import COSTS, MOST_FAILED, Group, name_variants
from hcbench.analysis.inference import Inference, Unit, allowed_inference
from hcbench.analysis.statistics import (
    CriticalDifference,
    Direction,
    Failed,
    FriedmanTest,
    PerformanceProfile,
    SignedRankTest,
    average_of,
    average_ranks,
    find_cliques,
    friedman_test,
    holm_adjusted,
    least_blocks,
    nemenyi_critical_difference,
    performance_profile,
    signed_rank_test,
)
from hcbench.analysis.tables import format_spread
from hcbench.errors import HcbenchError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.statistics import Distance
    from hcbench.plan.presentation import MetricInfo


@dataclass(frozen=True, slots=True)
class Excluded:
    """An excluded block and the reason."""

    block: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """The scores of competitors on common blocks.

    A block has one row of scores, or, if it is of a family of several data sets, a row for each of
    these.

    Attributes
    ----------
    inference : Inference
        What a block is, and what the blocks allow to conclude.
    block_of_row : tuple of str
        The name of the block of each row.
    competitors : tuple of str
    scores : (n_rows, n_competitors) float
        Means over the repetitions on a data set, or the values of a repetition; NaN for a failure.
    failed : {"worst", "drop"}
        Scores are averages of the repetitions that succeeded, or NaN if more than `MOST_FAILED` of
        them failed; or repetitions in which an algorithm failed are excluded for all algorithms.
    failures : mapping of competitor to (int, int)
        How many of its repetitions failed, of how many.
    excluded : tuple of Excluded
        Data sets or repetitions on which not all algorithms could run, or all failed.
    """

    inference: Inference
    block_of_row: tuple[str, ...]
    competitors: tuple[str, ...]
    scores: NDArray[np.float64]
    failed: Failed
    excluded: tuple[Excluded, ...]
    failures: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        """What a block is."""
        return self.inference.unit

    @property
    def has_failures(self) -> bool:
        """Whether a repetition of a competitor failed."""
        return any(failed for failed, _ in self.failures.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the blocks."""
        return tuple(dict.fromkeys(self.block_of_row))

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.names)


def make_blocks(
    groups: Iterable[Group],
    metric: MetricInfo,
    failed: Failed = "worst",
    dependent: Iterable[str] = (),
    families: Mapping[str, str] | None = None,
) -> Blocks:
    """Collect the scores that are compared over data sets.

    An algorithm that runs with several oracles or budgets on one data set is a competitor for each.
    A data set is excluded if an algorithm was skipped on it, or a value is outside of the interval
    of the metric.

    Parameters
    ----------
    groups : iterable of Group
        Without reference lines. Checkpoints are ignored.
    metric : MetricInfo
    failed : {"worst", "drop"}
    dependent : iterable of str
        Data sets whose repetitions share items.
    families : mapping of data set to str, optional
        As for `hcbench.analysis.inference.allowed_inference`.
    """
    at_end = [group for group in groups if group.checkpoint is None]
    ran = {group.algorithm for group in at_end if group.ran}
    competing = [group for group in at_end if group.ran or group.algorithm not in ran]
    names = name_variants(competing)
    algorithm_of = {names[group]: group.algorithm for group in competing}
    groups_on: dict[str, dict[str, Group]] = {}
    for group in competing:
        groups_on.setdefault(group.dataset, {})[names[group]] = group
    skipped = {(group.algorithm, group.dataset): group for group in at_end if not group.ran}
    inference = allowed_inference(competing, dependent, families)
    rows: list[_Row] = []
    excluded = []
    for dataset, groups_of_name in groups_on.items():
        competitors: dict[str, Group | None] = {}
        for name, algorithm in algorithm_of.items():
            # A skipped algorithm tells why, and one without any group did not run there.
            competitors[name] = groups_of_name.get(name) or skipped.get((algorithm, dataset))
        of_dataset = _rows_of_dataset(dataset, competitors, metric, failed, inference)
        if isinstance(of_dataset, Excluded):
            excluded.append(of_dataset)
            continue
        for row in of_dataset:
            if np.isnan(row.scores).all():
                excluded.append(Excluded(row.name, "all failed"))
            else:
                rows.append(row)
    scores = np.array([row.scores for row in rows], dtype=np.float64)
    return Blocks(
        inference=inference,
        block_of_row=tuple(row.block for row in rows),
        competitors=tuple(algorithm_of),
        scores=scores.reshape(len(rows), len(algorithm_of)),
        failed=failed,
        excluded=tuple(excluded),
        failures=_count_failures(names, metric),
    )


class _Row(NamedTuple):
    """The scores of all competitors on a data set, or in one repetition on it."""

    name: str
    block: str
    scores: list[float]


def _count_failures(names: Mapping[Group, str], metric: MetricInfo) -> dict[str, tuple[int, int]]:
    """How many repetitions of each competitor failed, of how many."""
    failures: dict[str, tuple[int, int]] = {}
    for group, name in names.items():
        failed, total = failures.get(name, (0, 0))
        failures[name] = (failed + group.failed(metric), total + len(group.outcomes))
    return failures


def _rows_of_dataset(
    dataset: str,
    competitors: Mapping[str, Group | None],
    metric: MetricInfo,
    failed: Failed,
    inference: Inference,
) -> list[_Row] | Excluded:
    """The scores on a data set: a row, or one for each repetition if these are the blocks."""
    for name, group in competitors.items():
        reason = _why_excluded(group, metric)
        if reason:
            return Excluded(dataset, f"{name}: {reason}")
    groups = [group for group in competitors.values() if group is not None]
    by_repetition: dict[int, list[float]] = {}
    if inference.unit == "repetition" or failed == "drop":
        by_repetition = _scores_by_repetition(groups, metric, failed)
        if not by_repetition:
            return Excluded(dataset, "an algorithm failed in each repetition")
    if inference.unit == "repetition":
        return _rows_of_repetitions(dataset, by_repetition, inference)
    if failed == "drop":
        columns = np.transpose(list(by_repetition.values()))
        averages = [average_of(column, metric.average) for column in columns]
    else:
        averages = [_average_for_ranks(group, metric) for group in groups]
    block = dataset
    if inference.unit == "family":
        block = inference.family_of(dataset)
    scores = [math.nan if average is None else average for average in averages]
    return [_Row(name=dataset, block=block, scores=scores)]


def _average_for_ranks(group: Group, metric: MetricInfo) -> float | None:
    """The average of the repetitions with a value; None if the algorithm ranks last."""
    if group.fails_too_often(metric):
        # Few values do not stand for all repetitions.
        return None
    return group.average(metric)


def _rows_of_repetitions(
    dataset: str, scores: Mapping[int, list[float]], inference: Inference
) -> list[_Row]:
    """A row for each repetition; the data sets of a family have a common block in each."""
    source = dataset
    if inference.has_variants:
        source = inference.family_of(dataset)
    rows = []
    for r, scores_of_repetition in scores.items():
        name = f"{dataset}, repetition {r}"
        block = f"{source}, repetition {r}"
        rows.append(_Row(name=name, block=block, scores=scores_of_repetition))
    return rows


def _scores_by_repetition(
    groups: Sequence[Group], metric: MetricInfo, failed: Failed
) -> dict[int, list[float]]:
    """The values of all competitors in each repetition, in order; NaN for a failure."""
    values = [group.by_repetition(metric) for group in groups]
    repetitions: set[int] = set()
    for group in groups:
        repetitions.update(group.outcomes.column("repetition").tolist())
    scores = {}
    for r in sorted(repetitions):
        of_repetition = [of_group.get(r, math.nan) for of_group in values]
        if failed == "worst" or not np.isnan(of_repetition).any():
            scores[r] = of_repetition
    return scores


def _why_excluded(group: Group | None, metric: MetricInfo) -> str:
    """Why the values of an algorithm exclude their data set; "" if they do not."""
    if group is None:
        return "did not run on it"
    status = group.outcomes.column("status")
    has_failed = group.outcomes.failed
    for i, value in group.values(metric).special_values.items():
        if status[i] == "skipped":
            return f"skipped: {group.outcomes[i].reason}"
        # A failure ranks last; a metric that does not apply gives no rank.
        if value.value is None and not has_failed[i] and value.status != "error":
            return f"no {metric.label}: {value.reason}"
    if group.leaves_range(metric):
        return f"{metric.label} is {why_outside(metric)}"
    return ""


def why_outside(metric: MetricInfo) -> str:
    """What is said of values outside of the interval of their metric."""
    why = "the interval that it declares"
    if metric.outside:
        why = f"as {metric.outside}"
    return f"outside of {metric.interval}, {why}"


ALPHA = 0.05
#: Tests of pairs: signed-rank tests with Holm's correction, or Nemenyi's of average ranks.
PairTest: TypeAlias = Literal["holm", "nemenyi"]


def best_groups(results: Comparison, dataset: str, metric: MetricInfo) -> list[Group]:
    """The best groups of a data set (see `find_best`); none if its suite has no ranks."""
    if not results.suite.ranks:
        return []
    groups = [group for group in results.competing if group.dataset == dataset]
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
    if metric.direction == "none" or any(group.leaves_range(metric) for group in groups):
        return []
    rivals: dict[tuple[int | None, str], list[tuple[float, Group]]] = {}
    for group in groups:
        average = group.average(metric)
        if average is None or math.isnan(average) or group.fails_too_often(metric):
            continue
        kind = ""
        if metric.unit == "queries":
            kind = query_kinds.get(group.oracle, group.oracle)
        rivals.setdefault((group.checkpoint, kind), []).append((average, group))
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
        best += [group for _, group in tied]
    return best


# ---- Ranks ---------------------------------------------------------------------------------------


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
    """

    # No slots: cached_property needs the dictionary of the instance.
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
            p_values = {place: test.p for place, test in tests.items() if test.p is not None}
            p_adjusted = holm_adjusted(list(p_values.values())).tolist()
            adjusted = dict(zip(p_values, p_adjusted, strict=True))
        pairs = []
        for (i, j), test in tests.items():
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
        direction = direction_of(self.metric)
        first = self.scores[:, i]
        second = self.scores[:, j]
        return signed_rank_test(
            first, second, direction, failed=self.failed, blocks=self.block_of_row
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
        return tuple(pair.second for pair in self.pairs if pair.first == best and pair.differs)


def direction_of(metric: MetricInfo) -> Direction:
    """Which numbers are better."""
    return "lower" if metric.direction == "lower" else "higher"


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
    direction = direction_of(metric)
    ranks, n_included = average_ranks(
        blocks.scores, direction, failed=blocks.failed, blocks=blocks.block_of_row
    )
    order = np.argsort(ranks, kind="stable").tolist()
    # None where repetitions or data sets are no independent observations.
    pair_test: PairTest | Literal[""] = ""
    if not blocks.inference.reason:
        pair_test = test or choose_test(len(blocks.competitors), n_included, alpha)
    return Ranking(
        inference=blocks.inference,
        block_of_row=blocks.block_of_row,
        competitors=tuple(blocks.competitors[i] for i in order),
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
        (see `hcbench.analysis.statistics.performance_profile`).

    Raises
    ------
    HcbenchError
        As for `ranking`; or if ratios are requested for negative numbers.
    """
    measured = find_metric(results, metric)
    blocks = _blocks_of(results, measured, failed)
    distance = by
    if distance is None:
        # A quality such as a correlation has no natural zero.
        distance = "ratio" if measured.cost else "difference"
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
    if metric.direction == "none":
        raise HcbenchError(f"{metric.label} has no better direction, so it gives no ranking")
    if metric is COSTS.get(metric.label):
        listed = ", ".join(m.label for m in results.metrics if m.direction != "none")
        raise HcbenchError(f"{metric.label} was not measured as a metric; there are {listed}")
    blocks = make_blocks(
        results.competing, metric, failed, results.dependent_data, results.families
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


_FAILED = {
    "worst": (
        f"an algorithm ranks last where more than {100 * MOST_FAILED:g} % of its repetitions "
        "failed, otherwise by the others"
    ),
    "drop": "repetitions in which an algorithm failed are excluded",
}
_MOST_NAMED = 8


def significance_lines(ranking: Ranking) -> tuple[str, ...]:
    """The blocks, the test of any difference and the tests of pairs, as text."""
    if ranking.inference.reason:
        return (blocks_text(ranking), f"no test of differences: {ranking.inference.reason}")
    lines = (blocks_text(ranking), omnibus_line(ranking), pairs_line(ranking))
    return tuple(line for line in lines if line)


def blocks_text(blocks: Blocks) -> str:
    """What the blocks are, the treatment of failures, and the number of excluded blocks."""
    inference = blocks.inference
    over = inference.count(blocks.n_blocks)
    holds = f"so that conclusions hold for {inference.subject} only"
    if inference.unit == "repetition" and inference.has_variants:
        what = f"each with new data of {inference.families_text}; average of these, {holds}"
    elif inference.unit == "repetition":
        what = f"each with new data, {holds}"
    elif inference.unit == "family":
        over = inference.families_text
        what = "average of the repetitions on each data set, then of the data sets of a family"
    else:
        what = "average of the repetitions on each"
    text = f"over {over} ({what})"
    if blocks.has_failures:
        text += f"; {_failures_text(blocks)}"
    if blocks.excluded:
        text += f"; {len(blocks.excluded)} excluded, as not all algorithms ran"
    return text


def _failures_text(blocks: Blocks) -> str:
    """How failures count in ranks."""
    if blocks.failed == "worst" and blocks.inference.unit == "repetition":
        return "failed repetitions rank last"
    return _FAILED[blocks.failed]


def omnibus_line(ranking: Ranking) -> str:
    """Friedman's test and the critical difference."""
    parts = []
    test = ranking.friedman
    if test.p is not None and test.statistic is not None:
        statistic = f"Friedman χ²({test.degrees}) = {test.statistic:.2f}"
        part = f"{statistic}, p {format_p(test.p)} ({_METHODS[test.method]})"
        if test.f_p is not None:
            part += f", Iman-Davenport F p {format_p(test.f_p)}"
        parts.append(part)
    elif len(ranking.competitors) > 2:
        parts.append(f"no Friedman test: {test.reason}")
    if ranking.nemenyi.value is not None:
        parts.append(
            f"critical difference {ranking.nemenyi.value:.2f} (Nemenyi, alpha {_alpha(ranking)})"
        )
    return "; ".join(parts)


_METHODS = {
    "chi-square": "chi-square distribution",
    "exact": "exact",
    "permutations": "by permutations",
    "": "",
}


def pairs_line(ranking: Ranking) -> str:
    """The algorithms significantly worse than the best; or that there are too few blocks."""
    if not ranking.test:
        needed = f"at least {ranking.inference.count(ranking.least_blocks)}"
        number = len(ranking.competitors)
        return (
            f"too few for any significant difference of two: {number} algorithms need {needed} "
            f"(alpha {_alpha(ranking)})"
        )
    how = f"({TESTS[ranking.test]}, alpha {_alpha(ranking)})"
    worse = ranking.worse_than_best
    best = ranking.competitors[0]
    if not worse:
        return f"none is significantly worse than {best} {how}"
    return f"significantly worse than {best} {how}: {_listed(worse)}"


#: The tests of pairs in words.
TESTS: Mapping[str, str] = {
    "holm": "Holm-corrected signed-rank tests",
    "nemenyi": "Nemenyi's test",
}


def _alpha(ranking: Ranking) -> str:
    return f"{ranking.alpha:g}"


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    if more > 0:
        return f"{listed} and {more} more"
    return listed


def format_p(p: float) -> str:
    """A p value with its relation, such as "= 0.026" or "< 0.001"."""
    if p < 0.001:
        return "< 0.001"
    if p < 0.1:
        return f"= {p:.3f}"
    return f"= {p:.2f}"


def describe_ranking(ranking: Ranking) -> dict[str, Any]:
    """A ranking with all its tests, as plain values."""
    names = ranking.competitors
    groups = []
    for clique in ranking.cliques:
        groups.append([names[i] for i in clique])
    # The groups are those of the test that decides.
    groups_of_test: dict[str, list[list[str]] | None] = {"nemenyi": None, "holm": None}
    if ranking.test:
        groups_of_test[ranking.test] = groups
    failures = {}
    for name in names:
        failures[name] = list(ranking.failures.get(name, (0, 0)))
    families = {}
    for family, datasets in ranking.inference.families.items():
        families[family] = list(datasets)
    return {
        "metric": ranking.metric.label,
        "block": ranking.unit,
        "blocks": list(ranking.names),
        "families": families,
        "failed": ranking.failed,
        "left_out": [asdict(block) for block in ranking.excluded],
        "average_ranks": dict(zip(names, ranking.ranks, strict=True)),
        "failures": failures,
        "friedman": asdict(ranking.friedman),
        "test": ranking.test,
        "nemenyi": asdict(ranking.nemenyi),
        "groups": groups_of_test,
        "pairs": [asdict(pair) for pair in ranking.pairs],
    }
