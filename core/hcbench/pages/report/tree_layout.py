"""Where the parts of a figure of trees are: the truth, the result, and what is between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hcbench.model.trees import Tree
from hcbench.pages.report.figures import DESIGNED, cut, heading, make_legend, plain
from hcbench.pages.report.tree_data import MOST_CLASSES, Data

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The width of a part that is not shown, as a share of the figure.
_NO_WIDTH = 0.002
#: The names of more leaves do not fit below each other.
_MOST_NAMES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A tree and its data, with the leaves from top to bottom.

    Attributes
    ----------
    tree : Tree
    data : Data
    name : str
        The algorithm.
    order, truth_order : array of int
        The leaves of the result and of the truth; the same where there is no truth.
    """

    tree: Tree
    data: Data
    name: str
    order: NDArray[np.int64]
    truth_order: NDArray[np.int64]


#: An axis of which nothing is seen; plotly needs it for the place of what is drawn.
_HIDDEN = {
    "showgrid": False,
    "zeroline": False,
    "showline": False,
    "ticks": "",
    "showticklabels": False,
}


def _part(left: float, right: float, reach: tuple[float, float]) -> dict[str, Any]:
    """The axis of a part of the figure, and the heights at its left and right end."""
    return {**_HIDDEN, "domain": [left, right], "range": list(reach)}


def _columns(left: float, right: float) -> dict[str, Any]:
    """The axis of the columns of the data, whose names are below them."""
    return {
        **_HIDDEN,
        "domain": [left, right],
        "type": "category",
        "autorange": True,
        "showticklabels": True,
        "automargin": True,
        "tickfont": {"size": 10},
    }


def _nothing(place: float) -> dict[str, Any]:
    """The axis of a part that is not shown.

    It has nearly no width, as plotly does not draw an axis without any, and shows a range where
    nothing is drawn.
    """
    return _part(place, place + _NO_WIDTH, (-3.0, -2.0))


# The roots are outside, and the leaves of both trees face each other in the middle.
_TRUTH_SIDE = (1.02, -0.015)
_MIDDLE = (-0.04, 1.04)
_RESULT_SIDE = (-0.015, 1.02)
_NO_COLUMNS = {
    **_columns(1 - _NO_WIDTH, 1),
    "autorange": False,
    "range": [-3.0, -2.0],
    "showticklabels": False,
    "automargin": False,
}
_FACING = {
    "xaxis": _part(0, 0.4, _TRUTH_SIDE),
    "xaxis2": _part(0.4, 0.6, _MIDDLE),
    "xaxis3": _part(0.6, 1 - _NO_WIDTH, _RESULT_SIDE),
    "xaxis4": _NO_COLUMNS,
}
_RESULT = {
    "xaxis": _nothing(0),
    "xaxis2": _nothing(0),
    "xaxis3": _part(_NO_WIDTH, 1 - _NO_WIDTH, (1.02, -0.015)),
    "xaxis4": _NO_COLUMNS,
}
_TRUTH = {
    "xaxis": _part(0, 1 - 2 * _NO_WIDTH, _TRUTH_SIDE),
    "xaxis2": _nothing(1 - 2 * _NO_WIDTH),
    "xaxis3": _nothing(1 - 2 * _NO_WIDTH),
    "xaxis4": _NO_COLUMNS,
}
_DATA = {
    "xaxis": _nothing(0),
    "xaxis2": _nothing(0),
    "xaxis3": _part(_NO_WIDTH, 0.3, (1.02, -0.015)),
    "xaxis4": _columns(0.31, 1),
}


def _names_axis(drawing: Drawing, order: NDArray[np.int64]) -> dict[str, Any]:
    """The axis of the leaves, with their names if they fit."""
    n = drawing.tree.n
    axis = {**_HIDDEN, "range": [n - 0.3, -0.7], "side": "right", "anchor": "x3"}
    if n > _MOST_NAMES:
        return axis
    texts = []
    for i in order:
        texts.append(plain(cut(drawing.data.names[i], 26)))
    axis |= {
        "showticklabels": True,
        "tickmode": "array",
        "tickvals": list(range(n)),
        "ticktext": texts,
        "tickfont": {"size": 10},
        "automargin": True,
    }
    return axis


def figure_layout(drawing: Drawing, width: int) -> dict[str, Any]:
    """The layout for a width in pixels."""
    # The level of the most classes has the largest legend.
    classes: list[str] = []
    for classes_of_items in drawing.data.levels:
        if len(set(classes_of_items)) > len(classes):
            classes = sorted(set(classes_of_items))
    if len(classes) > MOST_CLASSES:
        classes = []
    legend, below = make_legend(classes, width)
    n = drawing.tree.n
    # Pixels; without names the leaves need less room.
    height_of_leaf = 13
    if n > _MOST_NAMES:
        height_of_leaf = 4
    height = min(920, max(380, n * height_of_leaf))
    axes: dict[str, Any] = _FACING
    if drawing.data.truth is None:
        axes = _RESULT
    return {
        **axes,
        "yaxis": _names_axis(drawing, drawing.order),
        "annotations": _headings(axes, drawing.name, width),
        "showlegend": bool(legend),
        "legend": legend,
        "margin": {"l": 12, "r": 12, "t": 32, "b": 14 + below},
        "height": height + 46 + below,
    }


def _headings(axes: dict[str, Any], name: str, width: int) -> list[dict[str, Any]]:
    """The titles of the trees that are shown."""
    headings = []
    for axis, title in (("xaxis", "truth"), ("xaxis3", name), ("xaxis4", "data")):
        if _is_shown(axes, axis.replace("axis", "")):
            left, right = axes[axis]["domain"]
            # A letter takes 8 pixels.
            text = cut(title, int(width * (right - left) / 8))
            headings.append(heading(text, (left + right) / 2, 1, xanchor="center"))
    return headings


def view_choices(drawing: Drawing, traces: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The choice of what is shown: both trees, one of them, or the result and the data."""
    views = {}
    if drawing.data.truth is not None:
        views["truth and result"] = _view(drawing, _FACING, drawing.order, traces)
    views["result"] = _view(drawing, _RESULT, drawing.order, traces)
    if drawing.data.truth is not None:
        views["truth"] = _view(drawing, _TRUTH, drawing.truth_order, traces)
    if drawing.data.matrix is not None:
        views["result and data"] = _view(drawing, _DATA, drawing.order, traces)
    return views


def _view(
    drawing: Drawing,
    axes: dict[str, Any],
    order: NDArray[np.int64],
    traces: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """The option that shows the parts with these axes."""
    names = {
        "ticktext": _names_axis(drawing, order).get("ticktext"),
        "anchor": "x3",
    }
    # Names are on the right of the part that is there.
    if axes is _DATA:
        names["anchor"] = "x4"
    layout_patch = {
        **axes,
        "yaxis": names,
        "annotations": _headings(axes, drawing.name, DESIGNED[1]),
    }
    # Plotly draws the ends of lines that are outside of a part at its edge. Markers stay, as the
    # legend lists them.
    visible = []
    for trace in traces:
        is_line = trace.get("mode") == "lines"
        visible.append({"visible": not is_line or _is_shown(axes, trace["xaxis"])})
    return {"layout": layout_patch, "traces": visible}


def _is_shown(axes: Mapping[str, Any], name: str) -> bool:
    """Whether a part has any width; ``x2`` is the name of ``xaxis2``."""
    left, right = axes[f"xaxis{name[1:]}"]["domain"]
    return bool(right - left > 2 * _NO_WIDTH)
