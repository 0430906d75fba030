"""Drawing functions for the figures of suites; public as ``hcbench.figures``.

Matplotlib is imported when something is drawn, without pyplot, so that there are no windows and no
global state.

Dendrograms are drawn from the arrays of trees. Trees need not be binary and heights need not be
monotone, so scipy's dendrogram cannot draw them. There is no recursion, so that chains of 100,000
leaves can be drawn. O(m) for m nodes, besides the time of matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from hcbench.analysis.axes import find_metric, is_wide
from hcbench.analysis.groups import KINDS
from hcbench.errors import DataError, DataNotAvailableError, HcbenchError
from hcbench.figures.palette import PALETTE as PALETTE, looks_for
from hcbench.model.names import NamedItems, match_items, names_of_index
from hcbench.model.text import printable
from hcbench.model.trees import HeightKind, Partition, Tree
from hcbench.model.trees.layout import branch_lines, layout
from hcbench.registry.names import split_parameter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from numpy.typing import ArrayLike, NDArray

    from hcbench.analysis.groups import Group
    from hcbench.analysis.statistics import Summary
    from hcbench.figures.view import FigureView
    from hcbench.results.results import Results

_MOST_TICKS = 8
_SCALED = {"s": "s", "bytes": "B"}  # units whose ticks are ms, MB and the like
_CLADES = 8  # a truth without classes is cut into this many, for colours
_STYLE: Any = {  # matplotlib types each key
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "savefig.dpi": 150,
    "pdf.fonttype": 42,  # embed whole fonts
    "svg.fonttype": "path",  # letters as shapes: no font is needed
    "svg.hashsalt": "hcbench",  # equal drawings give equal files
}


def style() -> AbstractContextManager[None]:
    """A context with the matplotlib settings of all figures.

    Raises
    ------
    HcbenchError
        If matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise HcbenchError(
            'figures need matplotlib, which is not installed: pip install "hcbench[figures]"'
        ) from error
    return matplotlib.rc_context(_STYLE)


def new_figure(
    width: float = 5.6, height: float = 3.6, *, rows: int = 1, columns: int = 1
) -> tuple[Figure, Any]:
    """A figure with axes.

    Parameters
    ----------
    width, height : float
        In inches.
    rows, columns : int

    Returns
    -------
    figure : Figure
    axes : Axes, or (rows, columns) array of them without the sides that are 1
    """
    with style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns)


def plain(text: str) -> str:
    """Text for matplotlib: an unescaped dollar sign begins mathematics, and SVG has rules."""
    return printable(text).replace("$", r"\$")


def averages_of(points: Sequence[Any]) -> tuple[NDArray[np.float64], ...]:
    """Averages and both ends of their intervals; the average itself where there is no interval."""
    rows = [
        (p.average, *(p.average if end is None else end for end in (p.low, p.high))) for p in points
    ]
    average, low, high = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return average, low, high


def mark_places(ax: Axes, places: Sequence[float]) -> None:
    """Put a tick at each x, if they are few."""
    if 1 < len(places) <= _MOST_TICKS:
        ax.set_xticks(places, [f"{place:g}" for place in places])
        ax.set_xticks([], minor=True)


_BESIDE = 5  # with more lines the legend is beside the axes


def curves(
    view: FigureView | Results,
    *,
    x: str,
    metric: str,
    group: str | Sequence[str] = "algorithm",
    ax: Axes | None = None,
    where: Callable[[Mapping[str, Any]], bool] | None = None,
    labels: Mapping[str, str] | None = None,
    log_x: bool | None = None,
    log_y: bool = False,
) -> Axes:
    """Draw the average of a metric against a numeric parameter, one line per algorithm.

    Bars are 95 % intervals of the average, which is the mean, of times the median.
    Reference lines are grey, and not solid. Repetitions without a value are excluded, as in tables.

    Parameters
    ----------
    view : FigureView or Results
    x : str
        A parameter of the data sets, the oracles or the algorithms; ``"dataset.p"`` if more than
        one of these has it. Or ``"budget"``, or ``"checkpoint"``.
    metric : str
        Label of a metric, or a cost.
    group : str or sequence of str
        What distinguishes lines: some of ``"algorithm"``, ``"dataset"``, ``"oracle"`` and
        ``"budget"``.
    ax : Axes, optional
        By default those of a new figure, ``ax.figure``.
    where : callable, optional
        Selects the runs to draw. It is given a mapping with the labels ``algorithm``, ``dataset``
        and ``oracle``, the ``budget`` and ``x``.
    labels : mapping of str to str, optional
        Names of lines in the legend, if not the labels.
    log_x : bool, optional
        By default if the largest x is more than 30 times the smallest.
    log_y : bool

    Returns
    -------
    Axes

    Raises
    ------
    DataNotAvailableError
        If there is no value to draw.
    HcbenchError
        If several runs have the same x on one line; ``group`` or ``where`` separates them.
    """
    results: Results = getattr(view, "results", view)  # type: ignore[arg-type]
    info = find_metric(results, metric)
    lines = _lines(results, x, (group,) if isinstance(group, str) else tuple(group), where)
    drawn = {}
    for name, groups in lines.items():
        summaries = [(place, groups[place].summary(info)) for place in sorted(groups)]
        drawn[name] = [
            (place, s)
            for place, s in summaries
            if s.average is not None and math.isfinite(s.average)
        ]
    drawn = {name: points for name, points in drawn.items() if points}
    if not drawn:
        raise DataNotAvailableError(f"nothing has {metric} along {x}")
    if ax is None:
        _, ax = new_figure()
    references = {n for n in drawn if all(results.is_reference(g) for g in lines[n].values())}
    names = labels or {}
    places = sorted({place for points in drawn.values() for place, _ in points})
    with style():
        for k, (name, look) in enumerate(looks_for(list(drawn), references).items()):
            label = names.get(name, plain(name))
            # Markers become smaller, so that lines that coincide show through.
            _draw_line(ax, drawn[name], label=label, markersize=max(7.5 - k, 4.0), **look.style)
        if is_wide(places) if log_x is None else log_x:
            ax.set_xscale("log")
        mark_places(ax, places)
        if log_y and any((s.average or 0) > 0 for points in drawn.values() for _, s in points):
            ax.set_yscale("log")
        unit = f" [{info.unit}]" if info.unit and info.unit not in _SCALED else ""
        if info.unit in _SCALED:
            from matplotlib.ticker import EngFormatter

            ax.yaxis.set_major_formatter(EngFormatter(_SCALED[info.unit]))
        ax.set_ylabel(f"{info.label}{unit}\n{info.average} and 95 % interval")
        ax.set_xlabel(x.rpartition(".")[2])
        ax.grid(visible=True, axis="y")
        if len(drawn) == 1:
            ax.set_title(ax.get_legend_handles_labels()[1][0])
        elif len(drawn) <= _BESIDE:
            ax.legend()
        else:
            ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return ax


def _draw_line(ax: Axes, points: Sequence[tuple[float, Summary]], **look: Any) -> None:
    average, low, high = averages_of([summary for _, summary in points])
    x = [place for place, _ in points]
    ax.errorbar(x, average, yerr=(average - low, high - average), capsize=2, elinewidth=0.9, **look)


def _lines(
    results: Results,
    x: str,
    named: Sequence[str],
    where: Callable[[Mapping[str, Any]], bool] | None,
) -> dict[str, dict[float, Group]]:
    """The groups of each line by x, in the order of the results."""
    lines: dict[str, dict[float, Group]] = {}
    for group in results.groups:
        place, labels = _placed(group, x, results)
        about = {**labels, "budget": group.budget, "x": place}
        full = {**about, **{kind: getattr(group, kind) for kind in KINDS}}
        if place is None or not (where is None or where(full)):
            continue
        line = lines.setdefault(" / ".join(str(about[name]) for name in named), {})
        other = line.setdefault(place, group)
        if other is not group:
            both = [f"{g.algorithm} on {g.dataset} through {g.oracle}" for g in (other, group)]
            raise HcbenchError(
                f"two runs have {x} = {place:g} on one line: {both[0]}, and {both[1]}; "
                "select one by where, or separate them by group"
            )
    return lines


def _placed(group: Group, x: str, results: Results) -> tuple[float | None, dict[str, str]]:
    """The x of a group, and its labels without that parameter."""
    labels = {kind: str(getattr(group, kind)) for kind in KINDS}
    if x in ("budget", "checkpoint") or group.checkpoint is not None:
        place = getattr(group, x, None)
        other = x == "budget" and group.checkpoint is not None
        return (None if place is None or other else float(place)), labels
    kind, dot, parameter = x.rpartition(".")
    found: float | None = None
    for name in (kind,) if dot else KINDS:
        if name not in KINDS:
            raise HcbenchError(f"x is a parameter of algorithm, dataset or oracle; got {x!r}")
        known = results.parameters.get(KINDS[name], {})
        rest, value = split_parameter(labels[name], parameter, known)
        if value is None:
            continue
        if found is not None:
            raise HcbenchError(
                f"the parameter {parameter} is ambiguous; write algorithm.{parameter}, "
                f"dataset.{parameter} or oracle.{parameter}"
            )
        found, labels[name] = value, rest
    return found, labels


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
    """
    ax = ax or fitting_axes(tree, orientation)
    shown = draw_tree(ax, tree, classes, colours, names=names, orientation=orientation, order=order)
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
    classes: ArrayLike | None = None,
    colours: Mapping[Any, str] | None = None,
    *,
    names: bool | None = None,
    orientation: Orientation = "top",
    order: ArrayLike | None = None,
) -> dict[Any, str]:
    """As `dendrogram`, without a legend; returns the colours of the classes that occur."""
    labels = None if classes is None else _checked_classes(classes, tree)
    palette = {} if labels is None else dict(colours or class_colours(labels))
    leaves = tree.leaf_order if order is None else np.asarray(order, dtype=np.int64)
    along, height = layout(tree.parent, leaves, tree.height)
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
    return {name: palette.get(name, MIXED) for name in sorted({*(labels or ())}, key=str)}


def class_colours(classes: Sequence[Hashable]) -> dict[Any, str]:
    """A colour for each class, in alphabetical order as in the report; they repeat after 16.

    The first seven are those of Okabe and Ito, the others those of Tol's muted scheme.
    """
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(sorted(set(classes), key=str))}


def class_handles(colours: Mapping[Any, str]) -> list[Patch]:
    """The entries of a legend of classes."""
    from matplotlib.patches import Patch

    return [Patch(color=colour, label=plain(str(name))) for name, colour in colours.items()]


def _checked_classes(classes: ArrayLike, tree: Tree) -> list[Any]:
    """The class of each leaf; those of a Series or partition with names are matched by these."""
    labels = np.asarray(classes.labels if isinstance(classes, Partition) else classes)
    if len(labels) != tree.n:
        raise DataError(f"{len(labels)} classes for {tree.n} leaves; give one for each leaf")
    if isinstance(classes, Partition):
        names = classes.names
    else:
        names = names_of_index(classes, only_own=True)
    if names is not None:
        own = NamedItems(
            what="the classes",
            n=len(labels),
            names=names,
            drop="classes.reset_index(drop=True)",
        )
        labels = labels[match_items(own, tree.named_items("the tree"))]
    shown: list[Any] = labels.tolist()
    return shown


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


def clades_of(truth: Tree) -> list[str]:
    """The clade of each leaf in a cut through a tree, numbered in the order of its leaves."""
    labels = truth.cut(max(2, min(_CLADES, truth.n // 3))).labels
    numbers = {label: k for k, label in enumerate(dict.fromkeys(labels[truth.leaf_order].tolist()))}
    return [f"clade {numbers[label] + 1}" for label in labels.tolist()]


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

    n = tree.n
    lines = branch_lines(tree.parent, n, along, height)
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
