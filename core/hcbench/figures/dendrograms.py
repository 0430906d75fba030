"""Drawing of trees; public as ``hcbench.figures``.

Dendrograms are drawn from the arrays of trees. Trees need not be binary and heights need not be
monotone, so scipy's dendrogram cannot draw them. There is no recursion, so that chains of 100,000
leaves can be drawn. O(m) for m nodes, besides the time of matplotlib.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from hcbench.errors import DataError
from hcbench.figures.palette import GUIDE, PALETTE
from hcbench.figures.plots import new_figure, plain, shortened
from hcbench.model.names import NamedItems, match_items, names_of_index
from hcbench.model.trees import HeightKind, Partition, Tree
from hcbench.model.trees.layout import branch_lines, layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.patches import Patch
    from numpy.typing import ArrayLike, NDArray

#: Where the root is.
Orientation: TypeAlias = Literal["top", "left", "right"]
#: Of branches with leaves of several classes.
MIXED = "#555555"
_POINTS = 72.0  # of an inch
_SMALLEST = 3.0  # font size in points
_LARGEST = 10.0
_READABLE = 6.0  # for which new axes have room
_LEGEND = 20  # classes, at most
_CLADES = 8  # a truth without classes is cut into this many, for colours
#: The title of the axis of heights.
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
        The class of each leaf; those of a Series are matched by its index. Names have the colours
        of their classes, as have branches with leaves of one class only.
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

    Examples
    --------
    >>> tree = hcbench.Tree.from_newick("((a:1,b:1):2,c:3);")
    >>> ax = dendrogram(None, tree, classes=["x", "x", "y"])
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['c', 'a', 'b']
    >>> ax.get_ylabel()
    'distance'
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['x', 'y']
    """
    ax = ax or fitting_axes(tree, orientation)
    colours_of_classes = draw_tree(
        ax, tree, classes, colours, names=names, orientation=orientation, order=order
    )
    if 1 < len(colours_of_classes) <= _LEGEND:
        # Of font size 8, a letter is .6 of its height wide; a box and gaps take 4 letters.
        longest = max(len(str(name)) for name in colours_of_classes)
        entry_width = 8.0 * (0.6 * longest + 4.0)
        columns = int(_extent(ax, "top") * _POINTS / entry_width)
        ax.legend(
            handles=class_handles(colours_of_classes),
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            # A wider legend would shrink the axes.
            ncols=min(max(columns, 1), len(colours_of_classes), 6),
            handlelength=0.8,
        )
    return ax


def draw_tree(
    ax: Axes,
    tree: Tree,
    classes: ArrayLike | None = None,
    colours: Mapping[Any, str] | None = None,
    *,
    names: bool | None = None,
    orientation: Orientation = "top",
    order: ArrayLike | None = None,
) -> dict[Any, str]:
    """As `dendrogram`, without a legend; returns the colours of the classes that occur.

    Examples
    --------
    >>> _, ax = hcbench.figures.new_figure()
    >>> tree = hcbench.Tree.from_newick("((a:1,b:1):2,c:3);")
    >>> draw_tree(ax, tree, classes=["x", "x", "y"], orientation="left")
    {'x': '#0072B2', 'y': '#D55E00'}
    """
    labels: list[Any] = []
    palette: dict[Any, str] = {}
    if classes is not None:
        labels = _checked_classes(classes, tree)
        palette = dict(colours or class_colours(labels))
    leaves = tree.leaf_order
    if order is not None:
        leaves = np.asarray(order, dtype=np.int64)
    along, height = layout(tree.parent, leaves, tree.height)
    _draw_branches(ax, tree, along, height, labels, palette, orientation)
    # Texts of neighbouring leaves do not touch.
    size = min(0.9 * _extent(ax, orientation) * _POINTS / tree.n, _LARGEST)
    if names is None:
        names = size >= _SMALLEST
    leaf_colours = []
    for leaf in leaves.tolist():
        if labels:
            leaf_colours.append(palette.get(labels[leaf], MIXED))
        else:
            leaf_colours.append("black")
    if orientation == "left":
        ax.yaxis.tick_right()
    if names:
        _write_names(ax, tree, leaves, leaf_colours, size, orientation)
    elif labels:
        _draw_dots(ax, leaf_colours, orientation)
    else:
        # Without classes dots would show nothing.
        _draw_dots(ax, [], orientation)
    _label_heights(ax, tree, along, height, orientation)
    classes_that_occur = sorted(set(labels), key=str)
    return {name: palette.get(name, MIXED) for name in classes_that_occur}


def class_colours(classes: Sequence[Hashable]) -> dict[Any, str]:
    """A colour for each class, in alphabetical order as in the report; they repeat after 16.

    The first seven are those of Okabe and Ito, the others those of Tol's muted scheme.

    Examples
    --------
    >>> class_colours(["setosa", "virginica", "setosa"])
    {'setosa': '#0072B2', 'virginica': '#D55E00'}
    """
    colours = {}
    for place, name in enumerate(sorted(set(classes), key=str)):
        colours[name] = PALETTE[place % len(PALETTE)]
    return colours


def class_handles(colours: Mapping[Any, str]) -> list[Patch]:
    """The entries of a legend of classes.

    Examples
    --------
    >>> colours = hcbench.figures.class_colours(["setosa", "virginica"])
    >>> [handle.get_label() for handle in class_handles(colours)]
    ['setosa', 'virginica']
    """
    from matplotlib.patches import Patch

    handles = []
    for name, colour in colours.items():
        handles.append(Patch(color=colour, label=plain(str(name))))
    return handles


def _checked_classes(classes: ArrayLike, tree: Tree) -> list[Any]:
    """The class of each leaf; those of a Series or partition with names are matched by these."""
    if isinstance(classes, Partition):
        labels = np.asarray(classes.labels)
        names = classes.names
    else:
        labels = np.asarray(classes)
        names = names_of_index(classes, only_own=True)
    if len(labels) != tree.n:
        raise DataError(f"{len(labels)} classes for {tree.n} leaves; give one for each leaf")
    if names is not None:
        items = NamedItems(
            what="the classes",
            n=len(labels),
            names=names,
            drop="classes.reset_index(drop=True)",
        )
        labels = labels[match_items(items, tree.named_items("the tree"))]
    classes_of_leaves: list[Any] = labels.tolist()
    return classes_of_leaves


def classes_of_nodes(tree: Tree, labels: Sequence[Any]) -> list[Any]:
    """The class of all leaves below each node; None if there are several.

    Examples
    --------
    >>> tree = hcbench.Tree.from_newick("((a,b),c);")
    >>> classes_of_nodes(tree, ["x", "x", "y"])
    ['x', 'x', 'y', 'x', None]
    """
    # Of a node no child of which has been visited; None is a class, too.
    unknown = object()
    classes = list(labels) + [unknown] * (tree.n_nodes - tree.n)
    # Children come before their parents.
    for node, above in enumerate(tree.parent.tolist()):
        if above < 0:  # the root
            continue
        if classes[above] is unknown:
            classes[above] = classes[node]
        elif classes[above] != classes[node]:
            classes[above] = None
    return classes


def clades_of(truth: Tree) -> list[str]:
    """The clade of each leaf in a cut through a tree, numbered in the order of its leaves.

    Examples
    --------
    >>> clades_of(hcbench.Tree.from_newick("((a,b),(c,(d,e)));"))
    ['clade 2', 'clade 2', 'clade 1', 'clade 1', 'clade 1']
    """
    # Of few leaves there are few clades, of three leaves each.
    labels = truth.cut(max(2, min(_CLADES, truth.n // 3))).labels
    numbers: dict[int, int] = {}
    for label in labels[truth.leaf_order].tolist():
        numbers.setdefault(label, len(numbers) + 1)
    return [f"clade {numbers[label]}" for label in labels.tolist()]


def _draw_branches(
    ax: Axes,
    tree: Tree,
    along: NDArray[np.float64],
    height: NDArray[np.float64],
    labels: Sequence[Any],
    palette: Mapping[Any, str],
    orientation: Orientation,
) -> None:
    """Draw the branches in the colours of their classes."""
    from matplotlib.collections import LineCollection

    n = tree.n
    lines = branch_lines(tree.parent, n, along, height)
    if orientation != "top":
        # x and y change their places.
        lines = lines[:, :, ::-1]
    colours = [MIXED] * tree.n_nodes
    if labels:
        classes = classes_of_nodes(tree, labels)
        colours = [palette.get(name, MIXED) for name in classes]
    ax.add_collection(
        LineCollection(
            list(lines),
            # A line for each node below the root, and then one for each inner node.
            colors=colours[:-1] + colours[n:],
            linewidths=_branch_width(n),
            capstyle="projecting",
        )
    )


def _branch_width(n: int) -> float:
    """The width of branches in points; those of many leaves are thin."""
    if n <= 60:
        return 1.2
    if n <= 200:
        return 0.9
    return 0.6


def _label_heights(
    ax: Axes,
    tree: Tree,
    along: NDArray[np.float64],
    height: NDArray[np.float64],
    orientation: Orientation,
) -> None:
    """Limits and name of the axis of heights: the root is on its side, whatever heights mean."""
    from matplotlib.ticker import MaxNLocator

    low = float(height.min())
    high = float(height.max())
    margin = 0.03 * (high - low) or 0.5
    limits = (low - margin, high + margin)
    if tree.kind is HeightKind.AFFINITY:  # grows from the root to the leaves
        limits = limits[::-1]
    # Leaf i is at i; a little more than half of a place stays free on both sides.
    sides = (-0.6, tree.n - 0.4)
    if orientation == "top":
        ax.set(xlim=sides, ylim=limits, ylabel=_AXES[tree.kind])
        axis_of_heights: Axis = ax.yaxis
        side_of_heights = "left"
    else:
        # The first leaf is at the top; with the root on the left, heights grow to the left.
        horizontal_limits = limits
        if orientation == "left":
            horizontal_limits = limits[::-1]
        ax.set(ylim=sides[::-1], xlim=horizontal_limits, xlabel=_AXES[tree.kind])
        axis_of_heights = ax.xaxis
        side_of_heights = "bottom"
    if tree.kind in (HeightKind.ORDER, HeightKind.NONE):
        axis_of_heights.set_major_locator(MaxNLocator(integer=True))
    for side in ("top", "right", "bottom", "left"):
        if side != side_of_heights:
            ax.spines[side].set_visible(False)
    leaves = height[: tree.n]
    if np.ptp(leaves) > 0:
        # Thin lines from leaves at different heights to their names.
        guide = {"colors": GUIDE, "linewidths": 0.5, "linestyles": ":", "zorder": 0}
        if orientation == "top":
            ax.vlines(along[: tree.n], leaves, limits[0], **guide)  # type: ignore[arg-type]
        else:
            ax.hlines(along[: tree.n], leaves, limits[0], **guide)  # type: ignore[arg-type]


def _write_names(
    ax: Axes,
    tree: Tree,
    leaves: NDArray[np.int64],
    colours: Sequence[str],
    size: float,
    orientation: Orientation,
) -> None:
    """Names of the leaves in the colours of their classes."""
    axis: Axis = ax.yaxis
    rotation = 0  # degrees
    if orientation == "top":
        axis = ax.xaxis
        rotation = 90
    texts = []
    for leaf in leaves.tolist():
        if tree.names is None:
            texts.append(str(leaf))
        else:
            texts.append(plain(shortened(tree.names[leaf])))
    axis.set_ticks(np.arange(tree.n), texts)
    axis.set_tick_params(length=0, labelsize=size, labelrotation=rotation, pad=2)
    for text, colour in zip(axis.get_ticklabels(), colours, strict=True):
        text.set_color(colour)


def _draw_dots(ax: Axes, colours: Sequence[str], orientation: Orientation) -> None:
    """Dots in the colours of the classes instead of names that do not fit."""
    places = np.arange(len(colours))
    # At the end of the axes where the leaves are, whatever their heights.
    edge = np.full(len(colours), float(orientation == "left"))
    if orientation == "top":
        ax.set_xticks([])
        dots = ax.scatter(places, edge, c=colours, transform=ax.get_xaxis_transform())
    else:
        ax.set_yticks([])
        dots = ax.scatter(edge, places, c=colours, transform=ax.get_yaxis_transform())
    dots.set(sizes=[4.0], clip_on=False)


def _extent(ax: Axes, orientation: Orientation) -> float:
    """The length in inches of the axes along the leaves."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    box = ax.get_position()
    width, height = figure.get_size_inches()
    inches = float(box.width * width)
    if orientation != "top":
        inches = float(box.height * height)
    if figure.get_layout_engine() is not None:
        # It enlarges the axes later, when it draws.
        inches *= 1.2
    return inches


def fitting_axes(tree: Tree, orientation: Orientation) -> Axes:
    """New axes that are large enough for the names of all leaves.

    Examples
    --------
    >>> tree = hcbench.Tree.from_newick("((a:1,b:1):2,c:3);")
    >>> fitting_axes(tree, "top").figure.get_size_inches().tolist()
    [6.0, 4.0]
    """
    along = max(6.0, 1.2 * tree.n * _READABLE / _POINTS)
    across = 4.0
    if tree.n > 100:
        across = 6.0
    ax: Axes
    if orientation == "top":
        _, ax = new_figure(along, across)
    else:
        _, ax = new_figure(across, along)
    return ax
