"""Tables in files: delimited text, spreadsheets, matrices of PHYLIP, and what pandas reads."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench.files import read_limited
from hcbench.model import check_regular, number_text
from hcbench_datasets.content import Column, Table, unnamed_column
from hcbench_datasets.delimited import table_of_rows, table_of_text
from hcbench_datasets.encoded import OPEN, is_compressed, read_encoded, suffix_of
from hcbench_datasets.gct import table_of_gct
from hcbench_datasets.phylip import PHYLIP, find_phylip, read_phylip

_TEXTS = (".csv", ".tsv", ".txt", ".data", ".vec", ".gct")
_TEXTS_OF_PANDAS = (".json", ".jsonl", ".ndjson", ".arff")
_ARROW = (".parquet", ".feather")
_PROGRAMS = (".dta", ".sav", ".zsav", ".xpt", ".sas7bdat")  # of Stata, SPSS and SAS
_PANDAS = _ARROW + _TEXTS_OF_PANDAS + _PROGRAMS
SUFFIXES = _TEXTS + (".xlsx",) + _ARROW + _TEXTS_OF_PANDAS + _PROGRAMS + PHYLIP
"""Suffixes of tables, without those of a compression."""

TEXTS_OF_PROGRAMS = ("", ".dat", ".tab", ".out", ".prn", ".asc")
"""Suffixes, or none, of texts that programs such as those of PHYLIP write."""

#: Files that are compressed or written such that a small one may become very large in memory.
_EXPANDING = frozenset({".xlsx"}.union(_PANDAS, OPEN))


def read_table(
    path: Path,
    texts: Collection[str],
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Table:
    """Read the table in a file; one that may become large in memory, within limits.

    Parameters
    ----------
    path : Path
        A .csv, .tsv, .txt or .data file, which may be compressed, or another of `SUFFIXES`.
    texts : collection of str
        Columns that are texts even if all cells are numbers.
    header : bool, optional
        Whether the first row of a text or an Excel sheet has the names of the columns; by default
        found in the file.
    delimiter, decimal, encoding : str, optional
        Of text files; by default they are found in the file.

    Raises
    ------
    DataError
        If it cannot be read, a line has too many or too few cells, or the first row may be a header
        as well as an item.
    """
    check_regular(path)
    read = partial(
        _read_table,
        path,
        texts,
        header=header,
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
    )
    # In a process with a limit of memory and time.
    if path.suffix.lower() in _EXPANDING:
        table: Table = read_limited(path, read)
        return table
    return read()


def _read_table(
    path: Path,
    texts: Collection[str],
    *,
    header: bool | None,
    delimiter: str | None,
    decimal: str | None,
    encoding: str | None,
) -> Table:
    """Read the table in a file, in this process."""
    suffix = suffix_of(path)
    is_binary = suffix == ".xlsx" or suffix in _ARROW + _PROGRAMS
    if is_binary and is_compressed(path):
        raise DataError(f"{path}: only texts are read compressed; decompress it")
    if suffix in _PANDAS:
        from hcbench_datasets.frames import table_of_pandas

        return table_of_pandas(path, texts)
    if suffix == ".xlsx":
        from hcbench_datasets.sheets import sheet_rows

        rows = sheet_rows(path)
        return table_of_rows(path, rows, texts, header=header, decimal=".", line="row", form="")
    if suffix in PHYLIP:
        return _table_of_distances(path, read_phylip(path, read_encoded(path, None)[0]), texts)
    if suffix == ".gct":
        return table_of_gct(path, texts)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise DataError(f"delimiter must be one character such as ';', got {delimiter!r}")
    text, encoding = read_encoded(path, encoding)
    # Programs of PHYLIP also write distances into files of other suffixes.
    if header is None and delimiter is None:
        phylip = find_phylip(text)
        if phylip is not None:
            return _table_of_distances(path, phylip, texts)
    return table_of_text(path, text, texts, header, delimiter, decimal, encoding)


def _table_of_distances(
    path: Path, phylip: tuple[list[str], NDArray[np.float64]], texts: Collection[str]
) -> Table:
    """The table of a matrix of distances, with a first column of names."""
    names, matrix = phylip
    columns = []
    for position, name in enumerate(names):
        columns.append(_column_of_numbers(name, matrix[:, position], texts))
    first = unnamed_column(names)
    columns.insert(0, Column(first, None, list(names)))
    lines = np.arange(1, len(names) + 1)
    return Table(str(path), tuple(columns), lines, row_names=first)


def _column_of_numbers(name: str, numbers: NDArray[np.float64], texts: Collection[str]) -> Column:
    if name in texts:
        return Column(name, None, list(map(number_text, numbers.tolist())))
    return Column(name, numbers)
