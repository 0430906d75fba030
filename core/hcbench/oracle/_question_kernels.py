"""What a question is called, however it is put: by 64 bits, or by a number of its own.

Keys name questions of any kind, and decide noisy answers. Where there are few possible questions
they are numbered without gaps, so that a ledger can keep a bit for each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

MOST_BITS = 1 << 30
"""So many possible questions have a bit each: 128 MiB, of which the system gives what is used."""
#: Which questions are the same: those about the same set of items; about the same two unordered
#: pairs, in either order; about the same items in the same order.
UNORDERED, QUADRUPLET, ORDERED = 0, 1, 2
#: How questions are numbered, so that each has a bit: not at all; those about two unordered pairs;
#: about a set of two items; of three.
NOT, BY_PAIRS, BY_TWO, BY_THREE = 0, 1, 2, 3


@njit(cache=True)
def scramble(x: Any) -> Any:
    """Scramble 64 bits, a uint64: the finalizer of SplitMix64 (Steele, Lea & Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True)
def _pair(i: Any, j: Any) -> Any:
    low, high = (i, j) if i < j else (j, i)
    return scramble((np.uint64(low) << np.uint64(32)) | np.uint64(high))


@njit(cache=True)
def question_key(symmetry: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
    """64 bits that name a question, the same for all ways of asking it; never 0.

    Two different questions share a key with probability 2^-64.

    Parameters
    ----------
    symmetry : int
        UNORDERED, QUADRUPLET or ORDERED.
    i, j, k, l : int
        Items; unused ones are 0.
    """
    if symmetry == QUADRUPLET:
        first, second = _pair(i, j), _pair(k, l)
        low, high = (first, second) if first < second else (second, first)
        key = scramble(low + np.uint64(3) * scramble(high))
    elif symmetry == ORDERED:
        key = np.uint64(0)
        for item in (i, j, k, l):
            key = scramble(key + np.uint64(item) + np.uint64(1))
    else:
        # Sums of scrambled ids are the same in any order; the unused zeros add a constant.
        one = np.uint64(1)
        key = scramble(
            scramble(np.uint64(i) + one)
            + scramble(np.uint64(j) + one)
            + scramble(np.uint64(k) + one)
            + scramble(np.uint64(l) + one)
        )
    return key if key != np.uint64(0) else np.uint64(1)


@njit(cache=True)
def _triangle(i: Any, j: Any) -> Any:
    """A number for an unordered pair, equal ones included: 0 for (0, 0), then (0, 1), (1, 1)...

    Of 32 bits, as numbers stay below `MOST_BITS`: vectors hold twice as many.
    """
    low, high = np.uint32(min(i, j)), np.uint32(max(i, j))
    doubled = np.uint32(high * np.uint32(high + np.uint32(1)))
    return np.uint32((doubled >> np.uint32(1)) + low)


@njit(cache=True)
def _tetrahedron(i: Any, j: Any, k: Any) -> Any:
    """A number for three unordered items, equal ones included: those of the highest item last."""
    low, high = (i, j) if i < j else (j, i)
    if k > high:
        high, k = k, high
    return high * (high + 1) * (high + 2) // 6 + _triangle(low, k)


def numbering(symmetry: int, arity: int, n: int) -> tuple[int, int]:
    """How questions are numbered, and how many numbers there are; NOT if they are too many."""
    n_pairs = n * (n + 1) // 2
    if symmetry == QUADRUPLET:
        found = BY_PAIRS, n_pairs * (n_pairs + 1) // 2
    elif symmetry == UNORDERED and arity == 2:
        found = BY_TWO, n_pairs
    elif symmetry == UNORDERED and arity == 3:
        found = BY_THREE, n_pairs * (n + 2) // 3
    else:
        return NOT, 0
    return found if found[1] <= MOST_BITS else (NOT, 0)


@njit(cache=True)
def name_of(numbered: Any, key: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
    """What a question is noted by: its number + 1, if there are numbers, else its key; never 0."""
    if numbered == BY_PAIRS:
        return np.uint64(_triangle(_triangle(i, j), _triangle(k, l)) + 1)
    if numbered == BY_TWO:
        return np.uint64(_triangle(i, j) + 1)
    if numbered == BY_THREE:
        return np.uint64(_tetrahedron(i, j, k) + 1)
    return key


@njit(cache=True)
def columns_from(items: NDArray[np.int32], start: Any) -> Any:
    """The rows of items (4, any) from a question on."""
    return items[0, start:], items[1, start:], items[2, start:], items[3, start:]


@njit(cache=True)
def name_questions(
    symmetry: Any, numbered: Any, items: NDArray[np.int32], start: Any, names: NDArray[np.uint64]
) -> None:
    """Fill in the names (m,) of questions number start, start + 1, ... by their items (4, any).

    Each loop has nothing else in it, so that vectors can be made of the first ones.
    """
    i, j, k, l = columns_from(items, start)  # noqa: E741
    if numbered == BY_PAIRS:
        for at in range(names.size):
            names[at] = _triangle(_triangle(i[at], j[at]), _triangle(k[at], l[at])) + 1
    elif numbered == BY_TWO:
        for at in range(names.size):
            names[at] = _triangle(i[at], j[at]) + 1
    elif numbered == BY_THREE:
        for at in range(names.size):
            names[at] = _tetrahedron(i[at], j[at], k[at]) + 1
    else:
        for at in range(names.size):
            names[at] = question_key(symmetry, i[at], j[at], k[at], l[at])
