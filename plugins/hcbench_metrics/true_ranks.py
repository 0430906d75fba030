"""Ranks of classes around each other in a truth, other than by the order of its merges.

A class is the leaves of one parent. Tables have a row for each of the K classes, by increasing id
of that parent: the ranks of all classes around the leaves of this one, dense, from 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import HeightKind, NotApplicableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Partition, Problem, Tree

    Ints = NDArray[np.int64]

#: Largest number of classes; their table takes 32 MB.
MOST_CLASSES = 2048


def transposed(truth: Tree, shift: Ints) -> Ints:
    """Ranks (K, K) by the position on the path from class b at which class a joins.

    Parameters
    ----------
    truth : Tree
    shift : (n,) int array
        Added to the positions on the path from an item; the same for all leaves of one parent.
    """
    nodes, first = np.unique(truth.parent[: truth.n], return_index=True)
    merged_at = truth.depths[truth.lca(nodes[:, None], nodes)]
    return _dense(truth.depths[nodes] + shift[first] - merged_at)


def unequal(truth: Tree, how: int | str, most_classes: int = MOST_CLASSES) -> Ints:
    """Ranks (K, K) without ties; each class is the first of its own row.

    Parameters
    ----------
    truth : Tree
    how : int or "rounding"
        A seed, to put classes that merge with this one at the same node in random order; or use
        `rounded`.
    most_classes : int
        The largest number of classes.

    Raises
    ------
    NotApplicableError
        If there are more classes or, for rounding, the heights are not affinities.
    """
    # Classes are the nodes that have leaves as children.
    nodes = np.unique(truth.parent[: truth.n])
    if nodes.size > most_classes:
        raise NotApplicableError(
            f"break_ties needs a truth of at most {most_classes} classes; this one has {nodes.size}"
        )
    ancestors = truth.lca(nodes[:, None], nodes)
    if isinstance(how, str):
        far = -rounded(_affinities(truth)[ancestors])
    else:
        far = np.random.default_rng(how).random(ancestors.shape) - truth.depths[ancestors]
    # The class itself comes first, whatever the rounding.
    np.fill_diagonal(far, -np.inf)
    return _dense(far)


def by_names(problem: Problem, classes: Partition) -> Ints:
    """Ranks (K, K) of the finest classes by the number of names that both have, at any levels.

    Raises
    ------
    NotApplicableError
        If the labels have no names.
    """
    if problem.levels is None or problem.classes is None:
        raise NotApplicableError("by_names needs label levels with names")
    _, first_item = np.unique(classes.labels, return_index=True)
    levels = problem.levels[first_item]
    # The names of the classes at each level, one level after another.
    columns = []
    for names_of_level, codes_of_level in zip(problem.classes, levels.T, strict=True):
        columns.append(np.array(names_of_level)[codes_of_level])
    names, codes = np.unique(np.concatenate(columns), return_inverse=True)
    has_name = np.zeros((len(levels), names.size), dtype=np.int64)
    has_name[np.tile(np.arange(len(levels)), len(columns)), codes] = 1
    return _dense(-(has_name @ has_name.T))


def rounded(affinity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Affinities (K, K) with ties broken by rounding: the Gram matrix of their embedding.

    With the singular value decomposition ``U S V'`` of the affinities, the embedding is
    ``U sqrt(S)``, as in the code of Gray et al. 2023 for simulated data. O(K^3).
    """
    # As in numpy: the singular values s fall, and u has the vectors in its columns.
    u, s, _ = np.linalg.svd(affinity)
    points = u * np.sqrt(s)
    gram: NDArray[np.float64] = points @ points.T
    return gram


def _affinities(truth: Tree) -> NDArray[np.float64]:
    if truth.height is None or truth.kind is not HeightKind.AFFINITY:
        raise NotApplicableError(
            "break_ties=rounding needs a truth whose heights are affinities; give a seed"
        )
    return truth.height


def _dense(far: NDArray[np.floating | np.integer]) -> Ints:
    """Ranks from 0 of each row, the smallest value first; equal values have equal ranks."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(far, method="dense", axis=1), dtype=np.int64) - 1
