"""The leaderboard: one row per algorithm, one column per data set, and the average ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.axes import labels_of
from hcbench.analysis.groups import name_variants
from hcbench.analysis.overviews import noted_entry
from hcbench.analysis.tables import ARROWS, NOTHING, Notes
from hcbench.registry.specs import Interval

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo

FAMILY = 4  # this many parameter variants of an algorithm are shown as one family


@dataclass(frozen=True, slots=True)
class Score:
    """An entry of a leaderboard.

    Attributes
    ----------
    text : str
    value : float or None
        The average, by which rows are sorted; None if it is not finite.
    heat : float or None
        Shade from 0, bad, to 1, good.
    best : bool
    marks : tuple of int
        Numbers of its footnotes.
    """

    text: str
    value: float | None = None
    heat: float | None = None
    best: bool = False
    marks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderRow:
    """A row of a leaderboard.

    Attributes
    ----------
    name : str
        The algorithm, with its oracle or budget if it has several.
    algorithm : str
        Its label.
    family : str
        The algorithm without parameters, if it has `FAMILY` or more variants; else "".
    reference : bool
        Whether it is a reference, which is not ranked.
    rank : float or None
        The average rank; None if it is not ranked.
    scores : tuple of Score
        One for each column.
    """

    name: str
    algorithm: str
    family: str
    reference: bool
    rank: float | None
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """Algorithms against data sets; or against metrics, if there is one data set.

    Attributes
    ----------
    title : str
    ranked : bool
        Whether there are average ranks.
    columns : tuple of (str, str)
        The title of each column, and which of its values are better.
    rows : tuple of LeaderRow
        The best average rank first, references last.
    notes : tuple of str
        Footnotes, from number 1.
    """

    title: str
    ranked: bool
    columns: tuple[tuple[str, str], ...]
    rows: tuple[LeaderRow, ...]
    notes: tuple[str, ...]


def make_leaderboard(results: Results, metric: MetricInfo) -> Leaderboard:
    """The averages of a metric on each data set at the ends of calls, with average ranks."""
    columns = [(d, d, metric) for d in _datasets(results) if metric.judges(d)]
    ranking = next((r for r in results.rankings if r.metric == metric), None)
    ranks = (
        dict(zip(ranking.competitors, ranking.ranks, strict=True))
        if ranking is not None and ranking.unit == "data set"
        else {}
    )
    return _make(results, metric.label + ARROWS[metric.direction], columns, ranks)


def make_scoreboard(results: Results) -> Leaderboard:
    """The averages of all metrics on the only data set."""
    dataset = _datasets(results)[0]
    metrics = [metric for metric in results.metrics if metric.judges(dataset)]
    columns = [(m.head(dataset) + ARROWS[m.direction], dataset, m) for m in metrics]
    return _make(results, dataset, columns, {})


def _datasets(results: Results) -> list[str]:
    ran = {group.dataset for group in _groups(results)}
    return [dataset for dataset in results.datasets if dataset in ran]


def _groups(results: Results) -> list[Group]:
    """The groups at the ends of calls that were run."""
    return [
        group
        for group in results.groups
        if group.checkpoint is None and any(o.status != "skipped" for o in group.outcomes)
    ]


def _make(
    results: Results,
    title: str,
    columns: Sequence[tuple[str, str, MetricInfo]],
    ranks: dict[str, float],
) -> Leaderboard:
    groups = _groups(results)
    names = name_variants(groups)
    members: dict[str, dict[str, Group]] = {}
    for group in groups:
        members.setdefault(names[group], {})[group.dataset] = group
    notes = Notes()
    scores = [
        _column(results, notes, [of.get(dataset) for of in members.values()], dataset, metric)
        for _, dataset, metric in columns
    ]
    labels = labels_of(results, "algorithm", results.algorithms)
    bases = {name: labels[next(iter(of.values())).algorithm].base for name, of in members.items()}
    variants = list(bases.values())
    rows = [
        LeaderRow(
            name=name,
            algorithm=next(iter(of.values())).algorithm,
            family=bases[name] if variants.count(bases[name]) >= FAMILY else "",
            reference=results.is_reference(next(iter(of.values()))),
            rank=ranks.get(name),
            scores=tuple(column[place] for column in scores),
        )
        for place, (name, of) in enumerate(members.items())
    ]
    rows.sort(key=lambda row: (row.reference, math.inf if row.rank is None else row.rank))
    return Leaderboard(
        title=title,
        ranked=bool(ranks),
        columns=tuple((text, metric.direction) for text, _, metric in columns),
        rows=tuple(rows),
        notes=notes.texts,
    )


def _column(
    results: Results, notes: Notes, groups: Sequence[Group | None], dataset: str, metric: MetricInfo
) -> list[Score]:
    best = results.best_rows(dataset, metric)
    present = [group for group in groups if group is not None]
    averages = [None if group is None else group.average(metric) for group in groups]
    known = [x for x in averages if x is not None and math.isfinite(x)]
    scores = []
    for group, average in zip(groups, averages, strict=True):
        if group is None:
            scores.append(Score(NOTHING))
            continue
        entry = noted_entry(results, group, metric, group in best, notes, present)
        value = average if average in known else None
        outside = group.leaves_range(metric)
        heat = None if value is None or outside else _heat(value, known, metric)
        scores.append(Score(entry.text, value, heat, entry.bold, entry.marks))
    return scores


def _heat(value: float, column: Sequence[float], metric: MetricInfo) -> float | None:
    """The shade: absolute for metrics within [-1, 1]; else by the ratio to the best.

    The scale of ratios goes to the worst of the column, and to a factor of two at least, so that
    nearly equal values have nearly equal shades.
    """
    if metric.direction == "none":
        return None
    interval = Interval(metric.interval)
    higher = metric.direction == "higher"
    if interval.low >= -1 and interval.high <= 1:
        low = max(interval.low, 0.0)
        share = min(max((value - low) / (interval.high - low), 0.0), 1.0)
        return round(share if higher else 1.0 - share, 2)
    if min(column) > 0:
        best, worst, here = (math.log(x) for x in (max(column), min(column), value))
        scale = max(best - worst, math.log(2.0))
    else:
        best, worst, here = max(column), min(column), value
        scale = best - worst or 1.0
    return round(1.0 - abs(here - (best if higher else worst)) / scale, 2)
