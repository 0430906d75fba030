"""What ``hcbench plot`` can draw, and from what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hcbench.analysis.views import axes_of, curves, profile, ranking, scaling, tradeoff
from hcbench.analysis.views.ranks import ALPHA
from hcbench.errors import HcbenchError
from hcbench.show.drawing.charts import draw_curves, draw_profile, draw_tradeoff
from hcbench.show.drawing.diagram import Test, draw_ranks
from hcbench.show.drawing.trees import draw_dendrogram, draw_tanglegram
from hcbench.show.figures import FORMATS, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hcbench.analysis.results import Results
    from hcbench.analysis.statistics import Failed
    from hcbench.analysis.statistics.profiles import Distance
    from hcbench.show.figures import FigureView


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What is left to choose of a figure; each kind takes those it has a use for.

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
        What the bars of ``ranks`` join.
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
    test: Test = "nemenyi"
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
    function : callable
        Draws it.
    view : callable or None
        Makes its data; raises where there is nothing to draw. None for trees.
    """

    doc: str
    function: Callable[[FigureView, Choices], Figure]
    view: Callable[[Results, Choices], Any] | None = None


def _ranking(results: Results, choices: Choices) -> Any:
    metric = choices.metric or first_quality(results)
    return ranking(results, metric, failed=choices.failed, alpha=choices.alpha)


def _profile(results: Results, choices: Choices) -> Any:
    metric = choices.metric or first_quality(results)
    return profile(results, metric, failed=choices.failed, by=choices.by)


def _tradeoff(results: Results, choices: Choices) -> Any:
    return tradeoff(results, choices.metric or first_quality(results), choices.against)


def _curve(results: Results, choices: Choices) -> Any:
    return curves(
        results, choices.x or _only_axis(results), choices.metric or first_quality(results)
    )


def _scaling(results: Results, choices: Choices) -> Any:
    return scaling(results, choices.metric or "seconds", choices.x or None)


KINDS: Mapping[str, Kind] = {
    "ranks": Kind(
        "Average ranks over data sets with the critical difference.",
        lambda view, c: draw_ranks(_ranking(view.results, c), view.results, test=c.test),
        _ranking,
    ),
    "profile": Kind(
        "On which share of the data sets each is how near to the best.",
        lambda view, c: draw_profile(_profile(view.results, c), view.results),
        _profile,
    ),
    "tradeoff": Kind(
        "Quality against queries or seconds, with the Pareto front.",
        lambda view, c: draw_tradeoff(_tradeoff(view.results, c), view.results),
        _tradeoff,
    ),
    "curve": Kind(
        "A metric along a number that varies.",
        lambda view, c: draw_curves(_curve(view.results, c), view.results),
        _curve,
    ),
    "scaling": Kind(
        "Time or queries against the number of items, with fitted exponents.",
        lambda view, c: draw_curves(_scaling(view.results, c), view.results, log_log=True),
        _scaling,
    ),
    "dendrogram": Kind(
        "The tree of one algorithm on one data set.",
        lambda view, c: draw_dendrogram(view, c.repetition, c.checkpoint),
    ),
    "tanglegram": Kind(
        "The true tree against that of one algorithm.",
        lambda view, c: draw_tanglegram(view, c.repetition, c.checkpoint, c.truth),
    ),
}


def draw(kind: str, view: FigureView, choices: Choices | None = None) -> Figure:
    """Draw one figure.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    view : FigureView
        Results, kept trees and data.
    choices : Choices, optional

    Raises
    ------
    HcbenchError
        If there is nothing to draw, or more is to be chosen; the message says what there is.
    """
    if kind not in KINDS:
        raise HcbenchError(f"there is no figure {kind!r}; there are {', '.join(KINDS)}")
    return KINDS[kind].function(view, choices or Choices())


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format that the suffix of the path tells.

    Raises
    ------
    HcbenchError
        If it tells none, or the file cannot be written.
    """
    form = format_of(path)
    try:
        write_figure(figure, path, form)
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error


def format_of(path: Path) -> str:
    """The format that a suffix tells.

    Raises
    ------
    HcbenchError
        If it tells none.
    """
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise HcbenchError(f"{path}: a figure ends in {known}")
    return form


def describe_kinds(results: Results, choices: Choices | None = None) -> dict[str, str]:
    """Of each kind why it cannot be drawn from some results; "" if it can."""
    found = {}
    for name, kind in KINDS.items():
        try:
            if kind.view is not None:
                kind.view(results, choices or Choices())
            elif not any(outcome.status == "ok" for outcome in results.outcomes):
                raise HcbenchError("nothing has a result")
            found[name] = ""
        except HcbenchError as error:
            found[name] = str(error)
    return found


def first_quality(results: Results) -> str:
    """The first metric of quality; of any, if there is none.

    Raises
    ------
    HcbenchError
        If nothing was measured.
    """
    ranked = [m for m in results.metrics if not m.cost and m.direction != "none"]
    for metric in [*ranked, *results.metrics]:
        return metric.label
    raise HcbenchError(
        "no metric was measured; add some with: hcbench results rescore --metrics NAME"
    )


def _only_axis(results: Results) -> str:
    there = axes_of(results)
    if len(there) == 1:
        return there[0].id
    if not there:
        raise HcbenchError("no number varies in these results, along which a curve could be drawn")
    raise HcbenchError(f"say along what: --x {' or '.join(axis.id for axis in there)}")
