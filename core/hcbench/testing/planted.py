"""The items that checks are run on.

Planted items have a hierarchy on which all that is known of them agrees: vectors of length 1 whose
dot products fall with every merge of the true tree, no two of them equal; classes that are cuts of
it. So an oracle has one right answer whatever it looks at, and nothing is tied. The other forms are
those that break what was written with planted items in mind.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.model.comparisons import AllComparisons
from hcbench.model.problem import Problem
from hcbench.model.trees import HeightKind, Tree
from hcbench.registry.specs import Needs, unmet
from hcbench.run.requests import DataRequest
from hcbench.testing.subjects import skip

if TYPE_CHECKING:
    from scipy import sparse

Form: TypeAlias = Literal[
    "planted", "everything", "duplicates", "ties", "constant", "unconnected", "no edges"
]

FORMS_WITH_ALL: tuple[Form, ...] = ("planted", "everything")
"""Forms of which one provides whatever there is; the second takes longer to make."""

N = 12
"""Number of planted items."""

#: Of the data of a data set that is checked.
DATA_SEED = 1
_HIGHEST = 0.8  # affinity of the first merge
_LOWEST = 0.1  # affinity of the last merge


def planted_items(request: DataRequest, *, form: Form = "planted") -> Problem:
    """A data set of such items; see `make_items`."""
    return make_items(request.seed, form=form)


@lru_cache(maxsize=64)
def make_items(seed: int, n: int = N, form: Form = "planted") -> Problem:
    """Items with vectors, two levels of classes, a truth with heights, and a tree to be cut.

    Parameters
    ----------
    seed : int
    n : int
    form : {"planted", "everything", "duplicates", "ties", "constant", "unconnected", "no edges"}
        "everything" has similarities, comparisons and a connected graph besides; of "duplicates"
        there are two of each (or three of one); "ties" have whole numbers from 1 to 3 for vectors;
        "constant" items are all alike, and of one class. The last two are nothing but graphs: an
        item without edges beside two complete graphs with equal weights, and no edges at all.
    """
    planted = _planted(seed, n)
    if form == "planted":
        return planted
    if form == "everything":
        similarity = _frozen(gram(planted))
        answers = AllComparisons.from_similarity(similarity).materialise()
        return replace(
            planted,
            similarity=similarity,
            comparisons=answers,
            held_out=answers,
            graph=_graph(similarity),
        )
    if form in ("unconnected", "no edges"):
        # The number of the part of each item; the last one is alone.
        part = np.arange(n)
        if form == "unconnected":
            part = np.minimum(part % 3, 1)
        part[-1] = n
        return Problem(n=n, names=planted.names, graph=_of_edges(part[:, None] == part))
    assert isinstance(planted.vectors, np.ndarray)
    assert planted.levels is not None
    if form == "duplicates":
        # Two of each item; of an odd number of items, three of the first.
        original = np.arange(n) // 2
        if n % 2 == 1:
            original = np.maximum(np.arange(n) - 1, 0) // 2
        return _without_heights(planted, planted.vectors[original], planted.levels[original])
    if form == "ties":
        grid = np.random.default_rng(seed).integers(1, 4, size=(n, 2)).astype(np.float64)
        return _without_heights(planted, grid, (grid[:, :1] > 1).astype(np.int64))
    return _without_heights(planted, np.ones((n, 3)), np.zeros((n, 1), np.int64))


def _graph(similarity: NDArray[np.float64]) -> sparse.csr_array:
    """The edges of the largest similarities that connect all items."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    distance = 1.0 - similarity
    np.fill_diagonal(distance, 0.0)
    # All edges up to the longest one of a minimum spanning tree: fewer would leave several parts.
    longest = minimum_spanning_tree(distance).data.max(initial=0.0)
    return _of_edges(np.where(distance <= longest, similarity, 0.0))


def _of_edges(weights: NDArray[Any]) -> sparse.csr_array:
    """A graph of weights (n, n), of which the diagonal is not used."""
    from scipy import sparse

    weights = weights.astype(np.float64)
    np.fill_diagonal(weights, 0.0)
    return sparse.csr_array(weights)


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
    copies: dict[str, Any] = {}
    for name in ("vectors", "similarity", "graph", "levels"):
        values = getattr(problem, name)
        if values is not None:
            copies[name] = values.copy()
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
    # Two classes, each of which is divided again.
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
    # Products differ from the height of their merge by a third of a step between two merges, so
    # that no two are equal, and those of different merges stay in order.
    step = (_HIGHEST - _LOWEST) / max(n - 2, 1)
    products = np.eye(n)
    products[i, j] = truth.merge_height(i, j) + rng.uniform(-step / 3, step / 3, i.size)
    products[j, i] = products[i, j]
    rotation, _ = np.linalg.qr(rng.normal(size=(n, n)))
    return _frozen(np.linalg.cholesky(products) @ rotation)
