"""The table of average ranks, with the tests below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hcbench.analysis.ranking_texts import TESTS, blocks_text, format_p, pairs_line
from hcbench.analysis.tables import (
    NOTHING,
    Block,
    TableEntry,
    mark_texts,
)
from hcbench.results.dataset_tables import failures_text

if TYPE_CHECKING:
    from hcbench.analysis.ranks import Ranking
    from hcbench.results.evaluation import Evaluation


def ranking_blocks(results: Evaluation) -> list[Block]:
    """Average ranks over data sets, with tests of their differences below.

    These are the p of Friedman's test, or of the signed-rank test of two, and the critical
    difference where Nemenyi's test decides on pairs. The best rank has a star where the test of
    all rejects that they are equal. Data sets of one family have average ranks without a test.
    """
    rankings = []
    counts_failures = False
    # Each name once, in the order of the rankings, which may be of different algorithms.
    names: dict[str, None] = {}
    for ranking in results.rankings:
        if ranking.is_shown:
            rankings.append(ranking)
            counts_failures = counts_failures or ranking.has_failures
            names.update(dict.fromkeys(ranking.competitors))
    if not rankings:
        return []
    # Footnotes by their text, with their numbers.
    notes: dict[str, int] = {}
    rows = []
    for name in names:
        row = [TableEntry(name)]
        if counts_failures:
            row.append(TableEntry(_failures_of(name, rankings)))
        for ranking in rankings:
            row.append(_rank_entry(name, ranking, notes))
        rows.append(tuple(row))
    rows += _test_rows(rankings, notes, blank=counts_failures)
    header = ["algorithm"]
    if counts_failures:
        header.append("failed")
    for ranking in rankings:
        header.append(ranking.metric.label)
    numeric = (False,) + (True,) * (len(header) - 1)
    return [Block("average rank, 1 is best", tuple(header), numeric, tuple(rows), tuple(notes))]


def _failures_of(name: str, rankings: Sequence[Ranking]) -> str:
    """How many repetitions failed; a metric may have failed in some more of them."""
    counts = []
    for ranking in rankings:
        if name in ranking.failures:
            counts.append(ranking.failures[name])
    n_failed, total = max(counts, default=(0, 0))
    return failures_text(n_failed, total)


def _rank_entry(name: str, ranking: Ranking, notes: dict[str, int]) -> TableEntry:
    if name not in ranking.competitors:
        return TableEntry(NOTHING)
    rank = ranking.ranks[ranking.competitors.index(name)]
    # Where all ranks are equal, or the test does not tell them apart, none is the best.
    is_best = rank == min(ranking.ranks) < max(ranking.ranks) and ranking.differs_anywhere
    marks: tuple[int, ...] = ()
    if name in ranking.worse_than_best:
        test = TESTS[ranking.test]
        text = f"significantly worse than the best: {test} of all pairs, alpha {ranking.alpha:g}"
        marks = mark_texts(notes, [text])
    return TableEntry(f"{rank:.2f}", is_best, marks)


def _test_rows(
    rankings: Sequence[Ranking], notes: dict[str, int], *, blank: bool
) -> list[tuple[TableEntry, ...]]:
    """The tests below the ranks; with an empty column where failures are counted."""
    # On the row of p: what was ranked, why there is no p, and why no pairs are compared.
    remarks = _by_metric(rankings, blocks_text)
    remarks += _by_metric(rankings, _why_no_p)
    remarks += _by_metric(rankings, _why_no_pairs)
    marks = mark_texts(notes, remarks)
    name = "p, Friedman"
    if all(map(_compares_two, rankings)):
        name = "p, signed-rank test"
    p_values = list(map(_p_text, rankings))
    test_rows = [(TableEntry(name, marks=marks, faint=True), p_values)]
    tests = {ranking.test for ranking in rankings}
    if "nemenyi" in tests:
        limits = list(map(_critical_difference, rankings))
        test_rows.append((TableEntry("critical difference", faint=True), limits))
    rows = []
    for first, texts in test_rows:
        row = [first]
        if blank:
            row.append(TableEntry(""))
        for text in texts:
            row.append(TableEntry(text, faint=True))
        rows.append(tuple(row))
    return rows


def _compares_two(ranking: Ranking) -> bool:
    """Whether the signed-rank test of a pair stands in the place of Friedman's test."""
    return len(ranking.competitors) == 2


def _p_of(ranking: Ranking) -> float | None:
    """The p of the test of all; None if there is no test."""
    if _compares_two(ranking):
        return ranking.pairs[0].wilcoxon.p
    return ranking.friedman.p


def _p_text(ranking: Ranking) -> str:
    p = _p_of(ranking)
    if p is None:
        return NOTHING
    return format_p(p).removeprefix("= ")


def _why_no_p(ranking: Ranking) -> str:
    """Why there is no p; "" if there is one, or nothing is known."""
    reason = ranking.friedman.reason
    if _compares_two(ranking):
        reason = ranking.inference.reason
    if not reason or _p_of(ranking) is not None:
        return ""
    return f"no p: {reason}"


def _critical_difference(ranking: Ranking) -> str:
    """The difference of average ranks that Nemenyi's test takes as significant."""
    limit = ranking.nemenyi.value
    if limit is None:
        return NOTHING
    return f"{limit:.2f}"


def _why_no_pairs(ranking: Ranking) -> str:
    """Why no two algorithms are compared, where it is not said of all tests; "" if they are."""
    # The reason of the inference is a general note, below all tables.
    if ranking.test or ranking.inference.reason:
        return ""
    return pairs_line(ranking)


def _by_metric(rankings: Sequence[Ranking], describe: Callable[[Ranking], str]) -> list[str]:
    """Texts about rankings: once if equal for all, else with the name of each metric."""
    texts = list(map(describe, rankings))
    if len(set(texts)) == 1 and not texts[0]:
        return []
    if len(set(texts)) == 1:
        return [texts[0]]
    named_texts = []
    for ranking, text in zip(rankings, texts, strict=True):
        if text:
            named_texts.append(f"{ranking.metric.label}: {text}")
    return named_texts
