"""Preparation of the numbers in a file, in this order: transpose, log, subsample, scale.

Ordinal columns become numbers, and missing numbers are replaced, when the table is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench_datasets.content import Content

if TYPE_CHECKING:
    from hcbench.model import Vectors

#: Parameters that change numbers; comparisons and texts have none.
PREPARATION = ("transpose", "log", "scale", "standardise", "ordinal")


def transposed(content: Content, where: str) -> Content:
    """The columns as items, with their names; the rows, as of genes, are the features.

    Parameters
    ----------
    content : Content
        Vectors; its names, if any, are those of the rows.
    where : str
        The file, for messages.

    Raises
    ------
    DataError
        If it has no vectors, or labels of the rows.
    """
    if content.vectors is None:
        raise DataError(f"{where}: similarities are symmetric; omit transpose=true")
    if content.levels is not None:
        raise DataError(
            f"{where}: with transpose=true the items are the columns, and labels are of rows; omit "
            "labels, or give a tree of the columns with truth=FILE"
        )
    columns = content.vectors.T
    # Rows are contiguous in the result, as all readers return them.
    vectors: Vectors
    if isinstance(columns, np.ndarray):
        vectors = columns.copy()
    else:
        vectors = columns.tocsr()
    if vectors.shape[0] < 2:
        raise DataError(f"{where}: there is one column; transpose=true needs at least 2 as items")
    return replace(content, vectors=vectors, names=content.features, features=content.names)


def logarithms(vectors: Vectors, where: str) -> Vectors:
    """``log(1 + x)`` of each number, the natural logarithm; 0 stays 0.

    Parameters
    ----------
    vectors : (n, p) array or csr_array
        Counts or amounts, none below 0.
    where : str
        The file, for messages.

    Raises
    ------
    DataError
        If a number is negative.
    """
    smallest = vectors.min()
    if smallest < 0:
        raise DataError(
            f"{where}: {float(smallest):.6g} has no logarithm; log=true is for counts and amounts "
            "of at least 0: are these logarithms already?"
        )
    if isinstance(vectors, np.ndarray):
        return np.log1p(vectors.astype(np.float64))
    changed = vectors.astype(np.float64)
    changed.data = np.log1p(changed.data)
    return changed


def scaled(vectors: Vectors | None, scale: str, where: str) -> NDArray[np.float64]:
    """The vectors on a common scale.

    Parameters
    ----------
    vectors : (n, p) array or csr_array, optional
        Sparse ones would become dense, and are refused.
    scale : {"columns", "rows", "robust"}
        columns: each column has mean 0 and standard deviation 1. rows: each row has, which compares
        profiles whatever their level. robust: each column minus its median, over the distance of
        its quartiles (as RobustScaler of scikit-learn), which outliers hardly change. What is
        constant becomes 0.
    where : str
        The file, for messages.

    Raises
    ------
    DataError
        If there are no dense vectors.
    """
    if not isinstance(vectors, np.ndarray):
        what = "sparse vectors"
        if vectors is None:
            what = "similarities"
        raise DataError(f"{where}: {what} cannot be scaled; omit scale={scale}")
    return _SCALES[scale](vectors.astype(np.float64))


def standardised(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract each column's mean and divide by its standard deviation; constant ones become 0."""
    constant = (vectors == vectors[0]).all(axis=0)
    centred: NDArray[np.float64] = vectors - vectors.mean(axis=0)
    centred[:, constant] = 0.0  # rounding may make the mean of equal numbers differ from them
    deviation = centred.std(axis=0)
    deviation[constant] = 1.0
    centred /= deviation
    return centred


def _rows(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return standardised(vectors.T).T.copy()


def _robust(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    low, median, high = np.quantile(vectors, [0.25, 0.5, 0.75], axis=0)
    extent = high - low
    # As scikit-learn does: a column of which most numbers are equal is only centred.
    extent[extent == 0] = 1.0
    centred: NDArray[np.float64] = (vectors - median) / extent
    return centred


_SCALES: Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = MappingProxyType(
    {"columns": standardised, "rows": _rows, "robust": _robust}
)


def is_scaled_by_column(params: Mapping[str, Any]) -> bool:
    """Whether all columns get the same weight, whatever their units."""
    return bool(params.get("standardise")) or params.get("scale") in ("columns", "robust")
