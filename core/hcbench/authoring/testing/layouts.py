"""Checks of algorithms: the same numbers as other types and in another order of memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hcbench.authoring.testing.findings import fail, require, skip
from hcbench.authoring.testing.items import gram
from hcbench.authoring.testing.running import Heard, clusters_of, error_of, heard_of, run_on
from hcbench.authoring.testing.subjects import Subject
from hcbench.model.problem import Problem
from hcbench.run.cell import describe


def check_float32(subject: Subject) -> None:
    """Numbers of single precision have the clusters of the same numbers in double precision."""

    def single(values: Any) -> Any:
        return values.astype(np.float32)

    _compare(subject, "of single precision", single, lambda v: single(v).astype(np.float64))


def check_fortran_order(subject: Subject) -> None:
    """An array by columns has the clusters of the same array by rows."""
    _compare(subject, "in Fortran order", np.asfortranarray, np.ascontiguousarray)


def check_sparse(subject: Subject) -> None:
    """A sparse matrix, where it is accepted, has the clusters of the same dense one."""

    def thin(values: Any) -> Any:
        return np.where(np.abs(values) > np.median(np.abs(values)) / 2, values, 0.0)

    def sparse(values: Any) -> Any:
        from scipy.sparse import csr_array

        return csr_array(thin(values))

    _compare(subject, "that is sparse", sparse, thin, sparse_only=True)


def _compare(
    subject: Subject,
    what: str,
    change: Callable[[Any], Any],
    reference: Callable[[Any], Any],
    *,
    sparse_only: bool = False,
) -> None:
    arrays = [heard for heard in heard_of(subject) if _holds_array(heard)]
    if not arrays:
        skip("it reads no array of numbers")
    refused = []
    for heard in arrays:
        planted = heard.problem()
        own = heard.kind == "similarities" and not sparse_only
        values = gram(planted) if own else planted.vectors
        expected = run_on(subject, heard, _with(planted, reference(values), own))
        found = run_on(subject, heard, _with(planted, change(values), own))
        if expected.result is None:
            skip(f"there is no valid result to compare with: {error_of(expected)}")
        if found.refusal is not None:
            refused.append(describe(found.refusal))
            continue
        if found.result is None:
            fail(f"{subject.label} fails on an array {what}: {error_of(found)}", found.error)
        require(
            clusters_of(found.result) == clusters_of(expected.result),
            f"{subject.label} returns other clusters of the same numbers in an array {what}",
        )
    if len(refused) == len(arrays):
        skip(f"it does not take an array {what}: {refused[0]}")


def _holds_array(heard: Heard) -> bool:
    return isinstance(heard.answers(heard.problem()).data, np.ndarray)


def _with(planted: Problem, values: Any, similarity: bool) -> Problem:
    """Planted items with other numbers: vectors, or similarities."""
    return Problem(
        n=planted.n,
        names=planted.names,
        vectors=None if similarity else values,
        similarity=values if similarity else None,
        levels=planted.levels,
        truths=planted.truths,
        tree=planted.tree,
    )


CHECKS = (check_float32, check_fortran_order, check_sparse)
