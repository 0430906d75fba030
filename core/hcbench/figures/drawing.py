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
from hcbench.analysis.views import curves, scaling, tradeoff
from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.figures.charts import curve_chart, profile_chart, tradeoff_chart
from hcbench.figures.draw_charts import add_caption, draw_chart, draw_ranks
from hcbench.figures.plots import (
    GUIDE,
    clades_of,
    class_colours,
    class_handles,
    draw_tree,
    fitting_axes,
    new_figure,
    plain,
    style,
)
from hcbench.figures.suites import FORMATS, write_figure
from hcbench.model.trees import Tree, facing_orders
from hcbench.plan.outcome import budget_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hcbench.analysis.groups import Group
    from hcbench.analysis.ranks import PairTest
    from hcbench.analysis.statistics import Distance, Failed
    from hcbench.figures.plots import Orientation
    from hcbench.figures.view import FigureView
    from hcbench.model.problem import Problem
    from hcbench.results.results import Results

MOST_COLOURS = 16
MOST_NAMES = 300  # with more leaves there are dots instead of names
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
        classes, what = class_labels(problem)
        caption += [f"colours: {what}"] * bool(what)
    with style():
        small = tree.n <= MOST_NAMES
        ax = fitting_axes(tree, "top") if small else new_figure(9.0, 5.0)[1]
        colours = draw_tree(ax, tree, classes=classes)
        ax.set_title(plain(_title(group)))
    figure = ax.get_figure(root=True)
    assert figure is not None
    _add_classes(figure, colours)
    add_caption(figure, caption)
    return figure


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
    name, true = _truth(problem, truth, group.dataset)
    classes, what = class_labels(problem, true)
    order, other = facing_orders(true, tree)
    height = max(3.0, tree.n * _LEAF + 1.0) if tree.n <= MOST_NAMES else 9.0
    figure, (left, middle, right) = new_figure(8.4, height, columns=3)
    left.get_gridspec().set_width_ratios((1.0, 0.35, 1.0))
    colours = class_colours(classes or ())
    sides: tuple[tuple[Axes, Tree, Any, Orientation], ...] = (
        (left, true, order, "left"),
        (right, tree, other, "right"),
    )
    with style():
        for ax, shown, leaves, side in sides:
            named, few = _with_names(shown, problem), tree.n <= MOST_NAMES
            draw_tree(ax, named, classes, colours, names=few, orientation=side, order=leaves)
        _join(middle, order, other, [colours[label] for label in classes or ()])
        left.set_title(plain(f"truth: {name}"))
        right.set_title(plain(group.algorithm))
    _add_classes(figure, colours)
    add_caption(figure, [_title(group, repetition), *([f"colours: {what}"] * bool(what))])
    return figure


def class_labels(problem: Problem, truth: Tree | None = None) -> tuple[list[str] | None, str]:
    """The name of the class of each item, and what the classes are.

    They are those of the finest level with no more classes than colours. Without classes they are
    the clades of a cut through the true tree, by default the first; None without a truth.
    """
    if problem.levels is not None:
        depths = range(1, problem.levels.shape[1] + 1)
        named = [problem.class_names(depth) for depth in depths]
        few = [names for names in named if len(set(names)) <= MOST_COLOURS]
        return (few[-1] if few else named[0]), ""
    truth = truth or next(iter(problem.truths.values()), None)
    if truth is None or truth.n < 2:
        return None, ""
    names = clades_of(truth)
    return names, f"a cut through the true tree into {len(set(names))} clades"


def _with_names(tree: Tree, problem: Problem) -> Tree:
    if tree.names is None:
        return tree.with_names(problem.names)
    return tree.matched_with(problem.named_items("the data"))


def _only_tree(view: FigureView, repetition: int, checkpoint: int | None) -> tuple[Group, Tree]:
    groups = [
        group
        for group in view.results.groups
        if group.checkpoint == checkpoint
        and any(o.repetition == repetition and o.status == "ok" for o in group.outcomes)
    ]
    if len(groups) == 1:
        (group,) = groups
        where: Any = {"oracle": group.oracle, "budget": group.budget, "checkpoint": checkpoint}
        return group, view.tree(group.algorithm, group.dataset, repetition, **where)
    at = "" if checkpoint is None else f" at checkpoint {checkpoint}"
    if not groups:
        raise HcbenchError(f"no cell has a result in repetition {repetition}{at}")
    some = "; ".join(_title(group) for group in groups[:4])
    more = f" and {len(groups) - 4} more" if len(groups) > 4 else ""
    raise HcbenchError(f"choose a tree by its algorithm, dataset, oracle or budget: {some}{more}")


def _truth(problem: Problem, wanted: str, dataset: str) -> tuple[str, Tree]:
    if not problem.truths:
        raise DataNotAvailableError(
            f"{dataset} has no true tree; hcbench plot dendrogram needs none"
        )
    for name, tree in problem.truths.items():
        if wanted.casefold() in ("", name.casefold()):
            return name, tree
    raise HcbenchError(f"{dataset} has no truth {wanted!r}; there are {', '.join(problem.truths)}")


def _title(group: Group, repetition: int | None = None) -> str:
    """What a tree is of; with the repetition, also after how many queries."""
    text = f"{group.algorithm} on {group.dataset} through {group.oracle}"
    text += "" if group.budget is None else f", budget {budget_text(group.budget)}"
    if repetition is None:
        return text
    at = "" if group.checkpoint is None else f", after {group.checkpoint:,} queries"
    return f"{text}, repetition {repetition}{at}"


def _join(ax: Axes, order: Any, other: Any, colours: list[str]) -> None:
    """Lines between the same items on the left and on the right."""
    from matplotlib.collections import LineCollection

    n = len(order)
    places = np.argsort(order), np.argsort(other)
    lines = [[(0.0, a), (1.0, b)] for a, b in zip(*places, strict=True)]
    width = 0.9 if n <= 100 else 0.5 if n <= 500 else 0.25
    ax.add_collection(LineCollection(lines, colors=colours or [GUIDE], linewidths=width, alpha=0.8))
    ax.set_xlim(0, 1)
    ax.set_ylim(n - 0.4, -0.6)
    ax.set_axis_off()


def _add_classes(figure: Figure, colours: dict[Any, str]) -> None:
    """A legend of the classes above the axes and their titles."""
    if not 1 < len(colours) <= MOST_COLOURS:
        return
    widest = 0.065 * max(len(str(name)) for name in colours) + 0.4  # inches
    across = max(1, int((figure.get_figwidth() - 0.5) / widest))
    with style():
        figure.legend(
            handles=class_handles(colours), loc="outside upper center", ncols=min(across, 8)
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
        lambda view, results, _: draw_ranks(view, results),
        lambda results, c: ranking(
            results, _quality(results, c), failed=c.failed, alpha=c.alpha, test=c.test
        ),
    ),
    "profile": Kind(
        "The share of the data sets on which each algorithm is how close to the best.",
        lambda view, results, _: draw_chart(profile_chart(view, results)),
        lambda results, c: profile(results, _quality(results, c), failed=c.failed, by=c.by),
    ),
    "tradeoff": Kind(
        "Quality against queries or seconds, with the Pareto front.",
        lambda view, results, _: draw_chart(tradeoff_chart(view, results)),
        lambda results, c: tradeoff(results, _quality(results, c), c.against or _cost(results)),
    ),
    "curve": Kind(
        "A metric along a parameter that varies.",
        lambda view, results, _: draw_chart(curve_chart(view, results)),
        lambda results, c: curves(results, c.x or _only_axis(results), _quality(results, c)),
    ),
    "scaling": Kind(
        "Time or queries against the number of items, with fitted exponents.",
        lambda view, results, _: draw_chart(curve_chart(view, results, growth=True)),
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


def _cost(results: Results) -> str:
    asked = any(group.numbers(COSTS["queries"]) for group in results.groups)
    return "queries" if asked else "seconds"


def _only_axis(results: Results) -> str:
    axes = axes_of(results)
    if len(axes) == 1:
        return axes[0].id
    if not axes:
        raise HcbenchError(
            "no numeric parameter varies in these results; give a grid, such as planted[N0=[4,8]]"
        )
    raise HcbenchError(f"choose the horizontal axis, x: {' or '.join(axis.id for axis in axes)}")
