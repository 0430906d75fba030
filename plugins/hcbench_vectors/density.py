"""HDBSCAN's hierarchy, by the hdbscan package."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, Items, Oracle, Tree
from hcbench.model import euclidean_distances
from hcbench_vectors.distances import cosine_distances, distances_of_similarities, for_cosine
from hcbench_vectors.reduction import Reduction, read_similarities, read_vectors

if TYPE_CHECKING:
    from hcbench.model import Vectors

with warnings.catch_warnings():
    # Its sources contain escape sequences for which newer Pythons warn on compilation.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    import hdbscan

#: Of the largest value: sums of up to 2^20 squares are numbers, and those of differences 2^100
#: times smaller.
_LARGEST_EXPONENT = 400


def hdbscan_tree(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    min_cluster_size: int,
    min_samples: int | None,
    metric: str,
    alpha: float,
    **reduction: Unpack[Reduction],
) -> Tree:
    """The single-linkage tree of mutual reachability distances (Campello et al. 2013).

    ``d(i, j) = max(core(i), core(j), dist(i, j) / alpha)``, where core(i) is the distance to the
    min_samples-th nearest other item; the package breaks ties, always in the same way. The exact
    minimum spanning tree is computed, not the package's approximation. On similarities S
    the distances are max(S) - S over pairs of different items. Heights are d: kind DISTANCE. It
    reports the number of flat clusters that the package would choose, and of items in none.
    """
    if items.n == 1:
        return Tree([-1], names=items.names)  # no pair, no height
    if oracle.kind == "similarities":
        data = _distances_of_similarities(oracle, metric, reduction)
        metric = "precomputed"
        exponent = 0
    else:
        vectors = read_vectors(oracle, rng, "HDBSCAN", reduction)
        vectors, metric = for_cosine(vectors, metric, "HDBSCAN", items.names)
        exponent = 0
        if metric != "cosine":  # which does not depend on the scale
            vectors, exponent = _in_range(vectors)
        data, metric = _prepared(vectors, metric, items.names)
    algorithm = "best"
    if alpha != 1 and metric != "precomputed":
        # Its Boruvka algorithm gives a wrong tree if alpha is not 1 (seen in 0.8.44).
        algorithm = "prims_kdtree"
    model = hdbscan.HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=min_samples,
        metric=metric,
        alpha=alpha,
        algorithm=algorithm,
        approx_min_span_tree=False,
        core_dist_n_jobs=1,  # more would start processes outside the time limit
    )
    with warnings.catch_warnings():
        # Older versions of hdbscan pass a renamed argument to scikit-learn.
        warnings.simplefilter("ignore", FutureWarning)
        model.fit(data)
    # Label -1 is noise; clusters are numbered from 0.
    oracle.report(clusters=model.labels_.max() + 1, noise=(model.labels_ < 0).sum())
    merges = np.asarray(model.single_linkage_tree_.to_numpy(), dtype=np.float64)
    if exponent:
        merges[:, 2] = _scaled(merges[:, 2], exponent)
    return Tree.from_linkage(merges, names=items.names)


def _distances_of_similarities(
    oracle: Oracle, metric: str, reduction: Reduction
) -> NDArray[np.float64]:
    """Distances max(S) - S (n, n).

    Raises
    ------
    DataError
        If one is larger than any number.
    """
    # Similarities have no metric, so that only the default is accepted.
    metric_option = ""
    if metric != "euclidean":
        metric_option = f"metric={metric}"
    similarity = read_similarities(oracle, "HDBSCAN", reduction, of_vectors=metric_option)
    with np.errstate(over="ignore"):
        distances, _ = distances_of_similarities(similarity)
    if not np.isfinite(distances).all():
        raise DataError(
            "HDBSCAN: differences of the similarities are larger than any number; divide them by 10"
        )
    return distances


def _in_range(vectors: Vectors) -> tuple[Vectors, int]:
    """The vectors over a power of two, and its exponent, where squares leave the range of numbers.

    The package never returns where squares are infinite, and ties all distances whose squares are
    0. The division is exact, and so are the distances but for their rounding.
    """
    values = vectors if isinstance(vectors, np.ndarray) else vectors.data
    if not values.size:
        return vectors, 0
    largest = max(float(values.max()), -float(values.min()))
    _, exponent = math.frexp(largest)
    if abs(exponent) <= _LARGEST_EXPONENT:
        return vectors, 0
    # In two steps, as 2 to the power of -exponent may itself not be a number.
    half = exponent // 2
    return vectors * 2.0**-half * 2.0 ** (half - exponent), exponent


def _scaled(heights: NDArray[np.float64], exponent: int) -> NDArray[np.float64]:
    """Heights times a power of two.

    Raises
    ------
    DataError
        If one is larger than any number.
    """
    with np.errstate(over="ignore"):
        scaled: NDArray[np.float64] = np.ldexp(heights, exponent)
    if not np.isfinite(scaled).all():
        raise DataError(
            "HDBSCAN: distances of the data are larger than any number; divide the data by 1e10"
        )
    return scaled


def _prepared(
    vectors: Vectors, metric: str, names: tuple[str, ...] | None
) -> tuple[NDArray[np.float64], str]:
    """Vectors or distances that hdbscan accepts, with the metric to pass to it."""
    if metric == "cosine":  # not supported by its trees
        distances = cosine_distances(vectors, "HDBSCAN with metric=cosine", names)
        return distances, "precomputed"
    if not isinstance(vectors, np.ndarray):
        if metric == "euclidean":  # sparse rows are not supported: n x n distances
            return euclidean_distances(vectors), "precomputed"
        raise DataError(
            f"HDBSCAN does not support sparse vectors with metric={metric}; use metric=euclidean, "
            "cosine or pca, or dense vectors"
        )
    # A copy, since its compiled code requires writable arrays and hcbench's are read-only.
    return np.array(vectors, dtype=np.float64, order="C"), metric
