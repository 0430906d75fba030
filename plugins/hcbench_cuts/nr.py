"""NR: labels of drawn pairs are requested at random, weighted by the inverse probability."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Items, Oracle, ParameterError, Partition, Tree
from hcbench.model import Cut
from hcbench_cuts._count_kernels import log_cuts
from hcbench_cuts._cut_kernels import highest_kept
from hcbench_cuts._erm_kernels import heavy_postorder, sample
from hcbench_cuts.best_cuts import Untouched, split_untouched
from hcbench_cuts.draws import blocks, most_draws
from hcbench_cuts.given_tree import tree_of

if TYPE_CHECKING:
    from hcbench_cuts.bounded_cuts import BoundedLearner

DRAWS_FOR_EACH_LABEL = 1000
"""The maximum number of pairs to draw per label of the budget, if only the budget ends a run."""


def nr(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    c0: float = 1.0,
    constants: Literal["free", "literal"] = "free",
    delta: float = 0.05,
    rounds: int | None = None,
    K: int | None = None,  # noqa: N803
    untouched: Untouched = "together",
) -> Partition:
    """Selective sampling: the more uncertain a drawn pair, the more likely it is queried.

    Section 4 and algorithm 2 of Gentile et al. 2019, after Beygelzimer et al. 2010. In round t, d_t
    is the increase of the empirical risk if the best cut must change its prediction for the drawn
    pair; its label is requested with probability p_t = min(1, c0 (1/d_t^2 + 1/d_t) L(t) / t), and
    has weight 1/p_t. Of equally good cuts the coarsest is returned.

    Parameters
    ----------
    oracle : Oracle
        Of kind pair-queries.
    c0 : float
        The constant of equation (4), which the paper does not specify.
    constants : {"free", "literal"}
        "free": L(t) = ln(t+1), so that c0 is the only constant to tune. "literal": as published,
        L(t) = ln((N / delta) ln t) with N the number of cuts of the tree or, if less, the bound n^K
        on those into at most K clusters. As d_t <= 1, p_t is 1 in at least the first 2 c0 ln N
        rounds.
    delta : float
        For constants="literal": the probability with which the bounds of theorem 5 may fail.
    rounds : int, optional
        The maximum number of pairs to draw. By default a run ends with the budget, or after 1000
        pairs per label of the budget: as the best cut becomes certain, few labels are requested.
        Without a budget, the default is the number of pairs.
    K : int, optional
        The maximum number of clusters: the class C(T, K) of theorem 5.
    untouched : {"apart", "together"}
        Whether the items of a cluster none of whose pairs was queried are clusters of their own.
        Algorithm 2 as printed says apart, as its inner nodes start with is_cluster = 0; "together"
        is the coarsest of the best cuts. It changes the returned cut, not the queries.

    Returns
    -------
    Partition

    Raises
    ------
    ParameterError
        If ``untouched="apart"`` is combined with K, which such clusters exceed.

    Notes
    -----
    O(depth of the pair's lowest common ancestor) per round; with K, O(K) to O(K^2) per node on that
    path, depending on the siblings. Memory O(n), with K O(n K). Checkpoints do not change the
    result.
    """
    tree = tree_of(items)
    draws = most_draws(oracle, rounds, DRAWS_FOR_EACH_LABEL)
    log_class = 0.0
    if constants == "literal":
        log_class = _log_class(tree, K, delta)
    law = (c0, log_class)
    learner = _learner(tree, K, untouched)
    n_drawn = 0
    for block in blocks(oracle, draws, learner.cut):
        pairs = oracle.draw(block)
        # A label is requested where its coin is below p_t.
        coins = rng.random(block)
        learner.learn(oracle, pairs, coins, n_drawn, law)
        n_drawn += block
    return learner.cut().partition


def _log_class(tree: Tree, K: int | None, delta: float) -> float:  # noqa: N803
    """ln(N / delta), N being the number of cuts or, if less, n^K."""
    log_size = float(log_cuts(tree.parent)[-1])
    if K is not None:
        log_size = min(log_size, K * log(tree.n))
    return log_size - log(delta)


def _learner(
    tree: Tree,
    K: int | None,  # noqa: N803
    untouched: Untouched,
) -> Learner | BoundedLearner:
    if K is not None:
        if untouched == "apart":
            raise ParameterError("NR: untouched=apart makes more than K clusters")
        # Imported even where K does not bind, so that a warm-up on a few items imports it.
        from hcbench_cuts.bounded_cuts import BoundedLearner

        if tree.n > K:
            return BoundedLearner(tree, K)
    return Learner(tree, untouched)


class Learner:
    """The state of NR: the excesses of `_erm_kernels`, numbered for fast walks to the root."""

    def __init__(self, tree: Tree, untouched: Untouched) -> None:
        self.tree = tree
        self.untouched = untouched
        self.new_id = heavy_postorder(tree.parent)
        self.parent = np.full(tree.n_nodes, -1)
        self.parent[self.new_id[:-1]] = self.new_id[tree.parent[:-1]]
        self.x = np.zeros(tree.n_nodes)
        self.queried = np.zeros(tree.n_nodes, np.bool_)

    def learn(
        self,
        oracle: Oracle,
        pairs: NDArray[np.int64],
        coins: NDArray[np.float64],
        t: int,
        law: tuple[float, float],
    ) -> None:
        """One round for each pair, after t rounds."""
        lcas = self.new_id[self.tree.lca(pairs[:, 0], pairs[:, 1])]
        oracle.run(sample, self.x, self.queried, self.parent, pairs, lcas, coins, t, law)

    def cut(self) -> Cut:
        """The current best cut: the highest nodes whose excess is at least 0."""
        is_split = self.x[self.new_id] < 0.0
        cut = Cut(self.tree, highest_kept(self.tree.parent, is_split))
        if self.untouched == "apart":
            return split_untouched(cut, self.queried[self.new_id])
        return cut
