"""Text, tables and arrays from files, with errors of one line that name the file."""

from __future__ import annotations

import csv
import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError

TABLES = {".csv": ",", ".tsv": "\t"}
"""File name extensions of tables, and their delimiters."""

#: What numpy raises for a damaged .npy or .npz file, depending on where the damage is.
_DAMAGE = (
    *(ValueError, TypeError, LookupError, ArithmeticError, RuntimeError, MemoryError, EOFError),
    *(SyntaxError, TokenError, BadZipFile, struct.error, zlib.error),
)


def read_text(path: Path) -> str:
    """The text of a file.

    Raises
    ------
    DataError
        If it cannot be read, or is not UTF-8.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(
            f"{path}, line {line}: byte {content[error.start]:#04x} is not UTF-8; save it as UTF-8"
        ) from error


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz or .npy file.

    Parameters
    ----------
    path : Path

    Returns
    -------
    dict of name to array
        The one array of an .npy file has the name "".

    Raises
    ------
    DataError
        If it cannot be read, or holds Python objects, which could run code.
    """
    name = ""
    arrays: dict[str, Any] = {}
    try:
        # Opened here because numpy leaves the file of a broken archive open.
        with path.open("rb") as stream:
            loaded = np.load(stream, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {"": loaded}
            for name in loaded.files:
                arrays[name] = loaded[name]
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    except _DAMAGE as error:
        where = f"{path}, {name}" if name else str(path)
        raise DataError(f"{where}: {_fault_of_array(error)}") from error
    return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}


def _fault_of_array(error: Exception) -> str:
    if "allow_pickle" in str(error):
        return (
            "it is no array of numbers or text (Python objects are not loaded, as they could run "
            "code); save it with numpy.save and dtype=float or dtype=str"
        )
    if isinstance(error, EOFError):
        return "the file is empty; is it the right one?"
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return f"{reason}; save it again with numpy.save or numpy.savez"


def read_npy(path: Path) -> NDArray[Any]:
    """The array of an .npy file.

    Raises
    ------
    DataError
        As `read_arrays`; if it is an archive of arrays.
    """
    arrays = read_arrays(path)
    if "" not in arrays:
        raise DataError(f"{path} is an archive of arrays; save one array with numpy.save")
    return arrays[""]


def table_rows(path: Path, delimiter: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """Rows of delimited text (UTF-8, quotes as in RFC 4180), each with the number of its line.

    Parameters
    ----------
    path : Path
    delimiter : str, optional
        By default that of the ending, .csv or .tsv.

    Yields
    ------
    line : int
        From 1.
    cells : list of str
        Stripped. Blank lines are omitted, and rows of empty cells at the end of the file.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    reader = csv.reader(
        io.StringIO(read_text(path), newline=""),
        delimiter=delimiter or TABLES[path.suffix.lower()],
        strict=True,
        skipinitialspace=True,
    )
    empty: list[tuple[int, list[str]]] = []  # rows of empty cells, which are no rows at the end
    line = 1
    try:
        for raw in reader:
            cells = [cell.strip() for cell in raw]
            if any(cells):
                yield from empty
                empty.clear()
                yield line, cells
            elif len(cells) > 1:
                empty.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}, line {line}: {error}; are the quotes closed?") from error


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """All rows of a .csv or .tsv file, see `table_rows`.

    Raises
    ------
    DataError
        If it cannot be read, is empty, or its rows differ in length.
    """
    rows = list(table_rows(path))
    if not rows:
        raise DataError(f"{path}: the file is empty; is it the right one?")
    width = len(rows[0][1])
    for line, cells in rows:
        if len(cells) != width:
            raise DataError(
                f"{path}, line {line}: {len(cells)} cells, but the first row has {width}; "
                "put quotes around a text with a delimiter in it"
            )
    return rows


def is_number(cell: str) -> bool:
    """Whether a cell is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
