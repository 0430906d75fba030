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
    largest = balance * n
    sizes = tree.sizes.astype(np.float64)
    # A split by v is accepted if C is small enough, and the children that have A and B below them.
    is_outside_small = n - sizes <= largest
    small_children = np.flatnonzero((tree.parent >= 0) & (sizes <= largest))
    parents = tree.parent[small_children]
    # For each v, the pairs of leaves below two different small children, in both orders: the square
    # of the number of leaves below them, without pairs below one child.
    n_leaves = np.bincount(parents, sizes[small_children], tree.n_nodes)
    n_below_one = np.bincount(parents, sizes[small_children] ** 2, tree.n_nodes)
    ordered_pairs = n_leaves**2 - n_below_one
    accepted_pairs = ordered_pairs[is_outside_small].sum() / 2
    return float(1 - accepted_pairs / comb(n, 2))
