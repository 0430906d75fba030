"""The planted hierarchical model: a balanced binary hierarchy with noisy similarities.

Ghoshdastidar, Perrot & von Luxburg 2019, section 2.2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import DataRequest, HeightKind, Problem, Tree


def planted(
    request: DataRequest,
    *,
    N0: int,  # noqa: N803  (parameters are named as in the paper)
    L: int,  # noqa: N803
    mu: float,
    sigma: float,
    delta: float,
    order: bool = False,
) -> Problem:
    """Draw similarities ``w_ij = mu_ij + r_ij`` of n = N0 2^L items.

    ``mu_ij`` is mu within a pure cluster and ``mu - (L - l) delta`` for two items that the split
    of level l = 0..L-1 separates; ``r_ij = r_ji`` are independent and N(0, sigma^2). Items are
    numbered at random; with ``order``, pure cluster c contains the items c N0 .. (c+1) N0 - 1. The
    diagonal, which is never used, is mu. The ``mu_ij`` are the (affinity) heights of the true tree,
    with mu at the leaves; level l of the labels is the side of the split of level l. O(n^2) time
    and memory.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(2**L), N0)
    n = cluster.size
    similarity = mu - delta * _levels_apart(cluster, L)
    noise = np.triu(rng.normal(0.0, sigma, (n, n)), 1)
    similarity += noise
    similarity += noise.T
    sides = (cluster[:, None] >> np.arange(L - 1, -1, -1)) & 1
    truth = planted_tree(N0, L, mu, delta)
    if not order:
        items = rng.permutation(n)
        similarity, sides = similarity[np.ix_(items, items)], sides[items]
        parent = truth.parent.copy()
        parent[:n] = parent[items]
        truth = Tree(parent, truth.height, truth.kind)
    return Problem(n=n, similarity=similarity, levels=sides, truths={"planted": truth})


def _levels_apart(cluster: NDArray[np.int64], depth: int) -> NDArray[np.float64]:
    """Levels (n, n) from two items up to their smallest common cluster: L - l."""
    differing = cluster[:, None] ^ cluster[None, :]
    apart = np.zeros(differing.shape)
    for level in range(depth):
        apart += differing >> level > 0
    return apart


def planted_tree(size: int, depth: int, mu: float, delta: float) -> Tree:
    """The true tree of pure clusters of ``size`` items; a cluster of one item has no inner node."""
    groups = [size] * (size > 1) + [2] * depth
    heights = [mu] * (size > 1) + [mu - up * delta for up in range(1, depth + 1)]
    layer = size * 2**depth
    parent, height = [], [np.full(layer, mu)]
    above = layer
    for group, level in zip(groups, heights, strict=True):
        parent.append(above + np.arange(layer) // group)
        layer //= group
        above += layer
        height.append(np.full(layer, level))
    parent.append(np.array([-1]))
    return Tree(np.concatenate(parent), np.concatenate(height), HeightKind.AFFINITY)
