"""ERM: the cut that contradicts the fewest of the answers about pairs drawn at random."""

from __future__ import annotations

from math import inf

import numpy as np

from hcbench import Items, Oracle, ParameterError, Partition
from hcbench.model import Cut
from hcbench_cuts.best_cuts import Untouched, heaviest_within, split_untouched
from hcbench_cuts.draws import blocks, most_draws
from hcbench_cuts.given_tree import tree_of


def erm(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    rounds: int | None = None,
    K: int | None = None,  # noqa: N803
    untouched: Untouched = "together",
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
    untouched : {"apart", "together"}
        Whether the items of a cluster none of whose pairs was queried are clusters of their own;
        see `hcbench_cuts.nr.nr`.

    Returns
    -------
    Partition

    Raises
    ------
    ParameterError
        If ``untouched="apart"`` is combined with K, which such clusters exceed.

    Notes
    -----
    O(1) per pair after O(n log n); O(n) per cut, or O(n K) with K in a binary tree.
    """
    tree = tree_of(items)
    if K is not None and untouched == "apart":
        raise ParameterError("ERM: untouched=apart makes more than K clusters")
    # For each node, the answers about the pairs of which it is the lowest common ancestor: the sum
    # of 1 for together and -1 for apart, and whether there are any.
    weights = np.zeros(tree.n_nodes)
    queried = np.zeros(tree.n_nodes, np.bool_)

    def best_cut() -> Cut:
        cut = heaviest_within(tree, weights, K)
        if untouched == "apart":
            return split_untouched(cut, queried)
        return cut

    for block in blocks(oracle, most_draws(oracle, rounds, inf), best_cut):
        pairs = oracle.draw(block)
        signs = 2.0 * oracle.ask(pairs) - 1.0
        lcas = tree.lca(pairs[:, 0], pairs[:, 1])
        weights += np.bincount(lcas, signs, tree.n_nodes)
        queried[lcas] = True
    return best_cut().partition
