"""Exact changes of vectors: by a power of two, by a shift, to rows that differ, to an array."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hcbench import DataError

if TYPE_CHECKING:
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]

#: The largest value becomes less than 2 to this power: sums of its squares do not overflow, and
#: squares of differences that are 10^-300 of it do not vanish.
EXPONENT = 480
#: 2 to this power, and to its negative, is a number.
_MOST = 1000


def shift_of(values: Any) -> int:
    """The power of two by which ``values``, dense or sparse, are multiplied before computations."""
    entries = _entries(values)
    if entries.size == 0:
        return 0
    largest = max(float(entries.max()), -float(entries.min()))
    if largest == 0:
        return 0
    _, exponent = math.frexp(largest)
    return max(-_MOST, min(EXPONENT - exponent, _MOST))


def unscaled(heights: Floats, shift: int, algorithm: str, values: Any) -> Floats:
    """Divide heights by ``2**shift``.

    Raises
    ------
    DataError
        If one is too large for a number, or all are too small for one; ``values`` are the data,
        for the message.
    """
    with np.errstate(over="ignore", under="ignore"):
        result: Floats = np.ldexp(heights, -shift)
    has_vanished = heights.any() and not result.any()
    if np.isfinite(result).all() and not has_vanished:
        return result
    entries = _entries(values)
    largest = max(float(entries.max()), -float(entries.min()))
    divisor = 10.0 ** math.floor(math.log10(largest))
    problem = "underflow to 0 (below 5e-324)" if has_vanished else "overflow (above 1.8e308)"
    raise DataError(
        f"{algorithm}: the largest value is {largest:.3g}, so heights {problem}; "
        f"scale the data, for example divide them by {divisor:.0e}"
    )


def dense(vectors: Any) -> Floats:
    """The array of dense or sparse vectors."""
    if isinstance(vectors, np.ndarray):
        return vectors
    array: Floats = vectors.toarray()
    return array


def _entries(values: Any) -> Floats:
    """The numbers of an array, or those that a sparse one stores."""
    entries: Floats = values if isinstance(values, np.ndarray) else values.data
    return entries


def exact_centre(vectors: NDArray[np.floating[Any]]) -> Floats:
    """A centre (p,) that can be subtracted from vectors (n, p) without any rounding.

    If all values x of a coordinate have one sign and the largest is at most four times the
    smallest, there are c with x / 2 <= c <= 2 x for all of them, and x - c is a number (Sterbenz
    1974); of these the nearest to the mean. Other coordinates have centre 0: they spread over three
    quarters of their largest value, so that rounding to it loses nothing beside the spread.
    """
    low = vectors.min(axis=0)
    high = vectors.max(axis=0)
    with np.errstate(over="ignore"):  # an infinite bound is one, too
        smallest = np.minimum(np.abs(low), np.abs(high))
        largest = np.maximum(np.abs(low), np.abs(high))
        is_far = (np.sign(low) == np.sign(high)) & (largest <= 4.0 * smallest)
        middle = np.abs(low + 0.5 * (high - low))
        centre = np.clip(middle, 0.5 * largest, np.maximum(2.0 * smallest, 0.5 * largest))
    return np.where(is_far, np.sign(low) * centre, 0.0)


def distinct_rows(vectors: Vectors) -> tuple[Vectors, Ids]:
    """Return the rows that differ, in the order of their first copies, and which one each row is.

    Hashes of the rows (n, p) find those that may be copies, and only these are compared. -0 equals
    0, and a sparse row does not depend on zeros that are stored. O(entries + n log n).
    """
    n = vectors.shape[0]
    keys = _hashes(vectors)
    in_order = np.sort(keys)
    repeated = in_order[1:][in_order[1:] == in_order[:-1]]
    first_copy = np.arange(n)
    if repeated.size == 0:
        return vectors, first_copy
    copy_of: dict[tuple[bytes, ...], int] = {}
    for row in np.flatnonzero(np.isin(keys, repeated)).tolist():
        first_copy[row] = copy_of.setdefault(_content(vectors, row), row)
    distinct = np.flatnonzero(first_copy == np.arange(n))
    return vectors[distinct], np.searchsorted(distinct, first_copy)


def _hashes(vectors: Vectors) -> NDArray[np.uint64]:
    rng = np.random.default_rng(0)
    drawn: NDArray[np.uint64] = rng.integers(1 << 62, size=(vectors.shape[1],), dtype=np.uint64)
    factors: NDArray[np.uint64] = np.uint64(2) * drawn + np.uint64(1)  # odd
    if isinstance(vectors, np.ndarray):
        hashes: NDArray[np.uint64] = _mixed(vectors) @ factors
        return hashes
    entries = _mixed(vectors.data) * factors[vectors.indices]
    terms: Any = sparse.csr_array((entries, vectors.indices, vectors.indptr), shape=vectors.shape)
    sums: NDArray[np.uint64] = terms @ np.ones(vectors.shape[1], np.uint64)
    return sums


def _mixed(values: NDArray[np.floating[Any]]) -> NDArray[np.uint64]:
    """Bits of numbers, the upper ones mixed into the lower ones; those of 0 and -0 are 0."""
    bits = (np.asarray(values, dtype=np.float64, order="C") + 0.0).view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    return bits


def _content(vectors: Vectors, row: int) -> tuple[bytes, ...]:
    if isinstance(vectors, np.ndarray):
        return ((vectors[row] + 0.0).tobytes(),)
    entries = slice(vectors.indptr[row], vectors.indptr[row + 1])
    values = vectors.data[entries]
    columns = vectors.indices[entries]
    order = np.argsort(columns)
    order = order[values[order] != 0]
    return columns[order].tobytes(), values[order].tobytes()
