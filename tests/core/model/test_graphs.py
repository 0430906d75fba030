"""Sparse graphs as data: checked, hashed, restricted, and read by algorithms on graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import hcbench
from hcbench import DataRequest, NotApplicableError, Problem, Tree
from hcbench.errors import InvalidProblemError
from hcbench_simulated.matrices import hsbm

EDGES = [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 3.0)]


def graph(edges: list[tuple[int, int, float]] = EDGES, n: int = 4) -> sparse.csr_array:
    i, j, weight = np.array(edges).T
    both = np.r_[weight, weight], (np.r_[i, j].astype(int), np.r_[j, i].astype(int))
    return sparse.csr_array(both, shape=(n, n))


def test_a_graph_is_provided_hashed_and_read_only() -> None:
    problem = Problem(n=4, graph=graph())
    assert problem.provides == {"graph"}
    assert problem.digest() == Problem(n=4, graph=graph()).digest()
    assert problem.digest() != Problem(n=4, vectors=graph()).digest()
    assert problem.digest() != replace(problem, graph=graph([*EDGES[:2], (2, 3, 1.0)])).digest()
    assert problem.graph is not None
    with pytest.raises(ValueError, match="read-only"):
        problem.graph.data[0] = 5.0


def test_some_items_have_the_edges_between_them() -> None:
    whole = Problem(n=4, graph=graph())
    part = whole.take(np.array([3, 2, 0])).graph
    assert whole.graph is not None
    assert part is not None
    assert part.toarray().tolist() == [[0, 3, 0], [3, 0, 0], [0, 0, 0]]
    assert part.indices.dtype == whole.graph.indices.dtype


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (graph(n=5), "graph has 5 rows for 4 items"),
        (graph()[:, :3], "a graph is a symmetric n x n matrix"),
        (sparse.csr_array(np.triu(graph().toarray())), "a graph is a symmetric n x n matrix"),
        (graph([(0, 1, -1.0)]), "edges of a graph have positive weights and join different items"),
        (graph([(2, 2, 1.0)]), "edges of a graph have positive weights and join different items"),
        (graph([(0, 1, np.inf)]), "graph holds NaN or infinite values"),
    ],
)
def test_what_is_no_graph_is_refused(wrong: sparse.csr_array, message: str) -> None:
    with pytest.raises(InvalidProblemError, match=message):
        Problem(n=4, graph=wrong)


def test_a_sparse_block_model_is_the_same_graph() -> None:
    params = {"depth": 2, "branching": 2, "imbalance": 0.0, "stop": 0.0, "within": 0.4}
    dense, thin = (
        hsbm(DataRequest(seed=3), n=1100, ratio=0.3, sparse=sparse, **params)
        for sparse in (False, True)
    )
    assert thin.similarity is None
    assert thin.graph is not None
    np.testing.assert_array_equal(thin.graph.toarray(), dense.similarity)


def test_paris_merges_the_edges_of_a_graph() -> None:
    pytest.importorskip("sknetwork")
    tree = hcbench.fit("skn-paris", Problem(n=4, graph=graph()))
    assert isinstance(tree, Tree)
    # Degrees are 2, 3, 4, 3 of 12: (0, 1) has 2 12 / (2 3) = 4, (2, 3) has 3 12 / (4 3) = 3, and
    # of the two clusters 1 12 / (5 7).
    np.testing.assert_allclose(tree.height[4:], [1 / 4, 1 / 3, 35 / 12])
    assert [sorted(tree.leaves(node).tolist()) for node in (4, 5)] == [[0, 1], [2, 3]]
    parts = Problem(n=4, graph=graph([EDGES[0], EDGES[2]]))
    with pytest.raises(NotApplicableError, match="the graph has 2 parts without edges between"):
        hcbench.fit("skn-paris", parts)
