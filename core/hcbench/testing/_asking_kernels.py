"""A compiled loop over queries, for checks of oracles with compiled answers."""

from __future__ import annotations

from typing import Any

from numba import njit, types
from numpy.typing import NDArray

from hcbench.oracle.compiled import ASK, STATE


@njit(types.void(ASK, STATE, types.int64[:, ::1], types.int64[::1]), cache=True)
def ask_each(ask: Any, state: Any, questions: NDArray[Any], codes: NDArray[Any]) -> None:
    """Fill in the answers (m,) to queries (m, 4), one by one; unused items are 0."""
    for row in range(len(questions)):
        i, j, k, l = questions[row]  # noqa: E741
        codes[row] = ask(state, i, j, k, l)
