"""Random trees for Hypothesis: ``from tests.core.trees import trees``."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hcbench.model.trees import HeightKind, Tree


@st.composite
def trees(
    draw: st.DrawFn,
    *,
    min_leaves: int = 1,
    max_leaves: int = 12,
    binary: bool | None = None,
    kind: HeightKind | None = None,
    monotone: bool = True,
) -> Tree:
    """Trees of any shape: ``binary`` True, or None for both; any kind of heights if None.

    Heights are small integers, so that ties occur; names are absent. Monotone heights may tie with
    the parent's. ORDER is the order of ids.
    """
    n = draw(st.integers(min_leaves, max_leaves))
    live = list(range(n))
    parent = [-1] * n
    while len(live) > 1:
        only_two = binary if binary is not None else draw(st.booleans())
        width = 2 if only_two else draw(st.integers(2, len(live)))
        node = len(parent)
        parent.append(-1)
        for _ in range(width):
            parent[live.pop(draw(st.integers(0, len(live) - 1)))] = node
        live.append(node)
    chosen = draw(st.sampled_from(HeightKind)) if kind is None else kind
    if chosen is HeightKind.NONE:
        return Tree(parent)
    return Tree(parent, _heights(draw, parent, n, chosen, monotone), chosen)


def _heights(
    draw: st.DrawFn, parent: list[int], n: int, kind: HeightKind, monotone: bool
) -> list[float]:
    m = len(parent)
    if kind is HeightKind.ORDER:
        return [0.0] * n + [float(i) for i in range(1, m - n + 1)]
    steps = draw(st.lists(st.integers(0, 3), min_size=m, max_size=m))
    is_affinity = kind is HeightKind.AFFINITY
    if not monotone:
        return [0.0] * n * (not is_affinity) + [float(s) for s in steps[n * (not is_affinity) :]]
    height = np.zeros(m)
    for v in range(n, m):
        height[v] = steps[v] + max(height[c] for c in range(v) if parent[c] == v)
    if is_affinity:
        height = height.max() - height
        height[:n] += steps[:n]
    return [float(h) for h in height]


def leaf_sets(tree: Tree) -> list[frozenset[int]]:
    """Leaves below each node, from the definition."""
    below: list[set[int]] = [{v} if v < tree.n else set() for v in range(tree.n_nodes)]
    for v, p in enumerate(tree.parent.tolist()):
        if p >= 0:
            below[p] |= below[v]
    return [frozenset(leaves) for leaves in below]


def caterpillar(n: int) -> Tree:
    """The deepest binary tree: node n+i merges leaf i+1 with all before, at height i+1."""
    rows = np.zeros((n - 1, 4))
    rows[:, 0] = np.concatenate(([0], np.arange(n, 2 * n - 2)))
    rows[:, 1] = rows[:, 2] = np.arange(1, n)
    return Tree.from_linkage(rows)
