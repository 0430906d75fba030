"""Agreement of the cuts of a hierarchy with the levels of the true one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError, Partition, Tree
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hcbench import Problem, Scored


def aari(
    scored: Scored, levels: str = "auto", truth: str | None = None, singletons: bool = True
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
        Levels of one cluster are excluded, and those of n clusters unless ``singletons`` counts
        them. C'_l is the result's cut into the same number of clusters, or the next larger one if
        the tree is not binary (see `Tree.cut_nodes`, also for ties and trees without heights).
    truth : str, optional
        One of the problem's truths; the first by default. If the problem has several truths, the
        labels apply only to the one made of them; the others use powers or depths.
    singletons : bool
        Whether a level of the labels whose clusters are single items counts, as in the paper's sum
        (a planted hierarchy with N0 = 1 has one). Its ARI is 1 for any tree.

    Returns
    -------
    float
        In [-1, 1]. O(L n) time and O(n) memory, after sorting the nodes in O(n log n).

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or it has no level to compare, as for
        up to two items.
    """
    tree = scored.tree
    true_levels = list(_true_levels(scored.problem, levels, truth, singletons))
    if not true_levels:
        raise NotApplicableError(
            "the truth has no level of more than one and fewer than n clusters "
        )
    indices = [adjusted_rand_index(true, tree.cut(true.n_clusters)) for true in true_levels]
    return float(np.mean(indices))


def _true_levels(
    problem: Problem, levels: str, name: str | None, singletons: bool
) -> Iterator[Partition]:
    truth = named_truth(problem, name)
    labels = problem.levels
    one_of_several = name is not None or len(problem.truths) > 1
    if labels is not None and one_of_several and not _is_of_labels(truth, labels):
        if levels == "labels":
            meant = next(label for label, tree in problem.truths.items() if tree is truth)
            raise NotApplicableError(
                f"the label levels are not those of truth {meant!r}; take levels=powers or depths"
            )
        labels = None
    if levels == "labels" and labels is None:
        raise NotApplicableError("this data set has no label levels; take levels=powers")
    if labels is not None and levels in ("auto", "labels"):
        yield from _label_levels(labels, singletons)
        return
    found = list(_power_levels(truth)) if levels != "depths" else []
    yield from found or (_depth_levels(truth) if levels != "powers" else ())


def _is_of_labels(truth: Tree, labels: NDArray[np.int64]) -> bool:
    return truth.isomorphic(Tree.from_levels(labels, truth.names))


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
    """Increasing numbers of clusters at which the tree can be cut without separating tied nodes."""
    n_clusters = 1 + np.cumsum(np.diff(tree.child_offsets)[tree.split_order] - 1)
    priority = (tree.sizes if tree.height is None else tree.envelope)[tree.split_order]
    untied: NDArray[np.int64] = n_clusters[:-1][priority[:-1] != priority[1:]]
    return untied


def _label_levels(levels: NDArray[np.int64], singletons: bool) -> Iterator[Partition]:
    n = len(levels)
    most = n if singletons else n - 1
    prefix = Partition(np.zeros(n, dtype=np.int64))
    for column in levels.T:
        codes = Partition(column)
        finer = Partition(prefix.labels * codes.n_clusters + codes.labels)
        if prefix.n_clusters < finer.n_clusters <= most:
            yield finer
        prefix = finer


def adjusted_rand_index(one: Partition, other: Partition) -> float:
    """ARI of Hubert & Arabie (1985) of two partitions of the same items. O(n).

    With the numbers of pairs put together by both, by one and by the other: ``(both - e) / (m -
    e)``, where e = one * other / all pairs and m = (one + other) / 2; 1 if m = e, since the
    partitions are then equal. Not scikit-learn's, which warns if there are many small clusters.
    """
    counts = (one.overlaps(other), one.sizes, other.sizes)
    together, by_one, by_other = (_pairs(c) for c in counts)
    expected = by_one * by_other / max(1, _pairs(np.array([one.n])))
    largest = (by_one + by_other) / 2
    if largest == expected:
        return 1.0
    return (together - expected) / (largest - expected)


def _pairs(counts: NDArray[np.int64]) -> int:
    return int((counts * (counts - 1) // 2).sum())
