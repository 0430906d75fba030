"""Linkages of vectors: copies, offsets, and the same program whatever the number of items."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform

import hcbench
import hcbench_vectors
from hcbench_vectors.scaling import distinct_rows, exact_centre

METHODS = {
    "UPGMA": "average",
    "WPGMA": "weighted",
    "Complete": "complete",
    "Single": "single",
    "Centroid": "centroid",
    "Median": "median",
    "Ward": "ward",
}
EUCLIDEAN = [(name, "euclidean") for name in METHODS]
OTHERS = [(name, metric) for name in list(METHODS)[:4] for metric in ("cosine", "manhattan")]


@st.composite
def rows_with_copies(draw):
    """Normal rows, some of them several times, in any order, near the origin or far from it."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    copies = draw(st.lists(st.integers(1, 6), min_size=2, max_size=12))
    p = draw(st.sampled_from([2, 7]))
    distinct = rng.normal(size=(len(copies), p)) + draw(st.sampled_from([0.0, 1 / 3, 1e6]))
    return rng.permutation(np.repeat(distinct, copies, axis=0))


def fitted(name: str, metric: str, vectors: Any) -> hcbench.Tree:
    params = {} if metric == "euclidean" else {"metric": metric}
    problem = hcbench.Problem(n=vectors.shape[0], vectors=vectors)
    return hcbench.fit(name, problem, **params)


@pytest.mark.slow
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize(("name", "metric"), EUCLIDEAN + OTHERS)
@given(rows=rows_with_copies())
def test_copies_and_nothing_else_merge_at_exactly_zero(name, metric, make, rows):
    if metric == "cosine":  # of rows far from the origin all directions are almost equal
        rows = rows - np.floor(rows.mean())
    tree = fitted(name, metric, make(rows))
    labels = tree.cut_height(0.0).labels
    _, expected = np.unique(rows, axis=0, return_inverse=True)
    assert len(set(labels)) == len(set(expected))
    assert len(set(zip(labels, expected, strict=True))) == len(set(expected))


@pytest.mark.parametrize(("name", "metric"), EUCLIDEAN + OTHERS)
@given(rows=rows_with_copies())
def test_copies_merge_as_in_scipy(name, metric, rows):
    theirs = linkage(pdist(rows, {"manhattan": "cityblock"}.get(metric, metric)), METHODS[name])
    ours = fitted(name, metric, rows).to_linkage()
    atol = 1e-7 if metric == "cosine" or name in ("Centroid", "Median", "Ward") else 1e-12
    np.testing.assert_allclose(cophenet(ours), cophenet(theirs), rtol=1e-7, atol=atol)


def test_a_third_copy_joins_two_that_are_merged_before_what_is_near():
    # The mean of 1/3 three times is not 1/3 if it is summed and divided.
    rows = np.array([[1 / 3], [1 / 3 + 1e-16], [1 / 3], [1.0], [1 / 3], [1 / 3], [1 / 3]])
    for name in METHODS:
        merges = fitted(name, "euclidean", rows).to_linkage()
        assert (merges[:4, 2] == 0).all()
        assert merges[4, 2] > 0


@given(
    counts=st.lists(st.integers(-3, 3), min_size=2, max_size=30),
    make=st.sampled_from([np.array, sparse.csr_array]),
)
def test_distinct_rows_are_found_whatever_their_zeros(counts, make):
    rows = np.column_stack((counts, np.zeros(len(counts)), np.abs(counts))).astype(float)
    rows[::2] *= -1.0  # among them zeros that are negative
    distinct, number = distinct_rows(make(rows))
    dense = distinct if isinstance(distinct, np.ndarray) else distinct.toarray()
    np.testing.assert_array_equal(dense[number], rows)
    assert len(np.unique(rows + 0.0, axis=0)) == len(dense)


@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9),
    offset=st.sampled_from([0.0, 1e3, 1e7, -1e12]),
)
def test_the_centre_is_subtracted_without_rounding(values, offset):
    column = np.array(values)[:, None] + offset
    centre = exact_centre(column)
    centred = column - centre
    for x, left in zip(column[:, 0], centred[:, 0], strict=True):
        assert Fraction(x) - Fraction(centre[0]) == Fraction(left)
    assert np.abs(centred).max() <= max(4.0 * np.ptp(column), np.abs(column).max())


@pytest.mark.parametrize("offset", [0, 10**12])
@pytest.mark.parametrize("name", ["Centroid", "Median", "Ward"])
@given(
    rows=st.lists(st.tuples(*[st.integers(-9, 9)] * 2), min_size=2, max_size=12),
)
def test_each_merge_is_minimal_in_exact_arithmetic(name, offset, rows):
    vectors = np.array(rows, dtype=float) + offset
    merges = fitted(name, "euclidean", vectors).to_linkage()
    centre = {i: [Fraction(x) for x in row] for i, row in enumerate(rows)}
    size = dict.fromkeys(centre, 1)

    def square(u: int, v: int) -> Fraction:
        total = sum((x - y) ** 2 for x, y in zip(centre[u], centre[v], strict=True))
        if name == "Ward":
            total *= Fraction(2 * size[u] * size[v], size[u] + size[v])
        return total

    for at, (left, right, height, _) in enumerate(merges):
        u, v = int(left), int(right)
        least = min(square(a, b) for a in centre for b in centre if a < b)
        assert float(square(u, v)) == pytest.approx(float(least), rel=1e-12, abs=0)
        assert height == pytest.approx(float(least) ** 0.5, rel=1e-12, abs=0)
        share = Fraction(1, 2) if name == "Median" else Fraction(size[v], size[u] + size[v])
        merged = [x + share * (y - x) for x, y in zip(centre[u], centre[v], strict=True)]
        new = len(rows) + at
        size[new] = size.pop(u) + size.pop(v)
        del centre[u], centre[v]
        centre[new] = merged


def lines_run(name: str, params: dict[str, Any], data: Any) -> set[tuple[str, int]]:
    """The lines of the plugin that run in one call."""
    folder = str(Path(hcbench_vectors.__file__).parent)
    lines = set()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(folder):
            return None
        # Which blocks of searches `_merge_all` makes is decided by how many clusters are left.
        if event == "line" and frame.f_code.co_name != "_merge_all":
            lines.add((frame.f_code.co_name, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        hcbench.fit(name, data, **params)
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dense", "narrow", "sparse", "similarities"])
@pytest.mark.parametrize("name", [*METHODS, "DotProduct"])
def test_the_program_does_not_depend_on_the_number_of_items(name, kind):
    if kind == "similarities" and name in ("Centroid", "Median", "Ward"):
        pytest.skip("of vectors only")
    all_params: list[dict[str, Any]] = [{}]
    if kind == "dense" and (name, "cosine") in OTHERS:
        all_params = [{}, {"metric": "cosine"}]
    for params in all_params:
        lines = []
        for n in (300, 300, 2100):
            data: Any = np.random.default_rng(0).random((n, 2 if kind == "narrow" else 12)) + 0.1
            if kind == "sparse":
                data = sparse.csr_array(data)
            if kind == "similarities":
                data = hcbench.Problem(n=n, similarity=5.0 - squareform(pdist(data)))
            lines.append(lines_run(name, params, data))
        assert lines[1] == lines[2]
