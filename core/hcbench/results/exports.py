"""Runs as files: rows for other programs, and a description from which a run can be imported.

JSON and Parquet contain both; CSV and sheets of Excel contain the rows only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hcbench.errors import DataError, HcbenchError
from hcbench.model.text import printable, spreadsheet_cell
from hcbench.results.results import Results, write_text

Format: TypeAlias = Literal["csv", "json", "parquet"]
#: The key, column and Parquet metadata of the description of the run.
STORED = "stored"
_INT64 = 2**63
#: The most bytes of text in a Parquet file: an export has about 20 times its own size.
_LEAST, _RATIO = 100 << 20, 100


def to_json(results: Results, stored: Mapping[str, Any], path: Path | None = None) -> str:
    """The JSON of `Results.to_json`, with the description of the run under ``stored``."""
    everything = {**json.loads(results.to_json()), STORED: stored}
    return write_text(json.dumps(everything, indent=1, allow_nan=False) + "\n", path)


def write_parquet(results: Results, stored: Mapping[str, Any], path: Path) -> None:
    """The rows of `Results.to_csv`, typed; ``stored`` describes each cell in its last row.

    Raises
    ------
    HcbenchError
        If pyarrow is not installed, or the file cannot be written.
    """
    pyarrow, parquet = _import_pyarrow()
    rows = results.flat_rows
    last_row = {row["key"]: place for place, row in enumerate(rows)}
    described: list[str | None] = [None] * len(rows)
    elsewhere = []  # inapplicable combinations have no row with their key
    for cell in stored["cells"]:
        if cell["key"] in last_row:
            described[last_row[cell["key"]]] = json.dumps(cell)
        else:
            elsewhere.append(cell)
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    arrays = {name: pyarrow.array(*_typed(column, pyarrow)) for name, column in columns.items()}
    arrays[STORED] = pyarrow.array(described, pyarrow.string())
    rest = json.dumps({**stored, "cells": elsewhere})
    table = pyarrow.table(arrays).replace_schema_metadata({STORED: rest})
    try:
        parquet.write_table(table, path, compression="zstd")
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error


def write_excel(results: Results, path: Path) -> None:
    """The rows of `Results.to_csv` as a sheet of Excel.

    Raises
    ------
    HcbenchError
        If openpyxl is not installed, or the file cannot be written.
    """
    import pandas

    frame = pandas.DataFrame(results.flat_rows)
    for name in frame.columns:
        frame[name] = [_sheet_value(value) for value in frame[name]]
    frame.columns = [_sheet_value(name) for name in frame.columns]
    try:
        frame.to_excel(path, index=False)
    except ImportError as error:
        raise HcbenchError(".xlsx files need openpyxl: pip install 'hcbench[excel]'") from error
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error


def _sheet_value(value: object) -> object:
    """A value of a sheet, which cannot have control characters and executes nothing."""
    if isinstance(value, str):
        return spreadsheet_cell(printable(value))
    return value


def _typed(column: Sequence[Any], pyarrow: Any) -> tuple[list[Any], Any]:
    """Values and their type: integer, float, Boolean or text; float if there are no values."""
    kinds = {type(value) for value in column if value is not None}
    if kinds == {bool}:
        return list(column), pyarrow.bool_()
    if kinds == {int} and all(v is None or -_INT64 <= v < _INT64 for v in column):
        return list(column), pyarrow.int64()
    if kinds <= {float}:
        return list(column), pyarrow.float64()
    return [None if value is None else str(value) for value in column], pyarrow.string()


def read_export(path: Path) -> dict[str, Any]:
    """The description of a run in a file of `to_json` or `write_parquet`.

    Raises
    ------
    DataError
        If the file has another format.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    if data.startswith(b"PAR1"):
        return _read_parquet(path)
    try:
        stored = json.loads(data)[STORED]
    except (ValueError, KeyError, TypeError, RecursionError):
        stored = None
    if not isinstance(stored, dict):
        raise DataError(
            f"{path} cannot be imported; import what hcbench results export wrote as json or "
            "parquet (csv contains the rows only)"
        )
    return stored


def _read_parquet(path: Path) -> dict[str, Any]:
    pyarrow, parquet = _import_pyarrow()
    most = _LEAST + _RATIO * path.stat().st_size
    try:
        with parquet.ParquetFile(path, read_dictionary=[STORED]) as file:
            stored: dict[str, Any] = json.loads(file.schema_arrow.metadata[STORED.encode()])
            if _inflated_size(file.metadata) > most:
                raise ValueError("too large")
            column = file.read([STORED]).column(STORED)
            # Equal texts are one text until here.
            if sum(map(_size_of_texts, column.chunks)) > most:
                raise ValueError("too large")
            stored["cells"] += [json.loads(text) for text in column.to_pylist() if text is not None]
    except (pyarrow.ArrowException, OSError, ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"{path} is not a Parquet file of hcbench results export") from None
    return stored


def _inflated_size(metadata: Any) -> int:
    """Bytes that the column with the description takes in the file, before compression."""
    columns = [metadata.schema.column(i).name for i in range(metadata.num_columns)]
    place = columns.index(STORED)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return sum(group.column(place).total_uncompressed_size for group in groups)


def _size_of_texts(chunk: Any) -> int:
    """Bytes of the texts of a dictionary-encoded array if each is written out."""
    from pyarrow import compute

    sizes = compute.binary_length(chunk.dictionary).take(chunk.indices)
    return int(compute.sum(sizes).as_py() or 0)


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise HcbenchError("parquet needs pyarrow: pip install 'hcbench[parquet]'") from error
    return pyarrow, pyarrow.parquet
