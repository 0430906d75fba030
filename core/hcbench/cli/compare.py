"""``compare`` and ``run``: plan, run what is missing, show what came out."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.loading import load_plugins
from hcbench.cli.options import (
    FIGURE_OPTIONS,
    REPLAY,
    RUN_OPTIONS,
    SUITE_OPTIONS,
    Wish,
    examples,
    with_options,
)
from hcbench.cli.param_types import OneName
from hcbench.cli.terminal import stdout_for_data, tell
from hcbench.errors import ExitCode

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.plan.outcome import Outcome
    from hcbench.plan.plan import Plan
    from hcbench.plan.shards import Shard
    from hcbench.registry import Registry
    from hcbench.registry.suite import Suite
    from hcbench.show.figures import Drawn
    from hcbench.store import Store


class Comparing(click.Command):
    """Takes options only; whoever forgets the comma between names is told."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and explain what is left over."""
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

    Every algorithm runs on every data set, with new data in each repetition. What is stored
    already is not run again; an interrupted run is resumed by the same command. Options that are
    not given take the defaults of the suite compare (see hcbench info compare), or compare-cuts
    where all algorithms cut a given tree.

    Names are written NAME[param=value], and a list is a grid. Quote them: shells glob brackets.
    """
    wish = Wish(**given)
    context.exit(carry_out(wish, lambda registry: _defaults(wish, registry), context.obj))


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

    Options take the place of what the suite says. A suite that makes claims, such as the tables
    of a paper, ends with a verdict on each. Its figures are drawn where --figures says.
    """
    context.exit(carry_out(Wish(**given), lambda registry: _named(suite, registry), context.obj))


def _defaults(wish: Wish, registry: Registry) -> Suite:
    from hcbench.registry import default_suite
    from hcbench.registry.suite import Suite

    return default_suite(registry, wish.algorithms) or Suite(name="compare")


def _named(text: str, registry: Registry) -> Suite:
    from hcbench.registry import find_suite
    from hcbench.registry.suite import read_suite

    path = Path(text).expanduser()
    is_file = path.suffix == ".toml" or "/" in text or path.is_file()
    return read_suite(path) if is_file else find_suite(registry, text)


def carry_out(
    wish: Wish, base: Callable[[Registry], Suite], command: Sequence[str] | None
) -> ExitCode:
    """Do what was asked for, starting from a suite."""
    from hcbench.plan.plan import make_plan
    from hcbench.plan.shards import take_shard
    from hcbench.registry import with_defaults
    from hcbench.store import Store

    registry = load_plugins(wish.plugin, quiet=wish.quiet)
    with stdout_for_data():
        suite = with_defaults(wish.applied_to(base(registry)), registry)
        plan = make_plan(suite, registry)
        if wish.shard is not None:
            plan = take_shard(plan, *wish.shard)
    _check_figures(suite, wish)
    with Store(wish.store) as store:
        if wish.dry_run:
            from hcbench.cli.preview import show_plan

            show_plan(plan, store, wish)
            return ExitCode.OK
        with stdout_for_data():
            results, outcomes = _run(plan, registry, store, wish, command)
            drawn = _draw_figures(results, store, wish)
    from hcbench.cli.draw import write_results

    write_results(results, wish.format)
    if not wish.quiet:
        for warning in registry.plugins.warnings:
            tell(f"warning: {warning}")
        _tell_end(outcomes, store, wish.plugin, plan.shard)
        _tell_verdicts(results)
    _tell_figures(drawn, wish)
    failed = any(o.failed or o.metric_errors for o in outcomes) or any(d.failed for d in drawn)
    return ExitCode.CELLS_FAILED if failed else ExitCode.OK


def _run(
    plan: Plan, registry: Registry, store: Store, wish: Wish, command: Sequence[str] | None
) -> tuple[Results, list[Outcome]]:
    from hcbench.analysis.results import Results
    from hcbench.cli.progress import follow
    from hcbench.run.run import run_plan

    try:
        with follow(quiet=wish.quiet) as observer:
            outcomes = run_plan(
                plan,
                registry.plugins,
                store,
                jobs=wish.jobs,
                executor=wish.executor,
                scheduler=wish.scheduler,
                fresh=wish.fresh,
                exclusive=wish.exclusive,
                command=without_password(shlex.join(command or ["hcbench", "compare"])),
                observer=observer,
            )
    except KeyboardInterrupt:
        raise click.Abort("interrupted; what is done is kept: the same command resumes") from None
    return Results.of_plan(plan, outcomes), outcomes


def _check_figures(suite: Suite, wish: Wish) -> None:
    """Refuse what would come to light only when hours have been spent on the cells."""
    if wish.figures is None or wish.dry_run:
        return
    from hcbench.errors import SuiteError
    from hcbench.show.figures import make_folder
    from hcbench.show.plots import style

    if not suite.figures:
        raise SuiteError(f"suite {suite.name} has no figures; leave --figures out")
    style()  # matplotlib is installed
    make_folder(wish.figures)


def _draw_figures(results: Results, store: Store, wish: Wish) -> list[Drawn]:
    if wish.figures is None:
        return []
    from hcbench.show.figures import draw_figures

    return draw_figures(
        results, wish.figures, format=wish.figure_format, store=store, plugins=wish.plugin
    )


def _tell_figures(drawn: Sequence[Drawn], wish: Wish) -> None:
    for figure in drawn:
        if figure.path is None:
            tell(f"figure {figure.name} is not drawn: {figure.reason}")
    done = [figure for figure in drawn if figure.path is not None]
    if done and not wish.quiet:
        tell(f"{len(done)} of {len(drawn)} figures are in {wish.figures}")


def _tell_verdicts(results: Results) -> None:
    from hcbench.analysis.tables.overviews import count_verdicts

    if results.judged:
        tell(f"claims: {count_verdicts(results.judged)}")


def without_password(command: str) -> str:
    """The command, for everyone to read: that of a store's URL stays out of it."""
    shown = re.sub(r"(://[^:/@\s]*):[^@\s]*@", r"\1:***@", command)
    return re.sub(r"\b((?:ssl)?password)=[^&'\s]*", r"\1=***", shown)


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
        tell(f"see a failure with: hcbench rerun {failed.key[:8]} --in-process{files}")
    if store.location != ":memory:":
        tell(f"kept in {store.location}; see hcbench results")
    if shard is not None:
        tell(f"this is {shard}; when all are there: hcbench results merge STORE... -o STORE")
