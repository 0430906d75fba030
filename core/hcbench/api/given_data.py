"""Problems made of arrays, labels, trees and comparisons."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError
from hcbench.model.checks import check_levels, looks_like_distances
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.problem import Problem
from hcbench.model.trees import Partition, Tree


def as_problem(data: Any, truth: Any = None) -> Problem:
    """Make a problem of arrays, comparisons or a tree.

    Parameters
    ----------
    data : (n, p) or (n, n) array, Comparisons, Tree, Problem, or pair (data, truth)
        A square symmetric matrix counts as similarities, any other as vectors.
    truth : Tree, (n,) or (n, L) labels, optional

    Raises
    ------
    DataError
        If it is none of these.
    """
    if isinstance(data, tuple) and len(data) == 2 and truth is None:
        data, truth = data
    if isinstance(data, Problem):
        return data if truth is None else replace(data, **truth_entries(truth))
    known = {} if truth is None else truth_entries(truth)
    if isinstance(data, Comparisons):
        return Problem(n=data.n, comparisons=data, **known)
    if isinstance(data, AllComparisons):
        raise DataError(
            "all comparisons of a ranking are what an oracle makes of similarities: give these, "
            "with oracle='quadruplet-set[p=1]'; or materialise() the comparisons"
        )
    if isinstance(data, Tree):
        return Problem(n=data.n, names=data.names, tree=data, **known)
    if hasattr(data, "tocsr"):
        from scipy import sparse

        return Problem(n=data.shape[0], vectors=sparse.csr_array(data), **known)
    matrix = _matrix(data)
    if len(matrix) and _is_similarity(matrix):
        if looks_like_distances(matrix):
            raise DataError(
                "a symmetric matrix counts as similarities, and these are distances, as the "
                "diagonal has zeros and all else is larger; give 1 - d / d.max(), or a "
                "Problem(n=..., similarity=...) if they are similarities after all"
            )
        return Problem(n=len(matrix), similarity=matrix, **known)
    return Problem(n=len(matrix), vectors=matrix, **known)


def _matrix(data: Any) -> NDArray[Any]:
    try:
        array = np.array(data)
    except ValueError as error:
        raise DataError(f"the rows of the data have different lengths: {error}") from error
    if array.ndim != 2 or array.dtype.kind not in "iufb":
        raise DataError(
            f"data must be a numeric matrix (n, p), got shape {array.shape} of {array.dtype}"
        )
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _is_similarity(matrix: NDArray[Any]) -> bool:
    return matrix.shape[0] == matrix.shape[1] and bool(np.array_equal(matrix, matrix.T))


def truth_entries(truth: Any) -> dict[str, Any]:
    """The fields of a Problem for a truth that is a tree or labels."""
    if isinstance(truth, Tree):
        return {"truths": {"truth": truth}}
    labels = np.asarray(truth)
    if labels.ndim == 1:
        labels = labels[:, None]
    if labels.ndim != 2:
        raise DataError(f"labels must have shape (n,) or (n, L), got {labels.shape}")
    check_levels(labels, [f"column {i}" for i in range(labels.shape[1])], "labels")
    found = [np.unique(column, return_inverse=True) for column in labels.T]
    return {
        "levels": np.column_stack([codes.ravel() for _, codes in found]).astype(np.int64),
        "classes": tuple(tuple(map(str, names)) for names, _ in found),
    }


def problem_of_truth(truth: Any) -> Problem:
    """A problem of which only the truth is given: a tree, labels, similarities or vectors."""
    if isinstance(truth, Problem):
        return truth
    if isinstance(truth, Tree):
        return Problem(n=truth.n, truths={"truth": truth})
    if isinstance(truth, Partition):
        truth = truth.labels
    array = np.asarray(truth)
    if array.ndim == 1 or array.dtype.kind in "iubUSO":
        return Problem(n=len(array), **truth_entries(array))
    return as_problem(array)
