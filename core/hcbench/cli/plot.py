"""``plot``: single figures of a run, as SVG, PNG or PDF."""

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
    """A kind of figure; or, where none is wanted, the number of the run."""

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
    help="The file; its suffix, .svg, .png or .pdf, is its format. By default KIND.svg.",
)
@click.option(
    "--metric",
    metavar="NAME",
    default="",
    help="What is drawn; by default the first metric of quality.",
)
@click.option(
    "--x",
    metavar="NAME",
    default="",
    help="Of curve and scaling: along which parameter, such as delta.",
)
@click.option(
    "--against",
    metavar="NAME",
    default="queries",
    show_default=True,
    help="Of tradeoff: the cost, as queries or seconds.",
)
@click.option(
    "--failed",
    type=click.Choice(["worst", "drop"]),
    default="worst",
    show_default=True,
    help="Of ranks and profile: who failed in a repetition is last on the data set; or repetitions "
    "in which somebody failed do not count.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Of ranks: the level of significance.",
)
@click.option(
    "--test",
    type=click.Choice(["nemenyi", "holm"]),
    default="nemenyi",
    show_default=True,
    help="Of ranks: what the bars join; holm stands for signed-rank tests after Holm.",
)
@click.option(
    "--by",
    type=click.Choice(["ratio", "difference"]),
    help="Of profile: how far from the best; by default ratios of costs, differences of qualities.",
)
@click.option(
    "--algo",
    metavar="PART",
    help="Only algorithms with this in their label, or like a pattern with * and ?.",
)
@click.option("--dataset", metavar="PART", help="Only data sets, in the same way.")
@click.option("--oracle", metavar="PART", help="Only oracles, in the same way.")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="N", help="Only cells with this budget."
)
@click.option(
    "--repetition",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Of dendrogram and tanglegram: which repetition.",
)
@click.option(
    "--checkpoint",
    type=click.IntRange(min=0),
    metavar="N",
    help="Of dendrogram and tanglegram: after how many questions; by default at the end.",
)
@click.option(
    "--truth",
    metavar="NAME",
    default="",
    help="Of tanglegram: which truth, where there are several.",
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
    """Draw a figure of a run; without KIND, list what there is.

    RUN is a number, as hcbench results lists them; by default the last.
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
    """What the filters leave of a run.

    Parameters
    ----------
    store : Store
    run : RunInfo
    filters : mapping
        Of the labels ``algo``, ``dataset`` and ``oracle``.
    budget : int or None
    exactly : bool
        Whether a label that is written in full leaves no others of which it is a part.
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
            f"run {run.id} has no cells with budget {budget}; hcbench results show tells "
            "which it has"
        )
    return replace(results, outcomes=kept)


def _list(results: Results, why: Mapping[str, str]) -> None:
    """Write what can be drawn, along what, of which metrics."""
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
