"""The figures of ``hcbench plot``, drawn with matplotlib from views, and from stored trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.analysis.axes import axes_of
from hcbench.analysis.groups import COSTS
from hcbench.analysis.ranks import ALPHA, profile, ranking
from hcbench.analysis.tradeoffs import tradeoff
from hcbench.analysis.views import curves, scaling
from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.figures.charts import curve_chart, profile_chart, tradeoff_chart
from hcbench.figures.dendrograms import (
    clades_of,
    class_colours,
    class_handles,
    draw_tree,
    fitting_axes,
)
from hcbench.figures.draw_charts import add_caption, draw_chart, draw_ranks
from hcbench.figures.palette import GUIDE
from hcbench.figures.plots import new_figure, plain, style
from hcbench.figures.problems import heat_map_of_problem
from hcbench.figures.suites import FORMATS, write_figure
from hcbench.model.trees import Tree, facing_orders
from hcbench.plan.outcome import budget_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from hcbench.analysis.block_ranks import Failed
    from hcbench.analysis.groups import Group
    from hcbench.analysis.performance_profiles import Distance
    from hcbench.analysis.ranks import PairTest, ProfileView, Ranking
    from hcbench.analysis.tradeoffs import TradeoffView
    from hcbench.analysis.views import CurveView
    from hcbench.figures.view import FigureView
    from hcbench.model.problem import Problem
    from hcbench.results.results import Results

#: Colours of classes repeat after these.
MOST_COLOURS = 16
#: With more leaves there are dots instead of names.
MOST_NAMES = 300
_LEAF = 0.115  # inches per name


def draw_dendrogram(view: FigureView, repetition: int = 0, checkpoint: int | None = None) -> Figure:
    """The tree of one algorithm on one data set, coloured by class if there are classes.

    Raises
    ------
    HcbenchError
        If several algorithms or data sets match, or there is no tree.
    """
    group, tree = _only_tree(view, repetition, checkpoint)
    caption = [_title(group, repetition)]
    classes = None
    try:
        problem = view.problem(group.dataset, repetition)
    except DataNotAvailableError as error:
        caption.append(f"without names and colours: {error}")
    else:
        tree = _with_names(tree, problem)
        classes, description = class_labels(problem)
        if description:
            caption.append(f"colours: {description}")
    with style():
        if tree.n <= MOST_NAMES:
            ax = fitting_axes(tree, "top")
        else:
            _, ax = new_figure(9.0, 5.0)
        colours = draw_tree(ax, tree, classes=classes)
        ax.set_title(plain(_title(group)))
    figure = ax.get_figure(root=True)
    assert figure is not None
    _add_classes(figure, colours)
    add_caption(figure, caption)
    return figure


def draw_data(view: FigureView, repetition: int = 0, checkpoint: int | None = None) -> Figure:
    """The vectors or similarities of a data set as a heat map, with the tree of one algorithm.

    Raises
    ------
    HcbenchError
        As for `draw_dendrogram`.
    DataNotAvailableError
        If the data cannot be generated again, or have neither vectors nor similarities.
    """
    group, tree = _only_tree(view, repetition, checkpoint)
    problem = view.problem(group.dataset, repetition)
    return heat_map_of_problem(
        _with_names(tree, problem), problem, group.dataset, title=_title(group, repetition)
    )


def draw_tanglegram(
    view: FigureView, repetition: int = 0, checkpoint: int | None = None, truth: str = ""
) -> Figure:
    """The true tree facing the result, with lines between equal items.

    Parameters
    ----------
    view : FigureView
    repetition : int
    checkpoint : int, optional
        By default the end.
    truth : str, optional
        The name of the truth; by default the first.

    Raises
    ------
    HcbenchError
        As for `draw_dendrogram`.
    DataNotAvailableError
        If the data have no true tree, or cannot be generated again.
    """
    group, tree = _only_tree(view, repetition, checkpoint)
    problem = view.problem(group.dataset, repetition)
    name, true_tree = _truth(problem, truth, group.dataset)
    classes, description = class_labels(problem, true_tree)
    colours = class_colours(classes or ())
    true_order, order = facing_orders(true_tree, tree)
    has_names = tree.n <= MOST_NAMES
    height = max(3.0, tree.n * _LEAF + 1.0) if has_names else 9.0
    figure, (left_ax, middle_ax, right_ax) = new_figure(8.4, height, columns=3)
    left_ax.get_gridspec().set_width_ratios((1.0, 0.35, 1.0))
    with style():
        draw_tree(
            left_ax,
            _with_names(true_tree, problem),
            classes,
            colours,
            names=has_names,
            orientation="left",
            order=true_order,
        )
        draw_tree(
            right_ax,
            _with_names(tree, problem),
            classes,
            colours,
            names=has_names,
            orientation="right",
            order=order,
        )
        _join(middle_ax, true_order, order, [colours[label] for label in classes or ()])
        left_ax.set_title(plain(f"truth: {name}"))
        right_ax.set_title(plain(group.algorithm))
    _add_classes(figure, colours)
    caption = [_title(group, repetition)]
    if description:
        caption.append(f"colours: {description}")
    add_caption(figure, caption)
    return figure


def class_labels(problem: Problem, truth: Tree | None = None) -> tuple[list[str] | None, str]:
    """The name of the class of each item, and what the classes are.

    They are those of the finest level with no more classes than colours. Without classes they are
    the clades of a cut through the true tree, by default the first; None without a truth.
    """
    if problem.levels is not None:
        # Without a level of few classes it is the coarsest, whose colours repeat.
        classes = problem.class_names(1)
        for depth in range(2, problem.levels.shape[1] + 1):
            finer_classes = problem.class_names(depth)
            if len(set(finer_classes)) <= MOST_COLOURS:
                classes = finer_classes
        return classes, ""
    truth = truth or next(iter(problem.truths.values()), None)
    if truth is None or truth.n < 2:
        return None, ""
    names = clades_of(truth)
    return names, f"a cut through the true tree into {len(set(names))} clades"


def _with_names(tree: Tree, problem: Problem) -> Tree:
    """A tree with the names of the items of the data, in their order."""
    if tree.names is None:
        return tree.with_names(problem.names)
    return tree.matched_with(problem.named_items("the data"))


def _only_tree(view: FigureView, repetition: int, checkpoint: int | None) -> tuple[Group, Tree]:
    """The only tree of a repetition, and the group to which it belongs."""
    groups = []
    for group in view.results.groups:
        if group.checkpoint == checkpoint and _has_result(group, repetition):
            groups.append(group)
    place = ""
    if checkpoint is not None:
        place = f" at checkpoint {checkpoint}"
    if not groups:
        raise HcbenchError(f"no cell has a result in repetition {repetition}{place}")
    if len(groups) > 1:
        titles = "; ".join(_title(group) for group in groups[:4])
        if len(groups) > 4:
            titles += f" and {len(groups) - 4} more"
        raise HcbenchError(f"choose a tree by its algorithm, dataset, oracle or budget: {titles}")
    group = groups[0]
    tree = view.tree(
        group.algorithm,
        group.dataset,
        repetition,
        oracle=group.oracle,
        budget=group.budget,
        checkpoint=checkpoint,
    )
    return group, tree


def _has_result(group: Group, repetition: int) -> bool:
    for outcome in group.outcomes:
        if outcome.repetition == repetition and outcome.status == "ok":
            return True
    return False


def _truth(problem: Problem, name: str, dataset: str) -> tuple[str, Tree]:
    """The name of a truth in its own spelling, and the truth; of no name the first."""
    if not problem.truths:
        raise DataNotAvailableError(
            f"{dataset} has no true tree; hcbench plot dendrogram needs none"
        )
    for truth_name, tree in problem.truths.items():
        if name.casefold() in ("", truth_name.casefold()):
            return truth_name, tree
    raise HcbenchError(f"{dataset} has no truth {name!r}; there are {', '.join(problem.truths)}")


def _title(group: Group, repetition: int | None = None) -> str:
    """What a tree is of; with the repetition, also after how many queries."""
    text = f"{group.algorithm} on {group.dataset} through {group.oracle}"
    if group.budget is not None:
        text += f", budget {budget_text(group.budget)}"
    if repetition is None:
        return text
    if group.checkpoint is not None:
        text += f", after {group.checkpoint:,} queries"
    return f"{text}, repetition {repetition}"


def _join(
    ax: Axes, left_order: NDArray[np.int64], right_order: NDArray[np.int64], colours: list[str]
) -> None:
    """Lines between the same items on the left and on the right."""
    from matplotlib.collections import LineCollection

    n = len(left_order)
    # Sorting an order inverts it: leaf -> place.
    left_places = np.argsort(left_order)
    right_places = np.argsort(right_order)
    lines = []
    for left, right in zip(left_places, right_places, strict=True):
        lines.append([(0.0, left), (1.0, right)])
    width = _link_width(n)
    ax.add_collection(LineCollection(lines, colors=colours or [GUIDE], linewidths=width, alpha=0.8))
    ax.set_xlim(0, 1)
    ax.set_ylim(n - 0.4, -0.6)
    ax.set_axis_off()


def _link_width(n: int) -> float:
    """The width of lines between leaves in points; those of many leaves are thin."""
    if n <= 100:
        return 0.9
    return 0.5 if n <= 500 else 0.25


def _add_classes(figure: Figure, colours: dict[Any, str]) -> None:
    """A legend of the classes above the axes and their titles."""
    if not 1 < len(colours) <= MOST_COLOURS:
        return
    longest = max(len(str(name)) for name in colours)
    entry_width = 0.065 * longest + 0.4  # inches
    columns = max(1, int((figure.get_figwidth() - 0.5) / entry_width))
    with style():
        figure.legend(
            handles=class_handles(colours), loc="outside upper center", ncols=min(columns, 8)
        )


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
    """

    doc: str
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
    return scaling(results, choices.metric or "seconds", choices.x or None)


#: The kinds of figures of `hcbench plot`, in the order of its list.
KINDS: Mapping[str, Kind] = {
    "ranks": Kind(
        doc="Average ranks over data sets with the critical difference.",
        draw=lambda view, results, _: draw_ranks(view, results),
        view=_view_ranks,
    ),
    "profile": Kind(
        doc="The share of the data sets on which each algorithm is how close to the best.",
        draw=lambda view, results, _: draw_chart(profile_chart(view, results)),
        view=_view_profile,
    ),
    "tradeoff": Kind(
        doc="Quality against queries or seconds, with the Pareto front.",
        draw=lambda view, results, _: draw_chart(tradeoff_chart(view, results)),
        view=_view_tradeoff,
    ),
    "curve": Kind(
        doc="A metric along a parameter that varies.",
        draw=lambda view, results, _: draw_chart(curve_chart(view, results)),
        view=_view_curve,
    ),
    "scaling": Kind(
        doc="Time or queries against the number of items, with fitted exponents.",
        draw=lambda view, results, _: draw_chart(curve_chart(view, results, growth=True)),
        view=_view_scaling,
    ),
    "dendrogram": Kind(
        doc="The tree of one algorithm on one data set.",
        draw=lambda view, _, choices: draw_dendrogram(view, choices.repetition, choices.checkpoint),
    ),
    "heatmap": Kind(
        doc="The data of one data set in the order of the tree of one algorithm.",
        draw=lambda view, _, choices: draw_data(view, choices.repetition, choices.checkpoint),
    ),
    "tanglegram": Kind(
        doc="The true tree against that of one algorithm.",
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
        suffixes = ", ".join(f".{name}" for name in FORMATS)
        raise HcbenchError(f"{path}: a figure ends in {suffixes}")
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
    raise HcbenchError(f"choose the horizontal axis, x: {' or '.join(axis.id for axis in axes)}")
