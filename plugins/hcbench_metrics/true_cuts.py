"""The cut of a result that true clusters are compared with.

Usually it is the cut into as many clusters. That is meaningful if the truth itself, cut into as
many clusters, gives the true clusters; if not, no number of clusters is right, and the best cut of
every result is compared instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench import HeightKind, Partition, Tree
from hcbench.model import best_cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

Kind = Literal["auto", "K", "best"]


def choose_cut(cut: Kind, truths: Iterable[Tree], true_clusters: Sequence[Partition]) -> Kind:
    """Which cuts of results the true clusters are compared with: K or best.

    ``auto`` is K if the true clusters are cuts of one of the truths into as many clusters, in the
    sense of `cut_into_as_many`. If they are clusters of a truth whose heights separate them in
    another order, so that no number of clusters gives them, it is best. If no truth has them as
    clusters, no cut is right, and it is K.

    Parameters
    ----------
    cut : {"auto", "K", "best"}
    truths : iterable of Tree
    true_clusters : sequence of Partition

    Returns
    -------
    {"K", "best"}
    """
    if cut != "auto":
        return cut
    are_clusters = False
    for truth in truths:
        if all(is_reachable(truth, clusters) for clusters in true_clusters):
            return "K"
        if all(nodes_of(truth, clusters) is not None for clusters in true_clusters):
            are_clusters = True
    if are_clusters:
        return "best"
    return "K"


def compared_cut(tree: Tree, clusters: Partition, cut: Kind) -> Partition:
    """The cut of a result that true clusters are compared with.

    Parameters
    ----------
    tree : Tree
    clusters : Partition
        The true ones.
    cut : {"K", "best"}
        Into as many clusters, or `hcbench.model.best_cut`.

    Returns
    -------
    Partition
        O(n log n) time.
    """
    if cut == "best":
        return best_cut(tree, clusters).partition
    return cut_into_as_many(tree, clusters)


def cut_into_as_many(tree: Tree, clusters: Partition) -> Partition:
    """The cut of a tree into as many clusters as there are true ones.

    Nodes of equal height may be split in any order, and those of a tree without heights, too. If
    one of these orders gives exactly the true clusters, they are the cut. Otherwise the cut is
    `Tree.cut`, which then splits the largest node, or of equal nodes that of the largest id.

    Parameters
    ----------
    tree : Tree
    clusters : Partition
        The true ones.

    Returns
    -------
    Partition
        If the tree is not binary, perhaps of the next larger number of clusters.
    """
    usual = tree.cut(clusters.n_clusters)
    if usual != clusters and is_reachable(tree, clusters):
        return clusters
    return usual


def is_reachable(tree: Tree, clusters: Partition) -> bool:
    """Whether clusters are a cut of a tree that splits no node before a higher one.

    Parameters
    ----------
    tree : Tree
        Without heights, its nodes may be split in any order.
    clusters : Partition
    """
    nodes = nodes_of(tree, clusters)
    if nodes is None:
        return False
    if tree.height is None:
        return True
    # Nodes of larger priority are split first.
    priority = tree.envelope
    if tree.kind is HeightKind.AFFINITY:
        priority = -priority
    is_split = _split_by(tree, nodes)
    inner = nodes[nodes >= tree.n]
    if not is_split.any() or not inner.size:
        return True
    return bool(priority[is_split].min() >= priority[inner].max())


def nodes_of(tree: Tree, clusters: Partition) -> NDArray[np.int64] | None:
    """The nodes of a tree whose leaves are the clusters, or None if some cluster has no node.

    O(n log n) time, O(n) memory.
    """
    start, end = tree.leaf_range
    # The outermost positions, from left to right, of the items of each cluster.
    first = np.full(clusters.n_clusters, tree.n)
    last = np.full(clusters.n_clusters, -1)
    np.minimum.at(first, clusters.labels, start[: tree.n])
    np.maximum.at(last, clusters.labels, start[: tree.n])
    if (last - first + 1 != clusters.sizes).any():
        return None
    # One number for each range of positions, to look up the nodes that have these ranges.
    node_range = start * (tree.n + 1) + end
    cluster_range = first * (tree.n + 1) + last + 1
    order = np.argsort(node_range)
    places = np.searchsorted(node_range, cluster_range, sorter=order)
    nodes: NDArray[np.int64] = order[np.minimum(places, tree.n_nodes - 1)]
    if (node_range[nodes] != cluster_range).any():
        return None
    return nodes


def _split_by(tree: Tree, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each node of a tree (m,) is split by the cut into these nodes.

    It is if it has more leaves than the node of the cut that has its first leaf.
    """
    start = tree.leaf_range[0]
    from_left_to_right = nodes[np.argsort(start[nodes])]
    sizes = tree.sizes[from_left_to_right]
    size_at_position = np.repeat(sizes, sizes)
    is_split: NDArray[np.bool_] = tree.sizes > size_at_position[start]
    return is_split
