"""Oracles inside compiled loops: the counter that core wraps around every answer.

A kernel that asks 10^7 questions one after another cannot pay microseconds for each. So an oracle
may offer a compiled answer function; `counting` wraps it with the ledger, and the kernel receives
it as an argument of the first-class function type `ASK`. The ledger's state, of type `STATE`,
lives in a structref, so that what it notes grows inside the compiled code.

Which questions were asked is noted in one place and how often they were repeated in another, as
most never are: the first is a bit for each possible question where these are few enough, else a
hash set of keys, so that noting a new question costs one access to memory. Where no answer depends
on how often its question was asked, questions are first put down one after another and noted
`_PUT_DOWN` at a time, as the processor then fetches many places at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit, types
from numba.experimental import structref
from numpy.typing import NDArray

__all__ = [
    "ASK",
    "STATE",
    "CompiledState",
    "counting",
    "draw_pairs",
    "question_key",
    "scramble",
    "uniform",
]

#: What the counters count, and two flags: a question was refused; it named no item. WHOLE are the
#: answers of a set, each time that it is read; SET is its size, once it is.
QUERIES, DISTINCT, BUDGET, ROUNDS, WHOLE, SET, REFUSED, NO_ITEM, ASKED, REPEATED, WAITING = range(
    11
)
MOST_BITS = 1 << 30
"""So many possible questions have a bit each: 128 MiB, of which the system gives what is used."""
_PUT_DOWN, _FETCHED = 4096, 64
UNLIMITED = np.iinfo(np.int64).max
#: Which questions are the same: those about the same set of items; about the same two unordered
#: pairs, in either order; about the same items in the same order.
UNORDERED, QUADRUPLET, ORDERED = 0, 1, 2
#: How questions are numbered, so that each has a bit: not at all; those about two unordered pairs;
#: about a set of two items; of three.
NOT, BY_PAIRS, BY_TWO, BY_THREE = 0, 1, 2, 3
_ASKED_TOO_MUCH = "the budget of questions is used up"


# numba's structref module is not annotated.
_structref: Any = structref


@structref.register
class _StateType(types.StructRef):
    pass


_CompiledStateType: Any = _StateType


class CompiledState(structref.StructRefProxy):
    """An oracle's data and its ledger, as compiled code sees them."""


_new_compiled_state: Any = CompiledState
_structref.define_proxy(
    CompiledState,
    _StateType,
    [
        "core_floats",
        "core_ints",
        "core_asked",
        "core_waiting",
        "core_keys",
        "core_times",
        "core_counters",
        "symmetry",
        "numbered",
        "n",
    ],
)

# The fields are core's: a kernel passes the state on; who writes it is found out (`is_sound`).
#: The numba type of the state that a kernel passes on to ``ask``.
STATE = _CompiledStateType(
    [
        ("core_floats", types.float64[::1]),
        ("core_ints", types.int64[::1]),
        ("core_asked", types.uint64[::1]),
        ("core_waiting", types.uint64[::1]),
        ("core_keys", types.uint64[::1]),
        ("core_times", types.int64[::1]),
        ("core_counters", types.int64[::1]),
        ("symmetry", types.int64),
        ("numbered", types.int64),
        ("n", types.int64),
    ]
)
_ID = types.int64
#: The numba type of ``ask(state, i, j, k, l) -> answer``; unused items are 0.
ASK = types.FunctionType(types.int64(STATE, _ID, _ID, _ID, _ID))


@njit(cache=True)
def scramble(x: Any) -> Any:
    """Scramble 64 bits, a uint64: the finalizer of SplitMix64 (Steele, Lea & Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True)
def uniform(seed: Any, key: Any, time: Any) -> Any:
    """A number in [0, 1) that depends on nothing but seed, question and how often it was asked.

    Parameters
    ----------
    seed : int
        The noise seed.
    key : uint64
        The canonical question (`question_key`).
    time : int
        0 for the first time it is asked; keep it at 0 for persistent noise.
    """
    step = np.uint64(0x9E3779B97F4A7C15)
    stream = scramble(np.uint64(seed) + step * (np.uint64(time) + np.uint64(1)))
    bits = scramble(stream ^ np.uint64(key))
    return np.float64(bits >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def draw_pairs(seed: Any, n: Any, start: Any, pairs: NDArray[np.int64]) -> None:
    """Fill in ordered pairs (m, 2) of different items, each of n (n-1) equally likely. O(m).

    They are those numbered start, start + 1, ... of a stream that depends on seed and n alone.
    """
    for row in range(len(pairs)):
        key = np.uint64(start + row)
        i = np.int64(uniform(seed, key, 0) * n)
        j = np.int64(uniform(seed, key, 1) * (n - 1))
        pairs[row, 0] = i
        pairs[row, 1] = j + (j >= i)


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
def is_sound(state: Any) -> Any:
    """Whether the counters agree with the questions noted: nobody else wrote them. O(notes)."""
    settle(state)
    counters = state.core_counters
    distinct = _count_bits(state.core_asked) if state.numbered else _fill(state.core_asked)
    repetitions = state.core_times.sum()
    return (
        counters[QUERIES] == distinct + repetitions + counters[WHOLE]
        and counters[DISTINCT] == distinct
        and counters[SET] <= counters[WHOLE]
        and counters[QUERIES] <= counters[BUDGET]
    )


@njit(cache=True)
def _fill(keys: NDArray[np.uint64]) -> Any:
    filled = 0
    for key in keys:
        filled += key != 0
    return filled


@njit(cache=True)
def _count_bits(words: NDArray[np.uint64]) -> Any:
    """Bits that are 1: sums over ever longer groups of bits, of a word at a time."""
    total = np.uint64(0)
    for word in words:
        if word != 0:
            x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
            x = (x & np.uint64(0x3333333333333333)) + (
                (x >> np.uint64(2)) & np.uint64(0x3333333333333333)
            )
            x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
            total += (x * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return np.int64(total)


@njit(cache=True)
def _triangle(i: Any, j: Any) -> Any:
    """A number for an unordered pair, equal ones included: 0 for (0, 0), then (0, 1), (1, 1)..."""
    low, high = (i, j) if i < j else (j, i)
    return high * (high + 1) // 2 + low


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
def _slot_of(keys: Any, key: Any) -> Any:
    """Where a key is, or would be, in a hash set with open addressing."""
    mask = np.uint64(len(keys) - 1)
    slot = key & mask
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True)
def _name(state: Any, key: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
    """What a question is noted by: its number, if questions are numbered, else its key; never 0."""
    if state.numbered == BY_PAIRS:
        return np.uint64(_triangle(_triangle(i, j), _triangle(k, l)) + 1)
    if state.numbered == BY_TWO:
        return np.uint64(_triangle(i, j) + 1)
    if state.numbered == BY_THREE:
        return np.uint64(_tetrahedron(i, j, k) + 1)
    return key


@njit(cache=True)
def _enter(numbered: Any, asked: Any, name: Any) -> Any:
    """Note a question by its name; whether it is asked for the first time."""
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


@njit(cache=True)
def _make_room(state: Any, more: Any) -> Any:
    """Let the hash set be at most half full with so many more questions; the set."""
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


@njit(cache=True)
def _repeat(state: Any, name: Any) -> Any:
    """Note that a question is asked again; for which time, 1 for the first repetition."""
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
def _note(state: Any, key: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
    """Note a question; how often it was asked before, or 0 where no answer depends on that."""
    name, waiting, counters = _name(state, key, i, j, k, l), state.core_waiting, state.core_counters
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
def settle(state: Any) -> None:
    """Note all questions that were put down."""
    waiting, counters, numbered = state.core_waiting, state.core_counters, state.numbered
    asked = _make_room(state, counters[WAITING])
    mask, found = np.uint64(len(asked) - 1), np.empty(_FETCHED, np.uint64)
    for start in range(0, counters[WAITING], _FETCHED):
        names = waiting[start : min(start + _FETCHED, counters[WAITING])]
        for at in range(len(names)):  # no round waits for another: the places are fetched at once
            place = (names[at] - np.uint64(1)) >> np.uint64(6) if numbered else names[at] & mask
            found[at] = asked[place]
        for at in range(len(names)):
            known = not numbered and found[at] == names[at]
            if not known and _enter(numbered, asked, names[at]):
                counters[ASKED] += 1
                counters[DISTINCT] += 1
            else:
                _repeat(state, names[at])
    counters[WAITING] = 0


@njit(cache=True)
def _items(questions: Any, row: int, arity: int) -> Any:
    """The items of a question, 0 for those that it has not; a view of the row would be counted."""
    j = questions[row, 1] if arity > 1 else 0
    k = questions[row, 2] if arity > 2 else 0
    l = questions[row, 3] if arity > 3 else 0  # noqa: E741
    return questions[row, 0], j, k, l


@njit(cache=True)
def note_questions(
    state: Any, questions: NDArray[np.int64], keys: NDArray[np.uint64], times: NDArray[np.int64]
) -> None:
    """Enter a batch of questions, one a row of four items, and fill in their keys and times."""
    for row in range(len(questions)):
        i, j, k, l = _items(questions, row, 4)  # noqa: E741
        keys[row] = question_key(state.symmetry, i, j, k, l)
        times[row] = _note(state, keys[row], i, j, k, l)
    state.core_counters[QUERIES] += len(questions)
    state.core_counters[ROUNDS] += 1


@lru_cache(maxsize=32)
def counting(answer: Any) -> Any:
    """Wrap a compiled answer function with the ledger's counter; compiled once for each.

    Parameters
    ----------
    answer : numba function
        ``answer(floats, ints, i, j, k, l, key, time) -> int64``: the oracle's data, the items,
        the canonical question and how often it was asked before.

    Returns
    -------
    numba function of type `ASK`
        It raises OverflowError, before answering, when the budget is used up.
    """

    @njit(types.int64(STATE, _ID, _ID, _ID, _ID))
    def ask(state: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
        n = state.n
        if not (0 <= i < n and 0 <= j < n and 0 <= k < n and 0 <= l < n):
            state.core_counters[NO_ITEM] = 1
            raise IndexError("an oracle was asked about an item that does not exist")
        if state.core_counters[QUERIES] >= state.core_counters[BUDGET]:
            state.core_counters[REFUSED] = 1
            raise OverflowError(_ASKED_TOO_MUCH)
        state.core_counters[QUERIES] += 1
        state.core_counters[ROUNDS] += 1
        key = question_key(state.symmetry, i, j, k, l)
        time = _note(state, key, i, j, k, l)
        return answer(state.core_floats, state.core_ints, i, j, k, l, key, time)

    return ask


@njit(cache=True)
def _note_numbered(state: Any, questions: Any) -> None:
    """Note a batch of questions that are numbered, where no answer depends on repetition.

    In one loop with nothing but the bits: what it reads of the state is read once.
    """
    numbered, asked, arity, new = state.numbered, state.core_asked, questions.shape[1], 0
    for row in range(len(questions)):
        i, j, k, l = _items(questions, row, arity)  # noqa: E741
        if numbered == BY_PAIRS:
            number = _triangle(_triangle(i, j), _triangle(k, l))
        elif numbered == BY_TWO:
            number = _triangle(i, j)
        else:
            number = _tetrahedron(i, j, k)
        name = np.uint64(number + 1)
        if _enter(numbered, asked, name):
            new += 1
        else:
            _repeat(state, name)
    state.core_counters[ASKED] += new
    state.core_counters[DISTINCT] += new
    state.core_counters[QUERIES] += len(questions)


@njit  # not cached: the type of a function that is passed on is another one in each process
def answer_questions(answer: Any, state: Any, questions: Any, codes: Any) -> None:
    """Note and answer a batch, one question a row of at most four items."""
    floats, ints, symmetry = state.core_floats, state.core_ints, state.symmetry
    counters, arity, untimed = state.core_counters, questions.shape[1], np.int64(0)
    counters[ROUNDS] += 1
    if state.numbered != 0 and len(state.core_waiting) > 0:
        _note_numbered(state, questions)
        for row in range(len(questions)):
            i, j, k, l = _items(questions, row, arity)  # noqa: E741
            key = question_key(symmetry, i, j, k, l)
            codes[row] = answer(floats, ints, i, j, k, l, key, untimed)
        return
    for row in range(len(questions)):
        i, j, k, l = _items(questions, row, arity)  # noqa: E741
        key = question_key(symmetry, i, j, k, l)
        counters[QUERIES] += 1  # one by one: an answer may fail
        codes[row] = answer(floats, ints, i, j, k, l, key, _note(state, key, i, j, k, l))


def new_state(
    n: int,
    symmetry: int,
    budget: int | None,
    floats: NDArray[np.float64] | None = None,
    ints: NDArray[np.int64] | None = None,
    *,
    arity: int,
    timed: bool = True,
) -> tuple[CompiledState, NDArray[np.int64]]:
    """An empty ledger over an oracle's data, and the array of its counters.

    Parameters
    ----------
    n, symmetry, budget, floats, ints
    arity : int
        Items in a question; 0 if none can be asked.
    timed : bool
        Whether an answer depends on how often its question was asked before.
    """
    counters = np.zeros(11, np.int64)
    counters[BUDGET] = UNLIMITED if budget is None else budget
    numbered, possible = numbering(symmetry, arity, n) if arity else (NOT, 0)
    state: CompiledState = _new_compiled_state(
        np.empty(0) if floats is None else np.array(floats, dtype=np.float64).ravel(),
        np.empty(0, np.int64) if ints is None else np.array(ints, dtype=np.int64).ravel(),
        np.zeros(possible // 64 + 1 if numbered else 64, np.uint64),
        np.zeros(0 if timed else _PUT_DOWN, np.uint64),
        np.zeros(64, np.uint64),
        np.zeros(64, np.int64),
        counters,
        symmetry,
        numbered,
        n,
    )
    return state, counters
