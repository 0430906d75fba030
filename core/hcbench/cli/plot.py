"""``plot``: figures of a run as SVG, PNG or PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.loading import load_plugins
from hcbench.cli.options import PLUGIN, QUIET, STORE, examples
from hcbench.cli.stored import read_run
from hcbench.cli.terminal import stdout_for_data, tell, write_table
from hcbench.errors import StoreError

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.store import RunInfo, Store

#: As in `hcbench.show.drawing.KINDS`, which is imported when something is drawn.
KINDS = ("ranks", "profile", "tradeoff", "curve", "scaling", "dendrogram", "tanglegram")
_TREES = ("dendrogram", "tanglegram")


class KindOrRun(click.Choice):  # type: ignore[type-arg]
    """A kind of figure, or the number of a run."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | int:
        """Read it."""
        if isinstance(value, int) or str(value).isdecimal():
            return int(value)
        kind: str = super().convert(value, param, ctx)
        return kind


@click.command(
    epilog=examples(
        "hcbench plot",
        "hcbench plot ranks -o ranks.pdf --metric AARI",
        "hcbench plot curve 3 --x delta --metric AARI -o figure2.svg",
        "hcbench plot tradeoff --against seconds --dataset iris",
        "hcbench plot tanglegram --algo UPGMA --dataset iris --repetition 1 -o iris.png",
    )
)
@click.argument("kind", type=KindOrRun(KINDS), required=False)
@click.argument("run", type=click.IntRange(min=1), required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Output file: .svg, .png or .pdf. By default KIND.svg.",
)
@click.option(
    "--metric",
    metavar="NAME",
    default="",
    help="Metric; by default the first metric of quality.",
)
@click.option(
    "--x",
    metavar="NAME",
    default="",
    help="curve, scaling: parameter of the x axis, such as delta.",
)
@click.option(
    "--against",
    metavar="NAME",
    default="queries",
    show_default=True,
    help="tradeoff: the cost, such as queries or seconds.",
)
@click.option(
    "--failed",
    type=click.Choice(["worst", "drop"]),
    default="worst",
    show_default=True,
    help="ranks, profile: failed runs rank last on the data set (worst), or repetitions with a "
    "failure are excluded (drop).",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="ranks: level of significance.",
)
@click.option(
    "--test",
    type=click.Choice(["nemenyi", "holm"]),
    default="nemenyi",
    show_default=True,
    help="ranks: test behind the bars; holm means signed-rank tests adjusted by Holm.",
)
@click.option(
    "--by",
    type=click.Choice(["ratio", "difference"]),
    help="profile: distance from the best; by default ratios for costs, differences for qualities.",
)
@click.option(
    "--algo",
    metavar="PART",
    help="Only algorithms whose label contains this, or matches a pattern with * and ?.",
)
@click.option("--dataset", metavar="PART", help="Only data sets, likewise.")
@click.option("--oracle", metavar="PART", help="Only oracles, likewise.")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="N", help="Only cells with this budget."
)
@click.option(
    "--repetition",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="dendrogram, tanglegram: the repetition.",
)
@click.option(
    "--checkpoint",
    type=click.IntRange(min=0),
    metavar="N",
    help="dendrogram, tanglegram: the result after this many queries; by default the final one.",
)
@click.option(
    "--truth",
    metavar="NAME",
    default="",
    help="tanglegram: the truth, if there are several.",
)
@STORE
@PLUGIN
@QUIET
def plot(
    *,
    kind: str | int | None,
    run: int | None,
    output: Path | None,
    store: str | None,
    plugin: Sequence[Path],
    quiet: bool,
    budget: int | None,
    **choices: Any,
) -> None:
    """Draw a figure of a run; without KIND, list the figures.

    RUN is a number that hcbench results lists; by default the last.
    """
    from hcbench.show.drawing import Choices, describe_kinds, draw, save
    from hcbench.show.drawing.kinds import format_of
    from hcbench.show.figures import FigureView
    from hcbench.store import Store

    if isinstance(kind, int):
        kind, run = None, kind
    path = output or Path(f"{kind}.svg")
    format_of(path)
    filters = {name: choices.pop(name) for name in ("algo", "dataset", "oracle")}
    with Store(store) as opened, stdout_for_data():
        info = opened.run(run)
        results = _read(opened, info, filters, budget, exactly=kind in _TREES)
        chosen = Choices(**choices)
        if kind is None:
            why = describe_kinds(results, chosen)
        else:
            view = FigureView(results, opened, load_plugins(plugin, quiet=True))
            save(draw(kind, view, chosen), path)
    if kind is None:
        _list(results, why)
    if not quiet:
        said = f"{kind} is in {path}: " if kind else ""
        tell(f"{said}run {info.id}: {info.command}")


def _read(
    store: Store,
    run: RunInfo,
    filters: Mapping[str, str | None],
    budget: int | None,
    *,
    exactly: bool,
) -> Results:
    """The results of a run after the filters.

    Parameters
    ----------
    store : Store
    run : RunInfo
    filters : mapping
        Of the labels ``algo``, ``dataset`` and ``oracle``.
    budget : int or None
    exactly : bool
        Whether a full label excludes longer labels that contain it.
    """
    results = read_run(
        store, run, algorithm=filters["algo"], dataset=filters["dataset"], oracle=filters["oracle"]
    )
    kept = results.outcomes
    if budget is not None:
        kept = [outcome for outcome in kept if outcome.budget == budget]
    if exactly:
        for name, kind in (("algo", "algorithm"), ("dataset", "dataset"), ("oracle", "oracle")):
            wanted = (filters[name] or "").casefold()
            same = [outcome for outcome in kept if getattr(outcome, kind).casefold() == wanted]
            kept = same or kept
    if not kept:
        raise StoreError(
            f"run {run.id} has no cells with budget {budget}; see hcbench results show"
        )
    return replace(results, outcomes=kept)


def _list(results: Results, why: Mapping[str, str]) -> None:
    """List figures, metrics and parameters."""
    from hcbench.analysis.views import axes_of
    from hcbench.show.drawing import KINDS as DRAWN

    write_table(
        ("figure", ""),
        [
            (name, DRAWN[name].doc + (f"\n({reason})" if reason else ""))
            for name, reason in why.items()
        ],
        whole=("figure",),
    )
    click.echo()
    places = ", ".join(axis.id for axis in axes_of(results))
    metrics = ", ".join(metric.label for metric in results.metrics)
    click.echo(f"--metric  {metrics or 'nothing was measured'}")
    click.echo(f"--x       {places or 'nothing varies'}")
