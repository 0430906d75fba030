"""The items that checks are run on.

Planted items have a hierarchy on which all that is known of them agrees: vectors of length 1 whose
dot products fall with every merge of the true tree, no two of them equal; classes that are cuts of
it. So an oracle has one right answer whatever it looks at, and nothing is tied. The other forms are
those that break what was written with planted items in mind.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.authoring.testing.findings import skip
from hcbench.model.comparisons import Comparisons
from hcbench.model.problem import Problem
from hcbench.model.trees import HeightKind, Tree
from hcbench.registry.specs import Needs, unmet

Form: TypeAlias = Literal["planted", "everything", "duplicates", "ties", "constant"]

FORMS_WITH_ALL: tuple[Form, ...] = ("planted", "everything")
"""Forms of which one provides whatever there is; the second takes longer to make."""

N = 12
DATA_SEED = 1
_HIGHEST, _LOWEST = 0.8, 0.1  # affinities of the first and the last merge


@lru_cache(maxsize=64)
def make_items(seed: int, n: int = N, form: Form = "planted") -> Problem:
    """Items with vectors, two levels of classes, a truth with heights, and a tree to be cut.

    Parameters
    ----------
    seed : int
    n : int
    form : {"planted", "everything", "duplicates", "ties", "constant"}
        "everything" has similarities and comparisons besides; of "duplicates" there are two of
        each (or three of one); "ties" have whole numbers from 1 to 3 for vectors; "constant" items
        are all alike, and of one class.
    """
    planted = _planted(seed, n)
    if form == "planted":
        return planted
    if form == "everything":
        similarity = _frozen(gram(planted))
        return replace(planted, similarity=similarity, comparisons=_compare(similarity))
    assert isinstance(planted.vectors, np.ndarray)
    assert planted.levels is not None
    if form == "duplicates":
        original = np.arange(n) // 2 if n % 2 == 0 else np.maximum(np.arange(n) - 1, 0) // 2
        return _without_heights(planted, planted.vectors[original], planted.levels[original])
    if form == "ties":
        grid = np.random.default_rng(seed).integers(1, 4, size=(n, 2)).astype(np.float64)
        return _without_heights(planted, grid, (grid[:, :1] > 1).astype(np.int64))
    return _without_heights(planted, np.ones((n, 3)), np.zeros((n, 1), np.int64))


def _without_heights(planted: Problem, vectors: NDArray[Any], levels: NDArray[np.int64]) -> Problem:
    """The same number of items, of which the classes alone are the truth."""
    return Problem(
        n=planted.n,
        names=planted.names,
        vectors=_frozen(vectors),
        levels=_frozen(levels),
        tree=planted.tree,
    )


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Read-only for good: a view of it, as a problem has, cannot be made writeable."""
    array.setflags(write=False)
    return array


def items_with(needs: Needs, n: int = N) -> Problem:
    """Planted items that have what is needed; where there are none, the check does not apply."""
    for form in FORMS_WITH_ALL:
        problem = make_items(DATA_SEED, n, form)
        if unmet(needs, problem.provides) is None:
            return problem
    return skip(f"it needs {unmet(needs, problem.provides)}, which planted items do not have")


def own_arrays(problem: Problem) -> Problem:
    """The same items in other arrays, which can be written to."""
    names = ("vectors", "similarity", "levels")
    copies: dict[str, Any] = {
        name: values.copy() for name in names if (values := getattr(problem, name)) is not None
    }
    return replace(problem, **copies)


def gram(problem: Problem) -> NDArray[np.float64]:
    """Dot products of the vectors, just symmetric."""
    vectors = np.asarray(problem.vectors, dtype=np.float64)
    products: NDArray[np.float64] = vectors @ vectors.T
    return (products + products.T) / 2


def random_tree(n: int, seed: int) -> Tree:
    """A binary tree, nodes being merged at random, with heights that are the order of merging."""
    parent = _merge_at_random(n, np.random.default_rng(seed))
    height = np.concatenate([np.zeros(n), np.arange(1.0, n)])
    return Tree.from_parents(parent, height, HeightKind.ORDER)


def _planted(seed: int, n: int) -> Problem:
    rng = np.random.default_rng([seed, n])
    affinity = np.linspace(_HIGHEST, _LOWEST, max(n - 1, 1))[: n - 1]
    names = tuple(f"item{i}" for i in range(n))
    heights = np.concatenate([np.ones(n), affinity])
    truth = Tree(_merge_at_random(n, rng), heights, HeightKind.AFFINITY, names)
    levels = np.column_stack([truth.cut(min(k, n)).labels for k in (2, 4)])
    tree = Tree(truth.parent, 1.0 - heights, HeightKind.DISTANCE, names)
    return Problem(
        n=n,
        names=names,
        vectors=_vectors_of(truth, rng),
        levels=_frozen(levels),
        truths={"planted": truth},
        tree=tree,
    )


def _merge_at_random(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Parents (2n-1,) of a binary tree in which any two clusters are merged next."""
    parent = np.full(2 * n - 1, -1, np.int64)
    tops = list(range(n))
    for node in range(n, 2 * n - 1):
        for _ in range(2):
            parent[tops.pop(rng.integers(len(tops)))] = node
        tops.append(node)
    return parent


def _vectors_of(truth: Tree, rng: np.random.Generator) -> NDArray[np.float64]:
    """Vectors (n, n) whose dot products are the merge heights but for less than half a step.

    By Cholesky's decomposition; the rotation makes no coordinate a special one.
    """
    n = truth.n
    i, j = np.triu_indices(n, 1)
    step = (_HIGHEST - _LOWEST) / max(n - 2, 1)
    wanted = np.eye(n)
    wanted[i, j] = truth.merge_height(i, j) + rng.uniform(-step / 3, step / 3, i.size)
    wanted[j, i] = wanted[i, j]
    rotation, _ = np.linalg.qr(rng.normal(size=(n, n)))
    return _frozen(np.linalg.cholesky(wanted) @ rotation)


def _compare(similarity: NDArray[np.float64]) -> Comparisons:
    """Each pair of items with the next more similar one, and every tenth with all others."""
    n = len(similarity)
    pairs = similarity[np.triu_indices(n, 1)]
    order = np.argsort(pairs)
    farther, closer = [order[:-1]], [order[1:]]
    for position in range(0, order.size, 10):
        farther.append(np.full(order.size - position - 1, order[position]))
        closer.append(order[position + 1 :])
    return Comparisons.from_pairs(n, np.concatenate(closer), np.concatenate(farther))
