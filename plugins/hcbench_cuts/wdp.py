"""WDP and N-WDP: binary searches on paths, by the probabilities of a prior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Given, Oracle, Partition
from hcbench_cuts import _cut_kernels, _path_kernels as kernels
from hcbench_cuts._question_kernels import BELOW, IN_ORDER
from hcbench_cuts.given_tree import tree_of
from hcbench_cuts.priors import LogPrior, Prior, prior_of
from hcbench_cuts.search import Search
from hcbench_cuts.votes import Votes, votes_of_node

Undecided = Literal["apart", "together"]


def weighted_dichotomic_path(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    prior: Prior = "uniform",
    bands: int | Sequence[float] = 5,
    epsilon: float = 0.01,
    undecided: Undecided = "apart",
) -> Partition:
    """Search the path whose place of the cut is the least certain, again and again.

    Weighted Dichotomic Path, appendix B.3 of Gentile et al. 2019. Without noise the cut is the true
    one. The paths that are searched are K~ in number, the leaves of the part of the tree above the
    cut and just below it, without the tree's own leaves (lemma 3), and of cuts drawn from the prior
    the mean number of questions is O(E[K~] log h) (theorem 3).

    Parameters
    ----------
    oracle : Oracle
        Of kind pair-queries. One pair is asked about each node, so that a wrong answer stays.
    prior : {"uniform", "bands"}, float, sequence or callable
        P(v), the probability that a node is below the cut, given that all above it are above:
        1 / N(v), which makes all cuts equally likely; see `bands_prior`; one number for all inner
        nodes; those of the inner nodes n .. m-1, in the order of their ids; what a function of the
        tree returns as such.
    bands : int or sequence of float
        Of prior=bands: how many, or their heights.
    epsilon : float
        Of prior=bands: the probability of all other cuts.
    undecided : {"apart", "together"}
        Whether the present cut is the finest or the coarsest of those with the largest posterior
        probability. With the uniform prior these are all that agree with the answers.

    Returns
    -------
    Partition
        A cut of the tree. Where the budget ends first, the present one: of the cuts that agree with
        all answers, also those of an unfinished search, the one with the largest prior probability.

    Raises
    ------
    ParameterError
        If the prior does not fit the tree, or would make a cut impossible.
    NotApplicableError
        If there is no tree to be cut.

    Notes
    -----
    Of paths of equal entropy the one with the root of largest id is searched first, and leads
    through the child of smallest id. O(m + Q log h + K~ log m) time for m nodes and Q questions;
    about 90 bytes a leaf of a binary tree.
    """
    tree = tree_of(given)
    return _search(oracle, Search.of(tree, rng), prior_of(tree, prior, bands, epsilon), undecided)


def noisy_weighted_dichotomic_path(
    oracle: Oracle,
    given: Given,
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
    """Search as WDP does, where many pairs of leaves vote on each node.

    Noisy Weighted Dichotomic Path, appendix B.4 of Gentile et al. 2019, against persistent noise. A
    node with fewer than m pairs of leaves is below the cut from the start, with all below it: the
    cut is the true one, clusters merged at such nodes, with probability 1 - delta or more.

    Parameters
    ----------
    oracle : Oracle
        Of kind pair-queries.
    noise : float
        lambda, the part of all pairs whose answer is wrong, in [0, 1/2).
    delta : float
        In (0, 1).
    votes : {"hoeffding", "binomial"} or int
        How m is found, or m; see `votes_of_node`. The m pairs are drawn at random, none twice. Half
        of an even number are no majority: apart.
    constant : float
        Of votes=hoeffding: alpha; the paper leaves it open, and with 2 the promise is kept.
    stop : {"all", "decided"}
        Whether all m pairs are asked about, as published, or none once the others cannot change
        what the majority is: the same cut from fewer questions.
    prior, bands, epsilon, undecided
        As of `weighted_dichotomic_path`; P(v) = 1 for nodes of too few pairs.

    Returns
    -------
    Partition
        A cut of the tree. Where the budget ends first, the present one, as of WDP; the answers of
        an unfinished vote tell nothing.

    Raises
    ------
    ParameterError
        If the prior does not fit the tree, or would make a cut impossible.
    NotApplicableError
        If there is no tree to be cut.
    """
    tree = tree_of(given)
    m = votes_of_node(tree.n, votes, noise, delta, constant)
    search = Search.of(tree, rng, m, early=stop == "decided")
    return _search(oracle, search, prior_of(tree, prior, bands, epsilon), undecided)


def _search(oracle: Oracle, search: Search, prior: LogPrior, undecided: Undecided) -> Partition:
    tree, inner = search.tree, search.n_inner
    prior.below[search.label[tree.n :] == BELOW] = 0.0
    entropy, best = np.zeros(inner, np.float32), np.empty(inner, np.int32)
    kernels.most_entropy(tree.parent, search.label, prior.below, prior.above, entropy, best)
    arrays = (
        np.empty(inner, np.int64),
        np.empty(inner + 1, np.int32),
        np.empty(inner + 2),
        best,
        entropy.view(np.int32),
        prior.above,
    )
    # Without these the order makes no difference: no path's questions depend on another's.
    search.at[IN_ORDER] = oracle.ledger.budget is not None or bool(oracle.checkpoints)
    kernels.start_paths(search.at, search.shape, search.label, *arrays)

    def split() -> NDArray[np.bool_]:
        return _cut_kernels.split_most_probably(
            tree.parent, search.label, prior.below, prior.above, undecided == "apart"
        )

    return search.run(oracle, kernels.search_paths, arrays, split)
