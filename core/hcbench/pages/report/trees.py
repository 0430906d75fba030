"""The trees of a report: results beside the truth."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hcbench.analysis.groups import name_variants
from hcbench.figures.dendrograms import classes_of_nodes
from hcbench.figures.palette import DASHES, PALETTE, SYMBOLS
from hcbench.model.trees import HeightKind, Tree, facing_orders
from hcbench.model.trees.layout import branch_lines, layout
from hcbench.pages.report.figures import (
    DESIGNED,
    SOFT,
    legend_entry,
    make_figure,
    plain,
)
from hcbench.pages.report.tree_data import MOST_CLASSES, MOST_LEAVES, Data, read_data, some_leaves
from hcbench.pages.report.tree_heat_maps import describe_colours, heat_map_trace
from hcbench.pages.report.tree_layout import Drawing, figure_layout, view_choices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.analysis.groups import Group
    from hcbench.figures.view import FigureView
    from hcbench.plan.outcome import Outcome

#: What the heights of a tree are, in the text below it.
_HEIGHTS = {
    HeightKind.DISTANCE: "distances",
    HeightKind.AFFINITY: "affinities",
    HeightKind.ORDER: "the order of merges",
    HeightKind.NONE: "levels, as the tree has no heights",
}


def draw_trees(view: FigureView, most: int) -> tuple[list[tuple[list[str], dict[str, Any]]], str]:
    """Draw the trees of the first repetition of each group beside the truth.

    Parameters
    ----------
    view : FigureView
        Reads the trees and generates the data again.
    most : int
        The most trees; those of the first algorithms on each data set are preferred.

    Returns
    -------
    figures : list of (list of str, dict)
        The data set and the algorithm, and their figure.
    excluded : str
        What is not shown, and why.
    """
    groups = view.results.groups
    first_outcomes = _first_outcomes(groups)
    names = name_variants(groups)
    # The same data serve all algorithms.
    data_of_places: dict[tuple[str, int], Data] = {}
    figures = []
    drawn_groups = _select_groups(list(first_outcomes), most)
    for group in drawn_groups:
        outcome = first_outcomes[group]
        tree = view.result_of(outcome, None)
        # Algorithms may return a partition, which has nothing to be drawn.
        if not isinstance(tree, Tree):
            continue
        place = (group.dataset, outcome.repetition)
        if place not in data_of_places:
            data_of_places[place] = read_data(view, group.dataset, outcome.repetition, tree.n)
        name = names[group]
        title = f"{name} on {group.dataset}, repetition {outcome.repetition}"
        figure = draw_tree(tree, data_of_places[place], name, title)
        figures.append(([group.dataset, name], figure))
    count = len(first_outcomes)
    n_excluded = count - len(drawn_groups)
    if not n_excluded:
        return figures, ""
    return figures, f"{n_excluded} of {count} trees are not shown; --trees {count} shows all."


def _first_outcomes(groups: Sequence[Group]) -> dict[Group, Outcome]:
    """The first result of each group at the end of a call, in the order of the groups."""
    first_outcomes = {}
    for group in groups:
        if group.checkpoint is not None:
            continue
        for outcome in group.outcomes:
            if outcome.status == "ok" and outcome.key:
                first_outcomes[group] = outcome
                break
    return first_outcomes


def _select_groups(groups: Sequence[Group], most: int) -> list[Group]:
    """As many groups as are drawn, in their order: the first ones of each data set."""
    # The place of each group among those of its data set: all data sets have a tree before one has
    # two.
    ranks = []
    count = Counter[str]()
    for group in groups:
        ranks.append(count[group.dataset])
        count[group.dataset] += 1
    places = sorted(range(len(groups)), key=ranks.__getitem__)
    return [groups[place] for place in sorted(places[:most])]


# ---- Figures -------------------------------------------------------------------------------------

#: The class at each level; None for leaves of several classes.
_Key = tuple[str | None, ...]


class _Trace(NamedTuple):
    """A trace of plotly, all of whose lines or markers have the same classes."""

    key: _Key
    values: dict[str, Any]


#: Four axes beside each other: the truth, the links between its leaves and those of the result, the
#: result, and the data. They share the vertical axis, on which the leaves are.
_TRUTH_AXES = {"xaxis": "x", "yaxis": "y"}
_LINK_AXES = {"xaxis": "x2", "yaxis": "y"}
_RESULT_AXES = {"xaxis": "x3", "yaxis": "y"}
_DATA_AXES = {"xaxis": "x4", "yaxis": "y"}


def draw_tree(tree: Tree, data: Data, name: str, title: str) -> dict[str, Any]:
    """A tree facing the truth, if there is one.

    Branches have the colour of a class if all leaves below belong to it. Each trace has one class
    at every level, so that a choice of the level only changes colours.
    """
    if tree.n > MOST_LEAVES:
        tree = tree.restrict(some_leaves(tree.n))
    # Without a truth there is one order; with it, leaves that belong together face each other.
    order = truth_order = tree.leaf_order
    if data.truth is not None:
        order, truth_order = facing_orders(tree, data.truth)
    drawing = Drawing(tree=tree, data=data, name=name, order=order, truth_order=truth_order)
    traces = _traces(drawing)
    choices: dict[str, Any] = {"Colours": _colours(traces, data.levels)}
    values = [trace.values for trace in traces]
    if data.matrix is not None:
        values.append(heat_map_trace(data.matrix, order, _DATA_AXES))
    choices["View"] = view_choices(drawing, values)
    header = ["item", "place in the result", "place in the truth"]
    for level in range(len(data.levels)):
        header.append(f"class at level {level + 1}")
    layouts = [figure_layout(drawing, width) for width in DESIGNED]
    return make_figure(
        values,
        layouts,
        _caption(drawing, title),
        header,
        _rows(drawing),
        choices,
    )


def _traces(drawing: Drawing) -> list[_Trace]:
    """Branches below leaves, which are hit by the pointer."""
    data = drawing.data
    truth = data.truth
    traces = []
    if truth is not None:
        traces += _branch_traces(truth, drawing.truth_order, data.levels, _TRUTH_AXES)
        traces += _link_traces(drawing)
    traces += _branch_traces(drawing.tree, drawing.order, data.levels, _RESULT_AXES)
    traces += _leaf_traces(drawing.tree, drawing.order, data, _RESULT_AXES)
    if truth is not None:
        traces += _leaf_traces(truth, drawing.truth_order, data, _TRUTH_AXES)
    return traces


def _caption(drawing: Drawing, title: str) -> str:
    tree = drawing.tree
    data = drawing.data
    caption = (
        f"{title}; heights of the result: {_HEIGHTS[tree.kind]}. Branches have the colour of a "
        f"class if all leaves below belong to it."
    )
    if tree.n < data.n:
        caption += f" {tree.n:,} of its {data.n:,} leaves, chosen at random."
    if data.matrix is not None:
        caption += f" {describe_colours(data.matrix, data.n_columns)}"
    if data.reason:
        caption += f" Without the truth: {data.reason}."
    return caption


def _rows(drawing: Drawing) -> list[list[Any]]:
    """The table of the figure: where each item is, and its classes."""
    # Sorting an order inverts it: leaf -> place.
    places = np.argsort(drawing.order)
    truth_places = np.argsort(drawing.truth_order)
    rows = []
    for i in range(drawing.tree.n):
        row: list[Any] = [drawing.data.names[i], int(places[i]), int(truth_places[i])]
        for classes in drawing.data.levels:
            row.append(classes[i])
        rows.append(row)
    return rows


def _colours(traces: Sequence[_Trace], levels: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The choice of the level whose classes have colours."""
    if not levels:
        return {"none": {"traces": _colour_patches(traces, 0, [])}}
    colours = {}
    for level, classes_of_items in enumerate(levels):
        classes = sorted(set(classes_of_items))
        title = f"level {level + 1} ({len(classes)} classes)"
        colours[title] = {"traces": _colour_patches(traces, level, classes)}
    return colours


def _grouped(keys: Sequence[_Key]) -> dict[_Key, list[int]]:
    """The places of each key."""
    places: dict[_Key, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return places


def _keys(levels: Sequence[Sequence[str | None]], count: int) -> list[_Key]:
    """The classes of each leaf or node at all levels; without levels all are the same."""
    if not levels:
        return [()] * count
    return list(zip(*levels, strict=True))


def _scaled(
    tree: Tree, order: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates with the leaves at 0 and the root at 1."""
    along, height = layout(tree.parent, order, tree.height)
    if tree.kind is HeightKind.AFFINITY:  # grows from the root to the leaves
        height = -height
    # A tree with one height only is drawn at 0.
    reach = np.ptp(height) or 1.0
    return along, (height - height.min()) / reach


def _branch_traces(
    tree: Tree, order: NDArray[np.int64], levels: Sequence[Sequence[str]], axes: dict[str, str]
) -> list[_Trace]:
    """The branches of a tree, a trace for those of equal classes."""
    along, height = _scaled(tree, order)
    lines = branch_lines(tree.parent, tree.n, along, height)
    classes = [classes_of_nodes(tree, level) for level in levels]
    keys = _keys(classes, tree.n_nodes)
    # A line for each node below the root, and then one for each inner node, across its children.
    keys_of_lines = keys[:-1] + keys[tree.n :]
    traces = []
    for key, places in _grouped(keys_of_lines).items():
        # Plotly lifts the pen at NaN, so one trace has many lines.
        gaps = np.full((len(places), 1, 2), np.nan)
        path = np.concatenate((lines[places], gaps), axis=1).reshape(-1, 2)
        traces.append(_Trace(key, _path(path[:, 1], path[:, 0], _branch_width(tree.n), axes)))
    return traces


def _branch_width(n: int) -> float:
    """The width of branches in pixels; those of many leaves are thin."""
    if n > 400:
        return 0.7
    if n > 100:
        return 1.0
    return 1.5


def _packed(values: NDArray[np.number]) -> dict[str, str]:
    """Numbers as plotly's scripts read them most quickly."""
    return {"dtype": "f4", "bdata": b64encode(values.astype("<f4").tobytes()).decode()}


def _path(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    width: float,
    axes: dict[str, str],
    **properties: Any,
) -> dict[str, Any]:
    """A trace of lines."""
    return {
        "x": _packed(x),
        "y": _packed(y),
        "mode": "lines",
        "line": {"width": width, "simplify": False},
        "hoverinfo": "skip",
        "showlegend": False,
        **properties,
        **axes,
    }


def _link_traces(drawing: Drawing) -> list[_Trace]:
    """Lines from the leaves of the truth to those of the result."""
    n = len(drawing.order)
    places = np.argsort(drawing.order)
    truth_places = np.argsort(drawing.truth_order)
    width = 1.0
    if n > 400:
        width = 0.6
    traces = []
    for key, leaves in _grouped(_keys(drawing.data.levels, n)).items():
        gaps = np.full(len(leaves), np.nan)
        y = np.column_stack((truth_places[leaves], places[leaves], gaps)).ravel()
        x = np.tile([0.0, 1.0, np.nan], len(leaves))
        traces.append(_Trace(key, _path(x, y, width, _LINK_AXES, opacity=0.6)))
    return traces


def _leaf_traces(
    tree: Tree, order: NDArray[np.int64], data: Data, axes: dict[str, str]
) -> list[_Trace]:
    """Markers at the leaves, whose names and classes are shown when one points at them."""
    along, height = _scaled(tree, order)
    traces = []
    for key, leaves in _grouped(_keys(data.levels, tree.n)).items():
        # Of a leaf no class is None.
        classes = list(filter(None, key))
        texts = []
        for i in leaves:
            texts.append(plain(", ".join([data.names[i]] + classes)))
        values = {
            "x": _packed(height[leaves]),
            "y": _packed(along[leaves]),
            "mode": "markers",
            "marker": {"size": _marker_size(tree.n)},
            "hoverinfo": "text",
            "hovertext": texts,
            "showlegend": False,
            **axes,
        }
        traces.append(_Trace(key, values))
    return traces


def _marker_size(n: int) -> int:
    """The size of the markers of leaves in pixels."""
    if n > 400:
        return 3
    if n > 80:
        return 5
    return 7


def _colour_patches(
    traces: Sequence[_Trace], level: int, classes: Sequence[str]
) -> list[dict[str, Any]]:
    """The colours, symbols and entries of the legend of traces by their classes at a level."""
    # The legend has an entry for the first markers of each class.
    listed_names: set[str] = set()
    has_legend = 1 < len(classes) <= MOST_CLASSES
    patches = []
    for trace in traces:
        name = None
        if trace.key:
            name = trace.key[level]
        if name is None:
            # Branches above leaves of several classes.
            patches.append({"line": {"color": SOFT}, "marker": {"color": SOFT}})
            continue
        place = classes.index(name)
        colour = PALETTE[place % len(PALETTE)]
        patch: dict[str, Any] = {
            "name": legend_entry(name),
            "legendgroup": name,
            "showlegend": False,
        }
        if trace.values["mode"] == "markers":
            patch["marker"] = {"color": colour, "symbol": SYMBOLS[place % len(SYMBOLS)]}
            patch["showlegend"] = has_legend and name not in listed_names
            listed_names.add(name)
        else:
            patch["line"] = {"color": colour, "dash": _dash(trace, place)}
        patches.append(patch)
    return patches


def _dash(trace: _Trace, place: int) -> str:
    """The dash of a class: its colour alone does not name it if there are more than colours."""
    is_link = "opacity" in trace.values
    if not is_link:
        return "solid"
    return DASHES[place // len(PALETTE) % len(DASHES)]
