"""Files of strangers are read in a process of their own, with a limit of memory and of time.

A small file may become very large in memory: repeated values that are compressed, records that have
no key in common. What a parser allocates can be limited for a process, whatever the format is.

The process is a new one and no fork: a fork of a process with threads (of BLAS, Arrow or a
notebook) may wait forever for a lock, and address space that the caller has reserved would count.
It has to import pandas again. Delimited text, whose size in memory is proportional to its size on
disk, is therefore read in the process of the caller.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hcbench.errors import DataError
from hcbench.model.regular_files import check_regular

MEMORY = 4 << 30
"""Bytes of address space in which a file must be read."""

SECONDS = 300
"""Seconds in which a file must be read."""

#: What a process that only reads a file needs of the environment; keys and passwords do not.
_VARIABLES = frozenset({"HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "VIRTUAL_ENV"})
_PREFIXES = ("LC_", "PYTHON")
#: Threads of libraries reserve memory each.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def read_limited(
    path: Path,
    read: Callable[..., Any],
    *arguments: Any,
    memory: int = MEMORY,
    seconds: int = SECONDS,
) -> Any:
    """Call a function that reads a file in a process of its own.

    Parameters
    ----------
    path : Path
        For messages; a regular file.
    read : callable
        A function of a module, called with the arguments.
    *arguments
        Anything that can be pickled.
    memory : int
        Bytes of address space of the process.
    seconds : int
        Seconds until the process is ended.

    Returns
    -------
    object
        What the function returns. Its warnings and the errors of hcbench are passed on.

    Raises
    ------
    DataError
        If the path is no regular file, the limits are exceeded, or the process is lost.
    """
    check_regular(path)
    request = pickle.dumps((memory, seconds, read, arguments))
    command = [sys.executable, "-P", "-m", "hcbench.files.limited_process"]
    try:
        process = subprocess.run(
            command,
            input=request,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DataError(
            f"{path}: it takes more than {seconds} seconds to read; save it as .csv"
        ) from None
    if process.returncode or not process.stdout:
        # A library that cannot allocate may end the process instead of raising an error.
        raise DataError(
            f"{path}: the process that reads it ended (exit code {process.returncode}), as the "
            f"file is damaged or needs more than {_size(memory)} of memory; save it again, as .csv"
        )
    result, error, messages = pickle.loads(process.stdout)
    for category, message in messages:
        warnings.warn(message, category, stacklevel=3)
    if isinstance(error, MemoryError):
        raise DataError(
            f"{path}: it takes more than {_size(memory)} of memory to read; save it as .csv, or "
            "pass its contents to hcbench.compare in Python"
        )
    if error is not None:
        raise error
    return result


def _environment() -> dict[str, str]:
    """The environment of the process, without keys and passwords."""
    variables = {}
    for name, value in os.environ.items():
        if name in _VARIABLES or name.startswith(_PREFIXES):
            variables[name] = value
    for name in _THREADS:
        variables[name] = "1"
    return variables


def _size(n_bytes: int) -> str:
    """A number of bytes in GiB or MiB."""
    if n_bytes >= 1 << 30:
        return f"{n_bytes / (1 << 30):.3g} GiB"
    return f"{n_bytes >> 20} MiB"
