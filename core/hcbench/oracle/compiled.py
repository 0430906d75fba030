"""Oracles inside compiled loops: the counter that core wraps around every answer.

A kernel that asks 10^7 queries one after another cannot pay microseconds for each. So an oracle
may offer a compiled answer function; `counting` wraps it with the ledger, and the kernel receives
it as an argument of the first-class function type `ASK`. The ledger's state, of type `STATE`,
lives in a structref, so that what it notes grows inside the compiled code. A query that pairs an
item with itself is answered `WITH_ITSELF`.

For loops over bits, `count_ones` counts those of a word of 64 bits, and `count_zeros` counts the
zeros below its lowest 1.
"""

from __future__ import annotations

import hashlib
import inspect
from functools import lru_cache
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit, types
from numba.experimental import structref
from numpy.typing import NDArray

from hcbench.model._words import count_ones, count_zeros
from hcbench.oracle._answering_kernels import WITH_ITSELF
from hcbench.oracle._kernels import (
    BUDGET,
    COUNTERS,
    NOT,
    PUT_DOWN,
    WINDOW,
    name_long_queries,
    name_queries,
    note_many,
    numbering,
    query_key,
    scramble,
)

__all__ = [
    "ASK",
    "STATE",
    "WITH_ITSELF",
    "CompiledState",
    "count_ones",
    "count_zeros",
    "counting",
    "draw_pairs",
    "query_key",
    "scramble",
    "uniform",
]

UNLIMITED = np.iinfo(np.int64).max


# numba's structref module is not annotated.
_structref: Any = structref


@structref.register
class _StateType(types.StructRef):
    pass


_CompiledStateType: Any = _StateType


class CompiledState(structref.StructRefProxy):
    """An oracle's data and its ledger, as compiled code sees them.

    Examples
    --------
    >>> from numba import njit, types
    >>> from hcbench.compiled import ASK, STATE
    >>> @njit(types.int64(ASK, STATE, types.int64))
    ... def n_like_the_first(ask, state, n):
    ...     count = 0
    ...     for item in range(1, n):
    ...         count += ask(state, 0, item, 0, 0)
    ...     return count
    >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: i % 2 == j % 2, n=5)
    >>> int(oracle.run(n_like_the_first, 5))
    2
    >>> oracle.ledger.queries
    4
    """


# The fields are core's: a kernel passes the state on; who writes it is found out (`is_sound`).
_FIELDS = [
    # The oracle's data, which its answer function reads.
    ("core_floats", types.float64[::1]),
    ("core_ints", types.int64[::1]),
    # Which queries were asked: a bit for each number, or a hash set of keys.
    ("core_asked", types.uint64[::1]),
    # Queries that are put down; empty where an answer depends on repetitions.
    ("core_waiting", types.uint64[::1]),
    # A hash table of how often queries were repeated.
    ("core_keys", types.uint64[::1]),
    ("core_times", types.int64[::1]),
    ("core_counters", types.int64[::1]),
    # Which queries are the same, whether and how they are numbered, and the number of items.
    ("symmetry", types.int64),
    ("numbered", types.int64),
    ("n", types.int64),
]
_new_compiled_state: Any = CompiledState
_structref.define_proxy(CompiledState, _StateType, [name for name, _ in _FIELDS])
#: The numba type of the state that a kernel passes on to ``ask``.
STATE = _CompiledStateType(_FIELDS)
_ID = types.int64
#: The numba type of ``ask(state, i, j, k, l) -> answer``; unused items are 0.
ASK = types.FunctionType(types.int64(STATE, _ID, _ID, _ID, _ID))


@njit(cache=True)
def uniform(seed: Any, key: Any, time: Any) -> Any:
    """A number in [0, 1) that depends on nothing but seed, query and how often it was asked.

    Parameters
    ----------
    seed : int
        The noise seed.
    key : uint64
        The canonical query (`query_key`).
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


@lru_cache(maxsize=32)
def counting(answer: Any) -> Any:
    """Wrap a compiled answer function with the ledger's counter; compiled once for each.

    Parameters
    ----------
    answer : numba function
        ``answer(floats, ints, i, j, k, l, key, time) -> int64``: the oracle's data, the items,
        the canonical query and how often it was asked before.

    Returns
    -------
    numba function of type `ASK`
        It raises OverflowError, before answering, when the budget is used up, and ValueError where
        the answer is `WITH_ITSELF`.
    """
    signature = types.int64(STATE, _ID, _ID, _ID, _ID)
    return _compile_with(answer, "ask_counted", {}, signature)


@lru_cache(maxsize=32)
def answering(answer: Any, symmetry: int, arity: int) -> Any:
    """Make a compiled function answer whole batches; compiled once for each.

    What is known beforehand is constant to it, so that nothing is computed that no answer reads.

    Parameters
    ----------
    answer : numba function
        As of `counting`.
    symmetry, arity : int
        Of its queries.

    Returns
    -------
    numba function
        ``answer_many(state, items (4, m or more) int32, codes (m,))``: whether one is
        `WITH_ITSELF`. Queries are noted a window at a time, then answered: where an answer fails,
        those of its window have been counted.
    """
    return _compile_with(answer, "answer_many", {"SYMMETRY": symmetry, "ARITY": arity})


def _compile_with(
    answer: Any, function_name: str, constants: dict[str, int], signature: Any = None
) -> Any:
    """Compile a function of `_answering_kernels` for these answers; it is stored if they are.

    numba stores a function that encloses a kernel under a random number, so that each process
    would compile it again. So the answers are a global of a copy of the module, and the function's
    name, under which numba stores it, has all that may differ: the answers, the bytes of their
    file, and the constants.
    """
    spec = find_spec("hcbench.oracle._answering_kernels")
    assert spec is not None
    assert spec.loader is not None
    kernels = module_from_spec(spec)
    spec.loader.exec_module(kernels)
    vars(kernels).update(constants, answer=answer)
    function = getattr(kernels, function_name)
    source = Path(inspect.getfile(answer.py_func))
    has_closure = bool(inspect.getclosurevars(answer.py_func).nonlocals)
    is_stored = answer.stats.cache_path is not None and not has_closure and source.is_file()
    if is_stored:
        digest = hashlib.blake2b(source.read_bytes(), digest_size=8).hexdigest()
        parts = [function_name, answer.__module__, answer.__name__, digest]
        parts += map(str, constants.values())
        function.__qualname__ = "_".join(parts).replace(".", "_")
    return njit(signature, cache=is_stored)(function)


@njit(cache=True)
def note_queries(
    state: Any, items: NDArray[np.int32], keys: NDArray[np.uint64], times: NDArray[np.int64]
) -> None:
    """Note queries by their items (4 or more, m), and fill in their keys and times (m,)."""
    numbers = np.empty(WINDOW, np.uint64)
    if len(items) > 4:
        name_long_queries(state.symmetry, items, keys)
    else:
        name_queries(state.symmetry, NOT, items, 0, keys)
    for start in range(0, len(keys), WINDOW):
        part = times[start : start + WINDOW]
        names = keys[start : start + WINDOW]
        if state.numbered:
            # The keys decide answers, but the queries are noted by their numbers.
            names = numbers[: len(part)]
            name_queries(state.symmetry, state.numbered, items, start, names)
        note_many(state, names, part)


@njit(cache=True)  # numba's own constructor would be compiled anew in every process
def _make_state(*fields: Any) -> Any:
    return _new_compiled_state(*fields)


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
    n : int
        Number of items.
    symmetry : int
        UNORDERED, QUADRUPLET or ORDERED.
    budget : int, optional
        The most queries that are allowed.
    floats, ints : arrays, optional
        The oracle's data.
    arity : int
        Items in a query; 0 if none can be asked.
    timed : bool
        Whether an answer depends on how often its query was asked before.
    """
    counters = np.zeros(COUNTERS, np.int64)
    counters[BUDGET] = UNLIMITED
    if budget is not None:
        counters[BUDGET] = budget
    numbered = NOT
    n_numbers = 0
    if arity:
        numbered, n_numbers = numbering(symmetry, arity, n)
    if floats is None:
        floats = np.empty(0)
    if ints is None:
        ints = np.empty(0, np.int64)
    # An empty hash set, or, where queries are numbered, a bit for each number.
    n_words = 64
    if numbered:
        n_words = n_numbers // 64 + 1
    noted = np.zeros(n_words, np.uint64)
    # Queries are put down only where no answer depends on how often they were asked.
    n_waiting = PUT_DOWN
    if timed:
        n_waiting = 0
    waiting = np.zeros(n_waiting, np.uint64)
    keys = np.zeros(64, np.uint64)
    times = np.zeros(64, np.int64)
    state: CompiledState = _make_state(  # in the order of the fields
        np.array(floats, dtype=np.float64).ravel(),
        np.array(ints, dtype=np.int64).ravel(),
        noted,
        waiting,
        keys,
        times,
        counters,
        symmetry,
        numbered,
        n,
    )
    return state, counters
