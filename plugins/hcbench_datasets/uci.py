"""Zoo and Glass, from the UCI Machine Learning Repository."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, DataRequest, Problem
from hcbench_datasets.content import distinct_names, table_of_labels
from hcbench_datasets.fetch import (
    cache_folder,
    data_file,
    in_short,
    not_available,
    open_text,
    user_folder,
)
from hcbench_datasets.from_sklearn import from_openml
from hcbench_datasets.preparation import standardised

ZOO = (
    "the UCI Zoo table with a header (animal_name, 16 features, class_type), "
    "https://archive.ics.uci.edu/dataset/111/zoo"
)
GLASS = (
    "the UCI Glass table with a header (9 features, type), "
    "https://archive.ics.uci.edu/dataset/42/glass+identification"
)
# Numbers of the tables at OpenML.
_OPENML_ZOO = 62
_OPENML_GLASS = 41


def zoo(_request: DataRequest) -> Problem:
    """100 animals, 16 raw features (15 of 0 or 1, and the number of legs), 7 classes.

    Without ``girl``, as in Ghoshdastidar et al. 2019; the second ``frog`` is ``frog 2``.
    """
    table = _table("zoo", ZOO, _OPENML_ZOO, has_names=True)
    rows = []
    names = []
    classes = []
    for row, name in enumerate(table.names):
        if name != "girl":
            rows.append(row)
            names.append(name)
            classes.append(table.classes[row])
    return Problem(
        n=len(rows),
        names=distinct_names(names),
        vectors=table.features[rows],
        levels=table_of_labels([classes]),
    )


def glass(_request: DataRequest, *, standardise: bool) -> Problem:
    """214 pieces of glass, refractive index and 8 oxides in weight per cent, 6 kinds of glass."""
    table = _table("glass", GLASS, _OPENML_GLASS, has_names=False)
    vectors = table.features
    if standardise:
        vectors = standardised(vectors)
    return Problem(
        n=len(vectors),
        vectors=vectors,
        levels=table_of_labels([table.classes]),
    )


class UciTable(NamedTuple):
    """The rows of a table.

    Attributes
    ----------
    names : list of str
        Empty if the table has none.
    features : (n, p) array
    classes : list of str
    """

    names: list[str]
    features: NDArray[np.float64]
    classes: list[str]


def _table(dataset: str, advice: str, openml: int, *, has_names: bool) -> UciTable:
    file = f"{dataset}.csv"
    # The repository's own file, with a header, comes first.
    folder = user_folder()
    if folder is not None and (folder / file).is_file():
        return read_table(data_file(file, dataset, advice), has_names=has_names)
    return table_of_openml(from_openml, openml, dataset, advice, has_names=has_names)


def read_table(path: Path, *, has_names: bool) -> UciTable:
    """Read a table with a header: the class is the last column; names are the first, if any.

    Raises
    ------
    DataError
        If a line cannot be read; the message names it.
    """
    reader = csv.reader(open_text(path))
    width = len(next(reader, []))
    first_feature = 0
    if has_names:
        first_feature = 1
    names = []
    features = []
    classes = []
    for row in reader:
        # Blank lines, as at the end.
        if not row:
            continue
        where = f"{path}, line {reader.line_num}"
        if len(row) != width:
            raise DataError(f"{where}: {len(row)} cells where the header has {width}")
        try:
            features.append([float(cell) for cell in row[first_feature:-1]])
        except ValueError as error:
            raise DataError(f"{where}: {error}; numbers are needed before the class") from error
        if has_names:
            names.append(row[0])
        classes.append(row[-1])
    if not features:
        raise DataError(f"{path} contains no rows below its header")
    return UciTable(names, np.array(features, dtype=np.float64), classes)


def table_of_openml(
    fetch: Callable[..., Any], number: int, dataset: str, advice: str, *, has_names: bool
) -> UciTable:
    """The same table from OpenML; ``fetch`` is `from_openml`, which verifies the checksum.

    Raises
    ------
    DataNotAvailableError
        If the download fails, or the table has an unexpected format.
    """
    try:
        bunch = fetch(number, cache_folder() / "openml", as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:
        reason = f", and the download from OpenML failed ({in_short(error)})"
        raise not_available(dataset, f"{dataset}.csv", reason, advice) from error
    columns = list(bunch.feature_names)
    data = np.asarray(bunch.data, dtype=np.float64)
    classes = list(map(str, bunch.target))
    if not has_names:
        return UciTable([], data, classes)
    if "animal" not in columns:
        reason = ", and OpenML's table does not name the animals"
        raise not_available(dataset, f"{dataset}.csv", reason, advice)
    name_column = columns.index("animal")
    animals = bunch.categories["animal"]
    # OpenML has the names as categories, whose codes are in the data.
    names = [str(animals[int(code)]) for code in data[:, name_column]]
    return UciTable(names, np.delete(data, name_column, axis=1), classes)
