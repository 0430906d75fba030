"""Partitions of items into clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.errors import InvalidPartitionError
from hcbench.model.arguments import whole_number
from hcbench.model.names import NamedItems, names_of_index, put_in_order_of
from hcbench.model.trees.arrays import checked_names, first_appearance_codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Partition:
    """A division of the items 0..n-1 into clusters, none of them empty.

    Parameters
    ----------
    labels
        One label for each item, (n,): integers, strings or other hashable objects. Stored as int64
        codes 0..k-1 in the order in which the clusters first appear, so that equal partitions have
        equal labels. A label of -1 is a cluster like any other.
    names
        Names of the n items, all different; by default, of a Series those in its index, unless
        this is the default one. A cut of a tree has the names of its leaves.

    Raises
    ------
    InvalidPartitionError
        If there is no label, or labels are not one-dimensional, or floating point, or missing.

    Examples
    --------
    >>> partition = Partition(["red", "blue", "red", "red"])
    >>> partition.labels.tolist()
    [0, 1, 0, 0]
    >>> partition.sizes.tolist()
    [3, 1]
    >>> partition.members(0).tolist()
    [0, 2, 3]
    >>> partition == Partition([7, 3, 7, 7])
    True
    """

    labels: NDArray[np.int64]
    n_clusters: int
    names: tuple[str, ...] | None

    def __init__(
        self, labels: NDArray[Any] | Sequence[Any], names: Iterable[str] | None = None
    ) -> None:
        if names is None:
            names = names_of_index(labels, only_own=True)
        codes = first_appearance_codes(labels)
        # Partitions are shared by several metrics, which may not change them.
        codes.setflags(write=False)
        if names is not None:
            names = checked_names(names, codes.size)
        # The class is frozen, for its users and for this constructor.
        object.__setattr__(self, "labels", codes)
        object.__setattr__(self, "n_clusters", int(codes.max()) + 1)
        object.__setattr__(self, "names", names)

    @property
    def n(self) -> int:
        """Number of items."""
        return self.labels.size

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items in each cluster, (k,)."""
        return np.bincount(self.labels, minlength=self.n_clusters).astype(np.int64, copy=False)

    def members(self, cluster: int) -> NDArray[np.int64]:
        """Items of one cluster, rising. O(n).

        Examples
        --------
        >>> Partition(["red", "blue", "red"]).members(0).tolist()
        [0, 2]
        """
        cluster = whole_number(cluster, "cluster")
        if not 0 <= cluster < self.n_clusters:
            raise IndexError(f"cluster {cluster} is not in 0..{self.n_clusters - 1}")
        return np.flatnonzero(self.labels == cluster)

    def with_names(self, names: Iterable[str] | None) -> Partition:
        """Return this partition with item i named ``names[i]``, or without names for None.

        Examples
        --------
        >>> Partition([0, 0, 1]).with_names(["ant", "bee", "cod"]).names
        ('ant', 'bee', 'cod')
        """
        if names is self.names:
            return self
        return Partition(self.labels, names)

    def named_items(self, what: str) -> NamedItems:
        """Describe the items for `match_items`; ``what`` is the partition in messages."""
        return NamedItems(
            what=what,
            n=self.n,
            names=self.names,
            give="partition.with_names(names) in the order of its items",
            drop="partition.with_names(None)",
        )

    def matched_with(self, items: NamedItems, description: NamedItems | None = None) -> Partition:
        """Return this partition with its items in the order of other ones, and with their names.

        Parameters
        ----------
        items
            The items whose order and names the result has.
        description
            The items of this partition, as messages describe them; by default
            :meth:`named_items`.

        Raises
        ------
        DataError
            If they are not the same items.
        """
        if description is None:
            description = self.named_items("the partition")
        return put_in_order_of(items, self, description, self._reordered)

    def _reordered(self, positions: NDArray[np.int64]) -> Partition:
        """Return the partition, without names, whose item i is item ``positions[i]`` here."""
        return Partition(self.labels[positions])

    def overlaps(self, partition: Partition) -> NDArray[np.int64]:
        """Numbers of items that two clusters, one of each partition, have in common, if any.

        Items are matched by name if both partitions have names, by number otherwise.

        Returns
        -------
        (c,) int array
            Numbers of items, in no order. O(n) where there are at most 4 n pairs of clusters, else
            O(n log n).

        Raises
        ------
        InvalidPartitionError
            If the partitions are of different numbers of items.
        DataError
            If their items have different names.

        Examples
        --------
        >>> sorted(Partition([0, 0, 0, 1]).overlaps(Partition([0, 0, 1, 1])).tolist())
        [1, 1, 2]
        """
        if self.n != partition.n:
            raise InvalidPartitionError(
                f"a partition of {self.n} items cannot be compared with one of {partition.n}"
            )
        if self.names is not None and partition.names is not None:
            partition = partition.matched_with(self.named_items("the other partition"))
        # Each pair of clusters, one of each partition, has a number.
        pair_of_clusters = self.labels.astype(np.int64) * partition.n_clusters + partition.labels
        counts: NDArray[np.int64]
        if self.n_clusters * partition.n_clusters > 4 * self.n:
            # Most pairs share no item: count only those that do.
            _, counts = np.unique(pair_of_clusters, return_counts=True)
        else:
            counts = np.bincount(pair_of_clusters)
        return counts[counts > 0]

    def disagreements(self, partition: Partition) -> int:
        """On how many unordered pairs of items two partitions differ. O(n).

        Half the Hamming distance of their matrices of 0 and 1, ``(sum a^2 + sum b^2 - 2 sum c^2) /
        2``, with the sizes a of these clusters, b of the other ones, and c of their `overlaps`.

        Raises
        ------
        InvalidPartitionError
            If they are of different numbers of items.

        Examples
        --------
        >>> Partition([0, 0, 0, 1]).disagreements(Partition([0, 0, 1, 1]))
        3
        """
        together_in_both = _sum_of_squares(self.overlaps(partition))
        together_here = _sum_of_squares(self.sizes)
        together_in_other = _sum_of_squares(partition.sizes)
        return (together_here + together_in_other - 2 * together_in_both) // 2

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        if self.names is not None and other.names is not None and self.names != other.names:
            return False
        return np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash(self.labels.tobytes())

    def __repr__(self) -> str:
        return f"Partition(n={self.n}, n_clusters={self.n_clusters})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Partition, (self.labels, self.names)  # pickled arrays are not read-only any more


def _sum_of_squares(sizes: NDArray[np.int64]) -> int:
    return int((sizes * sizes).sum())
