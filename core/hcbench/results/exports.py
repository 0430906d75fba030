"""Runs as files: rows for other programs, and a description from which a run can be imported.

JSON and Parquet contain both; CSV and sheets of Excel contain the rows only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hcbench.errors import DataError, HcbenchError
from hcbench.model.regular_files import read_regular
from hcbench.model.text import printable, spreadsheet_cell
from hcbench.results.results import Results, write_text

Format: TypeAlias = Literal["csv", "json", "parquet"]
#: The key, column and Parquet metadata of the description of the run.
STORED = "stored"
#: The integers that a column of Parquet can have.
_INT64_MIN = -(2**63)
_INT64_MAX = 2**63 - 1
# The most bytes of text that are read of a Parquet file: this many, and this many times its size.
# An export has about 20 times its own size.
_LEAST_LIMIT = 100 << 20
_LIMIT_RATIO = 100


def to_json(results: Results, stored: Mapping[str, Any], path: Path | None = None) -> str:
    """The JSON of `Results.to_json`, with the description of the run under ``stored``."""
    everything = json.loads(results.to_json())
    everything[STORED] = stored
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
    descriptions, cells_without_row = _descriptions_by_row(rows, stored["cells"])
    arrays = {}
    # A comparison without a cell has neither rows nor columns.
    names = list(rows[0]) if rows else []
    for name in names:
        column = [row[name] for row in rows]
        values, data_type = _typed(column, pyarrow)
        arrays[name] = pyarrow.array(values, data_type)
    arrays[STORED] = pyarrow.array(descriptions, pyarrow.string())
    run = dict(stored)
    run["cells"] = cells_without_row
    table = pyarrow.table(arrays).replace_schema_metadata({STORED: json.dumps(run)})
    try:
        parquet.write_table(table, path, compression="zstd")
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error


def _descriptions_by_row(
    rows: Sequence[Mapping[str, Any]], cells: Iterable[dict[str, Any]]
) -> tuple[list[str | None], list[dict[str, Any]]]:
    """The description of each cell as JSON, in the last of its rows; and those without a row."""
    last_row_of_key = {row["key"]: place for place, row in enumerate(rows)}
    descriptions: list[str | None] = [None] * len(rows)
    # Inapplicable combinations have no row with their key.
    cells_without_row = []
    for cell in cells:
        place = last_row_of_key.get(cell["key"])
        if place is None:
            cells_without_row.append(cell)
        else:
            descriptions[place] = json.dumps(cell)
    return descriptions, cells_without_row


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
        frame[name] = list(map(_sheet_value, frame[name]))
    # Labels come from suites and plugins, so that names of columns need the same care.
    frame.columns = list(map(_sheet_value, frame.columns))
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


def _typed(column: list[Any], pyarrow: Any) -> tuple[list[Any], Any]:
    """Values and their type: integer, float, Boolean or text; float if there are no values."""
    present = []
    for value in column:
        if value is not None:
            present.append(value)
    types = set(map(type, present))
    if types == {bool}:
        return column, pyarrow.bool_()
    # A column with an integer beyond 64 bits is text.
    if types == {int} and min(present) >= _INT64_MIN and max(present) <= _INT64_MAX:
        return column, pyarrow.int64()
    if types <= {float}:
        return column, pyarrow.float64()
    # Texts, and what has several types, such as budgets in queries and in dollars.
    texts: list[str | None] = []
    for value in column:
        if value is None:
            texts.append(None)
        else:
            texts.append(str(value))
    return texts, pyarrow.string()


def read_export(path: Path) -> dict[str, Any]:
    """The description of a run in a file of `to_json` or `write_parquet`.

    Raises
    ------
    DataError
        If the file has another format.
    """
    try:
        data = read_regular(path)
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
    limit = _LEAST_LIMIT + _LIMIT_RATIO * path.stat().st_size
    try:
        with parquet.ParquetFile(path, read_dictionary=[STORED]) as file:
            stored: dict[str, Any] = json.loads(file.schema_arrow.metadata[STORED.encode()])
            # A small file of a stranger may inflate to any size: it is weighed before it is read.
            if _inflated_size(file.metadata) > limit:
                raise ValueError("too large")
            column = file.read([STORED]).column(STORED)
            # Equal texts are one text until here.
            if sum(map(_size_of_texts, column.chunks)) > limit:
                raise ValueError("too large")
            for text in column.to_pylist():
                # None where a cell has a further row.
                if text is not None:
                    stored["cells"].append(json.loads(text))
    except (pyarrow.ArrowException, OSError, ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"{path} is not a Parquet file of hcbench results export") from None
    return stored


def _inflated_size(metadata: Any) -> int:
    """Bytes that the column with the description takes in the file, before compression."""
    names = []
    for i in range(metadata.num_columns):
        names.append(metadata.schema.column(i).name)
    place = names.index(STORED)
    size = 0
    for i in range(metadata.num_row_groups):
        size += metadata.row_group(i).column(place).total_uncompressed_size
    return size


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
