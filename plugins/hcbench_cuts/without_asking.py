"""Common cuts that need no queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from hcbench import (
    HeightKind,
    Items,
    NotApplicableError,
    Oracle,
    ParameterError,
    Partition,
)
from hcbench_cuts.given_tree import tree_of


def no_questions(n: int, **_params: Any) -> tuple[int, bool]:
    """The number of queries: none."""
    return 0, True


def cut_at_k(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    K: int | None = None,  # noqa: N803
) -> Partition:
    """Undo the last merges until there are K clusters.

    Parameters
    ----------
    K : int, optional
        Number of clusters, by default the true number (hint ``n_clusters``). The result may have
        more where a node has more than two children.

    Returns
    -------
    Partition
        From `hcbench.Tree.cut`: by height or merge order; without these, the largest cluster is
        split first.

    Raises
    ------
    ParameterError
        If there are fewer than K leaves.
    """
    tree = tree_of(items)
    n_clusters = K
    if n_clusters is None:
        n_clusters = items.hints["n_clusters"]
    if n_clusters > tree.n:
        raise ParameterError(f"cut-at-K: a tree of {tree.n} leaves has no {n_clusters} clusters")
    return tree.cut(n_clusters)


def largest_gap(oracle: Oracle, items: Items, rng: np.random.Generator) -> Partition:
    """Cut at the largest gap between the heights of two successive merges.

    Of equal gaps, the one nearest to the root; one cluster if all merges have the same height.
    Heights that are not monotone are replaced by their envelope. O(n log n).

    Returns
    -------
    Partition

    Raises
    ------
    NotApplicableError
        If the tree has no heights, or only a merge order.
    """
    tree = tree_of(items)
    if tree.kind is HeightKind.NONE:
        raise NotApplicableError("largest-gap compares heights, and this tree has no heights")
    if tree.kind is HeightKind.ORDER:
        raise NotApplicableError(
            "largest-gap compares heights, and this tree has an order of merges"
        )
    # Levels increase towards the root, as distances do; affinities decrease.
    sign = 1.0
    if tree.kind is HeightKind.AFFINITY:
        sign = -1.0
    levels = np.unique(sign * tree.envelope[tree.n :])
    if levels.size < 2:
        return tree.cut(1)
    # The last of the largest gaps, and the level below it.
    gaps_from_root = np.diff(levels)[::-1]
    below = levels.size - 2 - int(np.argmax(gaps_from_root))
    return tree.cut_height(sign * float(levels[below]))
