"""``results rescore``: compute new metrics of stored results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hcbench.cli.loading import load_plugins
from hcbench.cli.options import (
    JOBS,
    PLUGIN,
    QUIET,
    RESULTS_FORMAT,
    RUN,
    STORE,
    examples,
    names_option,
)
from hcbench.cli.terminal import stdout_for_data, tell
from hcbench.errors import ExitCode


@click.command(epilog=examples("hcbench results rescore --metrics dasgupta,AARI 3"))
@RUN
@names_option(
    "--metrics", "metrics", "Metrics to compute, in addition to those of the run.", required=True
)
@JOBS
@STORE
@PLUGIN
@RESULTS_FORMAT
@QUIET
@click.pass_context
def rescore(
    context: click.Context,
    *,
    run: str | None,
    metrics: Sequence[str],
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
    from hcbench.analysis.results import Results
    from hcbench.cli.draw import write_results
    from hcbench.cli.progress import follow
    from hcbench.run.rescore import plan_of_run
    from hcbench.run.run import rescore_plan
    from hcbench.store import Store

    registry = load_plugins(plugin, quiet=quiet)
    with Store(store) as opened:
        info = opened.run(run)
        with stdout_for_data():
            wanted = plan_of_run(opened, info, registry, metrics)
            for change in () if quiet else wanted.changes:
                tell(f"note: {change}")
            with follow(quiet=quiet) as observer:
                outcomes = rescore_plan(
                    wanted.plan,
                    wanted.stored_results,
                    registry.plugins,
                    opened,
                    jobs=jobs,
                    command=context.obj,
                    observer=observer,
                )
        location = opened.location
    write_results(Results.of_plan(wanted.plan, outcomes), format)
    failed = sum(bool(outcome.metric_errors) for outcome in outcomes)
    if not quiet:
        tell(f"metrics of run {info.id} of {location}; see hcbench results")
        if failed:
            tell(f"a metric failed in {failed} cells")
    context.exit(ExitCode.CELLS_FAILED if failed else ExitCode.OK)
