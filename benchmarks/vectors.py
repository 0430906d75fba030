"""Algorithms on many vectors; `peers` compares them with other packages.

``python -m benchmarks.vectors`` measures 100,000 items, which would take asv too long.
"""

from __future__ import annotations

import resource
import sys
from time import perf_counter, process_time

import numpy as np

import hcbench
from benchmarks.inputs import Timed, benchmark

SEED = 20230
P = 34


def _vectors(n: int) -> np.ndarray:
    """Noisy clusters of clusters with a positive mean."""
    rng = np.random.default_rng(SEED)
    coarse, fine = rng.normal(size=(8, P)), 0.7 * rng.normal(size=(200, P))
    at = rng.integers(200, size=n)
    return 0.5 + coarse[at % 8] + fine[at] + rng.normal(size=(n, P))


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
