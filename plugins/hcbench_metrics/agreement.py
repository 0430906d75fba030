"""Agreement of the cuts of a hierarchy with the levels of the true one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench import NotApplicableError, Partition, Tree
from hcbench_metrics.node_sums import pairs_within
from hcbench_metrics.true_cuts import Kind, choose_cut, compared_cut, nodes_of
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hcbench import Problem, Scored


def aari(
    scored: Scored,
    levels: str = "auto",
    truth: str | None = None,
    singletons: bool = True,
    cut: Kind = "auto",
) -> float:
    """Averaged adjusted Rand index; higher is better.

    ``AARI(C, C') = 1/L sum over levels l of ARI(C_l, C'_l)`` (Ghoshdastidar et al. 2019, appendix
    B.1), with ARI of Hubert & Arabie (1985). 1 if all levels agree and 0 in expectation for
    clusters drawn at random; it can be negative, though the paper says that it lies in [0, 1].

    Parameters
    ----------
    scored : Scored
        The result must be a tree.
    levels : {"auto", "labels", "powers", "depths"}
        ``labels``: C_l are the distinct partitions by the first l columns of the label levels;
        ``powers``: cuts of the truth into 2, 4, 8, ... < n clusters, where it has a cut into
        exactly this number that does not choose between nodes of equal height (without heights: of
        equal size). For a planted hierarchy both are the same. ``depths``: the truth's nodes at
        depth 1, 2, ..., with the leaves above them. ``auto``: labels if the problem has any, else
        powers, else depths, the first that gives a level.
        Levels of one cluster are excluded, those of n clusters unless ``singletons`` counts them,
        and those of which a class is no cluster of the truth.
    truth : str, optional
        One of the problem's truths; the first by default.
    singletons : bool
        Whether a level of the labels whose clusters are single items counts, as in the paper's sum
        (a planted hierarchy with N0 = 1 has one). Its ARI is 1 for any tree.
    cut : {"auto", "K", "best"}
        What C'_l is. ``K``, as in the paper: the result's cut into as many clusters as C_l, or the
        next larger number if the tree is not binary; where the result leaves open which nodes to
        split first, by ties or without heights, C_l itself if that is one of its cuts, else
        `Tree.cut`. ``best``: the cut that differs from C_l on the fewest pairs, whatever its number
        of clusters and the heights. ``auto``: K if the truth itself has a value of 1 by it, as in
        the planted model, for labels without heights and for ``powers``, else best. It has not if
        its heights do not merge each level before the next one; then the cuts of even the true
        tree are not the levels, and a worse tree may have a larger value.

    Returns
    -------
    float
        In [-1, 1]; 1 for the truth, except with ``cut="K"`` where auto is best. O(n (L + log n))
        time and O(n) memory, for best O(L n log n) and O(n log n).

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or it has no level to compare, as for
        up to two items.
    """
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    true_levels = _true_levels(scored.problem, truth, levels, singletons)
    if not true_levels:
        raise NotApplicableError(
            "the truth has no level of more than one and fewer than n clusters "
        )
    # The same cut for all levels and all results, so that values can be compared.
    kind = choose_cut(cut, [true], true_levels)
    indices = []
    for level in true_levels:
        compared = compared_cut(tree, level, kind)
        indices.append(adjusted_rand_index(level, compared))
    return float(np.mean(indices))


def _true_levels(
    problem: Problem, name: str | None, levels: str, singletons: bool
) -> list[Partition]:
    """The levels to compare with, from coarse to fine.

    Raises
    ------
    NotApplicableError
        If ``levels`` is ``"labels"``, and there are none or they are not those of the truth.
    """
    truth = named_truth(problem, name)
    if levels in ("auto", "labels"):
        why_not = _why_labels_do_not_apply(problem, truth, name)
        if not why_not:
            assert problem.levels is not None
            # A level of which a class is no cluster of the truth is excluded.
            label_levels = []
            for level in _label_levels(problem.levels, singletons):
                if nodes_of(truth, level) is not None:
                    label_levels.append(level)
            if label_levels:
                return label_levels
            why_not = (
                "no level of the labels has several clusters that are all clusters of the truth; "
                "take levels=powers or depths"
            )
        if levels == "labels":
            raise NotApplicableError(why_not)
    if levels in ("auto", "powers"):
        powers = list(_power_levels(truth))
        if powers or levels == "powers":
            return powers
    return list(_depth_levels(truth))


def _why_labels_do_not_apply(problem: Problem, truth: Tree, name: str | None) -> str:
    """Why the label levels are not those of this truth; "" if they are."""
    if problem.levels is None:
        return "this data set has no label levels; take levels=powers"
    is_one_of_several = name is not None or len(problem.truths) > 1
    if is_one_of_several and not _is_of_labels(truth, problem.levels):
        label = next(label for label, tree in problem.truths.items() if tree is truth)
        return f"the label levels are not those of truth {label!r}; take levels=powers or depths"
    return ""


def _is_of_labels(truth: Tree, labels: NDArray[np.int64]) -> bool:
    return truth.isomorphic(Tree.from_levels(labels, truth.names))


def _depth_levels(truth: Tree) -> Iterator[Partition]:
    # Levels that add no cluster, or are single items, are excluded.
    n_before = 1  # clusters of the level before
    for depth in range(1, int(truth.depths.max())):
        level = truth.cut_depth(depth)
        if n_before < level.n_clusters < truth.n:
            yield level
        n_before = level.n_clusters


def _power_levels(truth: Tree) -> Iterator[Partition]:
    without_tie = set(_untied_cuts(truth).tolist())
    k = 2
    while k < truth.n:
        if k in without_tie:
            yield truth.cut(k)
        k *= 2


def _untied_cuts(tree: Tree) -> NDArray[np.int64]:
    """Increasing numbers of clusters at which the tree can be cut without separating tied nodes."""
    # A node of d children is split into d - 1 clusters more.
    n_clusters = 1 + np.cumsum(np.diff(tree.child_offsets)[tree.split_order] - 1)
    # What `Tree.cut` splits nodes by; nodes that are tied have equal values.
    by: NDArray[Any] = tree.sizes
    if tree.height is not None:
        by = tree.envelope
    priority = by[tree.split_order]
    untied: NDArray[np.int64] = n_clusters[:-1][priority[:-1] != priority[1:]]
    return untied


def _label_levels(levels: NDArray[np.int64], singletons: bool) -> Iterator[Partition]:
    n = len(levels)
    most = n  # clusters of a level
    if not singletons:
        most = n - 1
    coarser = Partition(np.zeros(n, dtype=np.int64))
    for column in levels.T:
        codes = Partition(column)
        # Two items are together if they agree in all columns so far.
        finer = Partition(coarser.labels * codes.n_clusters + codes.labels)
        if coarser.n_clusters < finer.n_clusters <= most:
            yield finer
        coarser = finer


def adjusted_rand_index(first: Partition, second: Partition) -> float:
    """ARI of Hubert & Arabie (1985) of two partitions of the same items. O(n).

    With the numbers of pairs put together by both, by the first and by the second: ``(both - e) /
    (m - e)``, where e = first * second / all pairs and m = (first + second) / 2; 1 if m = e, since
    the partitions are then equal. Not scikit-learn's, which warns if there are many small clusters.
    """
    together = pairs_within(first.overlaps(second))
    by_first = pairs_within(first.sizes)
    by_second = pairs_within(second.sizes)
    all_pairs = first.n * (first.n - 1) // 2
    # Of clusters of these sizes whose items are drawn at random.
    expected = by_first * by_second / max(1, all_pairs)
    largest = (by_first + by_second) / 2
    if largest == expected:
        return 1.0
    return (together - expected) / (largest - expected)
