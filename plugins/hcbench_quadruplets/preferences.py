"""How often each pair of items is preferred, for 4-AL: v = S c of `_kernels`, and its changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench import AllComparisons, Comparisons
from hcbench.model import pair_index
from hcbench_quadruplets import _bit_sums_kernels, _list_kernels, _rank_kernels
from hcbench_quadruplets._index_kernels import index_pairs

Floats: TypeAlias = NDArray[np.float64]
Items: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Clusters of the items, numbered 0..K-1 in the order of their smallest items.

    Attributes
    ----------
    of_items : (n,) int array
        The cluster of each item.
    size : (K,) int array
        Items of each cluster.
    """

    of_items: Items
    size: Items

    def merge(self, p: int, q: int) -> Clusters:
        """The clusters after q is merged into p < q, with new numbers for those after q. O(n)."""
        of_items = self.of_items.copy()
        of_items[of_items == q] = p
        of_items[of_items > q] -= 1
        size = np.delete(self.size, q)
        size[p] += self.size[q]
        return Clusters(of_items, size)


class Preferences(Protocol):
    """v for given clusters: how much more often each pair of items is the closer one."""

    def sum_for(self, clusters: Clusters) -> Floats:
        """Compute v (M,)."""

    def update(self, v: Floats, before: Clusters, p: int, q: int, after: Clusters) -> None:
        """Change v by the merge of clusters p and q of ``before``."""


class RankedPreferences:
    """Those of all comparisons, by ranks: O(M) time for v and for each merge, 16 M bytes."""

    def __init__(self, comparisons: AllComparisons) -> None:
        self._rank = comparisons.rank.astype(np.int32)
        self._lead = np.empty(int(self._rank.max(initial=-1)) + 1)

    def sum_for(self, clusters: Clusters) -> Floats:
        """Compute v (M,)."""
        v = np.empty(self._rank.size)
        self._write(v, clusters)
        return v

    def update(self, v: Floats, _before: Clusters, _p: int, _q: int, after: Clusters) -> None:
        """Compute v anew."""
        self._write(v, after)

    def _write(self, v: Floats, clusters: Clusters) -> None:
        _rank_kernels.weighted_sums(self._rank, clusters.of_items, clusters.size, self._lead, v)


class _ColumnPreferences:
    """Those of a sample of comparisons, by sums of columns of S.

    A merge takes the columns of all |union| n pairs that contain items of the two clusters. If
    clusters of similar sizes merge, these are O(n^2 log n) columns, and O(n^3) if a large one
    absorbs single items.
    """

    def __init__(self, n: int) -> None:
        self._n = n

    def sum_for(self, clusters: Clusters) -> Floats:
        """Compute v (M,), from all columns of pairs of items in different clusters."""
        v = np.zeros(self._n * (self._n - 1) // 2)
        for p in range(clusters.size.size - 1):
            later = np.flatnonzero(clusters.of_items > p)
            self._add(v, clusters, p, later, 1 / clusters.size[p])
        return v

    def update(self, v: Floats, before: Clusters, p: int, q: int, _after: Clusters) -> None:
        """Columns between p and q get weight 0, those to other clusters a smaller one."""
        size = before.size
        of_items = before.of_items
        self._add(v, before, p, np.flatnonzero(of_items == q), -1 / size[p])
        remaining = np.flatnonzero((of_items != p) & (of_items != q))
        union = size[p] + size[q]
        self._add(v, before, p, remaining, 1 / union - 1 / size[p])
        self._add(v, before, q, remaining, 1 / union - 1 / size[q])

    def _add(self, v: Floats, clusters: Clusters, p: int, items: Items, scale: float) -> None:
        """Add to v ``scale / |G(j)|`` times column ij for i in cluster p and j in ``items``."""
        sizes = clusters.size[clusters.of_items[items]]
        # Columns of equal weight follow each other.
        order = np.argsort(sizes, kind="stable")
        members = np.flatnonzero(clusters.of_items == p)
        j = np.repeat(items[order], members.size)
        i = np.tile(members, items.size)
        weights = np.repeat(scale / sizes[order], members.size)
        self._add_columns(pair_index(i, j, self._n), weights, v)

    def _add_columns(self, columns: Items, weights: Floats, v: Floats) -> None:
        """Add weighted columns of S to v."""
        raise NotImplementedError


class BitPreferences(_ColumnPreferences):
    """Those of dense comparisons, as bits: O(M / 64) for a column."""

    def __init__(self, comparisons: Comparisons) -> None:
        super().__init__(comparisons.n)
        self._bits = comparisons.bits()
        self._planes = _bit_sums_kernels.new_planes(self._bits.won.shape[1])

    def _add_columns(self, columns: Items, weights: Floats, v: Floats) -> None:
        _bit_sums_kernels.add_columns(
            columns, weights, self._bits.won, self._bits.lost, self._planes, v
        )


class ListPreferences(_ColumnPreferences):
    """Those of few comparisons, as a list for each pair: O(m / M) for a column, 8 m bytes."""

    def __init__(self, comparisons: Comparisons) -> None:
        super().__init__(comparisons.n)
        self._end, self._listed = index_pairs(
            comparisons.closer, comparisons.farther, comparisons.n
        )

    def _add_columns(self, columns: Items, weights: Floats, v: Floats) -> None:
        _list_kernels.add_columns(columns, weights, self._end, self._listed, self._n, v)


def preferences_of(comparisons: Comparisons | AllComparisons) -> Preferences:
    """By ranks if all comparisons were observed, by bits if many were, otherwise by lists."""
    if isinstance(comparisons, AllComparisons):
        return RankedPreferences(comparisons)
    if comparisons.is_dense:
        return BitPreferences(comparisons)
    return ListPreferences(comparisons)
