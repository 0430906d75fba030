"""Hierarchies from ordinal queries: their number, which is deterministic, and the time.

asv runs the small sizes; ``python -m benchmarks.ordinal`` prints all, up to 10^6 items.
"""

from __future__ import annotations

import sys
from typing import ClassVar

import numpy as np

import hcbench
from benchmarks.inputs import benchmark, seconds
from hcbench.run import call_of, make_answers, make_data, make_oracle

SHAPES = ("random", "balanced", "caterpillar", "yule")
NAMES = {
    "exact": "InsertionClustering[separator=exact]",
    "fast": "InsertionClustering[separator=fast]",
    "quick": "QuickClustering",
    "quick, binary search": "QuickClustering[merge=binary-search]",
}
SMALL = 2000
# Exact insertion takes time O(n height), so it is measured up to 10^4 items.
LARGE = (
    (10_000, ("exact", "fast", "quick", "quick, binary search")),
    (100_000, ("fast", "quick", "quick, binary search")),
    (1_000_000, ("fast", "quick, binary search")),
)


def _answers(n: int, shape: str) -> hcbench.Answers:
    registry = hcbench.load_registry()
    (dataset,) = registry.use_datasets(f"random-tree[n={n}, shape={shape}]")
    (oracle,) = registry.use_oracles("ordinal-queries")
    problem = make_data(dataset, 1)
    answers: hcbench.Answers = make_answers(call_of(oracle), problem, 0, None)
    return answers


def measure(name: str, answers: hcbench.Answers) -> tuple[float, int]:
    """Processor time and number of queries."""
    oracle = make_oracle(answers, None)
    taken = seconds(lambda: hcbench.fit(NAMES[name], oracle))
    return taken, oracle.ledger.queries or 0


class Ordinal:
    """2000 items, the sum over trees of all shapes."""

    params: ClassVar = list(NAMES)
    param_names: ClassVar = ["algorithm"]
    timeout = 300

    def setup(self, name: str) -> None:
        """Draw the trees and compile."""
        measure(name, _answers(12, SHAPES[0]))
        self.answers = [_answers(SMALL, shape) for shape in SHAPES]

    @benchmark("Ordinal queries: time", "s")
    def track_seconds(self, name: str) -> float:
        """Total processor time for trees of 2000 items of all shapes."""
        return sum(measure(name, answers)[0] for answers in self.answers)

    @benchmark("Ordinal queries: queries", "queries")
    def track_queries(self, name: str) -> int:
        """Total number of queries, which only changes if the algorithm does."""
        return sum(measure(name, answers)[1] for answers in self.answers)


def main() -> None:
    """Print all sizes."""
    for name in NAMES:
        measure(name, _answers(12, "random"))
    for n, names in LARGE:
        for shape in SHAPES:
            answers = _answers(n, shape)
            for name in names:
                taken, queries = measure(name, answers)
                part = queries / (n * np.log2(n))
                sys.stdout.write(
                    f"{n:>8} {shape:<12}{name:<22}{taken:8.3f} s {queries:>10} queries, "
                    f"{part:.3f} n log2 n\n"
                )
                sys.stdout.flush()


if __name__ == "__main__":
    main()
