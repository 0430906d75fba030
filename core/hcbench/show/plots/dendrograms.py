"""Dendrograms of arbitrary trees, drawn from their arrays.

Trees need not be binary and heights need not be monotone, so scipy's dendrogram cannot draw them.
There is no recursion, so that chains of 100,000 leaves can be drawn. O(m) for m nodes, besides the
time of matplotlib.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from hcbench.analysis.palette import PALETTE
from hcbench.errors import DataError
from hcbench.model.trees import HeightKind, Tree
from hcbench.show.plots.settings import new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch
    from numpy.typing import ArrayLike, NDArray

Orientation: TypeAlias = Literal["top", "left", "right"]
MIXED = "#555555"
GUIDE = "#bbbbbb"
_POINTS = 72.0  # of an inch
_NAME_SIZE = (3.0, 10.0)  # smallest and largest font size in points
_WANTED_SIZE = 6.0
_LEGEND = 20  # classes, at most
_AXES = {
    HeightKind.DISTANCE: "distance",
    HeightKind.AFFINITY: "affinity",
    HeightKind.ORDER: "order of merges",
    HeightKind.NONE: "levels",
}


def dendrogram(
    ax: Axes | None,
    tree: Tree,
    *,
    classes: ArrayLike | None = None,
    colours: Mapping[Any, str] | None = None,
    names: bool | None = None,
    orientation: Orientation = "top",
    order: ArrayLike | None = None,
) -> Axes:
    """Draw a tree with its root on top, on the left or on the right.

    The axis shows the heights of the tree: distances increase towards the root, affinities towards
    the leaves. Infinite heights are drawn slightly beyond the others; a tree without heights is
    drawn by levels, with all leaves on one. A legend of the classes is above the axes, where a
    title of the axes would be; a title of the figure is above both.

    Parameters
    ----------
    ax : Axes, optional
        By default those of a new figure that is large enough for the names.
    tree : Tree
    classes : (n,) labels, optional
        The class of each leaf. Names have the colours of their classes, as have branches with
        leaves of one class only.
    colours : mapping of class to colour, optional
        By default colours that colour-blind readers can distinguish (see `class_colours`).
    names : bool, optional
        Whether to write the names of the leaves, or their numbers if they have none; by default if
        a font size of 3 points fits.
    orientation : {"top", "left", "right"}
        The position of the root.
    order : (n,) int, optional
        The leaves from left to right or from top to bottom, in an order in which no branches cross;
        by default that of the tree.

    Returns
    -------
    Axes

    Raises
    ------
    DataError
        If the number of classes differs from the number of leaves.
    """
    ax = ax or fitting_axes(tree, orientation)
    shown = draw_tree(
        ax,
        tree,
        classes=classes,
        colours=colours,
        names=names,
        orientation=orientation,
        order=order,
    )
    if 1 < len(shown) <= _LEGEND:
        entry = 8.0 * (0.6 * max(len(str(name)) for name in shown) + 4.0)
        columns = int(_extent(ax, "top") * _POINTS / entry)
        ax.legend(
            handles=class_handles(shown),
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=min(max(columns, 1), len(shown), 6),  # a wider legend would shrink the axes
            handlelength=0.8,
        )
    return ax


def draw_tree(
    ax: Axes,
    tree: Tree,
    *,
    classes: ArrayLike | None = None,
    colours: Mapping[Any, str] | None = None,
    names: bool | None = None,
    orientation: Orientation = "top",
    order: ArrayLike | None = None,
) -> dict[Any, str]:
    """As `dendrogram`, without a legend; returns the colours of the classes that occur."""
    labels = None if classes is None else _checked_classes(classes, tree.n)
    palette = {} if labels is None else dict(colours or class_colours(labels))
    leaves = tree.leaf_order if order is None else np.asarray(order, dtype=np.int64)
    along, height = layout(tree, leaves)
    _draw_branches(ax, tree, along, height, labels, palette, orientation)
    size = min(0.9 * _extent(ax, orientation) * _POINTS / tree.n, _NAME_SIZE[1])
    wanted = size >= _NAME_SIZE[0] if names is None else names
    of_leaves = ["black"] * tree.n
    if labels is not None:
        of_leaves = [palette.get(labels[leaf], MIXED) for leaf in leaves.tolist()]
    if orientation == "left":
        ax.yaxis.tick_right()
    if wanted:
        _write_names(ax, tree, leaves, of_leaves, size, orientation)
    else:
        _draw_dots(ax, of_leaves if labels else [], orientation)
    _label_heights(ax, tree, along, height, orientation)
    return {name: palette.get(name, MIXED) for name in dict.fromkeys(labels or ())}


def class_colours(classes: Sequence[Hashable]) -> dict[Any, str]:
    """A colour for each class, in order of first appearance; they repeat after 16.

    The first seven are those of Okabe and Ito, the others those of Tol's muted scheme.
    """
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(dict.fromkeys(classes))}


def class_handles(colours: Mapping[Any, str]) -> list[Patch]:
    """The entries of a legend of classes."""
    from matplotlib.patches import Patch

    return [Patch(color=colour, label=plain(str(name))) for name, colour in colours.items()]


def layout(
    tree: Tree, order: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The coordinates of the nodes.

    Parameters
    ----------
    tree : Tree
    order : (n,) int, optional
        The order of the leaves; by default that of the tree.

    Returns
    -------
    along : (m,) float
        Leaves at 0, 1, ..., n-1; other nodes midway between their outermost children.
    height : (m,) float
        Finite heights; for a tree without heights, levels counted from the leaves.
    """
    m, n = tree.n_nodes, tree.n
    along = np.empty(m)
    along[tree.leaf_order if order is None else order] = np.arange(n)
    first, last = np.full(m, np.inf), np.full(m, -np.inf)
    levels = np.zeros(m)
    parent = tree.parent.tolist()
    for node in range(m):  # children come before their parents
        if node >= n:
            along[node] = (first[node] + last[node]) / 2
        above = parent[node]
        if above >= 0:
            first[above] = min(first[above], along[node])
            last[above] = max(last[above], along[node])
            levels[above] = max(levels[above], levels[node] + 1)
    return along, levels if tree.height is None else _finite(tree.height)


def _finite(height: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights in which infinite ones are a tenth of the range beyond the others."""
    known = height[np.isfinite(height)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    beyond = 0.1 * (high - low) or 1.0
    return np.clip(height, low - beyond, high + beyond)


def _checked_classes(classes: ArrayLike, n: int) -> list[Any]:
    labels: list[Any] = np.asarray(getattr(classes, "labels", classes)).tolist()
    if len(labels) != n:
        raise DataError(f"{len(labels)} classes for {n} leaves; give one for each leaf")
    return labels


def classes_of_nodes(tree: Tree, labels: Sequence[Any]) -> list[Any]:
    """The class of all leaves below each node; None if there are several."""
    unknown = object()
    classes = [*labels, *([unknown] * (tree.n_nodes - tree.n))]
    for node, above in enumerate(tree.parent.tolist()):
        if above < 0:
            continue
        if classes[above] is unknown:
            classes[above] = classes[node]
        elif classes[above] != classes[node]:
            classes[above] = None
    return classes


def branch_lines(
    tree: Tree, along: NDArray[np.float64], height: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A stem from each node to its parent's height, and a bar across the children of each.

    Returns
    -------
    (k, 2, 2) float
        The ends of each line as ``along`` and ``height``: the stems of all nodes but the root, then
        the bars of the inner nodes.
    """
    parent, n = tree.parent, tree.n
    stems = np.array([[along[:-1], height[:-1]], [along[:-1], height[parent[:-1]]]])
    first, last = np.full(tree.n_nodes, np.inf), np.full(tree.n_nodes, -np.inf)
    np.minimum.at(first, parent[:-1], along[:-1])
    np.maximum.at(last, parent[:-1], along[:-1])
    bars = np.array([[first[n:], height[n:]], [last[n:], height[n:]]])
    return np.concatenate((stems, bars), axis=2).transpose(2, 0, 1)


def _draw_branches(
    ax: Axes,
    tree: Tree,
    along: NDArray[np.float64],
    height: NDArray[np.float64],
    labels: Sequence[Any] | None,
    palette: Mapping[Any, str],
    orientation: Orientation,
) -> None:
    """Draw the branches in the colours of their classes."""
    from matplotlib.collections import LineCollection

    lines, n = branch_lines(tree, along, height), tree.n
    colour = [MIXED] * tree.n_nodes
    if labels is not None:
        colour = [palette.get(c, MIXED) for c in classes_of_nodes(tree, labels)]
    drawn = lines if orientation == "top" else lines[:, :, ::-1]
    ax.add_collection(
        LineCollection(
            list(drawn),
            colors=[*colour[:-1], *colour[n:]],
            linewidths=1.2 if n <= 60 else 0.9 if n <= 200 else 0.6,
            capstyle="projecting",
        )
    )


def _label_heights(
    ax: Axes,
    tree: Tree,
    along: NDArray[np.float64],
    height: NDArray[np.float64],
    orientation: Orientation,
) -> None:
    """Limits and name of the axis of heights: the root is on its side, whatever heights mean."""
    from matplotlib.ticker import MaxNLocator

    low, high = float(height.min()), float(height.max())
    margin = 0.03 * (high - low) or 0.5
    limits = (low - margin, high + margin)
    if tree.kind is HeightKind.AFFINITY:  # grows from the root to the leaves
        limits = limits[::-1]
    sides = (-0.6, tree.n - 0.4)
    if orientation == "top":
        ax.set(xlim=sides, ylim=limits, ylabel=_AXES[tree.kind])
    else:
        across = limits[::-1] if orientation == "left" else limits
        ax.set(ylim=sides[::-1], xlim=across, xlabel=_AXES[tree.kind])
    if tree.kind in (HeightKind.ORDER, HeightKind.NONE):
        axis = ax.yaxis if orientation == "top" else ax.xaxis
        axis.set_major_locator(MaxNLocator(integer=True))
    for side in {"top", "right", "bottom", "left"} - {"left" if orientation == "top" else "bottom"}:
        ax.spines[side].set_visible(False)
    leaves = height[: tree.n]
    if np.ptp(leaves) > 0:  # thin lines from leaves at different heights to their names
        lines = ax.vlines if orientation == "top" else ax.hlines
        guide = {"colors": GUIDE, "linewidths": 0.5, "linestyles": ":", "zorder": 0}
        lines(along[: tree.n], leaves, limits[0], **guide)  # type: ignore[arg-type]


def _write_names(
    ax: Axes,
    tree: Tree,
    leaves: NDArray[np.int64],
    colours: Sequence[str],
    size: float,
    orientation: Orientation,
) -> None:
    """Names of the leaves in the colours of their classes."""
    axis = ax.xaxis if orientation == "top" else ax.yaxis
    order = leaves.tolist()
    written = [str(i) if tree.names is None else plain(tree.names[i]) for i in order]
    axis.set_ticks(np.arange(tree.n), written)
    rotation = 90 if orientation == "top" else 0
    axis.set_tick_params(length=0, labelsize=size, labelrotation=rotation, pad=2)
    for text, colour in zip(axis.get_ticklabels(), colours, strict=True):
        text.set_color(colour)


def _draw_dots(ax: Axes, colours: Sequence[str], orientation: Orientation) -> None:
    """Dots in the colours of the classes instead of names that do not fit."""
    at = np.arange(len(colours))
    edge = np.full(len(colours), float(orientation == "left"))
    if orientation == "top":
        ax.set_xticks([])
        dots = ax.scatter(at, edge, c=colours, transform=ax.get_xaxis_transform())
    else:
        ax.set_yticks([])
        dots = ax.scatter(edge, at, c=colours, transform=ax.get_yaxis_transform())
    dots.set(sizes=[4.0], clip_on=False)


def _extent(ax: Axes, orientation: Orientation) -> float:
    """The length in inches of the axes along the leaves."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    box = ax.get_position()
    width, tall = figure.get_size_inches()
    inches = box.width * width if orientation == "top" else box.height * tall
    # A layout engine enlarges the axes later, when it draws.
    return float(inches) * (1.0 if figure.get_layout_engine() is None else 1.2)


def fitting_axes(tree: Tree, orientation: Orientation) -> Axes:
    """New axes that are large enough for the names of all leaves."""
    along = max(6.0, 1.2 * tree.n * _WANTED_SIZE / _POINTS)
    across = 4.0 if tree.n <= 100 else 6.0
    size = (along, across) if orientation == "top" else (across, along)
    ax: Axes = new_figure(*size)[1]
    return ax
