"""The items of what callers give from Python, and what is of the same items brought into one order.

Which items are the same is decided by `hcbench.match_items`; here is where names come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hcbench.model.comparisons import Comparisons
from hcbench.model.names import NamedItems, is_default, match_items, names_of_index
from hcbench.model.problem import Problem
from hcbench.model.trees import Partition, Tree


def items_of(thing: Any, what: str, n: int) -> NamedItems:
    """Describe the n items of data, labels or a result, whose names are in an index of pandas.

    A linkage matrix and comparisons identify items by number, as a tree without names does; the
    rows of other arrays, and of a DataFrame without an index, as of polars, have an order only.
    """
    if isinstance(thing, Tree | Partition | Problem):
        return thing.named_items(what)
    names = names_of_index(thing)
    is_series = not hasattr(thing, "tocsr") and np.ndim(thing) == 1
    if names is not None:
        return NamedItems(
            what=what,
            n=n,
            names=names,
            origin="index",
            give="by its index",
            drop=f"{'series' if is_series else 'frame'}.reset_index(drop=True)",
        )
    return NamedItems(
        what=what,
        n=n,
        origin="numbers" if isinstance(thing, Comparisons) else "rows",
        give=f"pandas.{'Series(labels' if is_series else 'DataFrame(data'}, index=names)",
    )


def columns_in_row_order(frame: Any) -> Any:
    """A DataFrame whose columns have the names of its rows, in the order of the rows.

    Other DataFrames are not changed. Columns without names are the numbers 0..n-1, unless the
    values are symmetric as they stand.

    Raises
    ------
    DataError
        If a name is there twice.
    """
    rows = names_of_index(frame)
    columns = _column_names(frame)
    if rows is None or rows == columns or set(rows) != set(columns):
        return frame
    values = frame.to_numpy(np.float64)
    if is_default(columns) and np.allclose(values, values.T, rtol=1e-8, atol=1e-12):
        return frame
    place = match_items(
        NamedItems(what="the columns of the DataFrame", n=len(columns), names=columns),
        NamedItems(what="its index", n=len(rows), names=rows),
    )
    return frame.iloc[:, place]


def is_of_features(frame: Any) -> bool:
    """Whether rows and columns have names, and other ones, so that columns are no items."""
    rows = names_of_index(frame, only_own=True)
    columns = _column_names(frame)
    return rows is not None and not is_default(columns) and set(rows) != set(columns)


def _column_names(frame: Any) -> tuple[str, ...]:
    return tuple(str(name) for name in frame.columns)
