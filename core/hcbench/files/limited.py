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
from hcbench.files.slow import tell_if_slow
from hcbench.model.regular_files import check_regular

MEMORY = 4 << 30
"""Bytes of address space in which a file must be read."""

SECONDS = 300
"""Seconds in which a file must be read."""

#: How often a file may be in memory: as it is, decoded, as numbers, and as the pickled answer.
_COPIES = 6

#: What a process that only reads a file needs of the environment; keys and passwords do not.
_VARIABLES = frozenset({"HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "VIRTUAL_ENV"})
#: Likewise all variables that begin so.
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
        Bytes of address space of the process, besides six times the size of the file.
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

    Examples
    --------
    >>> from pathlib import Path
    >>> np.save("vectors.npy", [[0.0, 1.0], [2.0, 3.0]])
    >>> read_limited(Path("vectors.npy"), np.load, "vectors.npy", seconds=60).tolist()
    [[0.0, 1.0], [2.0, 3.0]]
    """
    check_regular(path)
    # A large file needs a multiple of its size: it is read, converted and sent.
    memory += _COPIES * path.stat().st_size
    request = pickle.dumps((memory, seconds, read, arguments))
    answer, exit_code = _run(path, request, seconds)
    if exit_code or not answer:
        # A library that cannot allocate may end the process instead of raising an error.
        raise DataError(
            f"{path}: the process that reads it ended (exit code {exit_code}), as the "
            f"file is damaged or needs more than {_size(memory)} of memory; save it again, as .csv"
        )
    result, error, messages = pickle.loads(answer)
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


def _run(path: Path, request: bytes, seconds: int) -> tuple[bytes, int]:
    """The answer of the process, and its exit code.

    Raises
    ------
    DataError
        If it takes too long.
    """
    command = [sys.executable, "-P", "-m", "hcbench.files.limited_process"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    ) as process:
        try:
            with tell_if_slow(f"reading {path}"):
                answer, _ = process.communicate(request, timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise DataError(
                f"{path}: it takes more than {seconds} seconds to read; save it as .csv"
            ) from None
        except BaseException:  # such as Ctrl-C
            process.kill()
            raise
        return answer, process.returncode


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
