"""Oracles inside compiled loops: the counter that core wraps around every answer.

A kernel that asks 10^7 questions one after another cannot pay microseconds for each. So an oracle
may offer a compiled answer function; `counting` wraps it with the ledger, and the kernel receives
it as an argument of the first-class function type `ASK`. The ledger's state lives in a structref,
so that its table of questions grows inside the compiled code.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit, types
from numba.experimental import structref
from numpy.typing import NDArray

__all__ = ["ASK", "STATE", "CompiledState", "counting", "question_key", "uniform"]

#: What the counters count, and two flags: a question was refused; it named no item.
QUERIES, DISTINCT, BUDGET, ROUNDS, WHOLE, REFUSED, NO_ITEM = range(7)
UNLIMITED = np.iinfo(np.int64).max
#: Which questions are the same: those about the same set of items; about the same two unordered
#: pairs, in either order; about the same items in the same order.
UNORDERED, QUADRUPLET, ORDERED = 0, 1, 2
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
    ["core_floats", "core_ints", "core_keys", "core_times", "core_counters", "symmetry", "n"],
)

# The fields are core's: a kernel passes the state on; who writes it is found out (`is_sound`).
#: The numba type of the state that a kernel passes on to ``ask``.
STATE = _CompiledStateType(
    [
        ("core_floats", types.float64[::1]),
        ("core_ints", types.int64[::1]),
        ("core_keys", types.uint64[::1]),
        ("core_times", types.int32[::1]),
        ("core_counters", types.int64[::1]),
        ("symmetry", types.int64),
        ("n", types.int64),
    ]
)
_ID = types.int64
#: The numba type of ``ask(state, i, j, k, l) -> answer``; unused items are 0.
ASK = types.FunctionType(types.int64(STATE, _ID, _ID, _ID, _ID))


@njit(cache=True)
def _mix(x: Any) -> Any:
    """Scramble 64 bits: the finalizer of SplitMix64 (Steele, Lea & Flood 2014)."""
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
    bits = _mix(_mix(np.uint64(seed) + step * (np.uint64(time) + np.uint64(1))) ^ np.uint64(key))
    return np.float64(bits >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def _pair(i: Any, j: Any) -> Any:
    low, high = (i, j) if i < j else (j, i)
    return _mix((np.uint64(low) << np.uint64(32)) | np.uint64(high))


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
        key = _mix(low + np.uint64(3) * _mix(high))
    elif symmetry == ORDERED:
        key = np.uint64(0)
        for item in (i, j, k, l):
            key = _mix(key + np.uint64(item) + np.uint64(1))
    else:
        # Sums of scrambled ids are the same in any order; the unused zeros add a constant.
        one = np.uint64(1)
        key = _mix(
            _mix(np.uint64(i) + one)
            + _mix(np.uint64(j) + one)
            + _mix(np.uint64(k) + one)
            + _mix(np.uint64(l) + one)
        )
    return key if key != np.uint64(0) else np.uint64(1)


@njit(cache=True)
def data_of(state: Any) -> Any:
    """The data of the oracle behind a state."""
    return state.core_floats, state.core_ints


@njit(cache=True)
def is_sound(state: Any) -> Any:
    """Whether the counters agree with the table of questions: nobody else wrote them. O(table)."""
    asked = distinct = 0
    for slot in range(len(state.core_keys)):
        if state.core_keys[slot] != 0:
            distinct += 1
            asked += state.core_times[slot]
    counters = state.core_counters
    return (
        counters[QUERIES] == asked + counters[WHOLE]
        and counters[DISTINCT] == max(distinct, counters[WHOLE])
        and counters[QUERIES] <= counters[BUDGET]
    )


@njit(cache=True)
def _grow(state: Any) -> None:
    # Each access to a field of the state counts references: not in the loop.
    old_keys, old_times = state.core_keys, state.core_times
    keys = np.zeros(2 * len(old_keys), np.uint64)
    times = np.zeros(2 * len(old_keys), np.int32)
    mask = np.uint64(len(keys) - 1)
    for old in range(len(old_keys)):
        key = old_keys[old]
        if key != 0:
            slot = key & mask
            while keys[slot] != 0:
                slot = (slot + np.uint64(1)) & mask
            keys[slot] = key
            times[slot] = old_times[old]
    state.core_keys = keys
    state.core_times = times


@njit(cache=True)
def _note(state: Any, key: Any) -> Any:
    """Enter a question in the table (open addressing); how often it was asked before."""
    if 2 * state.core_counters[DISTINCT] >= len(state.core_keys):
        _grow(state)
    keys = state.core_keys
    mask = np.uint64(len(keys) - 1)
    slot = key & mask
    while keys[slot] != 0:
        if keys[slot] == key:
            state.core_times[slot] += 1
            return np.int64(state.core_times[slot] - 1)
        slot = (slot + np.uint64(1)) & mask
    keys[slot] = key
    state.core_times[slot] = 1
    state.core_counters[DISTINCT] += 1
    return np.int64(0)


@njit(cache=True)
def note_questions(
    state: Any, questions: NDArray[np.int64], keys: NDArray[np.uint64], times: NDArray[np.int64]
) -> None:
    """Enter a batch of questions, one a row of four items, and fill in their keys and times."""
    for row in range(len(questions)):
        q = questions[row]
        keys[row] = question_key(state.symmetry, q[0], q[1], q[2], q[3])
        times[row] = _note(state, keys[row])
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
        time = _note(state, key)
        return answer(state.core_floats, state.core_ints, i, j, k, l, key, time)

    return ask


@njit(cache=True)
def answer_rows(
    answer: Any,
    floats: Any,
    ints: Any,
    questions: Any,
    keys: Any,
    times: Any,
    codes: Any,
) -> None:
    """Answer a batch that has been entered already, one question a row of four items."""
    for row in range(len(questions)):
        q = questions[row]
        codes[row] = answer(floats, ints, q[0], q[1], q[2], q[3], keys[row], times[row])


def new_state(
    n: int,
    symmetry: int,
    budget: int | None,
    floats: NDArray[np.float64] | None = None,
    ints: NDArray[np.int64] | None = None,
) -> tuple[CompiledState, NDArray[np.int64]]:
    """An empty ledger over an oracle's data, and the array of its counters."""
    counters = np.zeros(7, np.int64)
    counters[BUDGET] = UNLIMITED if budget is None else budget
    state: CompiledState = _new_compiled_state(
        np.empty(0) if floats is None else np.array(floats, dtype=np.float64).ravel(),
        np.empty(0, np.int64) if ints is None else np.array(ints, dtype=np.int64).ravel(),
        np.zeros(64, np.uint64),
        np.zeros(64, np.int32),
        counters,
        symmetry,
        n,
    )
    return state, counters
