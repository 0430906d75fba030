"""Correlation over all pairs of the order, or the heights, of their merges in two trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcbench import HeightKind, NotApplicableError
from hcbench_metrics import _joint_kernels
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.node_sums import merged_pairs
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored, Tree

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Merges:
    """The inner nodes of a tree in groups, each of nodes whose merges are tied.

    Attributes
    ----------
    tree : Tree
    stage : (m,) int array
        Group of an inner node, from 0; unused for leaves.
    sequence : (m - n,) int array
        Inner nodes, children first.
    n_pairs : (S,) float array
        Pairs that merge in each group.
    """

    tree: Tree
    stage: Ints
    sequence: Ints
    n_pairs: Floats

    @classmethod
    def of(cls, tree: Tree, key: Floats, *, is_ordered: bool) -> _Merges:
        """Group by a key (m - n,), and sort the nodes by increasing key or by increasing id."""
        _, group = np.unique(key, return_inverse=True)  # of each inner node
        # Nodes with equal keys are one group; groups are numbered by increasing key.
        stage = np.concatenate((np.zeros(tree.n, dtype=np.int64), group))
        sequence = np.arange(tree.n, tree.n_nodes)
        if is_ordered:
            # Stable, so that children stay before parents of the same group.
            sequence = sequence[np.argsort(group, kind="stable")]
        n_pairs = np.zeros(group.max(initial=-1) + 1)
        np.add.at(n_pairs, group, merged_pairs(tree)[tree.n :])
        return cls(tree, stage, sequence, n_pairs)

    def centred(self, value: Floats) -> tuple[Floats, float]:
        """Values (S,) minus their mean over the pairs, and the sum of squares of these."""
        mean = self.n_pairs @ value / self.n_pairs.sum()
        centred = value - mean
        return centred, float(self.n_pairs @ centred**2)


def baker_gamma(
    scored: Scored, correlation: str = "goodman-kruskal", truth: str | None = None
) -> float:
    """Rank correlation of the stages at which pairs are first joined; higher is better.

    The stage of a pair is the largest number of clusters among the tree's cuts in which the two are
    together. Over the pairs of pairs, of which C have the same order of stages in both trees and D
    the opposite order, the others being tied in one of them,

    ``goodman-kruskal: (C - D) / (C + D)`` (Baker 1974);
    ``spearman: Pearson's correlation of the ranks`` of all n (n - 1) / 2 pairs, with mean ranks for
    ties; dendextend calls this Baker's gamma (Galili 2015).

    Only the order of the heights matters (`Tree.envelope` if they are not monotone). Nodes of equal
    height are one stage, whereas dendextend and `Tree.cut` may cut between them. Without heights,
    smaller clusters merge first, as in `Tree.cut`, and those of equal size at one stage.

    Parameters
    ----------
    scored : Scored
        The result must be a tree.
    correlation : {"goodman-kruskal", "spearman"}
        The first excludes pairs that the truth ties; the second treats a tie as disagreement if
        the other tree has none.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [-1, 1]; 1 for trees with the same stages, 0 if the result has only one. With h the
        smaller of the mean depths of a leaf in the two trees, where a node of d children counts as
        log2(d) deep, O(n h) time, for Goodman-Kruskal O(n h log n), and O(n log n) memory. For two
        chains, h is n / 2. See `_joint_kernels.sum_over_joint_stages`.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or it joins all pairs at one stage, as
        for up to two items.
    """
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    merges = _Merges.of(tree, _stage_key(tree), is_ordered=True)
    true_merges = _Merges.of(true, _stage_key(true), is_ordered=True)
    if true_merges.n_pairs.size < 2:
        raise NotApplicableError("the truth joins all pairs at one stage, which gives no order")
    if correlation == "spearman":
        return _pearson(merges, _mean_ranks(merges), true_merges, _mean_ranks(true_merges))
    _, concordant, discordant = _joint_sums(
        merges, merges.n_pairs, true_merges, true_merges.n_pairs, is_ordered=True
    )
    untied = concordant + discordant  # as floating-point numbers: up to n^4 / 8
    if untied == 0:
        return 0.0
    return (concordant - discordant) / untied


def cophenetic_correlation_with_truth(scored: Scored, truth: str | None = None) -> float:
    """Correlation of the heights at which pairs merge in result and truth; higher is better.

    Pearson's correlation over all pairs i < j between h(lca(i, j)) in one tree and in the other
    (Sokal & Rohlf 1962, who compare a tree with distances). The sign of affinities is reversed, so
    that 1 means a linear relation, whatever the kinds of heights. Heights need not be monotone, and
    those of leaves are ignored.

    Parameters
    ----------
    scored : Scored
        The result and the truth must be trees whose heights are distances or affinities.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [-1, 1]; 0 if all heights of the result are equal. Time and memory as `baker_gamma` with
        ``correlation=spearman``.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, the heights of either are missing,
        infinite, or only the order of merging; or all heights of the truth are equal, as for up to
        two items.
    """
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    height = _distances(tree, "the result's")
    true_height = _distances(true, "the truth's")
    merges = _Merges.of(tree, height, is_ordered=False)
    true_merges = _Merges.of(true, true_height, is_ordered=False)
    if true_merges.n_pairs.size < 2:
        raise NotApplicableError("the truth merges all pairs at one height; no correlation exists")
    return _pearson(merges, np.unique(height), true_merges, np.unique(true_height))


# ---- Correlations --------------------------------------------------------------------------------


def _pearson(merges: _Merges, value: Floats, second_merges: _Merges, second_value: Floats) -> float:
    """Pearson's correlation over all pairs of the values (S,) of their groups in two trees."""
    if merges.n_pairs.size < 2:
        return 0.0
    deviation, square = merges.centred(value)
    second_deviation, second_square = second_merges.centred(second_value)
    product, _, _ = _joint_sums(
        merges, deviation, second_merges, second_deviation, is_ordered=False
    )
    return float(np.clip(product / np.sqrt(square * second_square), -1.0, 1.0))


def _joint_sums(
    merges: _Merges,
    value: Floats,
    second_merges: _Merges,
    second_value: Floats,
    *,
    is_ordered: bool,
) -> tuple[float, float, float]:
    """`_joint_kernels.sum_over_joint_stages`; all three sums are the same for swapped trees."""
    tree = merges.tree
    second_tree = second_merges.tree
    if merges_of_leaves(tree) > merges_of_leaves(second_tree):
        # The loop takes as long as the leaves of its first tree have merges.
        return _joint_sums(second_merges, second_value, merges, value, is_ordered=is_ordered)
    second_start, second_end = second_tree.leaf_range
    sums: tuple[float, float, float] = _joint_kernels.sum_over_joint_stages(
        arrays_of(tree),
        _joint_kernels.Stages(merges.stage, merges.sequence, value),
        second_start[tree.leaf_order],
        _joint_kernels.lowest_ancestors(second_tree.parent, second_end, second_tree.n),
        _joint_kernels.Stages(second_merges.stage, second_merges.sequence, second_value),
        is_ordered,
    )
    return sums


def merges_of_leaves(tree: Tree) -> float:
    """Sum over the leaves of the number of merges of each."""
    n_children = np.diff(tree.child_offsets)[tree.n :]
    # d children are merged in log2(d) rounds.
    return float(tree.sizes[tree.n :] @ np.log2(n_children))


def _mean_ranks(merges: _Merges) -> Floats:
    """Mean rank of the pairs of each stage among all pairs."""
    return np.cumsum(merges.n_pairs) - merges.n_pairs / 2


# ---- Keys ----------------------------------------------------------------------------------------


def _stage_key(tree: Tree) -> Floats:
    """Increases (m - n,) over the inner nodes from the first merge to the last; equal for ties."""
    if tree.height is None:
        return tree.sizes[tree.n :].astype(np.float64)
    # As if the heights were monotone, as in `Tree.cut`.
    highest = tree.envelope[tree.n :]
    if tree.kind is HeightKind.AFFINITY:
        return -highest
    return highest


def _distances(tree: Tree, owner: str) -> Floats:
    """Heights of inner nodes (m - n,) that increase towards the root."""
    if tree.height is None or tree.kind is HeightKind.ORDER:
        state = "only an order of merging"
        if tree.height is None:
            state = "missing"
        raise NotApplicableError(
            f"cophenetic correlation needs merge heights; {owner} are {state}; use baker-gamma"
        )
    inner = tree.height[tree.n :]
    if not np.isfinite(inner).all():
        raise NotApplicableError(f"cophenetic correlation needs finite heights; {owner} are not")
    if tree.kind is HeightKind.AFFINITY:
        return -inner
    return inner
