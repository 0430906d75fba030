"""``clusters``: how many clusters a tree has, by several criteria."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.completing import complete_source
from hcbench.cli.draw import write_text
from hcbench.cli.loading import load_plugins
from hcbench.cli.option_types import IntegerRange, OutputFile, read_time
from hcbench.cli.progress import count_steps
from hcbench.cli.rows import TABLES, write_rows
from hcbench.cli.terminal import stdout_for_data, tell, write_json, write_table
from hcbench.cli.tree import read_counts_of_clusters
from hcbench.cli.tree_source import SOURCE_OPTIONS, take_source

if TYPE_CHECKING:
    from hcbench.analysis.cluster_numbers import Number

#: The fields of a `Number` that are shown, in this order.
_COLUMNS = ("k", "smallest", "stability", "weakest", "strength", "silhouette", "gap", "gap_error")


@click.command(
    epilog=options.examples(
        "hcbench clusters UPGMA ./expr.csv",
        "hcbench clusters 'UPGMA[metric=correlation]' ./expr.csv --k 1-12 -o numbers.csv",
        "hcbench clusters 3 --algos Ward --datasets iris --replicates 100",
    )
)
@click.argument("source", nargs=-1, metavar="[RUN|ALGORITHM DATA]", shell_complete=complete_source)
@click.option(
    "--k",
    "counts",
    type=read_counts_of_clusters,
    default="1-10",
    show_default=True,
    metavar="N[,N...]",
    help="Numbers of clusters: 2,5,9 or 1-10.",
)
@click.option(
    "--replicates",
    type=IntegerRange(min=2),
    default=50,
    show_default=True,
    metavar="N",
    help="Number of subsamples of 80 % of the items.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(*TABLES),
    help="Output file: .csv, .tsv or .json; by default the table goes to stdout.",
)
@click.option(
    "--limit",
    type=read_time,
    default="none",
    show_default=True,
    metavar="TIME",
    help="Seconds, or such as 90s or 10min, after which no further fit begins; what was left out "
    "is said.",
)
@options.with_options(*SOURCE_OPTIONS)
@options.STORE
@options.PLUGIN
@options.format_option("table", "csv", "json")
@options.QUIET
def clusters(
    *,
    source: tuple[str, ...],
    counts: tuple[int, ...],
    replicates: int,
    limit: float,
    output: Path | None,
    store: str | None,
    plugin: Sequence[Path],
    form: str,
    quiet: bool,
    **choices: Any,
) -> None:
    """Say how many clusters a tree has, and how sure that is.

    For each number k: the stability of the cut over subsamples (mean adjusted Rand index), that of
    its weakest cluster (mean Jaccard similarity, Hennig 2007), the prediction strength (Tibshirani
    and Walther 2005), the mean silhouette width, and the gap statistic (Tibshirani et al. 2001).

    The source is as of hcbench tree. The algorithm is fitted again to subsamples, halves, and data
    without clusters, in this process.
    """
    from hcbench.analysis.cluster_numbers import best_numbers, describe_best
    from hcbench.api.cluster_numbers import measure_numbers

    tree_source = take_source(source, choices)
    registry = load_plugins(plugin, quiet=quiet)
    with stdout_for_data():
        fitted = tree_source.read(store, registry, quiet=quiet)
        # Each replicate is a fit, so that this may take much longer than the tree.
        with count_steps("fits", quiet=quiet) as progress:
            measured = measure_numbers(
                fitted,
                counts,
                count=replicates,
                seed=tree_source.seed,
                limit=limit,
                progress=progress,
            )
    numbers = measured.rows
    best = best_numbers(numbers)
    sentences = describe_best(numbers, best)
    if measured.omitted:
        sentences.append(f"There was no time for {'; '.join(measured.omitted)}.")
    rows = list(map(_describe, numbers))
    if output is not None:
        write_rows(rows, output)
    elif form == "json":
        write_json({"title": fitted.title, "numbers": rows, "best": best, "notes": sentences})
    elif form == "csv":
        from hcbench.results.results import to_csv

        write_text(to_csv(rows))
    else:
        header = [name.replace("_", " ") for name in _COLUMNS]
        write_table(header, list(map(_texts_of, rows)), right=header)
    # The JSON on stdout has the notes; a file has rows only.
    if output is not None or form != "json":
        _tell(fitted.notes, sentences, quiet=quiet, to_stdout=output is None and form == "table")


def _describe(number: Number) -> dict[str, Any]:
    """The criteria of a number of clusters, by the names of the columns."""
    criteria = asdict(number)
    row = {}
    for name in _COLUMNS:
        row[name] = criteria[name]
    return row


def _texts_of(row: dict[str, Any]) -> list[str]:
    """The cells of a row of the table."""
    texts = []
    for value in row.values():
        if value is None:
            # Some criteria are not defined for one cluster.
            texts.append("-")
        elif isinstance(value, int):
            texts.append(str(value))
        else:
            texts.append(f"{value:.2f}")
    return texts


def _tell(notes: Sequence[str], sentences: Sequence[str], *, quiet: bool, to_stdout: bool) -> None:
    """Notes to stderr, and what the criteria say below the table or to stderr."""
    if not quiet:
        for note in notes:
            tell(f"note: {note}")
    for sentence in sentences:
        # Below the table they are part of the answer, which --quiet does not take away.
        if to_stdout:
            click.echo(sentence)
        elif not quiet:
            tell(sentence)
