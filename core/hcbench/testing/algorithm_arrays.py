"""Checks of algorithms on other types, formats and layouts of arrays, and on other units.

The same numbers must have the same clusters, however they are held in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hcbench.model.problem import Problem
from hcbench.run.failures import describe
from hcbench.testing.arrays import OFFSETS, SCALES, SPARSE, strided, thin
from hcbench.testing.planted import gram
from hcbench.testing.running import Source, clusters_of, run_on, sources_of, usual
from hcbench.testing.subjects import Subject, fail, require, skip


def check_float32(subject: Subject) -> None:
    """Numbers of single precision have the clusters of the same numbers in double precision."""

    def single(values: Any) -> Any:
        return values.astype(np.float32)

    def double(values: Any) -> Any:
        # The same numbers, which have been rounded already.
        return single(values).astype(np.float64)

    _compare(subject, "of single precision", single, double)


def check_fortran_order(subject: Subject) -> None:
    """An array in Fortran order has the clusters of the same array in C order."""
    _compare(subject, "in Fortran order", np.asfortranarray, np.ascontiguousarray)


def check_strided(subject: Subject) -> None:
    """A view of every second number has the clusters of a contiguous array of the same numbers."""
    _compare(subject, "that is not contiguous", strided, np.ascontiguousarray)


def check_sparse(subject: Subject) -> None:
    """Sparse matrices, where they are accepted, have the clusters of the same dense one."""
    for description, change in SPARSE.items():

        def sparse(values: Any, change: Callable[[Any], Any] = change) -> Any:
            return change(thin(values))

        form = f"that is sparse ({description})"
        _compare(subject, form, sparse, thin, of_similarities=False)


def advise_offset(subject: Subject) -> None:
    """Vectors far from the origin have the same clusters, if those near to it have."""

    def moved_by(offset: float) -> Callable[[Any], Any]:
        return lambda values: values + offset

    changes = {f"moved by {offset:g}": moved_by(offset) for offset in OFFSETS}
    # 4 costs coordinates near 1 two bits at most.
    _compare_if_invariant(subject, moved_by(4.0), changes)


def advise_scale(subject: Subject) -> None:
    """Very large and very small vectors: the same clusters, or one line that says why not.

    Only if vectors that are twice as large have the same clusters. Factors are powers of two, so
    that products are exact.
    """

    def times(factor: float) -> Callable[[Any], Any]:
        return lambda values: values * factor

    changes = {f"times {factor:.1e}": times(factor) for factor in SCALES}
    _compare_if_invariant(subject, times(2.0), changes)


def _compare_if_invariant(
    subject: Subject, small: Callable[[Any], Any], changes: Mapping[str, Callable[[Any], Any]]
) -> None:
    """Compare the clusters of changed vectors, if a small change of the kind has no effect."""
    source = None
    # There is one for each kind at most.
    for candidate in sources_of(subject):
        if candidate.kind == "vectors":
            source = candidate
    if source is None:
        skip("it reads no vectors")
    planted = source.problem()
    expected = usual(subject, source).result
    assert expected is not None
    # An algorithm may depend on the origin or the scale by its definition.
    slightly = run_on(subject, source, _with(planted, "vectors", small(planted.vectors)))
    if slightly.result is None or clusters_of(slightly.result) != clusters_of(expected):
        skip("its result depends on the place or the scale of the vectors")
    for description, change in changes.items():
        ran = run_on(subject, source, _with(planted, "vectors", change(planted.vectors)))
        # It says that it does not take them, which is better than a wrong result.
        if ran.refusal is not None:
            continue
        if ran.result is None:
            fail(f"fails on vectors {description}: {ran.reason}", ran.error)
        require(
            clusters_of(ran.result) == clusters_of(expected),
            f"returns other clusters of the same vectors {description}",
        )


def _compare(
    subject: Subject,
    form: str,
    change: Callable[[Any], Any],
    reference: Callable[[Any], Any],
    *,
    of_similarities: bool = True,
) -> None:
    """Compare the clusters of changed arrays with those of reference arrays of the same numbers."""
    arrays = []
    for source in sources_of(subject):
        if _holds_array(source):
            arrays.append(source)
    if not arrays:
        skip("it reads no array of numbers")
    # Reasons why it does not take such arrays, which is no failure.
    refused = []
    for source in arrays:
        planted = source.problem()
        role = "vectors"
        values: Any = planted.vectors
        if of_similarities and source.kind == "similarities":
            role = "similarity"
            values = gram(planted)
        # The same numbers in the form that algorithms usually get.
        expected = run_on(subject, source, _with(planted, role, reference(values)))
        ran = run_on(subject, source, _with(planted, role, change(values)))
        if expected.result is None:
            skip(f"there is no valid result to compare with: {expected.reason}")
        if ran.refusal is not None:
            refused.append(describe(ran.refusal))
            continue
        if ran.result is None:
            fail(f"fails on an array {form}: {ran.reason}", ran.error)
        require(
            clusters_of(ran.result) == clusters_of(expected.result),
            f"returns other clusters of the same numbers in an array {form}",
        )
    # One kind of data that it takes in this form is enough.
    if len(refused) == len(arrays):
        skip(f"it does not take an array {form}: {refused[0]}")


def _holds_array(source: Source) -> bool:
    return isinstance(source.answers(source.problem()).data, np.ndarray)


def _with(planted: Problem, role: str, values: Any) -> Problem:
    """Planted items with other vectors, or with similarities instead of vectors."""
    # A new problem rather than a changed one, as similarities would be computed from old vectors.
    return Problem(
        n=planted.n,
        names=planted.names,
        levels=planted.levels,
        truths=planted.truths,
        tree=planted.tree,
        **{role: values},
    )
