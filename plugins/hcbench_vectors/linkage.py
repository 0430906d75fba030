"""The linkages: UPGMA, WPGMA, complete, single, centroid, median, Ward."""

from __future__ import annotations

from typing import Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from hcbench import Given, HeightKind, Oracle, Tree
from hcbench_vectors.components import Reduction, read_similarities, read_vectors
from hcbench_vectors.distances import condensed_distances, directions, distances_of_similarities
from hcbench_vectors.means import ward_of_vectors
from hcbench_vectors.products import merge_by_products, merge_by_similarity

_Method: TypeAlias = Literal["weighted", "complete", "single", "centroid", "median"]


def upgma(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    metric: str,
    **reduction: Unpack[Reduction],
) -> Tree:
    """Average linkage (Sokal & Michener 1958).

    On vectors heights are mean distances. ``metric="dot-product"`` is the dissimilarity of Table 4
    of Gray et al. 2023: the clusters of the *smallest* mean <x, y> are merged first, which is also
    their height; leaves are at the first of them if that is negative. On similarities S heights are
    mean similarities between the merged clusters, so of kind AFFINITY; leaves are at max(S), taken
    over pairs of different items, as the diagonal means nothing.

    Time and memory of cosine and dot-product: `merge_by_products`, O(n p) memory where n > p; on
    similarities `merge_by_similarity`. Else O(n^2) time after the distances and O(n^2) memory, by
    scipy.
    """
    if given.n == 1:
        return _one_item(given)
    if oracle.kind == "similarities":
        similarity = read_similarities(oracle, "UPGMA", reduction)
        return _affinity_tree(merge_by_similarity(similarity), given)
    vectors = read_vectors(oracle, rng, "UPGMA", reduction)
    leaf = 0.0
    if metric == "cosine":
        merges = merge_by_products(directions(vectors, "UPGMA with metric=cosine", given.names))
        merges[:, 2] = np.maximum(1.0 - merges[:, 2], 0.0)
    elif metric == "dot-product":
        merges = merge_by_products(vectors, sign=-1.0)
        merges[:, 2] *= -1.0
        leaf = min(leaf, float(merges[0, 2]))
    else:
        merges = linkage(condensed_distances(vectors, metric, "UPGMA", given.names), "average")
    return Tree.from_linkage(merges, leaf_height=leaf, names=given.names)


def wpgma(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    metric: str,
    **reduction: Unpack[Reduction],
) -> Tree:
    """Average linkage where the merged two count alike, whatever their sizes (McQuitty 1966)."""
    return _by_scipy("weighted", oracle, given, rng, metric, reduction)


def complete(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    metric: str,
    **reduction: Unpack[Reduction],
) -> Tree:
    """Complete linkage: the distance of two clusters is the largest of their pairs."""
    return _by_scipy("complete", oracle, given, rng, metric, reduction)


def single(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    metric: str,
    **reduction: Unpack[Reduction],
) -> Tree:
    """Single linkage: the distance of two clusters is the smallest of their pairs."""
    return _by_scipy("single", oracle, given, rng, metric, reduction)


def centroid(
    oracle: Oracle, given: Given, rng: np.random.Generator, **reduction: Unpack[Reduction]
) -> Tree:
    """Centroid linkage: Euclidean distance of the means; heights may fall (Sneath & Sokal 1973)."""
    return _by_scipy("centroid", oracle, given, rng, "euclidean", reduction)


def median(
    oracle: Oracle, given: Given, rng: np.random.Generator, **reduction: Unpack[Reduction]
) -> Tree:
    """Median linkage: as centroid, but the merged two count alike (Gower 1967)."""
    return _by_scipy("median", oracle, given, rng, "euclidean", reduction)


def ward(
    oracle: Oracle, given: Given, rng: np.random.Generator, **reduction: Unpack[Reduction]
) -> Tree:
    """Ward's method: the merge that raises the sum of squares within clusters least (Ward 1963).

    Heights are scipy's: ``sqrt(2 |u| |v| / (|u| + |v|)) |m_u - m_v|``, the distance itself for two
    items. O(n^2 p) time; by means in O(n p) memory, but of sparse vectors with n <= p by their
    distances in O(n^2), which is less.
    """
    if given.n == 1:
        return _one_item(given)
    vectors = read_vectors(oracle, rng, "Ward", reduction)
    if isinstance(vectors, np.ndarray):
        merges = ward_of_vectors(vectors)
    elif given.n > vectors.shape[1]:
        merges = ward_of_vectors(vectors.toarray())
    else:
        merges = linkage(condensed_distances(vectors, "euclidean", "Ward", given.names), "ward")
    return Tree.from_linkage(merges, names=given.names)


_NAMES: dict[_Method, str] = {
    "weighted": "WPGMA",
    "complete": "Complete",
    "single": "Single",
    "centroid": "Centroid",
    "median": "Median",
}


def _by_scipy(
    method: _Method,
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    metric: str,
    reduction: Reduction,
) -> Tree:
    """Linkage by scipy on condensed distances: O(n^2) time after them, O(n^2) memory.

    Similarities S become distances max(S) - S, and heights are turned back: kind AFFINITY.
    """
    if given.n == 1:
        return _one_item(given)
    name = _NAMES[method]
    if oracle.kind == "similarities":
        similarity = read_similarities(oracle, name, reduction)
        distances, top = distances_of_similarities(similarity)
        merges = linkage(squareform(distances, checks=False), method)
        merges[:, 2] = top - merges[:, 2]
        return _affinity_tree(merges, given)
    vectors = read_vectors(oracle, rng, name, reduction)
    distances = condensed_distances(vectors, metric, name, given.names)
    return Tree.from_linkage(linkage(distances, method), names=given.names)


def _affinity_tree(merges: NDArray[np.float64], given: Given) -> Tree:
    """The first merge is at the largest similarity, and so are the leaves."""
    return Tree.from_linkage(
        merges, kind=HeightKind.AFFINITY, leaf_height=float(merges[0, 2]), names=given.names
    )


def _one_item(given: Given) -> Tree:
    return Tree([-1], names=given.names)  # no pair, no height
