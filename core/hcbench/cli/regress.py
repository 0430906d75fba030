"""``regress``: what became worse from one commit of a project to another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hcbench.cli import options
from hcbench.cli.terminal import tell, write_json
from hcbench.errors import ExitCode

if TYPE_CHECKING:
    from hcbench.authoring.regress import Commit


@click.command(
    epilog=options.examples(
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
    type=options.FOLDER,
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
    type=click.FloatRange(min=0),
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
@options.format_option("table", "markdown", "json")
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
    tolerance, and times by pairs that were measured in turns. A benchmark that fails only in HEAD
    is worse. The exit code is 1 if anything became worse. A line "Accepted-Regression: BENCHMARK"
    in a commit message accepts a regression.
    """
    from hcbench.analysis.tables import to_markdown
    from hcbench.authoring import regress as regressions
    from hcbench.cli.draw import write_blocks

    if (only or distributions) and not measure:
        raise click.UsageError("--only and --distribution are for --measure")
    root = regressions.find_root(Path.cwd())
    commits = regressions.find_commit(root, base), regressions.find_commit(root, head)
    environment = ""
    if measure:
        environment = _measure(root, *commits, results, only, distributions, tolerance)
    judged = regressions.judge(
        regressions.read_both(results, *commits, environment),
        accepted=[*accept, *regressions.accepted_between(root, *commits)],
        tolerance=tolerance,
    )
    blocks = regressions.overview_blocks(judged, *commits, everything=everything)
    if form == "json":
        write_json(regressions.describe(judged, *commits))
    elif form == "markdown":
        click.echo(to_markdown(blocks, [regressions.summary(judged)]), nl=False)
    else:
        write_blocks(blocks)
        click.echo(regressions.summary(judged))
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
    from hcbench.authoring import regress as regressions
    from hcbench.authoring.asv.process import MeasuringProcess

    processes = []
    for commit in (base, head):
        tell(f"installing {commit.name} ({commit.short})")
        folder = regressions.install(root, commit, results.absolute().parent / "regress")
        name = f"{commit.name} ({commit.short})"
        processes.append(MeasuringProcess(distributions, folder, name))
    one, other = processes
    measured = regressions.measure_in_turns(
        one, other, only, suspicious=1 + tolerance / 2, tell=tell
    )
    return regressions.write_both(results, base, head, measured, (one.version, other.version))
