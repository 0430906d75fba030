"""Leaderboards: the averages of all algorithms, best first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hcbench.analysis.axes import labels_of
from hcbench.analysis.groups import name_variants
from hcbench.analysis.tables import ARROWS, NOTHING, Notes, TableEntry
from hcbench.registry.specs import Interval
from hcbench.results.dataset_tables import noted_entry

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.results import Results

FAMILY = 4  # this many parameter variants of an algorithm are shown as one family


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderRow:
    """A row of a leaderboard.

    Attributes
    ----------
    name : str
        The algorithm, with its oracle or budget if it has several.
    family : str
        The algorithm without parameters, if it has `FAMILY` or more variants; else "".
    reference : bool
        Whether it is a reference, which is not ranked.
    rank : float or None
        The average rank; None if it is not ranked.
    scores : tuple of TableEntry
        One for each column.
    """

    name: str
    family: str
    reference: bool
    rank: float | None
    scores: tuple[TableEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """Algorithms against data sets; or against metrics, if there is one data set.

    Attributes
    ----------
    ranked : bool
        Whether there are average ranks.
    columns : tuple of (str, str)
        The title of each column, and which of its values are better.
    rows : tuple of LeaderRow
        The best average rank first, references last.
    notes : tuple of str
        Footnotes, from number 1.
    """

    ranked: bool
    columns: tuple[tuple[str, str], ...]
    rows: tuple[LeaderRow, ...]
    notes: tuple[str, ...]


def make_leaderboard(results: Results, metric: MetricInfo) -> Leaderboard:
    """The averages of a metric on each data set at the ends of calls, with average ranks."""
    ranking = next((r for r in results.rankings if r.metric == metric), None)
    ranks = {}
    if ranking is not None and (ranking.unit != "repetition" or ranking.inference.has_variants):
        ranks = dict(zip(ranking.competitors, ranking.ranks, strict=True))
    ran = {group.dataset for group in results.run_groups if group.checkpoint is None}
    columns = [(d, d, metric) for d in results.datasets if d in ran and metric.judges(d)]
    return _make_leaderboard(results, columns, ranks)


def make_scoreboard(results: Results) -> Leaderboard:
    """The averages of all metrics on the only data set."""
    dataset = results.run_groups[0].dataset
    metrics = [metric for metric in results.metrics if metric.judges(dataset)]
    columns = [(m.head(dataset) + ARROWS[m.direction], dataset, m) for m in metrics]
    return _make_leaderboard(results, columns, {})


def _make_leaderboard(
    results: Results, columns: Sequence[tuple[str, str, MetricInfo]], ranks: Mapping[str, float]
) -> Leaderboard:
    groups = [group for group in results.run_groups if group.checkpoint is None]
    names = name_variants(groups)
    members: dict[str, dict[str, Group]] = {}
    for group in groups:
        members.setdefault(names[group], {})[group.dataset] = group
    notes = Notes()
    scores = [
        _leader_column(
            results, notes, [of.get(dataset) for of in members.values()], dataset, metric
        )
        for _, dataset, metric in columns
    ]
    labels = labels_of(results, "algorithm", results.algorithms)
    firsts = {name: next(iter(of.values())) for name, of in members.items()}
    bases = [labels[group.algorithm].base for group in firsts.values()]
    rows = [
        LeaderRow(
            name=name,
            family=base if bases.count(base) >= FAMILY else "",
            reference=results.is_reference(group),
            rank=ranks.get(name),
            scores=tuple(column[place] for column in scores),
        )
        for place, ((name, group), base) in enumerate(zip(firsts.items(), bases, strict=True))
    ]
    rows.sort(key=lambda row: (row.reference, math.inf if row.rank is None else row.rank))
    return Leaderboard(
        ranked=bool(ranks),
        columns=tuple((text, metric.direction) for text, _, metric in columns),
        rows=tuple(rows),
        notes=notes.texts,
    )


def _leader_column(
    results: Results, notes: Notes, groups: Sequence[Group | None], dataset: str, metric: MetricInfo
) -> list[TableEntry]:
    best = results.best_rows(dataset, metric)
    present = [group for group in groups if group is not None]
    averages = {group: group.average(metric) for group in present}
    known = [x for x in averages.values() if x is not None and math.isfinite(x)]
    entries = []
    for group in groups:
        if group is None:
            entries.append(TableEntry(NOTHING))
            continue
        entry = noted_entry(results, group, metric, group in best, notes, present)
        average = averages[group]
        if average is not None and math.isfinite(average):
            heat = None if group.leaves_range(metric) else _heat(average, known, metric)
            entry = replace(entry, value=average, heat=heat)
        entries.append(entry)
    return entries


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
