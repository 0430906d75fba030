"""Recovery of the true clusters: nodes with exactly the same leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError
from hcbench_metrics import _kernels
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored, Tree


def clade_recovery(scored: Scored, truth: str | None = None) -> float:
    """Proportion of the true clusters that are clusters of the result; higher is better.

    The number of inner nodes of the truth, without its root, whose leaves are exactly those of a
    node of the result, divided by the number of such nodes of the truth. How the result splits a
    cluster that the truth does not split, such as the observations of one class, is ignored.

    Parameters
    ----------
    scored : Scored
        The result must be a tree; heights are not used.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [0, 1]. O(n log n) time and memory.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or it is a star.
    """
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    recovered = _are_in(tree, true)
    if not recovered.size:
        raise NotApplicableError("the truth has no cluster except the one of all items")
    return float(recovered.mean())


def exact_recovery(scored: Scored, truth: str | None = None, refine: bool = True) -> float:
    """1 if the result recovers the true tree, else 0; higher is better.

    The result recovers the true tree if every true cluster is one of its clusters, or, with
    ``refine=False``, if both trees are isomorphic. In the model of Gray et al. 2023, appendix C.3,
    observations of one vertex merge in any order below it, so that a binary result can only refine
    the truth.

    Parameters
    ----------
    scored, truth
        As in `clade_recovery`.
    refine : bool
        Whether the result may have more nodes than the truth.

    Returns
    -------
    float
        0 or 1; 1 for a truth that is a star, which every tree refines. O(n log n).

    Raises
    ------
    NotApplicableError
        If the result is a partition, or there is no such truth.
    """
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    is_small_enough = refine or tree.n_nodes == true.n_nodes
    return float(is_small_enough and _are_in(tree, true).all())


def robinson_foulds(scored: Scored, normalised: bool = True, truth: str | None = None) -> float:
    """Distance of Robinson and Foulds between result and truth as rooted trees; lower is better.

    ``|A Δ B| / (|A| + |B|)``, or ``|A Δ B|`` if not ``normalised``, where A and B are the sets of
    clusters of the trees: the leaves below each inner node except the root (Robinson & Foulds 1981,
    for rooted trees; Day 1985). 0 exactly for isomorphic trees, such as two stars or trees of up to
    two items, for which A and B are empty. 1 if no cluster is shared. A binary result that refines
    a truth of few clusters is still far from it: see `clade_recovery`.

    Parameters
    ----------
    scored, truth
        As in `clade_recovery`.
    normalised : bool
        Whether to divide by the number of clusters of both trees.

    Returns
    -------
    float
        In [0, 1], or up to 2 n - 4 clusters. O(n log n) time and memory.

    Raises
    ------
    NotApplicableError
        If the result is a partition, or there is no such truth.
    """
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    n_clusters = _n_clusters(tree) + _n_clusters(true)
    n_different = n_clusters - 2 * int(_are_in(tree, true).sum())
    if normalised:
        return n_different / max(1, n_clusters)
    return float(n_different)


def _n_clusters(tree: Tree) -> int:
    """Inner nodes except the root; of a single item there is none."""
    return max(0, tree.n_nodes - tree.n - 1)


def _are_in(tree: Tree, clusters: Tree) -> NDArray[np.bool_]:
    """Whether each inner node of ``clusters``, except the root, has the leaves of a node of a tree.

    It does if, in the tree, the lowest common ancestor of its outermost leaves has no more leaves.
    """
    first, last = _kernels.range_of_leaves(clusters.parent, tree.leaf_range[0][: tree.n])
    inner = slice(tree.n, clusters.root)
    ancestor = tree.lca(tree.leaf_order[first[inner]], tree.leaf_order[last[inner]])
    are_in: NDArray[np.bool_] = tree.sizes[ancestor] == clusters.sizes[inner]
    return are_in
