"""The tables of a comparison: data sets, average ranks and verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hcbench.analysis.groups import name_variants
from hcbench.analysis.tables import ARROWS, NOTHING, Block, Entry, Notes
from hcbench.analysis.tables.datasets import dataset_block, noted_entry
from hcbench.analysis.verdicts import WORDS, Verdict, describe_claimed, describe_measured
from hcbench.analysis.views.ranks import ALPHA
from hcbench.analysis.views.significance import blocks_text, format_p, pairs_line

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.analysis.views.ranks import Ranking
    from hcbench.plan.presentation import MetricInfo

UNGROUPED = 12  # at most this many claims are in one table


def make_tables(results: Results, most: int | None = None) -> list[Block]:
    """All tables of a comparison: data sets, average ranks, verdicts.

    Parameters
    ----------
    results : Results
    most : int, optional
        With more data sets than this there is one table per metric of quality, with a row for each
        data set, instead of one table per data set.
    """
    if most is not None and len(results.datasets) > most:
        blocks = _overview_blocks(results)
    else:
        blocks = [dataset_block(results, dataset) for dataset in results.datasets]
    return [*blocks, *_ranking_blocks(results), *_verdict_blocks(results)]


# ---- Many data sets ------------------------------------------------------------------------------


def _overview_blocks(results: Results) -> list[Block]:
    """One table per metric of quality; of all metrics if none is of quality."""
    metrics = [metric for metric in results.metrics if not metric.cost] or results.metrics
    groups = [group for group in results.groups if group.checkpoint is None]
    variants = name_variants(groups)
    return [_overview_block(results, metric, groups, variants) for metric in metrics]


def _overview_block(
    results: Results, metric: MetricInfo, groups: Sequence[Group], variants: dict[Group, str]
) -> Block:
    columns = list(dict.fromkeys(variants.values()))
    place = {(group.dataset, variants[group]): group for group in groups}
    notes = Notes()
    rows = []
    for dataset in results.datasets:
        best = results.best_rows(dataset, metric)
        of_data = [place.get((dataset, column)) for column in columns]
        present = [group for group in of_data if group is not None]
        entries = (
            Entry(NOTHING)
            if group is None
            else noted_entry(results, group, metric, group in best, notes, present)
            for group in of_data
        )
        rows.append((Entry(dataset), *entries))
    title = f"{metric.label}{ARROWS[metric.direction]}"
    numeric = (False, *(True for _ in columns))
    return Block(title, ("data set", *columns), numeric, tuple(rows), notes.texts)


# ---- Ranks and verdicts --------------------------------------------------------------------------


def _ranking_blocks(results: Results) -> list[Block]:
    """Average ranks over data sets, with tests of their differences below."""
    rankings = [ranking for ranking in results.rankings if not ranking.inference.reason]
    if not rankings:
        return []
    names = dict.fromkeys(name for ranking in rankings for name in ranking.competitors)
    ranks = [dict(zip(r.competitors, r.ranks, strict=True)) for r in rankings]
    notes: dict[str, int] = {}
    worse = [
        {name: notes.setdefault(_WORSE, len(notes) + 1) for name in ranking.worse_than_best}
        for ranking in rankings
    ]
    rows = [
        (
            Entry(name),
            *(
                _rank_entry(name, of_metric, marks)
                for of_metric, marks in zip(ranks, worse, strict=True)
            ),
        )
        for name in names
    ]
    rows += _test_rows(rankings, notes)
    header = ("algorithm", *(ranking.metric.label for ranking in rankings))
    numeric = (False, *(True for _ in rankings))
    return [Block("average rank, 1 is best", header, numeric, tuple(rows), tuple(notes))]


_WORSE = f"significantly worse than the best: signed-rank tests of all pairs, Holm, p <= {ALPHA:g}"


def _rank_entry(name: str, ranks: Mapping[str, float], worse: Mapping[str, int]) -> Entry:
    if name not in ranks:
        return Entry(NOTHING)
    marks = (worse[name],) if name in worse else ()
    is_best = ranks[name] == min(ranks.values()) < max(ranks.values())
    return Entry(f"{ranks[name]:.2f}", is_best, marks)


def _test_rows(rankings: Sequence[Ranking], notes: dict[str, int]) -> list[tuple[Entry, ...]]:
    """The p of Friedman's test, or of the signed-rank test of two, and the critical difference."""
    two = all(len(ranking.competitors) == 2 for ranking in rankings)
    name = "p, signed-rank test" if two else "p, Friedman"
    p = [_p_of(ranking) for ranking in rankings]
    limits = [ranking.nemenyi.value for ranking in rankings]
    over = [blocks_text(ranking) for ranking in rankings]
    why = [
        f"no p: {ranking.friedman.reason}" if value is None else ""
        for value, ranking in zip(p, rankings, strict=True)
    ]
    few = [pairs_line(ranking) if ranking.too_few_blocks else "" for ranking in rankings]

    def row(
        label: str, remarks: Sequence[Sequence[str]], values: Sequence[str | None]
    ) -> tuple[Entry, ...]:
        texts = [text for of_one in remarks for text in _by_metric(rankings, of_one)]
        marks = tuple(notes.setdefault(text, len(notes) + 1) for text in texts)
        entries = (Entry(NOTHING if value is None else value, faint=True) for value in values)
        return (Entry(label, marks=marks, faint=True), *entries)

    return [
        row(
            name,
            (over, why),
            [None if value is None else format_p(value).removeprefix("= ") for value in p],
        ),
        row(
            "critical difference",
            (few,),
            [None if limit is None else f"{limit:.2f}" for limit in limits],
        ),
    ]


def _by_metric(rankings: Sequence[Ranking], texts: Sequence[str]) -> list[str]:
    """Texts about rankings: once if equal for all, else with the name of each metric."""
    if len(set(texts)) == 1:
        return [text for text in texts[:1] if text]
    pairs = zip(rankings, texts, strict=True)
    return [f"{ranking.metric.label}: {text}" for ranking, text in pairs if text]


def _p_of(ranking: Ranking) -> float | None:
    return ranking.pairs[0].wilcoxon.p if len(ranking.competitors) == 2 else ranking.friedman.p


def _verdict_blocks(results: Results) -> list[Block]:
    """The verdicts; more than `UNGROUPED` are grouped by the text before the colon of the claim."""
    verdicts = results.judged
    if not verdicts:
        return []
    heads = [_head(verdict.claim.claim) for verdict in verdicts]
    count = Counter(heads) if len(verdicts) > UNGROUPED else Counter()
    groups: dict[str, list[Verdict]] = {}
    for head, verdict in zip(heads, verdicts, strict=True):
        groups.setdefault(head if count[head] > 1 else "", []).append(verdict)
    if len(groups) == 1:
        groups = {"": verdicts}
    return [_verdict_block(head, of_group) for head, of_group in groups.items()]


def _head(claim: str) -> str:
    """The text before the first colon, such as "Table 2"; "" without a colon."""
    head, colon, _ = claim.partition(": ")
    return head if colon else ""


def _verdict_block(head: str, verdicts: Sequence[Verdict]) -> Block:
    notes: dict[str, int] = {}
    rows = []
    for verdict in verdicts:
        claim = verdict.claim.claim.removeprefix(f"{head}: ") if head else verdict.claim.claim
        marks = tuple(notes.setdefault(note, len(notes) + 1) for note in verdict.notes)
        rows.append(
            (
                Entry(claim, marks=marks),
                Entry(describe_claimed(verdict.claim)),
                Entry(describe_measured(verdict) or NOTHING),
                Entry(verdict.verdict, verdict.verdict == "reproduced"),
            )
        )
    return Block(
        f"{f'claims of {head}' if head else 'claims'}: {count_verdicts(verdicts)}",
        ("claim", "paper", "measured, 95 % interval", "verdict"),
        (False, False, True, False),
        tuple(rows),
        tuple(notes),
    )


_PLURALS = {
    "differs": "differ",
    "erratum confirmed": "errata confirmed",
    "erratum refuted": "errata refuted",
    "other data": "on other data",
}


def count_verdicts(verdicts: Iterable[Verdict]) -> str:
    """Numbers of claims by verdict: "52 reproduced, 5 differ, 3 errata confirmed"."""
    count = Counter(verdict.verdict for verdict in verdicts)
    return ", ".join(
        f"{count[word]} {word if count[word] == 1 else _PLURALS.get(word, word)}"
        for word in WORDS
        if count[word]
    )
