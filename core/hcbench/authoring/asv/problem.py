"""The data on which everything registered is measured; they provide what any spec can need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench.model.problem import Problem
from hcbench.model.trees import HeightKind, Tree
from hcbench.registry.specs import REQUIRED, DatasetSpec, Parameter

LEVELS = 3
FEATURES = 20
_STEP, _NOISE = 0.3, 0.5  # standard deviations below the labelled levels; above them it is 1


def make_problem(seed: int, *, n: int) -> Problem:
    """Items at the leaves of a balanced binary tree, by a random walk down its branches.

    Each of the `FEATURES` coordinates of a node is normal around that of its parent, with variance
    1 in the first `LEVELS` levels and 0.09 below; items have additional noise of variance 0.25. The
    expected product of two items is the height of their lowest common ancestor; similarities are
    the mean products over the coordinates, clipped at 0. O(n^2).

    Parameters
    ----------
    seed : int
    n : int
        Number of items, at least 16.

    Returns
    -------
    Problem
        Vectors (n, 20), similarity, the true tree with its heights, which is also the tree to cut,
        and the subtrees of its first three levels as labels.
    """
    rng = np.random.default_rng(seed)
    parent, height, depth = _balanced(n)
    walk = np.zeros((len(parent), FEATURES))
    for node in range(len(parent) - 2, -1, -1):  # parents have larger numbers
        above = parent[node]
        step = np.sqrt(height[node] - height[above])
        walk[node] = walk[above] + step * rng.standard_normal(FEATURES)
    vectors = walk[:n]
    tree = Tree.from_parents(parent, height, HeightKind.AFFINITY)
    return Problem(
        n=n,
        vectors=vectors,
        similarity=np.maximum(vectors @ vectors.T / FEATURES, 0.0),
        truths={"exact": tree},
        levels=_labels(parent, depth, n),
        tree=tree,
    )


def _balanced(n: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Parents, affinities and depths of a tree by repeated halving, the root last."""
    parent = np.full(2 * n - 1, -1)
    depth = np.zeros(2 * n - 1, np.int64)
    height = np.zeros(2 * n - 1)
    free = 2 * n - 2
    waiting = [(0, n, free)]
    for first, last, node in waiting:  # breadth first: grows in the loop
        middle = (first + last) // 2
        for low, high in ((first, middle), (middle, last)):
            free -= high - low > 1
            child = low if high - low == 1 else free
            parent[child], depth[child] = node, depth[node] + 1
            height[child] = height[node] + (1.0 if depth[child] <= LEVELS else _STEP**2)
            if child < n:
                height[child] += _NOISE**2
            else:
                waiting.append((low, high, child))
    return parent, height, depth


def _labels(parent: NDArray[np.int64], depth: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The ancestor of each item at each labelled level, (n, `LEVELS`)."""
    at = np.arange(n)
    columns = []
    for level in range(LEVELS, 0, -1):
        while (depth[at] > level).any():
            at = np.where(depth[at] > level, parent[at], at)
        columns.append(at)
    return np.column_stack(columns[::-1])


DATA = DatasetSpec(
    name="hcbench-asv",
    function="hcbench.authoring.asv.problem:make_problem",
    doc="A random walk down a balanced binary tree.",
    parameters=(Parameter("n", REQUIRED, "Number of items.", type="int", interval="[16, inf)"),),
    provides=("vectors", "similarity", "truth", "levels", "heights", "tree"),
)
