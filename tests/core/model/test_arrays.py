"""Numbers come in in every form, and mean the same in each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import hcbench
from hcbench import HcbenchError, Problem, load_registry
from hcbench.model import as_numbers
from hcbench.run import call_of, make_answers
from hcbench.sklearn import Clusterer

RNG = np.random.default_rng(1)
WHOLE = RNG.integers(0, 2, size=(12, 5)) * RNG.integers(1, 101, size=(12, 5))
WHOLE[:, 0] += 20  # squares of more than 127, sums of more than 255
BITS = np.array([[int(bit) for bit in f"{i:05b}"] for i in range(1, 13)])
TREE = hcbench.fit("UPGMA", WHOLE.astype(float))

FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]
INTEGERS = [f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64)]
TYPES = [*INTEGERS, "bool", "float16", "float32", "float64", "longdouble"]


def values_of(dtype: str) -> Any:
    return (BITS if dtype == "bool" else WHOLE).astype(dtype)


def forms(dtype: str) -> list[Any]:
    """A matrix of the type in all forms that have it."""
    values = values_of(dtype)
    dense = [values, np.asfortranarray(values), values.tolist(), pd.DataFrame(values)]
    dense += [values.astype(values.dtype.newbyteorder()), np.ma.array(values)]
    if dtype == "float16":  # scipy has no sparse matrices of them
        return dense
    made = sparse.coo_array(values)
    matrices = [made.asformat(name) for name in FORMATS]
    of_spmatrix = [getattr(sparse, f"{name}_matrix")(made) for name in FORMATS]
    long = sparse.csr_array(values)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    return [*dense, *matrices, *of_spmatrix, long]


@pytest.mark.parametrize("dtype", TYPES)
def test_every_form_and_type_becomes_an_array_or_csr_array_of_floats(dtype: str) -> None:
    expected = values_of(dtype).astype(float)
    for form in forms(dtype):
        vectors: Any = Problem(n=12, vectors=form).vectors
        if sparse.issparse(form):
            assert isinstance(vectors, sparse.csr_array)
            assert vectors.dtype == np.float64
            assert vectors.has_canonical_format
            assert vectors.indices.dtype == vectors.indptr.dtype == np.int32
            vectors = vectors.toarray()
        assert type(vectors) is np.ndarray
        assert vectors.dtype in (np.float64, np.float32)
        assert (vectors.dtype == np.float32) <= (dtype == "float32")
        np.testing.assert_array_equal(vectors, expected)


ALGORITHMS: list[tuple[str, dict[str, Any]]] = [
    ("UPGMA", {"metric": "euclidean"}),
    ("UPGMA", {"metric": "cosine"}),
    ("UPGMA", {"metric": "manhattan"}),
    ("UPGMA", {"metric": "dot-product"}),
    ("UPGMA", {"pca": 2}),
    ("DotProduct", {}),
    ("Ward", {}),
    ("Single", {"oracle": "similarities[similarity=dot]"}),
    ("4-AL", {"oracle": "quadruplet-set[p=1,similarity=dot]"}),
    ("4-AL", {"oracle": "quadruplet-set[p=1,similarity=euclidean]"}),
]
METRICS: list[tuple[str, dict[str, Any]]] = [
    ("dasgupta-normalised", {}),
    ("dasgupta", {"similarity": "dot"}),
    ("dasgupta", {"similarity": "gaussian"}),
    ("moseley-wang", {"similarity": "euclidean"}),
    ("cohen-addad", {"metric": "sqeuclidean"}),
    ("cohen-addad", {"metric": "cosine"}),
    ("cohen-addad", {"metric": "euclidean"}),
    ("cophenetic-correlation", {"metric": "sqeuclidean"}),
    ("silhouette", {"metric": "euclidean"}),
]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("name", "params"), ALGORITHMS, ids=str)
def test_trees_do_not_depend_on_the_form_of_the_numbers(
    name: str, params: dict[str, Any], dtype: str
) -> None:
    expected = hcbench.fit(name, values_of(dtype).astype(float), **params)
    for form in forms(dtype):
        for data in (form, Problem(n=12, vectors=form)):
            tree = hcbench.fit(name, data, **params)
            assert isinstance(tree, hcbench.Tree)
            assert isinstance(expected, hcbench.Tree)
            np.testing.assert_allclose(
                hcbench.distances(tree), hcbench.distances(expected), rtol=1e-6, atol=1e-6
            )


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("name", "params"), METRICS, ids=str)
def test_metrics_do_not_depend_on_the_form_of_the_numbers(
    name: str, params: dict[str, Any], dtype: str
) -> None:
    expected = hcbench.score(name, TREE, values_of(dtype).astype(float), **params)
    for form in forms(dtype):
        problem = Problem(n=12, vectors=form)
        assert hcbench.score(name, TREE, problem, **params) == pytest.approx(expected, rel=1e-5)
        if sparse.issparse(form):
            value = hcbench.score(name, TREE, form, **params)
            assert value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("dtype", TYPES)
def test_estimators_read_every_form(dtype: str) -> None:
    expected = Clusterer("UPGMA", n_clusters=3).fit(values_of(dtype).astype(float))
    for form in forms(dtype):
        found = Clusterer("UPGMA", n_clusters=3).fit(form)
        np.testing.assert_allclose(found.distances_, expected.distances_, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool", "int64", "float32", "longdouble"])
def test_similarities_and_graphs_are_read_in_every_form(dtype: str) -> None:
    square = np.array([[0, 100, 0], [100, 0, 90], [0, 90, 0]]).astype(dtype)
    for form in [square, *(sparse.coo_array(square).asformat(name) for name in FORMATS)]:
        problem = Problem(n=3, similarity=form, graph=form)
        assert problem.similarity is not None
        assert problem.graph is not None
        assert type(problem.similarity) is np.ndarray
        assert isinstance(problem.graph, sparse.csr_array)
        np.testing.assert_array_equal(problem.similarity, square)
        np.testing.assert_array_equal(problem.graph.toarray(), square)
        assert problem.graph.dtype == np.float64


def test_entries_that_are_given_twice_are_added_up_without_overflow() -> None:
    twice = [0, 0, 1], [0, 0, 1]
    small = sparse.coo_array((np.array([100, 100, 1], np.int8), twice), shape=(2, 2))
    bits = sparse.coo_array((np.array([True, True, True]), twice), shape=(2, 2))
    assert as_numbers(small, "x").toarray().tolist() == [[200, 0], [0, 1]]  # type: ignore[union-attr]
    assert as_numbers(bits, "x").toarray().tolist() == [[1, 0], [0, 1]]  # type: ignore[union-attr]
    assert small.nnz == 3, "the caller's matrix stays as it is"


def test_a_graph_has_no_edges_of_weight_zero() -> None:
    graph = sparse.csr_array(np.ones((3, 3)))
    graph.setdiag(0.0)
    problem = Problem(n=3, graph=graph)
    assert problem.graph is not None
    assert problem.graph.nnz == 6
    assert graph.nnz == 9


REFUSED = {
    "complex": (WHOLE + 1j, "complex numbers"),
    "complex-sparse": (sparse.csr_array(WHOLE + 1j), "complex numbers"),
    "objects": (WHOLE.astype(object), "dtype object"),
    "texts": (WHOLE.astype(str), "dtype <U"),
    "dates": (WHOLE.astype("datetime64[s]"), "dtype datetime64"),
    "records": (np.zeros(12, dtype=[("a", float)]).reshape(12, 1), "real numbers, got dtype"),
    "masked": (np.ma.masked_equal(WHOLE, WHOLE[0, 0]), r"values (is|are) masked; fill them"),
    "masked-rows": ([np.ma.masked_equal(row, WHOLE[0, 0]) for row in WHOLE], "masked; fill them"),
    "too-large": (WHOLE.astype(np.longdouble) * np.longdouble("1e400"), "larger than any number"),
    "ragged": ([[1, 2], [3]], "different lengths"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_matrix_of_real_numbers_is_refused_in_one_line(name: str) -> None:
    values, message = REFUSED[name]
    for call in (
        lambda: Problem(n=12, vectors=values),
        lambda: hcbench.fit("UPGMA", values),
        lambda: hcbench.compare(["UPGMA"], {"x": values}),
        lambda: as_numbers(values, "x"),
    ):
        with pytest.raises(HcbenchError, match=message) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_frames_with_types_of_pandas_are_read_and_complex_ones_refused() -> None:
    frame = pd.DataFrame(WHOLE).astype("Int64")
    problem = Problem(n=12, vectors=frame)
    np.testing.assert_array_equal(problem.vectors, WHOLE)
    frame.iloc[0, 0] = pd.NA
    with pytest.raises(HcbenchError, match="NaN"):
        Problem(n=12, vectors=frame)
    with pytest.raises(HcbenchError, match=r"'1', .* are complex numbers"):
        hcbench.fit("UPGMA", pd.DataFrame(WHOLE + 1j))


def test_a_matrix_of_integers_is_what_the_metric_reads() -> None:
    groups = np.array([[0, 0]] * 6 + [[1, 1]] * 6)
    assert hcbench.score("AARI", TREE, groups) == hcbench.score("AARI", TREE, groups[:, :1])
    value = hcbench.score("dasgupta", TREE, WHOLE)
    assert value == pytest.approx(hcbench.score("dasgupta", TREE, WHOLE.astype(float)))
    gram = (WHOLE @ WHOLE.T).astype(np.int32)
    value = hcbench.score("dasgupta", TREE, gram)
    assert value == pytest.approx(hcbench.score("dasgupta", TREE, gram.astype(float)))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_value_that_overflows_is_an_error_of_one_line(form: Any) -> None:
    vectors = form(WHOLE * 1e200)
    for metric, params in [
        ("dasgupta-normalised", {"similarity": "dot"}),
        ("cohen-addad-normalised", {"metric": "sqeuclidean"}),
    ]:
        with pytest.raises(HcbenchError) as caught:
            hcbench.score(metric, TREE, vectors, **params)
        assert "\n" not in str(caught.value)


def test_no_entrance_loses_a_mask() -> None:
    merges = TREE.to_linkage()
    masked = np.ma.array(merges, mask=np.eye(*merges.shape, dtype=bool))
    rows = np.ma.array([[0, 1, 2, 3], [0, 2, 1, 3]], mask=[[0, 0, 0, 1], [0, 0, 0, 0]])
    cosines = np.ma.array(np.corrcoef(WHOLE), mask=np.eye(12, dtype=bool))
    for call in (
        lambda: hcbench.Tree.from_linkage(masked),
        lambda: hcbench.Tree.from_children(masked[:, :2].astype(int)),
        lambda: hcbench.Tree.from_levels(rows),
        lambda: hcbench.Tree(np.ma.array(TREE.parent, mask=TREE.parent == 12)),
        lambda: hcbench.score("AARI", masked, [0] * 6 + [1] * 6),
        lambda: hcbench.score("dasgupta", TREE, cosines),
        lambda: hcbench.Comparisons.from_quadruplets(4, rows),
        lambda: hcbench.AllComparisons.from_similarity(cosines),
        lambda: hcbench.similarity_of_distances(cosines),
        lambda: Problem(n=12, similarity=cosines),
        lambda: Problem(n=12, graph=cosines),
        lambda: Clusterer("UPGMA").fit(np.ma.masked_greater(WHOLE, 90)),
    ):
        with pytest.raises(ValueError, match="mask"):
            call()


def test_masked_cells_are_counted_and_the_ways_out_are_ways() -> None:
    x = np.ma.masked_greater(WHOLE.astype(float), 90)
    masked = int(x.mask.sum())
    assert masked
    with pytest.raises(HcbenchError, match=f"{masked} of 60 values") as caught:
        hcbench.fit("UPGMA", x)
    assert "x.filled(x.mean())" in str(caught.value)
    assert hcbench.fit("UPGMA", x.filled(x.mean())).n == 12
    assert hcbench.fit("UPGMA", np.ma.compress_rows(x)).n < 12
    assert (
        Problem(n=12, vectors=np.ma.array(WHOLE)).digest() == Problem(n=12, vectors=WHOLE).digest()
    )


def test_no_form_of_vectors_has_more_or_fewer_axes_than_two() -> None:
    for values, message in [(WHOLE[:, 0], "one feature"), (WHOLE.reshape(12, 5, 1), "shape")]:
        with pytest.raises(HcbenchError, match=message):
            Problem(n=12, vectors=values)


def test_every_oracle_of_vectors_reads_floats() -> None:
    problem = Problem(n=12, vectors=sparse.csc_matrix(WHOLE.astype(np.int8)))
    (use,) = load_registry().use_oracles("similarities[similarity=dot]")
    read = make_answers(call_of(use), problem, 0, None).data
    np.testing.assert_array_equal(read, WHOLE @ WHOLE.T)
