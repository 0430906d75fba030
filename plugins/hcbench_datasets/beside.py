"""Labels and names of the items of an array, in a text file beside it.

A line has one item; of a line with several cells, as in the features.tsv of 10x Genomics, the first
is its name. Labels that have names before them are matched by these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hcbench import DataError
from hcbench.files import read_limited
from hcbench.model import class_texts
from hcbench_datasets.cell_texts import is_missing_label
from hcbench_datasets.content import Content, check_names, places, table_of_labels
from hcbench_datasets.encoded import suffix_of
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
    matrix: Any = content.vectors
    if matrix is None:
        matrix = content.similarity
    n = matrix.shape[0]
    if names is not None:
        path = Path(names).expanduser()
        texts = _lines(path, n, where)
        content = replace(content, names=check_names(texts, places("line", 1, n), str(path)))
    if not labels:
        return content
    if content.levels is not None:
        raise DataError(f"{where} has labels of its own; omit labels=, or y in the archive")
    columns = []
    for file in labels:
        path = Path(file).expanduser()
        texts = _labels_by_name(path, content.names, where)
        if not texts:
            texts = _lines(path, n, where)
        columns.append(_classes(path, texts))
    return replace(content, levels=table_of_labels(columns))


def _labels_by_name(path: Path, names: Sequence[str] | None, where: Path) -> list[str]:
    """The labels of a file whose lines have a name and a label, in the order of the names.

    An empty list if its lines have one cell each.

    Raises
    ------
    DataError
        If the items have no names, or the file has not one line for each of them.
    """
    rows = _cells(path, where)
    if set(map(len, rows)) != {2}:
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
    unknown = [name for name in label_of_name if name not in names]
    # The first line may be a header.
    is_header = bool(unknown) and unknown[0] == rows[0][0]
    if len(unknown) > is_header:
        raise DataError(f"{path} has {unknown[-1]!r}, which is no item of {where}; remove the line")
    labels = []
    for name in names:
        if name not in label_of_name:
            raise DataError(f"{path} has no label of {name!r}; add a line")
        labels.append(label_of_name[name])
    return labels


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
    delimiter = "\t"
    if path.suffix.lower() == ".csv":
        delimiter = ","
    rows = []
    for line in text.splitlines():
        cells = line.split(delimiter)
        rows.append(list(map(str.strip, cells)))
    return rows


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
    """The texts of the classes in a file with one in each line."""
    lines = places("line", 1, len(texts))
    for line, text in zip(lines, texts, strict=True):
        if is_missing_label(text):
            raise DataError(f"{path}: the label in {line} is missing; fill it in")
    return class_texts(texts, lines, str(path))


def files_of_10x(path: Path) -> tuple[str, str] | None:
    """The files of the rows (genes) and columns (cells) beside a matrix of 10x Genomics.

    None if it has none.
    """
    rows = _first_file(path.parent, _ROWS)
    columns = _first_file(path.parent, _COLUMNS)
    if suffix_of(path) != ".mtx" or rows is None or columns is None:
        return None
    return str(rows), str(columns)


def _first_file(folder: Path, names: Sequence[str]) -> Path | None:
    """The first of some files that is in a folder."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    return None
