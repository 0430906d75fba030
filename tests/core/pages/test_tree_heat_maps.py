"""The data beside a tree of a report."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import zscore

from hcbench import Problem, Tree
from hcbench.figures.problems import Matrix, matrix_of_problem
from hcbench.pages.report.tree_data import Data
from hcbench.pages.report.tree_heat_maps import (
    MOST_COLUMNS,
    MOST_SIMILAR,
    describe_colours,
    fitting_matrix,
    heat_map_trace,
)
from hcbench.pages.report.trees import draw_tree

AXES = {"xaxis": "x4", "yaxis": "y"}


def vectors(values: Any, names: list[str] | None = None) -> Matrix:
    return Matrix(
        values=np.asarray(values, dtype=np.float64),
        column_names=names,
        column_tree=None,
        are_similarities=False,
    )


def numbers_of(trace: dict[str, Any]) -> np.ndarray[Any, Any]:
    """What plotly draws, as rows from top to bottom."""
    shape = [int(length) for length in trace["z"]["shape"].split(",")]
    return np.frombuffer(b64decode(trace["z"]["bdata"]), dtype="<f4").reshape(shape)


def test_rows_are_in_the_order_of_the_leaves_and_columns_are_standardised() -> None:
    values = np.array([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]])
    order = np.array([2, 0, 1])
    trace = heat_map_trace(vectors(values, ["a", "b"]), order, AXES)
    assert trace["x"] == ["a", "b"]
    np.testing.assert_allclose(numbers_of(trace), zscore(values)[order], rtol=1e-6)


def test_columns_have_the_order_of_their_tree() -> None:
    """Columns 0 and 2 are equal, so that they are beside each other."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(20, 3))
    table[:, 2] = table[:, 0]
    matrix = matrix_of_problem(Problem(n=20, vectors=table), "x")
    trace = heat_map_trace(matrix, np.arange(20), AXES)
    places = [trace["x"].index(f"column {number}") for number in (1, 3)]
    assert abs(places[0] - places[1]) == 1


def test_similarities_have_rows_and_columns_in_the_order_of_the_leaves() -> None:
    similarity = np.array([[3.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 3.0]])
    matrix = matrix_of_problem(Problem(n=3, similarity=similarity), "x")
    trace = heat_map_trace(matrix, np.array([1, 0, 2]), AXES)
    assert trace["x"] == ["item 1", "item 0", "item 2"]
    drawn = numbers_of(trace)
    assert drawn[0, 1] == drawn[1, 0]
    # Item 0 is more similar to item 2 than to item 1.
    assert drawn[1, 2] > drawn[1, 0]


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("unit", [1.0, 1e200, 1e-200])
def test_of_many_columns_those_of_the_largest_variance_are_drawn(
    unit: float, is_sparse: bool
) -> None:
    rng = np.random.default_rng(0)
    scales = np.linspace(1.0, 2.0, MOST_COLUMNS + 30)
    values = rng.permuted(np.tile(np.arange(10.0), (len(scales), 1)), axis=1).T * scales * unit
    table: Any = values
    if is_sparse:
        table = csr_matrix(values)
    fitting = fitting_matrix(Problem(n=10, vectors=table), "x")
    assert fitting is not None
    # All columns have the same values but for their scale.
    np.testing.assert_array_equal(fitting.values, values[:, 30:])
    assert "the 100 of 130 columns" in describe_colours(fitting, len(scales))


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_the_unit_of_the_data_does_not_matter(unit: float) -> None:
    """Squares of these values are 0 or infinite."""
    values = np.random.default_rng(0).normal(size=(12, 5))
    matrix = fitting_matrix(Problem(n=12, vectors=values * unit), "x")
    assert matrix is not None
    trace = heat_map_trace(matrix, np.arange(12), AXES)
    columns = [int(title.removeprefix("column ")) - 1 for title in trace["x"]]
    np.testing.assert_allclose(numbers_of(trace), zscore(values)[:, columns], rtol=1e-5)


def test_names_that_occur_twice_are_two_columns() -> None:
    trace = heat_map_trace(vectors([[1, 2], [3, 5]], ["a", "a"]), np.arange(2), AXES)
    assert len(set(trace["x"])) == 2


def test_what_cannot_be_drawn_has_no_heat_map() -> None:
    too_many = MOST_SIMILAR + 1
    similarity = np.eye(too_many)
    assert fitting_matrix(Problem(n=too_many, similarity=similarity), "x") is None
    assert fitting_matrix(Problem(n=3, levels=np.array([[0], [1], [1]])), "x") is None


def test_constant_columns_are_drawn() -> None:
    trace = heat_map_trace(vectors(np.ones((3, 2))), np.arange(3), AXES)
    assert not numbers_of(trace).any()


def test_the_data_are_a_view_of_the_figure() -> None:
    tree = Tree.from_linkage([[0, 1, 1.0, 2], [2, 3, 2.0, 3]])
    names = ("x", "y", "z")
    data = Data(
        n=3, names=names, levels=(), truth=None, matrix=vectors([[1.0], [2.0], [9.0]]), n_columns=1
    )
    figure = draw_tree(tree, data, "UPGMA", "UPGMA on x")
    assert list(figure["choices"]["View"]) == ["result", "result and data"]
    assert figure["data"][-1]["type"] == "heatmap"
    without = draw_tree(tree, Data(n=3, names=names, levels=(), truth=None), "UPGMA", "UPGMA on x")
    assert list(without["choices"]["View"]) == ["result"]
    assert all(trace.get("type") != "heatmap" for trace in without["data"])
