"""What the benchmarks share: names and units, timing, and the inputs of the metrics."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import hcbench

SEED = 20230
MANY = 100_000

Function = TypeVar("Function", bound=Callable[..., Any])


class Timed:
    """asv's settings for ``time_*``: up to 5 calls in 2 s, no warm-up, as ``setup`` compiles."""

    rounds = 1
    repeat = (1, 5, 2.0)
    warmup_time = 0.0


def benchmark(name: str, unit: str = "") -> Callable[[Function], Function]:
    """Set the name and, for a ``track_*`` function, the unit that asv's page shows."""

    def decorate(function: Function) -> Function:
        function.pretty_name = name  # type: ignore[attr-defined]
        if unit:
            function.unit = unit  # type: ignore[attr-defined]
        return function

    return decorate


def labelled(n: int, classes: int = 20, p: int = 34) -> hcbench.Problem:
    """Items in 20 classes, which form six groups."""
    rng = np.random.default_rng(SEED)
    fine = rng.integers(classes, size=n)
    vectors = rng.normal(size=(n, p)) + 0.3 * fine[:, None]
    return hcbench.Problem(n=n, vectors=vectors, levels=np.column_stack((fine % 6, fine)))


def dense_vectors(n: int) -> NDArray[np.floating]:
    """The absolute values of the vectors of `labelled`."""
    vectors = labelled(n).vectors
    assert isinstance(vectors, np.ndarray)
    return np.abs(vectors)


def random_tree(n: int, kind: hcbench.HeightKind = hcbench.HeightKind.ORDER) -> hcbench.Tree:
    """Random neighbours on a line merge one after the other; affinities decrease from 1."""
    rng = np.random.default_rng(SEED)
    parent = [-1] * (2 * n - 1)
    node = rng.permutation(n).tolist()  # node of a cluster, stored at its first position
    first, last = list(range(n)), list(range(n))  # position of a cluster's other end
    for new, gap in enumerate(rng.permutation(n - 1).tolist(), n):
        left, right = first[gap], gap + 1
        parent[node[left]] = parent[node[right]] = new
        node[left], last[left] = new, last[right]
        first[last[right]] = left
    rank = np.arange(n - 1, dtype=float)
    if kind is hcbench.HeightKind.AFFINITY:
        return hcbench.Tree(parent, np.concatenate((np.full(n, 2.0), 1 - rank / n)), kind)
    return hcbench.Tree(parent, np.concatenate((np.zeros(n), 1 + rank)), kind)


def seconds(work: Callable[[], Any]) -> float:
    """Processor time of one call, in seconds."""
    start = process_time()
    work()
    return process_time() - start


def best(work: Callable[[], Any], repeats: int = 3) -> float:
    """Processor time of the fastest call, in seconds."""
    return min(seconds(work) for _ in range(repeats))
