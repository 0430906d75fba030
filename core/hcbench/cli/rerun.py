"""``rerun``: run one stored cell again, to examine a failure."""

from __future__ import annotations

import pdb
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.loading import load_plugins, open_store
from hcbench.cli.option_types import read_time
from hcbench.cli.terminal import stdout_for_data, tell, write_table
from hcbench.errors import ExitCode, PluginError
from hcbench.model.text import printable

if TYPE_CHECKING:
    from hcbench.plan.cell import Cell
    from hcbench.plan.outcome import Outcome
    from hcbench.run.job import Call
    from hcbench.store.store import Store


@click.command(epilog=options.examples("hcbench rerun 3fa2b1 --in-process --pdb"))
@click.argument("cell")
@click.option(
    "--in-process", is_flag=True, help="Run it in this process, so that a debugger and print work."
)
@click.option(
    "--pdb", "debug", is_flag=True, help="With --in-process: debug the exception that was raised."
)
@click.option(
    "--timeout",
    type=read_time,
    default="300s",
    metavar="TIME",
    help="Wall time in an isolated worker: seconds, or such as 90s, 10min, 1h; or none.",
)
@options.STORE
@options.PLUGIN
def rerun(
    *,
    cell: str,
    in_process: bool,
    debug: bool,
    timeout: float,
    store: str | None,
    plugin: Sequence[Path],
) -> ExitCode:
    """Run one stored cell again, and compare the results.

    CELL is the beginning of its key, which hcbench results show lists for failures. Nothing is
    stored but paid answers. Without --in-process it runs in an isolated worker, as in a run.
    """
    if debug and not in_process:
        raise click.UsageError("--pdb needs --in-process")
    from hcbench.run.again import rebuild, run_in_worker

    registry = load_plugins(plugin)
    with open_store(store) as opened:
        stored, description = opened.cell(cell)
    if not stored.key:
        raise click.UsageError(f"this combination cannot be run: {stored.reason}")
    again, changes = rebuild(stored, description, registry)
    # Such as another edition of the algorithm: results may differ for that reason.
    for change in changes:
        tell(f"warning: {change}")
    raised = None
    if in_process:
        fresh, raised = _in_process(again, opened, stdout=debug)
    else:
        fresh = run_in_worker(again, opened, registry, timeout)
    _show(again, stored, fresh)
    if debug and fresh.failed and raised is not None:
        pdb.post_mortem(raised.__traceback__)
    elif debug:
        tell("no exception was raised that could be debugged")
    if fresh.failed:
        return ExitCode.CELLS_FAILED
    return ExitCode.OK


def _in_process(cell: Cell, store: Store, *, stdout: bool) -> tuple[Outcome, BaseException | None]:
    """Run a cell in this process; return its outcome and the exception it raised."""
    from hcbench.run.cell import run_job
    from hcbench.run.record import outcome_of
    from hcbench.run.tasks import make_job
    from hcbench.run.workers import Report

    raised: list[BaseException] = []

    def watched(call: Call) -> Call:
        """The same call, which records what it raises."""
        try:
            original = call.load()
        except PluginError:
            # The job reports it.
            return call

        # With the signature of the original, which says whether it takes a request.
        @wraps(original)
        def function(*args: Any, **params: Any) -> Any:
            try:
                return original(*args, **params)
            except BaseException as error:
                raised.append(error)
                raise

        return replace(call, function=function)

    # The calls of the data set, of the oracle and of the algorithm are watched; not the metrics,
    # whose errors are values.
    metric_labels = [metric.label for metric in cell.metrics]
    job = make_job(cell, metric_labels, store)
    job = replace(
        job,
        dataset=watched(job.dataset),
        oracle=watched(job.oracle),
        algorithm=watched(job.algorithm),
    )
    if stdout:
        # A debugger writes to stdout.
        done = run_job(job)
    else:
        with stdout_for_data():
            done = run_job(job)
    outcome = outcome_of(cell, Report(cell, "done", done))
    if not raised:
        return outcome, None
    # The last one: earlier ones are from the warm-up.
    return outcome, raised[-1]


def _show(cell: Cell, stored: Outcome, fresh: Outcome) -> None:
    """Write both side by side, then the log and the traceback of the new one."""
    click.echo(f"cell {stored.key}")
    click.echo(printable(f"{stored.algorithm} on {stored.dataset} through {stored.oracle}"))
    click.echo(f"repetition {stored.repetition}, seed {stored.seed}")
    if fresh.data_digest and stored.data_digest not in ("", fresh.data_digest):
        tell("warning: the data set yields other data now")
    units = {metric.label: metric.spec.unit for metric in cell.metrics}
    before = _facts(stored, units)
    after = _facts(fresh, units)
    # Facts of one side only come last.
    names = list(before)
    for name in after:
        if name not in before:
            names.append(name)
    rows = []
    for name in names:
        rows.append((name, before.get(name, "-"), after.get(name, "-")))
    click.echo()
    write_table(("", "stored", "now"), rows, unwrapped=("",))
    for title, text in (("log", fresh.log), ("traceback", fresh.traceback)):
        if text:
            click.echo(f"\n{title}:\n{printable(text.rstrip())}")
    # Before a debugger starts to write.
    sys.stdout.flush()


#: Of costs; the others are numbers of queries.
_UNITS = {
    "seconds": "s",
    "oracle_seconds": "s",
    "processor_seconds": "s",
    "latency": "s",
    "peak_bytes": "bytes",
    "price": "",
    "tokens": "",
    "saved": "",
}


def _facts(outcome: Outcome, units: Mapping[str, str]) -> dict[str, str]:
    """Status, cost and values of an outcome, as far as they were measured."""
    from hcbench.analysis.tables import format_spread

    status: str = outcome.status
    if outcome.reason:
        status = f"{outcome.status}: {outcome.reason}"
    facts = {"status": status}
    if outcome.stopped:
        facts["stopped"] = outcome.stopped
    if outcome.notes:
        facts["notes"] = "; ".join(outcome.notes)
    for name, number in asdict(outcome.cost).items():
        if number is not None:
            unit = _UNITS.get(name, "queries")
            facts[name.replace("_", " ")] = format_spread(number, None, unit)
    facts |= _values(outcome, units)
    return facts


def _values(outcome: Outcome, units: Mapping[str, str]) -> dict[str, str]:
    """The values of metrics at the checkpoints and at the end, or why there are none."""
    from hcbench.analysis.tables import format_spread
    from hcbench.plan.outcome import REPORTED, unit_of_cost

    values = {}
    for point in outcome.points:
        for label, value in sorted(point.values.items()):
            # A failed call has no result to be judged, but may have reported what it cost.
            if outcome.failed and not label.endswith(REPORTED):
                continue
            name = label
            if point.checkpoint is not None:
                name += f" at {point.checkpoint:,}"
            text = value.reason
            if value.status == "ok":
                unit = units.get(label) or unit_of_cost(label) or ""
                text = format_spread(value.value, None, unit)
            values[name] = text
    return values
