"""The table of a data set: one row per algorithm, one column per metric.

Averages over repetitions with their spread; the best is bold, and footnotes explain failures and
what else has to be known to read the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hcbench.analysis.tables.model import (
    ARROWS,
    BEST_TRUTH,
    NOTHING,
    Block,
    Entry,
    Notes,
    Reason,
    blanked,
)
from hcbench.analysis.tables.numbers import format_numbers
from hcbench.analysis.views.blocks import why_outside
from hcbench.plan.outcome import BUSY

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo

_REFERENCE = "a reference, which is not ranked"


def dataset_block(results: Results, dataset: str) -> Block:
    """The table of a data set: one row per algorithm, reference lines last."""
    groups = [group for group in results.groups if group.dataset == dataset]
    groups.sort(key=results.is_reference)  # reference lines last
    keys = _distinguishing(groups)
    metrics = _columns([m for m in results.metrics if m.judges(dataset)], groups)
    best = {metric.label: results.best_rows(dataset, metric) for metric in metrics}
    notes = Notes()
    rows = []
    for group in groups:
        reference = [Reason(_REFERENCE)] if results.is_reference(group) else []
        remarks = [*reference, *troubles(group), *remarks_on(results, group)]
        row = [Entry(group.algorithm, marks=notes.mark(remarks))]
        row += [Entry(key_text(key, getattr(group, key))) for key in keys]
        nearest = _nearest_truths(group, metrics)
        for metric in metrics:
            entry = value_entry(group, metric, group in best[metric.label], notes)
            remarks = [Reason(BEST_TRUTH)] if metric.label in nearest else []
            remarks += worse_than_chance(results, group, metric, groups)
            row.append(replace(entry, marks=(*entry.marks, *notes.mark(remarks))))
        rows.append(tuple(replace(entry, faint=bool(reference)) for entry in row))
    header = ["algorithm", *(KEYS[key] for key in keys)]
    numeric = [False, *(key != "oracle" for key in keys)]
    return Block(
        dataset,
        (*header, *(f"{m.head(dataset)}{ARROWS[m.direction]}" for m in metrics)),
        (*numeric, *(True for _ in metrics)),
        tuple(rows),
        notes.texts,
        names=len(header),
    )


def _columns(metrics: Sequence[MetricInfo], groups: Sequence[Group]) -> list[MetricInfo]:
    """The metrics, without those of missing truths if the data set has others."""
    measured = {m.label for m in metrics if any(group.numbers(m.label) for group in groups)}
    failed = {m.label for m in metrics if any(group.failed(m.label) for group in groups)}
    kinds = {m.kind for m in metrics if m.label in measured}
    return [m for m in metrics if m.label in measured | failed or m.kind not in kinds - {""}]


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
    results: Results, group: Group, metric: MetricInfo, groups: Sequence[Group]
) -> list[Reason]:
    """A remark on the truth where a reference that does not know it is better."""
    if metric.cost or metric.direction == "none" or not results.is_true(group):
        return []
    average = group.average(metric)
    for other in groups:
        chance = other.average(metric)
        if (
            results.is_reference(other)
            and not results.is_true(other)
            and other.checkpoint == group.checkpoint
            and average is not None
            and chance is not None
            and (chance > average if metric.direction == "higher" else chance < average)
        ):
            name = other.algorithm
            return [Reason(f"worse than {name}, as this metric does not compare with the truth")]
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


def describe_numbers(results: Results, best: str) -> list[str]:
    """The legend of the tables.

    Parameters
    ----------
    results : Results
    best : str
        Description of the mark of the best value.
    """
    count = max((o.repetition + 1 for o in results.outcomes), default=0)
    over = ["1 repetition"]
    if count > 1:
        over = [f"mean ± standard deviation over {count} repetitions, one number if all are equal"]
    if count > 1 and any(metric.average == "median" for metric in results.metrics):
        over.append("times: median [quartiles] of the repetitions")
    several = len({results.query_kinds.get(g.oracle, g.oracle) for g in results.groups}) > 1
    asked = several and any(metric.unit == "questions" for metric in results.metrics)
    apart = " (of queries: of each kind of oracle)" if asked else ""
    tests = results.inference.reason if results.rankings else ""
    return [
        *over,
        f"↑ more is better, ↓ less is better, {best} is the best{apart}",
        *([f"no test of differences between algorithms: {tests}"] if tests else []),
        *_warn_of_load(results),
    ]


def _warn_of_load(results: Results) -> list[str]:
    """A warning if cells were timed while other processes used the machine."""
    if not any(metric.unit == "s" for metric in results.metrics):
        return []
    loads = [o.load for o in results.outcomes if o.load is not None]
    busy = [load for load in loads if load > BUSY]
    if not busy:
        return []
    return [
        f"{len(busy):,} of {len(loads):,} cells were timed on a busy machine, with up to "
        f"{max(busy):.1f} processes per core, so their seconds are too long (--exclusive --fresh "
        "times them again, one at a time)"
    ]


def key_text(key: str, value: str | int | None) -> str:
    """The text of a column that distinguishes rows."""
    if isinstance(value, int):
        return f"{value:,}"
    return value or _WITHOUT[key]


def troubles(group: Group) -> list[Reason]:
    """The reasons why repetitions have no result, most frequent first."""
    return _counted(
        group,
        [
            [f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status]
            for outcome in group.outcomes
            if outcome.status != "ok"
        ],
    )


def remarks_on(results: Results, group: Group) -> list[Reason]:
    """What the group knows of the truth, and the notes of its results, most frequent first."""
    told = results.informed(group)
    notes = _counted(group, [outcome.notes for outcome in group.outcomes])
    return [Reason(told), *notes] if told else notes


def _counted(group: Group, remarks: Iterable[Sequence[str]]) -> list[Reason]:
    """The remarks of the repetitions, with how many repetitions have them if not all."""
    texts: dict[str, list[str]] = {}
    for of_one in remarks:
        for cause, text in {blanked(text): text for text in of_one}.items():
            texts.setdefault(cause, []).append(text)
    total = len(group.outcomes)
    return [
        Reason(
            alike[0],
            "" if len(alike) == total else f"{len(alike)} of {total} repetitions: ",
            len(set(alike)) > 1,
        )
        for alike in sorted(texts.values(), key=len, reverse=True)
    ]


def value_entry(group: Group, metric: MetricInfo, bold: bool, notes: Notes) -> Entry:
    """The average of one metric with its spread, or the reason why it is missing."""
    values = group.values(metric.label)
    numbers = [value.value for value in values if value.value is not None]
    judged = zip(group.outcomes, values, strict=True)
    missing = [v for outcome, v in judged if outcome.status == "ok" and v.value is None]
    reasons = [Reason(v.reason) for v in missing if v.reason]
    if numbers:
        errors = [Reason(v.reason) for v in missing if v.status == "error"]
        if group.leaves_range(metric):
            errors.append(Reason(f"{why_outside(metric)}: not ranked"))
        return Entry(format_numbers(numbers, metric), bold, notes.mark(errors))
    if not missing:
        return Entry(NOTHING)
    text = "error" if any(v.status == "error" for v in missing) else "n/a"
    return Entry(text, marks=notes.mark(reasons))


def noted_entry(
    results: Results,
    group: Group,
    metric: MetricInfo,
    bold: bool,
    notes: Notes,
    beside: Sequence[Group],
) -> Entry:
    """A value with all footnotes about its cells; ``beside``: the groups on its data set."""
    remarks = [*troubles(group), *remarks_on(results, group)]
    marks = notes.mark([*remarks, *worse_than_chance(results, group, metric, beside)])
    entry = value_entry(group, metric, bold, notes)
    return replace(entry, marks=tuple(dict.fromkeys([*marks, *entry.marks])))
