"""Copies of the test process, which are ready at once."""

from __future__ import annotations

import gc
import os
import traceback
import warnings
from collections.abc import Callable


class Fork:
    """A copy of this process that calls a function; what it tells is read from a pipe.

    Parameters
    ----------
    function : callable
        ``function(told, *arguments)`` writes lines to the file ``told``.
    """

    def __init__(self, function: Callable[..., None], *arguments: object) -> None:
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the copy starts no thread
            self.pid = os.fork()
        if self.pid == 0:
            gc.freeze()  # connections of this process are not for the copy to close
            try:
                with open(writing, "w", buffering=1) as told:
                    function(told, *arguments)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        os.close(writing)
        self.told = open(reading)  # noqa: SIM115 - closed by `end`

    def wait(self) -> str:
        """Return what else it tells until it ends, without an error."""
        rest = self.end()
        assert os.waitstatus_to_exitcode(self.status) == 0
        return rest

    def end(self) -> str:
        """The same, however it ends."""
        with self.told:
            rest = self.told.read()
        _, self.status = os.waitpid(self.pid, 0)
        return rest
