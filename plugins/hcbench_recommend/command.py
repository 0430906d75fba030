"""The command ``hcbench recommend``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from hcbench import commands
from hcbench.commands import tell, write_json

if TYPE_CHECKING:
    from hcbench_recommend.recommendation import Method, Recommendation

#: The most rows of the table in a terminal; JSON and the page have all.
MOST_ROWS = 15
_UNLIMITED = 1000  # characters, more than the table has


@click.command(
    epilog=commands.examples(
        "hcbench recommend './mine.csv[labels=kind]'",
        "hcbench recommend ./expr.csv --distances euclidean,correlation --report expr.html",
        "hcbench recommend ./mine.csv --plugin my_method.py",
        "hcbench recommend ./mine.csv --algos UPGMA,Ward,HDBSCAN --subsamples 20",
    )
)
@click.argument("data", metavar="DATA")
@click.option(
    "--algos",
    metavar="NAMES",
    default="",
    show_default=False,
    help="Methods to compare; default: a quick standard set, and those of --plugin.",
)
@click.option(
    "--metrics",
    metavar="NAMES",
    default="",
    show_default=False,
    help="Metrics that decide; by default external ones if the data have labels or a true tree; "
    "otherwise how far clusters of one half of the items are found again in the other.",
)
@click.option(
    "--distances",
    metavar="NAMES",
    default="",
    show_default=False,
    help="Distances to try, by scaling the rows: euclidean, correlation (mean 0 and standard "
    "deviation 1), cosine (length 1). Default: all for dense vectors of 5 columns or more.",
)
@click.option(
    "--subsamples",
    type=commands.IntegerRange(min=2),
    default=10,
    show_default=True,
    metavar="N",
    help="Number of random subsamples, or of divisions into halves.",
)
@click.option(
    "--share",
    type=commands.NumberRange(0, 1, min_open=True),
    help="Share of the items that are in a subsample, below 1; default: 0.8, or less for at most "
    "5000 items.",
)
@click.option(
    "--seed", type=commands.IntegerRange(min=0), default=0, metavar="N", help="Base of all seeds."
)
@click.option(
    "--timeout",
    type=commands.NumberRange(min=0, min_open=True),
    default=300.0,
    metavar="SECONDS",
    help="Wall time for one call of a method.",
)
@click.option(
    "-j", "--jobs", type=commands.IntegerRange(min=1), metavar="N", help="Cells at a time."
)
@click.option(
    "--report",
    type=commands.OutputFile(".html", ".htm"),
    help="Also write the answer and the results of the subsamples as one HTML page.",
)
@commands.PLUGIN
@commands.STORE
@commands.format_option("table", "json")
@commands.QUIET
def recommend(
    *,
    data: str,
    algos: str,
    metrics: str,
    distances: str,
    plugin: Sequence[Path],
    report: Path | None,
    jobs: int | None,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Say which method suits DATA, at what cost and with what confidence.

    DATA is a file or a data set, as for hcbench compare --datasets. Each method runs on all items,
    for its cost, and on random parts of them. With labels, a true tree or --metrics, metrics rank
    the methods in subsamples. Without, the items are divided into halves, and the methods are
    ranked by how far the clusters of one half are found again in the other, compared with data
    without clusters. Results are stored: the same command resumes, and hcbench results shows them.
    """
    from hcbench_recommend.recommending import recommend as run

    recommendation = run(
        data,
        split_names(algos),
        split_names(metrics),
        distances=split_names(distances),
        plugins=plugin,
        n_jobs=jobs,
        progress=False if quiet else None,
        command=click.get_current_context().obj,
        **options,
    )
    if form == "json":
        write_json(recommendation.to_dict())
    else:
        _print(recommendation)
    if report is not None:
        write_page(recommendation, report)
        tell(f"the page is in {report}")


def split_names(text: str) -> list[str]:
    """Names between commas that are outside brackets."""
    names = [""]
    depth = 0  # of brackets
    for character in text:
        if character == "[":
            depth += 1
        elif character == "]":
            depth -= 1
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return [name.strip() for name in names if name.strip()]


def make_table(recommendation: Recommendation) -> list[list[str]]:
    """The names of the columns, and a row for each method, the best first.

    Parameters
    ----------
    recommendation : Recommendation
    """
    columns = ["method", "score", "rank", "best in"]
    columns += [label.partition("[")[0] for label in recommendation.metrics]
    if recommendation.is_replicated:
        columns += ["clusters", "strength"]
    else:
        columns.append("stability")
    columns += ["seconds", "MiB"]
    rows = [columns]
    for method in recommendation.methods:
        rows.append(_row_of(method, recommendation))
    return rows


def _row_of(method: Method, recommendation: Recommendation) -> list[str]:
    """The cells of a method."""
    is_marked = method.name in recommendation.undecided[1:]
    row = [
        f"{method.name} *" if is_marked else method.name,
        f"{method.score:z.2f}",
        f"{method.rank:.2f}",
        f"{method.best}/{recommendation.subsamples}",
    ]
    row += [_number(method.values[label]) for label in recommendation.metrics]
    if recommendation.is_replicated:
        row.append("" if method.clusters is None else str(method.clusters))
        row.append(_number(method.strength))
    else:
        row.append(_number(method.stability))
    row.append("" if method.seconds is None else f"{method.seconds:.3g}")
    row.append("" if method.peak_bytes is None else f"{method.peak_bytes / 2**20:.1f}")
    return row


def describe_mark(recommendation: Recommendation) -> list[str]:
    """The legend of the table, if a method is marked."""
    if not recommendation.undecided[1:]:
        return []
    return ["* not separated from the first"]


def write_page(recommendation: Recommendation, path: Path) -> None:
    """Write the answer, its table and the results of the runs as one page.

    Parameters
    ----------
    recommendation : Recommendation
    path : Path
    """
    title = f"Recommendation for {recommendation.data}"
    lead: list[Any] = [title, recommendation.text, make_table(recommendation)]
    lead += describe_mark(recommendation)
    lead += recommendation.sentences[1:]  # the first is the text
    recommendation.results.report(path, lead=lead)


def _print(recommendation: Recommendation) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = make_table(recommendation)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    for name in rows[0]:
        justify: Literal["left", "right"] = "left" if name == "method" else "right"
        heading = Text(name.replace("-", "-\n"))
        table.add_column(heading, justify=justify, no_wrap=True, vertical="bottom")
    shown = rows[1 : MOST_ROWS + 1]
    for row in shown:
        table.add_row(*map(Text, row))
    console = Console(highlight=False)
    sentences_console = Console(highlight=False)
    # No column is cut, however narrow the terminal is.
    width = Console(width=_UNLIMITED).measure(table).maximum
    console.width = max(console.width, width)
    console.print(table)
    n_more = len(rows) - 1 - len(shown)
    if n_more:
        sentences_console.print(Text(f"and {n_more} more: --format json and --report have them"))
    for line in describe_mark(recommendation):
        sentences_console.print(Text(line))
    sentences_console.print(Text("\n" + "\n".join(recommendation.sentences)))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:z.3f}"
