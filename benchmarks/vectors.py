"""Algorithms on vectors beside scipy and fastcluster in the same run.

``python -m benchmarks.vectors`` measures 100,000 items, which would take asv too long.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

import fastcluster
import numpy as np
from scipy.cluster.hierarchy import linkage

import hcbench

SEED = 20230
P = 34


def _vectors(n: int) -> np.ndarray:
    """Clusters of clusters with noise, and all of positive mean."""
    rng = np.random.default_rng(SEED)
    coarse, fine = rng.normal(size=(8, P)), 0.7 * rng.normal(size=(200, P))
    at = rng.integers(200, size=n)
    return 0.5 + coarse[at % 8] + fine[at] + rng.normal(size=(n, P))


def _median(work: Callable[[], Any], repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return float(np.median(times))


class Linkages:
    """6000 items of 34 features; the peers' distances are part of their time."""

    timeout = 600

    def setup(self) -> None:
        """Draw the vectors, and run once."""
        self.vectors = _vectors(6000)
        hcbench.fit("DotProduct", self.vectors[:100])

    def _ratio(self, peer: Callable[..., Any], method: str, name: str, **params: Any) -> float:
        metric = "cosine" if params else "euclidean"
        theirs = _median(lambda: peer(self.vectors, method, metric=metric))
        return theirs / _median(lambda: hcbench.fit(name, self.vectors, **params))

    def track_scipy_average_over_dot_product(self) -> float:
        """How many times faster; at least 4 is wanted."""
        return self._ratio(linkage, "average", "DotProduct")

    def track_fastcluster_average_over_dot_product(self) -> float:
        """How many times faster; at least 2 is wanted."""
        return self._ratio(fastcluster.linkage, "average", "DotProduct")

    def track_scipy_over_upgma_of_cosines(self) -> float:
        """How many times faster."""
        return self._ratio(linkage, "average", "UPGMA", metric="cosine")

    def track_fastcluster_over_upgma_of_cosines(self) -> float:
        """How many times faster."""
        return self._ratio(fastcluster.linkage, "average", "UPGMA", metric="cosine")

    def track_scipy_over_ward(self) -> float:
        """How many times faster."""
        return self._ratio(linkage, "ward", "Ward")

    def track_fastcluster_over_ward(self) -> float:
        """How many times faster."""
        return self._ratio(fastcluster.linkage, "ward", "Ward")


for _track in [name for name in vars(Linkages) if name.startswith("track_")]:
    getattr(Linkages, _track).unit = "ratio"


class Large:
    """20,000 items, whose distances alone would be 1.6 GB."""

    timeout = 600
    params = ("DotProduct", "Ward")
    param_names = ("algorithm",)

    def setup(self, algorithm: str) -> None:
        """Draw the vectors, and run once: nothing is compiled later."""
        self.vectors = _vectors(20_000)
        hcbench.fit(algorithm, self.vectors[:100])

    def time_tree(self, algorithm: str) -> None:
        """All merges."""
        hcbench.fit(algorithm, self.vectors)

    def peakmem_tree(self, algorithm: str) -> None:
        """All merges, in the memory of a few copies of the vectors."""
        hcbench.fit(algorithm, self.vectors)


def main(n: int = 100_000) -> None:
    """Time and peak memory of one algorithm each on many items."""
    for name, params in (("DotProduct", {}), ("UPGMA", {"metric": "cosine"}), ("Ward", {})):
        vectors = _vectors(n)
        start, before = perf_counter(), process_time()
        hcbench.fit(name, vectors, **params)
        seconds, busy = perf_counter() - start, process_time() - before
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sys.stdout.write(f"{name} {params or ''} n={n}: {seconds:.1f} s ")
        sys.stdout.write(f"({busy:.1f} s of a processor), peak memory so far {peak:.0f} MB\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
