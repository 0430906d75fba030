"""The process of `hcbench.files.limited.read_limited`: it reads one file within limits.

The request comes on standard input, and the answer goes to standard output, both pickled: the two
processes are of the same program, and what is in the file is no part of the code that they run.
"""

from __future__ import annotations

import os
import pickle
import resource
import sys
import warnings
from typing import Any

from hcbench.errors import HcbenchError


def main() -> None:
    """Read one file, and write the answer."""
    # What a library prints must not mix with the answer.
    answer_stream = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    memory, seconds, read, arguments = pickle.load(sys.stdin.buffer)
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CPU, seconds)
    _limit(resource.RLIMIT_CORE, 0)
    with answer_stream:
        answer_stream.write(_answer(read, arguments))


def _limit(kind: int, value: int) -> None:
    """Lower a limit of this process; one that is lower already stays."""
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def _answer(read: Any, arguments: tuple[Any, ...]) -> bytes:
    """The pickled result, error and warnings of a call."""
    result: Any = None
    error: Exception | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = read(*arguments)
        except MemoryError:
            # Not the one that was raised: its frames hold what has been allocated, and that of a
            # library would be imported by the caller.
            error = MemoryError()
        except HcbenchError as raised:
            error = raised
    messages = []
    for warning in caught:
        # Warnings of libraries are about their own use, and not about the file.
        if issubclass(warning.category, UserWarning):
            messages.append((warning.category, str(warning.message)))
    try:
        return pickle.dumps((result, error, messages))
    except MemoryError:
        return pickle.dumps((None, MemoryError(), messages))


if __name__ == "__main__":
    main()
