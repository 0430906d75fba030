"""Trees of results, drawn from what is stored: alone, with the data, and facing the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.figures.dendrograms import (
    clades_of,
    class_colours,
    class_handles,
    draw_tree,
    fitting_axes,
)
from hcbench.figures.draw_charts import add_caption
from hcbench.figures.palette import GUIDE
from hcbench.figures.plots import new_figure, plain, style
from hcbench.figures.problems import heat_map_of_problem
from hcbench.model.trees import Tree, facing_orders
from hcbench.plan.outcome import budget_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from hcbench.analysis.groups import Group
    from hcbench.figures.view import FigureView
    from hcbench.model.problem import Problem

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
    # The tree is stored; names and classes are of the data, which are generated again.
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
    # Inches: names need a line each; dots can be as close as the paper allows.
    height = 9.0
    if has_names:
        height = max(3.0, tree.n * _LEAF + 1.0)
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
        link_colours = [colours[label] for label in classes or ()]
        _join(middle_ax, true_order, order, link_colours)
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
    # A tree without names has the items in the order of the data.
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
        titles = "; ".join(map(_title, groups[:4]))
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
    if n <= 500:
        return 0.5
    return 0.25


def _add_classes(figure: Figure, colours: dict[Any, str]) -> None:
    """A legend of the classes above the axes and their titles."""
    if not 1 < len(colours) <= MOST_COLOURS:
        return
    longest = max(map(len, map(str, colours)))
    entry_width = 0.065 * longest + 0.4  # inches
    columns = max(1, int((figure.get_figwidth() - 0.5) / entry_width))
    with style():
        figure.legend(
            handles=class_handles(colours), loc="outside upper center", ncols=min(columns, 8)
        )
