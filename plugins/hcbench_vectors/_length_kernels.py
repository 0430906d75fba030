"""Compiled lengths of mean vectors. The kernel does not check its input."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench_vectors._step_kernels import entry


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
    n = len(square)
    # Allocated here and not in the kernel, where it would take longer to compile.
    of_node = np.empty(2 * n - 1)
    of_node[:n] = square
    _add_merges(merges, of_node, np.ones(2 * n - 1))
    return of_node


@entry
def _add_merges(
    merges: NDArray[np.float64], of_node: NDArray[np.float64], size: NDArray[np.float64]
) -> None:
    """Write the squares and the sizes of the merged nodes, of which those of items are known."""
    n = merges.shape[0] + 1
    # The parts of a merge are before it, so that theirs are known when it is its turn.
    for row in range(n - 1):
        u = int(merges[row, 0])
        v = int(merges[row, 1])
        share = size[u] / (size[u] + size[v])
        total = share * share * of_node[u] + (1.0 - share) * (1.0 - share) * of_node[v]
        # Rounding may make the square of a short mean negative.
        of_node[n + row] = max(total + 2.0 * share * (1.0 - share) * merges[row, 2], 0.0)
        size[n + row] = size[u] + size[v]
