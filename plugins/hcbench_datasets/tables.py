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
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench.files import DECIMAL_COMMA, check_regular, read_limited, table_rows
from hcbench.model import are_codes, number_text, read_numbers
from hcbench_datasets.content import MISSING, Column, Table, looks_numeric, pasted_name
from hcbench_datasets.headers import has_header
from hcbench_datasets.matrices import padded_rows, triangle_of
from hcbench_datasets.phylip import find_phylip, read_phylip

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (
    ".csv",
    ".tsv",
    ".txt",
    ".data",
    ".vec",
    ".gct",
    ".xlsx",
    ".parquet",
    ".feather",
    ".json",
    ".arff",
    ".phy",
    ".dist",
)
#: Text files whose cells may be separated by blanks; .vec is of fastText and word2vec.
_WITH_BLANKS = frozenset({".txt", ".data", ".vec"})
PHYLIP = (".phy", ".dist")
OPEN: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
)
_DELIMITERS = ("\t", ";", "|", ",")
_DELIMITER_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar", " ": "blank"}
#: Files that are compressed or written such that a small one may become very large in memory.
_EXPANDING = frozenset({".xlsx", ".parquet", ".feather", ".json", ".arff", *OPEN})
#: What precedes the header of a GCT file, and its columns before the samples.
_LINES_ABOVE_GCT = 2
_TEXTS_OF_GCT = ("Name", "Description")
_SAMPLE = 50  # lines from which the delimiter and the decimal mark are found
_BLOCK = 10_000  # lines whose cells are in memory as texts
_SHOWN_CELLS = 6
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)

Row = tuple[int, list[str]]  # line number, from 1, and cells


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
    suffix = path.suffix.lower()
    if suffix in (".parquet", ".feather"):
        return _of_arrow(path, texts)
    if suffix == ".xlsx":
        rows = _sheet_rows(path)
        return _of_rows(path, rows, texts, header=header, decimal=".", line="row", form="")
    if suffix in PHYLIP:
        return _of_distances(path, read_phylip(path, _text(path, None)[0]), texts)
    if suffix == ".json":
        frame = _json(path)
        # A list of records has no names of rows.
        row_names = None if frame.index.dtype.kind == "i" else frame.index.tolist()
        return _of_frame(path, frame, texts, row_names)
    if suffix == ".gct":
        return _of_gct(path, texts)
    if suffix == ".arff":
        return _of_frame(path, _arff(path), texts)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise DataError(f"delimiter must be one character such as ';', got {delimiter!r}")
    text, encoding = _text(path, encoding)
    phylip = find_phylip(text) if header is None and delimiter is None else None
    if phylip is not None:
        return _of_distances(path, phylip, texts)
    return _of_text(path, text, texts, header, delimiter, decimal, encoding)


def _of_arrow(path: Path, texts: Collection[str]) -> Table:
    """The table of a Parquet or Feather file, whose index names the rows."""
    frame = _arrow(path)
    index = [name for name in frame.columns if name.startswith("__index_level_")]
    if len(index) == 1 and index[0] not in texts:
        return _of_frame(path, frame.drop(columns=index), texts, frame[index[0]].tolist())
    return _of_frame(path, frame, texts)


def _of_text(
    path: Path,
    text: str,
    texts: Collection[str],
    header: bool | None,
    delimiter: str | None,
    decimal: str | None,
    encoding: str,
) -> Table:
    """The table in delimited text."""
    text = _without_comments(text)
    if _WITH_BLANKS.intersection(path.suffixes):
        # fastText ends each line with a blank, behind which there is no cell.
        text = re.sub(r" +$", "", text, flags=re.MULTILINE)
    if delimiter is None:
        delimiter = _delimiter(path, text)
    start = [cells for _, cells in islice(table_rows(path, delimiter, text), _SAMPLE)]
    if decimal is None:
        decimal = _decimal_mark(path, start[_title(start) :], delimiter)
    delimiter_name = _DELIMITER_NAMES.get(delimiter, repr(delimiter))
    mark = "comma" if decimal == "," else "point"
    form = f"{delimiter_name}-separated, decimal {mark}, {encoding}"
    first_rows = list(islice(table_rows(path, delimiter, text), 2))
    if header is None and _is_first_row_quoted(text, first_rows):
        header = True
    rows = partial(table_rows, path, delimiter, text)
    return _of_rows(path, rows, texts, header=header, decimal=decimal, line="line", form=form)


def _of_gct(path: Path, texts: Collection[str]) -> Table:
    """The table of GenePattern's format GCT 1.2: genes in rows, samples in columns.

    Two lines precede the header: the version, and the numbers of rows and columns. The column Name
    has the names of the rows; Description is not used unless it has a role.
    """
    text, encoding = _text(path, None)
    lines = text.splitlines(keepends=True)
    version = lines[0].strip() if lines else ""
    if version != "#1.2" or len(lines) < _LINES_ABOVE_GCT:
        raise DataError(
            f"{path}: the first line of a .gct file is #1.2, not {version[:20]!r}; save it as "
            "GCT 1.2, or as .csv"
        )
    # Blank lines keep the numbers of the lines below.
    body = "\n" * _LINES_ABOVE_GCT + "".join(lines[_LINES_ABOVE_GCT:])
    named = {*texts, *_TEXTS_OF_GCT}
    table = _of_text(path, body, named, True, "\t", ".", encoding)
    if tuple(table.names[:2]) != _TEXTS_OF_GCT:
        raise DataError(f"{path}: the columns of a .gct file begin with Name and Description")
    name, description = _TEXTS_OF_GCT
    if description not in texts:
        columns = tuple(column for column in table.columns if column.name != description)
        table = replace(table, columns=columns)
        warnings.warn(
            "the rows of a .gct file are the items, and Description is not used; transpose=true "
            "makes the samples the items",
            ModelWarning,
            stacklevel=2,
        )
    return replace(table, row_names=name)


def _of_rows(
    path: Path,
    all_rows: Callable[[], Iterator[Row]],
    texts: Collection[str],
    *,
    header: bool | None,
    decimal: str,
    line: str,
    form: str,
) -> Table:
    """The table in rows of texts, which can be read several times.

    Parameters
    ----------
    path : Path
    all_rows : callable
        Returns an iterator of all rows.
    texts : collection of str
    header : bool or None
    decimal : str
    line : str
        What the numbers of the rows count: "line" or "row".
    form : str
        How the rows are written.
    """
    start = [cells for _, cells in islice(all_rows(), _SAMPLE)]
    above = _title(start)
    if not start[above:]:
        raise DataError(f"{path}: the file is empty; is it the right one?")
    # Enough rows to see whether there is a square matrix below a header.
    most = above + max(_SAMPLE, len(start[above]) + 2)
    start = [_point(cells, decimal) for _, cells in islice(all_rows(), above, most)]
    half = triangle_of(start)
    if half is not None:
        return _of_triangle(path, list(all_rows())[above:], half, header, decimal, line, form)
    if header is None:
        header = has_header(start, texts)
    if header is None:
        shown = ", ".join(start[0][:_SHOWN_CELLS])
        if len(start[0]) > _SHOWN_CELLS:
            shown += ", ..."
        with_header = pasted_name(str(path), {"header": True})
        without_header = pasted_name(str(path), {"header": False})
        raise DataError(
            f"{path}: the first row ({shown}) may have the names of columns or the numbers of an "
            f"item; write {with_header} or {without_header}"
        )
    columns, row_names = _columns(start, header)
    counted = "the header" if header else "the first row"

    def rows() -> Iterator[Row]:
        for number, cells in islice(all_rows(), above + header, None):
            if len(cells) != len(columns):
                raise DataError(
                    f"{path}, {line} {number}: {len(cells)} cells, but {counted} has "
                    f"{len(columns)}; is a delimiter missing, or a text with one unquoted?"
                )
            yield number, cells

    read, lines = _read_columns(rows(), columns, texts, decimal)
    mixed = {column.name for column in read if column.numbers is None} - set(texts)
    if mixed:  # read again, now that these are known to be texts
        read, lines = _read_columns(rows(), columns, {*texts, *mixed}, decimal)
    return Table(str(path), read, lines, line, header, form, row_names)


def _of_triangle(
    path: Path,
    rows: list[Row],
    half: str,
    header: bool | None,
    decimal: str,
    line: str,
    form: str,
) -> Table:
    """The table of a triangle of a matrix, whose rows differ in length by one cell."""
    padded, has_names = padded_rows([cells for _, cells in rows], half, header)
    columns, row_names = _columns(padded, has_names)
    body = zip([number for number, _ in rows][has_names:], padded[has_names:], strict=True)
    read, lines = _read_columns(body, columns, (), decimal)
    mixed = {column.name for column in read if column.numbers is None}
    if mixed:
        body = zip([number for number, _ in rows][has_names:], padded[has_names:], strict=True)
        read, lines = _read_columns(body, columns, mixed, decimal)
    return Table(str(path), read, lines, line, has_names, form, row_names)


def _is_first_row_quoted(text: str, rows: list[Row]) -> bool:
    """Whether all cells of the first row are in quotes, and not all of the second one.

    R quotes names of columns and no numbers.
    """
    if len(rows) < 2:
        return False
    lines = text.split("\n", rows[1][0])
    first = lines[rows[0][0] - 1]
    second = lines[rows[1][0] - 1]
    return first.count('"') == 2 * len(rows[0][1]) and second.count('"') < 2 * len(rows[1][1])


def _text(path: Path, encoding: str | None) -> tuple[str, str]:
    """The text of a file, and its encoding."""
    opener = OPEN.get(path.suffix.lower())
    try:
        if opener is None:
            content = path.read_bytes()
        else:
            with opener(path) as stream:
                content = stream.read()
    except (OSError, EOFError, lzma.LZMAError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError.of_file("read", path, error) from error
        raise DataError(f"{path}: the file is damaged: {error}; compress it again") from error
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
    delimiters = list(_DELIMITERS)
    if _WITH_BLANKS.intersection(path.suffixes):
        delimiters.append(" ")
    for delimiter in delimiters:
        try:
            rows = [cells for _, cells in islice(table_rows(path, delimiter, text), _SAMPLE)]
        except DataError:  # a quote in the middle of a cell, as between other delimiters
            continue
        start = [len(cells) for cells in rows[_title(rows) :]]
        widths = set(start[1:] or start)
        if triangle_of(rows[_title(rows) :]) is not None:
            return delimiter
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


def _decimal_mark(path: Path, rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """The decimal mark of the numbers in the first rows."""
    cells = [cell for row in rows for cell in row]
    commas = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell)]
    if delimiter == "," or not commas:
        return "."
    if any("." in cell and looks_numeric(cell) for cell in cells):
        return "."
    if all(map(_THOUSANDS.fullmatch, commas)):
        raise DataError(
            f"{path}: {commas[0]!r} may have a decimal comma or a separator of thousands; write "
            f"{pasted_name(str(path), {'decimal': ','})}, or write such numbers without the "
            "separators"
        )
    return ","


def _point(cells: Sequence[str], decimal: str) -> list[str]:
    """Cells with a decimal point."""
    return list(cells) if decimal == "." else [cell.replace(decimal, ".") for cell in cells]


def _columns(start: Sequence[Sequence[str]], has_header: bool) -> tuple[list[str], str | None]:
    """The names of the columns, and which of them has the names of the rows, if any.

    The columns are named 1, 2, ... where there is no header. The first column has the names of the
    rows if it has none, as pandas and R write them.
    """
    names = list(start[0]) if has_header else [""] * len(start[0])
    if not has_header:
        return [str(i) for i in range(1, len(names) + 1)], None
    if len(start) > 1 and len(start[1]) == len(names) + 1:
        names = ["", *names]  # as R writes row names
    without_name = names[0] == "" or names[0] == "Unnamed: 0"
    for position, name in enumerate(names):
        if name == "":
            candidates = (str(position + 1), f"Unnamed: {position}", f"Unnamed: {position}.1")
            names[position] = next(word for word in candidates if word not in names)
    is_alone = len(names) == 1
    return names, names[0] if without_name and not is_alone else None


def _read_columns(
    lines: Iterator[Row], columns: Sequence[str], texts: Collection[str], decimal: str
) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """Read the rows; a column with a text that ``texts`` does not name has neither part."""
    numbers: dict[str, list[NDArray[np.float64]] | None] = {
        name: [] for name in columns if name not in texts
    }
    cells: dict[str, list[str]] = {name: [] for name in columns if name in texts}
    # Whether all cells so far are written like 2E10.
    have_codes = dict.fromkeys(numbers, True)
    places: list[int] = []
    while block := list(islice(lines, _BLOCK)):
        places += [line for line, _ in block]
        for name, column in zip(columns, zip(*(row for _, row in block), strict=True), strict=True):
            if name in cells:
                cells[name].extend(column)
            elif (parts := numbers[name]) is not None:
                values = _numbers(_point(column, decimal))
                numbers[name] = None if values is None else [*parts, values]
                have_codes[name] = have_codes[name] and are_codes(column)

    def made(name: str) -> Column:
        if name in cells:
            return Column(name, None, cells[name])
        parts = numbers[name]
        if parts is None or (have_codes[name] and places):
            return Column(name)
        return Column(name, np.concatenate([np.empty(0), *parts]))

    return tuple(map(made, columns)), np.array(places, dtype=np.int64)


def _numbers(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Cells as numbers, missing ones as NaN; None if one is a text."""
    are_missing = [cell.lower() in MISSING for cell in cells]
    present = cells
    if any(are_missing):
        pairs = zip(cells, are_missing, strict=True)
        present = [cell for cell, is_missing in pairs if not is_missing]
    numbers = read_numbers(present)
    if numbers is None:
        return None
    values = np.full(len(cells), np.nan)
    values[~np.array(are_missing, dtype=bool)] = numbers
    return values


def _of_frame(
    path: Path, frame: pd.DataFrame, texts: Collection[str], row_names: Sequence[Any] | None = None
) -> Table:
    """The table of a frame; what is no number is a text.

    Parameters
    ----------
    path : Path
    frame : DataFrame
    texts : collection of str
        Columns that are texts even if all cells are numbers.
    row_names : sequence, optional
        Names of the rows, which become the first column.
    """
    import pandas as pd

    names = [str(name) for name in frame.columns]
    series = [frame.iloc[:, position] for position in range(len(names))]
    first = None
    if row_names is not None:
        first = "1" if "1" not in names else "Unnamed: 0"
        names.insert(0, first)
        series.insert(0, pd.Series(row_names))
    columns = [_column_of_series(name, one, texts) for name, one in zip(names, series, strict=True)]
    return Table(str(path), tuple(columns), np.arange(1, len(frame) + 1), row_names=first)


def _column_of_series(name: str, series: pd.Series[Any], texts: Collection[str]) -> Column:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    is_numeric = is_numeric_dtype(series.dtype)
    if is_numeric and name not in texts:
        return Column(name, series.to_numpy(np.float64, na_value=np.nan))
    cells = []
    for cell, is_missing in zip(series, series.isna(), strict=True):
        if is_missing:
            cells.append("")
        elif is_numeric and not is_bool_dtype(series.dtype):
            cells.append(number_text(cell))
        else:
            cells.append(str(cell).strip())
    values = None
    if name not in texts and not are_codes(cells):
        values = _numbers(cells)
    return Column(name, values, cells if values is None else None)


def _arrow(path: Path) -> pd.DataFrame:
    """A Parquet or Feather table."""
    try:
        from pyarrow import ArrowException, feather, parquet
    except ImportError as error:
        raise DataError(
            f'{path}: such files need pyarrow: pip install "hcbench[parquet]"'
        ) from error
    read = feather.read_table if path.suffix.lower() == ".feather" else parquet.read_table
    try:
        table = read(path)
        table.validate(full=True)  # else a text that is not UTF-8 would fail later
        return table.to_pandas(ignore_metadata=True)
    except MemoryError:
        raise
    except (OSError, ArrowException, ValueError) as error:
        raise DataError.of_file("read", path, error) from error


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


def _of_distances(
    path: Path, phylip: tuple[list[str], NDArray[np.float64]], texts: Collection[str]
) -> Table:
    """The table of a matrix of distances, with a first column of names."""
    names, matrix = phylip
    columns = []
    for position, name in enumerate(names):
        columns.append(_column_of_numbers(name, matrix[:, position], texts))
    first = "1" if "1" not in names else "Unnamed: 0"
    rows = Column(first, None, list(names))
    lines = np.arange(1, len(names) + 1)
    return Table(str(path), (rows, *columns), lines, row_names=first)


def _column_of_numbers(name: str, numbers: NDArray[np.float64], texts: Collection[str]) -> Column:
    if name in texts:
        return Column(name, None, [number_text(number) for number in numbers.tolist()])
    return Column(name, numbers)


def _sheet_rows(path: Path) -> Callable[[], Iterator[Row]]:
    """The rows of the first sheet of a workbook that has a table."""
    import pandas as pd

    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
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
    numbered = enumerate(rows, start=1)
    filled = [(number, cells) for number, cells in numbered if any(cells)]
    return lambda: iter(filled)


def _cells_of_sheet(book: pd.ExcelFile) -> list[list[str]]:
    """The cells of the first sheet with at least three rows, as texts."""
    import pandas as pd

    rows: list[list[str]] = []
    for name in book.sheet_names:
        sheet = pd.read_excel(book, sheet_name=name, header=None, dtype=object, na_filter=False)
        rows = [[_cell_text(cell) for cell in cells] for cells in sheet.to_numpy().tolist()]
        if len(rows) > 2:
            break
    if len(book.sheet_names) > 1:
        warnings.warn(
            f"of {len(book.sheet_names)} sheets {name!r} is read; save another as .csv to use it",
            ModelWarning,
            stacklevel=2,
        )
    return rows


def _cell_text(cell: Any) -> str:
    """The content of a cell of a sheet; numbers have all of their digits."""
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, int | float):
        return "" if cell != cell else number_text(cell)  # NaN
    return str(cell).strip()
