"""Pairs of items and their numbers, in scipy's condensed order: 0 is (0, 1), 1 is (0, 2), ..."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import InvalidComparisonsError
from hcbench.model.comparisons import _kernels as kernels

MAX_ITEMS = 92_682
"""Pair ids of more items than this do not fit into 32 bits."""


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
    """Raise an error if the pairs of n items cannot be numbered in 32 bits."""
    if not 1 <= n <= MAX_ITEMS:
        raise InvalidComparisonsError(
            f"comparisons can be of 1 to {MAX_ITEMS} items, got {n}; take a part of the items"
        )


def distinct_items(items: ArrayLike, n: int) -> NDArray[np.int64]:
    """Items to take, checked to be distinct and among n."""
    chosen = np.asarray(items, dtype=np.int64).ravel()
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n):
        wrong = chosen[(chosen < 0) | (chosen >= n)][0]
        raise InvalidComparisonsError(f"items must be in 0..{n - 1}, got {wrong}")
    if np.unique(chosen).size < chosen.size:
        raise InvalidComparisonsError("items to take must be distinct")
    return chosen
