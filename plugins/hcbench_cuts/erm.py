"""ERM: the cut that contradicts the fewest of the answers about pairs drawn at random."""

from __future__ import annotations

from math import inf

import numpy as np

from hcbench import Cut, Given, Oracle, Partition
from hcbench_cuts.best_cuts import heaviest_within
from hcbench_cuts.draws import blocks, most_draws
from hcbench_cuts.given_tree import tree_of


def erm(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    rounds: int | None = None,
    K: int | None = None,  # noqa: N803
) -> Partition:
    """Query all drawn pairs; minimise the empirical risk.

    The passive baseline of Gentile et al. 2019, section 5. Of equally good cuts it returns the
    coarsest; before the first answer this is one cluster.

    Parameters
    ----------
    oracle : Oracle
        Of kind pair-queries.
    rounds : int, optional
        Pairs to draw; by default as many as the budget allows, or as there are pairs.
    K : int, optional
        The maximum number of clusters; of equally good cuts, one with the fewest is returned.

    Returns
    -------
    Partition

    Notes
    -----
    O(1) per pair after O(n log n); O(n) per cut, or O(n K) with K in a binary tree.
    """
    tree = tree_of(given)
    own = np.zeros(tree.n_nodes)

    def current() -> Cut:
        return heaviest_within(tree, own, K)

    for block in blocks(oracle, most_draws(oracle, rounds, inf), current):
        pairs = oracle.draw(block)
        signs = 2.0 * oracle.ask(pairs) - 1.0
        own += np.bincount(tree.lca(pairs[:, 0], pairs[:, 1]), signs, tree.n_nodes)
    return current().partition
