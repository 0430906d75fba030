"""``--dry-run`` of ``compare`` and ``run``: which cells would run, and what they may take."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.terminal import tell_notes, write_json
from hcbench.model.text import printable, spreadsheet_cell

if TYPE_CHECKING:
    from hcbench.analysis.notes import Note, NoteKind
    from hcbench.model.cost import Budget
    from hcbench.plan.cell import Cell
    from hcbench.plan.plan import Plan
    from hcbench.store import Store

#: The columns of the table of cells, and the keys of a group in the JSON.
_COLUMNS = ("algorithm", "dataset", "oracle", "budget", "cells", "stored")

#: The columns of the table on a terminal that are texts; the others are numbers.
_TEXT_COLUMNS = ("dataset", "algorithm", "oracle")


def show_plan(plan: Plan, store: Store, form: str, *, fresh: bool, jobs: int | None) -> None:
    """Write which cells would run, which are stored, and which are inapplicable and why."""
    from hcbench.run.environment import memory_limit, memory_per_cell, usable_cores
    from hcbench.run.tasks import reusable

    limit = memory_limit(plan, memory_per_cell(jobs or usable_cores()))
    # With --fresh nothing that is stored is used.
    keys = []
    if not fresh:
        keys = [cell.key for cell in plan.cells]
    stored = store.find(keys)
    # Stored is not enough: a cell that failed at a lower limit than now would run again.
    usable_keys = set(stored.take(reusable(stored, plan, limit)).column("key"))
    to_run = []
    for cell in plan.cells:
        if cell.key not in usable_keys:
            to_run.append(cell)
    groups = _group_cells(plan, to_run)
    notes = _notes_on_plan(plan, to_run, store, limit)
    if form == "json":
        write_json(_as_json(plan, to_run, groups, store, notes))
    elif form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for group in groups:
            # Labels may begin with "=", which a spreadsheet would execute.
            row = [spreadsheet_cell(group[name]) for name in _COLUMNS]
            writer.writerow(row)
        tell_notes(notes)
    elif form == "table":
        lines = _lines(plan, groups, store)
        for note in notes:
            # The table has these already.
            if note.kind != "inapplicable":
                lines.append(note.text)
        click.echo(printable("\n".join(lines)))
    else:
        raise click.UsageError(f"--dry-run has no --format {form}: table, json or csv")


def _group_cells(plan: Plan, to_run: Sequence[Cell]) -> list[dict[str, Any]]:
    """The numbers of cells that differ in the repetition only, and of those that are stored."""
    # Counters keep the order of the plan.
    counts = _count_repetitions(plan.cells)
    counts_to_run = _count_repetitions(to_run)
    groups = []
    for (labels, budget), count in counts.items():
        count_to_run = counts_to_run[labels, budget]
        algorithm, dataset, oracle = labels
        group = {
            "algorithm": algorithm,
            "dataset": dataset,
            "oracle": oracle,
            "budget": budget,
            "cells": count,
            "stored": count - count_to_run,
        }
        groups.append(group)
    return groups


def _count_repetitions(
    cells: Iterable[Cell],
) -> Counter[tuple[tuple[str, str, str], Budget | None]]:
    """How many cells have the same labels of algorithm, data set and oracle, and budget."""
    counts: Counter[tuple[tuple[str, str, str], Budget | None]] = Counter()
    for cell in cells:
        counts[cell.labels, cell.budget] += 1
    return counts


def _as_json(
    plan: Plan,
    to_run: Sequence[Cell],
    groups: Sequence[Mapping[str, Any]],
    store: Store,
    notes: Sequence[Note],
) -> dict[str, Any]:
    from hcbench.analysis.notes import describe_notes
    from hcbench.registry.families import families_of

    prices, _ = _prices(to_run)
    shard = None
    if plan.shard is not None:
        shard = str(plan.shard)
    return {
        "suite": plan.suite.name,
        "shard": shard,
        "cells": len(plan.cells),
        "stored": len(plan.cells) - len(to_run),
        "to_run": len(to_run),
        "price": prices,
        "repetitions": plan.suite.repetitions,
        "seed": plan.suite.seed,
        "metrics": [metric.label for metric in plan.metrics],
        "families": families_of(plan.datasets, plan.suite.families),
        "groups": groups,
        "left_out": list(map(asdict, plan.inapplicable)),
        "claims": len(plan.suite.claims),
        "figures": [figure.name for figure in plan.suite.figures],
        "store": store.location,
        "notes": describe_notes(notes),
    }


def _notes_on_plan(plan: Plan, to_run: Sequence[Cell], store: Store, memory: float) -> list[Note]:
    """What to keep in mind before a run: what cannot run, and what it may take."""
    from hcbench.analysis.notes import Note

    lines_by_kind: dict[NoteKind, list[str]] = {
        "inapplicable": _reasons(plan),
        "time": _time_lines(to_run, store),
        "price": _price_lines(to_run),
        "memory": _memory_lines(to_run, memory),
    }
    notes = []
    for kind, lines in lines_by_kind.items():
        for line in lines:
            notes.append(Note(kind=kind, text=line))
    return notes


def _reasons(plan: Plan) -> list[str]:
    """Why combinations are inapplicable; each reason once."""
    reasons: dict[str, None] = {}
    for combination in plan.inapplicable:
        reasons[combination.reason] = None
    return list(reasons)


def _lines(plan: Plan, groups: Sequence[Mapping[str, Any]], store: Store) -> list[str]:
    """The lines that a terminal shows, but for the notes."""
    from hcbench.cli.progress import count_cells

    lines = []
    reasons = _reasons(plan)
    if groups:
        lines.extend(_align(groups))
        if reasons:
            lines.append("")
            lines.append("inapplicable:")
            for reason in reasons:
                lines.append(f"  {reason}")
    else:
        # Without a table, the reasons are all that there is to say.
        lines.extend(reasons)
    number_stored = 0
    for group in groups:
        number_stored += group["stored"]
    number_to_run = len(plan.cells) - number_stored
    lines.append("")
    lines.append(
        f"{count_cells(len(plan.cells))}, {number_stored} stored in {store.location}, "
        f"{number_to_run} to run"
    )
    metric_labels = [metric.label for metric in plan.metrics]
    lines.append(f"metrics: {', '.join(metric_labels) or 'none'}")
    lines.extend(_family_lines(plan))
    if plan.shard is not None:
        lines.append(str(plan.shard))
    if plan.suite.claims:
        lines.append(f"claims: {len(plan.suite.claims)}")
    for figure in plan.suite.figures:
        lines.append(f"figure {figure.name}: {figure.doc}")
    return lines


def _family_lines(plan: Plan) -> list[str]:
    """The families of the data sets, if one has several."""
    from hcbench.registry.families import families_of

    families = families_of(plan.datasets, plan.suite.families)
    family_names = list(dict.fromkeys(families.values()))
    if len(family_names) == len(families):
        return []
    return [f"families of data sets, which ranks count once: {', '.join(family_names)}"]


def _prices(to_run: Sequence[Cell]) -> tuple[dict[str, float], int]:
    """By currency, what the cells to run may cost; and the number of cells that may cost more."""
    prices: dict[str, float] = {}
    number_unknown = 0
    for cell in to_run:
        currency = cell.oracle.spec.currency
        if not currency:
            continue
        prices.setdefault(currency, 0.0)
        if cell.expected_price is None:
            number_unknown += 1
        else:
            prices[currency] += cell.expected_price
    return prices, number_unknown


def _time_lines(to_run: Sequence[Cell], store: Store) -> list[str]:
    """How long the calls may take, if stored calls tell it."""
    from hcbench.cli.progress import describe_time

    line = describe_time(to_run, store.stored_times())
    if not line:
        return []
    return [line]


def _price_lines(to_run: Sequence[Cell]) -> list[str]:
    prices, number_unknown = _prices(to_run)
    lines = []
    for currency, price in prices.items():
        if price:
            lines.append(f"price: at most about {price:.4g} {currency}, less what is stored")
    if number_unknown:
        # A budget limits what an unknown price cannot exceed.
        limits = [f"--budget 5{currency}" for currency in prices]
        lines.append(
            f"price: unknown for {number_unknown} of the cells, limit it with {' or '.join(limits)}"
        )
    return lines


def _memory_lines(to_run: Sequence[Cell], limit: float) -> list[str]:
    """The combinations that are expected to need more memory than the limit, in GiB."""
    from hcbench.run.environment import GIB

    sizes = {}
    for cell in to_run:
        algorithm, dataset, _ = cell.labels
        # 0 where the algorithm declares nothing, so that there is no line about it.
        sizes[algorithm, dataset] = (cell.expected_bytes or 0) / GIB
    lines = []
    for (algorithm, dataset), size in sizes.items():
        if size > limit:
            lines.append(
                f"memory: {algorithm} on {dataset} takes about {size:.3g} GiB; "
                f"the limit is {limit:.3g} GiB"
            )
    return lines


def _align(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rows of a table, aligned here and not by rich, since a plan may have very many."""
    columns = ["dataset", "algorithm", "oracle", "budget", "cells", "stored"]
    budgets = {group["budget"] for group in groups}
    if budgets == {None}:
        columns.remove("budget")
    rows = [columns]
    for group in groups:
        row = [str(group[column]) for column in columns]
        rows.append(row)
    widths = [0] * len(columns)
    for row in rows:
        for place, text in enumerate(row):
            widths[place] = max(widths[place], len(text))
    lines = []
    for row in rows:
        parts = []
        for column, text, width in zip(columns, row, widths, strict=True):
            if column in _TEXT_COLUMNS:
                parts.append(text.ljust(width))
            else:
                parts.append(text.rjust(width))
        lines.append("  ".join(parts).rstrip())
    return lines
