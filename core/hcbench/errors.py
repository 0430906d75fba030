"""Every error that hcbench raises on purpose, one class for each mistake, and its warnings.

A message says what was wrong, the value, and the way out. The command line prints it as one
line and ends with the exit code of its class.
"""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path
from typing import Literal, Self


class ExitCode(IntEnum):
    """How ``hcbench`` ends."""

    OK = 0
    CELLS_FAILED = 1
    USAGE = 2
    SUITE = 3
    PLUGIN = 4
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143


class HcbenchError(Exception):
    """The root of all errors that hcbench raises on purpose."""

    exit_code = ExitCode.USAGE

    @classmethod
    def of_file(
        cls, doing: Literal["read", "write"], path: str | os.PathLike[str], error: Exception
    ) -> Self:
        """What stands between a caller and a file, and the way out.

        Parameters
        ----------
        doing : {"read", "write"}
        path : path-like
            As the caller has named it.
        error : Exception
            An OSError, or what a reader says of the content.
        """
        why = error.strerror if isinstance(error, OSError) else None
        text = why or next(iter(str(error).strip().splitlines()), type(error).__name__)
        way_out = (_to_read if doing == "read" else _to_write)(Path(path), error)
        return cls(f"cannot {doing} {os.fspath(path)}: {text}; {way_out}")


def _to_read(path: Path, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return _instead_of(path)
    if isinstance(error, IsADirectoryError):
        return f"give a file in it{_such_as(sorted(_files_in(path)))}"
    if isinstance(error, PermissionError):
        return "its owner can let you read it, with chmod"
    return "is it whole, and of the kind that its ending says? if not, get it or save it again"


def _instead_of(path: Path) -> str:
    """Which file may have been meant by one that is not there."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    names = _files_in(folder)
    folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(path.name.casefold(), folded, n=1)
    if near:
        return f"did you mean {os.path.join(folder, folded[near[0]])}?"
    alike = sorted(name for name in names if Path(name).suffix == path.suffix)
    return f"it was looked for in {folder.resolve()}{_such_as(alike, ', where there is ')}"


def _files_in(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder) if entry.is_file()]
    except OSError:
        return []


def _such_as(names: Iterable[str], words: str = ", such as ") -> str:
    first = next(iter(names), None)
    return f"{words}{first}" if first else ""


def _to_write(path: Path, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"make the folder {path.parent} first"
    if isinstance(error, IsADirectoryError):
        return "it is a folder: give a file in it"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "make room on the disk, or give another place"
    return "give another place, where you may write"


class InvalidTreeError(HcbenchError, ValueError):
    """A tree has a cycle, a missing leaf, a unary node, a NaN height or a wrong shape."""


class NewickError(InvalidTreeError):
    """A Newick text cannot be read."""


class InvalidPartitionError(HcbenchError, ValueError):
    """Labels or the nodes of a cut do not partition the items."""


class InvalidComparisonsError(HcbenchError, ValueError):
    """Comparisons name items that do not exist, or compare a pair with itself."""


class InvalidProblemError(HcbenchError, ValueError):
    """A data set yields data and truth that do not fit together."""


class InvalidSpecError(HcbenchError, ValueError):
    """A plugin declares something that cannot be."""

    exit_code = ExitCode.PLUGIN


class InvalidQuestionError(HcbenchError, ValueError):
    """An oracle was asked about items that do not exist."""


class UnknownNameError(HcbenchError, LookupError):
    """No plugin registers this name."""


class AmbiguousNameError(HcbenchError, LookupError):
    """Two packages register one name; ``distribution:NAME`` says which is meant."""


class NameSyntaxError(HcbenchError, ValueError):
    """A ``NAME[param=value]`` cannot be read."""


class ParameterError(HcbenchError, ValueError):
    """A parameter is unknown, missing, of the wrong type or out of range."""


class DataError(HcbenchError, ValueError):
    """The user's data cannot be used as it is."""


class DataNotAvailableError(HcbenchError, FileNotFoundError):
    """A data set's files are not on this machine and cannot be had."""


class NotApplicableError(HcbenchError):
    """A metric is not defined for this result; the value is skipped with this reason."""


class BudgetExceededError(HcbenchError):
    """A question costs more than what is left of the budget."""


class SuiteError(HcbenchError, ValueError):
    """A suite file cannot be read or asks for something impossible."""

    exit_code = ExitCode.SUITE


class StoreError(HcbenchError):
    """The store of results cannot be opened, read or written."""

    exit_code = ExitCode.SUITE


class PluginError(HcbenchError):
    """A plugin cannot be loaded."""

    exit_code = ExitCode.PLUGIN


class WorkerError(HcbenchError):
    """The worker processes cannot be started."""


class ModelWarning(UserWarning):
    """What has to be known of a result: an assumption of its model or theorem does not hold.

    An algorithm, data set or oracle that gives this warning is no failure. In a comparison the
    text is kept with the cell as a note and shown below the table; in `hcbench.fit` it is an
    ordinary warning.
    """
