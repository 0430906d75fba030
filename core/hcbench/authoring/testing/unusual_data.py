"""Checks of algorithms: few items, equal items, ties, and other types and layouts of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hcbench.authoring.testing.findings import fail, require, skip
from hcbench.authoring.testing.items import Form, gram
from hcbench.authoring.testing.running import (
    Source,
    clusters_of,
    require_valid,
    run_on,
    sources_of,
    usual,
)
from hcbench.authoring.testing.subjects import Subject
from hcbench.model.problem import Problem
from hcbench.run.cell import describe


def check_few_items(subject: Subject) -> None:
    """One, two and three items: a valid result, or one line that says why there is none."""
    for source in sources_of(subject):
        usual(subject, source)
        for n in (1, 2, 3):
            ran = run_on(subject, source, source.problem(n=n))
            require_valid(subject, ran, f"{n} item{'s' if n > 1 else ''}")


def check_duplicates(subject: Subject) -> None:
    """Duplicate items: a valid result, or one line that says why there is none."""
    _on_form(subject, "duplicates", "duplicate items")


def check_ties(subject: Subject) -> None:
    """Many equal distances: a valid result, or one line that says why there is none."""
    _on_form(subject, "ties", "items with many equal distances")


def check_constant_data(subject: Subject) -> None:
    """Identical items: a valid result, or one line that says why there is none."""
    _on_form(subject, "constant", "identical items")


def _on_form(subject: Subject, form: Form, on: str) -> None:
    planted = [source for source in sources_of(subject) if source.form == "planted"]
    if not planted:
        skip("its oracle needs data that exist in one form only")
    for source in planted:
        usual(subject, source)
        require_valid(subject, run_on(subject, source, source.problem(form)), on)


def check_float32(subject: Subject) -> None:
    """Numbers of single precision have the clusters of the same numbers in double precision."""

    def single(values: Any) -> Any:
        return values.astype(np.float32)

    _compare(subject, "of single precision", single, lambda v: single(v).astype(np.float64))


def check_fortran_order(subject: Subject) -> None:
    """An array in Fortran order has the clusters of the same array in C order."""
    _compare(subject, "in Fortran order", np.asfortranarray, np.ascontiguousarray)


def check_sparse(subject: Subject) -> None:
    """A sparse matrix, where it is accepted, has the clusters of the same dense one."""

    def thin(values: Any) -> Any:
        return np.where(np.abs(values) > np.median(np.abs(values)) / 2, values, 0.0)

    def sparse(values: Any) -> Any:
        from scipy.sparse import csr_array

        return csr_array(thin(values))

    _compare(subject, "that is sparse", sparse, thin, of_similarities=False)


def _compare(
    subject: Subject,
    what: str,
    change: Callable[[Any], Any],
    reference: Callable[[Any], Any],
    *,
    of_similarities: bool = True,
) -> None:
    """Compare the clusters of changed arrays with those of reference arrays of the same numbers."""
    arrays = [source for source in sources_of(subject) if _holds_array(source)]
    if not arrays:
        skip("it reads no array of numbers")
    refused = []
    for source in arrays:
        planted = source.problem()
        role = "similarity" if of_similarities and source.kind == "similarities" else "vectors"
        values = gram(planted) if role == "similarity" else planted.vectors
        expected = run_on(subject, source, _with(planted, role, reference(values)))
        ran = run_on(subject, source, _with(planted, role, change(values)))
        if expected.result is None:
            skip(f"there is no valid result to compare with: {expected.reason}")
        if ran.refusal is not None:
            refused.append(describe(ran.refusal))
            continue
        if ran.result is None:
            fail(f"fails on an array {what}: {ran.reason}", ran.error)
        require(
            clusters_of(ran.result) == clusters_of(expected.result),
            f"returns other clusters of the same numbers in an array {what}",
        )
    if len(refused) == len(arrays):
        skip(f"it does not take an array {what}: {refused[0]}")


def _holds_array(source: Source) -> bool:
    return isinstance(source.answers(source.problem()).data, np.ndarray)


def _with(planted: Problem, role: str, values: Any) -> Problem:
    """Planted items with other vectors, or with similarities instead of vectors."""
    return Problem(
        n=planted.n,
        names=planted.names,
        levels=planted.levels,
        truths=planted.truths,
        tree=planted.tree,
        **{role: values},
    )
