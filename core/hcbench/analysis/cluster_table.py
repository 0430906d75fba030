"""Cuts of a tree as one table of items and clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.analysis.dynamic_cut import UNASSIGNED, dynamic_cut
from hcbench.model.trees import Partition, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """Which cuts of a tree are made.

    Attributes
    ----------
    k : sequence of int
        Numbers of clusters.
    heights : sequence of float
        Heights of cuts.
    dynamic : bool
        Whether there is a dynamic cut, see `dynamic_cut`.
    min_size, deep_split, assign_all
        Parameters of the dynamic cut.
    """

    k: Sequence[int] = ()
    heights: Sequence[float] = ()
    dynamic: bool = False
    min_size: int = 5
    deep_split: int = 1
    assign_all: bool = False

    @property
    def any(self) -> bool:
        """Whether there is a cut at all."""
        return bool(self.k) or bool(self.heights) or self.dynamic


def cut_tree(
    tree: Tree, cuts: Cuts, distances: NDArray[np.floating] | None = None
) -> dict[str, NDArray[np.int64]]:
    """The cluster of each item in each cut, by the name of the cut.

    Parameters
    ----------
    tree : Tree
    cuts : Cuts
    distances : (n, n) array, optional
        Those of the items, which the dynamic cut uses; by default those of the tree.

    Returns
    -------
    dict of name to (n,) int
        Names such as ``k=3``, ``height=0.5`` and ``dynamic``. The clusters of ``k`` and
        ``height`` are numbered from 1 in the order of the dendrogram from left to right, those of
        the dynamic cut by size; 0 is an item outside of all clusters of the dynamic cut.

    Raises
    ------
    InvalidPartitionError
        If a number of clusters is not in 1..n.
    InvalidTreeError
        If a cut needs heights, and the tree has none.
    """
    labels: dict[str, NDArray[np.int64]] = {}
    for k in cuts.k:
        labels[f"k={k}"] = from_left_to_right(tree, tree.cut(k))
    for height in cuts.heights:
        labels[f"height={height:g}"] = from_left_to_right(tree, tree.cut_height(height))
    if cuts.dynamic:
        labels["dynamic"] = dynamic_cut(
            tree,
            distances,
            min_size=cuts.min_size,
            deep_split=cuts.deep_split,
            assign_all=cuts.assign_all,
        )
    return labels


def from_left_to_right(tree: Tree, partition: Partition) -> NDArray[np.int64]:
    """The labels of a cut, numbered from 1 in the order of the leaves of the dendrogram."""
    # The new number of each label, in the order in which labels occur in the dendrogram.
    numbers: dict[int, int] = {}
    for label in partition.labels[tree.leaf_order].tolist():
        if label not in numbers:
            numbers[label] = len(numbers) + 1
    renumbered = [numbers[label] for label in partition.labels.tolist()]
    return np.array(renumbered, dtype=np.int64)


def cluster_rows(
    names: Sequence[str] | None,
    labels: Mapping[str, NDArray[np.int64]],
    leaf_order: NDArray[np.int64] | None = None,
) -> list[dict[str, Any]]:
    """A row for each item, in the order of the file.

    Parameters
    ----------
    names : sequence of str or None
        The names of the items; without names, their numbers from 0.
    labels : mapping of cut to (n,) int
        As `cut_tree` returns them; at least one if there is no ``leaf_order``.
    leaf_order : (n,) int, optional
        The items from left to right in the dendrogram.

    Returns
    -------
    list of dict
        With ``item``, the name; ``position``, its place in the dendrogram from left to right or
        from top to bottom, from 1; and a column for each cut.
    """
    if leaf_order is not None:
        n = leaf_order.size
        # The inverse of the permutation: the place of each item.
        positions = np.empty(n, dtype=np.int64)
        positions[leaf_order] = np.arange(1, n + 1)
    else:
        n = len(next(iter(labels.values())))
    rows = []
    for item in range(n):
        row: dict[str, Any] = {"item": str(item)}
        if names is not None:
            row["item"] = names[item]
        if leaf_order is not None:
            row["position"] = int(positions[item])
        for cut, clusters in labels.items():
            row[cut] = int(clusters[item])
        rows.append(row)
    return rows


def describe_cuts(labels: Mapping[str, NDArray[np.int64]]) -> list[str]:
    """A line for each cut: the number of clusters and their sizes."""
    lines = []
    for cut, clusters in labels.items():
        numbers, sizes = np.unique(clusters, return_counts=True)
        n_outside = int(sizes[numbers == UNASSIGNED].sum())
        sizes_of_clusters = sizes[numbers != UNASSIGNED]
        # A line of a terminal has room for about twelve sizes.
        listed = ", ".join(map(str, sizes_of_clusters[:12].tolist()))
        if sizes_of_clusters.size > 12:
            listed += ", ..."
        noun = "clusters"
        if sizes_of_clusters.size == 1:
            noun = "cluster"
        line = f"{cut}: {sizes_of_clusters.size} {noun} of {listed or 'no'} items"
        if n_outside:
            line += f"; {n_outside} items are in none (0)"
        lines.append(line)
    return lines
