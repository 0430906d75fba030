"""The tables of a comparison: data sets, average ranks and verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hcbench.analysis.groups import name_variants
from hcbench.analysis.notes import Note
from hcbench.analysis.ranks import TESTS, blocks_text, format_p, pairs_line, why_outside
from hcbench.analysis.tables import (
    ARROWS,
    BEST_TRUTH,
    NOTHING,
    Block,
    Notes,
    Reason,
    TableEntry,
    blanked,
    format_numbers,
    notes_of_block,
)
from hcbench.claims.verdicts import WORDS, Verdict, describe_claimed, describe_measured
from hcbench.plan.outcome import REPORTED
from hcbench.results.notes import general_notes

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.notes import NoteKind
    from hcbench.analysis.ranks import Ranking
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.evaluation import Evaluation

_REFERENCE = "a reference, which is not ranked"


def dataset_block(results: Evaluation, dataset: str) -> Block:
    """The table of a data set: one row per algorithm, reference lines last."""
    groups = [group for group in results.groups if group.dataset == dataset]
    groups.sort(key=results.is_reference)  # reference lines last
    keys = _distinguishing(groups)
    counts_failures = any(group.outcomes.failed.any() for group in groups)
    metrics = _columns([m for m in results.metrics if m.judges(dataset)], groups)
    best = {metric.label: results.best_rows(dataset, metric) for metric in metrics}
    notes = Notes()
    rows = []
    for group in groups:
        reference = [Reason(_REFERENCE, kind="reference")] if results.is_reference(group) else []
        remarks = [*reference, *troubles(group), *remarks_on(results, group)]
        row = [TableEntry(group.algorithm, marks=notes.mark(remarks))]
        row += [TableEntry(key_text(key, getattr(group, key))) for key in keys]
        if counts_failures:
            row.append(TableEntry(_failed_text(group)))
        nearest = _nearest_truths(group, metrics)
        for metric in metrics:
            entry = value_entry(group, metric, group in best[metric.label], notes)
            remarks = [Reason(BEST_TRUTH, kind="truth")] if metric.label in nearest else []
            remarks += worse_than_chance(results, group, metric, groups)
            row.append(replace(entry, marks=(*entry.marks, *notes.mark(remarks))))
        rows.append(tuple(replace(entry, faint=bool(reference)) for entry in row))
    header = ["algorithm", *(KEYS[key] for key in keys)]
    numeric = [False, *(key != "oracle" for key in keys)]
    if counts_failures:
        header.append("failed")
        numeric.append(True)
    return Block(
        dataset,
        (*header, *(f"{m.head(dataset)}{ARROWS[m.direction]}" for m in metrics)),
        (*numeric, *(True for _ in metrics)),
        tuple(rows),
        notes.texts,
        names=1 + len(keys),
        note_kinds=notes.kinds,
    )


def _failed_text(group: Group) -> str:
    """How many repetitions failed, of how many."""
    if not group.ran:
        return NOTHING
    failed = int(group.outcomes.failed.sum())
    return f"{failed} of {len(group.outcomes)}" if failed else "0"


def _columns(metrics: Sequence[MetricInfo], groups: Sequence[Group]) -> list[MetricInfo]:
    """The metrics, without those of missing truths if the data set has others.

    Nor with numbers that no algorithm reported on this data set.
    """
    measured = {m.label for m in metrics if any(group.array(m.label).size for group in groups)}
    failed = {m.label for m in metrics if any(group.failed(m.label) for group in groups)}
    kinds = {m.kind for m in metrics if m.label in measured}
    reported = [m for m in metrics if not m.label.endswith(REPORTED) or m.label in measured]
    return [m for m in reported if m.label in measured | failed or m.kind not in kinds - {""}]


def _nearest_truths(group: Group, metrics: Sequence[MetricInfo]) -> set[str]:
    """Among metrics that differ only in their truth, the labels of those with the best mean."""
    kinds: dict[str, dict[str, float]] = {}
    for metric in metrics:
        average = group.average(metric)
        if metric.kind and metric.direction != "none" and average is not None:
            worth = average if metric.direction == "higher" else -average
            kinds.setdefault(metric.kind, {})[metric.label] = worth
    return {
        label
        for means in kinds.values()
        for label, worth in means.items()
        if min(means.values()) < worth == max(means.values())
    }


def worse_than_chance(
    results: Evaluation, group: Group, metric: MetricInfo, groups: Sequence[Group]
) -> list[Reason]:
    """A remark on the truth where a reference that does not know it is better."""
    if metric.cost or metric.direction == "none" or not results.is_true(group):
        return []
    average = group.average(metric)
    ignorant = (g for g in groups if results.is_reference(g) and not results.is_true(g))
    for other in (g for g in ignorant if g.checkpoint == group.checkpoint):
        chance = other.average(metric)
        if (
            average is not None
            and chance is not None
            and (chance > average if metric.direction == "higher" else chance < average)
        ):
            name = other.algorithm
            text = f"worse than {name}, as this metric does not compare with the truth"
            return [Reason(text, kind="chance")]
    return []


KEYS = {"oracle": "oracle", "budget": "budget", "checkpoint": "after queries"}
_WITHOUT = {"oracle": NOTHING, "budget": "none", "checkpoint": "end"}


def _distinguishing(groups: Sequence[Group]) -> list[str]:
    """Columns that distinguish rows of an algorithm, and the oracle if it has parameters."""
    ran = [group for group in groups if group.oracle]
    keys = [key for key in KEYS if len({getattr(group, key) for group in ran}) > 1]
    if "oracle" not in keys and any("[" in group.oracle for group in ran):
        keys.insert(0, "oracle")
    return keys


def describe_numbers(results: Evaluation, best: str) -> list[str]:
    """The legend of the tables.

    Parameters
    ----------
    results : Evaluation
    best : str
        Description of the mark of the best value.
    """
    count = max(results.outcomes.column("repetition"), default=-1) + 1
    over = ["1 repetition"]
    if count > 1:
        over = [f"mean ± standard deviation over {count} repetitions, one number if all are equal"]
    if count > 1 and any(metric.average == "median" for metric in results.metrics):
        over.append("times: median [quartiles] of the repetitions")
    several = len({results.query_kinds.get(g.oracle, g.oracle) for g in results.groups}) > 1
    asked = several and any(metric.unit == "queries" for metric in results.metrics)
    marked = f", {best} is the best" + " (of queries: of each kind of oracle)" * asked
    return [
        *over,
        "↑ more is better, ↓ less is better" + marked * results.suite.ranks,
        *(note.text for note in general_notes(results)),
    ]


def key_text(key: str, value: str | int | None) -> str:
    """The text of a column that distinguishes rows."""
    if isinstance(value, int):
        return f"{value:,}"
    return value or _WITHOUT[key]


def troubles(group: Group) -> list[Reason]:
    """The reasons why repetitions have no result, most frequent first."""
    status, reason = map(group.outcomes.column, ("status", "reason"))
    ends = zip(status[status != "ok"], reason[status != "ok"], strict=True)
    texts = [(f"{end}: {why}" if why else end,) for end, why in ends]
    return _counted(group, texts, "failure")


def remarks_on(results: Evaluation, group: Group) -> list[Reason]:
    """What the group knows of the truth, and the notes of its results, most frequent first."""
    told = results.informed(group)
    notes = _counted(group, group.outcomes.column("notes").tolist(), "run")
    return [Reason(told, kind="truth"), *notes] if told else notes


def _counted(group: Group, remarks: Iterable[tuple[str, ...]], kind: NoteKind) -> list[Reason]:
    """The remarks of the repetitions, with how many repetitions have them if not all."""
    texts: dict[str, Counter[str]] = {}
    for of_some, number in Counter(remarks).items():
        for cause, text in {blanked(text): text for text in of_some}.items():
            texts.setdefault(cause, Counter())[text] += number
    total = len(group.outcomes)
    return [
        Reason(
            next(iter(alike)),
            "" if alike.total() == total else f"{alike.total()} of {total} repetitions: ",
            len(alike) > 1,
            kind,
        )
        for alike in sorted(texts.values(), key=Counter.total, reverse=True)
    ]


def value_entry(group: Group, metric: MetricInfo, bold: bool, notes: Notes) -> TableEntry:
    """The average of one metric with its spread, or the reason why it is missing."""
    numbers = group.array(metric.label)
    missing = group.values(metric.label).missing(group.outcomes.column("status") == "ok")
    reasons = [Reason(text) for text in dict.fromkeys(v.reason for v in missing) if text]
    if numbers.size:
        failures = dict.fromkeys(v.reason for v in missing if v.status == "error")
        errors = [Reason(text, kind="failure") for text in failures]
        if group.leaves_range(metric):
            errors.append(Reason(f"{why_outside(metric)}: not ranked", kind="range"))
        return TableEntry(format_numbers(numbers, metric), bold, notes.mark(errors))
    if not missing or metric.label.endswith(REPORTED):
        return TableEntry(NOTHING)
    text = "error" if any(v.status == "error" for v in missing) else "n/a"
    return TableEntry(text, marks=notes.mark(reasons))


def noted_entry(
    results: Evaluation,
    group: Group,
    metric: MetricInfo,
    bold: bool,
    notes: Notes,
    beside: Sequence[Group],
) -> TableEntry:
    """A value with all footnotes about its cells; ``beside``: the groups on its data set."""
    remarks = [*troubles(group), *remarks_on(results, group)]
    marks = notes.mark([*remarks, *worse_than_chance(results, group, metric, beside)])
    entry = value_entry(group, metric, bold, notes)
    return replace(entry, marks=tuple(dict.fromkeys([*marks, *entry.marks])))


UNGROUPED = 12  # at most this many claims are in one table


def all_notes(results: Evaluation) -> tuple[Note, ...]:
    """The footnotes of all tables, with what they are about, and the notes on all tables."""
    notes: list[Note] = []
    for dataset in results.datasets:
        notes += notes_of_block(dataset_block(results, dataset), "missing")
    for block in _ranking_blocks(results):
        notes += notes_of_block(block, "rank")
    for block in _verdict_blocks(results):
        notes += notes_of_block(block, "claim")
    return (*notes, *general_notes(results))


def make_tables(results: Evaluation, most: int | None = None) -> list[Block]:
    """All tables of a comparison: data sets, average ranks, verdicts.

    Parameters
    ----------
    results : Evaluation
    most : int, optional
        With more data sets than this there is one table per metric of quality, with a row for each
        data set, instead of one table per data set.
    """
    if most is not None and len(results.datasets) > most:
        blocks = [*_overview_blocks(results)]
    else:
        blocks = [dataset_block(results, dataset) for dataset in results.datasets]
    return [*blocks, *_ranking_blocks(results), *_verdict_blocks(results)]


# ---- Many data sets ------------------------------------------------------------------------------


def _overview_blocks(results: Evaluation) -> Iterator[Block]:
    """One table per metric of quality, of all metrics if none is; none of reported numbers."""
    groups = [group for group in results.groups if group.checkpoint is None]
    variants = name_variants(groups)
    columns = list(dict.fromkeys(variants.values()))
    place = {(group.dataset, variants[group]): group for group in groups}
    quality = [m for m in results.metrics if not (m.cost or m.label.endswith(REPORTED))]
    for metric in quality or results.metrics:
        notes = Notes()
        rows = []
        for dataset in results.datasets:
            best = results.best_rows(dataset, metric)
            of_data = [place.get((dataset, column)) for column in columns]
            present = [group for group in of_data if group is not None]
            entries = (
                TableEntry(NOTHING)
                if group is None
                else noted_entry(results, group, metric, group in best, notes, present)
                for group in of_data
            )
            rows.append((TableEntry(dataset), *entries))
        title = f"{metric.label}{ARROWS[metric.direction]}"
        numeric = (False, *(True for _ in columns))
        yield Block(
            title, ("data set", *columns), numeric, tuple(rows), notes.texts, note_kinds=notes.kinds
        )


# ---- Ranks and verdicts --------------------------------------------------------------------------


def _ranking_blocks(results: Evaluation) -> list[Block]:
    """Average ranks over data sets, with tests of their differences below.

    These are the p of Friedman's test, or of the signed-rank test of two, and the critical
    difference where Nemenyi's test decides on pairs. The best rank has a star where the test of
    all rejects that they are equal. Data sets of one family have average ranks without a test.
    """
    rankings = [ranking for ranking in results.rankings if ranking.is_shown]
    if not rankings:
        return []
    notes: dict[str, int] = {}
    counts_failures = any(ranking.has_failures for ranking in rankings)
    names = dict.fromkeys(name for ranking in rankings for name in ranking.competitors)
    rows = []
    for name in names:
        row = [TableEntry(name)]
        if counts_failures:
            row.append(TableEntry(_failures_of(name, rankings)))
        row += [_rank_entry(name, ranking, notes) for ranking in rankings]
        rows.append(tuple(row))
    rows += _test_rows(rankings, notes, blank=counts_failures)
    header = ["algorithm"]
    if counts_failures:
        header.append("failed")
    header += [ranking.metric.label for ranking in rankings]
    numeric = (False, *(True for _ in header[1:]))
    return [Block("average rank, 1 is best", tuple(header), numeric, tuple(rows), tuple(notes))]


def _failures_of(name: str, rankings: Sequence[Ranking]) -> str:
    """How many repetitions failed; a metric may have failed in some more of them."""
    counts = [ranking.failures[name] for ranking in rankings if name in ranking.failures]
    failed, total = max(counts, default=(0, 0))
    return f"{failed} of {total}" if failed else "0"


def _rank_entry(name: str, ranking: Ranking, notes: dict[str, int]) -> TableEntry:
    if name not in ranking.competitors:
        return TableEntry(NOTHING)
    rank = ranking.ranks[ranking.competitors.index(name)]
    is_best = rank == min(ranking.ranks) < max(ranking.ranks) and ranking.differs_anywhere
    marks: tuple[int, ...] = ()
    if name in ranking.worse_than_best:
        test = TESTS[ranking.test]
        text = f"significantly worse than the best: {test} of all pairs, alpha {ranking.alpha:g}"
        marks = (notes.setdefault(text, len(notes) + 1),)
    return TableEntry(f"{rank:.2f}", is_best, marks)


def _test_rows(
    rankings: Sequence[Ranking], notes: dict[str, int], *, blank: bool
) -> list[tuple[TableEntry, ...]]:
    """The tests below the ranks; with an empty column where failures are counted."""
    p_values = []
    reasons = []
    limits = []
    for ranking in rankings:
        if len(ranking.competitors) == 2:
            p, reason = ranking.pairs[0].wilcoxon.p, ranking.inference.reason
        else:
            p, reason = ranking.friedman.p, ranking.friedman.reason
        p_values.append(NOTHING if p is None else format_p(p).removeprefix("= "))
        reasons.append(f"no p: {reason}" if p is None and reason else "")
        limit = ranking.nemenyi.value
        limits.append(NOTHING if limit is None else f"{limit:.2f}")
    remarks = [
        *_by_metric(rankings, [blocks_text(ranking) for ranking in rankings]),
        *_by_metric(rankings, reasons),
        *_by_metric(rankings, [_why_no_pairs(ranking) for ranking in rankings]),
    ]
    marks = tuple(notes.setdefault(text, len(notes) + 1) for text in remarks)
    of_two = all(len(ranking.competitors) == 2 for ranking in rankings)
    name = "p, signed-rank test" if of_two else "p, Friedman"
    rows = [(TableEntry(name, marks=marks, faint=True), p_values)]
    if any(ranking.test == "nemenyi" for ranking in rankings):
        rows.append((TableEntry("critical difference", faint=True), limits))
    skipped = [TableEntry("")] if blank else []
    return [
        (first, *skipped, *(TableEntry(text, faint=True) for text in texts))
        for first, texts in rows
    ]


def _why_no_pairs(ranking: Ranking) -> str:
    """Why no two algorithms are compared, where it is not said of all tests; "" if they are."""
    return "" if ranking.test or ranking.inference.reason else pairs_line(ranking)


def _by_metric(rankings: Sequence[Ranking], texts: Sequence[str]) -> list[str]:
    """Texts about rankings: once if equal for all, else with the name of each metric."""
    if len(set(texts)) == 1:
        return [text for text in texts[:1] if text]
    pairs = zip(rankings, texts, strict=True)
    return [f"{ranking.metric.label}: {text}" for ranking, text in pairs if text]


def _verdict_blocks(results: Evaluation) -> list[Block]:
    """The verdicts; more than `UNGROUPED` are grouped by the text before the colon of the claim."""
    verdicts = results.judged
    if not verdicts:
        return []
    # The text before the first colon, such as "Table 2"; "" without a colon.
    parts = [verdict.claim.claim.partition(": ") for verdict in verdicts]
    heads = [head if colon else "" for head, colon, _ in parts]
    count = Counter(heads) if len(verdicts) > UNGROUPED else Counter()
    groups: dict[str, list[Verdict]] = {}
    for head, verdict in zip(heads, verdicts, strict=True):
        groups.setdefault(head if count[head] > 1 else "", []).append(verdict)
    if len(groups) == 1:
        groups = {"": verdicts}
    return [_verdict_block(head, of_group) for head, of_group in groups.items()]


def _verdict_block(head: str, verdicts: Sequence[Verdict]) -> Block:
    notes: dict[str, int] = {}
    rows = []
    for verdict in verdicts:
        claim = verdict.claim.claim.removeprefix(f"{head}: ") if head else verdict.claim.claim
        marks = tuple(notes.setdefault(note, len(notes) + 1) for note in verdict.notes)
        rows.append(
            (
                TableEntry(claim, marks=marks),
                TableEntry(describe_claimed(verdict.claim)),
                TableEntry(describe_measured(verdict) or NOTHING),
                TableEntry(verdict.verdict, verdict.verdict == "reproduced"),
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
