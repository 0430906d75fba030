"""Rows of a text whose lengths form a triangle: one half of a matrix, without empty cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hcbench_datasets.cell_texts import looks_numeric

_SAMPLE = 50  # rows that the readers pass of a longer table
_LEAST_ROWS = 3


def triangle_of(rows: Sequence[Sequence[str]]) -> str | None:
    """Which triangle of a matrix rows of different lengths are: "lower", "upper" or None.

    Each row has one cell more, or less, than the one above; there may be a header.
    """
    widths = list(map(len, rows))
    is_sample = len(rows) >= _SAMPLE
    half = _half_of(widths, is_sample=is_sample)
    if half is None and len(widths) > _LEAST_ROWS and _may_be_header(widths, is_sample=is_sample):
        half = _half_of(widths[1:], is_sample=is_sample)
    return half


def _half_of(widths: Sequence[int], *, is_sample: bool) -> str | None:
    """The triangle of rows that have as many cells as ``widths`` says."""
    if len(widths) < _LEAST_ROWS:
        return None
    steps = set(np.diff(widths).tolist())
    # The shortest row has its diagonal, or a name and one number.
    if steps == {1} and widths[0] <= 2:
        return "lower"
    # The last rows of an upper triangle may be below the sample.
    if steps == {-1} and (widths[-1] <= 2 or is_sample):
        return "upper"
    return None


def _may_be_header(widths: Sequence[int], *, is_sample: bool) -> bool:
    """Whether the first row is as long as the longest row below it, up to its first cell."""
    longest = max(widths[1:])
    if abs(widths[0] - longest) <= 1:
        return True
    # Below the sample, rows of a lower triangle are longer.
    return is_sample and widths[0] >= longest


def padded_rows(
    rows: Sequence[Sequence[str]], half: str, header: bool | None
) -> tuple[list[list[str]], bool]:
    """The rows of a triangle made equal in length by empty cells, and whether they have a header.

    Parameters
    ----------
    rows : sequence of rows of cells
    half : {"lower", "upper"}
    header : bool or None
        Whether there is a header; None if it is to be found.
    """
    # The first row of a lower triangle is the shortest, and that of an upper one the longest.
    step = 1 if half == "lower" else -1
    if header is None:
        header = len(rows[1]) - len(rows[0]) != step
    if not header:
        body = rows
        width = max(map(len, body))
    else:
        body = rows[1:]
        names = _header_of(rows[0], body)
        width = max(len(names), max(map(len, body)))
    padded = [_padded(list(cells), width, half) for cells in body]
    if header:
        padded.insert(0, names)
    return padded, header


def _header_of(first: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """The names of the columns; R writes none for the column of row names."""
    names = list(first)
    longest = max(map(len, body))
    has_row_names = any(not looks_numeric(cells[0]) for cells in body)
    if has_row_names and names[0] and len(names) == longest - 1:
        names.insert(0, "")
    return names


def _padded(cells: list[str], width: int, half: str) -> list[str]:
    """A row with empty cells where its triangle has none; a name stays in front."""
    empty = [""] * (width - len(cells))
    if half == "lower":
        return cells + empty
    if cells and not looks_numeric(cells[0]):
        return cells[:1] + empty + cells[1:]
    return empty + cells
