"""Comparisons in files: comma-separated text, and numpy's .npz and .npy."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError, InvalidComparisonsError, ModelWarning
from hcbench.files.columns import roles_of_columns
from hcbench.files.tables import TABLES, delimiter_of, read_arrays, read_text
from hcbench.model.comparisons import Comparisons
from hcbench.model.numbers import read_whole_number
from hcbench.model.regular_files import check_regular

#: The columns of the items; comparisons of three items have no l.
_ITEMS = ("i", "j", "k", "l")
#: Columns beside the items that are read.
_EXTRA = ("response", "annotator")
_SUFFIXES = tuple(TABLES) + (".npz", ".npy")
#: Responses of those who could not decide.
_NO_ANSWER = frozenset(
    ("", "tie", "equal", "same", "neither", "both", "none", "unsure", "skip", "na", "n/a", "nan")
)
#: What is stripped from a cell.
_AROUND = ' \t\r\n"'
#: Names of the column of row numbers.
_UNNAMED = ("", "Unnamed: 0")
#: Lines that are written at a time.
_LINES = 1 << 18


def read_comparisons(path: str | Path, n: int | None = None) -> Comparisons:
    """Comparisons of a file.

    ``.csv``, ``.tsv``: a row for each, ``i, j, k, l`` (w_ij > w_kl) or ``i, j, k`` (w_ij > w_ik),
    items numbered from 0; a fifth column is the annotator, by number or by name (then numbered in
    the order of the alphabet). A header may name the columns, in any order, and then also
    ``response`` (1, -1, 0; of three items also the name of the nearer one, or of its column, or
    ``tie``); ``anchor, near, far, worker`` are other names of ``i, j, k,
    annotator``. Below a header the items may have names, which are numbered in the order of the
    alphabet. A comment ``# n = 60`` gives the number of items.

    ``.npz``: ``closer`` and ``farther`` (m,) pairs, or ``quadruplets`` (m, 4) or ``triplets``
    (m, 3), as in cblearn, with optional ``responses`` (m,), or ``comparisons`` (n, n, n, n), as in
    ComparisonHC; ``annotator`` (m,) and ``n`` are optional.
    ``.npy``: one array of any of these shapes.

    Parameters
    ----------
    path : str or Path
        The file.
    n : int, optional
        Number of items; by default that in the file, else the largest number of an item, plus 1.

    Raises
    ------
    DataError
        If the file cannot be read, or is of another format.
    InvalidComparisonsError
        If the contents are invalid; the message names the line or row.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("answers.csv").write_text('''
    ... anchor,near,far
    ... ape,bat,cod
    ... bat,ape,eel
    ... ''')
    >>> answers = read_comparisons("answers.csv")
    >>> answers
    Comparisons(n=4, m=2)
    >>> answers.triplets().tolist()  # ape is item 0, ..., eel is item 3
    [[0, 1, 2], [1, 0, 3]]
    """
    comparisons, _ = read_named_comparisons(Path(path), n)
    return comparisons


def read_named_comparisons(
    path: Path, n: int | None = None, drop: Sequence[str] = ()
) -> tuple[Comparisons, tuple[str, ...] | None]:
    r"""Comparisons of a file as by `read_comparisons`, and the names of the items if it has any.

    Columns of ``drop`` are not read.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("answers.csv").write_text("i,j,k\ncat,dog,oak\ncat,dog,elm\n")
    >>> comparisons, names = read_named_comparisons(Path("answers.csv"))
    >>> names
    ('cat', 'dog', 'elm', 'oak')
    >>> len(comparisons)
    2
    """
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise DataError(
            f"{path}: comparisons are read from {', '.join(_SUFFIXES)}, not {path.suffix!r}"
        )
    try:
        check_regular(path)
        if suffix in TABLES:
            return _read_csv(path, n, drop)
        return _read_arrays(path, n), None
    except InvalidComparisonsError as error:
        raise InvalidComparisonsError(f"{path}: {error}") from error
    except OSError as error:
        raise DataError.of_file("read", path, error) from error


def write_comparisons(
    comparisons: Comparisons, path: str | Path, *, triplets: bool = False
) -> None:
    """Write comparisons as `read_comparisons` reads them; ``.csv`` or ``.npz`` by the name.

    Parameters
    ----------
    comparisons : Comparisons
        The comparisons, each of which becomes a row.
    path : str or Path
        The file, which is replaced if it exists.
    triplets : bool
        Whether rows have three items, as in cblearn, instead of four or of pairs.

    Raises
    ------
    DataError
        If the format is another one, or the file cannot be written.
    InvalidComparisonsError
        If rows are to have three items, and a comparison is of four.

    Examples
    --------
    >>> from pathlib import Path
    >>> answers = hcbench.Comparisons.from_triplets(4, [[0, 1, 2], [1, 0, 3]])
    >>> write_comparisons(answers, "answers.csv", triplets=True)
    >>> print(Path("answers.csv").read_text())
    # n = 4
    i,j,k
    0,1,2
    1,0,3
    >>> hcbench.read_comparisons("answers.csv") == answers
    True
    """
    path = Path(path)
    writers = {".csv": _write_csv, ".npz": _write_arrays}
    if path.suffix.lower() not in writers:
        raise DataError(f"{path}: comparisons are written to .csv or .npz, not {path.suffix!r}")
    try:
        writers[path.suffix.lower()](comparisons, path, triplets)
    except OSError as error:
        raise DataError.of_file("write", path, error) from error


def _write_arrays(comparisons: Comparisons, path: Path, triplets: bool) -> None:
    if triplets:
        written: dict[str, Any] = {"triplets": comparisons.triplets()}
    else:
        written = {"closer": comparisons.closer, "farther": comparisons.farther}
    if comparisons.annotator is not None:
        written["annotator"] = comparisons.annotator
    np.savez(path, n=comparisons.n, **written)


def _write_csv(comparisons: Comparisons, path: Path, triplets: bool) -> None:
    names = list(_ITEMS)
    if triplets:
        names.remove("l")
    if comparisons.annotator is not None:
        names.append("annotator")
    with path.open("w", encoding="utf-8") as file:
        file.write(f"# n = {comparisons.n}\n{','.join(names)}\n")
        for start in range(0, len(comparisons), _LINES):
            rows = np.arange(start, min(start + _LINES, len(comparisons)))
            part = comparisons.select(rows)
            columns = [part.triplets() if triplets else part.quadruplets()]
            if part.annotator is not None:
                columns.append(part.annotator[:, None])
            np.savetxt(file, np.hstack(columns), fmt="%d", delimiter=",")


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a text file of comparisons is laid out.

    Attributes
    ----------
    text : str
        What the file has.
    delimiter : str
    names : list of str
        Of the columns: ``i, j, k, l, response, annotator``, and "" for those that are not read.
    skipped : int
        How many lines precede the first row.
    n : int or None
        The number of items, if a comment notes it.
    header : list of str
        The names of the columns in the file; empty if it has no header.
    """

    text: str
    delimiter: str
    names: list[str]
    skipped: int
    n: int | None
    header: Sequence[str] = ()

    @property
    def item_places(self) -> list[int]:
        """The positions of the columns that have items."""
        return [place for place, name in enumerate(self.names) if name in _ITEMS]


def _read_csv(
    path: Path, n: int | None, drop: Sequence[str] = ()
) -> tuple[Comparisons, tuple[str, ...] | None]:
    """Comparisons of a text file, and the names of the items if it has any."""
    layout = _layout_of(path, drop)
    if n is None:
        n = layout.n
    table, item_names = _read_table(layout)
    column = dict(zip(layout.names, table.T, strict=True))
    items = [column[name] for name in _ITEMS if name in column]
    if item_names is None:
        rows = np.column_stack([item.astype(np.int64) for item in items])
    else:
        if n is not None and n != len(item_names):
            raise InvalidComparisonsError(
                f"there are {len(item_names)} names of items, and n is {n}"
            )
        n = len(item_names)
        rows = np.column_stack([np.searchsorted(item_names, item) for item in items])
    annotators = column.get("annotator")
    if annotators is not None and annotators.dtype.kind == "U":
        annotators = np.unique(annotators, return_inverse=True)[1]
    responses = column.get("response")
    if responses is not None and responses.dtype.kind == "U":
        responses = _responses_of_texts(layout, responses, column)
    if n is None:
        _check_first_item(rows)
    try:
        return _of_rows(rows, n, responses, annotators), item_names
    except InvalidComparisonsError as error:
        match = re.match(r"row (\d+) ?(\[.*\])?(.*)", str(error))
        if match is None:
            raise
        # Blank lines and comments are no rows.
        line_numbers = [line for line, _ in _lines(layout)]
        line = line_numbers[int(match[1])]
        listed = match[2] or ""
        if listed and item_names is not None:
            listed = ", ".join(item_names[item] for item in rows[int(match[1])])
        where = f"line {line} {listed}".rstrip()
        raise InvalidComparisonsError(f"{where}{match[3]}") from error


def _read_table(layout: _Layout) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """The cells of all rows, as numbers if all are, and the names of the items if they have any."""
    item_names = None
    try:
        table = _load(layout, np.int64)
        _check_zeros(layout)
    except ValueError:
        if _has_item_names(layout):
            item_names = _item_names(layout)
        else:
            _check_lines(layout)
        # The annotators or the items have names.
        table = _load(layout, str)
    if table.shape[1] != len(layout.names):
        _check_lines(layout)
        # There are only blank lines.
        table = np.empty((0, len(layout.names)), np.int64)
    return table, item_names


def _has_item_names(layout: _Layout) -> bool:
    """Whether the items of a table have names: the first one is not written as a number.

    Raises
    ------
    InvalidComparisonsError
        If another one is.
    """
    first_name = ""  # with its place, for messages
    for line, cells in _lines(layout):
        if len(cells) != len(layout.names):
            return False
        for place in layout.item_places:
            cell = cells[place]
            if not cell:
                raise InvalidComparisonsError(
                    f"line {line}: there is no item {layout.names[place]}; write it, or remove "
                    "the line"
                )
            is_first = not first_name
            if is_first:
                first_name = f"{cell!r} in line {line}"
            if not _is_int(cell):
                continue
            if is_first:
                return False
            raise InvalidComparisonsError(
                f"line {line}: {layout.names[place]} is {cell!r}, and {first_name} is a name; give "
                "all items names, or all of them numbers"
            )
    return first_name != ""


def _item_names(layout: _Layout) -> tuple[str, ...]:
    """The names of the items, in the order of the alphabet."""
    names: set[str] = set()
    for _, cells in _lines(layout):
        names.update(cells[place] for place in layout.item_places)
    return tuple(sorted(names))


def _check_zeros(layout: _Layout) -> None:
    """Raise `ValueError` if an item is written like 007, which is a name and no number."""
    if re.search(r"(?m)(^|[,;\t])\s*[+-]?0\d", layout.text, re.ASCII):
        _check_lines(layout)


def _check_first_item(rows: NDArray[np.int64]) -> None:
    """Raise an error if the items seem to be numbered from 1."""
    items = np.unique(rows)
    if len(items) > 3 and np.array_equal(items, np.arange(1, len(items) + 1)):
        raise InvalidComparisonsError(
            f"the items are 1 to {len(items)}; are they counted from 1? Then subtract 1, or write "
            f"a line '# n = {len(items) + 1}' above if there is an item 0"
        )


def _responses_of_texts(
    layout: _Layout, texts: NDArray[Any], column: Mapping[str, NDArray[Any]]
) -> NDArray[np.int64]:
    """Responses as 1, -1 and 0, of cells that have the nearer item, its column or a number.

    Raises
    ------
    InvalidComparisonsError
        If a cell has none of these.
    """
    has_three_items = "l" not in column
    near_header = ""
    far_header = ""
    if has_three_items:
        near_header = layout.header[layout.names.index("j")]
        far_header = layout.header[layout.names.index("k")]
    responses = np.zeros(len(texts), np.int64)
    for row, text in enumerate(texts.tolist()):
        number = read_whole_number(text)
        if number is not None:
            responses[row] = number
        elif has_three_items and text in (near_header, column["j"][row]):
            responses[row] = 1
        elif has_three_items and text in (far_header, column["k"][row]):
            responses[row] = -1
        elif text.casefold() not in _NO_ANSWER:
            line, _ = list(_lines(layout))[row]
            raise InvalidComparisonsError(
                f"line {line}: the response is {text!r}; write 1 or -1, the name of the nearer "
                "item or of its column, or tie"
            )
    return responses


def _check_responses(responses: NDArray[Any] | None) -> None:
    """Ask what 0 means if there is no -1, and tell how many rows have no answer.

    Raises
    ------
    InvalidComparisonsError
    """
    if responses is None or responses.dtype.kind == "b" or not responses.size:
        return
    n_without = int((responses == 0).sum())
    if not n_without:
        return
    if responses.min() == 0:
        raise InvalidComparisonsError(
            f"{n_without} responses are 0 and none is -1; write -1 where the last item is nearer, "
            "or remove the rows with 0 if they have no answer"
        )
    warnings.warn(
        f"{n_without} of {len(responses)} comparisons are ties or have no answer (response 0), and "
        "are not used",
        ModelWarning,
        stacklevel=4,
    )


def _of_rows(
    rows: NDArray[Any],
    n: int | None,
    responses: NDArray[Any] | None,
    annotators: NDArray[Any] | None,
) -> Comparisons:
    if rows.ndim != 2 or rows.shape[1] not in (3, 4):
        raise InvalidComparisonsError(
            f"comparisons have shape (m, 3) for triplets or (m, 4), got {rows.shape}"
        )
    _check_responses(responses)
    if n is None:
        n = max(int(rows.max(initial=0)) + 1, 1)
    if rows.shape[1] == 3:
        return Comparisons.from_triplets(n, rows, responses, annotators)
    return Comparisons.from_quadruplets(n, rows, responses, annotators)


def _load(layout: _Layout, dtype: Any) -> NDArray[Any]:
    """The cells of all rows, stripped if they are texts."""
    with warnings.catch_warnings():
        # numpy warns of a file without data.
        warnings.simplefilter("ignore", UserWarning)
        # Old numpy warns of 2.5, which it reads as 2.
        warnings.simplefilter("error", DeprecationWarning)
        table: NDArray[Any] = np.loadtxt(
            StringIO(layout.text),
            dtype,
            delimiter=layout.delimiter,
            skiprows=layout.skipped,
            ndmin=2,
        )
    if table.dtype.kind == "U":
        return np.char.strip(table, _AROUND)
    return table


def _layout_of(path: Path, drop: Sequence[str]) -> _Layout:
    """The columns and the noted number of items, from the lines up to the first row."""
    n = None
    text = read_text(path)
    delimiter = delimiter_of(path, text)
    for n_before, line in enumerate(StringIO(text)):
        match = re.match(r"#\s*n\s*=\s*(\d{1,18})\s*$", line)
        if match is not None:
            n = int(match[1])
        cells = _cells(line, delimiter)
        if cells == [""]:
            continue
        if _is_int(cells[0]):
            # There is no header: this is the first row.
            names = _names_by_number(n_before + 1, cells)
            return _Layout(text, delimiter, names, n_before, n)
        names = _names_of_header(n_before + 1, cells, drop)
        return _Layout(text, delimiter, names, n_before + 1, n, cells)
    return _Layout(text, delimiter, list(_ITEMS), 0, n)


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line, without a comment."""
    cells = line.partition("#")[0].strip("\r\n").split(delimiter)
    return [cell.strip(_AROUND) for cell in cells]


def _names_by_number(line: int, cells: list[str]) -> list[str]:
    if len(cells) not in (3, 4, 5):
        raise InvalidComparisonsError(
            f"line {line} has {len(cells)} columns; write i,j,k or i,j,k,l or i,j,k,l,annotator"
        )
    names = list(_ITEMS)
    names.append("annotator")
    return names[: len(cells)]


def _names_of_header(line: int, cells: list[str], drop: Sequence[str]) -> list[str]:
    for name in drop:
        if name not in cells:
            raise InvalidComparisonsError(f"line {line}: there is no column {name!r} to drop")
    names = []
    for cell, role in zip(cells, roles_of_columns(cells), strict=True):
        names.append(role or cell)
    if names[0] in _UNNAMED:
        # The numbers of the rows, as pandas writes them.
        names[0] = ""
    for place, cell in enumerate(cells):
        if cell in drop:
            names[place] = ""
    _check_names(line, cells, names, drop)
    return names


def _check_names(line: int, cells: list[str], names: list[str], drop: Sequence[str]) -> None:
    """Refuse columns that are unknown or there twice, and a header without i, j or k."""
    for name, cell in zip(names, cells, strict=True):
        if name == "" and (cell is cells[0] or cell in drop):
            continue
        if name not in _ITEMS + _EXTRA or names.count(name) > 1:
            raise InvalidComparisonsError(
                f"line {line}: column {cell!r} is unknown or there twice; the columns are "
                "i, j, k, l (not for triplets), response and annotator, or anchor, near, far and "
                "worker"
            )
    for name in _ITEMS[:3]:
        if name not in names:
            raise InvalidComparisonsError(f"line {line}: there is no column {name!r}")


def _lines(layout: _Layout) -> Iterator[tuple[int, list[str]]]:
    """Numbers, from 1, and cells of the lines that hold a row."""
    for number, line in enumerate(StringIO(layout.text), start=1):
        cells = _cells(line, layout.delimiter)
        if number > layout.skipped and cells != [""]:
            yield number, cells


def _check_lines(layout: _Layout) -> None:
    """Raise an error for the first line that is not a row of these columns."""
    names = layout.names
    for at, cells in _lines(layout):
        if len(cells) != len(names):
            raise InvalidComparisonsError(
                f"line {at} has {len(cells)} columns, not the {len(names)} of {', '.join(names)}"
            )
        for name, cell in zip(names, cells, strict=True):
            if name not in ("annotator", "") and not _is_int(cell):
                raise InvalidComparisonsError(f"line {at}: {name} is {cell!r}, not a whole number")


def _is_int(text: str) -> bool:
    number = read_whole_number(text)
    return number is not None and abs(number) < 10**18


def _read_arrays(path: Path, n: int | None) -> Comparisons:
    arrays = read_arrays(path)
    if n is None and "n" in arrays:
        if arrays["n"].shape or arrays["n"].dtype.kind not in "iu":
            raise InvalidComparisonsError("n must be one whole number, that of the items")
        n = int(arrays["n"])
    annotators = arrays.get("annotator")
    if "closer" in arrays and "farther" in arrays:
        if n is None:
            raise InvalidComparisonsError("closer and farther are pairs of how many items? Give n")
        return Comparisons(n, arrays["closer"], arrays["farther"], annotators)
    # The array of an .npy file has the name "".
    for name in ("quadruplets", "triplets", "comparisons", ""):
        if name not in arrays:
            continue
        if arrays[name].ndim not in (3, 4):
            return _of_rows(arrays[name], n, arrays.get("responses"), annotators)
        # A row for each item, a column for each, ...: all answers at once.
        comparisons = Comparisons.from_array(arrays[name])
        if n not in (None, comparisons.n):
            raise InvalidComparisonsError(f"the array is of {comparisons.n} items, and n is {n}")
        return comparisons
    raise InvalidComparisonsError(
        f"has {', '.join(arrays) or 'nothing'}; it must have closer and farther, quadruplets, "
        "triplets, or comparisons"
    )
