"""Square matrices are similarities, distances or vectors, or refused with the ways to say it."""

from __future__ import annotations

import re
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.metrics import adjusted_rand_score, pairwise_distances
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel

import hcbench
from hcbench import DataError, HcbenchError, Problem, similarity_of_distances
from hcbench.api.data import as_problem
from hcbench.model import kind_of_square
from hcbench.model.squares import check_square

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(size=(20, 5)) + 8 * np.eye(5)[k] for k in (0, 1)])
Y = np.repeat([0, 1], 20)
NEAR = squareform(pdist(X) < 3).astype(float)
TWICE = np.vstack([X, X[:5]])

SIMILARITIES = {
    "corrcoef": np.corrcoef(X),
    "covariances": np.cov(X),
    "kernel": rbf_kernel(X),
    "kernel-in-single-precision": rbf_kernel(X.astype(np.float32)),
    "cosines": cosine_similarity(X),
    "products": X @ X.T,
    "orthogonal": np.corrcoef(np.array([[1.0, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]])),
    "negative-distances": -cdist(X, X),
    "identity": np.eye(4),
    "ones": np.ones((4, 4)),
    "edges-and-loops": NEAR + np.eye(40),
}
DISTANCES = {
    "euclidean": cdist(X, X),
    "cosine": cdist(X, X, "cosine"),
    "scikit-learn": pairwise_distances(X),
    "scikit-learn-cosine": pairwise_distances(X, metric="cosine"),
    "correlation": 1 - np.corrcoef(X),
    "squareform": squareform(pdist(X, "cityblock")),
    "duplicates": cdist(TWICE, TWICE),
    "duplicates-cosine": cdist(TWICE, TWICE, "cosine"),
    "squares-in-single-precision": cdist(X, X, "sqeuclidean").astype(np.float32),
    "integers": np.abs(np.subtract.outer(np.arange(5), np.arange(5))),
}
UNCLEAR = {
    "adjacency": NEAR,
    "adjacency-of-bools": NEAR.astype(bool),
    "vectors": X[:5] + X[:5].T,
    "similarities-without-diagonal": rbf_kernel(X, gamma=100) * (1 - np.eye(40)),
    "nearly-symmetric": np.corrcoef(X) + 1e-4 * RNG.random((40, 40)),
    "one-large-entry": np.diag([1e9, 0, 0, 0, 0]) + RNG.random((5, 5)),
}


def in_numbers(matrix: Any) -> Any:
    return hcbench.model.as_numbers(matrix, "x")


@pytest.mark.parametrize("form", [in_numbers, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", SIMILARITIES)
def test_correlations_kernels_and_products_are_similarities(name: str, form: Any) -> None:
    matrix = SIMILARITIES[name]
    assert kind_of_square(form(matrix)) == "similarities"
    problem = as_problem(form(matrix))
    assert problem.similarity is not None
    np.testing.assert_allclose(problem.similarity, matrix, atol=1e-6 * np.abs(matrix).max())
    assert np.array_equal(problem.similarity, problem.similarity.T)


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_are_never_similarities(name: str) -> None:
    """Of duplicates a sparse matrix has fewer entries than pairs, and is like a graph."""
    matrix = DISTANCES[name]
    assert kind_of_square(in_numbers(matrix)) == "distances"
    for form in (np.asarray, sparse.csr_array):
        for call in (
            as_problem,
            lambda data: hcbench.fit("UPGMA", data),
            lambda data: hcbench.compare(["UPGMA"], {"d": data}),
            lambda data: hcbench.score("dasgupta", hcbench.fit("UPGMA", np.eye(len(matrix))), data),
        ):
            with pytest.raises(DataError, match=r"give hcbench\.similarity_of_distances") as caught:
                call(form(matrix.astype(float)))
            assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", UNCLEAR)
@pytest.mark.parametrize("form", [in_numbers, sparse.csr_array], ids=["dense", "sparse"])
def test_what_may_be_several_things_is_refused(name: str, form: Any) -> None:
    matrix = form(UNCLEAR[name])
    assert kind_of_square(matrix) in ("unclear", "distances")
    with pytest.raises(DataError, match=r"hcbench\.Problem\(n=\d+, \w+=x\)") as caught:
        as_problem(matrix)
    assert "\n" not in str(caught.value)


MATRICES: list[Any] = [
    *(DISTANCES[name] for name in ("cosine", "euclidean")),
    *(UNCLEAR[name] for name in ("adjacency", "vectors", "nearly-symmetric")),
    *(sparse.csr_array(UNCLEAR[name]) for name in ("adjacency", "vectors")),
]


@pytest.mark.parametrize("x", MATRICES, ids=range(len(MATRICES)))
def test_every_way_that_a_message_names_is_one(x: Any) -> None:
    with pytest.raises(DataError) as caught:
        as_problem(x)
    ways = re.findall(r"give (hcbench\.\w+\([^)]*\)|\(x \+ x\.T\) / 2)", str(caught.value))
    assert len(ways) >= 2
    for way in ways:
        assert as_problem(eval(way, {"hcbench": hcbench, "x": x})).n == x.shape[0]


def test_a_rectangle_and_a_square_that_is_not_symmetric_are_vectors() -> None:
    assert kind_of_square(X) == "vectors"
    assert kind_of_square(np.arange(9.0).reshape(3, 3)) == "vectors"
    assert kind_of_square(sparse.csr_array(np.triu(np.ones((4, 4))))) == "vectors"
    assert kind_of_square(np.empty((0, 0))) == "vectors"


@pytest.mark.parametrize("name", ["euclidean", "cosine", "scikit-learn", "correlation"])
def test_distances_give_the_tree_of_their_groups(name: str) -> None:
    matrix = DISTANCES[name]
    forms = [matrix, matrix.tolist(), sparse.csr_matrix(matrix), pd.DataFrame(matrix)]
    for form in [*forms, squareform(matrix, checks=False)]:
        tree = hcbench.fit("UPGMA", similarity_of_distances(form))
        assert adjusted_rand_score(tree.cut(2).labels, Y) == 1


def test_similarities_of_distances_are_one_minus_d_by_the_largest() -> None:
    matrix = np.array([[1e-17, 1, 4], [1, 0, 3], [4, 3, 0]])
    expected = [[1, 0.75, 0], [0.75, 1, 0.25], [0, 0.25, 1]]
    assert similarity_of_distances(matrix).tolist() == expected
    assert similarity_of_distances([1, 4, 3]).tolist() == expected
    assert similarity_of_distances(np.zeros((2, 2))).tolist() == [[1, 1], [1, 1]]
    named = pd.DataFrame(matrix, index=list("abc"), columns=list("abc"))
    assert as_problem(similarity_of_distances(named)).names == ("a", "b", "c")
    for wrong, message in [
        (np.eye(3), "0 on the diagonal"),
        (np.array([[0.0, -1], [-1, 0]]), "never negative"),
        (np.array([[0.0, 1], [2, 0]]), "not symmetric: the value of items 0 and 1 is 1.0"),
        (np.ones((2, 3)), "n x n"),
        ([1, 2], r"n \(n - 1\) / 2 numbers, got 2"),
        ([[0, np.nan], [np.nan, 0]], "NaN"),
    ]:
        with pytest.raises(DataError, match=message) as caught:
            similarity_of_distances(wrong)
        assert "\n" not in str(caught.value)


def test_rounding_errors_between_the_halves_are_averaged_out() -> None:
    matrix = np.eye(4) + 0.5
    matrix[0, 1] += 1e-9
    similarity = Problem(n=4, similarity=matrix).similarity
    assert similarity is not None
    assert similarity[0, 1] == similarity[1, 0] == pytest.approx(0.5 + 5e-10, abs=1e-15)
    assert matrix[1, 0] == 0.5, "the caller's matrix stays as it is"
    graph = Problem(n=4, graph=sparse.csr_array(matrix - np.diag(matrix.diagonal()))).graph
    assert graph is not None
    assert graph[0, 1] == graph[1, 0] == similarity[0, 1]
    matrix[0, 1] = 0.51
    with pytest.raises(HcbenchError, match=r"value of items 0 and 1 is 0\.51 in"):
        Problem(n=4, similarity=matrix)


def test_the_tolerance_is_relative_to_the_largest_entry() -> None:
    for factor in (1e-200, 1.0, 1e200):
        matrix = (np.eye(600) + 0.25) * factor
        matrix[500, 2] += 1e-7 * factor
        check_square(matrix, "x")
        matrix[500, 2] += 1e-5 * factor
        with pytest.raises(DataError, match="items 2 and 500 "):
            check_square(matrix, "x")


@pytest.mark.parametrize("matrix", ["adjacency", "duplicates"])
def test_the_check_takes_memory_for_some_rows_only(matrix: str) -> None:
    """Of an adjacency matrix almost all pairs have the entry 0."""
    n = 1500
    if matrix == "adjacency":
        upper = np.triu(np.random.default_rng(0).random((n, n)) < 0.01, 1)
        square = (upper + upper.T).astype(float)
    else:
        square = np.zeros((n, n))
        square[: n // 2, n // 2 :] = square[n // 2 :, : n // 2] = 1.0
    tracemalloc.start()
    kind = kind_of_square(square)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kind == ("unclear" if matrix == "adjacency" else "distances")
    assert peak < 6 * square.nbytes
