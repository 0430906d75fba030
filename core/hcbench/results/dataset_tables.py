"""The table of a data set: a row per algorithm, with footnotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hcbench.analysis.blocks import why_outside
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
)
from hcbench.plan.outcome import REPORTED

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.notes import NoteKind
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.evaluation import Evaluation

#: The footnote of a reference.
_REFERENCE = "a reference, which is not ranked"


def dataset_block(results: Evaluation, dataset: str) -> Block:
    """The table of a data set: one row per algorithm, reference lines last."""
    groups = []
    counts_failures = False
    for group in results.groups:
        if group.dataset == dataset:
            groups.append(group)
            counts_failures = counts_failures or group.has_failures
    # References are last; the sort is stable, so the others keep the order asked for.
    groups.sort(key=results.is_reference)
    keys = _distinguishing(groups)
    metrics = _columns(results.metrics, dataset, groups)
    best = {metric.label: results.best_rows(dataset, metric) for metric in metrics}
    # Footnotes are numbered in the order in which they are first used: row by row.
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
            row = _faint(row)
        rows.append(tuple(row))
    header, numeric = _header_of(dataset, keys, metrics, counts_failures=counts_failures)
    return Block(
        dataset,
        header,
        numeric,
        tuple(rows),
        notes.texts,
        names=1 + len(keys),
        note_kinds=notes.kinds,
    )


def _faint(row: Iterable[TableEntry]) -> list[TableEntry]:
    """The entries of a row that is no competitor."""
    return [replace(entry, faint=True) for entry in row]


def _header_of(
    dataset: str, keys: Sequence[str], metrics: Sequence[MetricInfo], *, counts_failures: bool
) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """The names of the columns of a data set's table, and which of them are numbers."""
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
    return tuple(header), tuple(numeric)


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
    # An inapplicable combination was not tried, so that it did not fail.
    if not group.ran:
        return NOTHING
    return failures_text(int(group.outcomes.failed.sum()), len(group.outcomes))


def failures_text(n_failed: int, total: int) -> str:
    """How many of all repetitions failed, in a table."""
    if not n_failed:
        return "0"
    return f"{n_failed} of {total}"


def _columns(
    metrics: Iterable[MetricInfo], dataset: str, groups: Sequence[Group]
) -> list[MetricInfo]:
    """The metrics of a data set, without those of missing truths if it has others.

    Nor with numbers that no algorithm reported on this data set.
    """
    judging = []
    measured = set()
    failed = set()
    kinds_measured = set()
    for metric in metrics:
        if not metric.judges(dataset):
            continue
        judging.append(metric)
        for group in groups:
            if group.array(metric.label).size:
                measured.add(metric.label)
                kinds_measured.add(metric.kind)
            if group.failed(metric.label):
                failed.add(metric.label)
    # Metrics of no kind have no truth that others could have instead.
    kinds_measured.discard("")
    columns = []
    for metric in judging:
        if metric.label in measured:
            columns.append(metric)
        elif metric.label.endswith(REPORTED):
            continue
        elif metric.label in failed or metric.kind not in kinds_measured:
            # An empty column says why there is no value.
            columns.append(metric)
    return columns


def _nearest_truths(group: Group, metrics: Sequence[MetricInfo]) -> set[str]:
    """Among metrics that differ only in their truth, the labels of those with the best mean."""
    kinds: dict[str, dict[str, float]] = {}
    for metric in metrics:
        average = group.average(metric)
        if metric.kind and metric.direction != "none" and average is not None:
            # The highest worth is the best, whatever the direction.
            worth = average
            if metric.direction == "lower":
                worth = -average
            kinds.setdefault(metric.kind, {})[metric.label] = worth
    nearest = set()
    for means in kinds.values():
        highest = max(means.values())
        if min(means.values()) == highest:
            # All truths are equally near, or there is one only.
            continue
        for label, worth in means.items():
            if worth == highest:
                nearest.add(label)
    return nearest


def worse_than_chance(
    results: Evaluation, group: Group, metric: MetricInfo, groups: Sequence[Group]
) -> list[Reason]:
    """A remark on the truth where a reference that does not know it is better."""
    # Costs are not compared with the truth anyway.
    if metric.cost or metric.direction == "none" or not results.is_true(group):
        return []
    average = group.average(metric)
    if average is None:
        return []
    for rival in groups:
        # Such as a random tree, whose value is that of chance.
        is_ignorant = results.is_reference(rival) and not results.is_true(rival)
        if not is_ignorant or rival.checkpoint != group.checkpoint:
            continue
        chance = rival.average(metric)
        if chance is None:
            continue
        margin = chance - average
        if metric.direction == "lower":
            margin = -margin
        if margin > 0:
            text = f"worse than {rival.algorithm}, as this metric does not compare with the truth"
            return [Reason(text, kind="chance")]
    return []


#: What may distinguish rows of one algorithm, with the name of the column; and its entry in rows
#: that have none.
KEYS = {"oracle": "oracle", "budget": "budget", "checkpoint": "after queries"}
_WITHOUT = {"oracle": NOTHING, "budget": "none", "checkpoint": "end"}


def _distinguishing(groups: Sequence[Group]) -> list[str]:
    """Columns that distinguish rows of an algorithm, and the oracle if it has parameters."""
    # Combinations without an oracle did not run, and have no budget either.
    groups_with_oracle = []
    shows_parameters = False
    for group in groups:
        if group.oracle:
            groups_with_oracle.append(group)
            # Parameters of an oracle, such as its noise, are never a matter of course.
            shows_parameters = shows_parameters or "[" in group.oracle

    keys = []
    for key in KEYS:
        values = {getattr(group, key) for group in groups_with_oracle}
        if len(values) > 1:
            keys.append(key)
    if shows_parameters and "oracle" not in keys:
        keys.insert(0, "oracle")
    return keys


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
        text = end
        if why:
            text = f"{end}: {why}"
        texts.append((text,))
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
        # A repetition counts once for a cause, however many of its remarks have it.
        text_of_cause = {blanked(text): text for text in remarks_of_some}
        for cause, text in text_of_cause.items():
            counts_by_cause.setdefault(cause, Counter())[text] += number
    total = len(group.outcomes)
    reasons = []
    # The most frequent cause is first.
    for counts in sorted(counts_by_cause.values(), key=Counter.total, reverse=True):
        first_text = next(iter(counts))
        n_repetitions = counts.total()
        share = ""
        if n_repetitions < total:
            share = f"{n_repetitions} of {total} repetitions: "
        reasons.append(Reason(first_text, share, len(counts) > 1, kind))
    return reasons


def value_entry(group: Group, metric: MetricInfo, bold: bool, notes: Notes) -> TableEntry:
    """The average of one metric with its spread, or the reason why it is missing."""
    numbers = group.array(metric.label)
    missing = group.values(metric.label).missing(group.outcomes.column("status") == "ok")
    # Each reason once, in the order of the repetitions; the metric raised in some of them.
    reasons: dict[str, None] = {}
    reasons_of_errors: dict[str, None] = {}
    for value in missing:
        reasons[value.reason] = None
        if value.status == "error":
            reasons_of_errors[value.reason] = None

    if numbers.size:
        # Some repetitions have a value: a footnote tells why others have none.
        errors = [Reason(text, kind="failure") for text in reasons_of_errors]
        if group.leaves_range(metric):
            errors.append(Reason(f"{why_outside(metric)}: not ranked", kind="range"))
        return TableEntry(format_numbers(numbers, metric), bold, notes.mark(errors))
    if not missing or metric.label.endswith(REPORTED):
        # No call came so far, or its algorithm reported no such number: nothing needs a reason.
        return TableEntry(NOTHING)
    reasons.pop("", None)
    text = "n/a"
    if reasons_of_errors:
        text = "error"
    return TableEntry(text, marks=notes.mark(list(map(Reason, reasons))))


def noted_entry(
    results: Evaluation,
    group: Group,
    metric: MetricInfo,
    bold: bool,
    notes: Notes,
    groups_of_data: Sequence[Group],
) -> TableEntry:
    """A value with all footnotes about its cells, among all groups on its data set."""
    remarks = troubles(group)
    remarks += remarks_on(results, group)
    remarks += worse_than_chance(results, group, metric, groups_of_data)
    marks = notes.mark(remarks)
    entry = value_entry(group, metric, bold, notes)
    # Each once, in this order.
    return replace(entry, marks=tuple(dict.fromkeys(marks + entry.marks)))
