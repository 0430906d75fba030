"""``--dry-run``: which cells would run, which are stored, and which are inapplicable and why.

Columns are aligned here and not by rich, since a plan may have very many lines.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from hcbench.cli.terminal import printable, write_json

if TYPE_CHECKING:
    from hcbench.cli.options import RunOptions
    from hcbench.plan.plan import Plan
    from hcbench.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The repetitions of one combination."""

    algorithm: str
    dataset: str
    oracle: str
    budget: int | None
    cells: int
    stored: int


def show_plan(plan: Plan, store: Store, options: RunOptions) -> None:
    """Write the plan to stdout in the requested format."""
    groups = group_cells(plan, store, options)
    if options.format == "json":
        stored = sum(group.stored for group in groups)
        write_json(
            {
                "suite": plan.suite.name,
                "shard": None if plan.shard is None else str(plan.shard),
                "cells": len(plan.cells),
                "stored": stored,
                "to_run": len(plan.cells) - stored,
                "repetitions": plan.suite.repetitions,
                "seed": plan.suite.seed,
                "metrics": [metric.label for metric in plan.metrics],
                "groups": [asdict(group) for group in groups],
                "left_out": [asdict(combination) for combination in plan.inapplicable],
                "claims": len(plan.suite.claims),
                "figures": [figure.name for figure in plan.suite.figures],
                "store": store.location,
            }
        )
    elif options.format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(Group.__dataclass_fields__)
        writer.writerows(asdict(group).values() for group in groups)
    elif options.format == "table":
        click.echo(printable("\n".join(_lines(plan, groups, store))))
    else:
        raise click.UsageError(f"--dry-run has no --format {options.format}: table, json or csv")


def group_cells(plan: Plan, store: Store, options: RunOptions) -> list[Group]:
    """Count the cells of each combination, in the order of the plan."""
    from hcbench.run.cached import find_stored, memory_limit
    from hcbench.run.environment import usable_cores

    memory = memory_limit(plan, options.jobs or usable_cores())
    stored = set() if options.fresh else set(find_stored(plan, store, memory))
    names = [(*cell.labels, cell.budget) for cell in plan.cells]
    cells = Counter(names)
    known = Counter(n for n, cell in zip(names, plan.cells, strict=True) if cell.key in stored)
    return [
        Group(algorithm=a, dataset=d, oracle=o, budget=b, cells=n, stored=known[a, d, o, b])
        for (a, d, o, b), n in cells.items()
    ]


def _lines(plan: Plan, groups: Sequence[Group], store: Store) -> list[str]:
    budgets = any(group.budget is not None for group in groups)
    header = ("dataset", "algorithm", "oracle", *(["budget"] if budgets else []), "cells", "stored")
    rows = [
        (
            g.dataset,
            g.algorithm,
            g.oracle,
            *([str(g.budget)] if budgets else []),
            str(g.cells),
            str(g.stored),
        )
        for g in groups
    ]
    stored = sum(group.stored for group in groups)
    lines = align([header, *rows], numbers=header[3:]) if rows else []
    if plan.inapplicable:
        reasons = list(dict.fromkeys(combination.reason for combination in plan.inapplicable))
        lines += ["", "inapplicable:", *(f"  {reason}" for reason in reasons)] if lines else reasons
    return [
        *lines,
        "",
        f"{len(plan.cells)} cells, {stored} stored in {store.location}, "
        f"{len(plan.cells) - stored} to run",
        f"metrics: {', '.join(metric.label for metric in plan.metrics) or 'none'}",
        *([str(plan.shard)] if plan.shard is not None else []),
        *([f"claims: {len(plan.suite.claims)}"] if plan.suite.claims else []),
        *(f"figure {figure.name}: {figure.doc}" for figure in plan.suite.figures),
    ]


def align(rows: Sequence[Sequence[str]], numbers: Sequence[str]) -> list[str]:
    """Pad columns to their longest text; those named in `numbers` are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [">" if name in numbers else "<" for name in rows[0]]
    return [
        "  ".join(
            f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
