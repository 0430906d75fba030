"""Named similarities of vectors."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from hcbench import SIMILARITY_RULES, Problem, load_registry, similarity_matrix
from hcbench.errors import ParameterError
from hcbench.model import similarity_of_vectors as similarity

X = np.array([[1.0, 2.0], [3.0, 1.0], [0.5, 4.0]])


def test_each_rule_is_its_formula() -> None:
    expected = {
        "cosine": 1 - cdist(X, X, "cosine"),
        "euclidean": -cdist(X, X),
        "dot": X @ X.T,
    }
    assert set(expected) == set(SIMILARITY_RULES)
    for rule, values in expected.items():
        np.testing.assert_allclose(similarity(X, rule), values, atol=1e-12)


def test_an_unknown_rule_is_refused() -> None:
    for call in (lambda: similarity(X, "cosin"), lambda: matrix("cosin")):
        with pytest.raises(ParameterError, match="'cosin'; the rules are cosine, euclidean, dot"):
            call()


def matrix(rule: str) -> object:
    return similarity_matrix(Problem(n=3, vectors=X), rule)


def test_plugins_offer_every_rule() -> None:
    """Metrics also offer a rule that needs no matrix: see `hcbench_metrics.objectives`."""
    registry = load_registry()
    uses = [
        *registry.use_oracles("similarities"),
        *registry.use_oracles("quadruplet-set"),
        *registry.use_metrics("dasgupta"),
        *registry.use_metrics("dasgupta-normalised"),
    ]
    of_metrics = (*SIMILARITY_RULES, "gaussian")
    assert [
        parameter.choices
        for use in uses
        for parameter in use.spec.parameters
        if parameter.name == "similarity"
    ] == [SIMILARITY_RULES, SIMILARITY_RULES, of_metrics, of_metrics]


@pytest.mark.parametrize("factor", [1e200, 1e-200, 1e-310])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_cosines_do_not_depend_on_the_size_of_rows(factor: float, form: Any) -> None:
    vectors = np.random.default_rng(0).normal(size=(6, 3))
    expected = similarity(vectors, "cosine")
    found = similarity(form(vectors * factor), "cosine")
    np.testing.assert_allclose(found, expected, rtol=1e-4 if factor < 1e-300 else 1e-12)


def test_read_only_sparse_rows_of_any_order_have_cosines() -> None:
    rows = sparse.csr_array(([3.0, 4.0, 1.0], [1, 0, 1], [0, 2, 3]), shape=(2, 2))
    problem = Problem(n=2, vectors=rows)
    assert problem.vectors is not None
    assert similarity(problem.vectors, "cosine")[0, 1] == pytest.approx(0.6)


def test_entries_of_sparse_rows_that_are_given_twice_are_added_up() -> None:
    rows = sparse.csr_array(([1.0, 2.0, 1.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    problem = Problem(n=2, vectors=rows)  # (3, 0) and (0, 1)
    assert problem.vectors is not None
    assert similarity(problem.vectors, "euclidean")[0, 1] == pytest.approx(-np.sqrt(10))
    assert similarity(problem.vectors, "dot")[0, 0] == pytest.approx(9)
