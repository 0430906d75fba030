"""Information about a similarity graph in a hierarchy: divergence of edges from pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError
from hcbench_metrics import _objective_kernels as _kernels
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.node_sums import sums_below, without_children
from hcbench_metrics.objectives import merged_similarity
from hcbench_metrics.pair_rows import directions, similarity_rows, stored_entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Problem, Scored, Tree

    Floats = NDArray[np.float64]


def tree_sampling_divergence(
    scored: Scored,
    similarity: str = "cosine",
    weights: str = "degree",
    normalised: bool = True,
    self_pairs: str = "parent",
) -> float:
    """Tree sampling divergence of a hierarchy of a weighted graph; higher is better.

    ``sum over nodes v of p(v) log(p(v) / q(v))``

    where p(v) is the probability that v is the lowest common ancestor of an edge drawn in
    proportion to its weight w_ij, and q(v) that of two items drawn independently: the
    Kullback-Leibler divergence of the two (Charpentier & Bonald 2019), in nats. The normalised
    value is divided by the divergence of the edges from the pairs, and is the proportion that the
    tree retains, in [0, 1]. The diagonal of the similarities (loops of the graph) is ignored. Ties
    and nodes of several children need no rule. A star and two items have 0, unless
    ``self_pairs="leaf"``.

    For a binary tree it is scikit-network's `tree_sampling_divergence`, in which loops are edges.

    Parameters
    ----------
    scored : Scored
        The result must be a tree; its heights are not used.
    similarity : {"cosine", "dot"}
        Similarity of vectors, where the data set has none. No weight may be negative.
    weights : {"degree", "uniform"}
        Items are drawn in proportion to the sum of their weights, or uniformly.
    normalised : bool
        Whether the value is divided by the divergence of the edges from the pairs.
    self_pairs : {"parent", "leaf"}
        Node of the pair of an item with itself, which is not an edge: the parent at which the item
        is merged, or its leaf, which then has only this contribution to q.

    Returns
    -------
    float
        O(n^2) time for a matrix, O(n^2 p) for vectors, without an additional matrix. As
        `merged_similarity` if not normalised, for dot products or cosines of nonnegative vectors.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there are neither similarities nor vectors, a weight is
        negative, or all are 0, as of one item.
    """
    tree = scored.tree
    merged, degree, information = _weights(tree, scored.problem, similarity, normalised)
    total = 2 * float(merged.sum())  # of ordered pairs
    if total <= 0:
        raise NotApplicableError("tree sampling divergence needs a positive similarity; all are 0")
    share = degree / total
    item_probability = share
    if weights == "uniform":
        item_probability = np.full(tree.n, 1 / tree.n)
    # Of the lowest common ancestor of an edge, and of two items.
    p = 2 * merged / total
    q = _sampled_pairs(tree, item_probability, self_pairs)
    is_possible = p > 0
    p = p[is_possible]
    divergence = float(p @ np.log(p / q[is_possible]))
    if not normalised:
        return max(0.0, divergence)
    # Of the edges from the pairs: sum p_ij log(p_ij / (pi_i pi_j)), where p_ij = w_ij / total.
    has_edges = share > 0
    of_items = 2 * share[has_edges] @ np.log(item_probability[has_edges])
    largest = 2 * information / total - np.log(total) - of_items
    return float(np.clip(divergence / largest, 0, 1))


def _weights(
    tree: Tree, problem: Problem, rule: str, normalised: bool
) -> tuple[Floats, Floats, float]:
    """Weights merged at each node (m,), of each item (n,), and the sum of w log w over pairs."""
    if not normalised and _is_never_negative(problem):
        assert problem.vectors is not None
        vectors = problem.vectors
        if rule == "cosine":
            vectors = directions(vectors)
        vectors = vectors.astype(np.float64, copy=False)
        # The similarities of an item with all, and with itself, without a matrix.
        total = np.asarray(vectors.sum(axis=0, dtype=np.float64)).ravel()
        squares = np.asarray((vectors * vectors).sum(axis=1), dtype=np.float64).ravel()
        return merged_similarity(tree, problem, rule), vectors @ total - squares, 0.0
    merged = np.zeros(tree.n_nodes)
    degree = np.zeros(tree.n)
    information = 0.0
    arrays = arrays_of(tree)
    for first, rows in similarity_rows(tree, problem, rule):
        of_rows, lowest = _kernels.add_weights(arrays, first, rows, merged, degree)
        if lowest < 0:
            raise NotApplicableError(
                f"tree sampling divergence needs similarities >= 0; the smallest is {lowest:g}"
            )
        information += of_rows
    return merged, degree, information


def _is_never_negative(problem: Problem) -> bool:
    """Whether no entry of the vectors is negative, so that no dot product or cosine is."""
    if problem.similarity is not None or problem.vectors is None:
        return False
    entries = np.asarray(stored_entries(problem.vectors))
    return bool(entries.min(initial=0.0) >= 0)


def _sampled_pairs(tree: Tree, items: Floats, self_pairs: str) -> Floats:
    """Probability (m,) that v is the lowest common ancestor of two items drawn independently."""
    both_below = sums_below(tree, items) ** 2
    both_below[: tree.n] = items**2
    if self_pairs == "parent":
        both_below[: tree.n] = 0.0
    # Pairs that are below one child have a lower common ancestor.
    return without_children(tree, both_below)
