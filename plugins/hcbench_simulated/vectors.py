"""Vectors with a known hierarchy: nested normal clusters, and documents of nested topics."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from hcbench import DataRequest, Problem
from hcbench_simulated.clusters import Clusters, draw_clusters


def nested_gaussians(
    request: DataRequest,
    *,
    n: int,
    depth: int,
    branching: int,
    imbalance: float,
    stop: float,
    separation: float,
    p: int,
    noise_dimensions: int,
) -> Problem:
    """Draw normal clusters around centres that are themselves normal around other centres.

    The centre of a cluster of level l = 1..depth is normal around that of its parent with standard
    deviation ``separation * 2^(depth - l)`` in each coordinate, so that the deepest splits are the
    smallest; items are normal around their centre with standard deviation 1. The root is at 0.
    O(n p) time and memory.

    Returns
    -------
    Problem
        Heights of the truth are affinities: the expected dot product of two items, divided by the
        number of coordinates. `noise_dimensions` coordinates are standard normal in all items, and
        add nothing to the dot product of two items.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    clusters = draw_clusters(rng, n, depth, branching, imbalance, stop)
    # Of the centre of each cluster around that of its parent; the root is at 0.
    deviation = np.where(clusters.level, separation * 2.0 ** (depth - clusters.level), 0.0)
    centre = rng.standard_normal((clusters.parent.size, p)) * deviation[:, None]
    variance = deviation**2
    # Parents have smaller numbers than their children, so theirs are complete.
    for c in range(1, clusters.parent.size):
        centre[c] += centre[clusters.parent[c]]
        variance[c] += variance[clusters.parent[c]]
    vectors = rng.standard_normal((n, p + noise_dimensions))
    vectors[:, :p] += centre[clusters.items]
    affinity = variance * p / (p + noise_dimensions)
    return Problem(
        n=n,
        vectors=vectors,
        levels=clusters.levels(),
        truths={"clusters": clusters.tree(affinity, affinity[clusters.items] + 1.0)},
    )


def topics(
    request: DataRequest,
    *,
    n: int,
    depth: int,
    branching: int,
    imbalance: float,
    stop: float,
    vocabulary: int,
    words: int,
    concentration: float,
) -> Problem:
    """Draw documents whose words come from the topics on a path of a tree of topics.

    As in Blei, Griffiths & Jordan 2010, each node of the tree is a distribution over the
    vocabulary, drawn from a symmetric Dirichlet distribution, and a document belongs to a path from
    the root. Here the tree is given rather than drawn from a nested Chinese restaurant process, and
    all levels have weight ``1 / (depth + 1)``: the distribution of words of a path of m topics is
    ``q = sum of topics / (depth + 1) + (1 - m / (depth + 1)) / vocabulary``.

    Parameters
    ----------
    concentration : float
        The parameter of the Dirichlet distribution; the smaller, the fewer words a topic has.

    Returns
    -------
    Problem
        Vectors: counts of words, sparse; each row sums to `words`. Heights of the truth are
        affinities: the expected dot product of two documents, divided by `vocabulary`. O(n + c)
        times `vocabulary` operations for c topics.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    clusters = draw_clusters(rng, n, depth, branching, imbalance, stop)
    c = clusters.parent.size
    weight = 1.0 / (depth + 1)
    topic = rng.dirichlet(np.full(vocabulary, concentration), c)
    mixture = weight * topic
    for k in range(1, c):
        mixture[k] += mixture[clusters.parent[k]]
    # Levels below the end of a path have the uniform distribution.
    mixture += (1.0 - weight * (clusters.level + 1)[:, None]) / vocabulary
    # Divided by the sum, as rounding must not make it more than 1.
    probability = mixture[clusters.items] / mixture.sum(1)[clusters.items, None]
    counts = rng.multinomial(words, probability)
    affinity, item_affinity = _affinities(clusters, weight, vocabulary, words, concentration)
    return Problem(
        n=n,
        vectors=sparse.csr_array(counts.astype(np.float64)),
        levels=clusters.levels(),
        truths={"topics": clusters.tree(affinity, item_affinity[clusters.items])},
    )


def _affinities(
    clusters: Clusters, weight: float, vocabulary: int, words: int, concentration: float
) -> tuple[np.ndarray, np.ndarray]:
    """Expected dot products, by the cluster, of two documents and of one with itself.

    For a topic b of a symmetric Dirichlet distribution of V words, ``E <b, b> = (a + 1) /
    (V a + 1)``; for two independent ones, or one and the uniform distribution, it is ``1 / V``.
    """
    square = (concentration + 1.0) / (vocabulary * concentration + 1.0)
    # The share of the pairs of words that come from one topic.
    shared = (clusters.level + 1) * weight**2
    product = shared * square + (1.0 - shared) / vocabulary
    pair = words**2 * product / vocabulary
    return pair, (words + words * (words - 1) * product) / vocabulary
