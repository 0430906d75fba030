"""Dendrograms of stored trees, and tanglegrams of the truth and a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.model.trees.facing import facing_orders
from hcbench.show.drawing.sheets import add_caption
from hcbench.show.plots.dendrograms import GUIDE, MIXED, class_colours, dendrogram
from hcbench.show.plots.settings import new_figure, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hcbench.analysis.groups import Group
    from hcbench.model.problem import Problem
    from hcbench.model.trees import Tree
    from hcbench.show.figures import FigureView

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
    group = _only_group(view, repetition, checkpoint)
    tree = _tree_of(view, group, repetition)
    classes, why = _classes(view, group.dataset, repetition)
    with style():
        ax = dendrogram(None, tree, classes=classes) if tree.n <= MOST_NAMES else None
        if ax is None:
            ax = dendrogram(new_figure(9.0, 5.0)[1], tree, classes=classes)
        figure = ax.get_figure(root=True)
        assert figure is not None
        ax.set_title(plain(_title(group)), pad=26 if classes is not None else 6)
    add_caption(figure, [_about(group, repetition), *why])
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
    group = _only_group(view, repetition, checkpoint)
    tree = _tree_of(view, group, repetition)
    problem = view.problem(group.dataset, repetition)
    name, true = _truth(problem, truth, group.dataset)
    classes = class_labels(problem)
    order, other = facing_orders(true, tree)
    height = max(3.0, tree.n * _LEAF + 1.0) if tree.n <= MOST_NAMES else 9.0
    figure, axes = new_figure(8.4, height, columns=3)
    axes[0].get_gridspec().set_width_ratios((1.0, 0.35, 1.0))
    colours = class_colours(classes) if classes is not None else {}
    with style():
        for ax, shown, leaves, side in (
            (axes[0], true, order, "left"),
            (axes[2], tree, other, "right"),
        ):
            dendrogram(
                ax,
                shown,
                classes=classes,
                colours=colours or None,
                names=tree.n <= MOST_NAMES,
                orientation=side,  # type: ignore[arg-type]
                order=leaves,
            )
            if ax.get_legend() is not None:
                ax.get_legend().remove()
        _join(axes[1], order, other, [colours.get(c, MIXED) for c in classes or []])
        axes[0].set_title(plain(f"truth: {name}"))
        axes[2].set_title(plain(group.algorithm))
        if colours:
            _legend(figure, colours)
    add_caption(figure, [_about(group, repetition)])
    return figure


def class_labels(problem: Problem) -> list[Any] | None:
    """The class of each item, at the finest level with no more classes than colours."""
    if problem.levels is None:
        return None
    best = None
    for depth in range(1, problem.levels.shape[1] + 1):
        kinds, labels = np.unique(problem.levels[:, :depth], axis=0, return_inverse=True)
        if best is None or len(kinds) <= MOST_COLOURS:
            best = [str(label) for label in labels.ravel()]
    return best


def _only_group(view: FigureView, repetition: int, checkpoint: int | None) -> Group:
    groups = [
        group
        for group in view.results.groups
        if group.checkpoint == checkpoint
        and any(o.repetition == repetition and o.status == "ok" for o in group.outcomes)
    ]
    if len(groups) == 1:
        return groups[0]
    at = "" if checkpoint is None else f" at checkpoint {checkpoint}"
    if not groups:
        raise HcbenchError(f"no cell has a result in repetition {repetition}{at}")
    some = "; ".join(_title(group) for group in groups[:4])
    more = f" and {len(groups) - 4} more" if len(groups) > 4 else ""
    raise HcbenchError(f"choose a tree by --algo, --dataset, --oracle or --budget: {some}{more}")


def _tree_of(view: FigureView, group: Group, repetition: int) -> Tree:
    return view.tree(
        group.algorithm,
        group.dataset,
        repetition,
        oracle=group.oracle,
        budget=group.budget,
        checkpoint=group.checkpoint,
    )


def _classes(view: FigureView, dataset: str, repetition: int) -> tuple[list[Any] | None, list[str]]:
    """The classes of the items, or None and the reason."""
    try:
        return class_labels(view.problem(dataset, repetition)), []
    except DataNotAvailableError as error:
        return None, [f"without colours: {error}"]


def _truth(problem: Problem, wanted: str, dataset: str) -> tuple[str, Tree]:
    if not problem.truths:
        raise DataNotAvailableError(
            f"{dataset} has no true tree; hcbench plot dendrogram needs none"
        )
    by_name = {name.casefold(): name for name in problem.truths}
    name = by_name.get(wanted.casefold()) if wanted else next(iter(problem.truths))
    if name is None:
        raise HcbenchError(
            f"{dataset} has no truth {wanted!r}; there are {', '.join(problem.truths)}"
        )
    return name, problem.truths[name]


def _title(group: Group) -> str:
    budget = "" if group.budget is None else f", budget {group.budget:,}"
    return f"{group.algorithm} on {group.dataset} through {group.oracle}{budget}"


def _about(group: Group, repetition: int) -> str:
    at = "" if group.checkpoint is None else f", after {group.checkpoint:,} questions"
    return f"{_title(group)}, repetition {repetition}{at}"


def _join(ax: Axes, order: Any, other: Any, colours: list[str]) -> None:
    """Lines between the same items on the left and on the right."""
    from matplotlib.collections import LineCollection

    n = len(order)
    left, right = np.empty(n), np.empty(n)
    left[order] = np.arange(n)
    right[other] = np.arange(n)
    lines = [[(0.0, a), (1.0, b)] for a, b in zip(left, right, strict=True)]
    width = 0.9 if n <= 100 else 0.5 if n <= 500 else 0.25
    ax.add_collection(LineCollection(lines, colors=colours or [GUIDE], linewidths=width, alpha=0.8))
    ax.set_xlim(0, 1)
    ax.set_ylim(n - 0.4, -0.6)
    ax.set_axis_off()


def _legend(figure: Figure, colours: dict[Any, str]) -> None:
    from matplotlib.patches import Patch

    figure.legend(
        handles=[Patch(color=colour, label=plain(str(name))) for name, colour in colours.items()],
        loc="outside upper center",
        ncols=min(len(colours), 8),
        title="class",
    )
