"""Where the names of items come from in data, labels and results of callers in Python.

Which items of two things are the same is decided by `hcbench.model.names.match_items`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hcbench.model.comparisons import Comparisons
from hcbench.model.names import NamedItems, Origin, names_of_index
from hcbench.model.problem import Problem
from hcbench.model.squares import is_distance_matrix
from hcbench.model.trees import Partition, Tree


def items_of(thing: Any, what: str, n: int) -> NamedItems:
    """Describe the n items of data, labels or a result, whose names are in an index of pandas.

    A linkage matrix and comparisons identify items by number, as a tree without names does; the
    rows of other arrays, and of a DataFrame without an index, as of polars, have an order only.

    Parameters
    ----------
    thing : data, labels or result
    what : str
        The thing in messages, such as "the labels".
    n : int
        The number of items.

    Returns
    -------
    NamedItems
    """
    if isinstance(thing, Tree | Partition | Problem):
        return thing.named_items(what)
    if is_distance_matrix(thing):
        drop = "skbio.DistanceMatrix(matrix.data)"
        return NamedItems(what=what, n=n, names=tuple(thing.ids), origin="index", drop=drop)
    # numpy has no number of dimensions of sparse matrices.
    is_series = not hasattr(thing, "tocsr") and np.ndim(thing) == 1
    # None for numpy and polars, and for the index of pandas that only counts the rows.
    names = names_of_index(thing)
    # What messages say: how to drop the names, or how to give some.
    drop = "frame.reset_index(drop=True)"
    give = "pandas.DataFrame(data, index=names)"
    if is_series:
        drop = "series.reset_index(drop=True)"
        give = "pandas.Series(labels, index=names)"
    if names is not None:
        return NamedItems(what=what, n=n, names=names, origin="index", drop=drop)
    # Two things of which neither has names are matched by the order of their rows.
    origin: Origin = "rows"
    if isinstance(thing, Comparisons):
        # Comparisons contain the numbers of their items, which are an identity and no order.
        origin = "numbers"
    return NamedItems(what=what, n=n, origin=origin, give=give)
