"""Probability that two random pivots give a split that QuickClustering does not accept."""

from __future__ import annotations

from math import comb

import numpy as np

from hcbench import NotApplicableError, Scored


def unbalanced_splits(scored: Scored, balance: float = 0.9375) -> float:
    """Proportion of the pairs of pivots whose split has a part of more than ``balance * n`` items.

    For two pivots with lowest common ancestor v, A and B are the leaves below two children of v,
    and C all leaves outside of v; computed exactly from the tree, without its oracle. Lemma 3.1 of
    Emamjomeh-Zadeh & Kempe 2018: at most 125/128 in a binary tree, with balance = 15/16.

    Parameters
    ----------
    scored : Scored
        The result must be a tree; heights are not used.
    balance : float
        As in QuickClustering.

    Returns
    -------
    float
        In [0, 1]. O(n) time and memory.

    Raises
    ------
    NotApplicableError
        If there are fewer than three items.
    """
    tree = scored.tree
    n = tree.n
    if n < 3:
        raise NotApplicableError(f"a split needs at least three items, got {n}")
    sizes = tree.sizes.astype(np.float64)
    below = np.flatnonzero((tree.parent >= 0) & (sizes <= balance * n))
    above = tree.parent[below]
    total = np.bincount(above, sizes[below], tree.n_nodes)
    squares = np.bincount(above, sizes[below] ** 2, tree.n_nodes)
    pairs = (total**2 - squares)[n - sizes <= balance * n].sum() / 2
    return float(1 - pairs / comb(n, 2))
