"""The rows of a workbook of Excel, read by pandas with openpyxl."""

from __future__ import annotations

import math
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from hcbench import DataError, ModelWarning
from hcbench.model import number_text

Row = tuple[int, list[str]]  # the number of the row, from 1, and its cells


def sheet_rows(path: Path) -> Callable[[], Iterator[Row]]:
    """The rows of the first sheet of a workbook that has a table."""
    try:
        # Merged cells are known of workbooks that are read as a whole.
        options = {"read_only": False}
        with pd.ExcelFile(path, engine="openpyxl", engine_kwargs=options) as book:
            rows = _cells_of_sheet(book)
    except ImportError as error:
        raise DataError(
            f'{path}: Excel files need openpyxl: pip install "hcbench[excel]"'
        ) from error
    except (OSError, ValueError, KeyError, NotImplementedError, zipfile.BadZipFile) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError.of_file("read", path, error) from error
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path} is no Excel workbook: {reason}; save it again") from error
    filled = []
    # Rows keep their numbers, which Excel shows.
    for number, cells in enumerate(rows, start=1):
        if any(cells):
            filled.append((number, cells))
    return lambda: iter(filled)


def _cells_of_sheet(book: pd.ExcelFile) -> list[list[str]]:
    """The cells of the first sheet with at least three rows, as texts."""
    rows: list[list[str]] = []
    for name in book.sheet_names:
        sheet = pd.read_excel(book, sheet_name=name, header=None, dtype=object, na_filter=False)
        cells = sheet.to_numpy().tolist()
        _fill_merged(cells, book.book[name].merged_cells.ranges)
        rows = [list(map(_cell_text, row)) for row in cells]
        # Sheets before it are covers, with a title and a note.
        if len(rows) > 2:
            break
    if len(book.sheet_names) > 1:
        warnings.warn(
            f"of {len(book.sheet_names)} sheets {name!r} is read; save another as .csv to use it",
            ModelWarning,
            stacklevel=2,
        )
    return rows


def _fill_merged(cells: list[list[Any]], ranges: Iterable[Any]) -> None:
    """Put the content of cells that are merged below each other into all of them, as pandas does.

    pandas writes an index of several levels so. Cells that are merged beside each other are titles.
    """
    for merged in ranges:
        column = merged.min_col - 1
        if merged.min_col != merged.max_col or merged.max_row > len(cells):
            continue
        content = cells[merged.min_row - 1][column]
        for row in range(merged.min_row, merged.max_row):
            cells[row][column] = content


def _cell_text(cell: Any) -> str:
    """The content of a cell of a sheet; numbers have all of their digits."""
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, int | float):
        if math.isnan(cell):
            return ""
        return number_text(cell)
    return str(cell).strip()
