"""Compiled average linkage on a matrix of similarities. The kernels do not check their input."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_CHUNK = 256  # compared with vector instructions before any is looked at


@njit(cache=True)
def maximum(row: NDArray[np.float64], start: int, end: int) -> tuple[float, int]:
    """The maximum of ``row[start:end]``, which is not empty, and its first index."""
    largest, found = row[start], start
    for low in range(start, end, _CHUNK):
        part = row[low : min(low + _CHUNK, end)]
        n_larger = 0
        for at in range(part.size):
            n_larger += part[at] > largest
        if n_larger == 0:
            continue
        for at in range(part.size):
            if part[at] > largest:
                largest, found = part[at], low + at
    return largest, found


@njit(cache=True)
def average_chain(similarity: NDArray[np.float64], merges: NDArray[np.float64]) -> None:
    """Average linkage by largest mean similarity, along a nearest-neighbour chain (Murtagh 1983).

    ``a(u + v, x) = (|u| a(u, x) + |v| a(v, x)) / (|u| + |v|)`` (Gray et al. 2023, algorithm 1,
    line 6) replaces the row and column of u; those of v are no longer used. O(n^2) time, O(n)
    memory besides the matrix.

    Parameters
    ----------
    similarity : (n, n) float64, symmetric
        Overwritten; the diagonal is ignored.
    merges : (n-1, 4), written
        A linkage matrix in the order of merging; column 2 holds similarities. Rounding never puts
        a merge above the merges below it.
    """
    n = similarity.shape[0]
    size, node = np.ones(n), np.arange(n)
    chain, length = np.empty(n, np.int64), 0
    for i in range(n):
        similarity[i, i] = -np.inf
    start = 0
    for n_merged in range(n - 1):
        if length == 0:
            while size[start] == 0:
                start += 1
            chain[0], length = start, 1
        while True:
            u = chain[length - 1]
            top, v = maximum(similarity[u], 0, n)
            # For ties prefer the previous one in the chain, so that the chain cannot cycle.
            if length > 1 and similarity[u, chain[length - 2]] == top:
                v = chain[length - 2]
                break
            chain[length] = v
            length += 1
        length -= 2
        new_size, score = size[u] + size[v], top
        for child in (node[u], node[v]):
            if child >= n:
                score = min(score, merges[child - n, 2])
        merges[n_merged, 0], merges[n_merged, 1] = node[u], node[v]
        merges[n_merged, 2], merges[n_merged, 3] = score, new_size
        for x in range(n):
            mean = (size[u] * similarity[u, x] + size[v] * similarity[v, x]) / new_size
            if size[x] > 0 and x != u and x != v:
                similarity[u, x] = similarity[x, u] = mean
                similarity[x, v] = -np.inf
        similarity[u, v] = -np.inf
        size[u], size[v], node[u] = new_size, 0.0, n + n_merged


@njit(cache=True)
def mean_squares(merges: NDArray[np.float64], square: NDArray[np.float64]) -> NDArray[np.float64]:
    """``|m|^2`` of the mean of each node's vectors, from the merges only: O(n).

    ``|m_w|^2 = (|u|^2 |m_u|^2 + |v|^2 |m_v|^2 + 2 |u| |v| <m_u, m_v>) / |w|^2``, where <m_u, m_v>
    is the score of the merge.

    Parameters
    ----------
    merges : (n-1, 4)
        A linkage matrix whose column 2 holds mean dot products.
    square : (n,)
        ``|x|^2`` of each vector.
    """
    n = square.size
    of_node, size = np.empty(2 * n - 1), np.ones(2 * n - 1)
    for item in range(n):
        of_node[item] = square[item]
    for row in range(n - 1):
        u, v = int(merges[row, 0]), int(merges[row, 1])
        share = size[u] / (size[u] + size[v])
        total = share * share * of_node[u] + (1.0 - share) * (1.0 - share) * of_node[v]
        of_node[n + row] = max(total + 2.0 * share * (1.0 - share) * merges[row, 2], 0.0)
        size[n + row] = size[u] + size[v]
    return of_node
