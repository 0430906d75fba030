"""``plot``: figures of a run as SVG, PNG or PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.loading import load_plugins, open_store
from hcbench.cli.option_types import IntegerRange, NumberRange, OutputFile, TolerantOption
from hcbench.cli.runs import read_run
from hcbench.cli.terminal import stdout_for_data, tell, write_table

if TYPE_CHECKING:
    from hcbench.results.results import Results

#: As in `hcbench.figures.drawing.KINDS`, which is imported when something is drawn.
KINDS = (
    "ranks",
    "profile",
    "tradeoff",
    "curve",
    "scaling",
    "dendrogram",
    "heatmap",
    "tanglegram",
)


class KindOrRun(click.Choice):  # type: ignore[type-arg]
    """A kind of figure, or the number of a run."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read it."""
        # "plot 3" and "plot 3 ranks" are understood, though the kind belongs first.
        if value.isdecimal():
            return str(value)
        return str(super().convert(value, param, ctx))


@click.command(
    epilog=options.examples(
        "hcbench plot",
        "hcbench plot ranks -o ranks.pdf --metric AARI",
        "hcbench plot curve 3 --x delta --metric AARI -o figure2.svg",
        "hcbench plot tradeoff --against seconds --dataset iris",
        "hcbench plot tanglegram --algo UPGMA --dataset iris --repetition 1 -o iris.png",
    )
)
@click.argument("kind", type=KindOrRun(KINDS), required=False)
@options.RUN
@click.option(
    "-o",
    "--output",
    type=OutputFile(".svg", ".png", ".pdf"),
    help="Output file: .svg, .png or .pdf. By default KIND.svg.",
)
@options.names_option(
    "--metrics",
    "Metrics; of several, each has a file of its own. By default the first metric of quality.",
    filters=True,
)
@click.option(
    "--x",
    metavar="NAME",
    default="",
    show_default=False,
    help="curve, scaling: parameter of the x axis, such as delta.",
)
@click.option(
    "--against",
    metavar="NAME",
    default="",
    show_default=False,
    help="tradeoff: the cost; by default queries or, where nothing was asked, seconds.",
)
@click.option(
    "--failed",
    type=click.Choice(["worst", "drop"]),
    default="worst",
    help="ranks, profile: an algorithm ranks last on a data set where more than 20 % of its "
    "repetitions failed, otherwise by the others (worst); or repetitions with a failure are "
    "excluded (drop).",
)
@click.option(
    "--alpha",
    type=NumberRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    help="ranks: level of significance.",
)
@click.option(
    "--test",
    type=click.Choice(["nemenyi", "holm"]),
    help="ranks: test of pairs, Nemenyi's or Holm-corrected signed-rank tests; by default the "
    "latter, or Nemenyi's where there are too few blocks for them.",
)
@click.option(
    "--by",
    type=click.Choice(["ratio", "difference"]),
    help="profile: distance from the best; by default ratios for costs, differences for qualities.",
)
@options.with_options(*options.CELL_FILTERS)
@click.option(
    "--repetition",
    cls=TolerantOption,
    type=IntegerRange(min=0),
    default=0,
    metavar="N",
    help="dendrogram, heatmap, tanglegram: the repetition.",
)
@click.option(
    "--checkpoint",
    cls=TolerantOption,
    type=IntegerRange(min=0),
    metavar="N",
    help="dendrogram, heatmap, tanglegram: the result after this many queries; by default the "
    "final one.",
)
@click.option(
    "--truth",
    metavar="NAME",
    default="",
    show_default=False,
    help="tanglegram: the truth, if there are several.",
)
@options.STORE
@options.PLUGIN
@options.QUIET
def plot(
    *,
    kind: str | None,
    run: str | None,
    output: Path | None,
    metrics: Sequence[str],
    store: str | None,
    plugin: Sequence[Path],
    quiet: bool,
    **choices: Any,
) -> None:
    """Draw a figure of a run; without KIND, list the figures.

    RUN is a number that hcbench results lists, the name of a run, or a suite, whose last run is
    drawn; by default the last run of all.
    """
    from hcbench.figures.drawing import Choices, describe_kinds, draw, format_of, save
    from hcbench.figures.view import FigureView

    if kind is not None and kind.isdecimal():
        kind, run = _kind_behind(kind, run)
    path = output or Path(f"{kind}.svg")
    # Raises an error for another suffix, before anything is read or drawn.
    format_of(path)
    filters = {}
    for name in ("algorithms", "datasets", "oracles", "budget"):
        filters[name] = choices.pop(name)
    # Without a metric, the kind of figure has its own default.
    choices_by_file = {}
    for metric in metrics or ("",):
        file = path
        if len(metrics) > 1:
            file = _file_of_metric(path, metric)
        choices_by_file[file] = Choices(metric=metric, **choices)

    with open_store(store) as opened, stdout_for_data():
        info = opened.run(run)
        results = read_run(opened, info, **filters)
        if kind is None:
            # Of several metrics, the first.
            choices_of_file = next(iter(choices_by_file.values()))
            reasons = describe_kinds(results, choices_of_file)
        else:
            view = FigureView(results, opened, load_plugins(plugin, quiet=True))
            figures = {}
            for file, choices_of_file in choices_by_file.items():
                figures[file] = draw(kind, view, choices_of_file)
            # Nothing is written if one of them cannot be drawn.
            for file, figure in figures.items():
                save(figure, file)
    text = f"run {info.id}: {info.command}"
    if kind is None:
        _list(results, reasons)
    else:
        files = ", ".join(map(str, choices_by_file))
        text = f"{kind} is in {files}: {text}"
    if not quiet:
        tell(text)


def _kind_behind(number: str, word: str | None) -> tuple[str | None, str]:
    """The kind and the run where the number of the run comes first, or alone.

    Raises
    ------
    UsageError
        If the word behind it is no kind of figure.
    """
    if word is not None and word not in KINDS:
        raise click.UsageError(
            f"{word!r} is no figure; write the figure and one run: hcbench plot KIND {number}, "
            f"with {', '.join(KINDS)}"
        )
    return word, number


def _file_of_metric(path: Path, metric: str) -> Path:
    """The file of one of several metrics."""
    from hcbench.model.text import slug

    return path.with_name(f"{path.stem}-{slug(metric)}{path.suffix}")


def _list(results: Results, reasons: Mapping[str, str]) -> None:
    """List figures, with the reasons why some cannot be drawn, and metrics and parameters."""
    from hcbench.analysis.axes import axes_of
    from hcbench.figures.drawing import KINDS as DRAWN

    rows = []
    for name, reason in reasons.items():
        text = DRAWN[name].doc
        if reason:
            text += f"\n({reason})"
        rows.append((name, text))
    write_table(("figure", ""), rows, unwrapped=("figure",))
    click.echo()
    places = ", ".join(axis.id for axis in axes_of(results))
    metrics = ", ".join(metric.label for metric in results.metrics)
    click.echo(f"--metric  {metrics or 'nothing was measured'}")
    click.echo(f"--x       {places or 'nothing varies'}")
