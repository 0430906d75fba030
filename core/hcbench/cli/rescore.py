"""``results rescore``: compute new metrics of stored results."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hcbench.cli.loading import load_plugins
from hcbench.cli.options import PLUGIN, QUIET, STORE, examples
from hcbench.cli.param_types import Names
from hcbench.cli.stored import place_of
from hcbench.cli.terminal import stdout_for_data, tell
from hcbench.errors import ExitCode

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.registry import Registry
    from hcbench.run.rescore import StoredPlan
    from hcbench.store import Store


@click.command(epilog=examples("hcbench results rescore --metrics dasgupta,AARI 3"))
@click.argument("run", type=click.IntRange(min=1), required=False)
@click.option(
    "--metrics",
    type=Names("metrics"),
    multiple=True,
    required=True,
    metavar="NAMES",
    help="Metrics to compute, in addition to those of the run.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Worker processes; by default one per core.",
)
@STORE
@PLUGIN
@click.option(
    "--format",
    type=click.Choice(["table", "json", "csv", "markdown", "latex"]),
    default="table",
    show_default=True,
    help="Output format.",
)
@QUIET
@click.pass_context
def rescore(
    context: click.Context,
    *,
    run: int | None,
    metrics: Sequence[tuple[str, ...]],
    jobs: int | None,
    store: str | None,
    plugin: Sequence[Path],
    format: str,  # noqa: A002
    quiet: bool,
) -> None:
    """Compute more metrics of the stored results of a run.

    RUN is by default the last. No algorithm runs, or needs to be installed; the data are generated
    again. The result is a new run with the old and the new metrics.
    """
    from hcbench.cli.draw import write_results
    from hcbench.run.rescore import plan_of_run
    from hcbench.store import Store

    registry = load_plugins(plugin, quiet=quiet)
    names = [name for part in metrics for name in part]
    with Store(place_of(store)) as opened:
        info = opened.run(run)
        with stdout_for_data():
            wanted = plan_of_run(opened, info, registry, names)
            for change in () if quiet else wanted.changes:
                tell(f"note: {change}")
            results = _compute(wanted, registry, opened, context.obj, jobs, quiet)
        location = opened.location
    write_results(results, format)
    failed = sum(bool(outcome.metric_errors) for outcome in results.outcomes)
    if not quiet:
        tell(f"metrics of run {info.id} of {location}; see hcbench results")
        if failed:
            tell(f"a metric failed in {failed} cells")
    context.exit(ExitCode.CELLS_FAILED if failed else ExitCode.OK)


def _compute(
    wanted: StoredPlan,
    registry: Registry,
    store: Store,
    command: Sequence[str] | None,
    jobs: int | None,
    quiet: bool,
) -> Results:
    from hcbench.analysis.results import Results
    from hcbench.cli.compare import INTERRUPTED, without_password
    from hcbench.cli.progress import follow
    from hcbench.run.run import rescore_plan

    said = without_password(shlex.join(command or ["hcbench", "results", "rescore"]))
    try:
        with follow(quiet=quiet) as observer:
            outcomes = rescore_plan(
                wanted.plan,
                wanted.stored_results,
                registry.plugins,
                store,
                jobs=jobs,
                command=said,
                observer=observer,
            )
    except KeyboardInterrupt:
        raise click.Abort(INTERRUPTED) from None
    return Results.of_plan(wanted.plan, outcomes)
