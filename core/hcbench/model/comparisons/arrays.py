"""Pairs of items, numbered in scipy's condensed order, and arrays of comparisons of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import InvalidComparisonsError
from hcbench.model.arguments import whole_number
from hcbench.model.arrays import as_plain_array
from hcbench.model.comparisons import _kernels as kernels

PairIds = NDArray[np.uint32]
QUADRUPLET = (0, 1, 2, 3)
"""Which columns of a row of four items are i, j, k, l of w_ij > w_kl."""
TRIPLET = (0, 1, 0, 2)
"""The same of a row of three items."""

_ROWS_AT_A_TIME = 1 << 14  # rows that are converted together: they stay in the cache
_MOST_ENTRIES = 1 << 32  # of an array with an axis for each item
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

    Examples
    --------
    >>> pair_index([0, 0, 2], [1, 2, 1], n=3).tolist()
    [0, 1, 2]
    """
    first, second = np.broadcast_arrays(np.asarray(i, np.int64), np.asarray(j, np.int64))
    first = np.ascontiguousarray(first).ravel()
    second = np.ascontiguousarray(second).ravel()
    is_no_pair = (first < 0) | (first >= n) | (second < 0) | (second >= n) | (first == second)
    if is_no_pair.any():
        at = int(is_no_pair.argmax())
        raise InvalidComparisonsError(
            f"({first[at]}, {second[at]}) is no pair of items in 0..{n - 1}"
        )
    # The kernel trusts its input: both arrays are contiguous, and each row is a pair.
    return kernels.pair_ids(first, second, n)


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

    Examples
    --------
    >>> i, j = pair_items([0, 1, 2], n=3)
    >>> i.tolist(), j.tolist()
    ([0, 0, 1], [1, 2, 2])
    """
    ids = np.ascontiguousarray(pairs).ravel()
    total = n * (n - 1) // 2
    if ids.size and (ids.min() < 0 or ids.max() >= total):
        raise InvalidComparisonsError(f"pairs of {n} items have ids in 0..{total - 1}")
    # Ids of comparisons are uint32, for which the loop is compiled; all others become int64.
    if ids.dtype != np.uint32:
        ids = ids.astype(np.int64, copy=False)
    items: tuple[NDArray[np.int64], NDArray[np.int64]] = kernels.items_of_pairs(ids, n)
    return items


def check_n(n: int) -> None:
    """Raise an error if the pairs of n items cannot be numbered in 32 bits."""
    if not 1 <= whole_number(n, "n") <= MAX_ITEMS:
        raise InvalidComparisonsError(
            f"comparisons can be of 1 to {MAX_ITEMS} items, got {n}; take a part of the items"
        )


def distinct_items(items: ArrayLike, n: int) -> NDArray[np.int64]:
    """Items to take, checked to be distinct and among n."""
    numbers = np.asarray(items, dtype=np.int64).ravel()
    is_no_item = (numbers < 0) | (numbers >= n)
    if is_no_item.any():
        wrong = numbers[is_no_item][0]
        raise InvalidComparisonsError(f"items must be in 0..{n - 1}, got {wrong}")
    if np.unique(numbers).size < numbers.size:
        raise InvalidComparisonsError("items to take must be distinct")
    return numbers


def integers(values: ArrayLike, what: str) -> NDArray[Any]:
    """Values as an array, which must be of integers."""
    array = as_plain_array(values, what)
    if array.size and array.dtype.kind not in "iu":
        raise InvalidComparisonsError(
            f"{what} must be of integers, got {array.dtype}; convert with .astype(int)"
        )
    return array


def pair_ids(n: int, values: ArrayLike, what: str) -> PairIds:
    """Ids (m,) of pairs that exist among n items."""
    ids = integers(values, what)
    if ids.ndim != 1:
        raise InvalidComparisonsError(f"{what} must have shape (m,), got {ids.shape}")
    total = n * (n - 1) // 2
    if ids.size and (int(ids.min()) < 0 or int(ids.max()) >= total):
        row = int(((ids < 0) | (ids >= total)).argmax())
        raise InvalidComparisonsError(
            f"row {row}: {what} is pair {ids[row]}, but {n} items have the pairs 0..{total - 1}"
        )
    # A view, so that making it read-only does not change the caller's array.
    return np.ascontiguousarray(ids, dtype=np.uint32).view()


def annotator_ids(values: ArrayLike, m: int) -> NDArray[np.int32]:
    """Who gave each of m answers: (m,) numbers from 0."""
    numbers = integers(values, "annotator")
    if numbers.shape != (m,):
        raise InvalidComparisonsError(f"annotator must have shape ({m},), got {numbers.shape}")
    is_outside = (numbers < 0) | (numbers > np.iinfo(np.int32).max)
    if is_outside.any():
        row = int(is_outside.argmax())
        raise InvalidComparisonsError(
            f"row {row}: annotator is {numbers[row]}; number annotators from 0"
        )
    return np.ascontiguousarray(numbers, dtype=np.int32).view()


def encode(n: int, values: ArrayLike, columns: tuple[int, ...]) -> tuple[PairIds, PairIds]:
    """Pair ids, (m,) each, of rows of items: closer and farther.

    Raises
    ------
    InvalidComparisonsError
        If a row is invalid; the message names the first.
    """
    width = max(columns) + 1
    rows = integers(values, "comparisons")
    # An empty list is an array of floats of shape (0,), whatever rows it would have had.
    if rows.size == 0 and rows.ndim <= 2:
        rows = np.empty((0, width), np.int64)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise InvalidComparisonsError(
            f"these comparisons must have shape (m, {width}), got {rows.shape}"
        )
    closer = np.empty(len(rows), np.uint32)
    farther = np.empty(len(rows), np.uint32)
    for start in range(0, len(rows), _ROWS_AT_A_TIME):
        part = slice(start, start + _ROWS_AT_A_TIME)
        items = np.ascontiguousarray(rows[part], dtype=np.int64)
        # -1 if all rows are valid; otherwise the first that is not, counted from the start of the
        # part.
        wrong_row = kernels.encode(items, columns, n, closer[part], farther[part])
        if wrong_row >= 0:
            reason = _why_invalid(items[wrong_row], columns, n)
            row = start + wrong_row
            raise InvalidComparisonsError(f"row {row} {rows[row].tolist()}: {reason}")
    return closer, farther


def _why_invalid(items: NDArray[np.int64], columns: tuple[int, ...], n: int) -> str:
    """Why a row of items compares no two pairs."""
    if items.min() < 0 or items.max() >= n:
        return f"items must be in 0..{n - 1}"
    i, j, k, l = items[list(columns)]  # noqa: E741
    if i == j or k == l:
        return "an item is paired with itself; correct or remove the row"
    return "a pair is compared with itself; correct or remove the row"


def answer_counts(values: ArrayLike, m: int) -> NDArray[np.int64]:
    """How many answers each of m responses stands for, negative for no.

    True and False are 1 and -1; an integer counts answers, as in cblearn's "list-count".
    """
    responses = as_plain_array(values, "responses")
    if responses.shape != (m,):
        raise InvalidComparisonsError(f"responses must have shape ({m},), got {responses.shape}")
    if responses.dtype.kind == "b":
        return np.where(responses, 1, -1)
    # Answers that were read by pandas are floats where some are missing elsewhere.
    if responses.dtype.kind == "f" and (responses == np.rint(responses)).all():
        return responses.astype(np.int64)
    return integers(responses, "responses").astype(np.int64)


def entries(array: Any) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Number of items, and the rows (m, 3 or 4) and values (m,) of entries that are not 0.

    Entries that pair an item with itself or compare a pair with itself, as ComparisonHC's arrays
    have them, are ignored. O(n^3) or O(n^4).
    """
    # Sparse arrays in coordinate form, of the package sparse or of scipy.
    is_sparse = hasattr(array, "coords") and hasattr(array, "data")
    tensor: Any = array
    if not is_sparse:
        tensor = as_plain_array(array, "comparisons")
    n = 0
    if tensor.ndim in (3, 4):
        n = tensor.shape[0]
    if tensor.ndim not in (3, 4) or tensor.shape != (n,) * tensor.ndim:
        raise InvalidComparisonsError(
            f"an array of comparisons has shape (n, n, n) or (n, n, n, n), got {tensor.shape}"
        )
    if is_sparse:
        axes = tensor.coords
        values = np.asarray(tensor.data)
    else:
        axes = np.nonzero(tensor)
        values = np.asarray(tensor[axes])
    items_of_axes = [np.asarray(axis, dtype=np.int64) for axis in axes]
    rows = np.column_stack(items_of_axes)
    columns = QUADRUPLET
    if tensor.ndim == 3:
        columns = TRIPLET
    i, j, k, l = rows[:, columns].T  # noqa: E741
    are_pairs = (i != j) & (k != l)
    are_different = ((i != k) | (j != l)) & ((i != l) | (j != k))
    compares = are_pairs & are_different
    return n, rows[compares], answer_counts(values, values.size)[compares]


def fill(n: int, rows: NDArray[np.int32]) -> NDArray[np.int8]:
    """The (n, n, n, n) array of ComparisonHC: 1 where w_ij > w_kl, -1 where less, 0 if unknown.

    All eight ways to write a comparison are filled in; a contradiction is 0, whatever the counts.

    Raises
    ------
    InvalidComparisonsError
        If it would take more than 4 GiB.
    """
    if n**4 > _MOST_ENTRIES:
        raise InvalidComparisonsError(
            f"an array (n, n, n, n) of {n} items takes {n**4 / 2**30:.0f} GiB; take fewer items, "
            "or write quadruplets()"
        )
    # Two arrays, as a contradiction is in both and must become 0.
    yes = np.zeros((n,) * 4, bool)
    no = np.zeros((n,) * 4, bool)
    i, j, k, l = rows.T  # noqa: E741
    for a, b in ((i, j), (j, i)):
        for c, d in ((k, l), (l, k)):
            yes[a, b, c, d] = True
            no[c, d, a, b] = True
    return yes.astype(np.int8) - no.astype(np.int8)
