"""Coordinates of dendrograms, and small ones as SVG for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from hcbench.model.text import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.model.trees import Tree

MOST_LEAVES = 200
_ROW, _WIDTH, _LETTER = 14, 420, 7  # pixels: a leaf, the tree, a letter


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


def to_svg(tree: Tree) -> str:
    """A dendrogram with its root on the left and the names, or numbers, of the leaves on the right.

    Parameters
    ----------
    tree : Tree
        Of at most `MOST_LEAVES` leaves, as each has a line of its own.
    """
    names = tuple(map(printable, tree.names or map(str, range(tree.n))))
    along, height = layout(tree)
    place = np.abs(height - height[-1])  # affinities increase towards the leaves
    place *= _WIDTH / (float(place.max()) or 1.0)
    lines = branch_lines(tree, (along + 0.5) * _ROW, place + 1)
    strokes = "".join(f"M{y:.1f} {x:.1f}L{v:.1f} {u:.1f}" for (x, y), (u, v) in lines.tolist())
    leaves = along[: tree.n].tolist()
    ends = place[: tree.n].tolist()
    texts = "".join(
        f'<text x="{end + 6:.1f}" y="{(at + 0.5) * _ROW + 4:.1f}">{escape(name)}</text>'
        for name, at, end in zip(names, leaves, ends, strict=True)
    )
    width = _WIDTH + 12 + _LETTER * max(map(len, names))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{tree.n * _ROW}" '
        f'font-family="sans-serif" font-size="11"><path d="{strokes}" fill="none" stroke="gray"/>'
        f'<g fill="currentColor">{texts}</g></svg>'
    )
