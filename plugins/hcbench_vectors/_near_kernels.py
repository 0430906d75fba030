"""Compiled Ward's method in few dimensions: a k-d tree of the means finds nearest clusters.

The kernels do not check their input. Rounds, scores and ties are those of `_means_kernels`; only
the searches are others. In a round a fifth of the clusters or more is searched, so that the tree is
made anew in each.

The score of two clusters of sizes a and b is ``a b / (a + b)``, which grows with b, times a squared
distance, with a negative sign. So no cluster of a node is nearer than its smallest cluster would be
at the nearest place of its box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._box_kernels import LEAF, Boxes, number_of_nodes, write_boxes
from hcbench_vectors._means_kernels import Clusters, Progress, Rounds, merge_round
from hcbench_vectors._step_kernels import entry

# A bound from a box, times this, is below the score of every cluster in it as that is rounded.
_SAFE = 1.0 - 1e-14
# What a search costs by all clusters and by the tree, in units of one of all clusters: making a
# level of the tree, for each cluster, and going down it.
_LEVEL = 12
_DESCENT = 250


class Tree(NamedTuple):
    """A k-d tree of the means of the current clusters, and work space, with room for n of them."""

    #: (p, n + LEAF) float64. The means in the order of the tree.
    points: NDArray[np.float64]
    #: (n + LEAF,) float64. Their sizes; 1 after the last one.
    size: NDArray[np.float64]
    #: (n,) int64. Their slots.
    slot: NDArray[np.int64]
    #: The nodes.
    boxes: Boxes
    #: (m,) float64. The size of the smallest cluster of each node.
    smallest: NDArray[np.float64]
    #: (m,) int64. The first and the last slot of each node.
    first_slot: NDArray[np.int64]
    last_slot: NDArray[np.int64]
    #: (n,) work space of `write_boxes`.
    key: NDArray[np.float64]
    order: NDArray[np.int64]
    #: (128,) work space of a search: nodes that wait, the next one last, and their bounds.
    waiting: NDArray[np.int64]
    bound: NDArray[np.float64]
    #: (LEAF,) float64. Work space: the scores of the clusters of a leaf.
    scores: NDArray[np.float64]


def new_tree(n: int, p: int) -> Tree:
    """Room for a tree of n means of p coordinates."""
    # Allocated here and not in a kernel, where it would take longer to compile.
    m = number_of_nodes(n)
    boxes = Boxes(
        first=np.empty(m, np.int64),
        last=np.empty(m, np.int64),
        low=np.empty((p, m)),
        high=np.empty((p, m)),
    )
    return Tree(
        points=np.zeros((p, n + LEAF)),
        size=np.ones(n + LEAF),
        slot=np.empty(n, np.int64),
        boxes=boxes,
        smallest=np.empty(m),
        first_slot=np.empty(m, np.int64),
        last_slot=np.empty(m, np.int64),
        key=np.empty(n),
        order=np.empty(n, np.int64),
        waiting=np.empty(128, np.int64),
        bound=np.empty(128),
        scores=np.empty(LEAF),
    )


@register_jitable
def _copy_clusters(c: Clusters, count: int, tree: Tree) -> None:
    """Write the first ``count`` slots as the points of the tree, in their order. O(p count)."""
    mean = c.mean
    points = tree.points
    for k in range(mean.shape[1]):
        for i in range(count):
            points[k, i] = mean[i, k]
    for i in range(count):
        tree.size[i] = c.size[i]
        tree.slot[i] = i


@register_jitable
def _make_tree(c: Clusters, count: int, n_nodes: int, tree: Tree) -> None:
    """Write the nodes above the points, and bring these into their order. O(p count log count)."""
    size_of_slot = c.size
    size = tree.size
    slot = tree.slot
    first = tree.boxes.first
    last = tree.boxes.last
    smallest = tree.smallest
    first_slot = tree.first_slot
    last_slot = tree.last_slot
    write_boxes(tree.points, slot[:count], n_nodes, tree.boxes, tree.key, tree.order)
    for at in range(count):
        size[at] = size_of_slot[slot[at]]
    # Children have higher numbers.
    for node in range(n_nodes - 1, -1, -1):
        child = 2 * node + 1
        if child < n_nodes:
            smallest[node] = min(smallest[child], smallest[child + 1])
            first_slot[node] = min(first_slot[child], first_slot[child + 1])
            last_slot[node] = max(last_slot[child], last_slot[child + 1])
            continue
        smallest[node] = np.inf
        first_slot[node] = count
        last_slot[node] = -1
        for at in range(first[node], last[node]):
            smallest[node] = min(smallest[node], size[at])
            first_slot[node] = min(first_slot[node], slot[at])
            last_slot[node] = max(last_slot[node], slot[at])


# From here on arrays are passed, as a call copies all fields of a tuple.


@register_jitable
def _bound_of_node(
    mean: NDArray[np.float64],
    slot: int,
    size: float,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    node: int,
    smallest: float,
) -> float:
    """What a merge of a slot's cluster with one of a node costs at least: minus a score. O(p)."""
    total = 0.0
    for k in range(mean.shape[1]):
        x = mean[slot, k]
        gap = max(max(low[k, node] - x, x - high[k, node]), 0.0)
        total += gap * gap
    return total * (size * smallest / (size + smallest)) * _SAFE


@register_jitable
def _search_points(
    mean: NDArray[np.float64],
    slot: int,
    size: float,
    count: int,
    points: NDArray[np.float64],
    sizes: NDArray[np.float64],
    slots: NDArray[np.int64],
    start: int,
    stop: int,
    scores: NDArray[np.float64],
    best: float,
    nearest: int,
) -> tuple[float, int]:
    """The best score among at most `LEAF` points and the best one so far, and its slot.

    Of tied clusters that which comes first after the cluster's own slot, round the end.
    """
    sizes = sizes[start : start + LEAF]
    for j in range(LEAF):
        scores[j] = 0.0
    for k in range(mean.shape[1]):
        x = mean[slot, k]
        xs = points[k, start : start + LEAF]
        for j in range(LEAF):
            difference = x - xs[j]
            scores[j] -= difference * difference
    n_enough = 0
    for j in range(LEAF):
        scores[j] *= size * sizes[j] / (size + sizes[j])
        n_enough += scores[j] >= best
    if n_enough == 0:
        return best, nearest
    for j in range(stop - start):
        score = scores[j]
        if score < best:
            continue
        candidate = slots[start + j]
        if candidate == slot:
            continue
        is_next = nearest < 0 or (candidate - slot) % count < (nearest - slot) % count
        if score > best or is_next:
            best = score
            nearest = candidate
    return best, nearest


@register_jitable
def _earliest(first: int, last: int, slot: int, count: int) -> int:
    """How far after a slot, round the end, another one of ``first`` to ``last`` may be."""
    if last <= slot:
        return first - slot + count
    return max(first - slot, 1)


@register_jitable
def _search_tree(
    rows: NDArray[np.int64], count: int, n_nodes: int, c: Clusters, tree: Tree
) -> None:
    """Search the nearest clusters of some slots in the tree."""
    mean = c.mean
    size = c.size
    points = tree.points
    sizes = tree.size
    slots = tree.slot
    scores = tree.scores
    first = tree.boxes.first
    last = tree.boxes.last
    low = tree.boxes.low
    high = tree.boxes.high
    smallest = tree.smallest
    first_slot = tree.first_slot
    last_slot = tree.last_slot
    waiting = tree.waiting
    bound = tree.bound
    for at in range(rows.size):
        slot = rows[at]
        own_size = size[slot]
        best = -np.inf
        nearest = -1
        n_waiting = 1
        waiting[0] = 0
        bound[0] = 0.0
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            if bound[n_waiting] > -best:
                continue
            # Of tied clusters, such as equal ones, only an earlier one after the own slot counts.
            if bound[n_waiting] == -best:
                distance = _earliest(first_slot[node], last_slot[node], slot, count)
                if distance >= (nearest - slot) % count:
                    continue
            child = 2 * node + 1
            if child >= n_nodes:
                best, nearest = _search_points(
                    mean,
                    slot,
                    own_size,
                    count,
                    points,
                    sizes,
                    slots,
                    first[node],
                    last[node],
                    scores,
                    best,
                    nearest,
                )
                continue
            other = child + 1
            closer = _bound_of_node(mean, slot, own_size, low, high, child, smallest[child])
            farther = _bound_of_node(mean, slot, own_size, low, high, other, smallest[other])
            is_other_closer = farther < closer
            if farther == closer:
                distance = _earliest(first_slot[child], last_slot[child], slot, count)
                is_other_closer = distance > _earliest(
                    first_slot[other], last_slot[other], slot, count
                )
            # The closer child is last, so that it is next; of tied ones the earlier one.
            waiting[n_waiting] = child + (not is_other_closer)
            waiting[n_waiting + 1] = child + is_other_closer
            bound[n_waiting] = max(closer, farther)
            bound[n_waiting + 1] = min(closer, farther)
            n_waiting += 2
        c.best[slot] = best
        c.nearest[slot] = nearest


@register_jitable
def _search_all(rows: NDArray[np.int64], count: int, c: Clusters, tree: Tree) -> None:
    """Search the nearest clusters of some slots among all points. O(p count rows)."""
    mean = c.mean
    size = c.size
    points = tree.points
    sizes = tree.size
    slots = tree.slot
    scores = tree.scores
    for at in range(rows.size):
        slot = rows[at]
        own_size = size[slot]
        best = -np.inf
        nearest = -1
        for start in range(0, count, LEAF):
            best, nearest = _search_points(
                mean,
                slot,
                own_size,
                count,
                points,
                sizes,
                slots,
                start,
                min(start + LEAF, count),
                scores,
                best,
                nearest,
            )
        c.best[slot] = best
        c.nearest[slot] = nearest


@entry
def merge_ward(
    progress: Progress, most_searches: int, c: Clusters, rounds: Rounds, tree: Tree
) -> None:
    """Perform all merges. O(n log n) time if boxes are near few others, else O(p n^2).

    Parameters
    ----------
    progress
        All clusters are to be searched.
    most_searches
        After these, searches are made one at a time, which bounds their number.
    c, rounds, tree
        New ones; changed.
    """
    while progress.n_clusters > 1:
        count = progress.n_clusters
        n_rows = progress.n_rows
        rows = rounds.rows[:n_rows]
        n_nodes = number_of_nodes(count)
        n_levels = 1
        while n_nodes >> n_levels > 1:
            n_levels += 1
        _copy_clusters(c, count, tree)
        if n_rows * count > _LEVEL * n_levels * count + _DESCENT * n_rows:
            _make_tree(c, count, n_nodes, tree)
            _search_tree(rows, count, n_nodes, c, tree)
        else:
            _search_all(rows, count, c, tree)
        progress = merge_round(progress, most_searches, c, rounds)
