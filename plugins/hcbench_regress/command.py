"""``regress``: what became worse from one commit of a project to another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hcbench import ExitCode, commands
from hcbench.commands import tell, write_json

if TYPE_CHECKING:
    from hcbench_regress.comparing import Commit


@click.command(
    epilog=commands.examples(
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
    help="Install both commits side by side and measure them in turns, with the dependencies that "
    "are installed here.",
)
@click.option(
    "--results",
    type=commands.FOLDER,
    default=Path(".asv/results"),
    help="Where asv keeps its results.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="With --measure: only benchmarks with matching names, such as 'algorithm_SL' or "
    "'metric_*'. Repeatable.",
)
@click.option(
    "--distribution",
    "distributions",
    multiple=True,
    metavar="NAME",
    help="With --measure: the package whose plugins are measured; by default all.",
)
@click.option(
    "--tolerance",
    type=commands.NumberRange(min=0),
    default=0.1,
    help="How much longer a call may take, as a fraction of its time.",
)
@click.option(
    "--accept",
    multiple=True,
    metavar="PATTERN",
    help="Benchmarks that may become worse, with * and ?. Repeatable.",
)
@click.option("--all", "everything", is_flag=True, help="Also show what did not change.")
@commands.format_option("table", "markdown", "json")
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
    form: str,
) -> None:
    """Show what became worse between two commits.

    Compares the results of asv: numbers of queries, losses and values exactly, memory with a
    tolerance, and times by pairs that were measured in turns. Of the times that are said to differ
    by more than the tolerance, at most 5 % do not, on average. A benchmark that fails only in HEAD
    is worse. The exit code is 1 if anything became worse. A line "Accepted-Regression: BENCHMARK"
    in a commit message accepts a regression.
    """
    from hcbench.analysis import to_markdown
    from hcbench.commands import write_blocks
    from hcbench_regress import comparing

    if (only or distributions) and not measure:
        raise click.UsageError("--only and --distribution are for --measure")
    root = comparing.find_root(Path.cwd())
    commits = comparing.find_commit(root, base), comparing.find_commit(root, head)
    environment = ""
    if measure:
        environment = _measure(root, *commits, results, only, distributions, tolerance)
    judged = comparing.judge(
        comparing.read_both(results, *commits, environment),
        accepted=[*accept, *comparing.accepted_between(root, *commits)],
        tolerance=tolerance,
    )
    blocks = comparing.overview_blocks(judged, *commits, everything=everything)
    if form == "json":
        write_json(comparing.describe(judged, *commits))
    elif form == "markdown":
        click.echo(to_markdown(blocks, [comparing.summary(judged)]), nl=False)
    else:
        write_blocks(blocks)
        click.echo(comparing.summary(judged))
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
    """Measure two commits in turns, and store the results beside those of asv."""
    from hcbench.asv import MeasuringProcess
    from hcbench_regress import comparing

    processes = []
    for commit in (base, head):
        tell(f"installing {commit.name} ({commit.short})")
        folder = comparing.install(root, commit, results.absolute().parent / "regress")
        name = f"{commit.name} ({commit.short})"
        processes.append(MeasuringProcess(distributions, folder, name))
    one, other = processes
    measured = comparing.measure_in_turns(one, other, only, suspicious=1 + tolerance / 2, tell=tell)
    return comparing.write_both(results, base, head, measured, (one.version, other.version))
