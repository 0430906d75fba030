"""Random true trees, for ordinal queries."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Problem, Tree
from hcbench_ordinal import _shape_kernels as kernels

Shape = Literal["random", "balanced", "caterpillar", "yule"]


def random_tree(seed: int, *, n: int = 100, shape: Shape = "random", degree: int = 2) -> Problem:
    """Draw a true tree of n items, without data: a problem for ordinal queries.

    Parameters
    ----------
    n : int
        Number of items, which are in random order for every shape.
    shape : {"random", "balanced", "caterpillar", "yule"}
        All (2n-3)!! binary trees equally likely; repeated halving; one leaf split off at a time; a
        Yule tree, each leaf of which is equally likely to split next.
    degree : int
        Nodes of a binary tree, in random order, merge into their parent if it then has at most this
        number of children. 2: the tree is binary; at least n: a star.

    Notes
    -----
    O(n) time and memory.
    """
    rng = np.random.default_rng(seed)
    parent = _binary(rng, n, shape)
    parent[:n] = parent[rng.permutation(n)]
    if degree > 2 and n > 2:
        parent = _merged(rng, parent, n, degree)
    return Problem(n=n, truths={shape: Tree.from_parents(parent)})


def _binary(rng: np.random.Generator, n: int, shape: Shape) -> NDArray[np.int64]:
    """Parents (2n-1,) of a binary tree with leaves 0..n-1."""
    if shape == "random":
        return kernels.insert_leaves(rng.integers(0, 2 * np.arange(1, n) - 1))
    steps = np.arange(n - 1)
    if shape == "caterpillar":
        return kernels.split_leaves(steps)
    if shape == "yule":
        return kernels.split_leaves(rng.integers(0, steps + 1))
    # The leaves split in order, from the first to the last: a round doubles their number.
    return kernels.split_leaves(steps + 1 - 2 ** np.floor(np.log2(steps + 1)).astype(np.int64))


def _merged(
    rng: np.random.Generator, parent: NDArray[np.int64], n: int, degree: int
) -> NDArray[np.int64]:
    inner = n + np.flatnonzero(parent[n:] >= 0)
    kernels.merge_nodes(parent, rng.permutation(inner), degree)
    is_kept = parent >= -1
    number = np.cumsum(is_kept) - 1
    above = parent[is_kept]
    return np.where(above >= 0, number[above], -1)
