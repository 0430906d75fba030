"""Labels and names of the items of an array, in a text file beside it.

A line has one item; of a line with several cells, as in the features.tsv of 10x Genomics, the first
is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hcbench import DataError
from hcbench.files import read_limited
from hcbench.model import class_texts
from hcbench_datasets.content import Content, check_names, is_missing_label, table_of_labels
from hcbench_datasets.fetch import open_text

#: Files of 10x Genomics beside matrix.mtx: those of its rows, and those of its columns.
_ROWS = ("features.tsv", "features.tsv.gz", "genes.tsv", "genes.tsv.gz")
_COLUMNS = ("barcodes.tsv", "barcodes.tsv.gz")


def with_files(content: Content, where: Path, labels: Sequence[str], names: str | None) -> Content:
    """The content of an array with labels and names of other files.

    Parameters
    ----------
    content : Content
        Of an array, after it has been transposed.
    where : Path
        The file of the array.
    labels : sequence of str
        Files with a class in each line, the coarsest level first.
    names : str, optional
        A file with a name in each line.

    Raises
    ------
    DataError
        If a file cannot be read, or has not one line for each item.
    """
    matrix = content.similarity if content.vectors is None else content.vectors
    assert matrix is not None  # an array has one of the two
    n = matrix.shape[0]
    if labels:
        if content.levels is not None:
            raise DataError(f"{where} has labels of its own; omit labels=, or y in the archive")
        columns = []
        for file in labels:
            path = Path(file).expanduser()
            columns.append(_classes(path, _lines(path, n, where)))
        content = replace(content, levels=table_of_labels(columns))
    if names is not None:
        path = Path(names).expanduser()
        places = [f"line {line}" for line in range(1, n + 1)]
        content = replace(content, names=check_names(_lines(path, n, where), places, str(path)))
    return content


def _lines(path: Path, n: int, where: Path) -> list[str]:
    """The first cell of each line of a file for the array in ``where``."""
    if not path.is_file():
        raise DataError(
            f"{where}: there is no such file as {path}; labels= and names= of an array are "
            "files with a line for each item, such as labels='labels.txt'"
        )
    if path.suffix == ".gz":
        # A small file may become very large.
        text = read_limited(path, _text_of, path)
    else:
        text = _text_of(path)
    cells = [line.split("\t")[0].strip() for line in text.splitlines()]
    if len(cells) == n + 1:
        raise DataError(
            f"{path} has {n + 1} lines for {n} items; remove the header, if the first line is one"
        )
    if len(cells) != n:
        raise DataError(f"{path} has {len(cells)} lines for {n} items; one line for each is needed")
    return cells


def _text_of(path: Path) -> str:
    return open_text(path).read()


def _classes(path: Path, texts: list[str]) -> list[str]:
    for row, text in enumerate(texts, start=1):
        if is_missing_label(text):
            raise DataError(f"{path}: the label in line {row} is missing; fill it in")
    places = [f"line {line}" for line in range(1, len(texts) + 1)]
    return class_texts(texts, places, str(path))


def files_of_10x(path: Path) -> tuple[str, str] | None:
    """The files of the rows (genes) and columns (cells) beside a matrix of 10x Genomics.

    None if it has none.
    """
    rows = [name for name in _ROWS if (path.parent / name).is_file()]
    columns = [name for name in _COLUMNS if (path.parent / name).is_file()]
    if path.suffix.lower() != ".mtx" or not rows or not columns:
        return None
    return str(path.parent / rows[0]), str(path.parent / columns[0])
