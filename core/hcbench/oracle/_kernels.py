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

#: So many possible queries have a bit each: 128 MiB, of which the system gives what is used.
MOST_BITS = 1 << 30
#: Which queries are the same: those about the same set of items; about the same two unordered
#: pairs, in either order; about the same items in the same order.
UNORDERED = 0
QUADRUPLET = 1
ORDERED = 2
#: How queries are numbered, so that each has a bit: not at all; those about two unordered pairs;
#: about a set of two items; of three.
NOT = 0
BY_PAIRS = 1
BY_TWO = 2
BY_THREE = 3


@register_jitable
def scramble(x: Any) -> Any:
    """Scramble 64 bits, a uint64: the finalizer of SplitMix64 (Steele, Lea & Flood 2014).

    Examples
    --------
    >>> with np.errstate(over="ignore"):
    ...     word = scramble(np.uint64(0x9E3779B97F4A7C15))
    >>> hex(word)
    '0xe220a8397b1dcdaf'
    """
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@register_jitable
def _pair(i: Any, j: Any) -> Any:
    """64 bits that name an unordered pair."""
    low = np.uint64(min(i, j))
    high = np.uint64(max(i, j))
    return scramble((low << np.uint64(32)) | high)


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
        # Neither the order of the pairs nor the order in a pair matters.
        first = _pair(i, j)
        second = _pair(k, l)
        low = min(first, second)
        high = max(first, second)
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
    low = np.uint32(min(i, j))
    high = np.uint32(max(i, j))
    doubled = np.uint32(high * np.uint32(high + np.uint32(1)))
    return np.uint32((doubled >> np.uint32(1)) + low)


@njit(cache=True)
def _tetrahedron(i: Any, j: Any, k: Any) -> Any:
    """A number for three unordered items, equal ones included: those of the highest item last."""
    low = min(i, j)
    high = max(i, j)
    highest = max(high, k)
    middle = min(high, k)  # or the lowest, which makes no difference
    return highest * (highest + 1) * (highest + 2) // 6 + _triangle(low, middle)


def numbering(symmetry: int, arity: int, n: int) -> tuple[int, int]:
    """How queries are numbered, and how many numbers there are; NOT if they are too many."""
    n_pairs = n * (n + 1) // 2
    if symmetry == QUADRUPLET:
        kind = BY_PAIRS
        n_numbers = n_pairs * (n_pairs + 1) // 2
    elif symmetry == UNORDERED and arity == 2:
        kind = BY_TWO
        n_numbers = n_pairs
    elif symmetry == UNORDERED and arity == 3:
        kind = BY_THREE
        n_numbers = n_pairs * (n + 2) // 3
    else:
        return NOT, 0
    if n_numbers > MOST_BITS:
        return NOT, 0
    return kind, n_numbers


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


# What the counters of a ledger count.
QUERIES = 0
DISTINCT = 1
#: The most queries that are allowed.
BUDGET = 2
ROUNDS = 3
#: The answers of a set, each time that it is read.
WHOLE = 4
#: The size of the set, once it is read.
SET = 5
#: 1 if a query was refused.
REFUSED = 6
#: 1 if a query named an item that does not exist.
NO_ITEM = 7
#: Queries that are noted.
ASKED = 8
#: Queries that were asked again.
REPEATED = 9
#: Queries that are put down.
WAITING = 10
COUNTERS = 11

#: So many single queries are put down before they are noted.
PUT_DOWN = 4096
#: So many queries are noted at a time.
WINDOW = 256


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
def _enter(numbered: Any, noted: Any, name: Any) -> Any:
    """Note a query by its name; whether it is asked for the first time."""
    if numbered:
        number = name - np.uint64(1)
        word = number >> np.uint64(6)
        bit = np.uint64(1) << (number & np.uint64(63))
        if noted[word] & bit:
            return False
        noted[word] |= bit
        return True
    slot = _slot_of(noted, name)
    if noted[slot] == name:
        return False
    noted[slot] = name
    return True


@register_jitable
def _make_room(state: Any, more: Any) -> Any:
    """Let the hash set be at most half full with so many more queries; the set."""
    noted = state.core_asked
    n_asked = state.core_counters[ASKED] + more
    if state.numbered or 2 * n_asked < len(noted):
        return noted
    size = len(noted)
    while 2 * n_asked >= size:
        size *= 2
    # Move all keys to a set of a size that is a power of 2; 0 is an empty place.
    larger = np.zeros(size, np.uint64)
    for name in noted:
        if name != 0:
            larger[_slot_of(larger, name)] = name
    state.core_asked = larger
    return larger


@register_jitable
def _repeat(state: Any, name: Any) -> Any:
    """Note that a query is asked again; for which time, 1 for the first repetition."""
    if 2 * state.core_counters[REPEATED] >= len(state.core_keys):
        # The hash table is half full: move what it holds to one of twice the size.
        old_keys = state.core_keys
        old_times = state.core_times
        keys = np.zeros(2 * len(old_keys), np.uint64)
        times = np.zeros(2 * len(old_keys), np.int64)
        for old_slot in range(len(old_keys)):
            if old_keys[old_slot] != 0:
                slot = _slot_of(keys, old_keys[old_slot])
                keys[slot] = old_keys[old_slot]
                times[slot] = old_times[old_slot]
        state.core_keys = keys
        state.core_times = times
    slot = _slot_of(state.core_keys, name)
    if state.core_keys[slot] == 0:
        state.core_keys[slot] = name
        state.core_counters[REPEATED] += 1
    state.core_times[slot] += 1
    return state.core_times[slot]


@njit(cache=True)
def note_one(state: Any, key: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
    """Note a query; how often it was asked before, or 0 where no answer depends on that."""
    waiting = state.core_waiting
    counters = state.core_counters
    name = name_of(state.numbered, key, i, j, k, l)
    if len(waiting):
        # No answer depends on repetitions: put the query down, to note many at once.
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
    waiting = state.core_waiting
    counters = state.core_counters
    times = np.empty(WINDOW, np.int64)  # not used: no answer depends on repetitions
    for start in range(0, counters[WAITING], WINDOW):
        names = waiting[start : min(start + WINDOW, counters[WAITING])]
        _enter_all(state, names, times)
    counters[WAITING] = 0


@register_jitable
def _enter_all(state: Any, names: Any, times: Any) -> None:
    """Note at most `WINDOW` queries by their names, and fill in how often each was asked before.

    Most are asked for the first time: which were not is found in a loop without a branch on it.
    """
    noted = _make_room(state, len(names))
    if state.numbered:
        n_repeated = _enter_numbers(noted, names, times)
    else:
        n_repeated = _enter_keys(noted, names, times)
    state.core_counters[ASKED] += len(names) - n_repeated
    state.core_counters[DISTINCT] += len(names) - n_repeated
    if n_repeated:
        for at in range(len(names)):
            if times[at]:
                times[at] = _repeat(state, names[at])


@register_jitable
def _enter_numbers(noted: Any, names: Any, times: Any) -> Any:
    """Set the bits of queries; how many were set, and in ``times`` 1 for each that was, else 0.

    A word is written once all queries in a row that have a bit in it are noted.
    """
    one = np.uint64(1)
    bits_of_word = np.uint64(63)
    n_set = np.uint64(0)
    # The word that is held, and its place.
    place = np.uint64(0)
    word = noted[0]
    for at in range(len(names)):
        # A name is a number + 1.
        number = names[at] - one
        if number >> np.uint64(6) != place:
            # The query has its bit in another word: write this one, and hold that one.
            noted[place] = word
            place = number >> np.uint64(6)
            word = noted[place]
        was_set = (word >> (number & bits_of_word)) & one
        word |= one << (number & bits_of_word)
        times[at] = was_set
        n_set += was_set
    noted[place] = word
    return np.int64(n_set)


@register_jitable
def _enter_keys(noted: Any, names: Any, times: Any) -> Any:
    """As `_enter_numbers`, of keys in a hash set.

    No step of the first loop waits for another: the places are fetched at once.
    """
    mask = np.uint64(len(noted) - 1)
    n_set = 0
    # Fetch the places of all keys; what is read is not used.
    for at in range(len(names)):
        times[at] = noted[names[at] & mask]
    # Enter the keys, which are in the cache of the processor now.
    for at in range(len(names)):
        slot = _slot_of(noted, names[at])
        times[at] = noted[slot] == names[at]
        noted[slot] = names[at]
        n_set += times[at]
    return n_set
