"""What a dendrogram shows beside the tree: short names, a cut line, and the support of branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hcbench.figures.plots import plain
from hcbench.model.trees import HeightKind, Tree
from hcbench.model.trees.layout import layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CUT_COLOUR = "#b2182b"
SUPPORT_COLOUR = "#1b4f72"
#: Branches whose support is written: all of small trees, and the highest of large ones.
_MOST_LABELS = 60


def cut_level(tree: Tree, k: int) -> float | None:
    """The height midway between the last merge that a cut into k clusters undoes and the next.

    Parameters
    ----------
    tree : Tree
    k : int
        At least 1.

    Returns
    -------
    float or None
        None if the tree has no heights, or the cut is at no finite height.
    """
    if tree.height is None or tree.kind is HeightKind.NONE or k < 2 or k > tree.n:
        return None
    below = tree.cut_nodes(k)
    inner_below = below[below >= tree.n]
    split = np.unique(tree.parent[below])
    # Affinities decrease towards the root.
    sign = 1.0
    if tree.kind is HeightKind.AFFINITY:
        sign = -1.0
    # The cut is halfway between the merge that it undoes and the highest one that it keeps.
    lowest_split = float((sign * tree.envelope[split]).min())
    leaves = sign * tree.height[: tree.n]
    highest_kept = float(leaves.max())
    if inner_below.size:
        highest_kept = float((sign * tree.envelope[inner_below]).max())
    level = sign * (lowest_split + highest_kept) / 2
    if not np.isfinite(level):
        return None
    return level


def draw_cut_line(ax: Axes, level: float, *, is_horizontal: bool, text: str = "") -> None:
    """Draw a dashed line across a dendrogram at a height.

    Parameters
    ----------
    ax : Axes
    level : float
    is_horizontal : bool
        Whether the root is on the left or on the right, so that the line is vertical.
    text : str
        What the line is, such as ``k = 3``.
    """
    if is_horizontal:
        ax.axvline(level, color=CUT_COLOUR, linestyle="--", linewidth=0.9)
        ax.text(
            level,
            1.0,
            text,
            color=CUT_COLOUR,
            fontsize=7,
            ha="center",
            va="bottom",
            transform=ax.get_xaxis_transform(),
        )
        return
    ax.axhline(level, color=CUT_COLOUR, linestyle="--", linewidth=0.9)
    ax.text(
        1.0,
        level,
        f" {text}",
        color=CUT_COLOUR,
        fontsize=7,
        ha="left",
        va="center",
        transform=ax.get_yaxis_transform(),
    )


def draw_support(
    ax: Axes, tree: Tree, support: NDArray[np.float64], *, is_horizontal: bool
) -> None:
    """Write the support of branches in per cent at their nodes.

    Parameters
    ----------
    ax : Axes
        With the dendrogram, in the order of the tree.
    tree : Tree
    support : (m,) float
        From 0 to 1; NaN is not written.
    is_horizontal : bool
        Whether the root is on the left.
    """
    along, height = layout(tree.parent, tree.leaf_order, tree.height)
    size = 6.5
    if tree.n > 40:
        size = 5.0
    # In points, on the side of the root, where the branch is.
    offset = (1.5, 1.5)
    alignment = "left"
    if is_horizontal:
        offset = (-1.5, 1.0)
        alignment = "right"
    n_written = 0
    for node in tree.split_order.tolist():
        if node == tree.root or np.isnan(support[node]):
            continue
        if n_written == _MOST_LABELS:
            break
        n_written += 1
        label = plain(f"{100 * support[node]:.0f}")
        place = (along[node], height[node])
        if is_horizontal:
            place = (height[node], along[node])
        ax.annotate(
            label,
            place,
            xytext=offset,
            textcoords="offset points",
            ha=alignment,
            va="bottom",
            fontsize=size,
            color=SUPPORT_COLOUR,
        )
