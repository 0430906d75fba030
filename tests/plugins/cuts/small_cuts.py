"""All small trees, their cuts by definition, and oracles of cuts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
from numba import njit

from hcbench import Answers, Oracle, Partition, Tree, ask_oracle
from hcbench.model import Cut
from hcbench.run.inputs import Items
from hcbench_cuts.search import Search
from hcbench_cuts.searches_specs import SEARCHES
from tests.plugins.tree_cuts import ancestors

SPECS = {spec.name: spec for spec in SEARCHES}
LEAF = ()


@cache
def shapes(n: int, most_children: int = 99) -> list[Any]:
    """All ordered trees of n leaves, as nested tuples of children."""
    if n == 1:
        return [LEAF]
    found = []
    for k in range(2, min(n, most_children) + 1):
        for bars in combinations(range(1, n), k - 1):
            parts = [b - a for a, b in pairwise((0, *bars, n))]
            found += list(product(*(shapes(part, most_children) for part in parts)))
    return found


def tree_of_shape(shape: Any) -> Tree:
    parent: dict[int, int] = {}
    n, leaves, inner = _leaves(shape), iter(range(10**6)), iter(range(_leaves(shape), 10**6))

    def visit(node: Any) -> int:
        if node == LEAF:
            return next(leaves)
        children = [visit(child) for child in node]
        number = next(inner)
        parent.update(dict.fromkeys(children, number))
        return number

    root = visit(shape)
    return Tree([parent.get(v, -1) for v in range(root + 1)]) if n > 1 else Tree([-1])


def _leaves(shape: Any) -> int:
    return 1 if shape == LEAF else sum(map(_leaves, shape))


def small_trees(most_leaves: int, most_children: int = 99) -> Iterator[Tree]:
    for n in range(1, most_leaves + 1):
        for shape in shapes(n, most_children):
            yield tree_of_shape(shape)


def labels_of(tree: Tree, cut: tuple[int, ...]) -> np.ndarray:
    return Cut(tree, cut).partition.labels


def above(tree: Tree, cut: tuple[int, ...]) -> set[int]:
    return {u for v in cut for u in ancestors(tree, v)[1:]}


def k_tilde(tree: Tree, cut: tuple[int, ...], leaves: Iterable[int] = ()) -> int:
    """Leaves of the tree of the nodes above the cut and just below it, without the leaves of T."""
    nodes = (above(tree, cut) | set(cut)) - set(range(tree.n)) - set(leaves)
    return sum(not nodes & set(tree.children(v).tolist()) for v in nodes)


def probability(tree: Tree, cut: tuple[int, ...], p: dict[int, float]) -> float:
    """Eq. (1) of Gentile et al. 2019."""
    over = math.prod(1 - p[v] for v in above(tree, cut))
    return over * math.prod(p[v] for v in cut if v >= tree.n)


@njit(cache=True)
def _answer(floats, ints, i, j, k, l, key, time):  # noqa: E741
    return np.int64(ints[i] == ints[j])


def compiled_oracle(labels: np.ndarray, budget: int | None = None, checkpoints=()) -> Oracle:
    answers = Answers(
        kind="pair-queries", n=len(labels), arity=2, compiled=_answer, ints=labels, timed=False
    )
    return Oracle(answers, budget, checkpoints)


def cut_by(name: str, tree: Tree, oracle: Oracle, seed: int = 0, **params: Any) -> Partition:
    spec = SPECS[name]
    items = Items(n=tree.n, tree=tree)
    function, known = spec.load(), spec.resolve(params)
    result: Partition = function(oracle, items, np.random.default_rng(seed), **known)
    return result


def questions_of(name: str, tree: Tree, labels: np.ndarray, **params: Any) -> list[int]:
    """The node of each query, recorded by a Python function."""
    pairs: list[tuple[int, int]] = []

    def same(i: int, j: int) -> bool:
        pairs.append((i, j))
        return bool(labels[i] == labels[j])

    budget = params.pop("budget", None)
    oracle = ask_oracle("pair-queries", same, n=tree.n, budget=budget)
    cut_by(name, tree, oracle, **params)
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T
    return tree.lca(i, j).tolist() if len(pairs) else []


def spied_paths(monkeypatch: Any) -> list[Search]:
    """Record the searches that run from now on."""
    seen: list[Search] = []
    run = Search.run

    def spy(self: Search, *args: Any) -> Partition:
        seen.append(self)
        return run(self, *args)

    monkeypatch.setattr(Search, "run", spy)
    return seen
