"""Distances in the form of PHYLIP, as its programs dnadist, protdist and neighbor use it.

The first line has the number of items. Then each item has its name and its distances to all items,
or to those before or behind it, with or without itself; long rows are continued on lines of
numbers. In the strict form a name has the first ten characters of its line, blanks included; in the
relaxed form it ends with the first blank (Felsenstein, PHYLIP 3.6, "Distance matrix programs").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench.model import read_number

PHYLIP = (".phy", ".dist")
"""Suffixes of matrices of distances in the form of PHYLIP."""

_NAME_WIDTH = 10  # characters of a name in the strict form

Line = tuple[int, str]  # its number in the file, from 1, and its text


@dataclass(slots=True)
class _Item:
    """An item while its distances are read."""

    line: int
    name: str
    distances: list[str]


def read_phylip(path: Path, text: str) -> tuple[list[str], NDArray[np.float64]]:
    """Names of items and their distances (n, n).

    Raises
    ------
    DataError
        If the text has another form; the message names the first line that does not fit.
    """
    matrix = find_phylip(text)
    if matrix is None:
        raise DataError(f"{path}: {_mistake(text)}")
    return matrix


def find_phylip(text: str) -> tuple[list[str], NDArray[np.float64]] | None:
    """Names of items and their distances (n, n); None if the text has another form."""
    lines = _filled_lines(text)
    n = _stated_number(lines)
    if n is None:
        return None
    for split in (_relaxed, _strict):
        for n_distances in _FORMS:
            items = _read_items(lines[1:], n, split, n_distances)
            if items is not None:
                return [item.name for item in items], _matrix_of(items, n_distances)
    return None


def _filled_lines(text: str) -> list[Line]:
    """The lines that are not blank, with their numbers from 1."""
    filled = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            filled.append((number, line))
    return filled


def _stated_number(lines: list[Line]) -> int | None:
    """The number of items in the first line; None if it has anything else."""
    if len(lines) < 2:
        return None
    word = lines[0][1].strip()
    if word.isascii() and word.isdigit():
        return int(word)
    return None


def _relaxed(line: str) -> tuple[str, list[str]]:
    name, *distances = line.split()
    return name, distances


def _strict(line: str) -> tuple[str, list[str]]:
    return line[:_NAME_WIDTH].strip(), line[_NAME_WIDTH:].split()


def _square(_place: int, n: int) -> int:
    return n


def _below_diagonal(place: int, _n: int) -> int:
    return place


def _up_to_diagonal(place: int, _n: int) -> int:
    return place + 1


def _above_diagonal(place: int, n: int) -> int:
    return n - 1 - place


def _from_diagonal(place: int, n: int) -> int:
    return n - place


#: How many distances the item in a place has, of n.
_FORMS = (_square, _below_diagonal, _up_to_diagonal, _above_diagonal, _from_diagonal)


def _read_items(
    lines: list[Line],
    n: int,
    split: Callable[[str], tuple[str, list[str]]],
    n_distances: Callable[[int, int], int],
) -> list[_Item] | None:
    """All items, if each has as many distances as its place demands; else None."""
    items: list[_Item] = []
    for number, line in lines:
        # The distances of an item may go on in the next lines.
        is_complete = not items or len(items[-1].distances) == n_distances(len(items) - 1, n)
        if is_complete:
            name, distances = split(line)
            items.append(_Item(number, name, distances))
        else:
            distances = line.split()
            items[-1].distances += distances
        # Another form, or no matrix at all.
        too_many = len(items[-1].distances) > n_distances(len(items) - 1, n)
        if len(items) > n or too_many or not _are_numbers(distances):
            return None
    if len(items) != n or len(items[-1].distances) != n_distances(n - 1, n):
        return None
    return items


def _are_numbers(words: list[str]) -> bool:
    return None not in map(read_number, words)


def _matrix_of(items: list[_Item], form: Callable[[int, int], int]) -> NDArray[np.float64]:
    n = len(items)
    matrix = np.zeros((n, n))
    for place, item in enumerate(items):
        distances = list(map(float, item.distances))
        # Rows of an upper triangle end at the last column.
        if form in (_above_diagonal, _from_diagonal):
            matrix[place, n - len(distances) :] = distances
        else:
            matrix[place, : len(distances)] = distances
    # One triangle is zero until here.
    if form is not _square:
        matrix += matrix.T - np.diag(matrix.diagonal())
    return matrix


def _mistake(text: str) -> str:
    """The first line that does not fit, and how it should be."""
    form = (
        "no matrix of distances in PHYLIP's form: the first line is the number of items, and then "
        "each has a line with its name and the distances to all, or to those above it (sequences "
        "are not read)"
    )
    lines = _filled_lines(text)
    n = _stated_number(lines)
    if n is None:
        return form
    if _has_wrong_number(lines, n):
        return (
            f"line {lines[0][0]} says {n} items, and there are {len(lines) - 1}, the last in line "
            f"{lines[-1][0]}; correct the number, or the lines"
        )
    return _mistake_of_items(lines, n, form)


def _has_wrong_number(lines: list[Line], n: int) -> bool:
    """Whether the number of lines below is the number of items, and all else is right."""
    n_below = len(lines) - 1
    corrected = [str(n_below)]
    for _, line in lines[1:]:
        corrected.append(line)
    return n_below != n and find_phylip("\n".join(corrected)) is not None


def _mistake_of_items(lines: list[Line], n: int, form: str) -> str:
    """The first line of an item that does not fit."""
    first_line = lines[0][0]
    items: list[_Item] = []
    for number, line in lines[1:]:
        words = line.split()
        # A line of numbers goes on with the item above.
        if _are_numbers(words) and items:
            items[-1].distances += words
        else:
            items.append(_Item(number, words[0], words[1:]))
    for item in items:
        wrong = [word for word in item.distances if read_number(word) is None]
        if wrong:
            return f"line {item.line}: {wrong[0]!r} of {item.name!r} is no distance; {form}"
    if len(items) != n:
        last = items[-1]
        return (
            f"line {first_line} says {n} items, and there are {len(items)}, the last in line "
            f"{last.line} ({last.name!r}); correct the number, or the lines"
        )
    # The first item tells the form: it has all distances, none, or the one to itself.
    expected: Callable[[int, int], int] = _square
    if not items[0].distances:
        expected = _below_diagonal
    elif len(items[0].distances) == 1:
        expected = _up_to_diagonal
    for place, item in enumerate(items):
        n_expected = expected(place, n)
        if len(item.distances) != n_expected:
            return (
                f"line {item.line}: {item.name!r} has {len(item.distances)} distances, not "
                f"{n_expected}; add or remove some"
            )
    return form
