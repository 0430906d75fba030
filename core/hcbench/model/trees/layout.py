"""Coordinates of dendrograms, and small ones as SVG for notebooks.

Trees are given by the arrays of `Tree`: ``parent`` (m,), ``leaf_order`` (n,) and ``height`` (m,).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from hcbench.model.text import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_LEAVES = 200
"""Trees with more leaves are not drawn in notebooks, as each leaf has a line of its own."""

# In pixels.
_ROW = 14  # of a leaf
_WIDTH = 420  # of the tree
_LETTER = 7
_GAP = 6  # between a leaf and its name


def layout(
    parent: NDArray[np.int64], leaf_order: NDArray[np.int64], height: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The coordinates of the nodes.

    Parameters
    ----------
    parent : (m,) int
        Parents, which have larger ids than their children.
    leaf_order : (n,) int
        The leaves from left to right.
    height : (m,) float or None
        Heights of the nodes; infinite ones are allowed.

    Returns
    -------
    along : (m,) float
        Leaves at 0, 1, ..., n-1; other nodes midway between their outermost children.
    height : (m,) float
        Finite heights; for a tree without heights, levels counted from the leaves.
    """
    m = parent.size
    n = leaf_order.size
    along = np.empty(m)
    along[leaf_order] = np.arange(n)
    first = np.full(m, np.inf)
    last = np.full(m, -np.inf)
    levels = np.zeros(m)
    # Children come before their parents.
    for node, above in enumerate(parent.tolist()):
        if node >= n:
            along[node] = (first[node] + last[node]) / 2
        if above >= 0:
            first[above] = min(first[above], along[node])
            last[above] = max(last[above], along[node])
            levels[above] = max(levels[above], levels[node] + 1)
    if height is None:
        return along, levels
    return along, _finite(height)


def _finite(height: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights in which infinite ones are a tenth of the range beyond the others."""
    finite = height[np.isfinite(height)]
    low = 0.0
    high = 0.0
    if finite.size:
        low = float(finite.min())
        high = float(finite.max())
    beyond = 0.1 * (high - low) or 1.0
    return np.clip(height, low - beyond, high + beyond)


def branch_lines(
    parent: NDArray[np.int64], n: int, along: NDArray[np.float64], height: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A stem from each node to its parent's height, and a bar across the children of each.

    Parameters
    ----------
    parent : (m,) int
        Parents of the nodes.
    n : int
        Number of leaves.
    along, height : (m,) float
        The coordinates of the nodes.

    Returns
    -------
    (k, 2, 2) float
        The ends of each line as ``along`` and ``height``: the stems of all nodes but the root, then
        the bars of the inner nodes.
    """
    above = parent[:-1]
    first = np.full(parent.size, np.inf)
    last = np.full(parent.size, -np.inf)
    np.minimum.at(first, above, along[:-1])
    np.maximum.at(last, above, along[:-1])
    stems = np.array([[along[:-1], height[:-1]], [along[:-1], height[above]]])
    bars = np.array([[first[n:], height[n:]], [last[n:], height[n:]]])
    return np.concatenate((stems, bars), axis=2).transpose(2, 0, 1)


def to_svg(
    parent: NDArray[np.int64],
    leaf_order: NDArray[np.int64],
    height: NDArray[np.float64] | None,
    names: Sequence[str],
) -> str:
    """A dendrogram with its root on the left and the names of the n leaves on the right."""
    n = leaf_order.size
    along, finite_height = layout(parent, leaf_order, height)
    # From the root: affinities increase towards the leaves, distances decrease.
    from_root = np.abs(finite_height - finite_height[-1])
    x = from_root * (_WIDTH / (float(from_root.max()) or 1.0))
    y = (along + 0.5) * _ROW
    strokes = []
    for (y_1, x_1), (y_2, x_2) in branch_lines(parent, n, y, x + 1).tolist():
        strokes.append(f"M{x_1:.1f} {y_1:.1f}L{x_2:.1f} {y_2:.1f}")
    texts = []
    labels = [printable(name) for name in names]
    for leaf, label in enumerate(labels):
        place = f'x="{x[leaf] + _GAP:.1f}" y="{y[leaf] + 4:.1f}"'
        texts.append(f"<text {place}>{escape(label)}</text>")
    width = _WIDTH + 2 * _GAP + _LETTER * max(map(len, labels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{n * _ROW}" '
        f'font-family="sans-serif" font-size="11">'
        f'<path d="{"".join(strokes)}" fill="none" stroke="gray"/>'
        f'<g fill="currentColor">{"".join(texts)}</g></svg>'
    )
