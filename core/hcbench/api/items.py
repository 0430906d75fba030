"""The items of what callers give from Python, and what is of the same items brought into one order.

Which items are the same is decided by `hcbench.match_items`; here is where names come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hcbench.model.comparisons import Comparisons
from hcbench.model.names import NamedItems, names_of_index
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
            drop=f"{'series' if is_series else 'frame'}.reset_index(drop=True)",
        )
    return NamedItems(
        what=what,
        n=n,
        origin="numbers" if isinstance(thing, Comparisons) else "rows",
        give=f"pandas.{'Series(labels' if is_series else 'DataFrame(data'}, index=names)",
    )
