"""Compiled steps that several linkages share. They do not check their input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

_Function = TypeVar("_Function", bound=Callable[..., Any])
_njit: Any = numba.njit  # its options are not all annotated

CHUNK = 128  # compared with vector instructions before any is looked at


def entry(function: _Function) -> _Function:
    """Compile a function that Python calls, for the types of its first call and for no others.

    Divisions are not checked for zero. Other threads run meanwhile.
    """
    kernel: _Function = _njit(cache=True, error_model="numpy", nogil=True)(function)
    return kernel


@register_jitable
def nearest_slot(
    distance: NDArray[np.float64],
    gone: NDArray[np.float64],
    rank: NDArray[np.int64],
    smallest: float,
) -> tuple[float, int]:
    """The smallest distance below ``smallest`` and its slot, or ``smallest`` and -1.

    Of equal distances that of the slot of lowest rank. Slots with infinite ``gone``, otherwise 0,
    are ignored.
    """
    nearest = -1
    for low in range(0, distance.size, CHUNK):
        part = distance[low : low + CHUNK]
        without = gone[low : low + part.size]
        # Most chunks have nothing that is closer.
        n_closer = 0
        for j in range(part.size):
            n_closer += part[j] + without[j] <= smallest
        if n_closer == 0:
            continue
        for j in range(part.size):
            value = part[j] + without[j]
            slot = low + j
            is_tied = value == smallest and nearest >= 0
            if value < smallest or (is_tied and rank[slot] < rank[nearest]):
                smallest = value
                nearest = slot
    return smallest, nearest


def label(merges: NDArray[np.float64]) -> None:
    """Turn merges of items in their order into a linkage matrix: O(n) but for a slow factor."""
    n_nodes = 2 * len(merges) + 1
    # Allocated here and not in the kernel, where it would take longer to compile.
    _label(merges, np.arange(n_nodes), np.ones(n_nodes))


@entry
def _label(
    merges: NDArray[np.float64], parent: NDArray[np.int64], size: NDArray[np.float64]
) -> None:
    """`label`, with a union-find forest of the nodes, each its own root, and their sizes of 1."""
    n = merges.shape[0] + 1
    for row in range(n - 1):
        # Replace an item of each cluster by the node of the cluster, the root of the item's tree.
        for side in range(2):
            item = int(merges[row, side])
            root = item
            while parent[root] != root:
                root = parent[root]
            # Shorten the path for later searches.
            while parent[item] != root:
                above = parent[item]
                parent[item] = root
                item = above
            merges[row, side] = root
        u = int(merges[row, 0])
        v = int(merges[row, 1])
        parent[u] = n + row
        parent[v] = n + row
        size[n + row] = size[u] + size[v]
        # The smaller number first, as scipy has it.
        merges[row, 0] = min(u, v)
        merges[row, 1] = max(u, v)
        merges[row, 3] = size[n + row]
