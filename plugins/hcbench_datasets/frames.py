"""Tables that pandas reads: Parquet, Feather, JSON, ARFF, and files of Stata, SPSS and SAS."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from hcbench import DataError, ModelWarning
from hcbench.model import are_codes, number_text
from hcbench_datasets.cell_texts import numbers_of
from hcbench_datasets.content import Column, Table, first_line, unnamed_column
from hcbench_datasets.encoded import read_encoded, suffix_of
from hcbench_datasets.file_names import pasted_name
from hcbench_datasets.lists import columns_of_lists

_KEYS_OF_SPLIT = frozenset({"columns", "data"})
#: A key of `pandas.DataFrame.attrs`: the frame may have the items as columns.
_BY_COLUMN = "hcbench_by_column"
_KEYS_OF_TABLE = frozenset({"schema", "data"})
_SHOWN = 3  # keys in a note


def table_of_pandas(path: Path, texts: Collection[str]) -> Table:
    """The table of a file that pandas, pyarrow or scipy reads.

    Parameters
    ----------
    path : Path
        Its suffix is one of `READERS`.
    texts : collection of str
        Columns that are texts even if all cells are numbers.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    frame = READERS[suffix_of(path)](path)
    # Arrow has an index without a name as a column of this name.
    index = [name for name in frame.columns if str(name).startswith("__index_level_")]
    if len(index) == 1 and index[0] not in texts:
        return table_of_frame(path, frame.drop(columns=index), texts, frame[index[0]].tolist())
    row_names = None
    # A numbered index counts the rows, and names nothing.
    if frame.index.dtype.kind != "i":
        row_names = frame.index.tolist()
    table = table_of_frame(path, frame, texts, row_names)
    return replace(table, is_by_column=bool(frame.attrs.get(_BY_COLUMN)))


def table_of_frame(
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
    names = list(map(_column_name, frame.columns))
    columns: list[Column] = []
    first = None
    if row_names is not None:
        first = unnamed_column(names)
        columns += _columns_of_series(first, pd.Series(row_names), texts)
    for position, name in enumerate(names):
        # By position, as two columns may have one name.
        columns += _columns_of_series(name, frame.iloc[:, position], texts)
    return Table(str(path), tuple(columns), np.arange(1, len(frame) + 1), row_names=first)


def _columns_of_series(name: str, series: pd.Series[Any], texts: Collection[str]) -> list[Column]:
    """The column of a series; several if its cells are lists of numbers."""
    if series.dtype == object and name not in texts:
        # Embeddings, such as those of language models.
        columns = columns_of_lists(name, series.tolist())
        if columns is not None:
            return columns
    return [_column_of_series(name, series, texts)]


def _column_name(name: Any) -> str:
    """The name of a column; the levels of a pandas MultiIndex are joined with blanks."""
    if isinstance(name, str) and name.startswith("('") and name.endswith(")"):
        # As pandas writes such a name to Parquet.
        name = tuple(part.strip().strip("'") for part in name.strip("()").split("',"))
    if isinstance(name, tuple):
        levels = [str(part) for part in name if part not in ("", None)]
        return " ".join(levels)
    return str(name)


def _column_of_series(name: str, series: pd.Series[Any], texts: Collection[str]) -> Column:
    is_numeric = is_numeric_dtype(series.dtype)
    if is_numeric and name not in texts:
        return Column(name, series.to_numpy(np.float64, na_value=np.nan))
    cells = []
    for cell, is_missing in zip(series, series.isna(), strict=True):
        if is_missing:
            cells.append("")
        # As in text files: 1.0 of a label is 1.
        elif is_numeric and not is_bool_dtype(series.dtype):
            cells.append(number_text(cell))
        else:
            cells.append(_text_of(cell))
    if name not in texts and not are_codes(cells):
        numbers = numbers_of(cells)
        if numbers is not None:
            return Column(name, numbers)
    order: tuple[str, ...] = ()
    if isinstance(series.dtype, pd.CategoricalDtype) and series.dtype.ordered:
        order = tuple(str(category).strip() for category in series.dtype.categories)
    return Column(name, None, cells, order)


def _text_of(cell: Any) -> str:
    """A cell as a text; lists and objects as JSON writes them."""
    if isinstance(cell, list | dict):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return str(cell).strip()


def _arrow(path: Path) -> pd.DataFrame:
    """A Parquet or Feather table."""
    try:
        from pyarrow import ArrowException, feather, parquet
    except ImportError as error:
        raise DataError(
            f'{path}: such files need pyarrow: pip install "hcbench[parquet]"'
        ) from error
    read = parquet.read_table
    if path.suffix.lower() == ".feather":
        read = feather.read_table
    try:
        table = read(path)
        table.validate(full=True)  # else a text that is not UTF-8 would fail later
        return table.to_pandas(ignore_metadata=True)
    except MemoryError:
        raise
    except (OSError, ArrowException, ValueError) as error:
        raise DataError.of_file("read", path, error) from error


# ---- JSON ----------------------------------------------------------------------------------------


def _json(path: Path) -> pd.DataFrame:
    """A table in any of the orientations of `pandas.DataFrame.to_json`."""
    text = read_encoded(path, None)[0]
    try:
        if suffix_of(path) in (".jsonl", ".ndjson"):
            # Each line is a record of its own.
            content: Any = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            content = json.loads(text)
        return _frame_of_json(path, content)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise DataError(
            f"{path}: {error}; a table is a list of records, [{{...}}, {{...}}], or an object of "
            "columns of the same length"
        ) from error


def _frame_of_json(path: Path, content: Any) -> pd.DataFrame:
    """The frame of JSON that has been read, in one of the orientations of pandas."""
    if isinstance(content, dict) and content.keys() >= _KEYS_OF_TABLE:
        names = [field["name"] for field in content["schema"]["fields"]]
        frame = pd.DataFrame(content["data"], columns=names)
        if "index" in names:
            frame = frame.set_index("index")
        return frame
    if isinstance(content, dict) and content.keys() >= _KEYS_OF_SPLIT:
        return pd.DataFrame(content["data"], content.get("index"), content["columns"])
    records = _records_of(content)
    if records is not None:
        return pd.json_normalize(records)
    # What is left are columns below their names, or rows in lists.
    frame = pd.DataFrame(content)
    if not isinstance(content, dict):
        return frame
    frame.attrs[_BY_COLUMN] = True
    if not _are_objects(content.values()) or len(content) == 1 or _are_numbers(frame.index):
        return frame
    return _by_column_or_row(path, content, frame)


def _by_column_or_row(path: Path, content: dict[str, Any], frame: pd.DataFrame) -> pd.DataFrame:
    """The frame of an object of objects, whose outer keys are columns, or rows."""
    by_row = pd.DataFrame.from_dict(content, orient="index")
    n_mixed = _n_mixed(frame)
    n_mixed_by_row = _n_mixed(by_row)
    if n_mixed > n_mixed_by_row:
        # The columns would have texts and numbers: the outer keys are the names of the rows.
        return by_row
    if n_mixed == n_mixed_by_row:
        keys = ", ".join(list(map(str, content))[:_SHOWN])
        items = pasted_name(str(path), {"transpose": True})
        warnings.warn(
            f"the outer keys ({keys}, ...) are read as columns, as pandas does; if they are the "
            f"items write {items}",
            ModelWarning,
            stacklevel=2,
        )
    return frame


def _are_objects(values: Iterable[Any]) -> bool:
    return all(isinstance(value, dict) for value in values)


def _records_of(content: Any) -> list[dict[str, Any]] | None:
    """The records in JSON, if there are any: a list of objects, perhaps below a single key.

    Objects in them, such as ``{"size": {"x": 1}}``, become columns such as ``size.x``.
    """
    if isinstance(content, list):
        if content and _are_objects(content):
            return content
        return None
    if not isinstance(content, dict):
        return None
    lists = {}
    unused = []
    for key, value in content.items():
        records = None
        if isinstance(value, list):
            records = _records_of(value)
        if records is not None:
            lists[key] = records
        elif isinstance(value, list | dict):
            # It may be the items as well.
            return None
        else:
            unused.append(str(key))
    # Of several lists, each may have the items.
    if len(lists) != 1:
        return None
    ((key, records),) = lists.items()
    listed = ""
    if unused:
        listed = f", and {', '.join(unused)} is not used"
    warnings.warn(f"the items are the records below {key!r}{listed}", ModelWarning, stacklevel=2)
    return records


def _are_numbers(index: pd.Index) -> bool:
    """Whether all names of an index are whole numbers."""
    return all(str(name).isdigit() for name in index)


def _n_mixed(frame: pd.DataFrame) -> int:
    """How many columns have texts as well as numbers."""
    n_mixed = 0
    for position in range(frame.shape[1]):
        types = set(map(type, frame.iloc[:, position].dropna()))
        if str in types and len(types) > 1:
            n_mixed += 1
    return n_mixed


# ---- Other programs ------------------------------------------------------------------------------


def _arff(path: Path) -> pd.DataFrame:
    """A table of Weka: numbers, and nominal attributes as texts."""
    from scipy.io import arff

    try:
        rows, meta = arff.loadarff(io.StringIO(read_encoded(path, None)[0]))
    except (ValueError, IndexError, StopIteration, NotImplementedError, arff.ArffError) as error:
        reason = str(error) or "there is no table"
        raise DataError(
            f"{path}: {reason}; if it is a valid .arff file, save it as .csv"
        ) from error
    columns = {}
    for name, kind in zip(meta.names(), meta.types(), strict=True):
        columns[name] = rows[name]
        if kind == "nominal":
            texts = np.char.decode(rows[name], "utf-8")
            # In the header, classes have an order.
            columns[name] = pd.Categorical(texts, categories=meta[name][1], ordered=True)
    return pd.DataFrame(columns)


def _stata(path: Path) -> pd.DataFrame:
    """A table of Stata; codes with labels become the labels."""
    return _with_labels(path, lambda labels: pd.read_stata(path, convert_categoricals=labels))


def _spss(path: Path) -> pd.DataFrame:
    """A table of SPSS; codes with labels become the labels."""
    return _with_labels(path, lambda labels: pd.read_spss(path, convert_categoricals=labels))


def _sas(path: Path) -> pd.DataFrame:
    return _with_labels(path, lambda _: pd.read_sas(path, encoding="utf-8"))


def _with_labels(path: Path, read: Callable[[bool], pd.DataFrame]) -> pd.DataFrame:
    """A table with labels in place of codes, but for columns of which some codes have none.

    Of a scale often only the ends have labels, such as 1 = never and 7 = always: such columns are
    numbers.
    """
    try:
        labelled = read(True)
        codes = read(False)
    except ImportError as error:
        raise DataError(
            f'{path}: SPSS files need pyreadstat: pip install "hcbench[spss]"'
        ) from error
    except MemoryError:
        raise
    except Exception as error:  # pandas and pyreadstat raise many kinds
        reason = first_line(error)
        raise DataError(f"{path}: {reason}; save it again, or as .csv") from error
    partial = []
    for name in labelled.columns:
        if not is_numeric_dtype(codes[name].dtype):
            continue
        types = set(map(type, labelled[name].dropna()))
        if types == {str}:
            labelled[name] = _in_order_of_codes(labelled[name], codes[name])
        elif str in types:
            labelled[name] = codes[name]
            partial.append(str(name))
    if partial:
        warnings.warn(
            f"only some codes of {', '.join(partial)} have labels: the codes are used as numbers",
            ModelWarning,
            stacklevel=2,
        )
    return labelled


def _in_order_of_codes(labels: pd.Series[Any], codes: pd.Series[Any]) -> pd.Categorical:
    """Labels as classes, of which that with the lowest code is first."""
    pairs = pd.DataFrame({"code": codes, "label": labels.astype(object)})
    pairs = pairs.dropna().sort_values("code")
    # Two codes may have one label.
    order = pairs["label"].drop_duplicates().tolist()
    return pd.Categorical(labels.astype(object), categories=order, ordered=True)


READERS: Mapping[str, Callable[[Path], pd.DataFrame]] = MappingProxyType(
    {
        ".parquet": _arrow,
        ".feather": _arrow,
        ".json": _json,
        ".jsonl": _json,
        ".ndjson": _json,
        ".arff": _arff,
        ".dta": _stata,
        ".sav": _spss,
        ".zsav": _spss,
        ".xpt": _sas,
        ".sas7bdat": _sas,
    }
)
"""What reads the files of each suffix."""
