"""Compiled functions that only other compiled functions call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])
_njit: Any = numba.njit  # two of its options are not annotated


def inner(function: _Function) -> _Function:
    """Compile a function for calls from compiled code alone, in three quarters of the time.

    numba's wrappers for calls from Python and from C are not compiled. A kernel that makes queries
    cannot call such a function, because it runs as plain Python if a Python function answers.

    Raises
    ------
    TypeError
        By what is returned, if Python calls it.
    """
    kernel: Any = _njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)

    def refuse(*_: object, **__: object) -> None:
        raise TypeError(f"{function.__name__} is for compiled code alone: declare it with njit")

    # Without them, numba would call the wrapper that there is not.
    kernel._insert, kernel._compile_for_args = lambda *_, **__: None, refuse
    compiled: _Function = kernel
    return compiled
