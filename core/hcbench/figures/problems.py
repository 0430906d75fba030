"""The data of a problem as a heat map, with their classes and the names of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench.analysis.item_distances import distances_of_problem
from hcbench.errors import DataError, HcbenchError
from hcbench.figures.tree_figures import Scaling, heat_map
from hcbench.files.tables import is_number, table_rows
from hcbench.model.arrays import is_sparse
from hcbench.model.problem import Problem
from hcbench.model.trees import Tree
from hcbench.registry.names import parse_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Columns of more vectors stay in their order, as their tree would be too fine to be read.
_MOST_COLUMNS = 500
#: Suffixes of tables whose header may name the columns.
_TABLES = (".csv", ".tsv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The data of a problem as rows and columns of numbers.

    Attributes
    ----------
    values : (n, p) float
        The vectors of the items, or their similarities.
    column_names : sequence of str or None
    column_tree : Tree or None
        Of the columns of vectors; None if there are too many, and of similarities, whose columns
        are the items.
    are_similarities : bool
    """

    values: NDArray[np.float64]
    column_names: Sequence[str] | None
    column_tree: Tree | None
    are_similarities: bool


def matrix_of_problem(problem: Problem, dataset: str, *, most_columns: int | None = None) -> Matrix:
    """The vectors of a problem, or its similarities.

    Parameters
    ----------
    problem : Problem
    dataset : str
        The data set; if it is a table, the columns have the names in its header.
    most_columns : int, optional
        Of more columns of vectors, those with the largest variance, in their order.

    Raises
    ------
    NotApplicableError
        If there are no vectors and no similarities.
    """
    if problem.vectors is None:
        return Matrix(
            values=-distances_of_problem(problem),
            column_names=problem.names,
            column_tree=None,
            are_similarities=True,
        )
    vectors: Any = problem.vectors
    n_columns = vectors.shape[1]
    column_names = _feature_names(dataset, n_columns)
    if most_columns is not None and n_columns > most_columns:
        # Chosen before sparse vectors are made dense, as these may have 100,000 columns.
        columns = _most_variable(vectors, most_columns)
        vectors = vectors[:, columns]
        if column_names is not None:
            column_names = [column_names[column] for column in columns]
    if is_sparse(vectors):
        vectors = vectors.toarray()
    values = np.asarray(vectors, dtype=np.float64)
    return Matrix(
        values=values,
        column_names=column_names,
        column_tree=_tree_of_columns(values),
        are_similarities=False,
    )


def _most_variable(vectors: Any, count: int) -> NDArray[np.int64]:
    """The columns with the largest variance, of equal ones the first, in increasing order."""
    # The unit does not matter, but squares of large values would be infinite.
    unit = abs(vectors).max() or 1.0
    vectors = vectors / unit
    if is_sparse(vectors):
        mean_of_squares = np.asarray(vectors.multiply(vectors).mean(axis=0)).ravel()
        mean = np.asarray(vectors.mean(axis=0)).ravel()
        variances = mean_of_squares - mean**2
    else:
        variances = vectors.var(axis=0)
    return np.sort(np.argsort(-variances, kind="stable")[:count])


def heat_map_of_problem(
    tree: Tree,
    problem: Problem,
    dataset: str,
    *,
    title: str = "",
    labels: Mapping[str, NDArray[np.int64]] | None = None,
    k: int | None = None,
    scale: Scaling = "none",
) -> Figure:
    """The vectors of a problem, or its similarities, in the order of a tree.

    Parameters
    ----------
    tree : Tree
        Leaf i is item i of the problem.
    problem : Problem
    dataset : str
        The data set; if it is a table, the columns have the names in its header.
    title : str
    labels : mapping of cut to (n,) int, optional
        Clusters, shown as strips beside the classes of the data.
    k : int, optional
        A cut, drawn as a line.
    scale : {"none", "row", "column"}
        Whether rows or columns are standardised; for the colours only.

    Raises
    ------
    NotApplicableError
        If there are no vectors and no similarities.
    """
    strips: dict[str, Any] = dict(classes_of_problem(problem))
    strips.update(labels or {})
    matrix = matrix_of_problem(problem, dataset)
    if matrix.are_similarities:
        return heat_map(
            tree,
            matrix.values,
            column_names=tree.names,
            column_tree=tree,
            strips=strips,
            title=title,
            k=k,
            label="similarity (0 for the largest)",
        )
    return heat_map(
        tree,
        matrix.values,
        column_names=matrix.column_names,
        column_tree=matrix.column_tree,
        strips=strips,
        scale=scale,
        title=title,
        k=k,
    )


def classes_of_problem(problem: Problem) -> dict[str, list[str]]:
    """The classes of the items by level, the coarsest first."""
    if problem.levels is None:
        return {}
    n_levels = problem.levels.shape[1]
    if n_levels == 1:
        return {"class": problem.class_names(1)}
    classes = {}
    # Level 0 is the root, which is no class.
    for depth in range(1, n_levels + 1):
        classes[f"level {depth}"] = problem.class_names(depth)
    return classes


def _tree_of_columns(values: NDArray[np.float64]) -> Tree | None:
    """The columns by average linkage of their Euclidean distances; None if they are too many."""
    from scipy.cluster.hierarchy import linkage

    n_columns = values.shape[1]
    if not 2 <= n_columns <= _MOST_COLUMNS:
        return None
    # The unit does not change the tree, but squares of large values would be infinite.
    unit = np.abs(values).max() or 1.0
    return Tree.from_linkage(linkage(values.T / unit, "average"))


def _feature_names(dataset: str, n_columns: int) -> list[str] | None:
    """The header of a table, if as many of its columns have numbers as there are features."""
    try:
        path = Path(parse_file(dataset).base).expanduser()
    except HcbenchError:
        return None
    if path.suffix.lower() not in _TABLES or not path.is_file():
        return None
    try:
        rows = [cells for _, cells in islice(table_rows(path), 2)]
    except DataError:
        return None
    if len(rows) < 2 or len(rows[0]) != len(rows[1]):
        return None
    names = []
    for name, cell in zip(rows[0], rows[1], strict=True):
        # Columns of texts, such as names of items and classes, are no features.
        if is_number(cell) and not is_number(name):
            names.append(name)
    if len(names) != n_columns:
        return None
    return names
