"""Hierarchies by ordinal questions: how many, which is deterministic, and how long.

asv runs the small sizes; ``python -m benchmarks.ordinal`` prints all, up to 10^6 items.
"""

from __future__ import annotations

import sys
from time import perf_counter
from typing import ClassVar

import numpy as np

import hcbench
from hcbench.run.inputs import make_answers
from hcbench.run.job import Call

SHAPES = ("random", "balanced", "caterpillar", "yule")
NAMES = {
    "exact": "InsertionClustering[separator=exact]",
    "fast": "InsertionClustering[separator=fast]",
    "quick": "QuickClustering",
    "quick, binary search": "QuickClustering[merge=binary-search]",
}
SMALL = 2000
# Exact insertion takes time O(n height), so it stays at 10^4.
LARGE = (
    (10_000, ("exact", "fast", "quick", "quick, binary search")),
    (100_000, ("fast", "quick", "quick, binary search")),
    (1_000_000, ("fast", "quick, binary search")),
)


def _answers(n: int, shape: str) -> hcbench.Answers:
    registry = hcbench.load_registry()
    (dataset,) = registry.use_datasets(f"random-tree[n={n}, shape={shape}]")
    (oracle,) = registry.use_oracles("ordinal-queries")
    problem = dataset.spec.load()(1, **dataset.params)
    return make_answers(Call(oracle.spec.function, oracle.params), problem, 0, None)


def measure(name: str, answers: hcbench.Answers) -> tuple[float, int]:
    """Seconds, and questions."""
    oracle = hcbench.Oracle(answers)
    oracle.prepare()
    start = perf_counter()
    hcbench.fit(NAMES[name], oracle)
    return perf_counter() - start, oracle.ledger.queries or 0


class Ordinal:
    """2000 items, the truths of all shapes together."""

    params: ClassVar = list(NAMES)
    param_names: ClassVar = ["algorithm"]
    timeout = 300

    def setup(self, name: str) -> None:
        """Draw the trees, and compile."""
        measure(name, _answers(12, SHAPES[0]))
        self.answers = [_answers(SMALL, shape) for shape in SHAPES]

    def track_seconds(self, name: str) -> float:
        """Of the whole calls."""
        return sum(measure(name, answers)[0] for answers in self.answers)

    def track_questions(self, name: str) -> int:
        """The same for every run: a change is one of the algorithm."""
        return sum(measure(name, answers)[1] for answers in self.answers)

    track_seconds.unit = "s"  # type: ignore[attr-defined]
    track_questions.unit = "questions"  # type: ignore[attr-defined]


def main() -> None:
    """Print all sizes."""
    for name in NAMES:
        measure(name, _answers(12, "random"))
    for n, names in LARGE:
        for shape in SHAPES:
            answers = _answers(n, shape)
            for name in names:
                seconds, questions = measure(name, answers)
                part = questions / (n * np.log2(n))
                sys.stdout.write(
                    f"{n:>8} {shape:<12}{name:<22}{seconds:8.3f} s {questions:>10} questions, "
                    f"{part:.3f} n log2 n\n"
                )
                sys.stdout.flush()


if __name__ == "__main__":
    main()
