"""Compiled loops that ask an oracle. They do not check the state that they are given.

Each oracle with compiled answers has a copy of this module, in which ``answer`` is its function,
and ``SYMMETRY`` and ``ARITY`` are those of its queries (see `compiled.counting` and `answering`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hcbench.oracle._kernels import (
    BUDGET,
    NO_ITEM,
    QUERIES,
    REFUSED,
    ROUNDS,
    WINDOW,
    columns_from,
    name_queries,
    note_many,
    note_one,
    query_key,
)

answer: Any = None
SYMMETRY = 0
ARITY = 0

#: What a compiled oracle answers to a query that pairs an item with itself; core refuses it.
WITH_ITSELF = -3
#: The error's message.
PAIRS_WITH_ITSELF = "a query pairs an item with itself"
_ASKED_TOO_MUCH = "the budget of queries is used up"


def ask_counted(state: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
    """The answer to one query, which is counted first."""
    n = state.n
    if not (0 <= i < n and 0 <= j < n and 0 <= k < n and 0 <= l < n):
        state.core_counters[NO_ITEM] = 1
        raise IndexError("an oracle was asked about an item that does not exist")
    if state.core_counters[QUERIES] >= state.core_counters[BUDGET]:
        state.core_counters[REFUSED] = 1
        raise OverflowError(_ASKED_TOO_MUCH)
    state.core_counters[QUERIES] += 1
    state.core_counters[ROUNDS] += 1
    key = query_key(state.symmetry, i, j, k, l)
    time = note_one(state, key, i, j, k, l)
    code = answer(state.core_floats, state.core_ints, i, j, k, l, key, time)
    if code == WITH_ITSELF:
        raise ValueError(PAIRS_WITH_ITSELF)
    return code


def answer_many(state: Any, items: Any, codes: Any) -> Any:
    """Answer a batch of queries, and say whether one pairs an item with itself.

    The queries of a window are noted before any of them is answered.
    """
    wrong = False
    floats = state.core_floats
    ints = state.core_ints
    numbered = state.numbered
    room = np.empty(WINDOW, np.uint64)
    times = np.empty(WINDOW, np.int64)
    for start in range(0, len(codes), WINDOW):
        part = codes[start : start + WINDOW]
        names = room[: len(part)]
        name_queries(SYMMETRY, numbered, items, start, names)
        note_many(state, names, times)
        first, second, third, fourth = columns_from(items, start)
        for at in range(part.size):
            # Items that a query of this arity has not are 0.
            i = np.int64(first[at])
            j = np.int64(second[at]) if ARITY > 1 else 0
            k = np.int64(third[at]) if ARITY > 2 else 0
            l = np.int64(fourth[at]) if ARITY > 3 else 0  # noqa: E741
            key = query_key(SYMMETRY, i, j, k, l) if numbered else names[at]
            code = answer(floats, ints, i, j, k, l, key, times[at])
            part[at] = code
            wrong |= code == WITH_ITSELF
    return wrong
