"""Phylogenies: random trees with times, and sequences that evolve along them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import HeightKind, ParameterError, Tree

Floats = NDArray[np.float64]


def coalescent_tree(rng: np.random.Generator, n: int) -> Tree:
    """Draw Kingman's coalescent of n items.

    While k lineages remain, the time to the next merge is exponential with mean 2 / (k (k - 1)),
    and each pair is equally likely to merge (Kingman 1982). The expected height of the root is
    2 (1 - 1/n). O(n).

    Returns
    -------
    Tree
        Binary, with the time of each merge as its height. Items are exchangeable.
    """
    k = np.arange(n, 1, -1)
    times = np.cumsum(rng.exponential(2.0 / (k * (k - 1))))
    parent = np.full(2 * n - 1, -1)
    lineages = list(range(n))  # the node of each lineage, in no order
    first = rng.integers(0, k)
    second = rng.integers(0, k - 1)
    for new, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True), start=n):
        # Remove lineage a, with the last one in its place; b is drawn from the others.
        merged = lineages[a]
        lineages[a] = lineages[-1]
        lineages.pop()
        parent[merged] = new
        parent[lineages[b]] = new
        lineages[b] = new
    return Tree(parent, np.concatenate([np.zeros(n), times]), HeightKind.DISTANCE)


def birth_death_tree(rng: np.random.Generator, n: int, birth: float, death: float) -> Tree:
    """Draw the tree of n living species of a birth-death process, given n.

    Every origin is equally likely before n is known (Gernhard 2008). With r = birth - death and
    ``eta(t) = birth (1 - e^(-r t)) / (birth - death e^(-r t))``, ``eta^n`` of the origin is then
    uniform on [0, 1], and the n - 1 times of splits between neighbouring species are independent
    with eta uniform below that of the origin. Without deaths this is Yule's process, and the
    expected height of the root is the sum of 1 / (birth k) over k = 2..n. O(n log n).

    Returns
    -------
    Tree
        Binary, with the time before the present of each split as its height; items are numbered at
        random.

    Raises
    ------
    ParameterError
        If death is not below birth.
    """
    if death >= birth:
        raise ParameterError(
            f"birth-death: death={death:g} must be below birth={birth:g}, as all species die out "
            "otherwise"
        )
    # eta of the origin, times uniform numbers: those of the splits.
    eta = rng.random() ** (1.0 / n) * rng.random(n - 1)
    times = np.log((birth - death * eta) / (birth * (1.0 - eta))) / (birth - death)
    order = np.argsort(times, kind="stable")
    parent = np.full(2 * n - 1, -1)
    # A node covers a run of neighbouring species; both ends of the run know the node.
    node = rng.permutation(n)
    opposite_end = np.arange(n)
    for new, gap in enumerate(order.tolist(), start=n):
        # The runs that end and begin at this gap become one.
        left = opposite_end[gap]
        right = opposite_end[gap + 1]
        parent[node[gap]] = new
        parent[node[gap + 1]] = new
        node[left] = new
        node[right] = new
        opposite_end[left] = right
        opposite_end[right] = left
    return Tree(parent, np.concatenate([np.zeros(n), times[order]]), HeightKind.DISTANCE)


def evolve(rng: np.random.Generator, tree: Tree, length: int, rate: float) -> NDArray[np.uint8]:
    """Draw a sequence at the root, and let it evolve down to the items.

    In Jukes & Cantor's model (1969) all substitutions have the same rate: over a branch of time t,
    a site is drawn anew from the 4 bases with probability ``1 - exp(-4/3 rate t)``, so that the
    sequences of two items that split at time t differ at a share ``3/4 (1 - exp(-8/3 rate t))`` of
    the sites. O(n length) time and memory.

    Parameters
    ----------
    rate : float
        Substitutions per site and unit of time.

    Returns
    -------
    (n, length) uint8 array
        Bases 0 to 3.
    """
    assert tree.height is not None
    # From the root down, as parents have larger numbers than their children.
    bases = np.empty((tree.n_nodes, length), dtype=np.uint8)
    bases[-1] = rng.integers(0, 4, length, dtype=np.uint8)
    # The probability that a site is drawn anew on the branch above each node.
    redrawn = -np.expm1(-4.0 / 3.0 * rate * (tree.height[tree.parent] - tree.height))
    for node in range(tree.n_nodes - 2, -1, -1):
        is_redrawn = rng.random(length) < redrawn[node]
        fresh = rng.integers(0, 4, length, dtype=np.uint8)
        bases[node] = np.where(is_redrawn, fresh, bases[tree.parent[node]])
    return bases[: tree.n]


def jukes_cantor(bases: NDArray[np.uint8]) -> Floats:
    """Return estimates of substitutions per site between sequences, (n, n).

    ``d = -3/4 ln(1 - 4/3 p)`` for a share p of sites that differ (Jukes & Cantor 1969). From
    p = 3/4 on, where no distance would explain p, the distance is that of p = 3/4 - 1/(4 length),
    which is above every smaller share. O(n^2 length) time and O(n (n + length)) memory.
    """
    n, length = bases.shape
    equal = np.zeros((n, n))
    for base in range(4):
        has = (bases == base).astype(np.float32)  # exact for fewer than 2^24 sites
        equal += has @ has.T
    # At most the share from which on no distance explains it.
    differing = np.minimum(1.0 - equal / length, 0.75 - 0.25 / length)
    distances: Floats = -0.75 * np.log1p(-4.0 / 3.0 * differing)
    np.fill_diagonal(distances, 0.0)
    return distances
