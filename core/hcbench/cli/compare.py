"""``compare`` and ``run``: plan, run what is missing, show what came out."""

from __future__ import annotations

import csv
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.options import (
    FIGURE_OPTIONS,
    REPLAY,
    RUN_OPTIONS,
    SUITE_OPTIONS,
    OneName,
    RunOptions,
    examples,
    load_plugins,
    with_options,
)
from hcbench.cli.terminal import printable, stdout_for_data, tell, write_json
from hcbench.errors import ExitCode

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.plan.outcome import Outcome
    from hcbench.plan.plan import Plan, Shard
    from hcbench.registry import Registry
    from hcbench.registry.suite import Suite
    from hcbench.show.figures import Drawn
    from hcbench.store import Store


class Comparing(click.Command):
    """Takes options only; a missing comma between names gets a hint."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options, and explain extra arguments."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if "unexpected extra argument" not in error.message:
                raise
            hint = "names are separated by commas without spaces, or quoted"
            raise click.UsageError(f"{error.message.rstrip('.')}; {hint}", ctx) from error


@click.command(
    cls=Comparing,
    epilog=examples(
        "hcbench compare --algos 4-AL,UPGMA,HDBSCAN",
        "hcbench compare --algos \"UPGMA[metric=['cosine','euclidean']]\" --datasets ./mydata.csv",
        'hcbench compare --algos 4-AL --oracles "quadruplet-set[p=[0.01,0.1],noise=0.1]" -r 10',
        'hcbench compare --datasets "planted[N0=20],iris" --metrics AARI,queries --format csv',
        "hcbench compare --algos UPGMA,Random --dry-run",
    ),
)
@with_options(*SUITE_OPTIONS, REPLAY, *RUN_OPTIONS)
@click.pass_context
def compare(context: click.Context, /, **given: Any) -> None:
    """Compare algorithms on data sets.

    Every algorithm runs on every data set, with new data in each repetition. Stored results are
    not computed again: the same command resumes an interrupted run. Options that are not given
    take the defaults of the suite compare (see hcbench info compare), or of compare-cuts if all
    algorithms cut a given tree.

    Names are written NAME[param=value]; a list of values is a grid. Quote them, since shells
    expand brackets.
    """
    options = RunOptions(**given)
    context.exit(carry_out(options, lambda registry: _defaults(options, registry), context.obj))


@click.command(
    epilog=examples(
        "hcbench run ./mysuite.toml",
        "hcbench run ./mysuite.toml --repetitions 20 --format json",
        "hcbench run ./mysuite.toml --figures ./figures --figure-format pdf",
    )
)
@click.argument("suite", type=OneName("suites"))
@with_options(*SUITE_OPTIONS, *RUN_OPTIONS, *FIGURE_OPTIONS)
@click.pass_context
def run(context: click.Context, /, suite: str, **given: Any) -> None:
    """Run a suite: a TOML file, or one that a plugin registers.

    Options override the suite. A suite with claims, such as the table of a paper, ends with a
    verdict on each. --figures draws its figures.
    """
    context.exit(
        carry_out(RunOptions(**given), lambda registry: suite_named(suite, registry), context.obj)
    )


def _defaults(options: RunOptions, registry: Registry) -> Suite:
    from hcbench.registry import default_suite
    from hcbench.registry.suite import Suite

    return default_suite(registry, options.algos) or Suite(name="compare")


def suite_named(text: str, registry: Registry) -> Suite:
    """The suite of a file or of a registered name."""
    from hcbench.registry import find_suite
    from hcbench.registry.suite import read_suite

    path = Path(text).expanduser()
    is_file = path.suffix == ".toml" or "/" in text or path.is_file()
    return read_suite(path) if is_file else find_suite(registry, text)


def carry_out(options: RunOptions, base: Callable[[Registry], Suite], command: str) -> ExitCode:
    """Plan, run and show a suite, changed by the options."""
    from hcbench.plan.plan import make_plan, take_shard
    from hcbench.registry import with_defaults
    from hcbench.store import Store

    registry = load_plugins(options.plugin, quiet=options.quiet)
    with stdout_for_data():
        suite = with_defaults(options.applied_to(base(registry), registry), registry)
        plan = make_plan(suite, registry)
        if options.shard is not None:
            plan = take_shard(plan, *options.shard)
    _check_figures(suite, options)
    with Store(options.store) as store:
        if options.dry_run:
            show_plan(plan, store, options)
            return ExitCode.OK
        with stdout_for_data():
            results, outcomes = _run(plan, registry, store, options, command)
            drawn = _draw_figures(results, store, options)
    from hcbench.cli.draw import write_results

    write_results(results, options.format)
    if not options.quiet:
        for warning in registry.plugins.warnings:
            tell(f"warning: {warning}")
        _tell_end(outcomes, store, options.plugin, plan.shard)
        _tell_verdicts(results)
    _tell_figures(drawn, options)
    failed = any(o.failed or o.metric_errors for o in outcomes) or any(d.failed for d in drawn)
    return ExitCode.CELLS_FAILED if failed else ExitCode.OK


def _run(
    plan: Plan, registry: Registry, store: Store, options: RunOptions, command: str
) -> tuple[Results, list[Outcome]]:
    from hcbench.analysis.results import Results
    from hcbench.cli.progress import follow
    from hcbench.run.run import run_plan

    with follow(quiet=options.quiet) as observer:
        outcomes = run_plan(
            plan,
            registry.plugins,
            store,
            jobs=options.jobs,
            executor=options.executor,
            scheduler=options.scheduler,
            fresh=options.fresh,
            exclusive=options.exclusive,
            command=command,
            observer=observer,
        )
    return Results.of_plan(plan, outcomes), outcomes


def _check_figures(suite: Suite, options: RunOptions) -> None:
    """Check before the run whether its figures can be drawn."""
    if options.figures is None or options.dry_run:
        return
    from hcbench.errors import SuiteError
    from hcbench.show.figures import make_folder
    from hcbench.show.plots import style

    if not suite.figures:
        raise SuiteError(f"suite {suite.name} has no figures; omit --figures")
    style()  # matplotlib is installed
    make_folder(options.figures)


def _draw_figures(results: Results, store: Store, options: RunOptions) -> list[Drawn]:
    if options.figures is None:
        return []
    from hcbench.show.figures import draw_figures

    return draw_figures(
        results, options.figures, format=options.figure_format, store=store, plugins=options.plugin
    )


def _tell_figures(drawn: Sequence[Drawn], options: RunOptions) -> None:
    for figure in drawn:
        if figure.path is None:
            tell(f"figure {figure.name} is not drawn: {figure.reason}")
    done = [figure for figure in drawn if figure.path is not None]
    if done and not options.quiet:
        tell(f"{len(done)} of {len(drawn)} figures are in {options.figures}")


def _tell_verdicts(results: Results) -> None:
    from hcbench.analysis.overviews import count_verdicts

    if results.judged:
        tell(f"claims: {count_verdicts(results.judged)}")


def _tell_end(
    outcomes: Sequence[Outcome], store: Store, plugins: Sequence[Path], shard: Shard | None
) -> None:
    from hcbench.cli.progress import count_cells

    count = Counter("failed" if o.failed else o.status for o in outcomes)
    parts = [f"{count[name]} {name}" for name in ("ok", "failed", "skipped") if count[name]]
    reused = sum(o.reused for o in outcomes)
    if reused:
        parts.append(f"{reused} of them stored before")
    broken = sum(bool(o.metric_errors) for o in outcomes)
    if broken:
        parts.append(f"a metric failed in {broken}")
    tell(f"{count_cells(len(outcomes))}: {', '.join(parts)}")
    failed = next((o for o in outcomes if o.failed and o.key), None)
    if failed is not None:
        files = "".join(f" --plugin {shlex.quote(str(file))}" for file in plugins)
        tell(f"run a failed cell again with: hcbench rerun {failed.key[:8]} --in-process{files}")
    if store.location != ":memory:":
        tell(f"stored in {store.location}; see hcbench results")
    if shard is not None:
        tell(f"this is {shard}; merge all shards with: hcbench results merge STORE... -o STORE")


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
    from hcbench.run.environment import memory_limit, memory_per_cell, usable_cores
    from hcbench.run.tasks import find_stored

    memory = memory_limit(plan, memory_per_cell(options.jobs or usable_cores()))
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
