"""NoisyInsertion: time and number of queries of its strategies, by answers with random errors."""

from __future__ import annotations

import hcbench
from benchmarks.inputs import benchmark, seconds
from hcbench import DataRequest, OracleRequest
from hcbench.run import make_oracle
from hcbench_oracles.ordinal import ordinal_queries
from hcbench_ordinal.shapes import random_tree

SEED = 2018
P = 0.8
LARGE, SMALL = 10_000, 64


def _run(params: str, n: int, shape: str = "random") -> tuple[float, int]:
    """Time and queries with answers that are correct with probability P."""
    problem = random_tree(DataRequest(seed=SEED), n=n, shape=shape, degree=2)
    answers = ordinal_queries(OracleRequest(problem=problem, seed=SEED), noise=1 - P)
    oracle = make_oracle(answers, None)
    trees = []
    taken = seconds(lambda: trees.append(hcbench.fit(f"NoisyInsertion[p={P}{params}]", oracle)))
    assert trees[0].isomorphic(problem.truth)
    return taken, oracle.ledger.queries or 0


class Noisy:
    """Time and number of queries."""

    timeout = 300

    def setup(self) -> None:
        """Compile."""
        for strategy in ("bayes", "repeat", "paper"):
            _run(f",strategy={strategy}", 12)

    @benchmark("bayes: time", "s")
    def track_bayes(self) -> float:
        """Time for a random tree of 10,000 items."""
        return _run("", LARGE)[0]

    @benchmark("bayes, caterpillar: time", "s")
    def track_bayes_of_a_caterpillar(self) -> float:
        """Time for a caterpillar, the deepest tree, of 2000 items."""
        return _run("", LARGE // 5, "caterpillar")[0]

    @benchmark("paper: time", "s")
    def track_paper(self) -> float:
        """Time for 64 items with the paper's strategy, some 10^5 queries."""
        return _run(",strategy=paper", SMALL)[0]

    @benchmark("bayes: queries", "queries")
    def track_queries_of_bayes(self) -> int:
        """Queries for 64 items."""
        return _run("", SMALL)[1]

    @benchmark("bayes with random errors: queries", "queries")
    def track_queries_of_bayes_assuming_random_errors(self) -> int:
        """Queries for 64 items if the algorithm knows that errors are random."""
        return _run(",wrong=random", SMALL)[1]

    @benchmark("repeat: queries", "queries")
    def track_queries_of_repeat(self) -> int:
        """Queries for 64 items by majority votes."""
        return _run(",strategy=repeat", SMALL)[1]

    @benchmark("repeat until a lead: queries", "queries")
    def track_queries_of_repeat_until_a_lead(self) -> int:
        """Queries for 64 items by majority votes that stop at a sufficient lead."""
        return _run(",strategy=repeat,stop=lead", SMALL)[1]

    @benchmark("paper: queries", "queries")
    def track_queries_of_paper(self) -> int:
        """Queries for 64 items with the paper's strategy."""
        return _run(",strategy=paper", SMALL)[1]
