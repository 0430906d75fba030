"""Data sets of OpenML, by their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench import DataError, DataRequest, Problem
from hcbench_datasets.fetch import (
    cache_folder,
    in_short,
    not_available,
    sampled_rows,
    user_folder,
)
from hcbench_datasets.from_sklearn import from_openml
from hcbench_datasets.preparation import standardised

if TYPE_CHECKING:
    import pandas as pd


def openml(
    request: DataRequest,
    *,
    id: int,  # noqa: A002  (what OpenML calls it)
    labels: bool,
    missing: str | None,
    standardise: bool,
    n: int | None,
) -> Problem:
    """A data set of openml.org (Vanschoren, van Rijn, Bischl & Torgo 2013), by `fetch_openml`.

    Scikit-learn compares the download with the checksum that OpenML publishes for this number, and
    keeps it in the folder ``openml`` of HCBENCH_DATA, if it is there, else of the cache. Numbers of
    versions are fixed: the same number is always the same table.

    Parameters
    ----------
    request : DataRequest
        Selects the items of ``n``.
    id : int
        As in https://www.openml.org/d/61.
    labels : bool
        Whether the default target is the truth; otherwise it is omitted.
    missing : {"drop", "mean", "median"}, optional
        What to do about missing numbers: drop the rows, which also drops those that lack a
        category, or take the mean or median of their column. A missing category is none of the
        categories.
    standardise : bool
    n : int, optional

    Returns
    -------
    Problem
        Vectors: the numbers, then a column of 0 and 1 for each category of a nominal feature.

    Raises
    ------
    DataNotAvailableError
        If it is not stored and cannot be downloaded, or does not have the checksum.
    DataError
        If the target is no single class, a feature is text, or numbers are missing.
    """
    seed = request.seed
    name = f"openml[id={id}]"
    bunch = _fetch(id, name)
    frame = bunch.data
    keep = np.ones(len(frame), dtype=np.bool_)
    if labels:
        _check_target(bunch.target, name)
        # An item without a class has no place in the truth.
        keep = bunch.target.notna().to_numpy()
    if missing == "drop":
        keep = keep & frame.notna().all(axis=1).to_numpy()
    rows = np.flatnonzero(keep)
    if rows.size < 2:
        raise DataError(f"{name}: {rows.size} rows are left of {len(frame)}; try missing=median")
    rows = rows[sampled_rows(n, rows.size, seed, name)]
    vectors = _numbers(frame.iloc[rows], missing, name)
    if standardise:
        vectors = standardised(vectors)
    if not labels:
        return Problem(n=len(rows), vectors=vectors)
    classes = np.array(bunch.target.iloc[rows].astype(str), dtype=np.str_)
    return Problem(n=len(rows), vectors=vectors, levels=classes[:, None])


def _fetch(number: int, name: str) -> Any:
    folder = user_folder()
    home = cache_folder()
    if folder is not None and (folder / "openml").is_dir():
        home = folder
    try:
        return from_openml(number, home, as_frame="auto")
    except (OSError, ValueError) as error:
        reason = f", and downloading it failed ({in_short(error)})"
    raise not_available(
        name,
        "openml",
        reason,
        f"the folder that scikit-learn's fetch_openml(data_id={number}) fills",
    )


def _check_target(target: Any, name: str) -> None:
    if target is None or target.ndim != 1:
        number = 0
        if target is not None:
            number = target.shape[1]
        raise DataError(f"{name}: it has {number} default targets, not one; set labels=false")
    if target.dtype.kind in "fiu":
        raise DataError(
            f"{name}: its target {target.name!r} is a number, no class; set labels=false"
        )


def _numbers(frame: pd.DataFrame, missing: str | None, name: str) -> np.ndarray:
    import pandas as pd

    # scikit-learn returns a sparse matrix for some numbers.
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"{name}: sparse data of OpenML are not supported")
    # Nominal features of OpenML are categories of pandas.
    is_category = frame.dtypes == "category"
    for feature in frame.columns:
        if frame[feature].dtype == object:
            raise DataError(f"{name}: feature {feature!r} is text, and no category")
    numbers = frame.loc[:, ~is_category].astype(np.float64)
    lacking = numbers.columns[numbers.isna().any()]
    if len(lacking):
        if missing is None:
            raise DataError(
                f"{name}: {len(lacking)} features, such as {lacking[0]!r}, lack numbers; set "
                "missing=drop, mean or median"
            )
        replacement = numbers.median()
        if missing == "mean":
            replacement = numbers.mean()
        numbers = numbers.fillna(replacement)
    columns = [numbers]
    if is_category.any():
        columns.append(pd.get_dummies(frame.loc[:, is_category], dtype=np.float64))
    return np.ascontiguousarray(pd.concat(columns, axis=1).to_numpy(dtype=np.float64))
