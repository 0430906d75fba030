"""scikit-bio's neighbour joining and UPGMA."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import squareform

from hcbench import HeightKind, Items, Oracle, Tree
from hcbench.errors import NewickWarning
from hcbench_peers.inputs import read_distances, single_item


def neighbour_joining(
    oracle: Oracle, items: Items, rng: np.random.Generator, *, metric: str, neg_as_zero: bool
) -> Tree:
    """`skbio.tree.nj`, rooted at the middle of the longest path; without heights.

    O(n^3) time and O(n^2) memory.
    """
    from skbio.tree import nj

    def rooted(distances: Any) -> Any:
        return nj(distances, neg_as_zero=neg_as_zero).root_at_midpoint()

    return _tree(rooted, oracle, items, metric)


def upgma(
    oracle: Oracle, items: Items, rng: np.random.Generator, *, metric: str, weighted: bool
) -> Tree:
    """`skbio.tree.upgma`; its branch lengths are halves of the distances.

    O(n^2) time after the distances, and O(n^2) memory.
    """
    from skbio.tree import upgma as average

    return _tree(lambda distances: average(distances, weighted=weighted), oracle, items, metric)


def _tree(build: Callable[[Any], Any], oracle: Oracle, items: Items, metric: str) -> Tree:
    """The tree that scikit-bio builds of distances, with the heights of its branch lengths."""
    if items.n == 1:
        return single_item(items.names)
    distances, _ = read_distances(oracle, metric)
    if items.n == 2:  # fewer than it accepts
        return Tree([2, 2, -1], [0.0, 0.0, distances[0]], HeightKind.DISTANCE, items.names)
    from skbio import DistanceMatrix

    # Numbers, as items may have no names.
    labels = [str(item) for item in range(items.n)]
    skbio_tree = build(DistanceMatrix(squareform(distances), labels))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewickWarning)  # of paths of different lengths
        tree = Tree.from_newick(str(skbio_tree), names=labels)
    return Tree(tree.parent, tree.height, tree.kind, items.names)
