"""Trees as sets of clusters, and noisy oracles, for the tests of noisy insertion."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hcbench import Answers, Items, Oracle, Tree, ask_oracle
from hcbench.compiled import uniform
from hcbench_ordinal.noisy import noisy_insertion

Cluster = frozenset


def random_truth(n: int, seed: int) -> Tree:
    """Repeatedly join two random clusters."""
    rng = np.random.default_rng(seed)
    parent, roots = np.full(2 * n - 1, -1), list(range(n))
    for new in range(n, 2 * n - 1):
        for _ in range(2):
            parent[roots.pop(rng.integers(len(roots)))] = new
        roots.append(new)
    return Tree(parent)


def caterpillar(n: int) -> Tree:
    return Tree([n, *range(n, 2 * n - 1), *range(n + 1, 2 * n - 1), -1])


def clusters(tree: Tree) -> set[Cluster]:
    return {Cluster(tree.leaves(v).tolist()) for v in range(tree.n_nodes)}


@njit(cache=True)
def odd_one(parent: Any, i: Any, j: Any, k: Any) -> Any:
    """The position of the odd one out in a binary tree, by the heights of merges."""
    met = np.zeros(3, np.int64)
    for pair in range(3):
        a = i if pair > 0 else j
        b = k if pair < 2 else j
        while a != b:
            if a < b:
                a = parent[a]
            else:
                b = parent[b]
        met[pair] = a
    return np.argmin(met)


@njit(cache=True)
def _answer(floats: Any, ints: Any, i: Any, j: Any, k: Any, l: Any, key: Any, time: Any) -> Any:  # noqa: E741
    """Correct with probability p; else the decoy's answer, or a random one if that is correct."""
    m = (ints.size - 1) // 2
    right, decoy = odd_one(ints[1 : m + 1], i, j, k), odd_one(ints[m + 1 :], i, j, k)
    if uniform(ints[0], key, time) < floats[0]:
        return right
    if decoy != right:
        return decoy
    return (right + 1 + (uniform(ints[0] + 1, key, time) < 0.5)) % 3


def noisy_oracle(
    truth: Tree, p: float, seed: int, decoy: Tree | None = None, budget: int | None = None
) -> Oracle:
    """Wrong answers are random, or those of a decoy: an adversary with another tree."""
    ints = np.concatenate(([seed], truth.parent, (decoy or truth).parent))
    return Oracle(
        Answers(
            kind="ordinal-queries",
            n=truth.n,
            arity=3,
            compiled=_answer,
            floats=np.array([p]),
            ints=ints,
        ),
        budget,
    )


def same_in_python(truth: Tree, p: float, seed: int) -> Oracle:
    """The answers of `noisy_oracle` in plain Python."""
    ints = np.concatenate(([seed], truth.parent, truth.parent))

    def answer(rows: Any, keys: Any, times: Any) -> Any:
        asked = zip(rows, keys, times, strict=True)
        return np.array(
            [_answer(np.array([p]), ints, *(int(x) for x in q), 0, key, t) for q, key, t in asked],
            np.int8,
        )

    return Oracle(Answers(kind="ordinal-queries", n=truth.n, arity=3, answer=answer))


def scripted(n: int, seed: int, p: float, truth: Tree) -> tuple[Oracle, list[tuple[Any, ...]]]:
    """Answers correct with probability p, else any; also the list of queries and answers."""
    rng = np.random.default_rng(seed)
    asked: list[tuple[Any, ...]] = []

    def answer(i: int, j: int, k: int) -> int:
        code = int(odd_one(truth.parent, i, j, k)) if rng.random() < p else int(rng.integers(3))
        asked.append((i, j, k, code))
        return code

    return ask_oracle("ordinal-queries", answer, n=n), asked


def fit(oracle: Oracle, p: float, seed: int = 0, **params: Any) -> Tree:
    return noisy_insertion(oracle, Items(n=oracle.n), np.random.default_rng(seed), p=p, **params)


class Replay:
    """A tree as its clusters, and the record of a run, read query by query."""

    def __init__(self, asked: list[tuple[Any, ...]], first: list[int]) -> None:
        self.asked, self.at = asked, 0
        self.tree = {Cluster(first), *(Cluster([x]) for x in first)}

    def children(self, v: Cluster) -> list[Cluster]:
        below = [c for c in self.tree if c < v]
        return [c for c in below if not any(c < d for d in below)]

    def parent(self, v: Cluster) -> Cluster | None:
        return min((c for c in self.tree if c > v), key=len, default=None)

    def meet(self, *items: int) -> Cluster:
        return min((c for c in self.tree if c.issuperset(items)), key=len)

    def asks_for(self, x: int) -> bool:
        return self.at < len(self.asked) and self.asked[self.at][2] == x

    def next(self, x: int) -> tuple[Cluster, Cluster | None]:
        """The next query's pivot, and the child of the answer, None for neither."""
        i, j, k, code = self.asked[self.at]
        self.at += 1
        assert k == x
        pivot = self.meet(i, j)
        closer = {0: j, 1: i}.get(code)
        answer = next((c for c in self.children(pivot) if closer in c), None)
        assert (answer is None) == (code == 2)
        return pivot, answer

    def insert(self, x: int, sibling: Cluster) -> None:
        new = {c | {x} if c > sibling else c for c in self.tree}
        self.tree = new | {sibling | {x}, Cluster([x])}
