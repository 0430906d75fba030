"""One model of a table, from which the terminal, Markdown and LaTeX are drawn.

A block for each data set, a row for each algorithm, a column for each metric: mean and spread
over repetitions, the best in bold, failures marked with their reason below.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hcbench.outcome import BUSY
from hcbench.specs import Interval
from hcbench.statistics import mean_and_std

if TYPE_CHECKING:
    from hcbench.groups import Group
    from hcbench.layout import MetricInfo
    from hcbench.results import Results

NOTHING = "-"
_REFERENCE = "a reference, which is not ranked"
BEST_TRUTH = "the truth with which this tree agrees best"
_NUMBER = re.compile(r"0x[0-9a-f]+|[-+]?\b(?:\d[\d.,]*(?:e[-+]?\d+)?|inf\b|nan\b)", re.IGNORECASE)
ARROWS = {"higher": " ↑", "lower": " ↓", "none": ""}
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a table.

    Attributes
    ----------
    text : str
    bold : bool
        Whether it is the best of its column.
    marks : tuple of int
        Numbers of the notes that belong to it.
    faint : bool
        Whether it stands in the row of a reference line.
    """

    text: str
    bold: bool = False
    marks: tuple[int, ...] = ()
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A table.

    Attributes
    ----------
    title : str
    header : tuple of str
    numeric : tuple of bool
        Which columns hold numbers, and stand on the right.
    rows : tuple of tuple of Entry
    notes : tuple of str
        Note 1 is the first.
    names : int
        How many columns, at the left, tell rows apart; 0: those of text.
    """

    title: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()
    names: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is not there.

    Attributes
    ----------
    text : str
    share : str
        Of how many repetitions it is true, if not of all.
    alike : bool
        Whether it stands for others that differ in numbers only.
    """

    text: str
    share: str = ""
    alike: bool = False

    @property
    def cause(self) -> str:
        """What is the same where only numbers differ."""
        return self.share + _blanked(self.text)


def _blanked(text: str) -> str:
    return _NUMBER.sub("#", text)


@dataclass(slots=True)
class Notes:
    """The notes of a block: what is said twice, but for its numbers, has one number."""

    first: dict[str, Reason] = field(default_factory=dict)
    alike: set[str] = field(default_factory=set)

    def mark(self, reasons: Iterable[Reason]) -> tuple[int, ...]:
        """The numbers of some notes."""
        causes: dict[str, None] = {}
        for reason in reasons:
            causes[reason.cause] = None
            first = self.first.setdefault(reason.cause, reason)
            if reason.alike or reason.text != first.text:
                self.alike.add(reason.cause)
        places = {cause: number for number, cause in enumerate(self.first, start=1)}
        return tuple(sorted(places[cause] for cause in causes))

    @property
    def texts(self) -> tuple[str, ...]:
        """Note 1 is the first."""
        return tuple(
            f"{reason.share}{reason.text}{' (and alike)' if cause in self.alike else ''}"
            for cause, reason in self.first.items()
        )


# ---- Data sets -----------------------------------------------------------------------------------


def dataset_block(results: Results, dataset: str) -> Block:
    """The table of a data set: a row for each algorithm, reference lines last."""
    groups = [group for group in results.groups if group.dataset == dataset]
    groups.sort(key=results.is_reference)  # these last
    keys = _distinguishing(groups)
    metrics = _columns(results.metrics, groups)
    best = {metric.label: results.best_rows(dataset, metric) for metric in metrics}
    notes = Notes()
    rows = []
    for group in groups:
        reference = [Reason(_REFERENCE)] if results.is_reference(group) else []
        remarks = [*reference, *troubles(group), *remarks_on(group)]
        row = [Entry(group.algorithm, marks=notes.mark(remarks))]
        row += [Entry(key_text(key, getattr(group, key))) for key in keys]
        nearest = _nearest_truths(group, metrics)
        for metric in metrics:
            entry = value_entry(group, metric, group in best[metric.label], notes)
            marks = notes.mark([Reason(BEST_TRUTH)]) if metric.label in nearest else ()
            row.append(replace(entry, marks=(*entry.marks, *marks)))
        rows.append(tuple(replace(entry, faint=bool(reference)) for entry in row))
    header = ["algorithm", *(KEYS[key] for key in keys)]
    numeric = [False, *(key != "oracle" for key in keys)]
    return Block(
        dataset,
        (*header, *(f"{m.label}{ARROWS[m.direction]}" for m in metrics)),
        (*numeric, *(True for _ in metrics)),
        tuple(rows),
        notes.texts,
        names=len(header),
    )


def _columns(metrics: Sequence[MetricInfo], groups: Sequence[Group]) -> list[MetricInfo]:
    """The metrics without those of truths that a data set does not have, if it has others."""
    told = {m.label for m in metrics if any(group.numbers(m.label) for group in groups)}
    failed = {m.label for m in metrics if any(group.failed(m.label) for group in groups)}
    kinds = {m.kind for m in metrics if m.label in told}
    return [m for m in metrics if m.label in told | failed or m.kind not in kinds - {""}]


def _nearest_truths(group: Group, metrics: Sequence[MetricInfo]) -> set[str]:
    """Of metrics that differ in their truth alone, the labels of those with the best mean."""
    kinds: dict[str, dict[str, float]] = {}
    for metric in metrics:
        mean, _ = mean_and_std(group.numbers(metric.label))
        if metric.kind and metric.direction != "none" and mean is not None:
            worth = mean if metric.direction == "higher" else -mean
            kinds.setdefault(metric.kind, {})[metric.label] = worth
    return {
        label
        for means in kinds.values()
        for label, worth in means.items()
        if min(means.values()) < worth == max(means.values())
    }


KEYS = {"oracle": "oracle", "budget": "budget", "checkpoint": "after queries"}
_WITHOUT = {"oracle": NOTHING, "budget": "none", "checkpoint": "end"}


def _distinguishing(groups: Sequence[Group]) -> list[str]:
    """What tells rows apart beside the algorithm, and an oracle that is not the plain one."""
    ran = [group for group in groups if group.oracle]
    found = [key for key in KEYS if len({getattr(group, key) for group in ran}) > 1]
    if "oracle" not in found and any("[" in group.oracle for group in ran):
        found.insert(0, "oracle")
    return found


def describe_numbers(results: Results, best: str) -> list[str]:
    """The legend of the tables.

    Parameters
    ----------
    results : Results
    best : str
        How the best value is marked.
    """
    count = max((o.repetition + 1 for o in results.outcomes), default=0)
    return [
        f"mean ± standard deviation over {count} repetitions" if count > 1 else "1 repetition",
        f"↑ more is better, ↓ less is better, {best} is the best",
        *_warn_of_load(results),
    ]


def _warn_of_load(results: Results) -> list[str]:
    """That times are shown which other processes have had a share in."""
    if not any(metric.unit == "s" for metric in results.metrics):
        return []
    loads = [o.load for o in results.outcomes if o.load is not None]
    busy = [load for load in loads if load > BUSY]
    if not busy:
        return []
    return [
        f"{len(busy):,} of {len(loads):,} cells were timed on a busy machine, with up to "
        f"{max(busy):.1f} processes a core: their seconds are too long (--exclusive --fresh times "
        "again, one at a time)"
    ]


def key_text(key: str, value: str | int | None) -> str:
    """What tells a row apart, as it is written."""
    if isinstance(value, int):
        return f"{value:,}"
    return value or _WITHOUT[key]


def troubles(group: Group) -> list[Reason]:
    """Why repetitions have no result, most frequent first."""
    return _counted(
        group,
        [
            [f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status]
            for outcome in group.outcomes
            if outcome.status != "ok"
        ],
    )


def remarks_on(group: Group) -> list[Reason]:
    """What was noted of the results, most frequent first."""
    return _counted(group, [outcome.notes for outcome in group.outcomes])


def _counted(group: Group, said: Iterable[Sequence[str]]) -> list[Reason]:
    """What the repetitions of a group say, and how many of them, if not all, say it."""
    texts: dict[str, list[str]] = {}
    for of_one in said:
        for cause, text in {_blanked(text): text for text in of_one}.items():
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
    """Mean and spread of one metric, or why there is none."""
    values = group.values(metric.label)
    numbers = [value.value for value in values if value.value is not None]
    judged = zip(group.outcomes, values, strict=True)
    lacking = [v for outcome, v in judged if outcome.status == "ok" and v.value is None]
    reasons = [Reason(v.reason) for v in lacking if v.reason]
    if numbers:
        errors = [Reason(v.reason) for v in lacking if v.status == "error"]
        text = format_spread(*mean_and_std(numbers), metric.unit, metric.interval)
        return Entry(text, bold, notes.mark(errors))
    if not lacking:
        return Entry(NOTHING)
    text = "error" if any(v.status == "error" for v in lacking) else "n/a"
    return Entry(text, marks=notes.mark(reasons))


# ---- Numbers -------------------------------------------------------------------------------------


def format_spread(
    mean: float | None, std: float | None, unit: str = "", interval: str = "(-inf, inf)"
) -> str:
    """``mean ± std`` in a fitting form.

    Parameters
    ----------
    mean, std : float or None
        Without a standard deviation the mean stands alone.
    unit : str
        "s", "bytes" and "questions" have forms of their own; another is written behind.
    interval : str
        The values it can take: one within [-1, 1] has always three decimals.
    """
    if mean is None:
        return NOTHING
    if not math.isfinite(mean):
        return str(mean)
    if unit == "s":
        return _scaled(mean, std, _SECONDS, digits=3)
    if unit == "bytes":
        return _scaled(mean, std, _BYTES, digits=2)
    if unit == "questions":
        return joined(mean, std, ",.0f", "")
    return joined(mean, std, _plain_form(mean, std, Interval(interval)), unit)


def _plain_form(mean: float, std: float | None, interval: Interval) -> str:
    if interval.low >= -1 and interval.high <= 1:
        return ".3f"
    size = max(abs(mean), std or 0.0)
    if size >= 1e7 or 0 < size < 1e-3:
        return ".3g"
    if size >= 1e4:
        return ",.0f"
    return ".3f" if size < 100 else ".1f"


def _scaled(
    mean: float, std: float | None, scales: Sequence[tuple[float, str]], digits: int
) -> str:
    """With the largest unit in which the mean is at least 1, and so many significant digits."""
    scale, name = next(((s, u) for s, u in scales if abs(mean) >= s), scales[-1])
    scaled = mean / scale
    whole_digits = math.floor(math.log10(abs(scaled))) + 1 if scaled else 1
    decimals = max(0, digits - max(whole_digits, 1)) if name != "B" else 0
    return joined(scaled, None if std is None else std / scale, f",.{decimals}f", name)


def joined(mean: float, std: float | None, form: str, unit: str) -> str:
    """A number with its spread, if it has one, and its unit, if it has one."""
    text = format(mean, form)
    if not text.strip("-0.,"):
        text = text.removeprefix("-")
    if std is not None:
        text += f" ± {format(std, form) if std else '0'}"
    return f"{text} {unit}" if unit else text
