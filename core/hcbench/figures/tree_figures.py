"""Figures of one tree for papers: dendrogram, heat map and tanglegram."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError
from hcbench.figures.annotations import cut_level, draw_cut_line, draw_support
from hcbench.figures.dendrograms import class_colours, class_handles, draw_tree
from hcbench.figures.palette import GUIDE
from hcbench.figures.plots import new_figure, plain, shortened, style
from hcbench.model.arguments import one_of, whole_number
from hcbench.model.trees import Tree, facing_orders

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What has mean 0 and standard deviation 1: nothing, each row, or each column.
Scaling: TypeAlias = Literal["none", "row", "column"]

#: With more leaves no names are written, as they would be too small to be read.
MOST_NAMES = 250
#: Classes in a legend; of more, colours repeat, and there is none.
MOST_CLASSES = 16
# Lengths in inches.
_ROW = 0.13  # a leaf with a name
_TALLEST = 16.0  # the height of a tree with names
_TALLEST_MAP = 10.0  # the height of a heat map, that of a page; some rows have no names then
_WITHOUT_NAMES = 9.0  # the height of a figure without names, however many leaves it has
_LEAST_POINTS = 5.0  # the size of letters that can be read in print
_LETTER = 0.055  # the width of a letter of a name
_STRIP = 0.16  # the width of an annotation strip


def dendrogram_figure(
    tree: Tree,
    *,
    title: str = "",
    classes: Sequence[Any] | None = None,
    k: int | None = None,
    height: float | None = None,
    support: NDArray[np.float64] | None = None,
) -> Figure:
    """A horizontal dendrogram with the names of the leaves on the right.

    Parameters
    ----------
    tree : Tree
    title : str
    classes : (n,) labels, optional
        Colour leaves, and branches with leaves of one class only; by default the clusters of the
        cut, if there is one.
    k, height : number, optional
        A cut, drawn as a line.
    support : (m,) float, optional
        The support of each node, written at it in per cent.

    Returns
    -------
    Figure
        Long names are shortened in the middle; with more than `MOST_NAMES` leaves there are dots
        in the place of names.

    Examples
    --------
    >>> tree = hcbench.Tree.from_newick("((a:1,b:1):2,c:3);")
    >>> figure = dendrogram_figure(tree, title="Three items", k=2)
    >>> figure.get_suptitle()
    'Three items'
    >>> figure.axes[0].get_xlabel()
    'distance'
    """
    if k is not None:
        k = whole_number(k, "k", least=1)
    has_names = tree.n <= MOST_NAMES
    figure_height = _WITHOUT_NAMES
    if has_names:
        figure_height = min(_TALLEST, max(2.2, 0.9 + _ROW * tree.n))
    figure_width = 6.5 + _width_of_names(tree, has_names=has_names)
    figure, ax = new_figure(figure_width, figure_height)
    if classes is None and k is not None and 1 < k <= tree.n:
        classes = [f"cluster {label}" for label in _numbered(tree, k)]
    with style():
        colours = draw_tree(ax, tree, classes, names=has_names, orientation="left")
        # Of two cuts, that into k clusters is drawn.
        if k is not None:
            level = cut_level(tree, k)
            if level is not None:
                draw_cut_line(ax, level, is_horizontal=True, text=f"k = {k}")
        elif height is not None:
            draw_cut_line(ax, height, is_horizontal=True, text=f"height {height:g}")
        if support is not None:
            draw_support(ax, tree, support, is_horizontal=True)
        _write_title(figure, title)
        _add_legend(figure, colours, most_columns=6)
    return figure


def heat_map(
    tree: Tree,
    values: NDArray[np.floating],
    *,
    column_names: Sequence[str] | None = None,
    column_tree: Tree | None = None,
    strips: Mapping[str, Sequence[Any]] | None = None,
    scale: Scaling = "none",
    title: str = "",
    k: int | None = None,
    label: str = "value",
) -> Figure:
    """A heat map with the items in the order of the tree, as `clustermap` and pheatmap draw it.

    Parameters
    ----------
    tree : Tree
        Of the rows, drawn on the left.
    values : (n, p) float
        Those of the items.
    column_names : (p,) str, optional
    column_tree : Tree, optional
        Of the columns, drawn above; by default columns stay in their order.
    strips : mapping of name to (n,) labels, optional
        Annotations of the rows, a strip of colours each, such as classes and clusters.
    scale : {"none", "row", "column"}
        Whether each row, or each column, gets mean 0 and standard deviation 1.
    title : str
    k : int, optional
        A cut, drawn as a line through the tree of the rows.
    label : str
        What the colours are.

    Returns
    -------
    Figure
        Colours end at the quantiles of 1 and 99 %, so that an outlier does not hide the rest.

    Raises
    ------
    DataError
        If there are not as many rows as leaves.

    Examples
    --------
    >>> tree = hcbench.Tree.from_newick("((a:1,b:1):2,c:3);")
    >>> values = np.array([[0.0, 1.0], [0.5, 1.0], [4.0, 2.0]])
    >>> figure = heat_map(tree, values, column_names=["width", "height"], title="Three items")
    >>> figure.get_suptitle()
    'Three items'
    >>> [text.get_text() for text in figure.axes[3].get_xticklabels()]
    ['width', 'height']
    """
    if len(values) != tree.n:
        raise DataError(f"{len(values)} rows for {tree.n} leaves; give a row for each leaf")
    if k is not None:
        k = whole_number(k, "k", least=1)
    strips = dict(strips or {})
    n_columns = values.shape[1]
    order = tree.leaf_order
    columns = np.arange(n_columns)
    if column_tree is not None:
        columns = column_tree.leaf_order
    # Rows and columns as they are drawn, in the order of the leaves.
    matrix = scaled(np.asarray(values, dtype=np.float64), scale)
    matrix = matrix[order][:, columns]
    has_names = tree.n <= MOST_NAMES
    with style():
        figure, axes = _heat_map_axes(tree, n_columns, len(strips), column_tree is not None)
        draw_tree(axes["rows"], tree, names=False, orientation="left")
        axes["rows"].set(xlabel="", ylim=(tree.n - 0.5, -0.5))
        if k is not None:
            level = cut_level(tree, k)
            if level is not None:
                draw_cut_line(axes["rows"], level, is_horizontal=True, text=f"k = {k}")
        if column_tree is not None:
            draw_tree(axes["columns"], column_tree, names=False, orientation="top")
            axes["columns"].set(ylabel="", xlim=(-0.5, n_columns - 0.5))
        image = _draw_matrix(axes["matrix"], matrix, is_centred=scale != "none")
        _write_rows(axes["matrix"], tree, has_names=has_names)
        _write_columns(axes["matrix"], column_names, columns)
        figure.colorbar(image, cax=axes["colours"], orientation="horizontal")
        quantity = label
        if scale != "none":
            quantity = f"{label}, each {scale} standardised"
        axes["colours"].set_xlabel(plain(quantity), fontsize=7)
        axes["colours"].tick_params(labelsize=6)
        _draw_strips(figure, axes, strips, order)
        _write_title(figure, title)
    return figure


def tanglegram_figure(
    left: Tree,
    right: Tree,
    *,
    titles: tuple[str, str] = ("", ""),
    classes: Sequence[Any] | None = None,
) -> Figure:
    """Two trees of the same items that face each other, with names on both sides.

    Parameters
    ----------
    left, right : Tree
        Leaf i of one is leaf i of the other. Children are turned so that lines cross little.
    titles : (str, str)
    classes : (n,) labels, optional
        Colour branches, names and lines.

    Raises
    ------
    DataError
        If the trees have different numbers of leaves.

    Examples
    --------
    >>> left = hcbench.Tree.from_newick("((a:1,b:1):2,c:3);")
    >>> right = hcbench.Tree.from_newick("((a:2,b:2):4,c:6);")
    >>> figure = tanglegram_figure(left, right, titles=("UPGMA", "Ward"))
    >>> [ax.get_title() for ax in figure.axes]
    ['UPGMA', '', 'Ward']
    """
    if left.n != right.n:
        raise DataError(f"trees of {left.n} and {right.n} leaves cannot face each other")
    left_order, right_order = facing_orders(left, right)
    has_names = left.n <= MOST_NAMES
    figure_height = _WITHOUT_NAMES
    if has_names:
        figure_height = min(_TALLEST, max(2.4, 1.0 + _ROW * left.n))
    figure_width = 8.0 + 2 * _width_of_names(left, has_names=has_names)
    figure, (left_ax, middle_ax, right_ax) = new_figure(figure_width, figure_height, columns=3)
    left_ax.get_gridspec().set_width_ratios((1.0, 0.45, 1.0))
    colours = class_colours(classes or ())
    with style():
        draw_tree(
            left_ax,
            left,
            classes,
            colours,
            names=has_names,
            orientation="left",
            order=left_order,
        )
        draw_tree(
            right_ax,
            right,
            classes,
            colours,
            names=has_names,
            orientation="right",
            order=right_order,
        )
        _draw_connections(middle_ax, left_order, right_order, classes, colours)
        for ax, title in zip((left_ax, right_ax), titles, strict=True):
            ax.set_title(plain(shortened(title, 50)), fontsize=9)
        _add_legend(figure, colours, most_columns=8)
    return figure


def _draw_connections(
    ax: Axes,
    left_order: NDArray[np.int64],
    right_order: NDArray[np.int64],
    classes: Sequence[Any] | None,
    colours: Mapping[Any, str],
) -> None:
    """A line for each item, from its place in the left tree to that in the right one."""
    from matplotlib.collections import LineCollection

    # The place of each leaf, counted from above.
    left_places = np.argsort(left_order)
    right_places = np.argsort(right_order)
    lines = []
    for left_place, right_place in zip(left_places, right_places, strict=True):
        lines.append([(0.0, left_place), (1.0, right_place)])
    line_colours = [GUIDE]
    if classes is not None:
        line_colours = [colours[label] for label in classes]
    n = left_order.size
    # Thick lines of many items would cover each other.
    width = 0.8
    if n > 100:
        width = 0.4
    ax.add_collection(LineCollection(lines, colors=line_colours, linewidths=width))
    ax.set(xlim=(0, 1), ylim=(n - 0.4, -0.6))
    ax.set_axis_off()


def _write_title(figure: Figure, title: str) -> None:
    if title:
        figure.suptitle(plain(shortened(title, 90)), fontsize=10)


def _add_legend(figure: Figure, colours: Mapping[Any, str], *, most_columns: int) -> None:
    """The classes below the figure, in as many columns as fit; none for one class, or for many."""
    if not 1 < len(colours) <= MOST_CLASSES:
        return
    fitting_columns = max(1, int(figure.get_figwidth() / _width_of_class(colours)))
    figure.legend(
        handles=class_handles(colours),
        loc="outside lower center",
        ncols=min(fitting_columns, most_columns),
    )


def scaled(values: NDArray[np.float64], scale: Scaling) -> NDArray[np.float64]:
    """Values of which each row, or each column, has mean 0 and standard deviation 1.

    Those without any variance become 0.
    """
    one_of(scale, "scale", get_args(Scaling))
    if scale == "none":
        return values
    # The mean of a row is taken along the columns.
    axis = 0
    if scale == "row":
        axis = 1
    # The unit does not matter, but squares of large values would be infinite, and of small ones 0.
    unit = np.abs(values).max(axis=axis, keepdims=True)
    values = values / np.where(unit > 0, unit, 1.0)
    centred = values - values.mean(axis=axis, keepdims=True)
    deviation = centred.std(axis=axis, keepdims=True)
    standardised: NDArray[np.float64] = centred / np.where(deviation > 0, deviation, 1.0)
    return standardised


def _numbered(tree: Tree, k: int) -> list[int]:
    from hcbench.analysis.cluster_table import from_left_to_right

    labels: list[int] = from_left_to_right(tree, tree.cut(k)).tolist()
    return labels


def _width_of_names(tree: Tree, *, has_names: bool) -> float:
    """Inches that the names of the leaves take."""
    if not has_names or tree.names is None:
        return 0.2
    lengths = [len(shortened(name)) for name in tree.names]
    return _LETTER * max(lengths)


def _width_of_class(colours: Mapping[Any, str]) -> float:
    """Inches of an entry of a legend."""
    lengths = [len(str(name)) for name in colours]
    # Half an inch for the symbol and the gap beside it.
    return 0.07 * max(lengths) + 0.5


def _heat_map_axes(
    tree: Tree, n_columns: int, n_strips: int, has_column_tree: bool
) -> tuple[Figure, dict[str, Any]]:
    """A figure with axes for the trees, the strips, the matrix and its colours."""
    from matplotlib.figure import Figure

    has_names = tree.n <= MOST_NAMES
    # The matrix.
    height = _WITHOUT_NAMES
    if has_names:
        height = min(_TALLEST_MAP, max(3.0, _ROW * tree.n))
    width = min(10.0, max(3.0, 0.16 * n_columns))
    # What is around it: the trees of the columns and of the rows, strips, and names.
    column_tree_height = 0.35
    if has_column_tree:
        column_tree_height = 1.0
    row_tree_width = 1.6
    strips_width = max(_STRIP * n_strips, 0.02)
    names_width = _width_of_names(tree, has_names=has_names) + 0.3

    figure_width = row_tree_width + strips_width + width + names_width + 0.6
    figure_height = column_tree_height + height + 0.6
    figure = Figure(figsize=(figure_width, figure_height))
    figure.set_layout_engine("constrained", w_pad=0.02, h_pad=0.02, wspace=0.0, hspace=0.0)
    grid = figure.add_gridspec(
        nrows=3,
        ncols=3,
        width_ratios=(row_tree_width, strips_width, width),
        height_ratios=(column_tree_height, height, 0.12),
    )
    axes: dict[str, Any] = {
        "columns": figure.add_subplot(grid[0, 2]),
        "rows": figure.add_subplot(grid[1, 0]),
        "strips": figure.add_subplot(grid[1, 1]),
        "matrix": figure.add_subplot(grid[1, 2]),
        "colours": figure.add_subplot(grid[2, 2]),
    }
    if not has_column_tree:
        axes["columns"].set_axis_off()
    return figure, axes


def colour_limits(values: NDArray[np.float64], *, is_centred: bool) -> tuple[float, float]:
    """The values of the first and the last colour of a heat map.

    They are the quantiles of 1 and 99 %, so that an outlier does not hide the rest. If there are
    values on both sides of 0, or all are centred, both ends are equally far from 0.
    """
    quantiles = np.quantile(values, (0.01, 0.99))
    low = float(quantiles[0])
    high = float(quantiles[1])
    if low == high:
        low = float(values.min())
        high = float(values.max())
    if is_centred or low < 0 < high:
        greatest = max(abs(low), abs(high))
        return -greatest, greatest
    return low, high


def _draw_matrix(ax: Axes, values: NDArray[np.float64], *, is_centred: bool) -> Any:
    """The matrix; colours diverge from 0 if there are values on both sides of it."""
    low, high = colour_limits(values, is_centred=is_centred)
    colours = "viridis"
    if low < 0 < high:
        colours = "RdBu_r"
    image = ax.imshow(
        values,
        aspect="auto",
        interpolation="nearest",
        cmap=colours,
        vmin=low,
        vmax=high,
    )
    # The rows are level with the leaves of the dendrogram beside them.
    ax.set_ylim(len(values) - 0.5, -0.5)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return image


def _write_rows(ax: Axes, tree: Tree, *, has_names: bool) -> None:
    """The names of the items on the right of the matrix."""
    ax.yaxis.tick_right()
    if not has_names:
        ax.set_yticks([])
        return
    # In points, of which an inch has 72: letters fill four fifths of a row.
    inches = ax.get_window_extent().height / ax.figure.dpi
    points_of_row = 0.8 * inches * 72 / tree.n
    step = max(1, math.ceil(_LEAST_POINTS / points_of_row))
    texts = []
    for leaf in tree.leaf_order[::step].tolist():
        name = str(leaf)
        if tree.names is not None:
            name = tree.names[leaf]
        texts.append(plain(shortened(name)))
    ax.set_yticks(np.arange(0, tree.n, step), texts)
    ax.tick_params(axis="y", length=0, labelsize=min(8.0, points_of_row * step))
    if step > 1:
        ax.yaxis.set_label_position("right")
        ax.set_ylabel(f"names of every {_ordinal(step)} of {tree.n} rows", fontsize=8.0)


def _ordinal(number: int) -> str:
    """Such as 2nd or 12th."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{endings.get(number % 10, 'th')}"


def _write_columns(ax: Axes, names: Sequence[str] | None, columns: NDArray[np.int64]) -> None:
    """The names of the columns below the matrix, if they fit."""
    if names is None or columns.size > 120:
        ax.set_xticks([])
        return
    texts = [plain(shortened(names[column], 24)) for column in columns.tolist()]
    ax.set_xticks(np.arange(columns.size), texts, rotation=90)
    ax.tick_params(axis="x", length=0, labelsize=min(8.0, max(3.5, 400 / columns.size)))


def _draw_strips(
    figure: Figure,
    axes: Mapping[str, Any],
    strips: Mapping[str, Sequence[Any]],
    order: NDArray[np.int64],
) -> None:
    """Annotation strips beside the matrix, with a legend of each that has few classes."""
    from matplotlib.colors import to_rgb

    ax = axes["strips"]
    if not strips:
        ax.set_axis_off()
        return
    # Red, green and blue of each item in each strip.
    image = np.ones((order.size, len(strips), 3))
    handles = []
    for number, (name, labels) in enumerate(strips.items()):
        texts = [str(label) for label in labels]
        colours = class_colours(texts)
        item_colours = np.array([to_rgb(colours[text]) for text in texts])
        image[:, number] = item_colours[order]
        if 1 < len(colours) <= MOST_CLASSES:
            colours_in_legend = {f"{name}: {text}": colours[text] for text in colours}
            handles += class_handles(colours_in_legend)
    ax.imshow(image, aspect="auto", interpolation="nearest")
    ax.set_yticks([])
    strip_names = [plain(shortened(str(name), 20)) for name in strips]
    ax.set_xticks(np.arange(len(strips)), strip_names)
    ax.tick_params(axis="x", length=0, labelsize=7, labelrotation=90)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if handles:
        figure.legend(handles=handles, loc="outside right upper", fontsize=7)
