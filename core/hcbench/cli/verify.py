"""``hcbench verify``: run a share of the results of others again."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.loading import load_plugins
from hcbench.cli.option_types import PATH, IntegerRange, read_time
from hcbench.cli.progress import display
from hcbench.cli.terminal import tell, write_json, write_table
from hcbench.errors import ExitCode
from hcbench.model.text import printable, shell_command

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.run.verifying import Compared, Verification

_MOST_SHOWN = 20  # differences in a table
_AGREEMENTS = {
    "equal": "met to the bit",
    "rounding": "met but for rounding",
    "different": "different",
}


@click.command(
    epilog=options.examples(
        "hcbench verify results --share 0.05",
        "hcbench verify results --share 0.05 --seed 831 --plugin ./theirs.py",
    )
)
@click.argument("sources", nargs=-1, required=True, type=PATH, metavar="RESULTS...")
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.05,
    show_default=True,
    help="How much of the cells is run again, at least one.",
)
@click.option(
    "--seed",
    type=IntegerRange(min=0),
    help="Selects the cells; by default it is random, and shown.",
)
@click.option(
    "--timeout",
    type=read_time,
    default="300s",
    metavar="TIME",
    help="Wall time of a cell: seconds, or such as 90s, 10min, 1h; or none.",
)
@options.JOBS
@options.PLUGIN
@options.JSON_OR_TABLE
@options.QUIET
def verify(
    *,
    sources: Sequence[Path],
    share: float,
    seed: int | None,
    timeout: float,
    jobs: int | None,
    plugin: Sequence[Path],
    form: str,
    quiet: bool,
) -> ExitCode:
    """Run a random share of exported results again, and compare.

    RESULTS are folders or files that hcbench results export wrote. Values are met to the bit, met
    but for rounding (a relative difference of at most 1e-9), or different. Times are compared by
    their order only. Seeds and keys are checked of all cells. Cells whose answers cost money, whose
    plugins, libraries or data are not here, or that ended at a limit of the machine are not run
    again. The results are data: only installed plugins and those of --plugin are executed.
    """
    from hcbench.run.environment import usable_cores

    registry = load_plugins(plugin, quiet=quiet)
    if seed is None:
        # Whoever has made the results cannot know it.
        seed = secrets.randbelow(2**31)
    verifications = []
    for source in sources:
        verification = _verify(
            source,
            registry,
            share=share,
            seed=seed,
            timeout=timeout,
            jobs=jobs or usable_cores(),
            quiet=quiet,
        )
        verifications.append((source, verification))
    if form == "json":
        descriptions = [_described(source, verification) for source, verification in verifications]
        write_json(descriptions)
    else:
        for source, verification in verifications:
            _write(source, verification)
            if not quiet:
                _tell_about(source, verification, share, plugin)
    for _, verification in verifications:
        if not verification.is_met:
            return ExitCode.CELLS_FAILED
    return ExitCode.OK


def _verify(source: Path, registry: Registry, *, quiet: bool, **settings: Any) -> Verification:
    """Read results into memory, and run a share of their cells again."""
    from hcbench.results.exports import read_export
    from hcbench.results.folder_reading import read_folder
    from hcbench.run.verifying import verify_run
    from hcbench.store import Store
    from hcbench.store.exchange import import_run

    if source.is_dir():
        description = read_folder(source)
    else:
        description = read_export(source)
    # In memory, so that the user's own store has nothing of what is merely claimed.
    with Store(":memory:") as store, display(quiet=quiet) as progress_display:

        def show(done: int, total: int) -> None:
            if progress_display is not None:
                progress_display.show(done, total, lambda: [f"{done} of {total} cells run again"])

        import_run(store, description, str(source))
        # Others only say where cells were measured that it has reused.
        run = max(store.runs(), key=lambda run: run.cells)
        return verify_run(store, run.id, registry, progress=show, **settings)


def _write(source: Path, verification: Verification) -> None:
    """Write counts and differences to stdout."""
    n_again = verification.run_again
    click.echo(f"{source}: {n_again} of {verification.cells} cells run again")
    counts = _counts_of(verification)
    rows = [(text, str(counts[agreement])) for agreement, text in _AGREEMENTS.items()]
    click.echo()
    write_table(("numbers", "count"), rows, right=("count",))
    different = _different_of(verification)
    if different:
        click.echo()
        _write_differences(different)
    if verification.faults:
        click.echo("\ncells that contradict themselves:")
        for fault in verification.faults[:_MOST_SHOWN]:
            click.echo(f"  {printable(fault)}")
        if len(verification.faults) > _MOST_SHOWN:
            click.echo(f"  and {len(verification.faults) - _MOST_SHOWN} more")
    tau = verification.time_rank_correlation
    if tau is not None:
        click.echo(
            f"\norder of the times: Kendall's tau {tau:.2f} of {len(verification.seconds)} cells"
        )
    if not n_again:
        tell("nothing could be verified")


def _tell_about(
    source: Path, verification: Verification, share: float, plugins: Sequence[Path]
) -> None:
    """Write to stderr what could not be verified, and how to verify the same again."""
    for change in verification.changes:
        tell(f"warning: {change}")
    for reason, number in verification.excluded.items():
        tell(f"{number} cells are not run again: {reason}")
    # With the seed, which was random: others can repeat what was verified.
    words = ["hcbench", "verify", str(source), "--share", f"{share:g}"]
    words += ["--seed", str(verification.seed)]
    for file in plugins:
        words += ["--plugin", str(file)]
    command = shell_command(*words)
    tell(f"the same cells again: {command}")


def _write_differences(different: Sequence[Compared]) -> None:
    """Write a table of what is different."""
    rows = []
    for number in different[:_MOST_SHOWN]:
        rows.append(
            (
                number.cell[:8],
                number.algorithm,
                number.dataset,
                number.name,
                _text_of(number.stored),
                _text_of(number.now),
            )
        )
    header = ("cell", "algorithm", "dataset", "number", "stored", "now")
    write_table(header, rows, right=("stored", "now"), unwrapped=("cell",))
    if len(different) > _MOST_SHOWN:
        click.echo(f"and {len(different) - _MOST_SHOWN} more")


def _text_of(number: float | str | None) -> str:
    """A number with all digits that decide, or a text."""
    if number is None:
        return "-"
    # A digest of a tree, of which the beginning is enough to see that it differs.
    if isinstance(number, str):
        return number[:12]
    return f"{number:.12g}"


def _different_of(verification: Verification) -> list[Compared]:
    """The numbers that were not met."""
    different = []
    for number in verification.compared:
        if number.agreement == "different":
            different.append(number)
    return different


def _counts_of(verification: Verification) -> Counter[str]:
    """How many numbers agree in each way."""
    counts: Counter[str] = Counter()
    for number in verification.compared:
        counts[number.agreement] += 1
    return counts


def _described(source: Path, verification: Verification) -> dict[str, Any]:
    """A verification in plain values."""
    counts = _counts_of(verification)
    return {
        "source": str(source),
        "seed": verification.seed,
        "cells": verification.cells,
        "run_again": verification.run_again,
        "met": verification.is_met,
        "numbers": {agreement: counts[agreement] for agreement in _AGREEMENTS},
        "different": list(map(asdict, _different_of(verification))),
        "faults": verification.faults,
        "changes": verification.changes,
        "not_run_again": verification.excluded,
        "time_rank_correlation": verification.time_rank_correlation,
    }
