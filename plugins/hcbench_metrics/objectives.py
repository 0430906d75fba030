"""Objectives of a hierarchy that use similarities only, without a truth.

All of them are sums over inner nodes v of a function of v's size times the similarity that v
merges, so that `merged_similarity` is the only pass over the data. Objectives of dissimilarities
are in `dissimilarities`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError, similarity_matrix
from hcbench.model import without_offsets
from hcbench_metrics import _kernels, _objective_kernels
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.pair_rows import check_squares, directions, distance_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from hcbench import Problem, Scored, Tree
    from hcbench.model import Vectors

#: Relative to the sum of the absolute values at the nodes, or of dot products to what these can be:
#: a smaller sum is a rounding error.
_ROUNDING = 1e-12

#: Floats in the sums of a block of columns: 32 MB.
_BLOCK_SIZE = 1 << 22


def dasgupta(scored: Scored, similarity: str = "cosine") -> float:
    """Dasgupta's cost of a hierarchy; lower is better.

    ``cost(T) = sum over unordered pairs {i, j} of w_ij |leaves(lca(i, j))|``

    (Dasgupta 2016; Ghoshdastidar et al. 2019, appendix B.2.) With w = 1 every binary tree of n
    items costs (n^3 - n) / 3. Tied similarities need no rule. A node of several children counts its
    size for every pair that it merges. One item costs 0, two cost 2 w_12.

    Parameters
    ----------
    scored : Scored
        The result must be a tree; its heights are not used.
    similarity : {"cosine", "euclidean", "dot", "gaussian"}
        Similarity of vectors where the data set has no matrix: see `hcbench.model.similarity`, and
        `merged_similarity` for "gaussian", whose values are in [0, 1].

    Returns
    -------
    float
        In units of the similarity. Time and memory as `merged_similarity`.

    Raises
    ------
    NotApplicableError
        If the result is a partition, or there are neither similarities nor vectors.
    """
    tree = scored.tree
    return float(tree.sizes @ merged_similarity(tree, scored.problem, similarity))


def dasgupta_normalised(scored: Scored, similarity: str = "cosine") -> float:
    """Dasgupta's cost on a scale that does not depend on the number of items; lower is better.

    ``(cost - 2 W) / (2/3 (n - 2) W)`` with ``W = sum of w_ij over unordered pairs``

    0 is the lower bound 2 W: every pair merges in a cluster of two, which no tree of more than two
    items attains unless most similarities are 0. 1 is the expected cost of a random tree in which
    each triple of items is resolved in each of the three ways with equal probability, as in any
    binary tree whose leaves are permuted at random: lca(i, j) is above i, j and those k for which
    {i, k} or {j, k} is the closer pair instead of {i, j}, each with probability 2/3, so

    ``E |leaves(lca(i, j))| = 2 + 2/3 (n - 2) = 2/3 (n + 1)`` and ``E cost = 2/3 (n + 1) W``.

    A star costs n W, which gives 1.5, the largest value if no similarity is negative. Up to two
    items: 0.

    Parameters
    ----------
    scored, similarity
        As in `dasgupta`.

    Returns
    -------
    float
        Without unit. Time and memory as `merged_similarity`.

    Raises
    ------
    NotApplicableError
        As `dasgupta`, and if the similarities do not sum to more than 0.
    """
    tree = scored.tree
    merged = merged_similarity(tree, scored.problem, similarity)
    if tree.n <= 2:
        return 0.0
    total = _positive_sum(merged, scored.problem, similarity, "cost", "dasgupta")
    return float((tree.sizes - 2) @ merged) / (2 / 3 * (tree.n - 2) * total)


def moseley_wang(scored: Scored, similarity: str = "cosine") -> float:
    """Moseley and Wang's revenue of a hierarchy; higher is better.

    ``rev(T) = sum over unordered pairs {i, j} of w_ij (n - |leaves(lca(i, j))|)``

    (Moseley & Wang 2017.) The dual of Dasgupta's cost: the two sum to ``n W``, with ``W = sum of
    w_ij over unordered pairs``, so they have the same optimal trees, but different approximation
    ratios. Tied similarities need no rule. A pair contributes nothing at the root, so the revenue
    of a star, of one item and of two items is 0.

    Parameters
    ----------
    scored, similarity
        As in `dasgupta`.

    Returns
    -------
    float
        In units of the similarity. Time and memory as `merged_similarity`.

    Raises
    ------
    NotApplicableError
        As `dasgupta`.
    """
    tree = scored.tree
    return float((tree.n - tree.sizes) @ merged_similarity(tree, scored.problem, similarity))


def moseley_wang_normalised(scored: Scored, similarity: str = "cosine") -> float:
    """Moseley and Wang's revenue as a proportion of an upper bound; higher is better.

    ``rev / ((n - 2) W)`` with ``W = sum of w_ij over unordered pairs``

    1 is an upper bound if no similarity is negative: every pair merges in a cluster of two. A star
    has 0. 1/3 is the expectation of a random binary tree, and a lower bound for average linkage
    (Moseley & Wang 2017). `dasgupta_normalised` is 3/2 of the difference to 1. Up to two items: 1.

    Parameters
    ----------
    scored, similarity
        As in `dasgupta`.

    Returns
    -------
    float
        Without unit. Time and memory as `merged_similarity`.

    Raises
    ------
    NotApplicableError
        As `dasgupta`, and if the similarities do not sum to more than 0.
    """
    tree = scored.tree
    merged = merged_similarity(tree, scored.problem, similarity)
    if tree.n <= 2:
        return 1.0
    total = _positive_sum(merged, scored.problem, similarity, "revenue", "moseley-wang")
    return float((tree.n - tree.sizes) @ merged) / ((tree.n - 2) * total)


def _positive_sum(
    merged: NDArray[np.float64], problem: Problem, rule: str, what: str, metric: str
) -> float:
    """The sum over all pairs, if it is more than a rounding error.

    Raises
    ------
    NotApplicableError
        Of the normalised ``what``, which names ``metric`` as the way out.
    """
    total = float(merged.sum())
    largest = float(np.abs(merged).sum())
    if problem.similarity is None and problem.vectors is not None and rule in ("cosine", "dot"):
        # Of orthogonal rows all sums are rounding errors: compare with what they can be.
        squares: float = problem.n
        if rule == "dot":
            squares = float((problem.vectors.astype(np.float64) ** 2).sum())
        largest = max(largest, problem.n * squares / 2)
    if total <= _ROUNDING * largest:
        raise NotApplicableError(
            f"the normalised {what} needs similarities with a positive sum, which here is "
            f"{total:g}; use the metric {metric}, or another similarity"
        )
    return total


def merged_similarity(tree: Tree, problem: Problem, rule: str) -> NDArray[np.float64]:
    """Sum of the similarities of the pairs that each node merges, that is, whose lca it is.

    Parameters
    ----------
    tree : Tree
    problem : Problem
        Its similarity matrix is used, else its vectors.
    rule : {"cosine", "euclidean", "dot", "gaussian"}
        Similarity of vectors. "gaussian" is ``exp(-|x - y|^2 / (2 s^2))``, where s^2 is the mean
        squared distance of the items to their mean: of two random items the exponent is -1 on
        average. It lies in [0, 1], and neither translation nor scale of the vectors changes it.

    Returns
    -------
    (m,) array
        0 for leaves. From vectors, cosine and dot products take O(n p) time, or O(n log n + nnz) if
        sparse, and O(n + p) memory besides a copy of the vectors: the dot products between two
        clusters sum to the dot product of their sums. A matrix takes O(n^2) time and no additional
        memory; the euclidean rule makes one in O(n^2 p), the gaussian rule makes none.
    """
    if problem.similarity is None and problem.vectors is not None and rule == "gaussian":
        return _merged_of_gaussian(tree, problem.vectors)
    if problem.similarity is not None or problem.vectors is None or rule == "euclidean":
        matrix = similarity_matrix(problem, rule)
        return _kernels.merged_of_matrix(arrays_of(tree), matrix)
    vectors = problem.vectors
    if rule == "cosine":
        vectors = directions(vectors)
    if isinstance(vectors, np.ndarray):
        return _merged_of_dense(tree, vectors)
    return _merged_of_sparse(tree, vectors)


def _merged_of_gaussian(tree: Tree, vectors: Vectors) -> NDArray[np.float64]:
    check_squares(vectors)
    arrays = arrays_of(tree)
    merged = np.zeros(tree.n_nodes)
    scatter = _scatter(vectors)
    for first, distances in distance_rows(tree, vectors, "euclidean"):
        if scatter > 0:
            rows = np.exp(-(distances**2) / (2 * scatter))
        else:  # all items are equal
            rows = np.ones_like(distances)
        _objective_kernels.add_rows(arrays, first, rows, 0.0, merged)
    return merged


def _scatter(vectors: Vectors) -> float:
    """Mean squared distance of the rows to their mean."""
    if isinstance(vectors, np.ndarray):
        return float(np.var(vectors, axis=0, dtype=np.float64).sum())
    shifted = without_offsets(vectors)
    squares = float(shifted.multiply(shifted).sum()) / shifted.shape[0]
    return squares - float((np.asarray(shifted.mean(axis=0)) ** 2).sum())


def _merged_of_dense(tree: Tree, vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    merged = np.zeros(tree.n_nodes)
    # Dot products are sums over the columns, so these can be added in blocks.
    width = max(1, _BLOCK_SIZE // tree.n_nodes)
    for first in range(0, vectors.shape[1], width):
        block = vectors[:, first : first + width]
        sums = np.zeros((tree.n_nodes, block.shape[1]))
        sums[: tree.n] = block
        _kernels.add_merged_of_vectors(tree.parent, sums, merged)
    return merged


def _merged_of_sparse(tree: Tree, vectors: sparse.csr_array) -> NDArray[np.float64]:
    columns = vectors[tree.leaf_order].tocsc()
    columns.sum_duplicates()  # also sorts the indices
    items = tree.leaf_order[columns.indices]
    # The last entry has no neighbour and is paired with itself.
    ancestors = tree.lca(items, np.append(items[1:], items[-1:]))
    return _kernels.merged_of_columns(
        columns.indptr.astype(np.int64),
        columns.data.astype(np.float64),
        ancestors,
        tree.n_nodes,
    )
