"""Errors of the affinities and distances of the true vertices, estimated from the data.

In the model of Gray et al. 2023 the observations are the leaves of the true tree, the parent of
leaf i is the vertex Z_i from which it was drawn, and heights of inner nodes are ``h(v) = alpha(v,
v)``, so that ``alpha(Z_i, Z_j)``, i != j, is the height of the lowest common ancestor (lemma 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hcbench import HeightKind, NotApplicableError, ParameterError
from hcbench.model import unit_rows
from hcbench_vectors.components import principal_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hcbench import Problem, Scored, Tree
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]

#: Affinities in one block: 32 MB.
_BLOCK_SIZE = 1 << 22

#: Largest number of vertices for which the rank of the affinities is computed.
MOST_VERTICES = 2048


def affinity_error(scored: Scored, estimate: str = "data", r: int | None = None) -> float:
    """Largest error of a pair's estimated affinity; lower is better.

    ``max over i != j of |alpha(Z_i, Z_j) - alphahat(i, j)|`` (Gray et al. 2023, theorem 2, and 3
    for cosines). It is a property of the data: the result is not used.

    Parameters
    ----------
    scored : Scored
        The problem must have vectors and a truth whose heights are affinities.
    estimate : {"data", "pca", "cosine"}
        ``<Y_i, Y_j> / p``; ``<zeta_i, zeta_j> / p`` with the scores zeta of the first ``r``
        principal components, not centred; or ``<Y_i, Y_j> / (|Y_i| |Y_j|)``, which estimates
        affinities if h(Z_i) = 1 (equation 29).
    r : int, optional
        For estimate="pca"; by default the rank of the matrix of affinities between the vertices,
        as in assumption A6.

    Returns
    -------
    float
        In the square of the vectors' unit. O(n^2 p) time, or O(n^2 r) for pca, and the memory of
        blocks of 32 MB plus the vectors; never n x n. For pca also those of `principal_scores`.

    Raises
    ------
    NotApplicableError
        If there are no vectors, no affinities as heights, or only one item.
    ParameterError
        If r exceeds n or p, or is not given and the truth has more than 2048 vertices.
    DataError
        If a row is zero, for cosines.
    """
    truth = _truth(scored.problem)
    error = 0.0
    for block in _blocks_of_pairs(scored.problem, truth, estimate, r):
        error = max(error, _largest_difference(block.true, block.estimated))
    return error


def merge_distortion_slack(scored: Scored, estimate: str = "data", r: int | None = None) -> float:
    """Affinity error minus merge distortion; by theorem 1 not negative.

    ``max |alpha(Z_i, Z_j) - alphahat(i, j)| - max |m(Z_i, Z_j) - mhat(i, j)|`` over i != j. It is
    at least 0, up to rounding, if the first term is less than b/2 and the result is that of
    algorithm 1 for these alphahat (Gray et al. 2023, theorem 1 and equation 5).

    b is the smallest difference of height between an inner node of the truth and its parent, where
    nodes of equal height are united; infinite if the root is the only one. The paper's b also
    includes vertices with no observation or only one, which are not nodes of the truth; the proof
    does not need them.

    Parameters
    ----------
    scored : Scored
        As of `affinity_error`; the result must be a tree whose heights are affinities.
    estimate, r
        As in `affinity_error`, matching the input of the algorithm.

    Returns
    -------
    float
        As `affinity_error`.

    Raises
    ------
    NotApplicableError
        As `affinity_error`; if the result has no affinities as heights; and if the affinity error
        is not less than b/2, so that the theorem does not apply.
    ParameterError, DataError
        As `affinity_error`.
    """
    truth = _truth(scored.problem)
    tree = scored.tree
    _affinities(tree, "the result")
    error = 0.0
    distortion = 0.0
    for block in _blocks_of_pairs(scored.problem, truth, estimate, r):
        error = max(error, _largest_difference(block.true, block.estimated))
        merged = tree.merge_height(block.rows[:, None], block.columns)
        distortion = max(distortion, _largest_difference(block.true, merged))
    branch = shortest_branch(truth)
    if not error < branch / 2:
        raise NotApplicableError(
            f"theorem 1 needs an affinity error below half the shortest branch, {branch / 2:.3g}; "
            f"it is {error:.3g}"
        )
    return error - distortion


def negative_affinity(scored: Scored, estimate: str = "data", r: int | None = None) -> float:
    """How far the least estimated affinity of a pair is below 0; lower is better.

    ``max(0, -min over i != j of alphahat(i, j))``. True affinities are not negative (lemma 3 of
    Gray et al. 2023), so that it is at most the affinity error, and what exceeds sampling error
    shows that the data are not from their model (appendix E). The result is not used.

    Parameters
    ----------
    scored : Scored
        The problem must have vectors and a truth whose heights are affinities.
    estimate : {"data", "pca", "cosine"}
        As for `affinity_error`.
    r : int, optional
        As for `affinity_error`.

    Returns
    -------
    float
        As `affinity_error`.

    Raises
    ------
    NotApplicableError, ParameterError, DataError
        As `affinity_error`.
    """
    truth = _truth(scored.problem)
    least = 0.0
    for block in _blocks_of_pairs(scored.problem, truth, estimate, r):
        np.fill_diagonal(block.estimated, np.inf)
        least = min(least, float(block.estimated.min()))
    return abs(least)


def height_inversion(scored: Scored, estimate: str = "data", r: int | None = None) -> float:
    """How far a node's mean affinity is below that of its parent; lower is better.

    The height of a node is the mean of ``alphahat(i, j)`` over the pairs i, j that it merges, as
    algorithm 1 of Gray et al. 2023 has it (lemma 4), whatever heights the result has. The largest
    ``hhat(parent of v) - hhat(v)`` over inner nodes v but the root; 0 if none is positive, as by
    proposition 1 for the result of algorithm 1 on any symmetric affinities.

    Parameters
    ----------
    scored : Scored
        The problem must have vectors and a truth whose heights are affinities.
    estimate : {"data", "pca", "cosine"}
        As for `affinity_error`.
    r : int, optional
        As for `affinity_error`.

    Returns
    -------
    float
        As `affinity_error`.

    Raises
    ------
    NotApplicableError, ParameterError, DataError
        As `affinity_error`.
    """
    tree = scored.tree
    truth = _truth(scored.problem)
    # Of each node: the sum of the affinities of the pairs that it merges, and their number.
    total = np.zeros(tree.n_nodes)
    count = np.zeros(tree.n_nodes)
    for block in _blocks_of_pairs(scored.problem, truth, estimate, r):
        merged = tree.lca(block.rows[:, None], block.columns)
        # Each pair once.
        is_pair = block.rows[:, None] < block.columns
        total += np.bincount(merged[is_pair], block.estimated[is_pair], tree.n_nodes)
        count += np.bincount(merged[is_pair], minlength=tree.n_nodes)
    inner = np.arange(tree.n, tree.n_nodes)
    height = np.full(tree.n_nodes, np.inf)
    height[inner] = total[inner] / count[inner]
    has_parent = tree.parent[inner] >= 0
    below_root = inner[has_parent]
    inversion = height[tree.parent[below_root]] - height[below_root]
    return float(inversion.max(initial=0.0))


def vertex_distance_error(scored: Scored) -> float:
    """Largest error of the estimated distance of two vertices; lower is better.

    ``max over u != v of |d(u, v) - dhat(u, v)|`` with ``d(u, v) = h(u) + h(v) - 2 h(w)``, w their
    lowest common ancestor, which is ``E |X(u) - X(v)|^2 / p`` by lemma 1 of Gray et al. 2023.

    ``p dhat(u, v) = s(u, u) + s(v, v) - 2 s(u, v)``, where s(u, v) is the mean of <Y_i, Y_j> over i
    drawn from u and j from v, i != j. As the noise of different observations is independent with
    mean 0, dhat is unbiased; |mean of u - mean of v|^2 is biased by the variance of the means. Only
    vertices with at least two observations are compared. The result is not used.

    Parameters
    ----------
    scored : Scored
        The problem must have vectors and a truth whose heights are affinities.

    Returns
    -------
    float
        In the square of the vectors' unit. O(n p + K^2 p) time, O(K p + K^2) memory for K vertices.

    Raises
    ------
    NotApplicableError
        If there are no vectors, no affinities as heights, or fewer than two such vertices.
    """
    truth = _truth(scored.problem)
    vectors = _vectors(scored.problem)
    height = _affinities(truth, "the truth")
    vertices, class_of, size = np.unique(
        truth.parent[: truth.n], return_inverse=True, return_counts=True
    )
    is_compared = size > 1
    if is_compared.sum() < 2:
        raise NotApplicableError("two vertices with at least two observations each are needed")
    estimated = _estimated_distances(vectors, class_of, size)
    estimated = estimated[np.ix_(is_compared, is_compared)]
    # d(u, v) = h(u) + h(v) - 2 h(w).
    vertices = vertices[is_compared]
    joined = height[truth.lca(vertices[:, None], vertices)]
    true = np.add.outer(height[vertices], height[vertices]) - 2 * joined
    return _largest_difference(true, estimated)


def _estimated_distances(
    vectors: Vectors, class_of: NDArray[np.int64], size: NDArray[np.int64]
) -> Floats:
    """``dhat`` (K, K) of all vertices; that of a vertex of one observation is not a number."""
    if isinstance(vectors, np.ndarray):
        # Distances do not depend on the origin, and dot products far from it lose their digits.
        vectors = vectors - vectors.mean(axis=0)
    count = size.astype(np.float64)
    dots, squares = _dots_of_sums(vectors, class_of)
    # s(u, u) is over different items.
    with np.errstate(divide="ignore", invalid="ignore"):
        within = (np.diag(dots) - squares) / (count * (count - 1))
    between = dots / np.outer(count, count)
    distances: Floats = (np.add.outer(within, within) - 2 * between) / vectors.shape[1]
    return distances


def _dots_of_sums(vectors: Vectors, class_of: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Dot products (K, K) of the classes' sums of vectors; sums (K,) of squared lengths."""
    from scipy import sparse

    n = class_of.size
    members = sparse.csr_array((np.ones(n), (class_of, np.arange(n))))
    sums: Any = members @ vectors
    dots: Any = sums @ sums.T
    if not isinstance(dots, np.ndarray):
        dots = dots.toarray()
    squares = np.asarray((vectors * vectors).sum(axis=1), dtype=np.float64).ravel()
    squares_of_class = np.bincount(class_of, weights=squares).astype(np.float64)
    return np.asarray(dots, dtype=np.float64), squares_of_class


# ---- Pairs of items ------------------------------------------------------------------------------


class _Block(NamedTuple):
    """Affinities of the pairs of some items with these and all later ones."""

    #: (b,) int64. The items of the rows, one after the other.
    rows: NDArray[np.int64]
    #: (m,) int64. Those of the columns, from the first row on: the diagonal is no pairs.
    columns: NDArray[np.int64]
    #: (b, m) float64. alpha of the vertices from which they were drawn.
    true: Floats
    #: (b, m) float64. alphahat.
    estimated: Floats


def _blocks_of_pairs(
    problem: Problem, truth: Tree, estimate: str, r: int | None
) -> Iterator[_Block]:
    """True and estimated affinities of all pairs, a block at a time."""
    n = truth.n
    if n == 1:
        raise NotApplicableError("affinities need at least two items")
    points, scale = _points(problem, truth, estimate, r)
    height = _affinities(truth, "the truth")
    # Affinities of vertices, which are fewer than items.
    vertex = truth.parent[:n]
    vertices, class_of = np.unique(vertex, return_inverse=True)
    size = max(1, _BLOCK_SIZE // n)
    for first in range(0, n, size):
        rows = np.arange(first, min(n, first + size))
        columns = np.arange(first, n)
        of_vertices = height[truth.lca(vertex[rows][:, None], vertices)]
        dots: Any = points[rows] @ points[columns].T
        if not isinstance(dots, np.ndarray):
            dots = dots.toarray()
        yield _Block(
            rows=rows,
            columns=columns,
            true=of_vertices[:, class_of[columns]],
            estimated=np.asarray(dots, dtype=np.float64) * scale,
        )


def _points(problem: Problem, truth: Tree, estimate: str, r: int | None) -> tuple[Vectors, float]:
    """Vectors (n, q), and the factor that makes their dot products estimates of affinities."""
    vectors = _vectors(problem)
    if estimate == "cosine":
        return unit_rows(vectors), 1.0
    scale = 1.0 / vectors.shape[1]
    if estimate == "data":
        return vectors, scale
    if r is None:
        r = rank_of_affinities(truth)
    return _scores(vectors, r), scale


def rank_of_affinities(truth: Tree, most_vertices: int = MOST_VERTICES) -> int:
    """Rank of the affinities between the vertices from which observations are drawn.

    Parameters
    ----------
    truth : Tree
    most_vertices : int
        The largest number of vertices for which it is computed.

    Raises
    ------
    ParameterError
        If there are more.
    """
    vertices = np.unique(truth.parent[: truth.n])
    if vertices.size > most_vertices:
        raise ParameterError(
            f"the rank of the affinities of {vertices.size} vertices is not computed; set r"
        )
    height = _affinities(truth, "the truth")
    return int(np.linalg.matrix_rank(height[truth.lca(vertices[:, None], vertices)]))


def _scores(vectors: Vectors, r: int) -> Vectors:
    """Scores (n, r) of the first principal components, not centred: see `principal_scores`."""
    most = min(vectors.shape)
    if r > most:
        raise ParameterError(f"r must be at most min(n, p) = {most}, got {r}")
    if r == most:
        return vectors
    return principal_scores(vectors.astype(np.float64, copy=False), r)


def _largest_difference(true: Floats, estimated: Floats) -> float:
    """Largest difference, excluding the diagonal."""
    difference = np.abs(true - estimated)
    np.fill_diagonal(difference, 0.0)
    return float(difference.max())


def shortest_branch(truth: Tree) -> float:
    """The least difference of heights between an inner node and its parent, without ties."""
    resolved = truth.collapse_ties()
    height = _affinities(resolved, "the truth")
    inner = np.arange(resolved.n, resolved.root)
    return float((height[inner] - height[resolved.parent[inner]]).min(initial=np.inf))


# ---- Inputs --------------------------------------------------------------------------------------


def _truth(problem: Problem) -> Tree:
    _affinities(problem.truth, "the truth")
    return problem.truth


def _affinities(tree: Tree, owner: str) -> Floats:
    if tree.height is None or tree.kind is not HeightKind.AFFINITY:
        raise NotApplicableError(
            f"this metric needs merge heights that are affinities; {owner} has none"
        )
    return tree.height


def _vectors(problem: Problem) -> Vectors:
    if problem.vectors is None:
        raise NotApplicableError("affinities are estimated from vectors; this data set has none")
    vectors: Vectors = problem.vectors.astype(np.float64, copy=False)
    return vectors
