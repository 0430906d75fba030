"""Random hierarchies of clusters of unequal depth and size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hcbench import HeightKind, Tree

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Clusters:
    """A hierarchy of clusters, and the cluster of each item.

    Attributes
    ----------
    parent : (c,) int array
        The parent of each cluster, which has a smaller number; -1 at the root, which is cluster 0.
    level : (c,) int array
        Number of edges from the root.
    place : (c,) int array
        The number of each cluster among the children of its parent.
    items : (n,) int array
        The cluster of each item, one without children.
    """

    parent: Integers
    level: Integers
    place: Integers
    items: Integers

    @property
    def depth(self) -> int:
        """The largest level."""
        return int(self.level.max())

    def paths(self) -> Integers:
        """Clusters from the root to each cluster, (c, depth + 1); its own number past the end."""
        # Each cluster has its own number past the end; its ancestors are complete before it.
        paths = np.repeat(np.arange(self.parent.size)[:, None], self.depth + 1, axis=1)
        for c in range(1, self.parent.size):
            above = self.level[c]
            paths[c, :above] = paths[self.parent[c], :above]
        return paths

    def levels(self) -> Integers:
        """Class labels of the items from coarse to fine, (n, depth or 1).

        A label is the place of a cluster among its siblings, and 0 below a cluster that is not
        split.
        """
        paths = self.paths()[self.items]
        is_below = np.arange(paths.shape[1]) > self.level[self.items][:, None]
        labels: Integers = np.where(is_below, 0, self.place[paths])
        if self.depth == 0:
            return labels
        # All items are in the root, which is no level.
        return labels[:, 1:]

    def tree(self, affinity: Floats, item: float | Floats) -> Tree:
        """The true tree, in which items are children of their clusters.

        Parameters
        ----------
        affinity : (c,) array
            Height of each cluster.
        item : float or (n,) array
            Height of the items.
        """
        n = self.items.size
        # Items are nodes 0 to n - 1, and cluster c is node n + c.
        above = np.where(self.parent < 0, -1, self.parent + n)
        return Tree.from_parents(
            np.concatenate([self.items + n, above]),
            np.concatenate([np.broadcast_to(item, n), affinity]),
            HeightKind.AFFINITY,
            collapse_unary=True,
        )


def draw_clusters(
    rng: np.random.Generator, n: int, depth: int, branching: int, imbalance: float, stop: float
) -> Clusters:
    """Split n items into clusters, these into clusters, and so on.

    Each cluster has up to ``branching`` children, whose shares of its items are proportional to
    ``(1 - imbalance)^k``, k = 0, 1, ...; a child without items does not exist. A cluster is not
    split at level ``depth``, if it has a single item and, except for the root, with probability
    ``stop``. Items are numbered at random. O(n + c) for c clusters.
    """
    # Where the share of each child ends, if those of a cluster are 0 to 1.
    ends = np.cumsum((1.0 - imbalance) ** np.arange(branching))
    ends /= ends[-1]
    # Of each cluster, in the order of their numbers; the root is the first.
    parent = [-1]
    level = [0]
    place = [0]
    size = [n]
    leaves = []
    for c, items in enumerate(size):  # which grows
        if level[c] == depth or items == 1 or (c > 0 and rng.random() < stop):
            leaves.append(c)
            continue
        # Rounded ends, so that the sizes sum to the items.
        sizes = np.diff(np.rint(ends * items).astype(np.int64), prepend=0)
        for k in np.flatnonzero(sizes).tolist():
            parent.append(c)
            level.append(level[c] + 1)
            place.append(k)
            size.append(int(sizes[k]))
    clusters = np.array(leaves)
    return Clusters(
        np.array(parent),
        np.array(level),
        np.array(place),
        rng.permutation(np.repeat(clusters, np.array(size)[clusters])),
    )
