"""What the libraries read: dense vectors, distances, graphs of neighbours; and trees of groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.neighbors import NearestNeighbors

from hcbench import DataError, HcbenchError, NotApplicableError, Oracle, Tree
from hcbench.model import euclidean_pairs, unit_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Exponents of the largest value: sums of squares, also of differences that are far smaller, are in
#: the range of numbers.
_LARGEST_DOUBLE = 400
_LARGEST_SINGLE = 50

CORRELATIONS = ("correlation", "spearman")
"""Metrics that are cosine distances of other rows."""


def read_vectors(oracle: Oracle, *, single_precision: bool = False) -> Floats:
    """The vectors (n, p) as a new dense array, since some libraries write to theirs.

    Parameters
    ----------
    oracle : Oracle
    single_precision : bool
        Whether the library computes in single precision.

    Raises
    ------
    DataError
        If squares of the values are not in the range of numbers: libraries then fail, never return,
        or find all items at one distance.
    """
    most = _LARGEST_DOUBLE
    precision = "floating-point numbers"
    if single_precision:
        most = _LARGEST_SINGLE
        precision = "single precision"
    dense = _dense(oracle)
    largest = max(float(dense.max(initial=0.0)), -float(dense.min(initial=0.0)))
    _, exponent = math.frexp(largest)
    if abs(exponent) > most:
        digits = math.floor(math.log10(largest))
        raise DataError(
            f"the largest value of the vectors is {largest:.3g}, whose square is not in the range "
            f"of {precision}; divide the vectors by 1e{digits}"
        )
    return dense


def _dense(oracle: Oracle) -> Floats:
    """The vectors as a new array, of sparse ones too."""
    vectors: Any = oracle.read()
    if hasattr(vectors, "toarray"):
        vectors = vectors.toarray()
    return np.array(vectors, dtype=np.float64, order="C")


def near_origin(vectors: Floats) -> Floats:
    """The vectors minus their mean, rounded to whole numbers: differences stay what they are.

    For libraries that add up squares, or compute in single precision, and so lose the digits of
    vectors that are far from the origin.
    """
    moved: Floats = vectors - np.rint(vectors.mean(axis=0))
    return moved


def refuse_unused(name: str, value: object, unused: bool, why: str) -> None:
    """Refuse a parameter that the library would ignore, since the result would bear its name.

    Parameters
    ----------
    name : str
    value : object
    unused : bool
        Whether it is not the default, and without effect.
    why : str
        What has no such parameter, after "has no effect".

    Raises
    ------
    NotApplicableError
    """
    if unused:
        raise NotApplicableError(f"{name}={value} has no effect {why}; omit {name}")


def read_distances(oracle: Oracle, metric: str) -> tuple[Floats, float | None]:
    """Distances (n(n-1)/2,), as scipy's `pdist`; and max(S), if they are max(S) - S.

    S are similarities, and the maximum is over pairs of different items. O(n^2 p) time for vectors
    and O(n^2) memory.

    Raises
    ------
    DataError
        If a vector of zeros has no cosine, or a distance is larger than any number.
    NotApplicableError
        If a metric of vectors is chosen, and there are only similarities.
    """
    if oracle.kind == "similarities":
        refuse_unused("metric", metric, metric != "euclidean", "on similarities")
        return _distances_of_similarities(oracle.read())
    if metric == "cosine":
        vectors = _dense(oracle)  # of any length
        is_zero = ~vectors.any(axis=1)
        if is_zero.any():
            row = int(np.flatnonzero(is_zero)[0])
            raise DataError(f"row {row} is zero and has no cosine: use metric=euclidean")
        # As unit rows, since the squares of 1e-170 are 0.
        return pdist(np.asarray(unit_rows(vectors)), "cosine"), None
    if metric in CORRELATIONS:
        rows, _ = rows_of_metric(oracle, metric)
        # Rounding makes distances of equal rows negative.
        return np.maximum(pdist(rows, "cosine"), 0.0), None
    vectors = read_vectors(oracle)
    if metric == "euclidean":
        # Scaled, so that the squares of large and small values are numbers.
        return euclidean_pairs(vectors), None
    distances = pdist(vectors, "cityblock")
    if not np.isfinite(distances).all():
        raise DataError("distances of the data are larger than any number; scale the data down")
    return distances, None


def _distances_of_similarities(similarity: Any) -> tuple[Floats, float]:
    """``max(S) - S`` of the pairs, and max(S)."""
    upper = np.asarray(similarity[np.triu_indices(len(similarity), 1)], dtype=np.float64)
    top = float(upper.max())
    if not np.isfinite(top - float(upper.min())):
        raise DataError(
            f"similarities from {upper.min():.3g} to {top:.3g} have differences that are "
            "larger than any number; divide them by 10"
        )
    return top - upper, top


def rows_of_metric(oracle: Oracle, metric: str) -> tuple[Floats, str]:
    """Vectors and a metric that other packages have, with the distances of ``metric``.

    A correlation is the cosine of rows about their means (Pearson), or of their ranks (Spearman),
    of which equal ones have their mean rank.

    Raises
    ------
    DataError
        If a row is constant, so that it has no correlation.
    """
    if metric not in CORRELATIONS:
        return read_vectors(oracle), metric
    rows = _dense(oracle)
    constant = np.flatnonzero((rows == rows[:, :1]).all(axis=1))
    if constant.size:
        raise DataError(
            f"row {constant[0]} is constant and has no correlation: use metric=euclidean"
        )
    if metric == "spearman":
        from scipy.stats import rankdata

        rows = rankdata(rows, axis=1)
    # Coefficients do not depend on the scale, and sums of large numbers would be infinite.
    rows = rows / np.abs(rows).max(axis=1, keepdims=True)
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(unit_rows(centred)), "cosine"


def require_vectors(oracle: Oracle, what: str) -> None:
    """Raise an error if the items are not vectors.

    Raises
    ------
    NotApplicableError
    """
    if oracle.kind != "vectors":
        raise NotApplicableError(f"{what} needs vectors, not {oracle.kind}")


@dataclass(frozen=True, slots=True)
class Graph:
    """A connected graph: edge e joins ``first[e] < second[e]`` at ``distance[e]``."""

    n: int
    first: Ints
    second: Ints
    distance: Floats

    def adjacency(self, weight: Floats) -> csr_matrix:
        """The symmetric matrix (n, n) of weights of the edges."""
        rows = np.concatenate([self.first, self.second])
        columns = np.concatenate([self.second, self.first])
        weights = np.concatenate([weight, weight])
        return csr_matrix((weights, (rows, columns)), shape=(self.n, self.n))


def neighbour_graph(oracle: Oracle, k: int) -> Graph:
    """Join each item to its k nearest ones, and parts without a connection at their nearest items.

    Distances are Euclidean, or max(S) - S of similarities S. Each round of connecting joins every
    part but the largest to its nearest item elsewhere, so that the additional edges are of a
    minimum spanning tree. The time is that of scikit-learn's `NearestNeighbors`, in O(n k) memory
    for vectors; O(n^2) for similarities.
    """
    if oracle.kind == "similarities":
        distances, _ = read_distances(oracle, "euclidean")
        points: Any = squareform(distances)
        searching = NearestNeighbors(metric="precomputed").fit(points)
    else:
        points = read_vectors(oracle)
        searching = NearestNeighbors().fit(points)
    n = len(points)
    # Of each item, without itself.
    distance, nearest = searching.kneighbors(n_neighbors=min(k, n - 1))
    ends = [np.column_stack([np.repeat(np.arange(n), nearest.shape[1]), nearest.ravel()])]
    lengths = [distance.ravel()]
    while True:
        rows, columns = np.concatenate(ends).T
        joined = coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
        parts, part = connected_components(joined, directed=False)
        if parts == 1:
            break
        # The largest part is joined by the edges of the others.
        largest = np.bincount(part).argmax()
        for number in range(parts):
            if number == largest:
                continue
            edge, length = _shortest_edge(points, part == number, oracle.kind == "similarities")
            ends.append(edge)
            lengths.append(length)
    # Two items may be among the nearest of each other.
    pairs = np.sort(np.column_stack([rows, columns]), axis=1)
    # With the length of the first of two equal edges.
    unique, first_of = np.unique(pairs, axis=0, return_index=True)
    return Graph(n, unique[:, 0], unique[:, 1], np.concatenate(lengths)[first_of])


def _shortest_edge(
    points: Any, inside: NDArray[np.bool_], precomputed: bool
) -> tuple[Ints, Floats]:
    """The edge (1, 2) between the items inside and those outside, and its length (1,)."""
    inner = np.flatnonzero(inside)
    outer = np.flatnonzero(~inside)
    if precomputed:
        between = points[np.ix_(inner, outer)]
        nearest = between.argmin(axis=1)
        distance = between.min(axis=1)
    else:
        nearest, distance = pairwise_distances_argmin_min(points[inner], points[outer])
    start = distance.argmin()
    edge = np.array([[inner[start], outer[nearest[start]]]])
    return edge, distance[start : start + 1]


def single_item(names: tuple[str, ...] | None) -> Tree:
    """The tree of one item, which some libraries refuse."""
    return Tree([-1], names=names)


def tree_of_groups(group: ArrayLike, above: Sequence[int], names: tuple[str, ...] | None) -> Tree:
    """The tree, without heights, of nested groups of items.

    Parameters
    ----------
    group
        (n,) the smallest group of each item.
    above
        Of each group, the one above it, whose number is smaller; group 0 is the root. Groups
        without items are omitted, and those with one group inside are that group.
    names
        Of the items.
    """
    groups = np.asarray(group)
    # Items of each group and of those inside of it, which have larger numbers.
    size = np.bincount(groups, minlength=len(above))
    for number in range(len(above) - 1, 0, -1):
        size[above[number]] += size[number]
    has_items = size > 0
    # Leaves are numbered first, then the groups that have items, in their order.
    node = groups.size - 1 + np.cumsum(has_items)
    node_above = np.full(len(above), -1)
    node_above[1:] = node[above[1:]]
    parent = np.concatenate([node[groups], node_above[has_items]])
    return Tree.from_parents(parent, names=names, collapse_unary=True)


def private_of(model: Any, name: str) -> Any:
    """A private attribute of an estimator of scikit-learn: its tree, which nothing public tells.

    Raises
    ------
    HcbenchError
        If this version of scikit-learn does not have it.
    """
    import sklearn

    if not hasattr(model, name):
        raise HcbenchError(
            f"{type(model).__name__} of scikit-learn {sklearn.__version__} does not have {name}, "
            "its only record of the tree; install another version: 1.6 to 1.9 have it"
        )
    return getattr(model, name)
