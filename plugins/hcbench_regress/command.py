"""``regress``: what became worse from one commit of a project to another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hcbench import commands
from hcbench.commands import tell, write_json
from hcbench.errors import ExitCode

if TYPE_CHECKING:
    from hcbench_regress.commits import Commit


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
    help="With --measure: the package whose plugins are measured; by default that of the "
    "repository. Repeatable.",
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
    is worse. Without --measure, a time that asv has measured as more than 1.5 times as long is
    suspected. The exit code is 1 if anything became worse or is suspected. A line
    "Accepted-Regression: BENCHMARK" in a commit message accepts either.
    """
    from hcbench.analysis import to_markdown
    from hcbench.commands import write_blocks
    from hcbench_regress.commits import accepted_between, find_commit, find_root
    from hcbench_regress.records import read_both
    from hcbench_regress.tables import closing_lines, describe, overview_blocks
    from hcbench_regress.verdicts import WORSE, judge

    if (only or distributions) and not measure:
        raise click.UsageError("--only and --distribution are for --measure")
    root = find_root(Path.cwd())
    base_commit = find_commit(root, base)
    head_commit = find_commit(root, head)
    environment = ""
    if measure:
        environment = _measure(
            root, base_commit, head_commit, results, only, distributions, tolerance
        )
    judged = judge(
        read_both(results, base_commit, head_commit, environment),
        accepted=list(accept) + accepted_between(root, base_commit, head_commit),
        tolerance=tolerance,
    )
    lines = closing_lines(judged, base_commit, head_commit)
    blocks = overview_blocks(judged, base_commit, head_commit, everything=everything)
    if form == "json":
        write_json(describe(judged, base_commit, head_commit))
    elif form == "markdown":
        click.echo(to_markdown(blocks, lines), nl=False)
    else:
        write_blocks(blocks)
        for line in lines:
            click.echo(line)
    if any(entry.verdict in WORSE for entry in judged):
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
    from hcbench_regress.commits import install, installed_distributions
    from hcbench_regress.measuring import measure_in_turns
    from hcbench_regress.records import write_both

    folders = []
    for commit in (base, head):
        tell(f"installing {commit.name} ({commit.short})")
        folders.append(install(root, commit, results.absolute().parent / "regress"))
    base_folder, head_folder = folders
    # What else is installed here is the same for both commits.
    if not distributions:
        distributions = installed_distributions(head_folder)
    base_process = MeasuringProcess(distributions, base_folder, f"{base.name} ({base.short})")
    head_process = MeasuringProcess(distributions, head_folder, f"{head.name} ({head.short})")
    # Half of the tolerance: screening should miss few times that differ by all of it.
    suspicious = 1 + tolerance / 2
    measured = measure_in_turns(base_process, head_process, only, suspicious=suspicious, tell=tell)
    versions = (base_process.version, head_process.version)
    return write_both(results, base, head, measured, versions)
