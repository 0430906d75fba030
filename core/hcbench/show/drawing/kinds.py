"""The kinds of figures of ``hcbench plot``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import axes_of
from hcbench.analysis.ranks import ALPHA, profile, ranking
from hcbench.analysis.views import curves, scaling, tradeoff
from hcbench.errors import HcbenchError
from hcbench.show.drawing.charts import draw_curves, draw_profile, draw_tradeoff
from hcbench.show.drawing.diagram import Test, draw_ranks
from hcbench.show.drawing.trees import draw_dendrogram, draw_tanglegram
from hcbench.show.figures import FORMATS, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hcbench.analysis.results import Results
    from hcbench.analysis.statistics import Distance, Failed
    from hcbench.show.figures import FigureView


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Options of a figure; each kind uses some of them.

    Attributes
    ----------
    metric : str
        By default the first of quality; of ``scaling``, seconds.
    x : str
        The axis of ``curve`` and ``scaling``.
    against : str
        The cost of ``tradeoff``.
    failed : {"worst", "drop"}
        How failures count.
    alpha : float
        Level of significance.
    test : {"nemenyi", "holm"}
        The test that decides which algorithms the bars of ``ranks`` join.
    by : {"ratio", "difference"}, optional
        The distance of ``profile``.
    repetition : int
    checkpoint : int, optional
    truth : str
        Of ``tanglegram``, where there are several.
    """

    metric: str = ""
    x: str = ""
    against: str = "queries"
    failed: Failed = "worst"
    alpha: float = ALPHA
    test: Test = "holm"
    by: Distance | None = None
    repetition: int = 0
    checkpoint: int | None = None
    truth: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of figure.

    Attributes
    ----------
    doc : str
    draw : callable
    view : callable or None
        Makes the data of the figure, and raises where there is nothing to draw. None for trees,
        which are drawn from a `FigureView`.
    """

    doc: str
    draw: Callable[[Any, Any, Choices], Figure]
    view: Callable[[Results, Choices], Any] | None = None


KINDS: Mapping[str, Kind] = {
    "ranks": Kind(
        "Average ranks over data sets with the critical difference.",
        lambda view, results, c: draw_ranks(view, results, test=c.test),
        lambda results, c: ranking(results, _quality(results, c), failed=c.failed, alpha=c.alpha),
    ),
    "profile": Kind(
        "The share of the data sets on which each algorithm is how close to the best.",
        lambda view, results, _: draw_profile(view, results),
        lambda results, c: profile(results, _quality(results, c), failed=c.failed, by=c.by),
    ),
    "tradeoff": Kind(
        "Quality against queries or seconds, with the Pareto front.",
        lambda view, results, _: draw_tradeoff(view, results),
        lambda results, c: tradeoff(results, _quality(results, c), c.against),
    ),
    "curve": Kind(
        "A metric along a parameter that varies.",
        lambda view, results, _: draw_curves(view, results),
        lambda results, c: curves(results, c.x or _only_axis(results), _quality(results, c)),
    ),
    "scaling": Kind(
        "Time or queries against the number of items, with fitted exponents.",
        lambda view, results, _: draw_curves(view, results, log_log=True),
        lambda results, c: scaling(results, c.metric or "seconds", c.x or None),
    ),
    "dendrogram": Kind(
        "The tree of one algorithm on one data set.",
        lambda view, _, c: draw_dendrogram(view, c.repetition, c.checkpoint),
    ),
    "tanglegram": Kind(
        "The true tree against that of one algorithm.",
        lambda view, _, c: draw_tanglegram(view, c.repetition, c.checkpoint, c.truth),
    ),
}


def draw(kind: str, view: FigureView, choices: Choices | None = None) -> Figure:
    """Draw one figure.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    view : FigureView
        Results, stored trees and data.
    choices : Choices, optional

    Raises
    ------
    HcbenchError
        If there is nothing to draw, or an option is missing; the message lists the choices.
    """
    if kind not in KINDS:
        raise HcbenchError(f"there is no figure {kind!r}; there are {', '.join(KINDS)}")
    chosen, figure = choices or Choices(), KINDS[kind]
    data = figure.view(view.results, chosen) if figure.view else view
    return figure.draw(data, view.results, chosen)


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format given by the suffix of the path.

    Raises
    ------
    HcbenchError
        If the suffix is unknown, or the file cannot be written.
    """
    form = format_of(path)
    try:
        write_figure(figure, path, form)
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error


def format_of(path: Path) -> str:
    """The format given by the suffix of a path.

    Raises
    ------
    HcbenchError
        If the suffix is unknown.
    """
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise HcbenchError(f"{path}: a figure ends in {known}")
    return form


def describe_kinds(results: Results, choices: Choices | None = None) -> dict[str, str]:
    """For each kind the reason why it cannot be drawn from some results; "" if it can."""
    reasons = {}
    for name, kind in KINDS.items():
        try:
            if kind.view is not None:
                kind.view(results, choices or Choices())
            elif not any(outcome.status == "ok" for outcome in results.outcomes):
                raise HcbenchError("no cell has a result")
            reasons[name] = ""
        except HcbenchError as error:
            reasons[name] = str(error)
    return reasons


def _quality(results: Results, choices: Choices) -> str:
    """The chosen metric; by default the first of quality, or the first of all.

    Raises
    ------
    HcbenchError
        If nothing was measured.
    """
    if choices.metric:
        return choices.metric
    ranked = [m for m in results.metrics if not m.cost and m.direction != "none"]
    for metric in [*ranked, *results.metrics]:
        return metric.label
    raise HcbenchError(
        "no metric was measured; add some with: hcbench results rescore --metrics NAME"
    )


def _only_axis(results: Results) -> str:
    axes = axes_of(results)
    if len(axes) == 1:
        return axes[0].id
    if not axes:
        raise HcbenchError("no numeric parameter varies in these results")
    raise HcbenchError(f"choose the horizontal axis: --x {' or '.join(axis.id for axis in axes)}")
