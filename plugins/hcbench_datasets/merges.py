"""Trees in place of data: the merges of hierarchies, as scipy and R write them into tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench_datasets.content import Roles, Table
from hcbench_datasets.file_names import changed_name

if TYPE_CHECKING:
    from hcbench.model import Vectors

_LEAST_MERGES = 3  # rows of which chance does not make the merges of a tree


def check_no_merges_in_table(table: Table, roles: Roles, params: Mapping[str, Any]) -> None:
    """Raise `DataError` if the numbers of a table are the merges of a tree; see `check_no_merges`.

    A column that counts the rows, as pandas writes it, is no part of them.
    """
    numbers = []
    for column in table.columns:
        if column.name == roles.names:
            continue
        # Merges have no texts.
        if column.numbers is None:
            return
        numbers.append(column.numbers)
    if numbers and params["similarity"] is None:
        check_no_merges(np.column_stack(numbers), params)


def check_no_merges(vectors: Vectors | None, params: Mapping[str, Any]) -> None:
    """Raise `DataError` for scipy's linkage matrix, or the ``merge`` of R's hclust, as vectors.

    Raises
    ------
    DataError
        With what it may be used for.
    """
    if not isinstance(vectors, np.ndarray) or len(vectors) < _LEAST_MERGES:
        return
    if _is_linkage_matrix(vectors):
        form = "scipy's linkage matrix"
    elif _is_hclust(vectors):
        form = "the merges of R's hclust"
    else:
        return
    raise DataError(
        f"{params['path']}: this is {form}, a tree and no data: score it with hcbench score, or "
        f"write {changed_name(params, similarity=False)} if the rows are vectors"
    )


def _is_linkage_matrix(vectors: NDArray[Any]) -> bool:
    """Whether rows merge two earlier clusters each, and have the right sizes."""
    if vectors.shape[1] != 4 or vectors[-1, 3] != len(vectors) + 1:
        return False  # the last row merges all items
    from scipy.cluster.hierarchy import is_valid_linkage

    return bool(is_valid_linkage(np.asarray(vectors, dtype=np.float64)))


def _is_hclust(vectors: NDArray[Any]) -> bool:
    """Whether two columns have each of the items -1, ..., -n and the rows 1, ..., n - 2 once.

    A third column may have the heights.
    """
    n = len(vectors) + 1
    if vectors.shape[1] not in (2, 3):
        return False
    expected = [number for number in range(-n, n - 1) if number != 0]
    merged = np.sort(vectors[:, :2].ravel())
    return np.array_equal(merged, expected)
