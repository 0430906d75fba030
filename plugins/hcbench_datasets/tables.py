"""Tables in files: delimited text, spreadsheets and Parquet.

Text is read with the csv module, as `pandas.read_csv` neither tells the line of a cell, nor refuses
a line with too few cells, nor reads each number to the last digit in all of its versions.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import struct
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench.files import MAX_DECOMPRESSED, table_rows
from hcbench_datasets.content import MISSING, Column, Table, looks_numeric

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".data", ".xlsx", ".parquet", ".feather"),
    *(".json", ".arff", ".phy", ".dist"),
)
OPEN: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
)
_DELIMITERS = ("\t", ";", "|", ",")
_SAMPLE = 50  # lines from which the delimiter and the decimal mark are found
_BLOCK = 10_000  # lines whose cells are in memory as texts
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")

Row = tuple[int, list[str]]  # line number, from 1, and cells


def read_table(
    path: Path,
    texts: Collection[str],
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Table:
    """Read the table in a file.

    Parameters
    ----------
    path : Path
        A .csv, .tsv, .txt or .data file, which may be compressed, or another of `SUFFIXES`.
    texts : collection of str
        Columns that are texts even if all cells are numbers.
    delimiter, decimal, encoding : str, optional
        Of text files; by default they are found in the file.

    Raises
    ------
    DataError
        If it cannot be read, or a line has too many or too few cells.
    """
    suffix = path.suffix.lower()
    if suffix in (".parquet", ".feather"):
        return _of_frame(path, _arrow(path, texts), texts)
    readers = {".xlsx": _spreadsheet, ".json": _json, ".arff": _arff, ".phy": _phylip}
    if reader := readers.get(suffix.replace(".dist", ".phy")):
        return _of_frame(path, reader(path), texts)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise DataError(f"delimiter must be one character such as ';', got {delimiter!r}")
    text, encoding = _text(path, encoding)
    text = _without_comments(text)
    found = _delimiter(path, text) if delimiter is None else delimiter
    start = [cells for _, cells in islice(table_rows(path, found, text), _SAMPLE)]
    above = _title(start)
    start = start[above:]
    if not start:
        raise DataError(f"{path}: the file is empty; is it the right one?")
    if decimal is None:
        decimal = "," if found != "," and _has_decimal_commas(start) else "."
    has_header = _is_header([_point(cells, decimal) for cells in start[:2]], texts)
    columns = _columns(start, has_header)
    counted = "the header" if has_header else "the first row"

    def rows() -> Iterator[Row]:
        for line, cells in islice(table_rows(path, found, text), above + has_header, None):
            if len(cells) != len(columns):
                raise DataError(
                    f"{path}, line {line}: {len(cells)} cells, but {counted} has {len(columns)}; "
                    "is a delimiter missing, or a text with one unquoted?"
                )
            yield line, cells

    read, lines = _read_columns(rows(), columns, texts, decimal)
    mixed = {column.name for column in read if column.numbers is None} - set(texts)
    if mixed:  # read again, now that these are known to be texts
        read, lines = _read_columns(rows(), columns, {*texts, *mixed}, decimal)
    spoken = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar", " ": "blank"}.get(
        found, repr(found)
    )
    form = f"{spoken}-separated, decimal {'comma' if decimal == ',' else 'point'}, {encoding}"
    return Table(str(path), read, lines, "line", has_header, form)


def _text(path: Path, encoding: str | None) -> tuple[str, str]:
    """The text of a file, and its encoding."""
    opener = OPEN.get(path.suffix.lower())
    try:
        if opener is None:
            content = path.read_bytes()
        else:
            with opener(path) as stream:
                content = stream.read(MAX_DECOMPRESSED + 1)
    except (OSError, EOFError, lzma.LZMAError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError.of_file("read", path, error) from error
        raise DataError(f"{path}: the file is damaged: {error}; compress it again") from error
    if opener is not None and len(content) > MAX_DECOMPRESSED:
        raise DataError(
            f"{path}: more than {MAX_DECOMPRESSED >> 30} GiB when decompressed; decompress it first"
        )
    if encoding is not None:
        return _decoded(path, content, encoding), encoding
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decoded(path, content, "utf-16"), "UTF-16"
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        warnings.warn(
            f"the text is not UTF-8 (line {line}), and is read as Windows-1252; "
            "encoding=... sets another",
            ModelWarning,
            stacklevel=2,
        )
    return content.decode("cp1252", errors="replace"), "Windows-1252"


def _decoded(path: Path, content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except LookupError:
        raise DataError(
            f"{path}: encoding={encoding!r} is unknown; write utf-8, latin-1, cp1252 or the like"
        ) from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(
            f"{path}, line {line}: byte {content[error.start]:#04x} is not {encoding}; "
            "omit encoding, or name the right one"
        ) from error


def _without_comments(text: str) -> str:
    """The text with blank lines for the comments before the table, which begin with "#".

    The last of them is the header if it has as many delimiters as the line below it.
    """
    lines = text.splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if not line.startswith("#")), 0)
    if first:
        above, below = lines[first - 1], lines[first]
        is_header = any(above.count(d) == below.count(d) > 0 for d in _DELIMITERS)
        if is_header:
            first -= 1
            lines[first] = above.lstrip("#").lstrip(" ")
    return "\n" * first + "".join(lines[first:])


def _delimiter(path: Path, text: str) -> str:
    """The delimiter that gives all of the first lines the same number of cells, at least two.

    Blanks are tried last, and in .txt and .data files only, as names have them, too. Rows with a
    single cell above the others are a title.
    """
    for delimiter in (*_DELIMITERS, *([" "] if {".txt", ".data"} & {*path.suffixes} else [])):
        try:
            rows = [cells for _, cells in islice(table_rows(path, delimiter, text), _SAMPLE)]
        except DataError:  # a quote in the middle of a cell, as between other delimiters
            continue
        start = [len(cells) for cells in rows[_title(rows) :]]
        widths = set(start[1:] or start)
        # Tables written by R have no name for the column of row names.
        if len(widths) == 1 and min(widths) > 1 and start[0] in (*widths, min(widths) - 1):
            return delimiter
    return "\t" if ".tsv" in path.suffixes else ","


def _title(rows: Sequence[Sequence[str]]) -> int:
    """How many rows stand above the header as a title: they have one cell, the header more.

    Below a header are numbers, while in a column of texts some may have delimiters.
    """
    filled = [[cell for cell in cells if cell] for cells in rows]
    first = next((i for i, cells in enumerate(filled) if len(cells) > 1), 0)
    below = filled[first + 1 : first + 2]
    has_header = first and not any(map(looks_numeric, filled[first]))
    return first if has_header and below and any(map(looks_numeric, below[0])) else 0


def _has_decimal_commas(rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell for row in rows for cell in row]
    return any(map(_DECIMAL_COMMA.fullmatch, cells)) and not any(
        "." in cell and looks_numeric(cell) for cell in cells
    )


def _point(cells: Sequence[str], decimal: str) -> list[str]:
    """Cells with a decimal point."""
    return list(cells) if decimal == "." else [cell.replace(decimal, ".") for cell in cells]


def _is_header(rows: Sequence[Sequence[str]], names: Collection[str]) -> bool:
    """Whether the first row is a header.

    It is if it contains a name of ``names``, contains no number, or has text where the second row
    has a number.
    """
    first = rows[0]
    # The number of a column that a role mentions may equal the number in some cell.
    if {name for name in names if not looks_numeric(name)} & set(first):
        return True
    text = [not looks_numeric(cell) for cell in first]
    if not any(text):
        return False
    if all(text) or len(rows) == 1:
        return True
    # With row names beside numbers, the row is a header only if some text is above a number.
    return any(t and looks_numeric(below) for t, below in zip(text, rows[1], strict=False))


def _columns(start: Sequence[Sequence[str]], has_header: bool) -> list[str]:
    """The names of the columns, 1, 2, ... where there are none."""
    names = list(start[0]) if has_header else [""] * len(start[0])
    if has_header and len(start) > 1 and len(start[1]) == len(names) + 1:
        names = ["", *names]  # as R writes row names
    return [name or str(i) for i, name in enumerate(names, start=1)]


def _read_columns(
    lines: Iterator[Row], columns: Sequence[str], texts: Collection[str], decimal: str
) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """Read the rows; a column with a text that ``texts`` does not name has neither part."""
    numbers: dict[str, list[NDArray[np.float64]] | None] = {
        name: [] for name in columns if name not in texts
    }
    cells: dict[str, list[str]] = {name: [] for name in columns if name in texts}
    places: list[int] = []
    while block := list(islice(lines, _BLOCK)):
        places += [line for line, _ in block]
        for name, column in zip(columns, zip(*(row for _, row in block), strict=True), strict=True):
            if name in cells:
                cells[name].extend(column)
            elif (parts := numbers[name]) is not None:
                values = _numbers(_point(column, decimal))
                numbers[name] = None if values is None else [*parts, values]

    def made(name: str) -> Column:
        if name in cells:
            return Column(name, None, cells[name])
        parts = numbers[name]
        return Column(name, None if parts is None else np.concatenate([np.empty(0), *parts]))

    return tuple(map(made, columns)), np.array(places, dtype=np.int64)


def _numbers(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Cells as numbers, missing ones as NaN; None if one is a text."""
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError:
        pass
    try:
        return np.array([np.nan if cell.lower() in MISSING else float(cell) for cell in cells])
    except ValueError:
        return None


def _of_frame(path: Path, frame: pd.DataFrame, texts: Collection[str]) -> Table:
    """The table of a frame; what is no number is a text."""
    from pandas.api.types import is_numeric_dtype

    def column(name: str, series: pd.Series[Any]) -> Column:
        if name not in texts and is_numeric_dtype(series.dtype):
            return Column(name, series.to_numpy(np.float64, na_value=np.nan))
        cells = [
            "" if missing else str(cell).strip()
            for cell, missing in zip(series, series.isna(), strict=True)
        ]
        values = None if name in texts else _numbers(cells)
        return Column(name, values, cells if values is None else None)

    columns = tuple(column(str(name), series) for name, series in frame.items())
    return Table(str(path), columns, np.arange(1, len(frame) + 1))


def _arrow(path: Path, texts: Collection[str]) -> pd.DataFrame:
    """A Parquet or Feather table; an unnamed pandas index without a role is ignored."""
    try:
        from pyarrow import ArrowException

        from hcbench_datasets import bounded
    except ImportError as error:
        raise DataError(
            f'{path}: such files need pyarrow: pip install "hcbench[parquet]"'
        ) from error
    try:
        table = bounded.read(path, MAX_DECOMPRESSED)
        names = [] if table is None else table.column_names
        used = [c for c in names if not c.startswith("__index_level_") or c in texts]
        frame = None if table is None else table.select(used).to_pandas(ignore_metadata=True)
    except (OSError, ArrowException, MemoryError, struct.error, ValueError) as error:
        raise DataError.of_file("read", path, error) from error
    if frame is None:
        raise DataError(
            f"{path}: more than {MAX_DECOMPRESSED >> 30} GiB when decompressed; save it as .csv"
        )
    return frame


def _json(path: Path) -> pd.DataFrame:
    """A list of records or an object of columns, as pandas writes either."""
    import pandas as pd

    try:
        frame = pd.DataFrame(json.loads(_text(path, None)[0]))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{path}: {error}; a table is a list of records, [{{...}}, {{...}}], or an object of "
            "columns of the same length"
        ) from error
    if not isinstance(frame.index, pd.RangeIndex) and not all(map(str.isdecimal, frame.index)):
        frame.insert(0, "1", frame.index)  # names of the rows
    return frame


def _arff(path: Path) -> pd.DataFrame:
    """A table of Weka: numbers, and nominal attributes as texts."""
    import pandas as pd
    from scipy.io import arff

    try:
        rows, meta = arff.loadarff(io.StringIO(_text(path, None)[0]))
    except (ValueError, IndexError, StopIteration, NotImplementedError, arff.ArffError) as error:
        reason = str(error) or "there is no table"
        raise DataError(
            f"{path}: {reason}; if it is a valid .arff file, save it as .csv"
        ) from error
    nominal = dict(zip(meta.names(), meta.types(), strict=True))
    return pd.DataFrame(
        {
            name: np.char.decode(rows[name], "utf-8") if kind == "nominal" else rows[name]
            for name, kind in nominal.items()
        }
    )


def _phylip(path: Path) -> pd.DataFrame:
    """A matrix of distances of PHYLIP, square or its lower triangle, with the names of the items.

    Names have no blanks, or 10 characters with blanks.
    """
    import pandas as pd

    head, *rows = [line for line in _text(path, None)[0].splitlines() if line.strip()] or [""]
    names, cells = [], []
    for row in rows:
        name, *numbers = row.split()
        if not all(map(looks_numeric, numbers)):
            name, numbers = row[:10].strip(), row[10:].split()
        names.append(name)
        cells.append(numbers)
    n = len(names)
    widths = [len(numbers) for numbers in cells]
    square, lower = [n] * n, ([*range(n)], [*range(1, n + 1)])
    numeric = all(map(looks_numeric, chain(*cells)))
    if head.strip() != str(n) or widths not in (square, *lower) or not numeric:
        raise DataError(
            f"{path}: no matrix of distances in PHYLIP's form: the first line is the number of "
            "items, and then each has a line with its name and the distances to all, or to those "
            "above it (sequences are not read)"
        )
    matrix = np.zeros((n, n))
    for i, numbers in enumerate(cells):
        matrix[i, : len(numbers)] = numbers
    if widths != square:
        matrix += np.tril(matrix, -1).T
    return pd.DataFrame({"1": names, **dict(zip(names, matrix.T, strict=True))})


def _spreadsheet(path: Path) -> pd.DataFrame:
    """The table in the first sheet of a workbook that has one, with a header, perhaps a title."""
    import pandas as pd

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > MAX_DECOMPRESSED:
            raise DataError(
                f"{path}: more than {MAX_DECOMPRESSED >> 30} GiB when decompressed; save it as .csv"
            )
        with pd.ExcelFile(path, engine="openpyxl") as book:
            frame = _sheet(book)
    except ImportError as error:
        raise DataError(
            f'{path}: Excel files need openpyxl: pip install "hcbench[excel]"'
        ) from error
    except (OSError, ValueError, KeyError, NotImplementedError, zipfile.BadZipFile) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError.of_file("read", path, error) from error
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path} is no Excel workbook: {reason}; save it again") from error
    names = ["" if str(name).startswith("Unnamed: ") else str(name) for name in frame.columns]
    frame.columns = pd.Index([name or str(i) for i, name in enumerate(names, start=1)])
    return frame.dropna(how="all")


def _sheet(book: pd.ExcelFile) -> pd.DataFrame:
    import pandas as pd

    for name in book.sheet_names:
        start = pd.read_excel(book, name, header=None, nrows=_SAMPLE, dtype=str, na_filter=False)
        rows = start.to_numpy().tolist()
        if len(rows) > 2 or len(book.sheet_names) == 1:
            break
    if len(book.sheet_names) > 1:
        warnings.warn(
            f"of {len(book.sheet_names)} sheets {name!r} is read; save another as .csv to use it",
            ModelWarning,
            stacklevel=2,
        )
    return pd.read_excel(book, name, header=_title(rows), keep_default_na=False, na_values=[""])
