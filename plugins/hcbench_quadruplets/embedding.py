"""tSTE-AL and FORTE-AL: an ordinal embedding of the items, then average linkage of its points."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from hcbench import Comparisons, Items, Oracle, Tree
from hcbench_quadruplets.embedding_forte import Loss, descend_gram
from hcbench_quadruplets.embedding_starts import Points, best_embedding
from hcbench_quadruplets.embedding_triplets import in_canonical_order, triplets_of
from hcbench_quadruplets.embedding_tste import descend
from hcbench_quadruplets.linkage import tree_by_mean
from hcbench_quadruplets.pairs import warn_of_missing_items

Similarity = Literal["cosine", "distance"]


def tste_al(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    d: int = 2,
    alpha: float | None = None,
    restarts: int = 0,
    iterations: int = 1000,
    tolerance: float = 1e-7,
    similarity: Similarity = "cosine",
) -> Tree:
    """Embed the items by t-STE, and merge by the mean similarity of their points.

    A baseline of section 5.2 of Ghoshdastidar, Perrot & von Luxburg 2019; t-STE is `student_loss`
    (van der Maaten & Weinberger 2012), lowered by L-BFGS.

    Parameters
    ----------
    oracle : Oracle
        Of kind triplet-set or quadruplet-set; see `triplets_of`.
    d : int
        Dimension of the embedding.
    alpha : float, optional
        Degrees of freedom of the kernel; by default max(1, d - 1).
    restarts : int
        Random starts in addition to `first_start`; the embedding with the lowest loss is used.
    iterations : int
        Maximum number of iterations of L-BFGS for each start.
    tolerance : float
        Stop when an iteration lowers the mean loss of a triplet (log 2 if all items coincide) by no
        more than this.
    similarity : {"cosine", "distance"}
        See `tree_of_points`; the paper uses cosines.

    Returns
    -------
    Tree
        See `tree_of_points`.

    Notes
    -----
    It reports the loss at the end. An iteration takes O(m + n^2 d) time for m triplets, the first
    start O(n^3). Memory besides the triplets: O(n^2).
    """
    triplets, order = _read_triplets(oracle, rng)
    freedom = float(max(d - 1, 1)) if alpha is None else alpha

    def descent(start: Points) -> tuple[float, Points]:
        return descend(start, triplets, freedom, iterations, tolerance)

    loss, points = best_embedding(triplets, d, restarts, rng, descent)
    oracle.report(loss=loss)
    return tree_of_points(points[np.argsort(order)], similarity, items.names)


def forte_al(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    d: int = 2,
    loss: Loss = "logistic",
    restarts: int = 0,
    iterations: int = 300,
    tolerance: float = 1e-7,
    similarity: Similarity = "cosine",
) -> Tree:
    """Embed the items by FORTE, and merge by the mean similarity of their points.

    A baseline of section 5.2 of Ghoshdastidar, Perrot & von Luxburg 2019; FORTE (Jain, Jamieson &
    Nowak 2016) is `descend_gram`, projected gradient descent over Gram matrices of rank d. Their
    bounds on the norm are omitted: if no answer is wrong and a larger embedding is always better,
    tolerance and iterations end the growth.

    Parameters
    ----------
    oracle : Oracle
        Of kind triplet-set or quadruplet-set; see `triplets_of`.
    d : int
        Dimension of the embedding.
    loss : {"logistic", "hinge"}
        Of the margin of a triplet.
    restarts, iterations, tolerance, similarity
        As in `tste_al`.

    Returns
    -------
    Tree
        See `tree_of_points`.

    Notes
    -----
    It reports the loss at the end. An iteration takes O(m + n^3) time for m triplets. Memory
    besides the triplets: O(n^2).
    """
    triplets, order = _read_triplets(oracle, rng)

    def descent(start: Points) -> tuple[float, Points]:
        return descend_gram(start, triplets, loss, iterations, tolerance)

    lowest, points = best_embedding(triplets, d, restarts, rng, descent)
    oracle.report(loss=lowest)
    return tree_of_points(points[np.argsort(order)], similarity, items.names)


def _read_triplets(
    oracle: Oracle, rng: np.random.Generator
) -> tuple[Comparisons, NDArray[np.int64]]:
    """The triplets in a canonical order of items, and this order."""
    triplets = triplets_of(oracle.read(), rng)
    warn_of_missing_items(triplets)
    return in_canonical_order(triplets)


def tree_of_points(
    points: Points, similarity: Similarity = "cosine", names: tuple[str, ...] | None = None
) -> Tree:
    """Average linkage of points (n, d). O(n^2 d) and `merge_by_mean`.

    Parameters
    ----------
    points : (n, d) array
    similarity : {"cosine", "distance"}
        The cosine, or the negative Euclidean distance. Points are centred for cosines, as distances
        do not determine the origin: FORTE's authors centre theirs, and descent along the gradient
        of t-STE does not change the mean.
    names : tuple of str, optional

    Returns
    -------
    Tree
        Kind ORDER, as neither estimates the data's similarities; ``linkage`` is the mean similarity
        of each merge. Ties up to 1e-12: see `merge_by_mean`; in one dimension all cosines are 1 or
        -1.
    """
    near = cosines(points) if similarity == "cosine" else -cdist(points, points)
    return tree_by_mean(near, names)


def cosines(points: Points) -> NDArray[np.float64]:
    """Cosine similarities (n, n) about the mean of points (n, d); 0 of a point that is the mean."""
    centred = points - points.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = centred / np.where(length > 0, length, 1.0)
    similarity: NDArray[np.float64] = unit @ unit.T
    return similarity
