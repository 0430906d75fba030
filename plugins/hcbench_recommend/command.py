"""The command ``hcbench recommend``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from hcbench import commands
from hcbench.commands import tell, write_json

if TYPE_CHECKING:
    from hcbench_recommend.recommending import Recommendation

_WIDTH = 100  # of the table, also where the width of the terminal is unknown


@click.command(
    epilog=commands.examples(
        "hcbench recommend './mine.csv[labels=kind]'",
        "hcbench recommend iris --report iris.html",
        "hcbench recommend ./mine.csv --algos UPGMA,Ward,HDBSCAN --subsamples 20",
    )
)
@click.argument("data", metavar="DATA")
@click.option(
    "--algos",
    metavar="NAMES",
    default="",
    show_default=False,
    help="Methods; default: a quick standard set.",
)
@click.option(
    "--metrics",
    metavar="NAMES",
    default="",
    show_default=False,
    help="Metrics that decide; by default external ones if the data have labels or a true tree, "
    "and internal ones otherwise.",
)
@click.option(
    "--subsamples",
    type=commands.IntegerRange(min=2),
    default=10,
    show_default=True,
    metavar="N",
    help="Random subsamples.",
)
@click.option(
    "--share",
    type=commands.NumberRange(0, 1, min_open=True),
    help="Of the items that are in a subsample, below 1; default: 0.8, or less for at most 5000 "
    "items.",
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
    type=commands.FILE,
    help="Also write the answer and the results of the subsamples as one HTML page.",
)
@commands.STORE
@commands.format_option("table", "json")
@commands.QUIET
def recommend(
    *,
    data: str,
    algos: str,
    metrics: str,
    report: Path | None,
    jobs: int | None,
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Say which method suits DATA, at what cost and with what confidence.

    DATA is a file or a data set, as for hcbench compare --datasets. Each method runs on all items,
    for its cost, and on random subsamples, in which the metrics rank the methods. Results are
    stored: the same command resumes, and hcbench results shows them.
    """
    from hcbench_recommend.recommending import recommend as run

    found = run(
        data,
        split_names(algos),
        split_names(metrics),
        n_jobs=jobs,
        progress=False if quiet else None,
        **options,
    )
    if form == "json":
        write_json(found.to_dict())
    else:
        _print(found)
    if report is not None:
        _write_page(found, report)
        tell(f"the page is in {report}")


def split_names(text: str) -> list[str]:
    """Names between commas that are outside brackets."""
    names, depth = [""], 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return [name.strip() for name in names if name.strip()]


def make_table(found: Recommendation) -> list[list[str]]:
    """The names of the columns, and a row for each method, the best first.

    Parameters
    ----------
    found : Recommendation
    """
    short = [name.partition("[")[0] for name in found.metrics]
    columns = ["method", "score", "rank", "best in", *short, "stability", "seconds", "MiB"]
    rows = [columns]
    for method in found.methods:
        mark = " *" if method.name in found.undecided[1:] else ""
        rows.append(
            [
                method.name + mark,
                f"{method.score:z.2f}",
                f"{method.rank:.2f}",
                f"{method.best}/{found.subsamples}",
                *(_number(method.values[name]) for name in found.metrics),
                _number(method.stability),
                "" if method.seconds is None else f"{method.seconds:.3g}",
                "" if method.peak_bytes is None else f"{method.peak_bytes / 2**20:.1f}",
            ]
        )
    return rows


def describe_mark(found: Recommendation) -> list[str]:
    """The legend of the table, if a method is marked."""
    return ["* not separated from the first"] if found.undecided[1:] else []


def _write_page(found: Recommendation, path: Path) -> None:
    lead = [
        f"Recommendation for {found.data}",
        found.text,
        make_table(found),
        *describe_mark(found),
        *found.sentences[1:],
    ]
    found.results.report(path, lead=lead)


def _print(found: Recommendation) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    columns, *rows = make_table(found)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    for name in columns:
        justify: Literal["left", "right"] = "left" if name == "method" else "right"
        heading = Text(name.replace("-", "-\n"))
        table.add_column(heading, justify=justify, no_wrap=True, vertical="bottom")
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console(highlight=False)
    console.width = max(console.width, _WIDTH)
    console.print(table)
    for line in describe_mark(found):
        console.print(Text(line))
    console.print(Text("\n" + "\n".join(found.sentences)))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:z.3f}"
