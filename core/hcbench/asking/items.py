"""The items that a person is asked about: texts, or paths and URLs of pictures, from a file."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import expanduser, isfile  # which take any text, as that of an item
from pathlib import Path

from hcbench.errors import DataError
from hcbench.model.files import TABLES, read_rows, read_text

#: In any case, what the first row says where it is a header.
HEADERS = frozenset(
    f"{name}{plural}"
    for name in (
        "item",
        "name",
        "text",
        "word",
        "title",
        "label",
        "path",
        "file",
        "url",
        "image",
        "picture",
    )
    for plural in ("", "s")
)
PICTURES = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff"))

_SCHEMES = ("http://", "https://", "file://")


@dataclass(frozen=True, slots=True)
class Items:
    """Items in the order of their file, all different.

    Attributes
    ----------
    path : Path
        Of the file.
    texts : tuple of str
    header : str
        What was taken for the header; "" if the file has none.
    """

    path: Path
    texts: tuple[str, ...]
    header: str = ""

    def address(self, text: str) -> str:
        """Where the picture of an item is to be seen; "" for an item that is no picture.

        Paths are taken from the folder of the file.
        """
        if text.startswith(_SCHEMES):
            return text
        picture = self._picture(text)
        return "" if picture is None else picture.as_uri()

    @property
    def missing(self) -> tuple[str, ...]:
        """The paths of pictures that lead to no file."""
        pictures = ((text, self._picture(text)) for text in self.texts)
        return tuple(text for text, path in pictures if path is not None and not isfile(path))

    def _picture(self, text: str) -> Path | None:
        if text.startswith(_SCHEMES) or Path(text).suffix.lower() not in PICTURES:
            return None
        return (self.path.parent / expanduser(text)).absolute()


def read_items(path: Path, column: str | None = None) -> Items:
    """Read the items of a .csv, .tsv or .txt file.

    A .txt file has an item a line. In a table the items are in the only column, or in that which is
    named, by its header or its number from 1. The first row is a header if it has the name of the
    column, or one of `HEADERS` where the items are.

    Raises
    ------
    DataError
        If there is no such file or column, fewer than two items, or one twice.
    """
    suffix = path.suffix.lower()
    if suffix in TABLES:
        header, found = _column(path, read_rows(path), column)
    elif suffix != ".txt":
        raise DataError(f"{path}: items are read from .csv, .tsv and .txt files")
    elif column is not None:
        raise DataError(f"{path}: a .txt file has an item a line and no columns: leave out column")
    else:
        header, found = "", _lines(read_text(path))
    return Items(path, _checked(path, found), header)


def _lines(text: str) -> list[tuple[int, str]]:
    numbered = enumerate(text.splitlines(), start=1)
    return [(number, line.strip()) for number, line in numbered if line.strip()]


def _column(
    path: Path, rows: list[tuple[int, list[str]]], column: str | None
) -> tuple[str, list[tuple[int, str]]]:
    """The header of the column with the items, "" without one, and its cells."""
    first = rows[0][1]
    at = _place(path, first, column)
    if first[at] == column or first[at].casefold() in HEADERS:
        header, rows = first[at], rows[1:]
    else:
        header = ""
    for line, cells in rows:
        if not cells[at]:
            raise DataError(f"{path}, line {line}: there is no item; drop the row")
    return header, [(line, cells[at]) for line, cells in rows]


def _place(path: Path, first: list[str], column: str | None) -> int:
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


def _checked(path: Path, found: list[tuple[int, str]]) -> tuple[str, ...]:
    if len(found) < 2:
        number = "no items" if not found else f"one item only, {found[0][1]!r}"
        raise DataError(f"{path} has {number}; at least 2 are needed")
    seen: dict[str, int] = {}
    for line, text in found:
        if text in seen:
            raise DataError(
                f"{path}: lines {seen[text]} and {line} are both {text!r}; change or drop one"
            )
        seen[text] = line
    return tuple(seen)
