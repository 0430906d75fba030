"""Where the parts of a figure of trees are: the truth, the result, and what is between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hcbench.model.trees import Tree
from hcbench.pages.report.figures import DESIGNED, cut, heading, make_legend, plain
from hcbench.pages.report.tree_data import MOST_CLASSES, Data

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


# The roots are outside, and the leaves of both trees face each other in the middle.
_TRUTH_SIDE = (1.02, -0.015)
_MIDDLE = (-0.04, 1.04)
_RESULT_SIDE = (-0.015, 1.02)
_FACING = {
    "xaxis": _part(0, 0.4, _TRUTH_SIDE),
    "xaxis2": _part(0.4, 0.6, _MIDDLE),
    "xaxis3": _part(0.6, 1, _RESULT_SIDE),
}
# A hidden part has a thousandth of the width, since plotly does not draw an axis without any.
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
    for axis, title in (("xaxis", "truth"), ("xaxis3", name)):
        left, right = axes[axis]["domain"]
        if right - left > 0.01:
            # A letter takes 8 pixels.
            text = cut(title, int(width * (right - left) / 8))
            headings.append(heading(text, (left + right) / 2, 1, xanchor="center"))
    return headings


def view_choices(drawing: Drawing) -> dict[str, Any]:
    """The choice of what is shown: both trees, or one of them."""
    parts = {
        "truth and result": (_FACING, drawing.order),
        "result": (_RESULT, drawing.order),
        "truth": (_TRUTH, drawing.truth_order),
    }
    views = {}
    for title, (axes, order) in parts.items():
        layout_patch = {
            **axes,
            "yaxis": {"ticktext": _names_axis(drawing, order).get("ticktext")},
            "annotations": _headings(axes, drawing.name, DESIGNED[1]),
        }
        views[title] = {"layout": layout_patch}
    return views
