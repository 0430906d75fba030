"""The figures of ``hcbench plot``: their kinds, and what each is drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from hcbench.analysis.axes import axes_of
from hcbench.analysis.block_ranks import Failed
from hcbench.analysis.groups import COSTS
from hcbench.analysis.performance_profiles import Distance
from hcbench.analysis.ranks import ALPHA, PairTest, profile, ranking
from hcbench.analysis.tradeoffs import tradeoff
from hcbench.analysis.views import curves, scaling
from hcbench.errors import HcbenchError, ParameterError
from hcbench.figures.charts import curve_chart, profile_chart
from hcbench.figures.draw_charts import draw_chart, draw_ranks
from hcbench.figures.suites import FORMATS, write_figure
from hcbench.figures.tradeoff_charts import tradeoff_chart
from hcbench.figures.tree_plots import draw_data, draw_dendrogram, draw_tanglegram
from hcbench.model.arguments import one_of, probability, whole_number
from hcbench.model.cost import read_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hcbench.analysis.ranks import ProfileView, Ranking
    from hcbench.analysis.tradeoffs import TradeoffView
    from hcbench.analysis.views import CurveView
    from hcbench.figures.view import FigureView
    from hcbench.results.results import Results


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
        The cost of ``tradeoff``; by default queries or, where nothing was asked, seconds.
    failed : {"worst", "drop"}
        How failures count.
    alpha : float
        Level of significance.
    test : {"nemenyi", "holm"}, optional
        The test of pairs of ``ranks``; by default the one that can find a difference.
    by : {"ratio", "difference"}, optional
        The distance of ``profile``.
    repetition : int
    checkpoint : int, optional
    truth : str
        Of ``tanglegram``, where there are several.
    """

    metric: str = ""
    x: str = ""
    against: str = ""
    failed: Failed = "worst"
    alpha: float = ALPHA
    test: PairTest | None = None
    by: Distance | None = None
    repetition: int = 0
    checkpoint: int | None = None
    truth: str = ""

    def __post_init__(self) -> None:
        one_of(self.failed, "failed", get_args(Failed))
        probability(self.alpha, "alpha")
        if self.test is not None:
            one_of(self.test, "test", get_args(PairTest))
        if self.by is not None:
            one_of(self.by, "by", get_args(Distance))
        whole_number(self.repetition, "repetition", least=0)
        if self.checkpoint is not None:
            read_count(self.checkpoint, "checkpoint")

    @classmethod
    def read(cls, choices: Mapping[str, Any]) -> Choices:
        """Choices that a caller gives by their names.

        Raises
        ------
        ParameterError
            If there is no such choice, or its value is wrong.
        """
        names = [each.name for each in fields(cls)]
        for name in choices:
            one_of(name, "the option of a figure", names)
        return cls(**choices)

    def unused_by(self, kind: Kind) -> list[str]:
        """The choices that were made, and that a kind of figure does not use."""
        unused = []
        for each in fields(self):
            if each.name not in kind.uses and getattr(self, each.name) != each.default:
                unused.append(each.name)
        return unused


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of figure.

    Attributes
    ----------
    doc : str
        One sentence on what it shows.
    draw : callable
        Called with the data of the figure, the results and the choices.
    view : callable or None
        Makes the data of the figure, and raises where there is nothing to draw. None for trees,
        which are drawn from a `FigureView`.
    uses : tuple of str
        The names of the choices that it uses.
    """

    doc: str
    uses: tuple[str, ...]
    draw: Callable[[Any, Any, Choices], Figure]
    view: Callable[[Results, Choices], Any] | None = None


def _view_ranks(results: Results, choices: Choices) -> Ranking:
    return ranking(
        results,
        _quality(results, choices),
        failed=choices.failed,
        alpha=choices.alpha,
        test=choices.test,
    )


def _view_profile(results: Results, choices: Choices) -> ProfileView:
    metric = _quality(results, choices)
    return profile(results, metric, failed=choices.failed, by=choices.by)


def _view_tradeoff(results: Results, choices: Choices) -> TradeoffView:
    return tradeoff(results, _quality(results, choices), choices.against or _cost(results))


def _view_curve(results: Results, choices: Choices) -> CurveView:
    return curves(results, choices.x or _only_axis(results), _quality(results, choices))


def _view_scaling(results: Results, choices: Choices) -> CurveView:
    # By default along the number of items, whatever parameter decides it.
    return scaling(results, choices.metric or "seconds", choices.x or None)


#: The kinds of figures of `hcbench plot`, in the order of its list.
KINDS: Mapping[str, Kind] = {
    "ranks": Kind(
        doc="Average ranks over data sets with the critical difference.",
        uses=("metric", "failed", "alpha", "test"),
        draw=lambda view, results, _: draw_ranks(view, results),
        view=_view_ranks,
    ),
    "profile": Kind(
        doc="The share of the data sets on which each algorithm is how close to the best.",
        uses=("metric", "failed", "by"),
        draw=lambda view, results, _: draw_chart(profile_chart(view, results)),
        view=_view_profile,
    ),
    "tradeoff": Kind(
        doc="Quality against queries or seconds, with the Pareto front.",
        uses=("metric", "against"),
        draw=lambda view, results, _: draw_chart(tradeoff_chart(view, results)),
        view=_view_tradeoff,
    ),
    "curve": Kind(
        doc="A metric along a parameter that varies.",
        uses=("metric", "x"),
        draw=lambda view, results, _: draw_chart(curve_chart(view, results)),
        view=_view_curve,
    ),
    "scaling": Kind(
        doc="Time or queries against the number of items, with fitted exponents.",
        uses=("metric", "x"),
        draw=lambda view, results, _: draw_chart(curve_chart(view, results, growth=True)),
        view=_view_scaling,
    ),
    "dendrogram": Kind(
        doc="The tree of one algorithm on one data set.",
        uses=("repetition", "checkpoint"),
        draw=lambda view, _, choices: draw_dendrogram(view, choices.repetition, choices.checkpoint),
    ),
    "heatmap": Kind(
        doc="The data of one data set in the order of the tree of one algorithm.",
        uses=("repetition", "checkpoint"),
        draw=lambda view, _, choices: draw_data(view, choices.repetition, choices.checkpoint),
    ),
    "tanglegram": Kind(
        doc="The true tree against that of one algorithm.",
        uses=("repetition", "checkpoint", "truth"),
        draw=lambda view, _, choices: draw_tanglegram(
            view, choices.repetition, choices.checkpoint, choices.truth
        ),
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
    figure = KINDS[kind]
    choices = choices or Choices()
    unused = choices.unused_by(figure)
    if unused:
        raise ParameterError(
            f"{kind} does not use {', '.join(unused)}; its options are {', '.join(figure.uses)}"
        )
    # Trees are drawn from the stored results themselves.
    data: Any = view
    if figure.view is not None:
        data = figure.view(view.results, choices)
    return figure.draw(data, view.results, choices)


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
        suffixes = [f".{name}" for name in FORMATS]
        raise HcbenchError(f"{path}: a figure ends in {', '.join(suffixes)}")
    return form


def describe_kinds(results: Results, choices: Choices | None = None) -> dict[str, str]:
    """For each kind the reason why it cannot be drawn from some results; "" if it can."""
    statuses = set(results.outcomes.column("status").tolist())
    reasons = {}
    for name, kind in KINDS.items():
        try:
            # The data of a chart are made only to see whether they can be made.
            if kind.view is not None:
                kind.view(results, choices or Choices())
            # Whether a tree can be read is seen when it is drawn: that takes longer.
            elif "ok" not in statuses:
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
    # A metric without a better direction cannot be ranked.
    for metric in results.metrics:
        if not metric.cost and metric.direction != "none":
            return metric.label
    if results.metrics:
        return results.metrics[0].label
    raise HcbenchError(
        "no metric was measured; add some with: hcbench results rescore --metrics NAME"
    )


def _cost(results: Results) -> str:
    """The cost by default: queries where any were counted."""
    for group in results.groups:
        if group.numbers(COSTS["queries"]):
            return "queries"
    return "seconds"


def _only_axis(results: Results) -> str:
    """The axis by default, which exists where only one parameter varies."""
    axes = axes_of(results)
    if len(axes) == 1:
        return axes[0].id
    if not axes:
        raise HcbenchError(
            "no numeric parameter varies in these results; give a grid, such as planted[N0=[4,8]]"
        )
    ids = [axis.id for axis in axes]
    raise HcbenchError(f"choose the horizontal axis, x: {' or '.join(ids)}")
