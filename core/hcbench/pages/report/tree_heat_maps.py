"""The data beside a tree of a report, as a heat map with the items in the order of its leaves."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.errors import NotApplicableError
from hcbench.figures.problems import Matrix, matrix_of_problem
from hcbench.figures.tree_figures import colour_limits, scaled
from hcbench.pages.report.figures import cut, plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.model.problem import Problem

#: Of more columns, those with the largest variance are drawn.
MOST_COLUMNS = 100
#: Similarities of more items would make the page large, as each tree has them in its own order.
MOST_SIMILAR = 250
#: From blue to red, with white in the middle; as the figures of matplotlib have it (ColorBrewer).
_DIVERGING = (
    "#053061",
    "#2166ac",
    "#4393c3",
    "#92c5de",
    "#d1e5f0",
    "#f7f7f7",
    "#fddbc7",
    "#f4a582",
    "#d6604d",
    "#b2182b",
    "#67001f",
)


def fitting_matrix(problem: Problem, dataset: str) -> Matrix | None:
    """The part of the data that a page has room for; None if there is none.

    Parameters
    ----------
    problem : Problem
        Of the items that are drawn.
    dataset : str
        The data set; if it is a table, the columns have the names in its header.
    """
    try:
        matrix = matrix_of_problem(problem, dataset, most_columns=MOST_COLUMNS)
    except NotApplicableError:
        # Data of other kinds, such as graphs and comparisons.
        return None
    n_rows, n_columns = matrix.values.shape
    if n_columns == 0:
        return None
    if matrix.are_similarities and n_rows > MOST_SIMILAR:
        return None
    return matrix


def heat_map_trace(
    matrix: Matrix, order: NDArray[np.int64], axes: dict[str, str]
) -> dict[str, Any]:
    """A trace of plotly with the items in the order of the leaves, from top to bottom.

    Columns of vectors are standardised, as they may have different units, and in the order of their
    tree; those of similarities are in the order of the leaves.
    """
    columns = column_order(matrix, order)
    values = matrix.values
    colours: Any = "Viridis"
    if not matrix.are_similarities:
        values = scaled(values, "column")
        colours = _stops(_DIVERGING)
    shown_values = values[order][:, columns]
    low, high = colour_limits(shown_values, is_centred=not matrix.are_similarities)
    n_rows, n_columns = shown_values.shape
    packed = b64encode(shown_values.astype("<f4").tobytes()).decode()
    return {
        "type": "heatmap",
        "x": column_titles(matrix, columns),
        "y": list(range(n_rows)),
        "z": {"dtype": "f4", "bdata": packed, "shape": f"{n_rows}, {n_columns}"},
        "zmin": low,
        "zmax": high,
        "colorscale": colours,
        "showscale": False,
        "hovertemplate": "%{x}: %{z:.3g}<extra></extra>",
        **axes,
    }


def column_order(matrix: Matrix, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The columns from left to right."""
    if matrix.are_similarities:
        return order
    if matrix.column_tree is not None:
        return matrix.column_tree.leaf_order
    return np.arange(matrix.values.shape[1])


def column_titles(matrix: Matrix, columns: NDArray[np.int64]) -> list[str]:
    """The names of columns, each once, as plotly draws columns of one name on each other."""
    titles: dict[str, None] = {}
    for column in columns:
        title = f"column {column + 1}"
        if matrix.are_similarities:
            title = f"item {column}"
        if matrix.column_names is not None:
            title = plain(cut(matrix.column_names[column], 26))
        if title in titles:
            title = f"{title} ({column + 1})"
        titles[title] = None
    return list(titles)


def describe_colours(matrix: Matrix, n_columns: int) -> str:
    """What the colours of a heat map are, as a sentence.

    Parameters
    ----------
    matrix : Matrix
        What is drawn.
    n_columns : int
        How many columns the data have.
    """
    if matrix.are_similarities:
        return "Colours of the data: similarities (0 for the largest), darker is less."
    text = "Colours of the data: each column with mean 0 and standard deviation 1, blue is less"
    n_shown = matrix.values.shape[1]
    if n_shown < n_columns:
        text += f"; the {n_shown} of {n_columns:,} columns with the largest variance"
    return f"{text}."


def _stops(colours: tuple[str, ...]) -> list[list[Any]]:
    """A scale of colours at equal distances."""
    return [[place / (len(colours) - 1), colour] for place, colour in enumerate(colours)]
