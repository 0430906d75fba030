"""Comparisons in files: comma-separated text, and numpy's .npz and .npy."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError, InvalidComparisonsError
from hcbench.files.tables import TABLES, delimiter_of, read_arrays
from hcbench.model.comparisons import Comparisons
from hcbench.model.numbers import read_whole_number

_ITEMS = ("i", "j", "k", "l")
_EXTRA = ("response", "annotator")
#: Names of columns in the files of others, without blanks, underscores and a final "id".
_WORDS = {
    "i": ("i", "anchor", "reference", "ref", "head", "query", "pivot"),
    "j": ("j", "near", "nearer", "nearest", "close", "closer", "positive", "similar", "winner"),
    "k": ("k", "far", "farther", "further", "farthest", "negative", "dissimilar", "loser"),
    "l": ("l",),
    "response": ("response",),
    "annotator": (
        *("annotator", "worker", "user", "participant", "rater", "respondent", "subject"),
        *("judge", "person", "crowdworker", "turker"),
    ),
}
_SUFFIXES = (*TABLES, ".npz", ".npy")
_AROUND = ' \t\r\n"'  # of a cell
_UNNAMED = ("", "Unnamed: 0")
_LINES = 1 << 18  # written at a time


def read_comparisons(path: str | Path, n: int | None = None) -> Comparisons:
    """Comparisons of a file.

    ``.csv``, ``.tsv``: a row for each, ``i, j, k, l`` (w_ij > w_kl) or ``i, j, k`` (w_ij > w_ik),
    items numbered from 0; a fifth column is the annotator, by number or by name (then numbered in
    the order of the alphabet). A header may name the columns, in any order, and then also
    ``response`` (1, -1, 0); ``anchor, near, far, worker`` are other names of ``i, j, k,
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
    """
    comparisons, _ = read_named_comparisons(Path(path), n)
    return comparisons


def read_named_comparisons(
    path: Path, n: int | None = None, drop: Sequence[str] = ()
) -> tuple[Comparisons, tuple[str, ...] | None]:
    """Comparisons of a file as by `read_comparisons`, and the names of the items if it has any.

    Columns of ``drop`` are not read.
    """
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise DataError(
            f"{path}: comparisons are read from {', '.join(_SUFFIXES)}, not {path.suffix!r}"
        )
    try:
        if suffix in TABLES:
            return _read_csv(path, n, drop)
        return _read_arrays(path, n), None
    except InvalidComparisonsError as error:
        raise InvalidComparisonsError(f"{path}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
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
    names = [*_ITEMS[: 3 if triplets else 4]]
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


def comparison_columns(header: Sequence[str]) -> dict[str, int] | None:
    """Where ``i, j, k, l, response, annotator`` are in a header; None if it has no i, j and k."""
    roles = [_role_of(name) for name in header]
    places = {role: position for position, role in enumerate(roles) if role is not None}
    has_items = places.keys() >= set(_ITEMS[:3])
    is_unique = len(places) == sum(role is not None for role in roles)
    return places if has_items and is_unique else None


def _role_of(name: str) -> str | None:
    word = re.sub(r"[\W_]", "", name.casefold())
    for role, words in _WORDS.items():
        if word in words or word.removesuffix("id") in words:
            return role
    return None


def _read_csv(
    path: Path, n: int | None, drop: Sequence[str] = ()
) -> tuple[Comparisons, tuple[str, ...] | None]:
    names, skipped, noted = _columns(path, drop)
    n = noted if n is None else n
    item_names = None
    try:
        table = _load(path, skipped, np.int64)
        _check_zeros(path, names, skipped)
    except ValueError:
        if _has_item_names(path, names, skipped):
            item_names = _item_names(path, names, skipped)
        else:
            _check_lines(path, names, skipped)
        table = _load(path, skipped, str)  # the annotators or the items have names
    if table.shape[1] != len(names):
        _check_lines(path, names, skipped)
        table = np.empty((0, len(names)), np.int64)  # there are only blank lines
    column = dict(zip(names, table.T, strict=True))
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
    responses = column["response"].astype(np.int64) if "response" in column else None
    if n is None:
        _check_first_item(rows)
    try:
        return _of_rows(rows, n, responses, annotators), item_names
    except InvalidComparisonsError as error:
        match = re.match(r"row (\d+)(.*)", str(error))
        if match is None:
            raise
        line = [at for at, _ in _lines(path, skipped)][int(match[1])]
        raise InvalidComparisonsError(f"line {line}{match[2]}") from error


def _has_item_names(path: Path, names: list[str], skipped: int) -> bool:
    """Whether the items of a table have names: the first one is not written as a number.

    Raises
    ------
    InvalidComparisonsError
        If another one is.
    """
    places = [position for position, name in enumerate(names) if name in _ITEMS]
    first = ""
    for line, cells in _lines(path, skipped):
        if len(cells) != len(names):
            return False
        for place in places:
            cell = cells[place]
            first = first or f"{cell!r} in line {line}"
            if not _is_int(cell) and cell:
                continue
            if first == f"{cell!r} in line {line}":
                return False
            raise InvalidComparisonsError(
                f"line {line}: {names[place]} is {cell!r}, and {first} is a name; give all items "
                "names, or all of them numbers"
            )
    return first != ""


def _item_names(path: Path, names: list[str], skipped: int) -> tuple[str, ...]:
    """The names of the items, in the order of the alphabet."""
    places = [position for position, name in enumerate(names) if name in _ITEMS]
    items: set[str] = set()
    for _, cells in _lines(path, skipped):
        items.update(cells[place] for place in places)
    return tuple(sorted(items))


def _check_zeros(path: Path, names: list[str], skipped: int) -> None:
    """Raise `ValueError` if an item is written like 007, which is a name and no number."""
    text = path.read_text(encoding="utf-8-sig")
    if re.search(r"(?m)(^|[,;\t])\s*[+-]?0\d", text, re.ASCII):
        _check_lines(path, names, skipped)


def _check_first_item(rows: NDArray[np.int64]) -> None:
    """Raise an error if the items seem to be numbered from 1."""
    items = np.unique(rows)
    if len(items) > 3 and np.array_equal(items, np.arange(1, len(items) + 1)):
        raise InvalidComparisonsError(
            f"the items are 1 to {len(items)}; are they counted from 1? Then subtract 1, or write "
            f"a line '# n = {len(items) + 1}' above if there is an item 0"
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
    if n is None:
        n = max(int(rows.max(initial=0)) + 1, 1)
    make = Comparisons.from_triplets if rows.shape[1] == 3 else Comparisons.from_quadruplets
    return make(n, rows, responses, annotators)


def _load(path: Path, skipped: int, dtype: Any) -> NDArray[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of lines without data
        warnings.simplefilter("error", DeprecationWarning)  # of 2.5, which old numpy reads as 2
        table: NDArray[Any] = np.loadtxt(
            path,
            dtype,
            delimiter=_delimiter(path),
            skiprows=skipped,
            ndmin=2,
            encoding="utf-8-sig",
        )
    return np.char.strip(table, _AROUND) if table.dtype.kind == "U" else table


def _columns(path: Path, drop: Sequence[str]) -> tuple[list[str], int, int | None]:
    """The names of the columns, how many lines precede the first row, and n if it is noted."""
    noted = None
    delimiter = _delimiter(path)
    with path.open(encoding="utf-8-sig") as file:
        for at, line in enumerate(file):
            match = re.match(r"#\s*n\s*=\s*(\d{1,18})\s*$", line)
            noted = int(match[1]) if match else noted
            cells = _cells(line, delimiter)
            if cells == [""]:
                continue
            if _is_int(cells[0]):
                return _names_by_number(at + 1, cells), at, noted
            return _names_of_header(at + 1, cells, drop), at + 1, noted
    return [*_ITEMS], 0, noted


def _delimiter(path: Path) -> str:
    return delimiter_of(path, path.read_text(encoding="utf-8-sig"))


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line, without a comment."""
    cells = line.partition("#")[0].strip("\r\n").split(delimiter)
    return [cell.strip(_AROUND) for cell in cells]


def _names_by_number(line: int, cells: list[str]) -> list[str]:
    if len(cells) not in (3, 4, 5):
        raise InvalidComparisonsError(
            f"line {line} has {len(cells)} columns; write i,j,k or i,j,k,l or i,j,k,l,annotator"
        )
    return [*_ITEMS, "annotator"][: len(cells)]


def _names_of_header(line: int, cells: list[str], drop: Sequence[str]) -> list[str]:
    for name in drop:
        if name not in cells:
            raise InvalidComparisonsError(f"line {line}: there is no column {name!r} to drop")
    names = ["" if cell in drop else _role_of(cell) or cell for cell in cells]
    if names[0] in _UNNAMED:
        names[0] = ""  # the numbers of the rows, as pandas writes them
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
    return names


def _lines(path: Path, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Numbers, from 1, and cells of the lines that hold a row."""
    delimiter = _delimiter(path)
    with path.open(encoding="utf-8-sig") as file:
        for at, line in enumerate(file, start=1):
            cells = _cells(line, delimiter)
            if at > skipped and cells != [""]:
                yield at, cells


def _check_lines(path: Path, names: list[str], skipped: int) -> None:
    """Raise an error for the first line that is not a row of these columns."""
    for at, cells in _lines(path, skipped):
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
    given = read_arrays(path)
    if n is None and "n" in given:
        if given["n"].shape or given["n"].dtype.kind not in "iu":
            raise InvalidComparisonsError("n must be one whole number, that of the items")
        n = int(given["n"])
    annotators = given.get("annotator")
    if "closer" in given and "farther" in given:
        if n is None:
            raise InvalidComparisonsError("closer and farther are pairs of how many items? Give n")
        return Comparisons(n, given["closer"], given["farther"], annotators)
    for name in ("quadruplets", "triplets", "comparisons", ""):
        if name in given and given[name].ndim in (3, 4):
            whole = Comparisons.from_array(given[name])
            if n not in (None, whole.n):
                raise InvalidComparisonsError(f"the array is of {whole.n} items, and n is {n}")
            return whole
        if name in given:
            return _of_rows(given[name], n, given.get("responses"), annotators)
    raise InvalidComparisonsError(
        f"has {', '.join(given) or 'nothing'}; it must have closer and farther, quadruplets, "
        "triplets, or comparisons"
    )
