"""Run an algorithm of `hcbench_vectors` as a cell does."""

from __future__ import annotations

import numpy as np
from scipy import sparse

import hcbench_vectors
from hcbench import Answers, Oracle, Problem, Tree
from hcbench.run.inputs import give

SPECS = {spec.name: spec for spec in hcbench_vectors.hcbench_algorithms()}


def fit(name: str, problem: Problem, **params: object) -> Tree:
    """Run an algorithm as a cell does: on read-only arrays, with all parameters."""
    if problem.vectors is not None:
        answers = Answers(kind="vectors", n=problem.n, data=problem.vectors)
    else:
        answers = Answers(kind="similarities", n=problem.n, data=problem.similarity)
    spec = SPECS[name]
    assert answers.kind in spec.accepts
    known = give(problem, spec.hints_of(params))  # type: ignore[arg-type]
    oracle = Oracle(answers)
    tree: Tree = spec.load()(oracle, known, np.random.default_rng(0), **spec.resolve(params))  # type: ignore[arg-type]
    assert tree.n == problem.n
    assert tree.names == problem.names
    return tree


def vectors(X: object, **kw: object) -> Problem:
    array = X if sparse.issparse(X) else np.array(X)
    return Problem(n=array.shape[0], vectors=array, **kw)


def similarities(S: object, **kw: object) -> Problem:
    array = np.array(S)
    return Problem(n=len(array), similarity=array, **kw)


def random_similarity(n: int, seed: int) -> np.ndarray:
    S = np.random.default_rng(seed).normal(size=(n, n))
    return S + S.T


def cophenetic(tree: Tree) -> np.ndarray:
    i, j = np.triu_indices(tree.n, 1)
    return tree.merge_height(i, j)


def nodes_of(tree: Tree) -> dict[frozenset[int], float]:
    return {
        frozenset(tree.leaves(v).tolist()): float(tree.height[v])
        for v in range(tree.n, tree.n_nodes)
    }
