"""``compare`` and ``run``: plan, run what is missing, show what came out."""

from __future__ import annotations

import csv
import math
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.terminal import stdout_for_data, tell, tell_notes, write_json
from hcbench.errors import DataError, ExitCode, ParameterError, SuiteError
from hcbench.model.text import printable

if TYPE_CHECKING:
    from hcbench.analysis.notes import Note
    from hcbench.figures.suites import Drawn
    from hcbench.plan.cell import Cell
    from hcbench.plan.plan import Plan
    from hcbench.registry import Registry
    from hcbench.registry.suite import Suite
    from hcbench.results.results import Results
    from hcbench.run.options import RunOptions
    from hcbench.store import Store


@click.command(
    epilog=options.examples(
        "hcbench compare --algos 4-AL,UPGMA,HDBSCAN",
        "hcbench compare --algos \"UPGMA[metric=['cosine','euclidean']]\" --datasets ./mydata.csv",
        'hcbench compare --algos 4-AL --oracles "quadruplet-set[p=[0.01,0.1],noise=0.1]" -r 10',
        'hcbench compare --datasets "planted[N0=20],iris" --metrics AARI,queries --format csv',
        "hcbench compare --algos UPGMA,Random --dry-run",
    ),
)
@options.with_options(*options.SUITE_OPTIONS, options.REPLAY, *options.RUN_OPTIONS)
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
    from hcbench.registry import default_suite
    from hcbench.registry.suite import Suite

    def defaults(registry: Registry) -> Suite:
        suite = default_suite(registry, given["algorithms"]) or Suite(name="compare")
        # Its description is that of its own algorithms and data sets.
        return replace(suite, doc="") if given["algorithms"] or given["datasets"] else suite

    carry_out(context, defaults, **given)


@click.command(
    epilog=options.examples(
        "hcbench run ./mysuite.toml",
        "hcbench run ./mysuite.toml --repetitions 20 --format json",
        "hcbench run ./mysuite.toml --figures ./figures --figure-format pdf",
    )
)
@click.argument("suite", type=options.OneName("suites"))
@options.with_options(*options.SUITE_OPTIONS, *options.RUN_OPTIONS, *options.FIGURE_OPTIONS)
@click.pass_context
def run(context: click.Context, /, suite: str, **given: Any) -> None:
    """Run a suite: a TOML file, or one that a plugin registers.

    Options override the suite. A suite with claims, such as the table of a paper, ends with a
    verdict on each. --figures draws its figures.
    """
    carry_out(context, lambda registry: suite_named(suite, registry), **given)


def suite_named(text: str, registry: Registry) -> Suite:
    """The suite of a file or of a registered name."""
    from hcbench.registry import find_suite
    from hcbench.registry.suite import read_suite

    path = Path(text).expanduser()
    is_file = path.suffix == ".toml" or "/" in text or path.is_file()
    if is_file:
        return read_suite(path)
    try:
        return find_suite(registry, text)
    except SuiteError as error:
        if Path(f"{text}.toml").is_file():
            raise SuiteError(f"no suite is called {text!r}; write ./{text}.toml") from error
        raise


def carry_out(
    context: click.Context,
    base: Callable[[Registry], Suite],
    *,
    plugin: Sequence[Path],
    store: str | None,
    shard: tuple[int, int] | None,
    dry_run: bool,
    form: str,
    quiet: bool,
    replay: Sequence[Path] = (),
    figures: Path | None = None,
    figure_format: Any = "svg",
    **given: Any,
) -> None:
    """Plan, run and show a suite; ``given`` are its entries to change, and `RUNNING`."""
    from hcbench.plan.plan import make_plan, take_shard
    from hcbench.registry import with_defaults
    from hcbench.run.options import RunOptions

    running = RunOptions(command=context.obj, **{name: given.pop(name) for name in RUNNING})
    registry = options.load_plugins(plugin, quiet=quiet)
    with stdout_for_data():
        suite = _changed(base(registry), given, replay, registry)
        plan = make_plan(with_defaults(suite, registry), registry)
        useful = {cell.budget for cell in plan.cells}
        useless = [budget for budget in suite.budgets if budget not in useful]
        if given["budgets"] and plan.cells and useless:
            why = "limits nothing here: numbers limit queries, and 5USD the answers of paid oracles"
            raise ParameterError(f"--budget {useless[0]} {why}")
        if shard is not None:
            plan = take_shard(plan, *shard)
    drawn: list[Drawn] = []
    with options.open_store(store) as opened:
        if dry_run:
            show_plan(plan, opened, form, fresh=running.fresh, jobs=running.jobs)
            return
        if figures is not None:
            _check_figures(suite, figures)
        with stdout_for_data():
            results = _run(plan, registry, opened, running, quiet=quiet)
            if figures is not None:
                from hcbench.figures.suites import draw_figures

                drawn = draw_figures(
                    results, figures, format=figure_format, store=opened, plugins=plugin
                )
    from hcbench.cli.draw import write_results

    write_results(results, form)
    if not quiet:
        for warning in registry.plugins.warnings:
            tell(f"warning: {warning}")
        _tell_end(results, opened, plugin, plan)
    for figure in drawn:
        if figure.path is None:
            tell(f"figure {figure.name} is not drawn: {figure.reason}")
    done = sum(figure.path is not None for figure in drawn)
    if done and not quiet:
        tell(f"{done} of {len(drawn)} figures are in {figures}")
    failed = bool((results.outcomes.failed | results.outcomes.metric_failed).any())
    if shard is None and not results.run_groups:
        tell("nothing ran; hcbench info NAME shows what an algorithm accepts and needs")
        failed = True
    if failed or any(figure.failed for figure in drawn):
        context.exit(ExitCode.CELLS_FAILED)


RUNNING = ("jobs", "exclusive", "executor", "scheduler", "fresh")
"""Options that are fields of `RunOptions`."""


def _changed(
    suite: Suite, given: Mapping[str, Any], replay: Sequence[Path], registry: Registry
) -> Suite:
    """A suite, with the entries that were given."""
    replayed = [_replayed(path, registry) for path in replay]
    changes = {
        **given,
        "datasets": given["datasets"] or tuple(dataset for _, dataset in replayed),
        "oracles": (*given["oracles"], *(oracle for oracle, _ in replayed)),
    }
    changes = {name: value for name, value in changes.items() if value not in (None, ())}
    if changes.get("timeout") == math.inf:
        changes["timeout"] = None
    return replace(suite, **changes)


def _replayed(path: Path, registry: Registry) -> tuple[str, str]:
    """The oracle and the data set of a file of recorded answers."""
    from hcbench.registry.names import format_name
    from hcbench.registry.specs import load_function

    readers = [e.spec for e in registry.datasets.entries if e.spec.recorded_oracle is not None]
    readers = [spec for spec in readers if path.suffix in spec.suffixes] or readers
    if len(readers) != 1:
        raise DataError(
            f"{path}: {len(readers)} data sets replay such a file; name one by --datasets, and its "
            "oracle by --oracles"
        )
    (items,) = readers
    assert items.recorded_oracle is not None
    name, params = load_function(items.recorded_oracle)(str(path))
    return format_name(name, params), format_name(items.name, {"path": str(path)})


def _check_figures(suite: Suite, folder: Path) -> None:
    """Check before the run whether its figures can be drawn."""
    from hcbench.figures.plots import style
    from hcbench.figures.suites import make_folder

    if not suite.figures:
        raise SuiteError(f"suite {suite.name} has no figures; omit --figures")
    style()  # matplotlib is installed
    make_folder(folder)


def _run(
    plan: Plan, registry: Registry, store: Store, run_options: RunOptions, *, quiet: bool
) -> Results:
    from hcbench.cli.progress import follow
    from hcbench.results.results import Results
    from hcbench.run.run import run_plan

    with follow(quiet=quiet) as observer:
        outcomes = run_plan(plan, registry.plugins, store, run_options, observer)
    results = Results.of_plan(plan, outcomes)
    if any(results.outcomes.column("reused").tolist()):
        results = replace(results, remarks=results.remarks + options.notes_on_kernels(store))
    return results


def _tell_end(results: Results, store: Store, plugins: Sequence[Path], plan: Plan) -> None:
    from hcbench.cli.progress import count_cells
    from hcbench.results.overviews import count_verdicts

    outcomes = results.outcomes
    count = Counter(outcomes.column("status").tolist())
    count["failed"] = int(outcomes.failed.sum())
    parts = [f"{count[name]} {name}" for name in ("ok", "failed", "skipped") if count[name]]
    reused = sum(outcomes.column("reused").tolist())
    if reused:
        parts.append(f"{reused} of them stored before")
    paid: dict[str, list[float]] = {}
    priced = outcomes.take([price is not None for price in outcomes.column("price")])
    currencies = {c.oracle.label: c.oracle.spec.currency for c in (plan.cells if priced else ())}
    columns = (priced.column(name) for name in ("price", "saved", "oracle", "reused"))
    for price, not_paid, oracle, is_reused in zip(*columns, strict=True):
        total = paid.setdefault(currencies[oracle], [0.0, 0.0])
        saved = price if is_reused else not_paid or 0.0
        total[0] += price - saved
        total[1] += saved
    broken = int(outcomes.metric_failed.sum())
    if broken:
        parts.append(f"a metric failed in {broken}")
    tell(f"{count_cells(len(outcomes))}: {', '.join(parts)}")
    for currency, (now, saved) in paid.items():
        tell(f"answers: {now:.4g} {currency} paid, {saved:.4g} {currency} saved by stored ones")
    failed = next((o for o in outcomes.take(outcomes.failed) if o.key), None)
    if failed is not None:
        files = "".join(f" --plugin {shlex.quote(str(file))}" for file in plugins)
        tell(f"run a failed cell again with: hcbench rerun {failed.key[:8]} --in-process{files}")
    if store.location != ":memory:":
        tell(f"stored in {store.location}; see hcbench results")
    if results.judged:
        tell(f"claims: {count_verdicts(results.judged)}")


# ---- --dry-run ----------------------------------------------------------------------------------

_GROUP = ("algorithm", "dataset", "oracle", "budget", "cells", "stored")


def show_plan(plan: Plan, store: Store, form: str, *, fresh: bool, jobs: int | None) -> None:
    """Write which cells would run, which are stored, and which are inapplicable and why."""
    from hcbench.analysis.notes import describe_notes
    from hcbench.registry.families import families_of
    from hcbench.run.environment import memory_limit, memory_per_cell, usable_cores
    from hcbench.run.tasks import reusable

    memory = memory_limit(plan, memory_per_cell(jobs or usable_cores()))
    stored = store.find([] if fresh else [cell.key for cell in plan.cells])
    known = {*stored.take(reusable(stored, plan, memory)).column("key")}
    to_run = [cell for cell in plan.cells if cell.key not in known]
    cells = Counter((*cell.labels, cell.budget) for cell in plan.cells)
    left = Counter((*cell.labels, cell.budget) for cell in to_run)
    groups = [
        dict(zip(_GROUP, (*names, number, number - left[names]), strict=True))
        for names, number in cells.items()
    ]
    notes = _notes_on_plan(plan, to_run, store, memory)
    if form == "json":
        write_json(
            {
                "suite": plan.suite.name,
                "shard": None if plan.shard is None else str(plan.shard),
                "cells": len(plan.cells),
                "stored": len(plan.cells) - len(to_run),
                "to_run": len(to_run),
                "price": _prices(to_run)[0],
                "repetitions": plan.suite.repetitions,
                "seed": plan.suite.seed,
                "metrics": [metric.label for metric in plan.metrics],
                "families": families_of(plan.datasets, plan.suite.families),
                "groups": groups,
                "left_out": [asdict(combination) for combination in plan.inapplicable],
                "claims": len(plan.suite.claims),
                "figures": [figure.name for figure in plan.suite.figures],
                "store": store.location,
                "notes": describe_notes(notes),
            }
        )
    elif form == "csv":
        writer = csv.DictWriter(sys.stdout, _GROUP, lineterminator="\n")
        writer.writeheader()
        writer.writerows(groups)
        tell_notes(notes)
    elif form == "table":
        lines = _lines(plan, groups, store)
        lines += [note.text for note in notes if note.kind != "inapplicable"]
        click.echo(printable("\n".join(lines)))
    else:
        raise click.UsageError(f"--dry-run has no --format {form}: table, json or csv")


def _notes_on_plan(plan: Plan, to_run: Sequence[Cell], store: Store, memory: float) -> list[Note]:
    """What to keep in mind before a run: what cannot run, and what it may take."""
    from hcbench.analysis.notes import Note

    reasons = dict.fromkeys(combination.reason for combination in plan.inapplicable)
    notes = [Note(kind="inapplicable", text=reason) for reason in reasons]
    notes += [Note(kind="time", text=line) for line in _time_lines(to_run, store)]
    notes += [Note(kind="price", text=line) for line in _price_lines(to_run)]
    notes += [Note(kind="memory", text=line) for line in _memory_lines(to_run, memory)]
    return notes


def _lines(plan: Plan, groups: Sequence[Mapping[str, Any]], store: Store) -> list[str]:
    from hcbench.cli.progress import count_cells

    stored = sum(group["stored"] for group in groups)
    lines = _align(groups) if groups else []
    if plan.inapplicable:
        reasons = list(dict.fromkeys(combination.reason for combination in plan.inapplicable))
        lines += ["", "inapplicable:", *(f"  {reason}" for reason in reasons)] if lines else reasons
    return [
        *lines,
        "",
        f"{count_cells(len(plan.cells))}, {stored} stored in {store.location}, "
        f"{len(plan.cells) - stored} to run",
        f"metrics: {', '.join(metric.label for metric in plan.metrics) or 'none'}",
        *_family_lines(plan),
        *([str(plan.shard)] if plan.shard is not None else []),
        *([f"claims: {len(plan.suite.claims)}"] if plan.suite.claims else []),
        *(f"figure {figure.name}: {figure.doc}" for figure in plan.suite.figures),
    ]


def _family_lines(plan: Plan) -> list[str]:
    """The families of the data sets, if one has several."""
    from hcbench.registry.families import families_of

    families = families_of(plan.datasets, plan.suite.families)
    names = list(dict.fromkeys(families.values()))
    if len(names) == len(families):
        return []
    return [f"families of data sets, which ranks count once: {', '.join(names)}"]


def _prices(to_run: Sequence[Cell]) -> tuple[dict[str, float], int]:
    """By currency, what the cells to run may cost; and the number of cells that may cost more."""
    prices: dict[str, float] = {}
    unknown = 0
    for cell in to_run:
        currency = cell.oracle.spec.currency
        if currency:
            price = cell.expected_price
            prices[currency] = prices.get(currency, 0.0) + (price or 0.0)
            unknown += price is None
    return prices, unknown


def _time_lines(to_run: Sequence[Cell], store: Store) -> list[str]:
    from hcbench.cli.progress import duration

    means = store.mean_seconds() if to_run else {}
    left = [means.get(cell.labels) for cell in to_run]
    timed = [seconds for seconds in left if seconds is not None]
    others = f"; unknown for {len(left) - len(timed)}" if len(timed) < len(left) else ""
    return [f"calls: about {duration(sum(timed))}, as stored ones took{others}"] if timed else []


def _price_lines(to_run: Sequence[Cell]) -> list[str]:
    prices, unknown = _prices(to_run)
    lines = [
        f"price: at most about {price:.4g} {currency}, less what is stored"
        for currency, price in prices.items()
        if price
    ]
    if unknown:
        limit = " or ".join(f"--budget 5{currency}" for currency in prices)
        lines.append(f"price: unknown for {unknown} of the cells, limit it with {limit}")
    return lines


def _memory_lines(to_run: Sequence[Cell], limit: float) -> list[str]:
    from hcbench.run.environment import GIB

    left = {cell.labels[:2]: (cell.expected_bytes or 0) / GIB for cell in to_run}
    return [
        f"memory: {algorithm} on {dataset} takes about {size:.3g} GiB; the limit is {limit:.3g} GiB"
        for (algorithm, dataset), size in left.items()
        if size > limit
    ]


def _align(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rows of a table, aligned here and not by rich, since a plan may have very many."""
    header = ["dataset", "algorithm", "oracle", "budget", "cells", "stored"]
    if all(group["budget"] is None for group in groups):
        header.remove("budget")
    rows = [header, *([str(group[name]) for name in header] for group in groups)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = ["<" if name in ("dataset", "algorithm", "oracle") else ">" for name in header]
    return [
        "  ".join(
            f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
