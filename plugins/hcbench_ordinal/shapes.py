"""Random true trees, for ordinal queries."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import DataRequest, Problem, Tree
from hcbench_ordinal import _shape_kernels as kernels

Shape = Literal["random", "balanced", "caterpillar", "yule", "star-with-pair"]


def random_tree(
    request: DataRequest, *, n: int = 100, shape: Shape = "random", degree: int = 2
) -> Problem:
    """Draw a true tree of n items, without data: a problem for ordinal queries.

    Parameters
    ----------
    n : int
        Number of items, which are in random order for every shape.
    shape : {"random", "balanced", "caterpillar", "yule", "star-with-pair"}
        All (2n-3)!! binary trees equally likely; repeated halving; one leaf split off at a time; a
        Yule tree, each leaf of which is equally likely to split next; or a star one of whose leaves
        is replaced by a node of two items, which takes Omega(n^2) queries (section 6).
    degree : int
        Nodes of a binary tree, in random order, merge into their parent if it then has at most this
        number of children. 2: the tree is binary; at least n: a star. Not used for a star with a
        pair.

    Notes
    -----
    O(n) time and memory.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    is_star = shape == "star-with-pair" and n > 2
    if is_star:
        parent = _star_with_pair(n)
    else:
        parent = _binary(rng, n, shape)
    # The items in random order.
    parent[:n] = parent[rng.permutation(n)]
    if degree > 2 and n > 2 and not is_star:
        parent = _merged(rng, parent, n, degree)
    return Problem(n=n, truths={shape: Tree.from_parents(parent)})


def _star_with_pair(n: int) -> NDArray[np.int64]:
    """Parents (n+2,): items 0 and 1 below node n, all others and n below the root."""
    parent = np.full(n + 2, n + 1)
    parent[:2] = n
    parent[-1] = -1
    return parent


def _binary(rng: np.random.Generator, n: int, shape: Shape) -> NDArray[np.int64]:
    """Parents (2n-1,) of a binary tree with leaves 0..n-1."""
    if shape == "random":
        return kernels.insert_leaves(rng.integers(0, 2 * np.arange(1, n) - 1))
    steps = np.arange(n - 1)
    if shape == "caterpillar":
        return kernels.split_leaves(steps)
    if shape == "yule":
        return kernels.split_leaves(rng.integers(0, steps + 1))
    # Balanced: the leaves split in order, from the first to the last, in rounds that double their
    # number: a round begins when this is a power of 2.
    n_leaves = steps + 1
    n_leaves_of_round = 2 ** np.floor(np.log2(n_leaves)).astype(np.int64)
    return kernels.split_leaves(n_leaves - n_leaves_of_round)


def _merged(
    rng: np.random.Generator, parent: NDArray[np.int64], n: int, degree: int
) -> NDArray[np.int64]:
    """The tree after random merges of inner nodes into their parents, without the merged nodes."""
    inner = n + np.flatnonzero(parent[n:] >= 0)
    # Marks the merged nodes by parents below -1.
    kernels.merge_nodes(parent, rng.permutation(inner), degree)
    is_kept = parent >= -1
    number = np.cumsum(is_kept) - 1
    above = parent[is_kept]
    return np.where(above >= 0, number[above], -1)
