"""Hierarchical clustering by dot products: algorithm 1 of Gray et al. 2023."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from hcbench import HeightKind, Items, ModelWarning, Oracle, Tree
from hcbench_vectors._length_kernels import mean_squares
from hcbench_vectors.agglomeration import linkage_of_similarities
from hcbench_vectors.distances import directions
from hcbench_vectors.products import merge_by_products
from hcbench_vectors.reduction import Reduction, read_similarities, read_vectors

if TYPE_CHECKING:
    Floats = NDArray[np.float64]

#: Cosines of independent vectors of p features vary by 1 / sqrt(p). Cosines beyond this multiple of
#: it, or beyond a half if p is small, are not sampling error.
_DEVIATIONS = 3.0
_HALF = 0.5
#: p of a similarity matrix is unknown: negatives up to this fraction of the largest are negligible.
_NEGLIGIBLE = 0.05
#: So are negatives that concern less than this proportion of the pairs.
_FEW_PAIRS = 0.01


def dot_product(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    affinity: str,
    **reduction: Unpack[Reduction],
) -> Tree:
    """Repeatedly merge the two clusters of largest mean affinity (Gray et al. 2023, algorithm 1).

    The affinity of items is ``<Y_i, Y_j> / p``, or ``<zeta_i, zeta_j> / p`` of the principal
    component scores (equation 3), where p is the number of features of Y in both, or the cosine
    (appendix E). Heights are of kind AFFINITY: of an inner node the mean affinity of the two
    clusters that it merges, of a leaf ``<Y_i, Y_i> / p``, or its parent's height if that is larger.
    On given similarities leaves are at the largest similarity, as their diagonal is ignored.

    Time and memory: `merge_by_products`; of dense vectors O(n^2 p) and O(n p).

    Warns
    -----
    ModelWarning
        If affinities are negative beyond sampling error, which the model excludes (lemma 3 and
        appendix E.4). The O(n) merges are checked: those whose clusters' mean vectors have a cosine
        below -3 / sqrt(p), at most -1/2, must together concern 1 % of the pairs of items. On given
        similarities, merges below -5 % of the largest.
    """
    if items.n == 1:
        return Tree([-1], names=items.names)  # no pair, no height
    if oracle.kind == "similarities":
        merges = _merges_of_similarities(oracle, affinity, reduction)
        # The first merge is that of the largest similarity.
        leaves = np.full(items.n, merges[0, 2])
        _warn_of_negative(merges, -_NEGLIGIBLE * np.abs(merges[:, 2]).max())
        return _tree(merges, leaves, items)
    # The number of features of the data, also if the vectors are principal component scores.
    data: Any = oracle.read()
    p = data.shape[1]
    # Affinities are estimated without the division, which changes no merge, and scaled afterwards.
    vectors = read_vectors(oracle, rng, "DotProduct", reduction)
    scale = 1.0 / p
    if affinity == "cosine":
        name = "DotProduct with affinity=cosine"
        vectors = directions(vectors, name, items.names, instead="affinity=dot")
        # Cosines do not grow with the number of features.
        scale = 1.0
    merges = merge_by_products(vectors, "DotProduct")
    merges[:, 2] *= scale
    squares = np.asarray((vectors * vectors).sum(axis=1), dtype=np.float64).ravel()
    leaves = scale * squares
    _warn_of_negative(merges, -_sampling_error(merges, leaves, p))
    return _tree(merges, leaves, items)


def _merges_of_similarities(oracle: Oracle, affinity: str, reduction: Reduction) -> Floats:
    """The merges of largest mean similarity."""
    # Similarities have no affinity, so that only the default is accepted.
    affinity_option = ""
    if affinity != "dot":
        affinity_option = f"affinity={affinity}"
    similarity = read_similarities(oracle, "DotProduct", reduction, of_vectors=affinity_option)
    return linkage_of_similarities(similarity, "average", "DotProduct")


def _tree(merges: Floats, leaves: Floats, items: Items) -> Tree:
    """The output line of algorithm 1: no leaf is below its parent."""
    # Affinities fall towards the root: a leaf that is merged at a larger one than its own rises.
    for side in (0, 1):
        rows = np.flatnonzero(merges[:, side] < items.n)
        merged = merges[rows, side].astype(np.int64)
        leaves[merged] = np.maximum(leaves[merged], merges[rows, 2])
    return Tree.from_linkage(
        merges, kind=HeightKind.AFFINITY, leaf_height=leaves, names=items.names
    )


def _sampling_error(merges: Floats, leaves: Floats, p: int) -> Floats:
    """Sampling error of the affinity of each two merged clusters whose true affinity is 0.

    That of the cosine of their mean vectors, times the lengths of these.
    """
    lengths = np.sqrt(mean_squares(merges, leaves))
    left, right = merges[:, :2].astype(np.int64).T
    error_of_cosine = min(_DEVIATIONS / np.sqrt(p), _HALF)
    error: Floats = error_of_cosine * lengths[left] * lengths[right]
    return error


def _warn_of_negative(merges: Floats, bar: Floats | float) -> None:
    """Warn if merges below ``bar`` concern more than a few pairs of items."""
    n = len(merges) + 1
    size = np.concatenate((np.ones(n), merges[:, 3]))
    left, right = merges[:, :2].astype(np.int64).T
    # A merge concerns the pairs of an item of one cluster and an item of the other.
    pairs = size[left] * size[right]
    is_negative = merges[:, 2] < bar
    share = pairs[is_negative].sum() / (n * (n - 1) / 2)
    if share < _FEW_PAIRS:
        return
    warnings.warn(
        f"{share:.0%} of the pairs merge at a negative affinity, down to {merges[-1, 2]:.3g} (the "
        f"largest is {merges[0, 2]:.3g}): the model of DotProduct requires alpha >= 0 (Gray et al. "
        "2023, appendix E.4), so its theorems do not apply to this tree; use UPGMA, for example",
        ModelWarning,
        # The line that called `dot_product`.
        stacklevel=3,
    )
