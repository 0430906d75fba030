"""What the benchmarks of the metrics judge, and how they time what is too fast for one call."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hcbench

SEED = 20230
MANY = 100_000


def labelled(n: int, classes: int = 20, p: int = 34) -> hcbench.Problem:
    """Items of 20 classes in six groups."""
    rng = np.random.default_rng(SEED)
    fine = rng.integers(classes, size=n)
    vectors = rng.normal(size=(n, p)) + 0.3 * fine[:, None]
    return hcbench.Problem(n=n, vectors=vectors, levels=np.column_stack((fine % 6, fine)))


def dense_vectors(n: int) -> NDArray[np.floating]:
    """The vectors of `labelled`, none of their entries negative."""
    vectors = labelled(n).vectors
    assert isinstance(vectors, np.ndarray)
    return np.abs(vectors)


def random_tree(n: int, kind: hcbench.HeightKind = hcbench.HeightKind.ORDER) -> hcbench.Tree:
    """Random neighbours on a line merge one after the other; affinities fall from 1."""
    rng = np.random.default_rng(SEED)
    parent = [-1] * (2 * n - 1)
    node = rng.permutation(n).tolist()  # of each cluster, at its first place
    first, last = list(range(n)), list(range(n))  # place of a cluster, at its other end
    for new, gap in enumerate(rng.permutation(n - 1).tolist(), n):
        left, right = first[gap], gap + 1
        parent[node[left]] = parent[node[right]] = new
        node[left], last[left] = new, last[right]
        first[last[right]] = left
    rank = np.arange(n - 1, dtype=float)
    if kind is hcbench.HeightKind.AFFINITY:
        return hcbench.Tree(parent, np.concatenate((np.full(n, 2.0), 1 - rank / n)), kind)
    return hcbench.Tree(parent, np.concatenate((np.zeros(n), 1 + rank)), kind)


def best(work: Callable[[], Any], repeats: int = 3) -> float:
    """Processor seconds of the fastest call."""
    times = []
    for _ in range(repeats):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)
