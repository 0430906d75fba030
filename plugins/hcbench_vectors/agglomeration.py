"""Linkage matrices of distances: by scipy if there are few items, otherwise by compiled kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from hcbench_vectors.distances import (
    condensed_distances,
    distances_of_similarities,
    square_distances,
)
from hcbench_vectors.products import check_size

if TYPE_CHECKING:
    from hcbench import Vectors

    Floats = NDArray[np.float64]

Method: TypeAlias = Literal[
    "average", "weighted", "complete", "single", "centroid", "median", "ward"
]

#: Up to this number of items scipy takes .1 s at most, and no kernel has to be compiled or loaded.
FEW = 2048
#: With more points than this for each of the 2^p cells that halves of the coordinates make,
#: searches in a k-d tree are faster than Prim's algorithm (measured for normal data, p <= 10).
_CROWDED = 64
#: Up to this number distances of centres are computed anew as fast as they are read (n = 6000).
_FEW_COORDINATES = 100
#: These update squared distances.
_CENTRES = ("centroid", "median")


def linkage_of_vectors(
    vectors: Vectors,
    method: Method,
    metric: str,
    algorithm: str,
    names: Sequence[str] | None,
    precision: str = "double",
) -> Floats:
    """The linkage matrix of scipy's `linkage`, ties and rounding included.

    Of centroid and median linkage of more than 2048 items, up to ties and rounding; of single
    linkage of more than 64 2^p dense vectors, up to ties. O(n^2 p) time, except that this case
    takes about O(n log n). Single linkage of dense vectors under euclidean or manhattan, and
    centroid and median linkage of at most 100 coordinates: O(n p) memory. Other linkages of such
    vectors: 8 bytes for each pair, else 16 to 24.

    Parameters
    ----------
    vectors : (n, p) array or csr_array, n > 1
    method
    metric : {"euclidean", "cosine", "manhattan"}
    algorithm, names
        For messages.
    precision : {"double", "single"}
        Of average, weighted and complete linkage of more than 2048 dense vectors under euclidean or
        manhattan: 8 or 4 bytes for each pair. In single precision distances are rounded when they
        are stored, to 6e-8 of their value, so ties may be broken otherwise.

    Raises
    ------
    DataError
        If a row is zero and ``metric`` is cosine, or distances overflow.
    """
    if vectors.shape[0] <= FEW or method == "ward":
        return linkage(condensed_distances(vectors, metric, algorithm, names), method)
    if metric == "cosine" or not isinstance(vectors, np.ndarray):
        return linkage_of_distances(square_distances(vectors, metric, algorithm, names), method)
    from hcbench_vectors import _linkage_kernels as kernels

    n, p = vectors.shape
    columns = np.array(vectors.T, dtype=np.float64, order="C")
    with np.errstate(over="ignore"):
        check_size(float(np.sum(np.ptp(columns, axis=1) ** 2)))
    code = kernels.MANHATTAN if metric == "manhattan" else kernels.EUCLIDEAN
    if method in _CENTRES:
        code = kernels.SQUARED
    merges = np.empty((n - 1, 4))
    if method in _CENTRES and p <= _FEW_COORDINATES:
        from hcbench_vectors._centre_kernels import merge_centres

        merge_centres(columns, method == "centroid", merges)
        kernels.label(merges)
        return merges
    if method == "single":
        if n > _CROWDED * 2**p:
            spanning_tree(vectors, metric, merges)
        else:
            kernels.prim(columns, code, merges)
        return _in_order(merges)
    n_pairs = n * (n - 1) // 2
    if precision == "single":
        from hcbench_vectors import _single_precision_kernels as in_single

        rounded = np.empty(n_pairs, np.float32)
        _, exponent = np.frexp(np.ptp(columns, axis=1).max())  # single precision ends at 2^128
        in_single.measure_pairs(np.ldexp(columns, -exponent), code, rounded)
        in_single.chain(rounded, _code(method), merges)
        merges[:, 2] = np.ldexp(merges[:, 2], exponent)
        return _in_order(merges)
    distances = np.empty(n_pairs)
    kernels.measure_pairs(columns, code, distances)
    if method in _CENTRES:
        kernels.generic(distances, method == "centroid", merges)
        kernels.label(merges)
        return merges
    kernels.chain(distances, _code(method), merges)
    return _in_order(merges)


def spanning_tree(vectors: NDArray[np.floating], metric: str, edges: Floats) -> None:
    """Write the edges of a minimum spanning tree, by searches in a k-d tree."""
    from hcbench_vectors import _spanning_tree_kernels as kernels

    (n, p), m, squares = vectors.shape, 1, metric == "euclidean"
    points = np.zeros((p, n + kernels.LEAF))
    points[:, :n] = vectors.T
    while n > kernels.LEAF * (m + 1) // 2:
        m = 2 * m + 1
    first, last = np.empty(m, np.int64), np.empty(m, np.int64)
    low, high = np.empty((p, m), order="F"), np.empty((p, m), order="F")
    item, axes = np.arange(n), tuple(range(p))
    neighbours = np.full((n, kernels.NEIGHBOURS), -1, np.int32)
    kernels.make_boxes(points, item, first, last, low, high)
    if p <= kernels.FEW:
        kernels.find_neighbours(axes, points, first, last, low, high, squares, neighbours)
    kernels.boruvka(axes, points, item, first, last, low, high, neighbours, squares, edges)


def linkage_of_distances(distances: Floats, method: Method) -> Floats:
    """The linkage matrix of scipy's `linkage` for distances (n, n), n > 1, which are overwritten.

    O(n^2) time. Needs O(n) memory besides ``distances``, but centroid and median linkage half as
    much again, and scipy, for few items, as much again.
    """
    n, distances = len(distances), np.ascontiguousarray(distances, dtype=np.float64)
    if n <= FEW or method == "ward":
        return linkage(squareform(distances, checks=False), method)
    from hcbench_vectors import _linkage_kernels as kernels

    merges = np.empty((n - 1, 4))
    if method in _CENTRES:
        pairs = squareform(distances, checks=False)
        check_size(float(pairs.max()) ** 2)
        pairs *= pairs
        kernels.generic(pairs, method == "centroid", merges)
        kernels.label(merges)
        return merges
    check_size(float(distances.max()))
    if method == "single":
        kernels.prim_of_matrix(distances, 1.0, merges)
    else:
        kernels.chain_of_rows(distances, _code(method), merges)
    return _in_order(merges)


def linkage_of_similarities(similarity: NDArray[np.floating[Any]], method: Method) -> Floats:
    """The linkage matrix of the distances ``max(S) - S``; column 2 holds similarities again.

    Average, weighted, complete or single linkage; the diagonal is ignored. O(n^2) time. Of more
    than 2048 items single linkage needs O(n) memory, and the others take a copy of the matrix.
    """
    n, merges = len(similarity), np.empty((len(similarity) - 1, 4))
    if n <= FEW:
        distances, top = distances_of_similarities(similarity)
        merges = linkage_of_distances(distances, method)
        merges[:, 2] = top - merges[:, 2]
        return merges
    from hcbench_vectors import _linkage_kernels as kernels

    if method == "single":
        matrix = np.ascontiguousarray(similarity, dtype=np.float64)
        kernels.prim_of_matrix(matrix, -1.0, merges)
    else:  # no shift by max(S), which would round
        rows = np.negative(similarity, dtype=np.float64, order="C")
        np.fill_diagonal(rows, 0.0)
        check_size(2.0 * n * float(max(rows.max(), -rows.min())))
        kernels.chain_of_rows(rows, _code(method), merges)
    merges = _in_order(merges)
    merges[:, 2] *= -1.0
    return merges


def _code(method: Method) -> int:
    from hcbench_vectors import _linkage_kernels as kernels

    return {
        "average": kernels.AVERAGE,
        "weighted": kernels.WEIGHTED,
        "complete": kernels.COMPLETE,
    }[method]


def _in_order(merges: Floats) -> Floats:
    from hcbench_vectors import _linkage_kernels as kernels

    merges = merges[np.argsort(merges[:, 2], kind="stable")]
    kernels.label(merges)
    return merges
