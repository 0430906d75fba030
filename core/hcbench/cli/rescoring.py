"""``results rescore``: more metrics of stored results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from hcbench.cli import options
from hcbench.cli.loading import load_plugins, open_store
from hcbench.cli.terminal import stdout_for_data, tell
from hcbench.errors import ExitCode


@click.command(epilog=options.examples("hcbench results rescore --metrics dasgupta,AARI 3"))
@options.RUN
@options.names_option(
    "--metrics", "Metrics to compute, in addition to those of the run.", required=True
)
@options.JOBS
@options.STORE
@options.PLUGIN
@options.RESULTS_FORMAT
@options.QUIET
@click.pass_context
def rescore(
    context: click.Context,
    *,
    run: str | None,
    metrics: Sequence[str],
    jobs: int | None,
    store: str | None,
    plugin: Sequence[Path],
    form: str,
    quiet: bool,
) -> None:
    """Compute more metrics of the stored results of a run.

    RUN is by default the last. No algorithm runs, or needs to be installed; the data are generated
    again. The result is a new run with the old and the new metrics.
    """
    from hcbench.analysis.notes import Note
    from hcbench.cli.draw import write_results
    from hcbench.cli.progress import follow
    from hcbench.results.results import Results
    from hcbench.run.rescore import plan_of_run
    from hcbench.run.run import rescore_plan

    registry = load_plugins(plugin, quiet=quiet)
    with open_store(store) as opened:
        info = opened.run(run)
        with stdout_for_data():
            rescoring = plan_of_run(opened, info, registry, metrics)
            with follow(opened, quiet=quiet) as observer:
                outcomes = rescore_plan(
                    rescoring.plan,
                    rescoring.stored_results,
                    registry.plugins,
                    opened,
                    jobs=jobs,
                    command=context.obj,
                    observer=observer,
                )
    run_results = Results.of_plan(rescoring.plan, outcomes)
    # Data sets that yield other data now, and the like: the new values are of what there is now.
    remarks = list(run_results.remarks)
    for change in rescoring.changes:
        remarks.append(Note(kind="change", text=change))
    run_results = replace(run_results, remarks=tuple(remarks))
    write_results(run_results, form)
    n_failed = 0
    for outcome in outcomes:
        if outcome.metric_errors:
            n_failed += 1
    if not quiet:
        tell(f"metrics of run {info.id} of {opened.location}; see hcbench results")
        if n_failed:
            tell(f"a metric failed in {n_failed} cells")
    if n_failed:
        context.exit(ExitCode.CELLS_FAILED)
