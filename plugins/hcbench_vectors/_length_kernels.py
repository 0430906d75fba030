"""Compiled lengths of mean vectors. The kernel does not check its input."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench_vectors._step_kernels import entry


@entry
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
    of_node = np.empty(2 * n - 1)
    size = np.ones(2 * n - 1)
    for item in range(n):
        of_node[item] = square[item]
    for row in range(n - 1):
        u = int(merges[row, 0])
        v = int(merges[row, 1])
        share = size[u] / (size[u] + size[v])
        total = share * share * of_node[u] + (1.0 - share) * (1.0 - share) * of_node[v]
        # Rounding may make the square of a short mean negative.
        of_node[n + row] = max(total + 2.0 * share * (1.0 - share) * merges[row, 2], 0.0)
        size[n + row] = size[u] + size[v]
    return of_node
