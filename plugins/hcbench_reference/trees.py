"""Trees that need no queries."""

from __future__ import annotations

import numpy as np

from hcbench import Items, Oracle, Tree
from hcbench_reference._kernels import insert_leaves


def random_tree(_oracle: Oracle, items: Items, rng: np.random.Generator) -> Tree:
    """Draw a rooted binary tree over the n labelled leaves, all (2n-3)!! of them equally likely.

    It has no heights (kind NONE): any would be arbitrary, and so would the merge order. Cuts of
    such trees split the largest cluster first. O(n).
    """
    edges = rng.integers(0, 2 * np.arange(1, items.n) - 1)
    return Tree.from_parents(insert_leaves(edges), names=items.names)


def true_tree(_oracle: Oracle, items: Items, _rng: np.random.Generator) -> Tree:
    """Return the true hierarchy, a hint."""
    truth: Tree = items.hints["truth"]
    return truth
