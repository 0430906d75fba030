"""Text, tables and arrays from files, with errors of one line that name the file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError

TABLES = {".csv": ",", ".tsv": "\t"}
"""File name extensions of tables, and their delimiters."""


def read_text(path: Path) -> str:
    """The text of a file.

    Raises
    ------
    DataError
        If it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8; save it as UTF-8") from error


def read_npy(path: Path) -> NDArray[Any]:
    """The array of an .npy file.

    Raises
    ------
    DataError
        If it cannot be read, or is an archive or holds Python objects, which could run code.
    """
    try:
        with path.open("rb") as stream:
            loaded = np.load(stream, allow_pickle=False)
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    except (ValueError, EOFError) as error:
        raise DataError(
            f"{path} is no array of numbers or text: save it with numpy.save"
        ) from error
    if not isinstance(loaded, np.ndarray):
        raise DataError(f"{path} is an archive of arrays; save one array with numpy.save")
    array: NDArray[Any] = loaded
    return array


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """Rows of a .csv or .tsv file that are not blank, each with the number of its line.

    Raises
    ------
    DataError
        If it cannot be read, is empty, or its rows differ in length.
    """
    text, rows, line = io.StringIO(read_text(path), newline=""), [], 1
    reader = csv.reader(
        text, delimiter=TABLES[path.suffix.lower()], strict=True, skipinitialspace=True
    )
    try:
        for raw in reader:
            cells = [cell.strip() for cell in raw]
            if any(cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}, line {line}: {error}; are the quotes closed?") from error
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
