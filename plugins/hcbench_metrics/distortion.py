"""Difference of the heights of a tree from the distances of the data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hcbench import HeightKind, NotApplicableError
from hcbench_metrics.dissimilarities import largest_of_pairs
from hcbench_metrics.pair_rows import check_squares, distance_rows, similarity_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hcbench import Problem, Scored, Tree


def ultrametric_distortion(scored: Scored, norm: str = "2", metric: str = "euclidean") -> float:
    """Relative error of the merge heights as estimates of the distances; lower is better.

    ``(sum |u_ij - d_ij|^p / sum |d_ij|^p)^(1/p)`` over unordered pairs, with u_ij the height of
    lca(i, j); for p = inf, ``max |u_ij - d_ij| / max |d_ij|``. It is 0 exactly if the heights are
    the distances, which are then an ultrametric. The best ultrametric minimises the numerator
    (Ailon & Charikar 2005). Where the data set has similarities w, d = offset - w with the largest
    similarity of any pair as offset, and affinities are converted alike. Unlike
    `cophenetic-correlation`, it needs heights in the unit of the distances: Ward's are not.
    Branch lengths of Newick are halves of them by default, see `hcbench.read_tree`.

    Parameters
    ----------
    scored : Scored
        The result must be a tree with heights: distances of vectors, affinities of similarities.
    norm : {"1", "2", "inf"}
        p.
    metric : str
        Distance of vectors, where the data set has no similarities: as in scipy's ``pdist``.

    Returns
    -------
    float
        At least 0. O(n^2) time for similarities, O(n^2 p) for vectors; O(n) rows in blocks of
        memory.

    Raises
    ------
    NotApplicableError
        If the result is a partition, its heights are of another kind or infinite, there are neither
        similarities nor vectors, all distances are 0, or there is one item.
    """
    tree = scored.tree
    sign, offset = _units(tree, scored.problem)
    # One number for each block of rows.
    errors = [0.0]
    sizes = [0.0]
    order = tree.leaf_order
    for first, rows in _rows(tree, scored.problem, metric):
        above = np.arange(len(rows))[:, None] < np.arange(rows.shape[1])
        i, j = np.broadcast_arrays(order[first : first + len(rows), None], order[None, first:])
        heights = tree.merge_height(i, j)[above]
        distances = offset + sign * rows[above]
        errors.append(_power_sum(offset + sign * heights - distances, norm))
        sizes.append(_power_sum(distances, norm))
    if norm == "inf":
        error = max(errors)
        size = max(sizes)
    else:
        error = sum(errors)
        size = sum(sizes)
    if size == 0:
        raise NotApplicableError("all distances are 0; the distortion is not defined")
    if norm == "2":
        return math.sqrt(error / size)
    return error / size


def _units(tree: Tree, problem: Problem) -> tuple[int, float]:
    """Sign and offset that turn heights, and values of pairs, into distances."""
    if problem.similarity is not None:
        kind = HeightKind.AFFINITY
        data = "similarities"
        sign = -1
        offset = largest_of_pairs(problem.similarity)
    else:
        kind = HeightKind.DISTANCE
        data = "vectors"
        sign = 1
        offset = 0.0
    if tree.kind is not kind or tree.height is None:
        has = f"of kind {tree.kind}"
        if tree.height is None:
            has = "missing"
        raise NotApplicableError(
            f"the distortion of {data} needs heights of kind {kind}; those of this tree are {has}"
        )
    if not np.isfinite(tree.height[tree.n :]).all():
        raise NotApplicableError("the distortion is not defined for infinite merge heights")
    return sign, offset


def _rows(tree: Tree, problem: Problem, metric: str) -> Iterator[tuple[int, NDArray[np.float64]]]:
    if problem.similarity is not None or problem.vectors is None:
        return similarity_rows(tree, problem, "")
    check_squares(problem.vectors)
    return distance_rows(tree, problem.vectors, metric)


def _power_sum(values: NDArray[np.float64], norm: str) -> float:
    """Sum of ``|value|^p``, or for p = inf the maximum."""
    sizes = np.abs(values)
    if norm == "inf":
        return float(sizes.max(initial=0.0))
    if norm == "2":
        return float(np.sum(sizes**2))
    return float(np.sum(sizes))
