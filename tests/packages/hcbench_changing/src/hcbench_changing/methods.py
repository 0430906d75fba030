"""Methods with known costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

from hcbench import Items, Oracle
from hcbench_changing.costs import MEGABYTES, QUERIES_PER_ITEM


def asking(oracle: Oracle, items: Items, rng: np.random.Generator) -> NDArray[np.int64]:
    """Ask random questions about two pairs that begin with an item each, and ignore the answers."""
    n = items.n
    for _ in range(QUERIES_PER_ITEM):
        i, j, k = rng.permuted(np.tile(np.arange(n), (n, 1)), axis=1)[:, :3].T
        oracle.ask(np.column_stack([i, j, i, k]))
    joined = np.append([0], np.arange(n, 2 * n - 2))
    return np.column_stack([joined, np.arange(1, n)])


def hungry(oracle: Oracle, items: Items, rng: np.random.Generator) -> NDArray[np.float64]:
    """Average linkage, with an array that it does not need."""
    unneeded = np.ones(MEGABYTES * 2**20 // 8)
    tree: NDArray[np.float64] = linkage(oracle.read() * unneeded[0], "average")
    return tree
