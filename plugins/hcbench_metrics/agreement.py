"""How far a hierarchy agrees with the true one.

The truth is the first of the problem's true hierarchies. Leaves are matched by their ids, and node
ids never matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import HeightKind, NotApplicableError, Partition, Tree, finest_partition
from hcbench_metrics import _kernels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hcbench import Problem, Scored

#: Heights whose order is wrong by no more than this fraction are taken for rounded.
_ROUNDING = 1e-12


# ---- Cuts ----------------------------------------------------------------------------------------


def aari(scored: Scored, levels: str = "auto") -> float:
    """Averaged adjusted Rand index; higher is better.

    ``AARI(C, C') = 1/L sum over levels l of ARI(C_l, C'_l)`` (Ghoshdastidar et al. 2019, appendix
    B.1), with ARI of Hubert & Arabie (1985). 1 if all levels agree and 0 in expectation for
    clusters drawn at random; it can be negative, though the paper says that it lies in [0, 1].

    Parameters
    ----------
    scored : Scored
        The result must be a tree.
    levels : {"auto", "labels", "powers", "depths"}
        ``labels``: C_l are the different partitions by the first l columns of the label levels;
        ``powers``: cuts of the truth into 2, 4, 8, ... < n clusters, as far as it has them: exactly
        so many clusters, and no choice between nodes that tie in height (without heights: in size).
        For a planted hierarchy both are the same. ``depths``: the truth's nodes at depth 1, 2, ...,
        with the leaves above them. ``auto``: labels where the problem has any, else powers, else
        depths, the first that gives a level.
        Levels of one cluster, or of n, are left out. C'_l is the result's cut into as many
        clusters; a tree that is not binary may have but a larger number (`Tree.cut_nodes`, which
        also says how the result's ties are cut, and trees without heights).

    Returns
    -------
    float
        In [-1, 1]. O(L n) time and O(n) memory, after one O(n log n) sort of the nodes.

    Raises
    ------
    NotApplicableError
        If the result is a partition or the truth has no level to compare, as for up to two items.
    """
    tree = scored.tree
    truths = list(_true_levels(scored.problem, levels))
    if not truths:
        raise NotApplicableError(
            "the truth has no level of more than one and fewer than n clusters to compare"
        )
    indices = [adjusted_rand_index(true, tree.cut(true.n_clusters)) for true in truths]
    return float(np.mean(indices))


def _true_levels(problem: Problem, levels: str) -> Iterator[Partition]:
    if levels == "labels" and problem.levels is None:
        raise NotApplicableError("this data set has no label levels; take levels=powers")
    if problem.levels is not None and levels in ("auto", "labels"):
        yield from _label_levels(problem.levels)
        return
    found = list(_power_levels(problem.truth)) if levels != "depths" else []
    yield from found or (_depth_levels(problem.truth) if levels != "powers" else ())


def _depth_levels(truth: Tree) -> Iterator[Partition]:
    before = 1
    for depth in range(1, int(truth.depths.max())):
        level = truth.cut_depth(depth)
        if before < level.n_clusters < truth.n:
            yield level
        before = level.n_clusters


def _power_levels(truth: Tree) -> Iterator[Partition]:
    without_tie = set(_untied_cuts(truth).tolist())
    k = 2
    while k < truth.n:
        if k in without_tie:
            yield truth.cut(k)
        k *= 2


def _untied_cuts(tree: Tree) -> NDArray[np.int64]:
    """Numbers of clusters, rising, that the tree's cuts have where no tie is cut through."""
    n_clusters = 1 + np.cumsum(np.diff(tree.child_offsets)[tree.split_order] - 1)
    priority = (tree.sizes if tree.height is None else tree.envelope)[tree.split_order]
    untied: NDArray[np.int64] = n_clusters[:-1][priority[:-1] != priority[1:]]
    return untied


def _label_levels(levels: NDArray[np.int64]) -> Iterator[Partition]:
    n = len(levels)
    prefix = Partition(np.zeros(n, dtype=np.int64))
    for column in levels.T:
        codes = Partition(column)
        finer = Partition(prefix.labels * codes.n_clusters + codes.labels)
        if prefix.n_clusters < finer.n_clusters < n:
            yield finer
        prefix = finer


def adjusted_rand_index(one: Partition, other: Partition) -> float:
    """ARI of Hubert & Arabie (1985) of two partitions of the same items. O(n).

    With pairs that both, the one, and the other put together: ``(both - e) / (m - e)``, where e =
    one * other / all pairs and m = (one + other) / 2; 1 if m = e, as then the partitions are equal.
    Written here because scikit-learn's warns of many small clusters.
    """
    from scipy import sparse

    entries = (np.ones(one.n, dtype=np.int64), (one.labels, other.labels))
    table = sparse.coo_array(entries).tocsr()  # adds up equal entries
    together, by_one, by_other = (_pairs(c) for c in (table.data, one.sizes, other.sizes))
    expected = by_one * by_other / max(1, _pairs(np.array([one.n])))
    largest = (by_one + by_other) / 2
    if largest == expected:
        return 1.0
    return (together - expected) / (largest - expected)


def _pairs(counts: NDArray[np.int64]) -> int:
    return int((counts * (counts - 1) // 2).sum())


# ---- Merge order ---------------------------------------------------------------------------------


def kendall_tau_b(scored: Scored, include_self: bool = False) -> float:
    """Mean Kendall tau_b between the merge orders around each item; higher is better.

    For item i, the rank of j is the position on i's path to the root at which j joins: 1 for those
    that join in the first merge, and so on; items that join in one merge are tied. tau_b compares
    the ranks in the result with those in the truth,

    ``(concordant - discordant) / sqrt((pairs - tied in result) (pairs - tied in truth))``

    over the pairs of the n - 1 other items; the mean over i is returned (Gray et al. 2023, section
    4.1). Heights do not matter, only the tree's shape; nodes of several children are ties.

    Where the truth ranks all others alike, as for an item that hangs alone from the root, tau_b is
    undefined whatever the result: these items are left out. Where the truth distinguishes but the
    result ranks all alike, which leaves tau_b as undefined, the item counts as 0, no association;
    so a mean always runs over the same items, and a result cannot gain by deciding little.

    Parameters
    ----------
    scored : Scored
        The result must be a tree.
    include_self : bool
        Rank i itself, too, 0 on both sides, as the authors' code does and their text does not. In a
        truth given by labels alone the code gives rank 0 to i's finest class as well, so that these
        are tied with i there.

    Returns
    -------
    float
        In [-1, 1]. Time O(n K L) at most for a truth whose leaves have K different parents at
        depths up to L, O(L n log n) where the result is balanced, and never more than O(n^2 log L).
        Memory O(n). See `concordance`.

    Raises
    ------
    NotApplicableError
        If the result is a partition, or the truth ranks nothing: one or two items (one, with
        ``include_self``), or a truth that is a star.
    """
    tree, truth = scored.tree, scored.problem.truth
    values = _tau_b_of_items(tree, truth, _tied_with_self(scored.problem) if include_self else None)
    if not np.isfinite(values).any():
        raise NotApplicableError(
            "the truth ranks nothing: around every item, all others join in one merge"
        )
    return float(np.nanmean(values))


def _tau_b_of_items(
    tree: Tree, truth: Tree, tied_with_self: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """tau_b (n,) around each item, NaN where the truth ranks all alike, 0 where the result does."""
    n = tree.n
    if n == 1:
        return np.full(1, np.nan)
    agreement = concordance(tree, truth)
    tied = _kernels.tied_pairs(tree.parent, tree.sizes, n)
    true_tied = _kernels.tied_pairs(truth.parent, truth.sizes, n)
    others = n - 1
    if tied_with_self is not None:
        agreement += others - tied_with_self
        true_tied += tied_with_self
        others = n
    pairs = others * (others - 1) // 2
    # One root of the product, not a product of roots: equal rankings give exactly 1.
    untied = np.sqrt(np.multiply(pairs - tied, pairs - true_tied, dtype=np.float64))
    values = np.zeros(n)
    np.divide(agreement, untied, out=values, where=untied > 0)
    values[pairs == true_tied] = np.nan
    return np.clip(values, -1.0, 1.0)


def _tied_with_self(problem: Problem) -> NDArray[np.int64]:
    """For each item, how many others the truth of the authors' code gives rank 0, as itself."""
    truth, levels = problem.truth, problem.levels
    others = np.zeros(truth.n, dtype=np.int64)
    if levels is None or truth.kind is not HeightKind.NONE:
        return others
    if truth.isomorphic(Tree.from_levels(levels, truth.names)):
        finest = finest_partition(problem)
        others = finest.sizes[finest.labels] - 1
    return others


def concordance(tree: Tree, truth: Tree) -> NDArray[np.int64]:
    """Concordant minus discordant pairs (n,) of the two merge orders around each of n > 1 leaves.

    Two methods give the same numbers. By classes: leaves of one parent in the truth have all ranks
    there in common, so that what each merge of the result adds is counted once for each class in
    it. By rows: one leaf after the other, better where both trees are deep. Which one is decided
    by their costs, estimated in O(n).
    """
    result = (tree.parent, *tree.leaf_range, tree.leaf_order)
    n = tree.n
    path_length = truth.depths[:n]
    cost_by_rows = float(n) * n * (1 + np.log2(path_length.max()))
    if _cost_by_classes(tree, truth) <= cost_by_rows:
        inner_parent = truth.parent - n
        return _kernels.concordance_by_classes(
            *result, *tree.children_csr, inner_parent[:n], inner_parent[n:]
        )
    return _kernels.concordance_by_rows(*result, truth.parent, *truth.leaf_range, truth.leaf_order)


def _cost_by_classes(tree: Tree, truth: Tree) -> float:
    """At most so many counts are read: for each node, the paths of the classes that occur in it."""
    path_length = truth.depths[: truth.n].astype(np.float64)
    _, first = np.unique(truth.parent[: truth.n], return_index=True)
    before = np.concatenate(([0.0], np.cumsum(path_length[tree.leaf_order])))
    start, end = tree.leaf_range
    in_node = before[end] - before[start]
    return float(np.minimum(in_node, path_length[first].sum()).sum())


# ---- Merge heights -------------------------------------------------------------------------------


def merge_distortion(scored: Scored) -> float:
    """Largest difference of a pair's merge heights in result and truth; lower is better.

    ``max over i != j of |m'(i, j) - m(i, j)|``, where m(i, j) is the height of the lowest common
    ancestor (Eldridge et al. 2015; Gray et al. 2023, section 3.1 and equation 5). Heights of leaves
    do not count, ties of heights do not matter, and equal heights differ by 0, even infinite ones.
    One item: 0; two items: the difference of the roots.

    Parameters
    ----------
    scored : Scored
        The result must be a tree whose heights are affinities, as must be the truth's.

    Returns
    -------
    float
        In units of the heights. O(n log n) time and memory for monotone heights: m' - m is largest,
        for pairs below a node v of the result, where m is the height of the truth's lowest common
        ancestor of all of v's leaves; and m - m' likewise. Otherwise O(n^2) time, O(n) memory.

    Raises
    ------
    NotApplicableError
        If the result is a partition, or the heights of either tree are no affinities.
    """
    tree, truth = scored.tree, scored.problem.truth
    height, true_height = _affinities(tree, "the result's"), _affinities(truth, "the truth's")
    if tree.n == 1:
        return 0.0
    if _is_monotone(tree, height) and _is_monotone(truth, true_height):
        return max(
            _largest_excess(tree, height, truth, true_height),
            _largest_excess(truth, true_height, tree, height),
        )
    largest: float = _kernels.largest_difference(
        *(tree.parent, *tree.leaf_range, tree.leaf_order, height),
        *(truth.parent, *truth.leaf_range, truth.leaf_order, true_height),
    )
    return largest


def _affinities(tree: Tree, whose: str) -> NDArray[np.float64]:
    if tree.height is not None and tree.kind is HeightKind.AFFINITY:
        return tree.height
    has = {HeightKind.DISTANCE: "are distances", HeightKind.ORDER: "are the order of merging"}
    raise NotApplicableError(
        f"merge distortion needs merge heights that estimate similarities; {whose} heights "
        f"{has.get(tree.kind, 'are missing')}"
    )


def _is_monotone(tree: Tree, height: NDArray[np.float64]) -> bool:
    """Whether no inner node's height is below its parent's, rounding aside."""
    own, above = height[tree.n : -1], height[tree.parent[tree.n : -1]]
    # Infinite heights have no rounding to allow for.
    slack = _ROUNDING * np.abs(np.where(np.isfinite(above), above, 0.0))
    return bool((own >= above - slack).all())


def _largest_excess(
    tree: Tree, height: NDArray[np.float64], other: Tree, other_height: NDArray[np.float64]
) -> float:
    """Largest height of a pair's merge in the one tree above that in the other, both monotone."""
    first, last = _kernels.range_of_leaves(tree.parent, other.leaf_range[0][: tree.n])
    first, last = other.leaf_order[first[tree.n :]], other.leaf_order[last[tree.n :]]
    found, lowest = height[tree.n :], other_height[other.lca(first, last)]
    excess = np.zeros(found.size)
    np.subtract(found, lowest, out=excess, where=found != lowest)
    return float(excess.max())
