"""Algorithms on vectors, compared with scipy and fastcluster in the same run.

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
from benchmarks.inputs import Timed, benchmark, best

SEED = 20230
P = 34


def _vectors(n: int) -> np.ndarray:
    """Noisy clusters of clusters with a positive mean."""
    rng = np.random.default_rng(SEED)
    coarse, fine = rng.normal(size=(8, P)), 0.7 * rng.normal(size=(200, P))
    at = rng.integers(200, size=n)
    return 0.5 + coarse[at % 8] + fine[at] + rng.normal(size=(n, P))


class Linkages:
    """6000 items with 34 features; the time of a peer includes its distances."""

    timeout = 600

    def setup(self) -> None:
        """Draw the vectors and compile."""
        self.vectors = _vectors(6000)
        hcbench.fit("DotProduct", self.vectors[:100])

    def _ratio(self, peer: Callable[..., Any], method: str, name: str, **params: Any) -> float:
        metric = "cosine" if params else "euclidean"
        theirs = best(lambda: peer(self.vectors, method, metric=metric))
        return theirs / best(lambda: hcbench.fit(name, self.vectors, **params))

    @benchmark("DotProduct: scipy's time over ours", "ratio")
    def track_scipy_average_over_dot_product(self) -> float:
        """Time of scipy's average linkage over that of DotProduct; the goal is at least 4."""
        return self._ratio(linkage, "average", "DotProduct")

    @benchmark("DotProduct: fastcluster's time over ours", "ratio")
    def track_fastcluster_average_over_dot_product(self) -> float:
        """Time of fastcluster's average linkage over that of DotProduct; the goal is at least 2."""
        return self._ratio(fastcluster.linkage, "average", "DotProduct")

    @benchmark("UPGMA of cosines: scipy's time over ours", "ratio")
    def track_scipy_over_upgma_of_cosines(self) -> float:
        """Time of scipy's average linkage over that of UPGMA."""
        return self._ratio(linkage, "average", "UPGMA", metric="cosine")

    @benchmark("UPGMA of cosines: fastcluster's time over ours", "ratio")
    def track_fastcluster_over_upgma_of_cosines(self) -> float:
        """Time of fastcluster's average linkage over that of UPGMA."""
        return self._ratio(fastcluster.linkage, "average", "UPGMA", metric="cosine")

    @benchmark("Ward: scipy's time over ours", "ratio")
    def track_scipy_over_ward(self) -> float:
        """Time of scipy's Ward linkage over that of Ward."""
        return self._ratio(linkage, "ward", "Ward")

    @benchmark("Ward: fastcluster's time over ours", "ratio")
    def track_fastcluster_over_ward(self) -> float:
        """Time of fastcluster's Ward linkage over that of Ward."""
        return self._ratio(fastcluster.linkage, "ward", "Ward")


class Large(Timed):
    """20,000 items, whose distances alone would take 1.6 GB."""

    timeout = 600
    params = ("DotProduct", "Ward")
    param_names = ("algorithm",)

    def setup(self, algorithm: str) -> None:
        """Draw the vectors and compile."""
        self.vectors = _vectors(20_000)
        hcbench.fit(algorithm, self.vectors[:100])

    @benchmark("20,000 items: time")
    def time_tree(self, algorithm: str) -> None:
        """Time to build the tree."""
        hcbench.fit(algorithm, self.vectors)

    @benchmark("20,000 items: peak memory")
    def peakmem_tree(self, algorithm: str) -> None:
        """Peak memory of the process, which holds a few copies of the vectors."""
        hcbench.fit(algorithm, self.vectors)


def main(n: int = 100_000) -> None:
    """Print time and peak memory of each algorithm on many items."""
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
