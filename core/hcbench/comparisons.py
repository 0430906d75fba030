"""Comparisons: answers to the question which of two pairs of items is the more similar one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench import _comparison_kernels as kernels
from hcbench.errors import InvalidComparisonsError

MAX_ITEMS = 92_682
"""Pair ids of more items than this do not fit into 32 bits."""

_CHUNK = 1 << 20  # rows that are converted at a time


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Comparisons:
    """A set of quadruplet answers, each saying that one pair of items is more similar than another.

    8 bytes a comparison; read-only. An answer may be there more than once, and beside its
    opposite: see `unique` and `contradictions`.

    Parameters
    ----------
    n : int
        Number of items, at most 92,682.
    closer, farther : (m,) int arrays
        Pairs of items in scipy's condensed order (see `pair_index`); ``w(closer) > w(farther)``.
        Kept as uint32; arrays that are so already are not copied.

    Raises
    ------
    InvalidComparisonsError
        If an array is of the wrong shape or not of integers, a pair does not exist, or a pair is
        compared with itself.
    """

    n: int
    closer: NDArray[np.uint32]
    farther: NDArray[np.uint32]

    def __init__(self, n: int, closer: ArrayLike, farther: ArrayLike) -> None:
        check_n(n)
        pairs = [_pair_ids(n, closer, "closer"), _pair_ids(n, farther, "farther")]
        if pairs[0].size != pairs[1].size:
            raise InvalidComparisonsError(
                f"closer has {pairs[0].size} pairs and farther {pairs[1].size}; give one of each "
                "for every comparison"
            )
        for array in pairs:
            array.flags.writeable = False
        same = kernels.first_same(*pairs)
        if same >= 0:
            raise InvalidComparisonsError(
                f"row {same} compares pair {pairs[0][same]} with itself; leave it out"
            )
        object.__setattr__(self, "n", int(n))
        object.__setattr__(self, "closer", pairs[0])
        object.__setattr__(self, "farther", pairs[1])

    @classmethod
    def from_pairs(cls, n: int, closer: ArrayLike, farther: ArrayLike) -> Comparisons:
        """Comparisons of pair ids, as `pair_index` gives them: ``w(closer) > w(farther)``."""
        return cls(n, closer, farther)

    @classmethod
    def from_quadruplets(cls, n: int, rows: ArrayLike) -> Comparisons:
        """Comparisons of items.

        Parameters
        ----------
        n : int
            Number of items.
        rows : (m, 4) int array
            ``i, j, k, l`` means ``w_ij > w_kl``.

        Raises
        ------
        InvalidComparisonsError
            Naming the first row with an item that does not exist, an item paired with itself or
            a pair compared with itself.
        """
        return _from_rows(cls, n, rows, (0, 1, 2, 3))

    @classmethod
    def from_triplets(cls, n: int, rows: ArrayLike) -> Comparisons:
        """Comparisons with a common item: a row ``i, j, k`` of (m, 3) means ``w_ij > w_ik``.

        Raises
        ------
        InvalidComparisonsError
            As `from_quadruplets`.
        """
        return _from_rows(cls, n, rows, (0, 1, 0, 2))

    def quadruplets(self) -> NDArray[np.int32]:
        """Items, (m, 4): a row ``i, j, k, l`` means ``w_ij > w_kl``; i < j and k < l."""
        return kernels.decode_rows(self.closer, self.farther, self.n)

    def take(self, items: ArrayLike) -> Comparisons:
        """The comparisons among some of the items, which are renumbered in the given order.

        Parameters
        ----------
        items : (size,) int array
            Distinct item numbers.
        """
        kept = np.asarray(items, dtype=np.int64)
        if kept.size and (kept.min() < 0 or kept.max() >= self.n):
            wrong = kept[(kept < 0) | (kept >= self.n)][0]
            raise InvalidComparisonsError(f"items must be in 0..{self.n - 1}, got {wrong}")
        number = np.full(self.n, -1, np.int64)
        number[kept] = np.arange(kept.size)
        if np.count_nonzero(number >= 0) < kept.size:
            raise InvalidComparisonsError("items to take must be distinct")
        chosen = kernels.take_items(self.closer, self.farther, self.n, number, kept.size)
        return Comparisons(kept.size, *chosen)

    def unique(self) -> Comparisons:
        """Every comparison once, ordered by (smaller pair, larger pair, which is closer).

        O(m) if they are in this order already, as those of the quadruplet-set oracle are;
        O(m log m) time and 16 m bytes otherwise. Opposite answers both stay.
        """
        _compile_unique()
        if kernels.rising(self.closer, self.farther):
            return self
        return Comparisons(self.n, *kernels.merge_keys(*self._distinct_keys()))

    def contradictions(self) -> int:
        """The number of questions, each counted once, to which both answers are there."""
        return int(kernels.shared_keys(*self._distinct_keys()))

    def _distinct_keys(self) -> list[NDArray[np.uint64]]:
        split: tuple[NDArray[np.uint64], ...] = kernels.split_keys(self.closer, self.farther)
        for keys in split:
            keys.sort()
        return [keys[: kernels.drop_repeats(keys)] for keys in split]

    def __len__(self) -> int:
        return self.closer.size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        return (
            self.n == other.n
            and np.array_equal(self.closer, other.closer)
            and np.array_equal(self.farther, other.farther)
        )

    def __hash__(self) -> int:
        return hash((self.n, self.closer.tobytes(), self.farther.tobytes()))

    def __repr__(self) -> str:
        return f"Comparisons(n={self.n}, m={len(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Comparisons, (self.n, self.closer, self.farther)  # a pickle forgets read-only


def pair_index(i: ArrayLike, j: ArrayLike, n: int) -> NDArray[np.int64]:
    """Ids of unordered pairs of n items, in scipy's condensed order: 0 is (0, 1), 1 is (0, 2), ...

    Parameters
    ----------
    i, j : (m,) int arrays or int
        Different items.

    Returns
    -------
    (m,) int64 array
        ``n i - i(i+1)/2 + j - i - 1`` for i < j. O(m).

    Raises
    ------
    InvalidComparisonsError
        If an item does not exist or is paired with itself.
    """
    one, two = np.broadcast_arrays(np.asarray(i, np.int64), np.asarray(j, np.int64))
    one, two = np.ascontiguousarray(one).ravel(), np.ascontiguousarray(two).ravel()
    wrong = (one < 0) | (one >= n) | (two < 0) | (two >= n) | (one == two)
    if wrong.any():
        at = int(wrong.argmax())
        raise InvalidComparisonsError(f"({one[at]}, {two[at]}) is no pair of items in 0..{n - 1}")
    return kernels.pair_ids(one, two, n)


def pair_items(pairs: ArrayLike, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items i < j of pair ids: the inverse of `pair_index`.

    Parameters
    ----------
    pairs : (m,) int array
        Ids in 0..n(n-1)/2 - 1; exact where n(n-1)/2 is below 2^63.

    Returns
    -------
    i, j : (m,) int64 arrays
        By closed form, without a table. O(m).

    Raises
    ------
    InvalidComparisonsError
        If there is no such pair.
    """
    ids = np.ascontiguousarray(pairs).ravel()
    total = n * (n - 1) // 2
    if ids.size and (ids.min() < 0 or ids.max() >= total):
        raise InvalidComparisonsError(f"pairs of {n} items have ids in 0..{total - 1}")
    if ids.dtype != np.uint32:
        ids = ids.astype(np.int64, copy=False)
    items: tuple[NDArray[np.int64], NDArray[np.int64]] = kernels.items_of_pairs(ids, n)
    return items


def check_n(n: int) -> None:
    """Refuse a number of items whose pairs cannot be numbered in 32 bits."""
    if not 1 <= n <= MAX_ITEMS:
        raise InvalidComparisonsError(
            f"comparisons can be of 1 to {MAX_ITEMS} items, got {n}; take a part of the items"
        )


@cache
def _compile_unique() -> None:
    """Compile both ways of `unique`: which one a call takes depends on the answers."""
    none = Comparisons(2, np.empty(0, np.uint32), np.empty(0, np.uint32))
    split = kernels.split_keys(none.closer, none.farther)
    kernels.drop_repeats(split[0])
    kernels.merge_keys(*split)


def _integers(values: ArrayLike, what: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise InvalidComparisonsError(
            f"{what} must be of integers, got {array.dtype}; convert with .astype(int)"
        )
    return array


def _pair_ids(n: int, values: ArrayLike, what: str) -> NDArray[np.uint32]:
    ids = _integers(values, what)
    if ids.ndim != 1:
        raise InvalidComparisonsError(f"{what} must have shape (m,), got {ids.shape}")
    total = n * (n - 1) // 2
    if ids.size and (int(ids.min()) < 0 or int(ids.max()) >= total):
        row = int(((ids < 0) | (ids >= total)).argmax())
        raise InvalidComparisonsError(
            f"row {row}: {what} is pair {ids[row]}, but {n} items have the pairs 0..{total - 1}"
        )
    return np.ascontiguousarray(ids, dtype=np.uint32).view()


def _from_rows(
    cls: type[Comparisons], n: int, values: ArrayLike, columns: tuple[int, ...]
) -> Comparisons:
    check_n(n)
    width = max(columns) + 1
    rows = _integers(values, "comparisons")
    if rows.size == 0 and rows.ndim <= 2:
        rows = np.empty((0, width), np.int64)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise InvalidComparisonsError(
            f"these comparisons must have shape (m, {width}), got {rows.shape}"
        )
    closer, farther = np.empty(len(rows), np.uint32), np.empty(len(rows), np.uint32)
    for start in range(0, len(rows), _CHUNK):
        part = slice(start, start + _CHUNK)
        items = np.ascontiguousarray(rows[part][:, columns], dtype=np.int64)
        at, fault = kernels.encode_rows(items, n, closer[part], farther[part])
        if fault:
            raise InvalidComparisonsError(_fault(start + at, rows[start + at].tolist(), fault, n))
    return cls(n, closer, farther)


def _fault(row: int, items: list[int], fault: int, n: int) -> str:
    reason = {
        kernels.RowFault.RANGE: f"items must be in 0..{n - 1}",
        kernels.RowFault.SAME_ITEM: "an item is paired with itself",
        kernels.RowFault.SAME_PAIR: "a pair is compared with itself",
    }[kernels.RowFault(fault)]
    return f"row {row} {items}: {reason}"
