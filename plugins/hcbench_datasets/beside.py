"""Labels and names of the items of an array, in a text file beside it.

A line has one item; of a line with several cells, as in the features.tsv of 10x Genomics, the first
is its name. Labels that have names before them are matched by these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hcbench import DataError
from hcbench.files import read_limited
from hcbench.model import class_texts
from hcbench_datasets.content import Content, check_names, is_missing_label, table_of_labels
from hcbench_datasets.delimited import suffix_of
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
    if names is not None:
        path = Path(names).expanduser()
        places = [f"line {line}" for line in range(1, n + 1)]
        content = replace(content, names=check_names(_lines(path, n, where), places, str(path)))
    if labels:
        if content.levels is not None:
            raise DataError(f"{where} has labels of its own; omit labels=, or y in the archive")
        columns = []
        for file in labels:
            path = Path(file).expanduser()
            texts = _labels_by_name(path, content.names, where)
            columns.append(_classes(path, texts or _lines(path, n, where)))
        content = replace(content, levels=table_of_labels(columns))
    return content


def _labels_by_name(path: Path, names: Sequence[str] | None, where: Path) -> list[str]:
    """The labels of a file whose lines have a name and a label, in the order of the names.

    An empty list if its lines have one cell each.

    Raises
    ------
    DataError
        If the items have no names, or the file has not one line for each of them.
    """
    rows = _cells(path, where)
    if not rows or {len(cells) for cells in rows} != {2}:
        return []
    if names is None:
        raise DataError(
            f"{path} has two columns; if the first has names, write names='names.txt' with a file "
            "that has the name of each row of the array, else keep the labels alone"
        )
    label_of_name: dict[str, str] = {}
    for line, (name, label) in enumerate(rows, start=1):
        if name in label_of_name:
            raise DataError(f"{path}, line {line}: {name!r} is there twice; remove one of the two")
        label_of_name[name] = label
    unknown = [name for name, _ in rows if name not in names]
    is_header = bool(unknown) and unknown[0] == rows[0][0]
    if len(unknown) > is_header:
        raise DataError(f"{path} has {unknown[-1]!r}, which is no item of {where}; remove the line")
    for name in names:
        if name not in label_of_name:
            raise DataError(f"{path} has no label of {name!r}; add a line")
    return [label_of_name[name] for name in names]


def _cells(path: Path, where: Path) -> list[list[str]]:
    """The cells of each line of a file for the array in ``where``."""
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
    delimiter = "," if path.suffix.lower() == ".csv" else "\t"
    return [[cell.strip() for cell in line.split(delimiter)] for line in text.splitlines()]


def _lines(path: Path, n: int, where: Path) -> list[str]:
    """The first cell of each line of a file for the array in ``where``."""
    cells = [row[0] for row in _cells(path, where)]
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
    if suffix_of(path) != ".mtx" or not rows or not columns:
        return None
    return str(path.parent / rows[0]), str(path.parent / columns[0])
