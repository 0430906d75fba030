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

from hcbench.specs import Interval
from hcbench.statistics import mean_and_std

if TYPE_CHECKING:
    from hcbench.groups import Group
    from hcbench.layout import MetricInfo
    from hcbench.results import Results

NOTHING = "-"
_REFERENCE = "a reference, which is not ranked"
_NUMBER = re.compile(r"0x[0-9a-f]+|[-+]?\b(?:\d[\d.,]*(?:e[-+]?\d+)?|inf\b|nan\b)", re.IGNORECASE)
_ARROWS = {"higher": "↑", "lower": "↓"}
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
    """

    title: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reason:
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
class _Notes:
    """The notes of a block: what is said twice, but for its numbers, has one number."""

    first: dict[str, _Reason] = field(default_factory=dict)
    alike: set[str] = field(default_factory=set)

    def mark(self, reasons: Iterable[_Reason]) -> tuple[int, ...]:
        """The numbers of some notes."""
        causes: dict[str, None] = {}
        for reason in reasons:
            causes[reason.cause] = None
            first = self.first.setdefault(reason.cause, reason)
            if reason.alike or reason.text != first.text:
                self.alike.add(reason.cause)
        places = {cause: number for number, cause in enumerate(self.first, start=1)}
        return tuple(places[cause] for cause in causes)

    @property
    def texts(self) -> tuple[str, ...]:
        """Note 1 is the first."""
        return tuple(
            f"{reason.share}{reason.text}{' (and alike)' if cause in self.alike else ''}"
            for cause, reason in self.first.items()
        )


def make_tables(results: Results) -> list[Block]:
    """All that there is to show: a block for each data set, average ranks, verdicts."""
    blocks = [_dataset_block(results, dataset) for dataset in results.datasets]
    return [*blocks, *_ranking_blocks(results), *_verdict_blocks(results)]


# ---- Data sets -----------------------------------------------------------------------------------


def _dataset_block(results: Results, dataset: str) -> Block:
    groups = [group for group in results.groups if group.dataset == dataset]
    groups.sort(key=results.is_reference)  # these last
    keys = _distinguishing(groups)
    best = {metric.label: results.best_rows(dataset, metric) for metric in results.metrics}
    notes = _Notes()
    rows = []
    for group in groups:
        reference = [_Reason(_REFERENCE)] if results.is_reference(group) else []
        row = [Entry(group.algorithm, marks=notes.mark([*reference, *_troubles(group)]))]
        row += [Entry(_key_text(key, getattr(group, key))) for key in keys]
        row += [
            _value_entry(group, metric, group in best[metric.label], notes)
            for metric in results.metrics
        ]
        rows.append(tuple(replace(entry, faint=bool(reference)) for entry in row))
    header = ["algorithm", *(_KEYS[key] for key in keys)]
    numeric = [False, *(key != "oracle" for key in keys)]
    return Block(
        dataset,
        (*header, *(f"{m.label} {_ARROWS[m.direction]}" for m in results.metrics)),
        (*numeric, *(True for _ in results.metrics)),
        tuple(rows),
        notes.texts,
    )


_KEYS = {"oracle": "oracle", "budget": "budget", "checkpoint": "after queries"}
_WITHOUT = {"oracle": NOTHING, "budget": "none", "checkpoint": "end"}


def _distinguishing(groups: Sequence[Group]) -> list[str]:
    """What tells rows apart beside the algorithm, and an oracle that is not the plain one."""
    ran = [group for group in groups if group.oracle]
    found = [key for key in _KEYS if len({getattr(group, key) for group in ran}) > 1]
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
    ]


def _key_text(key: str, value: str | int | None) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return value or _WITHOUT[key]


def _troubles(group: Group) -> list[_Reason]:
    """Why repetitions have no result, most frequent first."""
    texts: dict[str, list[str]] = {}
    for outcome in group.outcomes:
        if outcome.status != "ok":
            text = f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status
            texts.setdefault(_blanked(text), []).append(text)
    total = len(group.outcomes)
    return [
        _Reason(
            alike[0],
            "" if len(alike) == total else f"{len(alike)} of {total} repetitions: ",
            len(set(alike)) > 1,
        )
        for alike in sorted(texts.values(), key=len, reverse=True)
    ]


def _value_entry(group: Group, metric: MetricInfo, bold: bool, notes: _Notes) -> Entry:
    """Mean and spread of one metric, or why there is none."""
    values = group.values(metric.label)
    numbers = [value.value for value in values if value.value is not None]
    judged = zip(group.outcomes, values, strict=True)
    lacking = [v for outcome, v in judged if outcome.status == "ok" and v.value is None]
    reasons = [_Reason(v.reason) for v in lacking if v.reason]
    if numbers:
        errors = [_Reason(v.reason) for v in lacking if v.status == "error"]
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
        return _joined(mean, std, ",.0f", "")
    return _joined(mean, std, _plain_form(mean, std, Interval(interval)), unit)


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
    return _joined(scaled, None if std is None else std / scale, f",.{decimals}f", name)


def _joined(mean: float, std: float | None, form: str, unit: str) -> str:
    text = format(mean, form)
    if not text.strip("-0.,"):
        text = text.removeprefix("-")
    if std is not None:
        text += f" ± {format(std, form) if std else '0'}"
    return f"{text} {unit}" if unit else text


# ---- Ranks and verdicts --------------------------------------------------------------------------


def _ranking_blocks(results: Results) -> list[Block]:
    """Average ranks, if they say more than one block of a data set does."""
    ranking = results.ranking
    if len(results.datasets) < 2 or not ranking:
        return []
    metrics = list(dict.fromkeys(row["metric"] for row in ranking))
    names = list(dict.fromkeys(row["algorithm"] for row in ranking))
    rank = {(row["algorithm"], row["metric"]): row["average_rank"] for row in ranking}
    best = {metric: min(rank[name, metric] for name in names) for metric in metrics}
    blocks = {row["metric"]: row["blocks"] for row in ranking}
    rows = tuple(
        (
            Entry(name),
            *(Entry(f"{rank[name, m]:.2f}", rank[name, m] == best[m]) for m in metrics),
        )
        for name in names
    )
    counted = ", ".join(f"{metric}: {count}" for metric, count in blocks.items())
    note = f"over data sets and repetitions that all could do, a failure is last ({counted})"
    header = ("algorithm", *metrics)
    numeric = (False, *(True for _ in metrics))
    return [Block("average rank, 1 is best", header, numeric, rows, (note,))]


def _verdict_blocks(results: Results) -> list[Block]:
    verdicts = results.verdicts
    if not verdicts:
        return []
    rows = tuple(
        (
            Entry(row["claim"]),
            Entry(row["printed"]),
            Entry(
                NOTHING
                if row["measured"] is None
                else _joined(row["measured"], row["standard_error"], ".4g", "")
            ),
            Entry(row["verdict"], row["verdict"] == "reproduced"),
            Entry(row["note"]),
        )
        for row in verdicts
    )
    header = ("claim", "paper", "measured ± s.e.", "verdict", "note")
    return [Block("claims", header, (False, True, True, False, False), rows)]
