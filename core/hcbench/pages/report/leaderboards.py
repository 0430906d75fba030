"""Leaderboards: the averages of all algorithms, best first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hcbench.analysis.groups import name_variants
from hcbench.analysis.labels import labels_of
from hcbench.analysis.tables import ARROWS, NOTHING, Notes, TableEntry
from hcbench.registry.parameters import Interval
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
    tags : tuple of str
        Of the algorithm; empty if none are stored.
    scores : tuple of TableEntry
        One for each column.
    """

    name: str
    family: str
    reference: bool
    rank: float | None
    tags: tuple[str, ...]
    scores: tuple[TableEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumn:
    """A column of a leaderboard.

    Attributes
    ----------
    title : str
    direction : {"higher", "lower", "none"}
        Which of its values are better.
    family : str
        That of its data set; "" if there is no data set, or only one.
    """

    title: str
    direction: str
    family: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """Algorithms against data sets; or against metrics, if there is one data set.

    Attributes
    ----------
    ranked : bool
        Whether there are average ranks.
    columns : tuple of BoardColumn
    rows : tuple of LeaderRow
        The best average rank first, references last.
    notes : tuple of str
        Footnotes, from number 1.
    """

    ranked: bool
    columns: tuple[BoardColumn, ...]
    rows: tuple[LeaderRow, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """The values of a metric on a data set."""

    title: str
    dataset: str
    metric: MetricInfo


def make_leaderboard(results: Results, metric: MetricInfo) -> Leaderboard:
    """The averages of a metric on each data set at the ends of calls, with average ranks."""
    datasets_with_results = set()
    for group in results.run_groups:
        if group.checkpoint is None:
            datasets_with_results.add(group.dataset)
    columns = []
    for dataset in results.datasets:
        if dataset in datasets_with_results and metric.judges(dataset):
            columns.append(_Column(title=dataset, dataset=dataset, metric=metric))
    return _make_leaderboard(results, columns, _average_ranks(results, metric))


def _average_ranks(results: Results, metric: MetricInfo) -> dict[str, float]:
    """The average rank of each competitor; none where only repetitions could be ranked."""
    for ranking in results.rankings:
        if ranking.metric != metric:
            continue
        # Repetitions on one data set are ranked if the competitors are variants of algorithms.
        if ranking.unit != "repetition" or ranking.inference.has_variants:
            return dict(zip(ranking.competitors, ranking.ranks, strict=True))
        return {}
    return {}


def make_scoreboard(results: Results) -> Leaderboard:
    """The averages of all metrics on the only data set."""
    dataset = results.run_groups[0].dataset
    columns = []
    for metric in results.metrics:
        if metric.judges(dataset):
            title = metric.head(dataset) + ARROWS[metric.direction]
            columns.append(_Column(title=title, dataset=dataset, metric=metric))
    return _make_leaderboard(results, columns, {})


def make_rankboard(results: Results) -> Leaderboard | None:
    """The average ranks by all metrics side by side; None if fewer than two rank the data sets."""
    ranks_by_metric = {}
    for ranking in results.rankings:
        ranks = _average_ranks(results, ranking.metric)
        if ranks:
            ranks_by_metric[ranking.metric.label] = ranks
    if len(ranks_by_metric) < 2:
        return None

    members = _groups_by_name(results)
    families = _families(results, members)
    rows = []
    for name, groups_of_name in members.items():
        scores = []
        for ranks in ranks_by_metric.values():
            scores.append(_rank_entry(ranks.get(name), list(ranks.values())))
        rows.append(_leader_row(results, name, groups_of_name, families[name], None, scores))
    columns = []
    for label in ranks_by_metric:
        columns.append(BoardColumn(title=label, direction="lower"))
    # By the first metric, which leads everywhere.
    leading_ranks = next(iter(ranks_by_metric.values()))
    rows.sort(key=lambda row: (row.reference, leading_ranks.get(row.name, math.inf)))
    return Leaderboard(ranked=False, columns=tuple(columns), rows=tuple(rows), notes=())


def _rank_entry(rank: float | None, ranks: Sequence[float]) -> TableEntry:
    """An average rank, with a shade that is strongest at rank 1."""
    if rank is None:
        return TableEntry(NOTHING)
    share = 1.0
    if len(ranks) > 1:
        share = 1.0 - (rank - 1.0) / (len(ranks) - 1)
    return TableEntry(f"{rank:.2f}", value=rank, heat=round(share, 2), bold=rank == min(ranks))


def _leader_row(
    results: Results,
    name: str,
    groups_of_name: Mapping[str, Group],
    family: str,
    rank: float | None,
    scores: Sequence[TableEntry],
) -> LeaderRow:
    """The row of a competitor with its groups by data set."""
    first_group = next(iter(groups_of_name.values()))
    return LeaderRow(
        name=name,
        family=family,
        reference=results.is_reference(first_group),
        rank=rank,
        tags=tuple(results.tags.get(first_group.algorithm, ())),
        scores=tuple(scores),
    )


def _make_leaderboard(
    results: Results, columns: Sequence[_Column], ranks: Mapping[str, float]
) -> Leaderboard:
    members = _groups_by_name(results)
    notes = Notes()
    # The columns of the table, one entry for each algorithm.
    score_columns = []
    for column in columns:
        # None for a competitor that did not run on the data set.
        groups = [groups_of_name.get(column.dataset) for groups_of_name in members.values()]
        score_columns.append(_score_column(results, notes, groups, column))
    families = _families(results, members)
    rows = []
    for place, (name, groups_of_name) in enumerate(members.items()):
        scores = [entries[place] for entries in score_columns]
        row = _leader_row(results, name, groups_of_name, families[name], ranks.get(name), scores)
        rows.append(row)
    # Without ranks the sort is stable, and the algorithms stay as they were asked for.
    rows.sort(key=_row_order)
    datasets = {column.dataset for column in columns}
    board_columns = []
    for column in columns:
        family = ""
        if len(datasets) > 1:
            family = results.families[column.dataset]
        board_columns.append(
            BoardColumn(title=column.title, direction=column.metric.direction, family=family)
        )
    return Leaderboard(
        ranked=bool(ranks),
        columns=tuple(board_columns),
        rows=tuple(rows),
        notes=notes.texts,
    )


def _row_order(row: LeaderRow) -> tuple[bool, float]:
    """Competitors before references, and ranked ones before the others."""
    rank = math.inf
    if row.rank is not None:
        rank = row.rank
    return row.reference, rank


def _groups_by_name(results: Results) -> dict[str, dict[str, Group]]:
    """The group of each competitor on each data set, at the ends of calls."""
    groups = []
    for group in results.run_groups:
        if group.checkpoint is None:
            groups.append(group)
    names = name_variants(groups)
    members: dict[str, dict[str, Group]] = {}
    for group in groups:
        members.setdefault(names[group], {})[group.dataset] = group
    return members


def _families(results: Results, members: Mapping[str, Mapping[str, Group]]) -> dict[str, str]:
    """The algorithm of each competitor if it has many variants; else ""."""
    labels = labels_of(results, "algorithm", results.algorithms)
    bases = {}
    for name, groups_of_name in members.items():
        first_group = next(iter(groups_of_name.values()))
        bases[name] = labels[first_group.algorithm].base
    n_variants = Counter(bases.values())
    families = {}
    for name, base in bases.items():
        if n_variants[base] >= FAMILY:
            families[name] = base
        else:
            families[name] = ""
    return families


def _score_column(
    results: Results, notes: Notes, groups: Sequence[Group | None], column: _Column
) -> list[TableEntry]:
    """The entry of each group; None is one that did not run on the data set."""
    metric = column.metric
    best = results.best_rows(column.dataset, metric)
    present_groups = []
    finite_averages = {}
    for present in groups:
        if present is None:
            continue
        present_groups.append(present)
        average = present.average(metric)
        # An infinite average has no shade, and would take all others to one end of the scale.
        if average is not None and math.isfinite(average):
            finite_averages[present] = average
    entries = []
    for group in groups:
        if group is None:
            entries.append(TableEntry(NOTHING))
            continue
        entry = noted_entry(results, group, metric, group in best, notes, present_groups)
        if group in finite_averages:
            heat = None
            # A value outside of the range of the metric has no shade in it.
            if not group.leaves_range(metric):
                heat = _heat(finite_averages[group], list(finite_averages.values()), metric)
            entry = replace(entry, value=finite_averages[group], heat=heat)
        entries.append(entry)
    return entries


def _heat(value: float, column: Sequence[float], metric: MetricInfo) -> float | None:
    """The shade: absolute for metrics within [-1, 1]; else by the ratio to the best.

    The scale of ratios goes to the worst of the column, and to a factor of two at least, so that
    nearly equal values have nearly equal shades.
    """
    if metric.direction == "none":
        return None
    # Values of such metrics have a meaning of their own: .5 is as good on any data set.
    interval = Interval(metric.interval)
    is_higher_better = metric.direction == "higher"
    if interval.low >= -1 and interval.high <= 1:
        # Below 0, as of a correlation, all are equally bad.
        low = max(interval.low, 0.0)
        share = min(max((value - low) / (interval.high - low), 0.0), 1.0)
        if not is_higher_better:
            share = 1.0 - share
        return round(share, 2)
    highest = max(column)
    lowest = min(column)
    if lowest > 0:
        # Ratios are differences of logarithms.
        value = math.log(value)
        highest = math.log(highest)
        lowest = math.log(lowest)
        scale = max(highest - lowest, math.log(2.0))
    else:
        scale = highest - lowest or 1.0
    best = lowest
    if is_higher_better:
        best = highest
    return round(1.0 - abs(value - best) / scale, 2)
