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
from hcbench.claims.family_verdicts import FamilyVerdict
from hcbench.claims.verdicts import WORDS, Verdict, describe_claimed
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
    groups.sort(key=results.is_reference)
    keys = _distinguishing(groups)
    counts_failures = any(group.outcomes.failed.any() for group in groups)
    judging = [metric for metric in results.metrics if metric.judges(dataset)]
    metrics = _columns(judging, groups)
    best = {metric.label: results.best_rows(dataset, metric) for metric in metrics}
    notes = Notes()
    rows = []
    for group in groups:
        row = _first_entries(results, group, keys, notes, counts_failures=counts_failures)
        nearest = _nearest_truths(group, metrics)
        for metric in metrics:
            entry = value_entry(group, metric, group in best[metric.label], notes)
            remarks = []
            if metric.label in nearest:
                remarks.append(Reason(BEST_TRUTH, kind="truth"))
            remarks += worse_than_chance(results, group, metric, groups)
            row.append(replace(entry, marks=entry.marks + notes.mark(remarks)))
        if results.is_reference(group):
            row = [replace(entry, faint=True) for entry in row]
        rows.append(tuple(row))
    header = ["algorithm"]
    numeric = [False]
    for key in keys:
        header.append(KEYS[key])
        numeric.append(key != "oracle")
    if counts_failures:
        header.append("failed")
        numeric.append(True)
    for metric in metrics:
        header.append(f"{metric.head(dataset)}{ARROWS[metric.direction]}")
        numeric.append(True)
    return Block(
        dataset,
        tuple(header),
        tuple(numeric),
        tuple(rows),
        notes.texts,
        names=1 + len(keys),
        note_kinds=notes.kinds,
    )


def _first_entries(
    results: Evaluation,
    group: Group,
    keys: Sequence[str],
    notes: Notes,
    *,
    counts_failures: bool,
) -> list[TableEntry]:
    """The entries of a row before its metrics: algorithm, keys and failures."""
    remarks = []
    if results.is_reference(group):
        remarks.append(Reason(_REFERENCE, kind="reference"))
    remarks += troubles(group)
    remarks += remarks_on(results, group)
    row = [TableEntry(group.algorithm, marks=notes.mark(remarks))]
    for key in keys:
        row.append(TableEntry(key_text(key, getattr(group, key))))
    if counts_failures:
        row.append(TableEntry(_failed_text(group)))
    return row


def _failed_text(group: Group) -> str:
    """How many repetitions failed, of how many."""
    if not group.ran:
        return NOTHING
    return _failures_text(int(group.outcomes.failed.sum()), len(group.outcomes))


def _failures_text(n_failed: int, total: int) -> str:
    return f"{n_failed} of {total}" if n_failed else "0"


def _columns(metrics: Sequence[MetricInfo], groups: Sequence[Group]) -> list[MetricInfo]:
    """The metrics, without those of missing truths if the data set has others.

    Nor with numbers that no algorithm reported on this data set.
    """
    measured = set()
    failed = set()
    kinds_measured = set()
    for metric in metrics:
        if any(group.array(metric.label).size for group in groups):
            measured.add(metric.label)
            kinds_measured.add(metric.kind)
        if any(group.failed(metric.label) for group in groups):
            failed.add(metric.label)
    # Metrics of no kind have no truth that others could have instead.
    kinds_measured.discard("")
    columns = []
    for metric in metrics:
        if metric.label in measured:
            columns.append(metric)
        elif metric.label.endswith(REPORTED):
            continue
        elif metric.label in failed or metric.kind not in kinds_measured:
            columns.append(metric)
    return columns


def _nearest_truths(group: Group, metrics: Sequence[MetricInfo]) -> set[str]:
    """Among metrics that differ only in their truth, the labels of those with the best mean."""
    kinds: dict[str, dict[str, float]] = {}
    for metric in metrics:
        average = group.average(metric)
        if metric.kind and metric.direction != "none" and average is not None:
            worth = average if metric.direction == "higher" else -average
            kinds.setdefault(metric.kind, {})[metric.label] = worth
    nearest = set()
    for means in kinds.values():
        highest = max(means.values())
        if min(means.values()) == highest:
            # All truths are equally near, or there is one only.
            continue
        nearest |= {label for label, worth in means.items() if worth == highest}
    return nearest


def worse_than_chance(
    results: Evaluation, group: Group, metric: MetricInfo, groups: Sequence[Group]
) -> list[Reason]:
    """A remark on the truth where a reference that does not know it is better."""
    if metric.cost or metric.direction == "none" or not results.is_true(group):
        return []
    average = group.average(metric)
    if average is None:
        return []
    for rival in groups:
        is_ignorant = results.is_reference(rival) and not results.is_true(rival)
        if not is_ignorant or rival.checkpoint != group.checkpoint:
            continue
        chance = rival.average(metric)
        if chance is None:
            continue
        is_better = chance > average if metric.direction == "higher" else chance < average
        if is_better:
            text = f"worse than {rival.algorithm}, as this metric does not compare with the truth"
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
    n_repetitions = max(results.outcomes.column("repetition"), default=-1) + 1
    lines = ["1 repetition"]
    if n_repetitions > 1:
        lines = [
            f"mean ± standard deviation over {n_repetitions} repetitions, one number if all are "
            "equal"
        ]
        if any(metric.average == "median" for metric in results.metrics):
            lines.append("times: median [quartiles] of the repetitions")
    directions = "↑ more is better, ↓ less is better"
    if results.suite.ranks:
        directions += f", {best} is the best"
        kinds = {results.query_kinds.get(group.oracle, group.oracle) for group in results.groups}
        if len(kinds) > 1 and any(metric.unit == "queries" for metric in results.metrics):
            directions += " (of queries: of each kind of oracle)"
    lines.append(directions)
    lines += [note.text for note in general_notes(results)]
    return lines


def key_text(key: str, value: str | int | None) -> str:
    """The text of a column that distinguishes rows."""
    if isinstance(value, int):
        return f"{value:,}"
    return value or _WITHOUT[key]


def troubles(group: Group) -> list[Reason]:
    """The reasons why repetitions have no result, most frequent first."""
    status = group.outcomes.column("status")
    reason = group.outcomes.column("reason")
    is_failure = status != "ok"
    texts = []
    for end, why in zip(status[is_failure], reason[is_failure], strict=True):
        texts.append((f"{end}: {why}" if why else end,))
    return _counted(group, texts, "failure")


def remarks_on(results: Evaluation, group: Group) -> list[Reason]:
    """What the group knows of the truth, and the notes of its results, most frequent first."""
    remarks = []
    advantage = results.informed(group)
    if advantage:
        remarks.append(Reason(advantage, kind="truth"))
    remarks += _counted(group, group.outcomes.column("notes").tolist(), "run")
    return remarks


def _counted(group: Group, remarks: Iterable[tuple[str, ...]], kind: NoteKind) -> list[Reason]:
    """The remarks of the repetitions, with how many repetitions have them if not all."""
    # Remarks that differ in their numbers only have one cause, and are counted together.
    counts_by_cause: dict[str, Counter[str]] = {}
    for remarks_of_some, number in Counter(remarks).items():
        text_of_cause = {blanked(text): text for text in remarks_of_some}
        for cause, text in text_of_cause.items():
            counts_by_cause.setdefault(cause, Counter())[text] += number
    total = len(group.outcomes)
    reasons = []
    for counts in sorted(counts_by_cause.values(), key=Counter.total, reverse=True):
        first_text = next(iter(counts))
        n_repetitions = counts.total()
        share = "" if n_repetitions == total else f"{n_repetitions} of {total} repetitions: "
        reasons.append(Reason(first_text, share, len(counts) > 1, kind))
    return reasons


def value_entry(group: Group, metric: MetricInfo, bold: bool, notes: Notes) -> TableEntry:
    """The average of one metric with its spread, or the reason why it is missing."""
    numbers = group.array(metric.label)
    missing = group.values(metric.label).missing(group.outcomes.column("status") == "ok")
    if numbers.size:
        failures = dict.fromkeys(value.reason for value in missing if value.status == "error")
        errors = [Reason(text, kind="failure") for text in failures]
        if group.leaves_range(metric):
            errors.append(Reason(f"{why_outside(metric)}: not ranked", kind="range"))
        return TableEntry(format_numbers(numbers, metric), bold, notes.mark(errors))
    if not missing or metric.label.endswith(REPORTED):
        return TableEntry(NOTHING)
    different_reasons = dict.fromkeys(value.reason for value in missing)
    reasons = [Reason(text) for text in different_reasons if text]
    has_error = any(value.status == "error" for value in missing)
    return TableEntry("error" if has_error else "n/a", marks=notes.mark(reasons))


def noted_entry(
    results: Evaluation,
    group: Group,
    metric: MetricInfo,
    bold: bool,
    notes: Notes,
    beside: Sequence[Group],
) -> TableEntry:
    """A value with all footnotes about its cells; ``beside``: the groups on its data set."""
    remarks = troubles(group)
    remarks += remarks_on(results, group)
    remarks += worse_than_chance(results, group, metric, beside)
    marks = notes.mark(remarks)
    entry = value_entry(group, metric, bold, notes)
    # Each once, in this order.
    return replace(entry, marks=tuple(dict.fromkeys(marks + entry.marks)))


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
        blocks = list(_overview_blocks(results))
    else:
        blocks = [dataset_block(results, dataset) for dataset in results.datasets]
    blocks += _ranking_blocks(results)
    blocks += _verdict_blocks(results)
    return blocks


# ---- Many data sets ------------------------------------------------------------------------------


def _overview_blocks(results: Evaluation) -> Iterator[Block]:
    """One table per metric of quality, of all metrics if none is; none of reported numbers."""
    groups = [group for group in results.groups if group.checkpoint is None]
    variants = name_variants(groups)
    columns = list(dict.fromkeys(variants.values()))
    group_at = {(group.dataset, variants[group]): group for group in groups}
    quality = []
    for metric in results.metrics:
        if not metric.cost and not metric.label.endswith(REPORTED):
            quality.append(metric)
    for metric in quality or results.metrics:
        notes = Notes()
        rows = []
        for dataset in results.datasets:
            best = results.best_rows(dataset, metric)
            groups_of_data = [group_at.get((dataset, column)) for column in columns]
            present = [group for group in groups_of_data if group is not None]
            row = [TableEntry(dataset)]
            for group in groups_of_data:
                if group is None:
                    row.append(TableEntry(NOTHING))
                    continue
                is_best = group in best
                row.append(noted_entry(results, group, metric, is_best, notes, present))
            rows.append(tuple(row))
        yield Block(
            f"{metric.label}{ARROWS[metric.direction]}",
            ("data set", *columns),
            (False,) + (True,) * len(columns),
            tuple(rows),
            notes.texts,
            note_kinds=notes.kinds,
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
    numeric = (False,) + (True,) * (len(header) - 1)
    return [Block("average rank, 1 is best", tuple(header), numeric, tuple(rows), tuple(notes))]


def _failures_of(name: str, rankings: Sequence[Ranking]) -> str:
    """How many repetitions failed; a metric may have failed in some more of them."""
    counts = [ranking.failures[name] for ranking in rankings if name in ranking.failures]
    n_failed, total = max(counts, default=(0, 0))
    return _failures_text(n_failed, total)


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
    remarks = _by_metric(rankings, [blocks_text(ranking) for ranking in rankings])
    remarks += _by_metric(rankings, reasons)
    remarks += _by_metric(rankings, [_why_no_pairs(ranking) for ranking in rankings])
    marks = tuple(notes.setdefault(text, len(notes) + 1) for text in remarks)
    of_two = all(len(ranking.competitors) == 2 for ranking in rankings)
    name = "p, signed-rank test" if of_two else "p, Friedman"
    test_rows = [(TableEntry(name, marks=marks, faint=True), p_values)]
    if any(ranking.test == "nemenyi" for ranking in rankings):
        test_rows.append((TableEntry("critical difference", faint=True), limits))
    rows = []
    for first, texts in test_rows:
        row = [first]
        if blank:
            row.append(TableEntry(""))
        row += [TableEntry(text, faint=True) for text in texts]
        rows.append(tuple(row))
    return rows


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
    families = results.judged_families
    if not families:
        return []
    heads = [_head_of(family) for family in families]
    count = Counter(heads) if len(families) > UNGROUPED else Counter()
    groups: dict[str, list[FamilyVerdict]] = {}
    for head, family in zip(heads, families, strict=True):
        # A claim that is alone with its head stands in the table without one.
        groups.setdefault(head if count[head] > 1 else "", []).append(family)
    if len(groups) == 1:
        groups = {"": families}
    return [_verdict_block(head, families_of_head) for head, families_of_head in groups.items()]


def _head_of(family: FamilyVerdict) -> str:
    """The text before the first colon of a claim, such as "Table 2"; "" without a colon."""
    head, colon, _ = family.claim.claim.partition(": ")
    return head if colon else ""


def _verdict_block(head: str, families: Sequence[FamilyVerdict]) -> Block:
    """The table of some claims; their head, if any, is in its title."""
    notes: dict[str, int] = {}
    rows = []
    verdicts: list[Verdict] = []
    for family in families:
        verdicts += family.verdicts
        text = family.claim.claim
        if head:
            text = text.removeprefix(f"{head}: ")
        marks = tuple(notes.setdefault(note, len(notes) + 1) for note in family.notes)
        is_reproduced = set(family.counts) == {"reproduced"}
        rows.append(
            (
                TableEntry(text, marks=marks),
                TableEntry(describe_claimed(family.claim)),
                TableEntry(family.measured or NOTHING),
                TableEntry(family.verdict, is_reproduced),
            )
        )
    title = f"claims of {head}" if head else "claims"
    return Block(
        f"{title}: {count_verdicts(verdicts)}",
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
    texts = []
    for word in WORDS:
        number = count[word]
        if number == 1:
            texts.append(f"1 {word}")
        elif number:
            texts.append(f"{number} {_PLURALS.get(word, word)}")
    return ", ".join(texts)
