"""The names of items, read from a file: texts, or paths and URLs of pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hcbench.errors import DataError
from hcbench.model.files import TABLES, read_rows, read_text

#: The first row of a table is a header if it has one of these, in any case, or its plural.
HEADERS = frozenset(
    ("item", "name", "text", "word", "title", "label", "path", "file", "url", "image", "picture")
)


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a file, all different, in its order; header is "" if the file has none."""

    texts: tuple[str, ...]
    header: str = ""


def read_items(path: Path, column: str | None = None) -> Items:
    """Read the items of a .csv, .tsv or .txt file.

    A .txt file has one item per line. In a table the items are in the only column, or in the one
    that is named, by its header or its number from 1. The first row is a header if it has the name
    of the column, or one of `HEADERS` where the items are.

    Parameters
    ----------
    path : Path
    column : str, optional
        Of a table: the header or the number of the column that has the items.

    Returns
    -------
    Items
        ``texts``, a tuple of str, and the ``header``.

    Raises
    ------
    DataError
        If there is no such file or column, fewer than two items, or the same item twice.
    """
    suffix = path.suffix.lower()
    if suffix in TABLES:
        header, cells = _column(path, read_rows(path), column)
    elif suffix != ".txt":
        raise DataError(f"{path}: items are read from .csv, .tsv and .txt files")
    elif column is not None:
        raise DataError(
            f"{path}: a .txt file has one item per line and no columns: leave out column"
        )
    else:
        lines = enumerate(read_text(path).splitlines(), start=1)
        header, cells = "", [(number, line.strip()) for number, line in lines if line.strip()]
    return Items(_distinct(path, cells), header)


def _column(
    path: Path, rows: list[tuple[int, list[str]]], column: str | None
) -> tuple[str, list[tuple[int, str]]]:
    """The header of the column with the items, "" without one, and its cells with their lines."""
    first = rows[0][1]
    at = _position(path, first, column)
    if first[at] == column or first[at].casefold().removesuffix("s") in HEADERS:
        header, rows = first[at], rows[1:]
    else:
        header = ""
    for line, cells in rows:
        if not cells[at]:
            raise DataError(f"{path}, line {line}: there is no item; drop the row")
    return header, [(line, cells[at]) for line, cells in rows]


def _position(path: Path, first: list[str], column: str | None) -> int:
    if column is None and len(first) == 1:
        return 0
    listed = ", ".join(first[:12])
    if column is None:
        raise DataError(
            f"{path} has {len(first)} columns ({listed}); say which has the items: --column "
            f"{first[0]!r}, or --column 1"
        )
    if column in first:
        return first.index(column)
    if column.isdecimal() and 1 <= int(column) <= len(first):
        return int(column) - 1
    raise DataError(f"{path}: there is no column {column!r}; there are {listed}")


def _distinct(path: Path, cells: list[tuple[int, str]]) -> tuple[str, ...]:
    if len(cells) < 2:
        number = "no items" if not cells else f"one item only, {cells[0][1]!r}"
        raise DataError(f"{path} has {number}; at least 2 are needed")
    lines: dict[str, int] = {}
    for line, text in cells:
        if text in lines:
            raise DataError(
                f"{path}: lines {lines[text]} and {line} are both {text!r}; change or drop one"
            )
        lines[text] = line
    return tuple(lines)
