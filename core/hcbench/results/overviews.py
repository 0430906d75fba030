"""All tables of a comparison, and the lines below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hcbench.analysis.groups import name_variants
from hcbench.analysis.notes import Note
from hcbench.analysis.tables import (
    ARROWS,
    NOTHING,
    Block,
    Notes,
    TableEntry,
    notes_of_block,
)
from hcbench.plan.outcome import REPORTED
from hcbench.results.dataset_tables import dataset_block, noted_entry
from hcbench.results.notes import general_notes
from hcbench.results.ranking_tables import ranking_blocks
from hcbench.results.verdict_tables import verdict_blocks

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.evaluation import Evaluation


def all_notes(results: Evaluation) -> tuple[Note, ...]:
    """The footnotes of all tables, with what they are about, and the notes on all tables."""
    notes: list[Note] = []
    # The second argument is the kind of the footnotes that have none of their own.
    for dataset in results.datasets:
        notes += notes_of_block(dataset_block(results, dataset), "missing")
    for block in ranking_blocks(results):
        notes += notes_of_block(block, "rank")
    for block in verdict_blocks(results):
        notes += notes_of_block(block, "claim")
    notes += general_notes(results)
    return tuple(notes)


def make_tables(results: Evaluation, most: int | None = None) -> list[Block]:
    """All tables of a comparison: data sets, average ranks, verdicts.

    Parameters
    ----------
    results : Evaluation
    most : int, optional
        With more data sets than this there is one table per metric of quality, with a row for each
        data set, instead of one table per data set.
    """
    blocks: list[Block] = []
    if most is not None and len(results.datasets) > most:
        blocks += _overview_blocks(results)
    else:
        for dataset in results.datasets:
            blocks.append(dataset_block(results, dataset))
    blocks += ranking_blocks(results)
    blocks += verdict_blocks(results)
    return blocks


# ---- Many data sets ------------------------------------------------------------------------------


def _overview_blocks(results: Evaluation) -> Iterator[Block]:
    """One table per metric of quality, of all metrics if none is; none of reported numbers."""
    groups = []
    for group in results.groups:
        # The end of the calls only: checkpoints would need a table each.
        if group.checkpoint is None:
            groups.append(group)
    # The name of an algorithm, with its oracle and budget where they distinguish its groups.
    variants = name_variants(groups)
    columns = list(dict.fromkeys(variants.values()))
    # At most one group on each data set in each column.
    group_at = {}
    for group in groups:
        group_at[group.dataset, variants[group]] = group
    quality = []
    for metric in results.metrics:
        if not metric.cost and not metric.label.endswith(REPORTED):
            quality.append(metric)
    for metric in quality or results.metrics:
        notes = Notes()
        rows = []
        for dataset in results.datasets:
            # None in the column of an algorithm that did not run on the data set.
            groups_of_data = [group_at.get((dataset, column)) for column in columns]
            rows.append(_overview_row(results, dataset, metric, groups_of_data, notes))
        yield Block(
            f"{metric.label}{ARROWS[metric.direction]}",
            ("data set",) + tuple(columns),
            (False,) + (True,) * len(columns),
            tuple(rows),
            notes.texts,
            note_kinds=notes.kinds,
        )


def _overview_row(
    results: Evaluation,
    dataset: str,
    metric: MetricInfo,
    groups: Sequence[Group | None],
    notes: Notes,
) -> tuple[TableEntry, ...]:
    """One metric on one data set, of all algorithms."""
    best = results.best_rows(dataset, metric)
    # Those that ran on this data set, with which each of them is compared.
    present = []
    for group in groups:
        if group is not None:
            present.append(group)
    row = [TableEntry(dataset)]
    for group in groups:
        if group is None:
            row.append(TableEntry(NOTHING))
        else:
            row.append(noted_entry(results, group, metric, group in best, notes, present))
    return tuple(row)


def describe_numbers(results: Evaluation, best: str) -> list[str]:
    """The legend of the tables.

    Parameters
    ----------
    results : Evaluation
    best : str
        Description of the mark of the best value.
    """
    units = {metric.unit for metric in results.metrics}
    averages = {metric.average for metric in results.metrics}
    # Repetitions are numbered from 0.
    n_repetitions = max(results.outcomes.column("repetition"), default=-1) + 1
    lines = ["1 repetition"]
    if n_repetitions > 1:
        lines = [
            f"mean ± standard deviation over {n_repetitions} repetitions, one number if all are "
            "equal"
        ]
        if "median" in averages:
            lines.append("times: median [quartiles] of the repetitions")
    directions = "↑ more is better, ↓ less is better"
    if results.suite.ranks:
        directions += f", {best} is the best"
        kinds = set()
        for group in results.groups:
            # Runs that were stored without kinds have only the labels of the oracles.
            kinds.add(results.query_kinds.get(group.oracle, group.oracle))
        # Numbers of queries of different kinds are never ranked against each other.
        if len(kinds) > 1 and "queries" in units:
            directions += " (of queries: of each kind of oracle)"
    lines.append(directions)
    for note in general_notes(results):
        lines.append(note.text)
    return lines
