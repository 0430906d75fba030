"""Objectives of a hierarchy that use dissimilarities: of vectors, or from similarities.

As in `objectives`, they need only the sum that each node merges; a correlation also needs the sum
of squares of the dissimilarities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hcbench import HeightKind, NotApplicableError, Problem
from hcbench.model import without_offsets
from hcbench_metrics import _objective_kernels as _kernels
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.node_sums import merged_pairs, sums_below
from hcbench_metrics.objectives import merged_similarity
from hcbench_metrics.pair_rows import (
    check_not_parallel,
    check_squares,
    directions,
    distance_rows,
    stored_entries,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from hcbench import Scored, Tree
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]

#: Floats in the means of a block of columns, or in a block of a Gram matrix: 32 MB.
_BLOCK_SIZE = 1 << 22

#: Distances whose sums follow from sizes, means and sums of squared deviations.
_BY_MEANS = ("cosine", "sqeuclidean")

_NO_DATA = "this data set has neither similarities nor vectors"

#: Relative differences below this are rounding errors.
_ROUNDING = 1e-12


def cohen_addad(scored: Scored, metric: str = "cosine", offset: float | None = None) -> float:
    """Value of a hierarchy by dissimilarities, of Cohen-Addad et al.; higher is better.

    ``val(T) = sum over unordered pairs {i, j} of d_ij |leaves(lca(i, j))|``

    (Cohen-Addad, Kanade, Mallmann-Trenn & Mathieu 2019.) Pairs of large dissimilarity should merge
    in large clusters. With d = 1 every binary tree of n items has (n^3 - n) / 3. Tied
    dissimilarities need no rule. A node of several children counts its size for every pair that it
    merges, so a star has the largest value of all, n times the sum of the dissimilarities: compare
    only binary trees. One item has 0, two have 2 d_12.

    Parameters
    ----------
    scored : Scored
        The result must be a tree; its heights are not used.
    metric : str
        Distance of vectors, where the data set has no similarities: as in scipy's ``pdist``.
    offset : float, optional
        Where the data set has similarities w: ``d_ij = offset - w_ij``. By default the largest
        similarity of any pair, the smallest offset without negative dissimilarities. For binary
        trees another offset only adds a constant.

    Returns
    -------
    float
        In units of the dissimilarity. Time and memory as `merged_dissimilarity`.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there are neither similarities nor vectors, or a distance is
        not defined.
    """
    tree = scored.tree
    return float(tree.sizes @ merged_dissimilarity(tree, scored.problem, metric, offset))


def cohen_addad_normalised(
    scored: Scored, metric: str = "cosine", offset: float | None = None
) -> float:
    """Value by dissimilarities on a scale that does not depend on n; higher is better.

    ``(val - 2 D) / ((n - 2) D)`` with ``D = sum of d_ij over unordered pairs``

    0 if every pair merges in a cluster of two, 1 if every pair merges at the root, as in a star;
    both are bounds if no dissimilarity is negative. 2/3 is the expectation of a random binary tree
    (see `dasgupta_normalised`). Up to two items: 1.

    Parameters
    ----------
    scored, metric, offset
        As in `cohen_addad`.

    Returns
    -------
    float
        Without unit. Time and memory as `merged_dissimilarity`.

    Raises
    ------
    NotApplicableError
        As `cohen_addad`, and if the dissimilarities do not sum to more than 0.
    """
    tree = scored.tree
    problem = scored.problem
    merged = merged_dissimilarity(tree, problem, metric, offset)
    if tree.n <= 2:
        return 1.0
    _check_cosines(problem, metric)
    total = float(merged.sum())
    if total <= 0:
        raise NotApplicableError(
            f"the normalised value needs dissimilarities with a positive sum, which here is "
            f"{total:g}; use the metric cohen-addad, or another offset"
        )
    return float((tree.sizes - 2) @ merged) / ((tree.n - 2) * total)


def cophenetic_correlation(scored: Scored, metric: str = "euclidean") -> float:
    """Cophenetic correlation coefficient (CPCC) with the distances of the data; higher is better.

    Pearson's correlation, over unordered pairs {i, j}, of d_ij and the height of lca(i, j) (Sokal &
    Rohlf 1962), as computed by `scipy.cluster.hierarchy.cophenet`. If the data set has similarities
    w, ``d = -w``, and the sign of heights that are affinities is reversed: a correlation does not
    depend on the offset. Heights need not be monotone, ties need no rule, and heights of leaves are
    ignored.

    Parameters
    ----------
    scored : Scored
        The result must be a tree whose heights are distances or affinities.
    metric : str
        Distance of vectors, where the data set has no similarities: as in scipy's ``pdist``.

    Returns
    -------
    float
        In [-1, 1]. Time and memory as `merged_dissimilarity`; for cosine and sqeuclidean, an
        additional O(n p min(n, p)) time for dense vectors, and a product of all rows for sparse
        ones.

    Raises
    ------
    NotApplicableError
        If the result is a partition or its heights are missing, only an order, or infinite; if all
        heights, or all distances, are equal, as for up to two items; as `cohen_addad`.
    """
    tree = scored.tree
    height = _cophenetic_heights(tree)
    _check_cosines(scored.problem, metric)
    sums = _sums_of_distances(tree, scored.problem, metric)
    # All pairs that merge at one node have its height, so sums over the nodes are enough.
    pairs = merged_pairs(tree)[tree.n :]
    n_pairs = pairs.sum()
    mean = sums.merged.sum() / n_pairs
    spread = sums.squares - n_pairs * mean**2
    rounding = _ROUNDING * (abs(sums.center) + abs(mean))
    if spread <= max(_ROUNDING * sums.squares, n_pairs * rounding**2):
        raise NotApplicableError("all distances are equal; the correlation is not defined")
    centered_height = height - pairs @ height / n_pairs
    height_spread = pairs @ centered_height**2
    if height_spread <= n_pairs * (_ROUNDING * np.abs(height).max()) ** 2:
        raise NotApplicableError("all merge heights are equal; the correlation is not defined")
    products = centered_height @ (sums.merged[tree.n :] - pairs * mean)
    return float(np.clip(products / np.sqrt(spread * height_spread), -1, 1))


def _check_cosines(problem: Problem, metric: str) -> None:
    """A proportion of rounding errors means nothing."""
    if problem.similarity is None and problem.vectors is not None and metric == "cosine":
        check_not_parallel(problem.vectors)


def _cophenetic_heights(tree: Tree) -> Floats:
    """Heights (m - n,) of the inner nodes, negated if they are affinities."""
    if tree.height is None or tree.kind is HeightKind.ORDER:
        has = "are missing"
        if tree.height is not None:
            has = "give only the order of merging"
        raise NotApplicableError(
            "a cophenetic correlation needs merge heights that are distances or similarities; "
            f"those of this tree {has}"
        )
    height = tree.height[tree.n :]
    if not np.isfinite(height).all():
        raise NotApplicableError("the correlation is not defined for infinite merge heights")
    if tree.n <= 2:
        raise NotApplicableError("the correlation is not defined for one or two items")
    if tree.kind is HeightKind.AFFINITY:
        return -height
    return height


# ---- Sums at each node ---------------------------------------------------------------------------


class _Sums(NamedTuple):
    """Sums of d - center over pairs, which lose fewer digits than those of the distances d."""

    #: (m,) float64. Over the pairs that merge at each node.
    merged: Floats
    #: Of the squares, over all pairs.
    squares: float
    center: float


def merged_dissimilarity(tree: Tree, problem: Problem, metric: str, offset: float | None) -> Floats:
    """Sum of the dissimilarities of the pairs that each node merges.

    Parameters
    ----------
    tree : Tree
    problem : Problem
        Its similarity matrix is used, else its vectors.
    metric, offset
        As in `cohen_addad`.

    Returns
    -------
    (m,) array
        0 for leaves. From vectors, squared Euclidean and cosine distances take O(n p) time, or
        O(n log n + nnz) if sparse, and O(n + p) memory besides a copy of the vectors: the sums
        between two clusters follow from sizes, means and sums of squared deviations. A matrix takes
        O(n^2) time, other distances O(n^2 p), neither with an additional matrix.
    """
    if problem.similarity is not None:
        pairs = merged_pairs(tree)
        if offset is None:
            offset = largest_of_pairs(problem.similarity)
        return offset * pairs - merged_similarity(tree, problem, "")
    if problem.vectors is None:
        raise NotApplicableError(_NO_DATA)
    if metric in _BY_MEANS:
        vectors, factor = _as_squares(problem.vectors, metric)
        return _merged_squares(tree, vectors, factor)
    sums = _sums_of_rows(tree, problem.vectors, metric)
    return sums.merged + sums.center * merged_pairs(tree)


def _sums_of_distances(tree: Tree, problem: Problem, metric: str) -> _Sums:
    if problem.similarity is not None:
        # The distance is -w; its center is the mean of all pairs.
        merged = -merged_similarity(tree, problem, "")
        pairs = merged_pairs(tree)
        center = float(merged.sum() / pairs.sum())
        squares = _squares_of_matrix(problem.similarity, -center)
        return _Sums(merged - center * pairs, squares, center)
    if problem.vectors is None:
        raise NotApplicableError(_NO_DATA)
    if metric != "cosine":
        check_squares(problem.vectors)
    if metric not in _BY_MEANS:
        return _sums_of_rows(tree, problem.vectors, metric)
    vectors, factor = _as_squares(problem.vectors, metric)
    squares = factor**2 * _fourth_powers(vectors)
    return _Sums(_merged_squares(tree, vectors, factor), squares, 0.0)


def largest_of_pairs(matrix: NDArray[np.floating]) -> float:
    """The largest entry that is not on the diagonal; 0 if there is none."""
    n = len(matrix)
    if n < 2:
        return 0.0
    # Without its last entry and in rows of n + 1, a matrix has its diagonal in the first column.
    flat = np.ascontiguousarray(matrix).ravel()[:-1].reshape(n - 1, n + 1)
    return float(flat[:, 1:].max())


def _squares_of_matrix(matrix: NDArray[np.floating], mean: float) -> float:
    """Sum of ``(w - mean)^2`` over the unordered pairs. O(n^2) time, O(1) rows of memory."""
    n = len(matrix)
    width = max(1, _BLOCK_SIZE // n)
    total = 0.0
    for first in range(0, n, width):
        block = matrix[first : first + width] - np.float64(mean)
        total += float(np.vdot(block, block))
    return (total - float(((matrix.diagonal() - np.float64(mean)) ** 2).sum())) / 2


def _sums_of_rows(tree: Tree, vectors: Vectors, metric: str) -> _Sums:
    """The sums of any distance, pair by pair."""
    arrays = arrays_of(tree)
    merged = np.zeros(tree.n_nodes)
    squares = 0.0
    center = 0.0
    for first, rows in distance_rows(tree, vectors, metric):
        if first == 0:
            center = float(rows[0, -1])  # close enough to the mean to avoid cancellation
        squares += _kernels.add_rows(arrays, first, rows, center, merged)
    return _Sums(merged - center * merged_pairs(tree), squares, center)


# ---- Squared distances, by means -----------------------------------------------------------------


def _as_squares(vectors: Vectors, metric: str) -> tuple[Vectors, float]:
    """Vectors, and the factor by which their squared Euclidean distances give the distances.

    ``1 - cos(x, y) = |u - v|^2 / 2`` for the unit vectors u and v.
    """
    factor = 1.0
    if metric == "cosine":
        vectors = directions(vectors)
        factor = 0.5
    if isinstance(vectors, np.ndarray):
        return vectors, factor
    return without_offsets(vectors), factor


def _merged_squares(tree: Tree, vectors: Vectors, factor: float) -> Floats:
    """``factor`` times the squared Euclidean distances, summed over the pairs of each node."""
    if not isinstance(vectors, np.ndarray):
        return factor * _merged_squares_of_sparse(tree, vectors)
    merged = np.zeros(tree.n_nodes)
    width = max(1, _BLOCK_SIZE // tree.n_nodes)
    for first in range(0, vectors.shape[1], width):
        block = vectors[:, first : first + width]
        means = np.zeros((tree.n_nodes, block.shape[1]))
        means[: tree.n] = block
        # Leaves are clusters of one item, and inner nodes are still empty.
        count = (np.arange(tree.n_nodes) < tree.n).astype(np.int64)
        _kernels.add_squared_distances(tree.parent, means, np.zeros(tree.n_nodes), count, merged)
    return factor * merged


def _merged_squares_of_sparse(tree: Tree, vectors: sparse.csr_array) -> Floats:
    """Uses ``|x - y|^2 = |x|^2 + |y|^2 - 2 <x, y>`` of vectors without offsets."""
    # Over all pairs below a node, |x|^2 + |y|^2 sums to its size times the sum of |x|^2.
    weighted = tree.sizes * sums_below(tree, _row_squares(vectors))
    products = merged_similarity(tree, Problem(n=tree.n, vectors=vectors), "dot")
    merged: Floats = weighted - 2 * products
    np.subtract.at(merged, tree.parent[:-1], weighted[:-1])
    merged[: tree.n] = 0
    return merged


def _row_squares(vectors: Vectors) -> Floats:
    doubles = vectors.astype(np.float64, copy=False)
    return np.asarray((doubles * doubles).sum(axis=1)).ravel()


def _fourth_powers(vectors: Vectors) -> float:
    """Sum of ``|x - y|^4`` over the unordered pairs of rows.

    With a = |x|^2, b = |y|^2 and g = <x, y> it is that of ``(a + b - 2 g)^2``, over ordered pairs
    ``2 n sum a^2 + 2 (sum a)^2 + 4 sum g^2 - 8 sum over x of a <x, sum of all>``.
    """
    if isinstance(vectors, np.ndarray):
        vectors = vectors.astype(np.float64)
        vectors -= vectors.mean(axis=0)  # keeps all distances, and avoids cancellation
    squares = _row_squares(vectors)
    total = np.asarray(vectors.sum(axis=0), dtype=np.float64).ravel()
    ordered = (
        2 * len(squares) * (squares @ squares)
        + 2 * squares.sum() ** 2
        + 4 * _gram_squares(vectors)
        - 8 * (squares @ (vectors @ total))
    )
    return float(ordered) / 2


def _gram_squares(vectors: Vectors) -> float:
    """Sum of the squared dot products of all ordered pairs of rows; the same for columns."""
    n, p = vectors.shape
    if isinstance(vectors, np.ndarray) and p < n:
        vectors = vectors.T
        n = p
    width = max(1, _BLOCK_SIZE // n)
    total = 0.0
    for first in range(0, n, width):
        block: Any = vectors[first : first + width] @ vectors.T
        values = stored_entries(block).ravel()
        total += float(values.astype(np.float64) @ values)
    return total
