"""The linkages: UPGMA, WPGMA, complete, single, centroid, median, Ward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import numpy as np

from hcbench import HeightKind, Items, Oracle, Tree
from hcbench_vectors.agglomeration import Method, linkage_of_similarities, linkage_of_vectors
from hcbench_vectors.distances import directions, for_cosine
from hcbench_vectors.products import FEW_FEATURES, merge_by_products
from hcbench_vectors.reduction import Reduction, read_similarities, read_vectors
from hcbench_vectors.scaling import dense

if TYPE_CHECKING:
    from hcbench.model import Vectors


def upgma(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    metric: str,
    precision: str,
    **reduction: Unpack[Reduction],
) -> Tree:
    """Average linkage (Sokal & Michener 1958).

    On vectors heights are mean distances. ``metric="dot-product"`` is the dissimilarity of Table 4
    of Gray et al. 2023: the clusters of the *smallest* mean <x, y> merge first, which is also their
    height; leaves are at the first such height if it is negative. On similarities S heights are
    mean similarities between the merged clusters, of kind AFFINITY; leaves are at max(S) over pairs
    of different items, as the diagonal is ignored. For ``correlation`` and ``spearman`` see
    `for_cosine`.

    Time and memory for cosine and dot-product of dense vectors, and of sparse ones of at most 1000
    features: O(n^2 p) time, O(n p) memory; of other sparse ones O(n^2) memory. Otherwise
    `linkage_of_vectors`, and `linkage_of_similarities`.
    """
    if items.n == 1:
        return _single_item(items.names)
    if oracle.kind == "similarities":
        return _tree_of_similarities(
            "average", "UPGMA", oracle, items.names, metric=metric, reduction=reduction
        )
    vectors = read_vectors(oracle, rng, "UPGMA", reduction)
    name = f"UPGMA with metric={metric}"
    # Correlations become cosines of other rows.
    vectors, metric = for_cosine(vectors, metric, "UPGMA", items.names)
    if metric == "dot-product":
        return _tree_of_smallest_products(vectors, name, items.names)
    if metric == "cosine" and _is_dense(vectors):
        # Imported where it is used, as are kernels that others do not need.
        from hcbench_vectors.means import average_of_cosines

        merges = average_of_cosines(dense(directions(vectors, name, items.names)))
    else:
        merges = linkage_of_vectors(vectors, "average", metric, "UPGMA", items.names, precision)
    return Tree.from_linkage(merges, names=items.names)


def _tree_of_smallest_products(
    vectors: Vectors, algorithm: str, names: tuple[str, ...] | None
) -> Tree:
    """Merge the clusters of smallest mean dot product, which is the height."""
    # The largest of the negative ones merges first.
    merges = merge_by_products(vectors, algorithm, sign=-1.0)
    merges[:, 2] *= -1.0
    # No leaf is above its parent.
    leaf = min(0.0, float(merges[0, 2]))
    return Tree.from_linkage(merges, leaf_height=leaf, names=names)


def wpgma(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    metric: str,
    precision: str,
    **reduction: Unpack[Reduction],
) -> Tree:
    """Average linkage in which the two merged clusters have equal weights (McQuitty 1966)."""
    return _by_distances(
        "weighted", oracle, items, rng, metric=metric, precision=precision, reduction=reduction
    )


def complete(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    metric: str,
    precision: str,
    **reduction: Unpack[Reduction],
) -> Tree:
    """Complete linkage: the distance of two clusters is the largest of their pairs."""
    return _by_distances(
        "complete", oracle, items, rng, metric=metric, precision=precision, reduction=reduction
    )


def single(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    metric: str,
    **reduction: Unpack[Reduction],
) -> Tree:
    """Single linkage: the distance of two clusters is the smallest of their pairs."""
    return _by_distances("single", oracle, items, rng, metric=metric, reduction=reduction)


def centroid(
    oracle: Oracle, items: Items, rng: np.random.Generator, **reduction: Unpack[Reduction]
) -> Tree:
    """Centroid linkage: Euclidean distance of the means; not monotone (Sneath & Sokal 1973)."""
    # The distance of means stands for those of items only if it is Euclidean.
    return _by_distances("centroid", oracle, items, rng, metric="euclidean", reduction=reduction)


def median(
    oracle: Oracle, items: Items, rng: np.random.Generator, **reduction: Unpack[Reduction]
) -> Tree:
    """Median linkage: as centroid, with equal weights of the merged clusters (Gower 1967)."""
    return _by_distances("median", oracle, items, rng, metric="euclidean", reduction=reduction)


def ward(
    oracle: Oracle, items: Items, rng: np.random.Generator, **reduction: Unpack[Reduction]
) -> Tree:
    """Ward's method: minimise the increase of the sum of squares in clusters (Ward 1963).

    Heights are scipy's: ``sqrt(2 |u| |v| / (|u| + |v|)) |m_u - m_v|``, the distance itself for two
    items. O(n^2 p) time, usually O(n log n) of up to 6 features; O(n p) memory by means, or, for
    sparse vectors of more than 1000 features, O(n^2) by their distances.
    """
    if items.n == 1:
        return _single_item(items.names)
    vectors = read_vectors(oracle, rng, "Ward", reduction)
    if _is_dense(vectors):
        from hcbench_vectors.means import ward_of_vectors

        merges = ward_of_vectors(dense(vectors), "Ward")
    else:
        merges = linkage_of_vectors(vectors, "ward", "euclidean", "Ward", items.names)
    return Tree.from_linkage(merges, names=items.names)


_NAMES: dict[Method, str] = {
    "weighted": "WPGMA",
    "complete": "Complete",
    "single": "Single",
    "centroid": "Centroid",
    "median": "Median",
}


def _by_distances(
    method: Method,
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    metric: str,
    reduction: Reduction,
    precision: str = "double",
) -> Tree:
    """Linkage of distances, or of similarities, whose heights are of kind AFFINITY."""
    if items.n == 1:
        return _single_item(items.names)
    name = _NAMES[method]
    if oracle.kind == "similarities":
        return _tree_of_similarities(
            method, name, oracle, items.names, metric=metric, reduction=reduction
        )
    vectors = read_vectors(oracle, rng, name, reduction)
    vectors, metric = for_cosine(vectors, metric, name, items.names)
    merges = linkage_of_vectors(vectors, method, metric, name, items.names, precision)
    return Tree.from_linkage(merges, names=items.names)


def _tree_of_similarities(
    method: Method,
    algorithm: str,
    oracle: Oracle,
    names: tuple[str, ...] | None,
    *,
    metric: str,
    reduction: Reduction,
) -> Tree:
    """Linkage of similarities; leaves are at that of the first merge, the largest."""
    # Similarities have no metric, so that only the default is accepted.
    metric_option = ""
    if metric != "euclidean":
        metric_option = f"metric={metric}"
    similarity = read_similarities(oracle, algorithm, reduction, of_vectors=metric_option)
    merges = linkage_of_similarities(similarity, method, algorithm)
    return Tree.from_linkage(
        merges,
        kind=HeightKind.AFFINITY,
        leaf_height=float(merges[0, 2]),
        names=names,
    )


def _is_dense(vectors: Vectors) -> bool:
    """Whether means of clusters are computed, of dense vectors and of sparse ones made dense."""
    return isinstance(vectors, np.ndarray) or vectors.shape[1] <= FEW_FEATURES


def _single_item(names: tuple[str, ...] | None) -> Tree:
    """One node: there is no pair, and no height."""
    return Tree([-1], names=names)
