"""Random is uniform over labelled rooted binary trees; Truth is the truth."""

from __future__ import annotations

from collections import Counter
from math import prod

import numpy as np
import pytest
from scipy.stats import chisquare

import hcbench_reference
from hcbench import Answers, HeightKind, Items, Oracle, Problem, Tree
from hcbench.run.inputs import give

SPECS = {spec.name: spec for spec in hcbench_reference.hcbench_algorithms()}


def some_oracle(n: int) -> Oracle:
    return Oracle(Answers(kind="vectors", n=n, data=np.zeros((n, 1)), size=n))


def draw(n: int, seed: int | np.random.Generator = 0, **known: object) -> Tree:
    rng = np.random.default_rng(seed)
    tree: Tree = SPECS["Random"].load()(some_oracle(n), Items(n=n, **known), rng)
    return tree


def shape(tree: Tree) -> frozenset[frozenset[int]]:
    """The sets of leaves of all inner nodes, which determine a labelled tree."""
    return frozenset(frozenset(tree.leaves(v).tolist()) for v in range(tree.n, tree.n_nodes))


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_random_is_uniform_over_all_trees(n):
    n_trees = prod(range(2 * n - 3, 0, -2))  # (2n-3)!!: 1, 3, 15, 105
    rng = np.random.default_rng(n)
    counts = Counter(shape(draw(n, rng)) for _ in range(40 * n_trees))
    assert len(counts) == n_trees
    assert chisquare(list(counts.values())).pvalue > 1e-3 or n_trees == 1


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_random_is_a_binary_tree_without_heights(n):
    names = tuple(f"item {i}" for i in range(n))
    tree = draw(n, names=names)
    assert tree.n == n
    assert tree.is_binary
    assert tree.kind is HeightKind.NONE
    assert tree.names == names


def test_random_depends_on_the_seed_alone():
    assert draw(50, 1) == draw(50, 1)
    assert draw(50, 1) != draw(50, 2)


def test_truth_returns_the_first_truth():
    first, second = Tree.from_newick("((a,b),c);"), Tree.from_newick("(a,(b,c));")
    problem = Problem(n=3, names=("a", "b", "c"), truths={"x": first, "y": second})
    spec = SPECS["Truth"]
    result = spec.load()(some_oracle(3), give(problem, spec.hints_of({})), np.random.default_rng(0))
    assert result == first


@pytest.mark.parametrize("name", SPECS)
def test_they_make_no_queries(name):
    problem = Problem(n=3, vectors=np.eye(3), levels=np.array([[0], [0], [1]]))
    oracle, spec = some_oracle(3), SPECS[name]
    spec.load()(oracle, give(problem, spec.hints_of({})), np.random.default_rng(0))
    assert oracle.ledger.queries == 0


def test_only_the_truth_is_given_a_hint():
    assert SPECS["Random"].hints_of({}) == ()
    assert SPECS["Truth"].hints_of({}) == ("truth",)
