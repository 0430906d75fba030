"""The data on which everything registered is measured; they provide what any spec can need."""

from __future__ import annotations

import math

import numpy as np

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
    depth = math.ceil(math.log2(n))
    groups = np.arange(n)[:, None] * 2 ** np.arange(1, depth + 1) // n  # of items at each level
    steps = np.where(np.arange(depth) < LEVELS, 1.0, _STEP)
    vectors = rng.normal(scale=_NOISE, size=(n, FEATURES))
    for step, group in zip(steps, groups.T, strict=True):
        vectors += step * rng.standard_normal((group[-1] + 1, FEATURES))[group]
    shape = Tree.from_levels(groups)
    ends = np.array([shape.leaves(node)[[0, -1]] for node in range(shape.n_nodes)])
    height = (groups[ends[:, 0]] == groups[ends[:, 1]]) @ steps**2
    height[:n] += _NOISE**2
    tree = Tree(shape.parent, height, HeightKind.AFFINITY)
    return Problem(
        n=n,
        vectors=vectors,
        similarity=np.maximum(vectors @ vectors.T / FEATURES, 0.0),
        truths={"exact": tree},
        levels=groups[:, :LEVELS],
        tree=tree,
    )


DATA = DatasetSpec(
    name="hcbench-asv",
    function="hcbench.authoring.asv.problem:make_problem",
    doc="A random walk down a balanced binary tree.",
    parameters=(Parameter("n", REQUIRED, "Number of items.", type="int", interval="[16, inf)"),),
    provides=("vectors", "similarity", "truth", "levels", "heights", "tree"),
)
