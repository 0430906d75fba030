"""Insertion by noisy answers: seconds, and questions of its strategies.

``python -m benchmarks.noisy`` prints all. Counts of questions are the same on all machines.
"""

from __future__ import annotations

import sys
from time import perf_counter

import hcbench
from hcbench_oracles.ordinal import ordinal_queries
from hcbench_ordinal.shapes import random_tree

SEED = 2018
P = 0.8
LARGE, SMALL = 10_000, 64


def _run(params: str, n: int, shape: str = "random") -> tuple[float, int]:
    """Seconds and questions with answers that are right with probability P."""
    problem = random_tree(SEED, n=n, shape=shape, degree=2)
    oracle = hcbench.Oracle(ordinal_queries(problem, SEED, None, noise=1 - P))
    oracle.prepare()
    start = perf_counter()
    tree = hcbench.fit(f"NoisyInsertion[p={P}{params}]", oracle)
    seconds = perf_counter() - start
    assert tree.isomorphic(problem.truth)
    return seconds, oracle.ledger.queries or 0


class Noisy:
    """Seconds and questions."""

    timeout = 300

    def setup(self) -> None:
        """Compile."""
        for strategy in ("bayes", "repeat", "paper"):
            _run(f",strategy={strategy}", 12)

    def track_bayes(self) -> float:
        """10 000 items of a random tree."""
        return _run("", LARGE)[0]

    def track_bayes_of_a_caterpillar(self) -> float:
        """2000 items of a tree as deep as can be."""
        return _run("", LARGE // 5, "caterpillar")[0]

    def track_paper(self) -> float:
        """64 items, some 10^5 questions."""
        return _run(",strategy=paper", SMALL)[0]

    def track_questions_of_bayes(self) -> int:
        """64 items."""
        return _run("", SMALL)[1]

    def track_questions_of_bayes_told_that_errors_are_random(self) -> int:
        """64 items."""
        return _run(",wrong=random", SMALL)[1]

    def track_questions_of_repeat(self) -> int:
        """64 items."""
        return _run(",strategy=repeat", SMALL)[1]

    def track_questions_of_repeat_that_stops_at_a_lead(self) -> int:
        """64 items."""
        return _run(",strategy=repeat,stop=lead", SMALL)[1]

    def track_questions_of_paper(self) -> int:
        """64 items."""
        return _run(",strategy=paper", SMALL)[1]


_TRACKED = [name for name in vars(Noisy) if name.startswith("track_")]
for _name in _TRACKED:
    vars(Noisy)[_name].unit = "questions" if "questions" in _name else "s"


if __name__ == "__main__":
    benchmark = Noisy()
    benchmark.setup()
    for name in _TRACKED:
        value, unit = getattr(benchmark, name)(), vars(Noisy)[name].unit
        sys.stdout.write(f"{name.removeprefix('track_')}: {value:.4g} {unit}\n")
