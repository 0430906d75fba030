"""WDP and N-WDP: binary searches on paths, weighted by a prior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Items, Oracle, Partition
from hcbench_cuts import _cut_kernels, _path_kernels as kernels
from hcbench_cuts._question_kernels import BELOW, IN_ORDER
from hcbench_cuts.given_tree import tree_of
from hcbench_cuts.priors import LogPrior, Prior, prior_of
from hcbench_cuts.search import Search
from hcbench_cuts.votes import Votes, votes_of_node

Undecided = Literal["apart", "together"]


def weighted_dichotomic_path(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    prior: Prior = "uniform",
    bands: int | Sequence[float] = 5,
    epsilon: float = 0.01,
    undecided: Undecided = "apart",
) -> Partition:
    """Repeatedly search the path of maximum entropy by bisection.

    Weighted Dichotomic Path, appendix B.3 of Gentile et al. 2019. Without noise it finds the true
    cut. It searches K~ paths, the number of leaves of the part of the tree above the cut and just
    below it, excluding the tree's own leaves (lemma 3). For cuts drawn from the prior, the mean
    number of queries is O(E[K~] log h) (theorem 3). Unlike in algorithm 1 as printed, Q includes
    the top node of the path, so that each query halves the probability.

    Parameters
    ----------
    oracle : Oracle
        Of kind pair-queries. Each node is queried with one pair: a wrong answer is not corrected.
    prior : {"uniform", "bands"}, float, sequence or callable
        P(v), the probability that a node is below the cut, given that all nodes above it are above
        the cut; see `prior_of`.
    bands, epsilon
        For prior="bands"; see `bands_prior`.
    undecided : {"apart", "together"}
        Whether the current cut is the finest or the coarsest of those with the largest posterior
        probability. With the uniform prior these are all cuts that agree with the answers.

    Returns
    -------
    Partition
        A cut of the tree. If the budget ends first, the current one: of the cuts that agree with
        all answers, including those of an unfinished search, the one with the largest prior
        probability.

    Raises
    ------
    ParameterError
        If the prior does not fit the tree, or would make a cut impossible.
    NotApplicableError
        If there is no tree to be cut.

    Notes
    -----
    Of paths of equal entropy the one whose root has the largest id is searched first, through the
    child of smallest id. O(m + Q log h + K~ log m) time for m nodes and Q queries; about 90 bytes
    per leaf of a binary tree.
    """
    tree = tree_of(items)
    return _search(oracle, Search.of(tree, rng), prior_of(tree, prior, bands, epsilon), undecided)


def noisy_weighted_dichotomic_path(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    noise: float = 0.1,
    delta: float = 0.05,
    votes: Votes = "hoeffding",
    constant: float = 2.0,
    stop: Literal["all", "decided"] = "all",
    prior: Prior = "uniform",
    bands: int | Sequence[float] = 5,
    epsilon: float = 0.01,
    undecided: Undecided = "apart",
) -> Partition:
    """WDP in which many pairs of leaves vote on each node.

    Noisy Weighted Dichotomic Path, appendix B.4 of Gentile et al. 2019, for persistent noise. Nodes
    with fewer than m pairs of leaves, and all nodes below them, are below the cut from the start.
    With probability at least 1 - delta, the result is the true cut with clusters merged at such
    nodes.

    Parameters
    ----------
    oracle : Oracle
        Of kind pair-queries.
    noise : float
        lambda, the proportion of pairs with a wrong answer, in [0, 1/2).
    delta : float
        In (0, 1).
    votes : {"hoeffding", "binomial"} or int
        How to compute m, or m itself; see `votes_of_node`. The m pairs are drawn at random without
        replacement. A tie means apart.
    constant : float
        For votes="hoeffding": alpha. The paper does not specify it; with 2 the guarantee holds.
    stop : {"all", "decided"}
        Whether to query all m pairs, as published, or to stop once the remaining ones cannot change
        the majority: the same cut with fewer queries.
    prior, bands, epsilon, undecided
        As in `weighted_dichotomic_path`; P(v) = 1 for nodes with too few pairs.

    Returns
    -------
    Partition
        A cut of the tree. If the budget ends first, the current one as in WDP; the answers of an
        unfinished vote are ignored.

    Raises
    ------
    ParameterError
        If the prior does not fit the tree, or would make a cut impossible.
    NotApplicableError
        If there is no tree to be cut.
    """
    tree = tree_of(items)
    m = votes_of_node(tree.n, votes, noise, delta, constant)
    search = Search.of(tree, rng, m, early=stop == "decided")
    return _search(oracle, search, prior_of(tree, prior, bands, epsilon), undecided)


def _search(oracle: Oracle, search: Search, prior: LogPrior, undecided: Undecided) -> Partition:
    tree = search.tree
    # Nodes with too few pairs are below the cut, so that P(v) = 1.
    prior.below[search.label[tree.n :] == BELOW] = 0.0
    work = _work(search, prior)
    # Without a budget and checkpoints the order of the paths does not matter, as the queries of a
    # path depend on no other path.
    search.progress[IN_ORDER] = oracle.ledger.budget is not None or bool(oracle.checkpoints)
    kernels.start_paths(search.progress, search.shape, search.label, work)

    def split() -> NDArray[np.bool_]:
        return _cut_kernels.split_most_probably(
            tree.parent, search.label, prior.below, prior.above, undecided == "apart"
        )

    return search.run(oracle, kernels.search_paths, work, split)


def _work(search: Search, prior: LogPrior) -> kernels.PathSearch:
    """Memory for the paths, and the path of maximum entropy from each inner node."""
    inner = search.n_inner
    entropy = np.zeros(inner, np.float32)
    best_child = np.empty(inner, np.int32)
    kernels.most_entropy(
        search.tree.parent, search.label, prior.below, prior.above, entropy, best_child
    )
    return kernels.PathSearch(
        heap=np.empty(inner, np.int64),
        path=np.empty(inner + 1, np.int32),
        survival=np.empty(inner + 2),
        best_child=best_child,
        # The bits of floats that are at least 0 have the same order.
        rank=entropy.view(np.int32),
        log_above=prior.above,
    )
