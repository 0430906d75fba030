"""How often the branches of a tree appear in trees of resampled data.

The support of a branch is the share of the resampled trees in which its items are a branch, too.
With bootstraps of the features it is the bootstrap probability (BP) of Felsenstein (1985) and of
pvclust. It is no probability that the branch is real: it is biased by an amount of the order of
1 / sqrt(p) for p features, which depends on how close other trees are, and is often too small for
clear branches. The approximately unbiased probability (AU) of Shimodaira (2002) corrects that to
the third order from bootstraps of several sizes. With subsamples of the items, the branch is
restricted to the items that were drawn; two subsamples share items, so that shares near 1 are too
large. Features that depend on each other, and items that are copies of others, make all of them too
large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.model.trees import Tree

#: Trees of more items have no Jaccard similarities, whose time is that of a product of matrices.
MOST_ITEMS_OF_JACCARD = 1000
#: Shares nearer to 0 or 1 say nothing about a normal distribution; from pvclust.
_LEAST_SHARE = 1e-3
#: Of the random numbers that stand for items; which ones does not matter.
_SEED_OF_ITEMS = 20240612


@dataclass(frozen=True, slots=True, eq=False)
class Replicate:
    """A tree of resampled data.

    Attributes
    ----------
    tree : Tree
    items : (m,) int array or None
        The item of the whole that each leaf is; None if all are, in their order.
    scale : float
        The number of features that were drawn, as a share of all.
    """

    tree: Tree
    items: NDArray[np.int64] | None = None
    scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Support:
    """The support of each node of a tree, (m,) each; NaN for leaves and the root.

    Attributes
    ----------
    support : float array
        The share of the replicates in which the items are a branch.
    counted : int array
        The number of replicates that could tell: those that drew two of the items, and not all.
    jaccard : float array
        The mean over the replicates of the similarity of the branch to the most similar one there,
        as in `clusterboot` (Hennig 2007); NaN if the tree is too large.
    """

    support: NDArray[np.float64]
    counted: NDArray[np.int64]
    jaccard: NDArray[np.float64]

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """The error by the number of replicates alone, sqrt(s (1 - s) / B)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            errors: NDArray[np.float64] = np.sqrt(
                self.support * (1 - self.support) / np.where(self.counted > 0, self.counted, np.nan)
            )
        return errors


def branch_support(tree: Tree, replicates: Sequence[Replicate]) -> Support:
    """Count in how many replicates each branch of a tree appears.

    Parameters
    ----------
    tree : Tree
        Of all items.
    replicates : sequence of Replicate

    Returns
    -------
    Support

    Notes
    -----
    O(m log m) for each replicate, and O(n³ / 64) for the Jaccard similarities. Sets of items are
    compared by the sums of two random numbers of 64 bits for each item.
    """
    item_numbers = _numbers_of_items(tree.n)
    n_equal = np.zeros(tree.n_nodes)
    n_counted = np.zeros(tree.n_nodes, dtype=np.int64)
    similarity = np.zeros(tree.n_nodes)
    for replicate in replicates:
        drawn = replicate.items
        if drawn is None:
            drawn = np.arange(tree.n)
        is_drawn = np.zeros(tree.n, dtype=np.bool_)
        is_drawn[drawn] = True

        # A branch of one of the drawn items, or of all of them, is in every tree.
        sizes = _sums(tree, is_drawn.astype(np.uint64)).astype(np.int64)
        can_tell = (sizes >= 2) & (sizes < drawn.size)
        can_tell[: tree.n] = False

        # Items that were not drawn count nothing, which restricts the branch to the others.
        numbers_of_drawn = np.where(is_drawn[:, None], item_numbers, 0).astype(np.uint64)
        keys = _keys(tree, numbers_of_drawn)
        replicate_keys = _keys(replicate.tree, item_numbers[drawn])
        is_equal = np.isin(keys, replicate_keys)
        n_equal += can_tell & is_equal
        n_counted += can_tell
        if tree.n <= MOST_ITEMS_OF_JACCARD:
            similarity[can_tell] += _most_similar(tree, replicate.tree, drawn, can_tell)

    # 0 / 0 where no replicate could tell.
    with np.errstate(invalid="ignore", divide="ignore"):
        support = np.where(n_counted > 0, n_equal / n_counted, np.nan)
        jaccard = np.where(n_counted > 0, similarity / n_counted, np.nan)
    if tree.n > MOST_ITEMS_OF_JACCARD:
        jaccard = np.full(tree.n_nodes, np.nan)
    return Support(support=support, counted=n_counted, jaccard=jaccard)


def _numbers_of_items(n: int) -> NDArray[np.uint64]:
    """Two random numbers for each item, (n, 2), with which sets of items are compared."""
    rng = np.random.default_rng(_SEED_OF_ITEMS)
    return rng.integers(0, 2**63, size=(n, 2), dtype=np.uint64)


def _sums(tree: Tree, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The sum of the values (n,) of the leaves below each node, (m,), modulo 2^64."""
    sums = np.zeros(tree.n + 1, dtype=np.uint64)
    np.cumsum(values[tree.leaf_order], out=sums[1:])
    start, end = tree.leaf_range
    below: NDArray[np.uint64] = sums[end] - sums[start]
    return below


def _keys(tree: Tree, values: NDArray[np.uint64]) -> NDArray[Any]:
    """A key for the set of items below each node, (m,): equal for equal sets."""
    keys = np.empty(tree.n_nodes, dtype=[("first", np.uint64), ("second", np.uint64)])
    keys["first"] = _sums(tree, values[:, 0])
    keys["second"] = _sums(tree, values[:, 1])
    # As complex numbers would lose digits, two words are one key of 16 bytes.
    return keys.view("V16").reshape(-1)


def _most_similar(
    tree: Tree, replicate_tree: Tree, drawn: NDArray[np.int64], can_tell: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The largest Jaccard similarity of some nodes to nodes of the tree of a replicate."""
    members = _members(tree)[can_tell][:, drawn]
    replicate_members = _members(replicate_tree)[replicate_tree.n :]
    common = members @ replicate_members.T
    sizes = members.sum(axis=1)
    replicate_sizes = replicate_members.sum(axis=1)
    union = sizes[:, None] + replicate_sizes[None, :] - common
    largest: NDArray[np.float64] = (common / union).max(axis=1)
    return largest


def _members(tree: Tree) -> NDArray[np.float32]:
    """Which leaves are below each node, (m, n), as 0 and 1."""
    start, end = tree.leaf_range
    position = np.empty(tree.n, dtype=np.int64)
    position[tree.leaf_order] = np.arange(tree.n)
    inside = (position >= start[:, None]) & (position < end[:, None])
    return inside.astype(np.float32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unbiased:
    """Approximately unbiased probabilities of the nodes of a tree, (m,) each; NaN for leaves.

    Attributes
    ----------
    au, bp : float array
        The approximately unbiased, and the bootstrap probability by the same fit.
    """

    au: NDArray[np.float64]
    bp: NDArray[np.float64]


def unbiased_support(tree: Tree, replicates: Sequence[Replicate]) -> Unbiased:
    """Fit multiscale bootstraps, as pvclust does (Shimodaira 2002).

    Of n replicates at a scale r = p'/p with a share b of them, the normal quantile -Φ⁻¹(b) is
    fitted as ``v sqrt(r) + c / sqrt(r)`` by least squares with the weights of its variance; AU is
    1 - Φ(v - c), and BP 1 - Φ(v + c). Where fewer than two scales have a share that is neither 0
    nor 1, both are 0 or 1, whichever the mean of the shares is nearer to.

    Parameters
    ----------
    tree : Tree
    replicates : sequence of Replicate
        Of several scales, each with all items.
    """
    by_scale: dict[float, list[Replicate]] = {}
    for replicate in replicates:
        by_scale.setdefault(replicate.scale, []).append(replicate)
    scales = sorted(by_scale)
    counts = []
    shares = []
    for scale in scales:
        of_scale = by_scale[scale]
        shares.append(branch_support(tree, of_scale).support)
        counts.append(len(of_scale))

    share_at = np.array(shares)
    au = np.full(tree.n_nodes, np.nan)
    bp = np.full(tree.n_nodes, np.nan)
    for node in range(tree.n, tree.n_nodes - 1):
        au[node], bp[node] = fit_scales(
            share_at[:, node], np.array(counts, dtype=float), np.array(scales)
        )
    return Unbiased(au=au, bp=bp)


def fit_scales(
    shares: NDArray[np.float64], counts: NDArray[np.float64], scales: NDArray[np.float64]
) -> tuple[float, float]:
    """AU and BP of one branch, from its share at each scale.

    Parameters
    ----------
    shares : (s,) float
        In how many of the replicates of each scale the branch appears.
    counts : (s,) float
        The numbers of replicates.
    scales : (s,) float
    """
    from scipy.stats import norm

    # Shares of 0 and 1 have no finite quantile.
    usable = (shares > _LEAST_SHARE) & (shares < 1 - _LEAST_SHARE)
    if usable.sum() < 2:
        nearer = float(shares.mean() >= 0.5)
        return nearer, nearer

    share = shares[usable]
    quantile = -norm.ppf(share)
    # By the delta method: of a binomial share, divided by the squared density at its quantile.
    variance = share * (1 - share) / (norm.pdf(quantile) ** 2 * counts[usable])
    root = np.sqrt(scales[usable])
    design = np.column_stack([root, 1 / root])
    weight = 1 / np.sqrt(variance)
    fit = np.linalg.lstsq(design * weight[:, None], quantile * weight, rcond=None)
    v, c = fit[0].tolist()
    return float(norm.sf(v - c)), float(norm.sf(v + c))
