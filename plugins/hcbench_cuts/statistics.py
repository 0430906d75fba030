"""Measures of trees that are cut, and of cuts: Gentile et al. 2019, sections 2, 3 and 5."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import NotApplicableError, Partition, Scored, Tree, finest_partition
from hcbench.model import AnswerMatrix
from hcbench_cuts import _count_kernels
from hcbench_cuts.best_cuts import heaviest_within


def log_cuts(scored: Scored, *, base: float | None = None) -> float:
    """Logarithm of N(T), the number of cuts of the tree; O(n).

    N(v) = 1 for a leaf, else 1 + the product of N over the children (section 2). To the base 3/2 it
    bounds the queries of OTS, as each answer leaves at most 2/3 of the cuts (theorem 1); to the
    base 3 it is the least number of queries, as each answer leaves at least a third (lemma 1).

    Parameters
    ----------
    base : float, optional
        By default that of the natural logarithm.
    """
    natural_log = float(_count_kernels.log_cuts(_tree(scored).parent)[-1])
    if base is None:
        return natural_log
    return natural_log / math.log(base)


def leaf_depth(scored: Scored, *, statistic: Literal["mean", "sd"] = "mean") -> float:
    """Mean, or standard deviation (over n), of the number of edges from the root to the leaves."""
    tree = _tree(scored)
    depths = tree.depths[: tree.n]
    if statistic == "mean":
        return float(depths.mean())
    return float(depths.std())


def lower_leaves(scored: Scored) -> float:
    """|L_s(T)|: pairs of sibling leaves; in a nonbinary tree, nodes with only leaves below.

    It is the largest K-tilde that a cut can have (section 3).
    """
    tree = _tree(scored)
    has_inner = np.zeros(tree.n_nodes, np.bool_)
    has_inner[tree.parent[tree.n : -1]] = True
    return float((~has_inner[tree.n :]).sum())


def k_tilde(scored: Scored) -> float:
    """K-tilde(T, c): the number of leaves of the tree of the nodes at and above the cut.

    Its nodes are those above the cut and those of its lower boundary, excluding the leaves of T
    (section 3). It is at most the number of clusters, and equals the number of paths that WDP
    searches.

    Raises
    ------
    NotApplicableError
        If the result is not a cut of the tree.
    """
    tree = _tree(scored)
    below = _below_cut(tree, scored.result)
    # The nodes of that tree: inner nodes whose parent is above the cut, and the root.
    is_inner = np.arange(tree.n_nodes) >= tree.n
    is_node = ~below[tree.parent] & is_inner
    is_node[tree.root] = tree.n > 1
    # Its leaves are those without a child that is a node of it.
    has_child = np.zeros(tree.n_nodes, np.bool_)
    has_child[tree.parent[:-1][is_node[:-1]]] = True
    return float((is_node & ~has_child).sum())


def excess_risk(
    scored: Scored,
    *,
    against: Literal["truth", "answers"] = "truth",
    K: int | None = None,  # noqa: N803
) -> float:
    """Clustering error minus that of the best cut of the same tree.

    Equation (2) of the paper for uniform pairs, over all n^2 of them: (d_H(Sigma, C) -
    min d_H(Sigma, C(c))) / n^2.

    Parameters
    ----------
    against : {"truth", "answers"}
        Sigma is that of the true clusters, or the answers of the oracle including persistent noise;
        for noise drawn anew for each answer, the expected answers.
    K : int, optional
        The maximum number of clusters of the best cut. A result with more clusters may be better.

    Returns
    -------
    float
        O(n log n); with answers, an additional O(1) for each pair whose answer contradicts the true
        clusters.

    Raises
    ------
    NotApplicableError
        If there is no tree, the result is not a partition, or the answers are not available.
    """
    if scored.problem.tree is None or not isinstance(scored.result, Partition):
        raise NotApplicableError("excess-risk is defined for cuts of a given tree")
    tree = scored.problem.tree
    if against == "truth":
        sigma = AnswerMatrix(finest_partition(scored.problem))
    else:
        sigma = scored.answer_matrix
    best = heaviest_within(tree, sigma.pair_weights(tree), K).partition
    return 2.0 * (sigma.disagreements(scored.result) - sigma.disagreements(best)) / tree.n**2


def _tree(scored: Scored) -> Tree:
    """The tree that was cut, or the resulting tree."""
    if isinstance(scored.result, Tree):
        return scored.result
    tree = scored.problem.tree
    if tree is None:
        raise NotApplicableError("this metric describes the tree that was cut, and there is none")
    return tree


def _below_cut(tree: Tree, result: object) -> NDArray[np.bool_]:
    """Whether each node (m,) is at or below the cut: whether one cluster has all its leaves."""
    if not isinstance(result, Partition):
        raise NotApplicableError("the result is a hierarchy, not a cut of one")
    # The leaves below a node are next to each other in the leaf order: they are in one cluster if
    # the label does not change between the first and the last of them.
    changes = np.diff(result.labels[tree.leaf_order]) != 0
    changes_before = np.concatenate(([0], np.cumsum(changes)))
    start, end = tree.leaf_range
    below = changes_before[start] == changes_before[end - 1]
    # The highest of these nodes, one for each cluster if the clusters are a cut.
    is_parent_above = ~below[tree.parent]
    is_parent_above[tree.root] = True
    if int((below & is_parent_above).sum()) != result.n_clusters:
        raise NotApplicableError("the clusters are not a cut of the tree")
    return np.asarray(below)
