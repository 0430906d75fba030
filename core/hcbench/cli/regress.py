"""``regress``: what became worse between two commits of a project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hcbench.cli.options import examples
from hcbench.cli.terminal import tell, write_json, write_table
from hcbench.errors import ExitCode

if TYPE_CHECKING:
    from hcbench.authoring.regress import Commit, Judged


@click.command(
    epilog=examples(
        "hcbench regress main HEAD --measure",
        "hcbench regress v0.1 HEAD --format markdown",
        "hcbench regress main HEAD --measure --only 'algorithm_4*' --tolerance 0.2",
    )
)
@click.argument("base")
@click.argument("head", default="HEAD")
@click.option(
    "--measure",
    is_flag=True,
    help="Install both commits beside each other and measure them in turns, as times need it; "
    "what they require is taken as it is installed here.",
)
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".asv/results"),
    show_default=True,
    help="Where asv keeps its results.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="With --measure: only benchmarks of such names, as 'algorithm_SL' or "
    "'metric_*'. Repeatable.",
)
@click.option(
    "--distribution",
    "distributions",
    multiple=True,
    metavar="NAME",
    help="With --measure: the package whose registrations are measured; by default all.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=0.1,
    show_default=True,
    help="How much longer a call may take, as a part of its time.",
)
@click.option(
    "--accept",
    multiple=True,
    metavar="PATTERN",
    help="Benchmarks that may become worse, with * and ?. Repeatable.",
)
@click.option("--all", "everything", is_flag=True, help="Show what is the same, too.")
@click.option(
    "--format",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
    help="How it is written to stdout.",
)
def regress(
    *,
    base: str,
    head: str,
    measure: bool,
    results: Path,
    only: Sequence[str],
    distributions: Sequence[str],
    tolerance: float,
    accept: Sequence[str],
    everything: bool,
    format: str,  # noqa: A002
) -> None:
    """Tell what became worse from one commit to another.

    Exit code 1 if anything did from BASE to HEAD. The results of asv are compared: numbers of
    questions, losses and values exactly, memory with a tolerance, times by pairs that were measured
    in turns. A benchmark that fails in HEAD alone is worse. A commit message accepts a regression
    by a line "Accepted-Regression: BENCHMARK".
    """
    from hcbench.authoring.regress import accepted_between, find_commit, find_root, judge, read_both

    if (only or distributions) and not measure:
        raise click.UsageError("--only and --distribution are for --measure")
    root = find_root(Path.cwd())
    commits = find_commit(root, base), find_commit(root, head)
    environment = ""
    if measure:
        environment = _measure(root, *commits, results, only, distributions, tolerance)
    judged = judge(
        read_both(results, *commits, environment),
        accepted=[*accept, *accepted_between(root, *commits)],
        tolerance=tolerance,
    )
    _write(judged, *commits, format, everything=everything)
    if any(one.verdict == "regression" for one in judged):
        raise click.exceptions.Exit(ExitCode.CELLS_FAILED)


def _measure(
    root: Path,
    base: Commit,
    head: Commit,
    results: Path,
    only: Sequence[str],
    distributions: Sequence[str],
    tolerance: float,
) -> str:
    """Measure two commits in turns, and keep what is found with asv's results."""
    from hcbench.authoring.regress import Turns, write_both
    from hcbench.authoring.regress.sides import Side, install

    folder = results.absolute().parent / "regress"
    for commit in (base, head):
        tell(f"installing {commit.name} ({commit.short})")
        install(root, commit, folder)
    one, other = (Side(c, install(root, c, folder), distributions) for c in (base, head))
    found = Turns(one, other, only, suspicious=1 + tolerance / 2, tell=tell).measure()
    return write_both(results, base, head, found, (one.version, other.version))


def _write(
    judged: Sequence[Judged], base: Commit, head: Commit, form: str, *, everything: bool
) -> None:
    from hcbench.analysis.tables.markup import to_markdown
    from hcbench.authoring.regress import describe, overview_blocks, summary

    if form == "json":
        write_json(describe(judged, base, head))
        return
    blocks = overview_blocks(judged, base, head, everything=everything)
    if form == "markdown":
        click.echo(to_markdown(blocks, [summary(judged)]), nl=False)
        return
    for block in blocks:
        rows = [[entry.text for entry in row] for row in block.rows]
        numeric = [name for name, right in zip(block.header, block.numeric, strict=True) if right]
        write_table(block.header, rows, right=numeric, whole=("verdict",))
    click.echo(summary(judged))
