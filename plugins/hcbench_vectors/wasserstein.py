"""Choice of the number of principal components by the Wasserstein distance (Gray et al. 2023)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from hcbench import NotApplicableError
from hcbench_vectors.components import principal_axes

if TYPE_CHECKING:
    from hcbench import Scored
    from hcbench.model import Vectors

#: Floats in a block of rows: 32 MB.
_BLOCK_SIZE = 1 << 22


def wasserstein_dimension(vectors: Vectors, r_max: int, patience: int | None) -> int:
    """The r <= r_max with the smallest `wasserstein_distances`, the smaller for ties."""
    return 1 + int(np.argmin(wasserstein_distances(vectors, r_max, patience)))


def chosen_dimension(scored: Scored, r_max: int = 50) -> float:
    """`wasserstein_dimension` of the data, with all candidates tried; the result is not used.

    Raises
    ------
    NotApplicableError
        If there are no vectors.
    """
    vectors = scored.problem.vectors
    if vectors is None:
        raise NotApplicableError("components are of vectors; this data set has none")
    floats = vectors.astype(np.float64, copy=False)
    return float(wasserstein_dimension(floats, r_max, None))


def wasserstein_distances(
    vectors: Vectors, r_max: int, patience: int | None
) -> NDArray[np.float64]:
    """Distances of one half of the data, projected, from the other half, by dimension.

    Gray et al. 2023, algorithm 2: ``d_r`` is the Wasserstein distance between the first ceil(n/2)
    rows, projected on their own first r principal axes, and the other rows, as point sets in R^p
    with the Euclidean distance as the cost. Rows are split in the given order. The optimal
    transport is exact, see `transport_cost`.

    Parameters
    ----------
    vectors : (n, p) array or csr_array, n > 1
    r_max : int
        Largest dimension; at most the rank of the first half, beyond which nothing changes.
    patience : int, optional
        Stop after this many dimensions without a new smallest distance: a heuristic.

    Returns
    -------
    (r,) array
        ``d_1, d_2, ...``, in the vectors' unit. Each takes O(n^2) time for the costs, as
        ``|V V' x - y|^2 = |V' x - V' y|^2 + |y - V V' y|^2``, and that of an exact transport of
        n/2 points, about O(n^3): seconds at n = 4000. O(n^2) memory, a few matrices (n/2, n/2).
    """
    half = (vectors.shape[0] + 1) // 2
    train = vectors[:half]
    test = vectors[half:]
    axes = principal_axes(train, min(r_max, *train.shape))
    projected = np.asarray(train @ axes)
    raw = np.asarray(test @ axes)
    # |V V' x - y|^2 is that within the r axes, and the length of y outside of them.
    outside = _squares_outside(test, raw, axes)
    within = np.zeros((half, raw.shape[0]))
    distances: list[float] = []
    for r in range(axes.shape[1]):
        within += (projected[:, r, None] - raw[None, :, r]) ** 2
        beyond = outside + (raw[:, r + 1 :] ** 2).sum(axis=1)
        distances.append(transport_cost(np.sqrt(within + beyond)))
        if patience is not None and r - int(np.argmin(distances)) >= patience:
            break
    return np.array(distances or [0.0])


def _squares_outside(
    vectors: Vectors, scores: NDArray[np.float64], axes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Squared length of each row outside of the axes; a difference of squares would lose digits."""
    n, p = vectors.shape
    squares = np.empty(n)
    step = max(1, _BLOCK_SIZE // p)
    for first in range(0, n, step):
        block: Any = vectors[first : first + step]
        dense = block if isinstance(block, np.ndarray) else block.toarray()
        rest = dense - scores[first : first + step] @ axes.T
        squares[first : first + step] = (rest * rest).sum(axis=1)
    return squares


def transport_cost(cost: NDArray[np.float64]) -> float:
    """Cost of an optimal transport between two samples, the first with at most one more point.

    The points of each sample have equal weights. For samples of equal size, an optimal transport is
    an optimal assignment. Otherwise one point of the first sample remains without a partner: each
    of the k partners gives k of its k + 1 shares to its assigned point, and the remaining point
    sends one share to each of the k points, along the shortest path in the residual network (from
    a single source, since no reverse edge can run out of its k shares).

    Parameters
    ----------
    cost : (m, k) array, m = k or m = k + 1

    Returns
    -------
    float
        The smallest total cost, in the unit of `cost`. O(m^3) time for the assignment; the shortest
        paths (Bellman-Ford) take O(m^2) for each edge of the longest of them. O(m^2) memory.
    """
    m, k = cost.shape
    partners = linear_sum_assignment(cost.T)[1]
    assigned = cost[partners, np.arange(k)]
    if m == k:
        return float(assigned.mean())
    (remaining,) = set(range(m)).difference(partners)
    detours = cost[partners] - assigned[:, None]  # from a point, back to its partner, to another
    lengths = cost[remaining]
    for _ in range(k):
        shorter = np.minimum(lengths, (lengths[:, None] + detours).min(axis=0))
        if np.array_equal(shorter, lengths):
            break
        lengths = shorter
    return float((k * assigned.sum() + lengths.sum()) / (m * k))
