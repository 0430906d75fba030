"""Zoo and Glass, from the UCI Machine Learning Repository."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, Problem
from hcbench_datasets.content import table_of_labels
from hcbench_datasets.fetch import (
    cache_folder,
    data_file,
    in_short,
    not_available,
    open_text,
    patience,
    user_folder,
)
from hcbench_datasets.preparation import standardised

ZOO = (
    "the UCI Zoo table with a header (animal_name, 16 features, class_type), "
    "https://archive.ics.uci.edu/dataset/111/zoo"
)
GLASS = (
    "the UCI Glass table with a header (9 features, type), "
    "https://archive.ics.uci.edu/dataset/42/glass+identification"
)
_OPENML_ZOO, _OPENML_GLASS = 62, 41


def zoo(_seed: int) -> Problem:
    """100 animals, 16 raw features (15 of 0 or 1, and the number of legs), 7 classes.

    Without ``girl``, as in Ghoshdastidar et al. 2019; the second ``frog`` is ``frog 2``.
    """
    names, vectors, classes = _table("zoo", ZOO, _OPENML_ZOO, named=True)
    chosen = [i for i, name in enumerate(names) if name != "girl"]
    return Problem(
        n=len(chosen),
        names=_distinct([names[i] for i in chosen]),
        vectors=vectors[chosen],
        levels=table_of_labels([[classes[i] for i in chosen]]),
    )


def glass(_seed: int, *, standardise: bool) -> Problem:
    """214 pieces of glass, refractive index and 8 oxides in weight per cent, 6 kinds of glass."""
    _, vectors, classes = _table("glass", GLASS, _OPENML_GLASS, named=False)
    return Problem(
        n=len(vectors),
        vectors=standardised(vectors) if standardise else vectors,
        levels=table_of_labels([classes]),
    )


Table = tuple[list[str], NDArray[np.float64], list[str]]  # names, features, classes


def _table(dataset: str, advice: str, openml: int, *, named: bool) -> Table:
    file = f"{dataset}.csv"
    folder = user_folder()
    if folder is not None and (folder / file).is_file():
        return read_table(data_file(file, dataset, advice), named=named)
    from sklearn.datasets import fetch_openml

    return table_of_openml(fetch_openml, openml, dataset, advice, named=named)


def read_table(path: Path, *, named: bool) -> Table:
    """Read a table with a header: the class is the last column; if ``named``, names are the first.

    Raises
    ------
    DataError
        If a line cannot be read; the message names it.
    """
    reader = csv.reader(open_text(path))
    width = len(next(reader, []))
    start = int(named)
    rows, features = [], []
    for row in filter(None, reader):
        where = f"{path}, line {reader.line_num}"
        if len(row) != width:
            raise DataError(f"{where}: {len(row)} cells where the header has {width}")
        try:
            features.append([float(cell) for cell in row[start:-1]])
        except ValueError as error:
            raise DataError(f"{where}: {error}; numbers are needed before the class") from error
        rows.append(row)
    if not rows:
        raise DataError(f"{path} contains no rows below its header")
    names = [row[0] for row in rows] if named else []
    return names, np.array(features, dtype=np.float64), [row[-1] for row in rows]


def table_of_openml(
    fetch: Callable[..., Any], number: int, dataset: str, advice: str, *, named: bool
) -> Table:
    """The same table from OpenML; scikit-learn's function ``fetch`` verifies the checksum.

    Raises
    ------
    DataNotAvailableError
        If the download fails, or the table has an unexpected format.
    """
    options = {"as_frame": False, "parser": "liac-arff", "n_retries": 1, "delay": 0.1}
    try:
        with patience():
            bunch = fetch(data_id=number, data_home=str(cache_folder() / "openml"), **options)
    except (OSError, ValueError) as error:
        reason = f", and the download from OpenML failed ({in_short(error)})"
        raise not_available(dataset, f"{dataset}.csv", reason, advice) from error
    columns = list(bunch.feature_names)
    data = np.asarray(bunch.data, dtype=np.float64)
    classes = [str(label) for label in bunch.target]
    if not named:
        return [], data, classes
    if "animal" not in columns:
        reason = ", and OpenML's table does not name the animals"
        raise not_available(dataset, f"{dataset}.csv", reason, advice)
    at = columns.index("animal")
    names = [str(bunch.categories["animal"][int(code)]) for code in data[:, at]]
    return names, np.delete(data, at, axis=1), classes


def _distinct(names: list[str]) -> tuple[str, ...]:
    """Make names unique by adding a number to repeated ones."""
    seen: dict[str, int] = {}
    made = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(made)
