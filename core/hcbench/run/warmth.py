"""Whether a call used something for the first time, so that its time is not that of other calls."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any, Self

from numba.core.event import install_recorder


class FirstUses:
    """Watches a block of code, as a context manager.

    Attributes
    ----------
    occurred : bool
        Whether a kernel was compiled, or opened where it is stored, or a module imported. It is
        known at the end of the block.

    Examples
    --------
    Nothing is compiled or imported here, so that the time of the block is comparable.

    >>> with FirstUses() as first_uses:
    ...     total = sum(range(10))
    >>> first_uses.occurred
    False
    """

    def __init__(self) -> None:
        self.occurred = False
        self._stack = ExitStack()
        self._recorders: list[Any] = []
        self._modules = 0

    def __enter__(self) -> Self:
        # The lock of the compiler is taken as well when a stored kernel is opened.
        for event in ("numba:compile", "numba:compiler_lock"):
            self._recorders.append(self._stack.enter_context(install_recorder(event)))
        self._modules = len(sys.modules)
        return self

    def __exit__(self, *_: object) -> None:
        self.occurred = len(sys.modules) > self._modules
        for recorder in self._recorders:
            self.occurred |= bool(recorder.buffer)
        self._stack.close()
