"""BF: from the root down, level by level."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hcbench import Items, Oracle, Partition
from hcbench_cuts import _breadth_first_kernels as kernels
from hcbench_cuts.given_tree import tree_of
from hcbench_cuts.search import Search
from hcbench_cuts.votes import Votes, votes_of_node


def breadth_first(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    votes: Votes = 1,
    noise: float = 0.1,
    delta: float = 0.05,
    constant: float = 2.0,
    stop: Literal["all", "decided"] = "all",
    undecided: Literal["apart", "together"] = "together",
) -> Partition:
    """Query the nodes from the root down, level by level, and descend below those that are apart.

    Section 3 of Gentile et al. 2019. Without noise, at most 2K - 1 queries find the true cut into K
    clusters of a binary tree: one for each node above the cut and each inner node just below it.

    Parameters
    ----------
    oracle : Oracle
        Of kind pair-queries.
    votes, noise, delta, constant, stop
        As in `noisy_weighted_dichotomic_path`; the paper makes BF robust in the same way. With one
        vote, the default, all nodes are queried, and noise, delta and constant have no effect.
    undecided : {"apart", "together"}
        Where the current cut puts nodes that were not queried: above it, so that their leaves are
        singleton clusters, or below it.

    Returns
    -------
    Partition
        A cut of the tree; the current one if the budget ends first.

    Raises
    ------
    NotApplicableError
        If there is no tree to be cut.
    """
    tree = tree_of(items)
    m = votes_of_node(tree.n, votes, noise, delta, constant)
    search = Search.of(tree, rng, m, early=stop == "decided")
    queue = np.empty(search.n_inner, np.int32)
    kernels.start_breadth(search.progress, search.shape, search.label)
    return search.run(
        oracle,
        kernels.breadth_first,
        queue,
        lambda: search.known(apart=undecided == "apart"),
    )
