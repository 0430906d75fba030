"""Compiled loops of a ledger: which queries were asked, and how often.

A query is named, however it is put, by 64 bits or by a number of its own. Keys name queries of
any kind, and decide noisy answers. Where there are few possible queries they are numbered without
gaps, so that a ledger can keep a bit for each.

That a query was asked is noted in one place and how often it was repeated in another, as most
never are: the first is a bit for each possible query where these are few enough, else a hash
set of keys, so that noting a new query costs one access to memory. Many are noted `WINDOW` at a
time, as the processor then fetches many places at once. So where no answer depends on how often
its query was asked, a query that comes alone is put down until `PUT_DOWN` of them wait.

The state is that of `hcbench.compiled`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

MOST_BITS = 1 << 30
"""So many possible queries have a bit each: 128 MiB, of which the system gives what is used."""
#: Which queries are the same: those about the same set of items; about the same two unordered
#: pairs, in either order; about the same items in the same order.
UNORDERED, QUADRUPLET, ORDERED = 0, 1, 2
#: How queries are numbered, so that each has a bit: not at all; those about two unordered pairs;
#: about a set of two items; of three.
NOT, BY_PAIRS, BY_TWO, BY_THREE = 0, 1, 2, 3


@register_jitable
def scramble(x: Any) -> Any:
    """Scramble 64 bits, a uint64: the finalizer of SplitMix64 (Steele, Lea & Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@register_jitable
def _pair(i: Any, j: Any) -> Any:
    low, high = (i, j) if i < j else (j, i)
    return scramble((np.uint64(low) << np.uint64(32)) | np.uint64(high))


@njit(cache=True)
def query_key(symmetry: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
    """64 bits that name a query, the same for all ways of asking it; never 0.

    Two different queries share a key with probability 2^-64.

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


@register_jitable
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
    """How queries are numbered, and how many numbers there are; NOT if they are too many."""
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
    """What a query is noted by: its number + 1, if there are numbers, else its key; never 0."""
    if numbered == BY_PAIRS:
        return np.uint64(_triangle(_triangle(i, j), _triangle(k, l)) + 1)
    if numbered == BY_TWO:
        return np.uint64(_triangle(i, j) + 1)
    if numbered == BY_THREE:
        return np.uint64(_tetrahedron(i, j, k) + 1)
    return key


@njit(cache=True)
def columns_from(items: NDArray[np.int32], start: Any) -> Any:
    """The rows of items (4, any) from a query on."""
    return items[0, start:], items[1, start:], items[2, start:], items[3, start:]


@njit(cache=True)
def name_queries(
    symmetry: Any, numbered: Any, items: NDArray[np.int32], start: Any, names: NDArray[np.uint64]
) -> None:
    """Fill in the names (m,) of queries number start, start + 1, ... by their items (4, any).

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
            names[at] = query_key(symmetry, i[at], j[at], k[at], l[at])


@njit(cache=True)
def name_long_queries(symmetry: Any, items: NDArray[np.int32], names: NDArray[np.uint64]) -> None:
    """Fill in the keys (m,) of queries about more than four items (arity, m); see `query_key`.

    They are UNORDERED or ORDERED.
    """
    for at in range(names.size):
        key = np.uint64(0)
        for item in items[:, at]:
            if symmetry == ORDERED:
                key = scramble(key + np.uint64(item) + np.uint64(1))
            else:
                key += scramble(np.uint64(item) + np.uint64(1))
        key = scramble(key)
        names[at] = key if key != np.uint64(0) else np.uint64(1)


#: What the counters count, and two flags: a query was refused; it named no item. WHOLE are the
#: answers of a set, each time that it is read; SET is its size, once it is.
QUERIES, DISTINCT, BUDGET, ROUNDS, WHOLE, SET, REFUSED, NO_ITEM, ASKED, REPEATED, WAITING = range(
    11
)
COUNTERS = 11
PUT_DOWN, WINDOW = 4096, 256


@njit(cache=True)
def notes_of(state: Any) -> Any:
    """Whether queries are numbered, which were asked, and how often others were repeated."""
    return state.numbered, state.core_asked, state.core_times


@register_jitable
def _slot_of(keys: Any, key: Any) -> Any:
    """Where a key is, or would be, in a hash set with open addressing."""
    mask = np.uint64(len(keys) - 1)
    slot = key & mask
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@register_jitable
def _enter(numbered: Any, asked: Any, name: Any) -> Any:
    """Note a query by its name; whether it is asked for the first time."""
    if numbered:
        number = name - np.uint64(1)
        word, bit = number >> np.uint64(6), np.uint64(1) << (number & np.uint64(63))
        if asked[word] & bit:
            return False
        asked[word] |= bit
        return True
    slot = _slot_of(asked, name)
    if asked[slot] == name:
        return False
    asked[slot] = name
    return True


@register_jitable
def _make_room(state: Any, more: Any) -> Any:
    """Let the hash set be at most half full with so many more queries; the set."""
    asked, filled = state.core_asked, state.core_counters[ASKED] + more
    if state.numbered or 2 * filled < len(asked):
        return asked
    size = len(asked)
    while 2 * filled >= size:
        size *= 2
    old, asked = asked, np.zeros(size, np.uint64)
    for name in old:
        if name != 0:
            asked[_slot_of(asked, name)] = name
    state.core_asked = asked
    return asked


@register_jitable
def _repeat(state: Any, name: Any) -> Any:
    """Note that a query is asked again; for which time, 1 for the first repetition."""
    if 2 * state.core_counters[REPEATED] >= len(state.core_keys):
        old_keys, old_times = state.core_keys, state.core_times
        keys, times = np.zeros(2 * len(old_keys), np.uint64), np.zeros(2 * len(old_keys), np.int64)
        for old in range(len(old_keys)):
            if old_keys[old] != 0:
                slot = _slot_of(keys, old_keys[old])
                keys[slot], times[slot] = old_keys[old], old_times[old]
        state.core_keys, state.core_times = keys, times
    slot = _slot_of(state.core_keys, name)
    if state.core_keys[slot] == 0:
        state.core_keys[slot] = name
        state.core_counters[REPEATED] += 1
    state.core_times[slot] += 1
    return state.core_times[slot]


@njit(cache=True)
def note_one(state: Any, key: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
    """Note a query; how often it was asked before, or 0 where no answer depends on that."""
    waiting, counters = state.core_waiting, state.core_counters
    name = name_of(state.numbered, key, i, j, k, l)
    if len(waiting):
        waiting[counters[WAITING]] = name
        counters[WAITING] += 1
        if counters[WAITING] == len(waiting):
            settle(state)
        return np.int64(0)
    if _enter(state.numbered, _make_room(state, 1), name):
        counters[ASKED] += 1
        counters[DISTINCT] += 1
        return np.int64(0)
    return _repeat(state, name)


@njit(cache=True)
def note_many(state: Any, names: NDArray[np.uint64], times: NDArray[np.int64]) -> None:
    """Count and note at most `WINDOW` queries by their names (m,).

    Parameters
    ----------
    times : (m,) int64, written
        Of each what `note_one` returns.
    """
    _enter_all(state, names, times)
    state.core_counters[QUERIES] += len(names)
    if len(state.core_waiting):
        times[: len(names)] = 0


@njit(cache=True)
def settle(state: Any) -> None:
    """Note all queries that were put down."""
    waiting, counters, times = state.core_waiting, state.core_counters, np.empty(WINDOW, np.int64)
    for start in range(0, counters[WAITING], WINDOW):
        names = waiting[start : min(start + WINDOW, counters[WAITING])]
        _enter_all(state, names, times)
    counters[WAITING] = 0


@register_jitable
def _enter_all(state: Any, names: Any, times: Any) -> None:
    """Note at most `WINDOW` queries by their names, and fill in how often each was asked before.

    Most are asked for the first time: which were not is found in a loop without a branch on it.
    """
    asked = _make_room(state, len(names))
    if state.numbered:
        old = _enter_numbers(asked, names, times)
    else:
        old = _enter_keys(asked, names, times)
    state.core_counters[ASKED] += len(names) - old
    state.core_counters[DISTINCT] += len(names) - old
    if old:
        for at in range(len(names)):
            if times[at]:
                times[at] = _repeat(state, names[at])


@register_jitable
def _enter_numbers(asked: Any, names: Any, times: Any) -> Any:
    """Set the bits of queries; how many were set, and in ``times`` 1 for each that was, else 0.

    A word is written once all queries in a row that have a bit in it are noted.
    """
    one, bits, old = np.uint64(1), np.uint64(63), np.uint64(0)
    place, word = np.uint64(0), asked[0]
    for at in range(len(names)):
        number = names[at] - one
        if number >> np.uint64(6) != place:
            asked[place] = word
            place = number >> np.uint64(6)
            word = asked[place]
        was_set = (word >> (number & bits)) & one
        word |= one << (number & bits)
        times[at] = was_set
        old += was_set
    asked[place] = word
    return np.int64(old)


@register_jitable
def _enter_keys(asked: Any, names: Any, times: Any) -> Any:
    """As `_enter_numbers`, of keys in a hash set.

    No step of the first loop waits for another: the places are fetched at once.
    """
    mask, old = np.uint64(len(asked) - 1), 0
    for at in range(len(names)):
        times[at] = asked[names[at] & mask]
    for at in range(len(names)):
        slot = _slot_of(asked, names[at])
        times[at] = asked[slot] == names[at]
        asked[slot] = names[at]
        old += times[at]
    return old
