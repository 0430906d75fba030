"""Cuts of trees: seconds, questions, and microseconds of a round of NR, of processor time.

``python -m benchmarks.cuts`` prints all, for more numbers of items. Counts of questions are the
same on all machines.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from time import process_time
from typing import ClassVar

import numpy as np

import hcbench
from hcbench_oracles.pairs import pair_queries

SEED = 2019
MILLION, CLASSES, CLUSTERS, LABELS = 1 << 20, 10, 1000, 10**6
NR, COUNTED_NAMES, SHAPES = "NR[rounds=100000]", ("OTS", "WDP"), ("balanced", "caterpillar")
DEEP = 6000  # pairs part 2000 edges below the root, as in the deepest tree of the paper's table 1

Case = tuple[str, str, int]
Cache = dict[str, dict[str, float]]


def _tree(shape: str, n: int) -> hcbench.Tree:
    """A caterpillar, or a tree whose leaves, a power of two, are all at one depth."""
    nodes = np.arange(2 * n - 2)
    if shape == "balanced":
        return hcbench.Tree(np.append(n + nodes // 2, -1))
    leaves = n + np.maximum(np.arange(n) - 1, 0)
    return hcbench.Tree(np.concatenate((leaves, np.arange(n + 1, 2 * n - 1), [-1])))


@lru_cache(maxsize=2)
def _known(shape: str, n: int, *, realisable: bool) -> tuple[hcbench.Given, hcbench.Answers]:
    """A tree with the clusters of a cut, or classes that have nothing to do with it; answers."""
    tree = _tree(shape, n)
    tree.lca(0, n - 1)  # the tree's own table, made once for all algorithms
    labels = np.random.default_rng(SEED).integers(CLASSES, size=n)
    truth = tree.cut(min(CLUSTERS, n)) if realisable else hcbench.Partition(labels)
    problem = hcbench.Problem(n=n, tree=tree, levels=truth.labels[:, None])
    given = hcbench.Given(n=n, tree=tree, hints={"clusters": truth})
    return given, pair_queries(problem, SEED, None)


def _fit(name: str, shape: str, n: int) -> tuple[float, hcbench.Ledger]:
    """Seconds of the algorithm with its answers; what was asked."""
    given, answers = _known(shape, n, realisable=name in COUNTED_NAMES)
    (use,) = hcbench.load_registry().use_algorithms(name)
    oracle = hcbench.Oracle(answers, LABELS)
    oracle.prepare()
    function, rng = use.spec.load(), np.random.default_rng(SEED)
    start = process_time()
    result = function(oracle, given, rng, **use.params)
    seconds = process_time() - start
    assert name not in COUNTED_NAMES or result == given.hints["clusters"]
    return seconds, oracle.ledger


def _log_cuts(shape: str, n: int) -> dict[str, float]:
    tree = _tree(shape, n)
    start = process_time()
    hcbench.score("log-cuts", tree, hcbench.Problem(n=n, tree=tree))
    return {"seconds": process_time() - start}


def _measured(name: str, shape: str, n: int) -> dict[str, float]:
    """One case: seconds, and where something is asked, questions."""
    if name == "log-cuts":
        return _log_cuts(shape, n)
    seconds, ledger = _fit(name, shape, n)
    if name == NR:
        return {"microseconds of a round": 1e6 * seconds / (ledger.draws or 1)}
    return {"seconds": seconds, "questions": float(ledger.queries or 0)}


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
    """Measure them, each kind after a small one of its own that compiles."""
    for name in dict.fromkeys(name for name, _, _ in cases):
        _measured(name, "balanced", 16)
    for case in cases:
        yield case, _measured(*case)


class Measured:
    """Every case is measured once; the ``track_*`` methods read it."""

    param_names: ClassVar = ["case"]
    timeout = 300

    def setup_cache(self) -> Cache:
        """Measure."""
        return {_label(case): values for case, values in _all([*TIMED, *ROUNDS])}


class Seconds(Measured):
    """To the cut that is the true one, or the best."""

    params: ClassVar = [[_label(case) for case in TIMED]]

    def track_seconds(self, cache: Cache, case: str) -> float:
        """Of the algorithm with its answers, or of the metric."""
        return cache[case]["seconds"]

    track_seconds.unit = "s"  # type: ignore[attr-defined]


class Questions(Measured):
    """Until the cut is known."""

    params: ClassVar = [[_label(case) for case in COUNTED]]

    def track_questions(self, cache: Cache, case: str) -> float:
        """Of the cut into 1000 clusters that splits the largest again and again."""
        return cache[case]["questions"]

    track_questions.unit = "questions"  # type: ignore[attr-defined]


class Rounds(Measured):
    """NR's."""

    params: ClassVar = [[_label(case) for case in ROUNDS]]

    def track_microseconds(self, cache: Cache, case: str) -> float:
        """In proportion to the depth of a pair's lowest common ancestor."""
        return cache[case]["microseconds of a round"]

    track_microseconds.unit = "us"  # type: ignore[attr-defined]


def main() -> None:
    """Print every case, and more numbers of items."""
    for case, values in _all([*TIMED, *MORE, *ROUNDS]):
        told = ", ".join(f"{value:.4g} {quantity}" for quantity, value in values.items())
        sys.stdout.write(f"{_label(case)}: {told}\n")


if __name__ == "__main__":
    main()
