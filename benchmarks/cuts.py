"""Cuts of trees: processor time, queries, and processor time per round of NR.

``python -m benchmarks.cuts`` prints everything, for more numbers of items.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from time import process_time
from typing import ClassVar

import numpy as np

import hcbench
from benchmarks.inputs import benchmark
from hcbench import OracleRequest
from hcbench.run import make_oracle
from hcbench_oracles.pairs import pair_queries

SEED = 2019
MILLION, CLASSES, CLUSTERS, LABELS = 1 << 20, 10, 1000, 10**6
NR, COUNTED_NAMES, SHAPES = "NR[rounds=100000]", ("OTS", "WDP"), ("balanced", "caterpillar")
DEEP = (
    6000  # pairs separate 2000 edges below the root, as in the deepest tree of the paper's table 1
)

Case = tuple[str, str, int]
Cache = dict[str, dict[str, float]]


def _tree(shape: str, n: int) -> hcbench.Tree:
    """A caterpillar, or a tree whose leaves (a power of two) all have the same depth."""
    nodes = np.arange(2 * n - 2)
    if shape == "balanced":
        return hcbench.Tree(np.append(n + nodes // 2, -1))
    leaves = n + np.maximum(np.arange(n) - 1, 0)
    return hcbench.Tree(np.concatenate((leaves, np.arange(n + 1, 2 * n - 1), [-1])))


@lru_cache(maxsize=2)
def _known(shape: str, n: int, *, realisable: bool) -> tuple[hcbench.Items, hcbench.Answers]:
    """A tree with the clusters of a cut, or with unrelated classes, and the answers about them."""
    tree = _tree(shape, n)
    tree.lca(0, n - 1)  # makes the tree's table once for all algorithms
    labels = np.random.default_rng(SEED).integers(CLASSES, size=n)
    truth = tree.cut(min(CLUSTERS, n)) if realisable else hcbench.Partition(labels)
    problem = hcbench.Problem(n=n, tree=tree, levels=truth.labels[:, None])
    items = hcbench.Items(n=n, tree=tree, hints={"clusters": truth})
    return items, pair_queries(OracleRequest(problem=problem, seed=SEED))


def _fit(name: str, shape: str, n: int) -> tuple[float, hcbench.oracle.Ledger]:
    """Processor time of the algorithm, answers included, and its ledger."""
    items, answers = _known(shape, n, realisable=name in COUNTED_NAMES)
    (use,) = hcbench.load_registry().use_algorithms(name)
    oracle = make_oracle(answers, LABELS)
    function, rng = use.spec.load(), np.random.default_rng(SEED)
    start = process_time()
    result = function(oracle, items, rng, **use.params)
    seconds = process_time() - start
    assert name not in COUNTED_NAMES or result == items.hints["clusters"]
    return seconds, oracle.ledger


def _log_cuts(shape: str, n: int) -> dict[str, float]:
    tree = _tree(shape, n)
    start = process_time()
    hcbench.score("log-cuts", tree, hcbench.Problem(n=n, tree=tree))
    return {"seconds": process_time() - start}


def _measured(name: str, shape: str, n: int) -> dict[str, float]:
    """Processor time of a case and, of an algorithm, its number of queries."""
    if name == "log-cuts":
        return _log_cuts(shape, n)
    seconds, ledger = _fit(name, shape, n)
    if name == NR:
        return {"microseconds per round": 1e6 * seconds / (ledger.draws or 1)}
    return {"seconds": seconds, "queries": float(ledger.queries or 0)}


COUNTED: list[Case] = [(name, shape, MILLION) for shape in SHAPES for name in COUNTED_NAMES]
TIMED: list[Case] = [
    ("log-cuts", "balanced", MILLION),
    ("log-cuts", "caterpillar", MILLION),
    *COUNTED,
    ("ERM", "balanced", 1 << 15),
    ("BEST", "balanced", 1 << 15),
    ("ERM", "balanced", MILLION),
    ("BEST", "balanced", MILLION),
    ("BEST", "caterpillar", MILLION),
]
ROUNDS: list[Case] = [
    (NR, "caterpillar", DEEP),
    (NR, "caterpillar", DEEP // 2),
    (NR, "balanced", 1 << 13),
]
MORE: list[Case] = [
    (name, shape, n)
    for n in (1 << 10, 1 << 14, 1 << 17)
    for shape in SHAPES
    for name in (*COUNTED_NAMES, "ERM", "BEST")
]


def _label(case: Case) -> str:
    name, shape, n = case
    return f"{name}, {shape}, {n}"


def _all(cases: list[Case]) -> Iterator[tuple[Case, dict[str, float]]]:
    """Measure the cases, after a small call of each algorithm that compiles."""
    for name in dict.fromkeys(name for name, _, _ in cases):
        _measured(name, "balanced", 16)
    for case in cases:
        yield case, _measured(*case)


class Measured:
    """Every case is measured once; the ``track_*`` methods read the results."""

    param_names: ClassVar = ["case"]
    timeout = 300

    def setup_cache(self) -> Cache:
        """Measure all cases."""
        return {_label(case): values for case, values in _all([*TIMED, *ROUNDS])}


class Seconds(Measured):
    """Time to find the true cut, or the best one."""

    params: ClassVar = [[_label(case) for case in TIMED]]

    @benchmark("Cuts: time", "s")
    def track_seconds(self, cache: Cache, case: str) -> float:
        """Processor time of the algorithm, answers included, or of the metric."""
        return cache[case]["seconds"]


class Queries(Measured):
    """Queries until the cut is known."""

    params: ClassVar = [[_label(case) for case in COUNTED]]

    @benchmark("Cuts: queries", "queries")
    def track_queries(self, cache: Cache, case: str) -> float:
        """Queries to find the cut into 1000 clusters that always splits the largest one."""
        return cache[case]["queries"]


class Rounds(Measured):
    """Time per round of NR."""

    params: ClassVar = [[_label(case) for case in ROUNDS]]

    @benchmark("NR: time per round", "us")
    def track_microseconds(self, cache: Cache, case: str) -> float:
        """Processor time per round, proportional to the depth of a pair's common ancestor."""
        return cache[case]["microseconds per round"]


def main() -> None:
    """Print every case, for more numbers of items."""
    for case, values in _all([*TIMED, *MORE, *ROUNDS]):
        shown = ", ".join(f"{value:.4g} {quantity}" for quantity, value in values.items())
        sys.stdout.write(f"{_label(case)}: {shown}\n")


if __name__ == "__main__":
    main()
