"""Clusters of simple shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_circles, make_moons

from hcbench import DataRequest, Problem

SPREADS = (0.5, 1.0, 2.5)
"""Standard deviations of Gaussians of kind ``unequal``, in turn."""
SIZES = (1.0, 2.0, 4.0)
"""Their relative numbers of points, in turn."""
WIDTH = 10.0
"""Centres are uniform in the cube [-WIDTH, WIDTH]^features."""


def shapes(
    request: DataRequest, *, kind: str, n: int, clusters: int, features: int, noise: float
) -> Problem:
    """Draw n points of clusters, in a random order.

    Gaussians have standard deviation 1 around centres that are uniform in a cube. Those of kind
    ``unequal`` have the standard deviations `SPREADS` and sizes as `SIZES` in turn; those of
    kind ``stretched`` are multiplied by one random matrix. Moons and rings are scikit-learn's.
    O(n features) time.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    if kind in ("moons", "rings"):
        state = int(rng.integers(2**31))
        if kind == "moons":
            points, label = make_moons(n, noise=noise, random_state=state)
        else:
            points, label = make_circles(n, noise=noise, factor=0.5, random_state=state)
        return Problem(n=n, vectors=points, levels=label.astype(np.int64)[:, None])
    # Relative sizes of the clusters, and the places where each ends.
    number = np.arange(clusters)
    weight: NDArray[np.float64] = np.ones(clusters)
    if kind == "unequal":
        weight = np.take(SIZES, number % 3)
    share = np.cumsum(weight) / weight.sum()
    ends = np.round(share * n).astype(np.int64)
    sizes = np.diff(ends, prepend=0)
    label = np.repeat(number, sizes)
    label = label[rng.permutation(n)]
    centres = rng.uniform(-WIDTH, WIDTH, (clusters, features))
    spread: NDArray[np.float64] = np.ones(n)
    if kind == "unequal":
        spread = np.take(SPREADS, label % 3)
    points = centres[label] + spread[:, None] * rng.normal(size=(n, features))
    if kind == "stretched":
        points = points @ rng.normal(size=(features, features))
    return Problem(n=n, vectors=points, levels=label[:, None])
