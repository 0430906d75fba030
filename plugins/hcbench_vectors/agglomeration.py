"""Linkage matrices of vectors, distances and similarities, by compiled kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import squareform

from hcbench_vectors.distances import square_distances
from hcbench_vectors.scaling import EXPONENT, exact_centre, shift_of, unscaled

if TYPE_CHECKING:
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]

Method: TypeAlias = Literal[
    "average", "weighted", "complete", "single", "centroid", "median", "ward"
]

#: Single linkage of at most so many coordinates searches in a k-d tree. With more, Prim's algorithm
#: is faster up to 8000 items (normal data).
_FEW_AXES = 6
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
    """A linkage matrix as scipy's `linkage` returns it. What is computed does not depend on n.

    Average, weighted and complete linkage have scipy's matrix, ties and rounding included; so has
    single linkage of more than 6 coordinates. Others are equal up to ties and rounding. Values of
    any size are computed without overflow, and of any offset without loss of their digits.

    O(n^2 p) time; single linkage of at most 6 coordinates about O(n log n). Single linkage of dense
    vectors under euclidean or manhattan, and centroid and median linkage of at most 100
    coordinates: O(n p) memory. Other linkages of such vectors: 8 bytes for each pair, else 16 to
    24.

    Parameters
    ----------
    vectors : (n, p) array or csr_array, n > 1
    method
    metric : {"euclidean", "cosine", "manhattan"}
    algorithm, names
        For messages.
    precision : {"double", "single"}
        Of average, weighted and complete linkage of dense vectors under euclidean or manhattan: 8
        or 4 bytes for each pair. In single precision distances are rounded when they are stored, to
        6e-8 of their value, so ties may be broken otherwise.

    Raises
    ------
    DataError
        If a row is zero and ``metric`` is cosine, or distances overflow.
    """
    if metric == "cosine":
        return linkage_of_distances(square_distances(vectors, metric, algorithm, names), method)
    if not isinstance(vectors, np.ndarray):
        shift = shift_of(vectors)
        distances = square_distances(vectors * 2.0**shift, metric, algorithm, names)
        merges = linkage_of_distances(distances, method)
    else:
        if method in _CENTRES:
            vectors = vectors - exact_centre(vectors)
        shift = shift_of(vectors)
        if precision == "single":
            shift -= EXPONENT  # the largest value is below 1, as single precision ends at 2^128
        columns = _columns(vectors, shift)
        merges = _linkage_of_columns(columns, vectors.shape[1], method, metric, precision)
    merges[:, 2] = unscaled(merges[:, 2], shift, algorithm, vectors)
    return merges


def _columns(vectors: NDArray[np.floating[Any]], shift: int) -> Floats:
    """The coordinates (p or p + 1, n), as many as are even, times ``2**shift``."""
    n, p = vectors.shape
    columns = np.zeros((p + p % 2, n))
    np.multiply(vectors.T, 2.0**shift, out=columns[:p])
    return columns


def _linkage_of_columns(
    columns: Floats, p: int, method: Method, metric: str, precision: str
) -> Floats:
    from hcbench_vectors import _distance_kernels as kernels

    n = columns.shape[1]
    merges = np.empty((n - 1, 4))
    code = kernels.MANHATTAN if metric == "manhattan" else kernels.EUCLIDEAN
    if method == "single" and p <= _FEW_AXES:
        spanning_tree(columns[:p].T, metric, merges)
        return _in_order(merges)
    if method == "single":
        from hcbench_vectors._prim_kernels import prim

        prim(columns, code, merges)
        return _in_order(merges)
    if method in _CENTRES and p <= _FEW_COORDINATES:
        from hcbench_vectors._centre_kernels import merge_centres, new_centres

        merge_centres(new_centres(columns), method == "centroid", merges)
        return _labelled(merges)
    distances = np.empty(n * (n - 1) // 2, np.float32 if precision == "single" else np.float64)
    if method in _CENTRES:
        kernels.measure_pairs(columns, kernels.SQUARED, distances)
        _merge_centres_of_pairs(distances, method, merges)
        return _labelled(merges)
    from hcbench_vectors._chain_kernels import chain, new_clusters, new_pair_rows

    kernels.measure_pairs(columns, code, distances)
    chain(distances, _code(method), new_clusters(n), new_pair_rows(n), merges)
    return _in_order(merges)


def spanning_tree(vectors: NDArray[np.floating], metric: str, edges: Floats) -> None:
    """Write the edges of a minimum spanning tree, by searches in a k-d tree."""
    from hcbench_vectors import _box_search_kernels as searches
    from hcbench_vectors._box_kernels import LEAF, make_boxes
    from hcbench_vectors._spanning_tree_kernels import boruvka, new_components

    n, p = vectors.shape
    squares = metric == "euclidean"
    points = np.zeros((p, n + LEAF))
    points[:, :n] = vectors.T
    item = np.arange(n)
    axes = tuple(range(p))
    boxes = make_boxes(points, item)
    search = searches.new_search(len(boxes.first))
    neighbours = np.full((n, searches.NEIGHBOURS), -1, np.int32)
    if p <= searches.FEW:
        nearest = searches.new_nearest()
        searches.find_neighbours(axes, points, boxes, squares, search, nearest, neighbours)
    boruvka(axes, points, item, boxes, neighbours, squares, search, new_components(n), edges)


def linkage_of_distances(distances: Floats, method: Method) -> Floats:
    """The linkage matrix of scipy's `linkage` for distances (n, n), n > 1, which are overwritten.

    O(n^2) time. Needs O(n) memory besides ``distances``, but centroid, median and Ward linkage half
    as much again.
    """
    n = len(distances)
    distances = np.ascontiguousarray(distances, dtype=np.float64)
    if method == "ward":
        from scipy.cluster.hierarchy import linkage

        return linkage(squareform(distances, checks=False), method)
    merges = np.empty((n - 1, 4))
    if method in _CENTRES:
        pairs = squareform(distances, checks=False)
        pairs *= pairs
        _merge_centres_of_pairs(pairs, method, merges)
        return _labelled(merges)
    if method == "single":
        _prim_of_matrix(distances, 1.0, merges)
    else:
        _chain_of_matrix(distances, method, merges)
    return _in_order(merges)


def linkage_of_similarities(
    similarity: NDArray[np.floating[Any]], method: Method, algorithm: str
) -> Floats:
    """The linkage matrix of the distances -S; column 2 holds similarities.

    Average, weighted, complete or single linkage; the diagonal is ignored. The largest similarity
    is merged first; as nothing is added to S, no digit is lost. O(n^2) time. Single linkage needs
    O(n) memory, and the others take a copy of the matrix.
    """
    merges = np.empty((len(similarity) - 1, 4))
    if method == "single":
        _prim_of_matrix(similarity, -1.0, merges)
        merges = _in_order(merges)
        merges[:, 2] *= -1.0
        return merges
    shift = shift_of(similarity)
    rows = np.array(similarity, dtype=np.float64, order="C")
    rows *= -(2.0**shift)
    _chain_of_matrix(rows, method, merges)
    merges = _in_order(merges)
    merges[:, 2] = unscaled(-merges[:, 2], shift, algorithm, similarity)
    return merges


def _prim_of_matrix(matrix: NDArray[np.floating[Any]], sign: float, merges: Floats) -> None:
    from hcbench_vectors._prim_kernels import prim_of_matrix

    # Read-only, as what hcbench holds, so that the kernel is compiled for one type.
    rows = np.array(matrix, dtype=np.float64, order="C", copy=None).view()
    rows.flags.writeable = False
    prim_of_matrix(rows, sign, merges)


def _merge_centres_of_pairs(squares: Floats, method: Method, merges: Floats) -> None:
    from hcbench_vectors._pair_centre_kernels import merge_centres_of_pairs, new_paired_clusters

    clusters = new_paired_clusters(squares, len(merges) + 1)
    merge_centres_of_pairs(clusters, method == "centroid", merges)


def _chain_of_matrix(rows: Floats, method: Method, merges: Floats) -> None:
    from hcbench_vectors._chain_kernels import chain_of_rows, new_clusters, new_row_merges

    n = len(rows)
    chain_of_rows(rows, _code(method), new_clusters(n), new_row_merges(n), merges)


def _code(method: Method) -> int:
    from hcbench_vectors import _chain_kernels as kernels

    return {
        "average": kernels.AVERAGE,
        "weighted": kernels.WEIGHTED,
        "complete": kernels.COMPLETE,
    }[method]


def _in_order(merges: Floats) -> Floats:
    return _labelled(merges[np.argsort(merges[:, 2], kind="stable")])


def _labelled(merges: Floats) -> Floats:
    from hcbench_vectors._step_kernels import label

    label(merges)
    return merges
