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
        "hcbench recommend ./mine.csv --algos UPGMA,Ward,HDBSCAN --subsamples 10",
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
    default=5,
    show_default=True,
    metavar="N",
    help="Random subsamples.",
)
@click.option(
    "--share",
    type=commands.NumberRange(0, 1, min_open=True),
    help="Of the items that are in a subsample; default: 0.8, or less for at most 5000 items.",
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
        found.results.report(report, lead=(f"Recommendation for {found.data}", *found.sentences))
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


def _print(found: Recommendation) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    short = [name.partition("[")[0].replace("-", "-\n") for name in found.metrics]
    columns = ["method", "rank", "best in", *short, "stability", "seconds", "MiB"]
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in columns:
        justify: Literal["left", "right"] = "left" if name == "method" else "right"
        table.add_column(Text(name), justify=justify, no_wrap=True, vertical="bottom")
    for method in found.methods:
        cells = [
            method.name + " *" * (method.name in found.undecided[1:]),
            f"{method.rank:.2f}",
            f"{method.best}/{found.subsamples}",
            *(_number(method.values[name]) for name in found.metrics),
            _number(method.stability),
            "" if method.seconds is None else f"{method.seconds:.3g}",
            "" if method.peak_bytes is None else f"{method.peak_bytes / 2**20:.1f}",
        ]
        table.add_row(*map(Text, cells))
    console = Console(highlight=False)
    console.width = max(console.width, _WIDTH)
    console.print(table)
    for method in found.methods:
        if method.reason:
            console.print(Text(f"{method.name} failed: {method.reason}"))
    console.print(Text("\n" + "\n".join(found.sentences)))
    if found.undecided[1:]:
        console.print(Text("* not separated from the first"))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:z.3f}"
