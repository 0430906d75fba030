"""How many principal components to keep: the Wasserstein choice of Gray et al. 2023."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from ot import emd2

from hcbench_vectors.components import principal_axes

if TYPE_CHECKING:
    from hcbench import Vectors

#: Pivots of the network simplex; it needs far fewer, and stops where it is done.
_PIVOTS = 10**9


def wasserstein_dimension(
    vectors: Vectors, r_max: int, patience: int | None, rng: np.random.Generator
) -> int:
    """The r <= r_max of smallest `wasserstein_distances`, the smaller at ties."""
    return 1 + int(np.argmin(wasserstein_distances(vectors, r_max, patience, rng)))


def wasserstein_distances(
    vectors: Vectors, r_max: int, patience: int | None, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Distances of one half of the data, projected, from the other half, by dimension.

    Gray et al. 2023, algorithm 2: ``d_r`` is the Wasserstein distance between the first ceil(n/2)
    rows, projected on their own first r principal axes, and the other rows, as point sets in R^p
    with the Euclidean distance as the cost. Rows are taken in the order in which they stand. The
    optimal transport is exact (network simplex of POT).

    Parameters
    ----------
    vectors : (n, p) array or csr_array, n > 1
    r_max : int
        Largest dimension; at most the rank of the first half, after which nothing changes.
    patience : int, optional
        Stop after so many dimensions without a new smallest distance: a heuristic.
    rng : Generator
        See `principal_axes`.

    Returns
    -------
    (r,) array
        ``d_1, d_2, ...``, in the vectors' unit. For each O(n^2) time for the costs, as
        ``|V V' x - y|^2 = |V' x|^2 + |y|^2 - 2 <V' x, V' y>``, and that of an exact transport of
        n/2 points, about O(n^3): seconds at n = 4000. O(n^2) memory, a few matrices (n/2, n/2).
    """
    half = (vectors.shape[0] + 1) // 2
    train, test = vectors[:half], vectors[half:]
    axes = principal_axes(train, min(r_max, *train.shape), rng)
    projected, raw = np.asarray(train @ axes), np.asarray(test @ axes)
    squares = np.asarray((test * test).sum(axis=1), dtype=np.float64).ravel()
    cost = np.repeat(squares[None, :], half, axis=0)
    distances: list[float] = []
    for r in range(axes.shape[1]):
        cost += projected[:, r, None] * (projected[:, r, None] - 2.0 * raw[None, :, r])
        lengths = np.sqrt(np.maximum(cost, 0.0))
        distances.append(float(emd2([], [], lengths, numItermax=_PIVOTS)))
        if patience is not None and r - int(np.argmin(distances)) >= patience:
            break
    return np.array(distances or [0.0])
