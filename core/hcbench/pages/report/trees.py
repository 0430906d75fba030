"""The trees of a report: results beside the truth."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.analysis.groups import name_variants
from hcbench.errors import HcbenchError
from hcbench.figures.palette import DASHES, PALETTE, SYMBOLS
from hcbench.figures.plots import clades_of, classes_of_nodes
from hcbench.model.trees import HeightKind, Tree, facing_orders
from hcbench.model.trees.layout import branch_lines, layout
from hcbench.pages.report.figures import (
    DESIGNED,
    SOFT,
    cut,
    heading,
    legend_entry,
    make_figure,
    make_legend,
    plain,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.figures.view import FigureView
    from hcbench.model.problem import Problem

MOST_LEAVES = 500
_MOST_NAMES = 100
_LEGEND = 32  # classes, at most
_HEIGHTS = {
    HeightKind.DISTANCE: "distances",
    HeightKind.AFFINITY: "affinities",
    HeightKind.ORDER: "the order of merges",
    HeightKind.NONE: "levels, as the tree has no heights",
}


@dataclass(frozen=True, slots=True)
class Data:
    """The data of a tree: items, their classes at each level, and the true tree."""

    n: int
    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    truth: Tree | None
    reason: str = ""


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
    first = {
        group: next(o for o in group.outcomes if o.status == "ok" and o.key)
        for group in groups
        if group.checkpoint is None and any(o.status == "ok" and o.key for o in group.outcomes)
    }
    rank, count = {}, Counter[str]()
    for group in first:
        rank[group] = count[group.dataset]
        count[group.dataset] += 1
    chosen = sorted(sorted(first, key=lambda group: rank[group])[:most], key=groups.index)
    names = name_variants(groups)
    known: dict[tuple[str, int], Data] = {}
    figures = []
    for group in chosen:
        tree = view.result_of(first[group], None)
        if isinstance(tree, Tree):
            place = (group.dataset, first[group].repetition)
            if place not in known:
                known[place] = _read_data(view, *place, tree.n)
            title = "{} on {}, repetition {}".format(names[group], *place)
            figure = draw_tree(tree, known[place], names[group], title)
            figures.append(([group.dataset, names[group]], figure))
    left = len(first) - len(chosen)
    said = f"{left} of {len(first)} trees are not shown; --trees {len(first)} shows all."
    return figures, said if left else ""


def _some_leaves(n: int) -> NDArray[np.int64]:
    """A random selection of leaves, the same for all trees with n leaves."""
    return np.sort(np.random.default_rng(n).choice(n, MOST_LEAVES, replace=False))


# ---- Truths --------------------------------------------------------------------------------------


def _read_data(view: FigureView, dataset: str, repetition: int, n: int) -> Data:
    """The data that are generated again, or the reason why they are unavailable."""
    try:
        problem = view.problem(dataset, repetition)
    except Exception as error:  # an error with one data set must not hide the others
        shown = min(n, MOST_LEAVES)
        ours = isinstance(error, HcbenchError)
        reason = str(error) if ours else f"{type(error).__name__}: {error}"
        return Data(n, tuple(f"item {i}" for i in range(shown)), (), None, reason)
    if n > MOST_LEAVES:
        problem = problem.take(_some_leaves(n))
    truth = next(iter(problem.truths.values()), None)
    names = problem.names or tuple(f"item {i}" for i in range(problem.n))
    return Data(n, tuple(names), tuple(_levels(problem, truth)), truth)


def _levels(problem: Problem, truth: Tree | None) -> Iterator[tuple[str, ...]]:
    """The class of each item at each level of few classes, from the coarsest to the finest."""
    if problem.levels is not None:
        for depth in range(1, problem.levels.shape[1] + 1):
            names = problem.class_names(depth)
            if len(set(names)) <= _LEGEND:
                yield tuple(names if problem.classes else (f"class {name}" for name in names))
    elif truth is not None and truth.n > 1:
        yield tuple(clades_of(truth))


# ---- Figures -------------------------------------------------------------------------------------

_Key = tuple[str | None, ...]  # the class at each level; None for leaves of several classes


def draw_tree(tree: Tree, data: Data, name: str, title: str) -> dict[str, Any]:
    """A tree facing the truth, if there is one.

    Branches have the colour of a class if all leaves below belong to it. Each trace has one class
    at every level, so that a choice of the level only changes colours.
    """
    if tree.n > MOST_LEAVES:
        tree = tree.restrict(_some_leaves(tree.n))
    truth, levels = data.truth, data.levels
    order = truth_order = tree.leaf_order
    made = []
    if truth is not None:
        order, truth_order = facing_orders(tree, truth)
        made += _branch_traces(truth, truth_order, levels, {"xaxis": "x", "yaxis": "y"})
        made += _link_traces(order, truth_order, levels)
    made += _branch_traces(tree, order, levels, {"xaxis": "x3", "yaxis": "y"})
    made += _leaf_traces(tree, order, data, {"xaxis": "x3", "yaxis": "y"})
    if truth is not None:
        made += _leaf_traces(truth, truth_order, data, {"xaxis": "x", "yaxis": "y"})
    colours = {
        f"level {level + 1} ({len(set(classes))} classes)": {
            "traces": _colour_patches(made, level, list(dict.fromkeys(sorted(classes))))
        }
        for level, classes in enumerate(levels)
    } or {"none": {"traces": _colour_patches(made, 0, [])}}
    legend = max((sorted(set(classes)) for classes in levels), key=len, default=[])
    choices = {"Colours": colours}
    if truth is not None:
        choices["View"] = _views(tree, data, order, truth_order, name)
    place, truth_place = np.argsort(order), np.argsort(truth_order)
    header = ["item", "place in the result", "place in the truth"]
    rows = [
        [data.names[i], int(place[i]), int(truth_place[i]), *(level[i] for level in levels)]
        for i in range(tree.n)
    ]
    sampled = f" {tree.n:,} of its {data.n:,} leaves, chosen at random." if tree.n < data.n else ""
    lost = f" Without the truth: {data.reason}." if data.reason else ""
    return make_figure(
        [trace for _, trace in made],
        [_layout(tree, data, order, name, legend, width) for width in DESIGNED],
        f"{title}; heights of the result: {_HEIGHTS[tree.kind]}. Branches have the colour of a "
        f"class if all leaves below belong to it.{sampled}{lost}",
        [*header, *(f"class at level {level + 1}" for level in range(len(levels)))],
        rows,
        choices,
    )


def _grouped(keys: Sequence[_Key]) -> dict[_Key, list[int]]:
    """The places of each key."""
    places: dict[_Key, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return places


def _keys(levels: Sequence[Sequence[str | None]], count: int) -> list[_Key]:
    return list(zip(*levels, strict=True)) if levels else [()] * count


def _scaled(tree: Tree, order: NDArray[np.int64]) -> tuple[Any, Any]:
    """Coordinates with the leaves at 0 and the root at 1."""
    along, height = layout(tree.parent, order, tree.height)
    if tree.kind is HeightKind.AFFINITY:  # grows from the root to the leaves
        height = -height
    return along, (height - height.min()) / (np.ptp(height) or 1.0)


def _branch_traces(
    tree: Tree, order: NDArray[np.int64], levels: Sequence[Sequence[str]], ids: dict[str, str]
) -> list[tuple[_Key, dict[str, Any]]]:
    along, height = _scaled(tree, order)
    lines = branch_lines(tree.parent, tree.n, along, height)
    nodes = _keys([classes_of_nodes(tree, level) for level in levels], tree.n_nodes)
    width = 0.7 if tree.n > 400 else 1.0 if tree.n > 100 else 1.5
    traces = []
    for key, places in _grouped([*nodes[:-1], *nodes[tree.n :]]).items():
        gaps = np.full((len(places), 1, 2), np.nan)
        path = np.concatenate((lines[places], gaps), axis=1).reshape(-1, 2)
        traces.append((key, _path(path[:, 1], path[:, 0], width, ids)))
    return traces


def _packed(values: NDArray[np.number]) -> dict[str, str]:
    """Numbers as plotly's scripts read them most quickly."""
    return {"dtype": "f4", "bdata": b64encode(values.astype("<f4").tobytes()).decode()}


def _path(x: Any, y: Any, width: float, ids: dict[str, str], **more: Any) -> dict[str, Any]:
    return {
        "x": _packed(x),
        "y": _packed(y),
        "mode": "lines",
        "line": {"width": width, "simplify": False},
        "hoverinfo": "skip",
        "showlegend": False,
        **more,
        **ids,
    }


def _link_traces(
    order: NDArray[np.int64], truth_order: NDArray[np.int64], levels: Sequence[Sequence[str]]
) -> list[tuple[_Key, dict[str, Any]]]:
    """Lines from the leaves of the truth to those of the result."""
    n = len(order)
    place, truth_place = np.argsort(order), np.argsort(truth_order)
    traces = []
    for key, leaves in _grouped(_keys(levels, n)).items():
        gaps = np.full(len(leaves), np.nan)
        y = np.column_stack((truth_place[leaves], place[leaves], gaps)).ravel()
        x = np.tile([0.0, 1.0, np.nan], len(leaves))
        ids = {"xaxis": "x2", "yaxis": "y"}
        traces.append((key, _path(x, y, 0.6 if n > 400 else 1.0, ids, opacity=0.6)))
    return traces


def _leaf_traces(
    tree: Tree, order: NDArray[np.int64], data: Data, ids: dict[str, str]
) -> list[tuple[_Key, dict[str, Any]]]:
    along, height = _scaled(tree, order)
    size = 3 if tree.n > 400 else 5 if tree.n > 80 else 7
    return [
        (
            key,
            {
                "x": _packed(height[leaves]),
                "y": _packed(along[leaves]),
                "mode": "markers",
                "marker": {"size": size},
                "hoverinfo": "text",
                "hovertext": [
                    plain(", ".join([data.names[i], *filter(None, key)])) for i in leaves
                ],
                "showlegend": False,
                **ids,
            },
        )
        for key, leaves in _grouped(_keys(data.levels, tree.n)).items()
    ]


def _colour_patches(
    made: Sequence[tuple[_Key, dict[str, Any]]], level: int, classes: Sequence[str]
) -> list[dict[str, Any]]:
    """The colours, symbols and entries of the legend of traces by their classes at a level."""
    listed: set[str] = set()
    patches = []
    for key, trace in made:
        name = key[level] if key else None
        if name is None:
            patches.append({"line": {"color": SOFT}, "marker": {"color": SOFT}})
            continue
        place = classes.index(name)
        colour = PALETTE[place % len(PALETTE)]
        patch: dict[str, Any] = {
            "name": legend_entry(name),
            "legendgroup": name,
            "showlegend": False,
        }
        if trace["mode"] == "markers":
            patch["marker"] = {"color": colour, "symbol": SYMBOLS[place % len(SYMBOLS)]}
            patch["showlegend"] = name not in listed and 1 < len(classes) <= _LEGEND
            listed.add(name)
        else:
            dash = DASHES[place // len(PALETTE) % len(DASHES)] if "opacity" in trace else "solid"
            patch["line"] = {"color": colour, "dash": dash}
        patches.append(patch)
    return patches


_HIDDEN = {
    "showgrid": False,
    "zeroline": False,
    "showline": False,
    "ticks": "",
    "showticklabels": False,
}


def _names_axis(tree: Tree, data: Data, order: NDArray[np.int64]) -> dict[str, Any]:
    """The axis of the leaves, with their names if they fit."""
    rows = {**_HIDDEN, "range": [tree.n - 0.3, -0.7], "side": "right", "anchor": "x3"}
    if tree.n > _MOST_NAMES:
        return rows
    return {
        **rows,
        "showticklabels": True,
        "tickmode": "array",
        "tickvals": list(range(tree.n)),
        "ticktext": [plain(cut(data.names[i], 26)) for i in order],
        "tickfont": {"size": 10},
        "automargin": True,
    }


def _layout(
    tree: Tree, data: Data, order: NDArray[np.int64], name: str, classes: Sequence[str], width: int
) -> dict[str, Any]:
    legend, below = make_legend(classes if len(classes) <= _LEGEND else (), width)
    height = min(920, max(380, tree.n * (13 if tree.n <= _MOST_NAMES else 4)))
    shown: dict[str, Any] = _FACING if data.truth is not None else _RESULT
    return {
        **shown,
        "yaxis": _names_axis(tree, data, order),
        "annotations": _headings(shown, name, width),
        "showlegend": bool(legend),
        "legend": legend,
        "margin": {"l": 12, "r": 12, "t": 32, "b": 14 + below},
        "height": height + 46 + below,
    }


def _part(left: float, right: float, reach: tuple[float, float]) -> dict[str, Any]:
    return {**_HIDDEN, "domain": [left, right], "range": list(reach)}


_TRUTH_SIDE, _MIDDLE, _RESULT_SIDE = (1.02, -0.015), (-0.04, 1.04), (-0.015, 1.02)
_FACING = {
    "xaxis": _part(0, 0.4, _TRUTH_SIDE),
    "xaxis2": _part(0.4, 0.6, _MIDDLE),
    "xaxis3": _part(0.6, 1, _RESULT_SIDE),
}
_RESULT = {
    "xaxis": _part(0, 0.001, _TRUTH_SIDE),
    "xaxis2": _part(0, 0.001, _MIDDLE),
    "xaxis3": _part(0.001, 1, (1.02, -0.015)),
}
_TRUTH = {
    "xaxis": _part(0, 0.999, _TRUTH_SIDE),
    "xaxis2": _part(0.999, 1, _MIDDLE),
    "xaxis3": _part(0.999, 1, _RESULT_SIDE),
}


def _headings(shown: dict[str, Any], name: str, width: int) -> list[dict[str, Any]]:
    """The titles of the trees that are shown."""
    titles = []
    for axis, title in (("xaxis", "truth"), ("xaxis3", name)):
        left, right = shown[axis]["domain"]
        if right - left > 0.01:
            text = cut(title, int(width * (right - left) / 8))
            titles.append(heading(text, (left + right) / 2, 1, xanchor="center"))
    return titles


def _views(
    tree: Tree, data: Data, order: NDArray[np.int64], truth_order: NDArray[np.int64], name: str
) -> dict[str, Any]:
    """The parts that can be shown: both trees, or one of them."""
    parts = {
        "truth and result": (_FACING, order),
        "result": (_RESULT, order),
        "truth": (_TRUTH, truth_order),
    }
    return {
        title: {
            "layout": {
                **shown,
                "yaxis": {"ticktext": _names_axis(tree, data, rows).get("ticktext")},
                "annotations": _headings(shown, name, DESIGNED[1]),
            }
        }
        for title, (shown, rows) in parts.items()
    }
