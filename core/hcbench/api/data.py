"""Problems made of data and truths in the forms in which callers have them in Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.api.items import items_of
from hcbench.errors import DataError
from hcbench.model.arrays import as_plain_array, as_vectors, is_sparse
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.labels import check_levels, coded_labels
from hcbench.model.names import (
    columns_in_row_order,
    is_of_features,
    match_items,
    names_of_index,
)
from hcbench.model.problem import Problem
from hcbench.model.squares import (
    is_distance_matrix,
    similarity_of_distances,
    split_square,
)
from hcbench.model.trees import Partition, Tree
from hcbench.model.views import Vectors
from hcbench.registry.specs import DatasetSpec

_MOST_COLUMNS = 8  # of a DataFrame that a message names
_FORMS = "data must be a numeric matrix (n, p), or (matrix, labels)"


# ---- Which form data have ------------------------------------------------------------------------


def is_data(value: Any) -> bool:
    """Whether an argument ``datasets`` is one data set, and not a name, a file or several."""
    if isinstance(value, tuple) and len(value) == 2:
        # A pair of data and truth, unless it is a list of two names.
        data = value[0]
        return not isinstance(data, str | Path) and is_data(data)
    if isinstance(value, str | Path | Problem | Comparisons | Tree | DatasetSpec):
        return True
    if callable(value) or hasattr(value, "tocsr") or hasattr(value, "__array__"):
        return True
    if _is_bunch(value) or is_distance_matrix(value):
        return True
    return _is_frame(value) or _is_list_of_rows(value)


def _is_frame(value: Any) -> bool:
    """Whether this is a DataFrame of pandas, polars, pyarrow or another library with them."""
    # All of them have columns; arrays, for which narwhals need not be imported, have none.
    # Of a lazy frame they would be computed, if the object were asked and not its class.
    if not hasattr(type(value), "columns"):
        return False
    from narwhals.dependencies import is_into_dataframe

    return is_into_dataframe(value)


def _is_bunch(value: Any) -> bool:
    """Whether this is what scikit-learn's loaders of data sets return."""
    return isinstance(value, dict) and "data" in value and "target" in value


def _is_list_of_rows(value: Any) -> bool:
    """Whether this is a matrix as a list of lists."""
    if not isinstance(value, list) or not value:
        return False
    # Of a tuple it could not be said whether it is a row, or data with their truth.
    return all(type(row) is list for row in value)


# ---- Data ----------------------------------------------------------------------------------------


def as_problem(data: Any, truth: Any = None) -> Problem:
    """Make a problem of arrays, comparisons or a tree.

    Parameters
    ----------
    data : (n, p) or (n, n) array, DataFrame, Comparisons, Tree, Problem, Bunch, or (data, truth)
        A matrix is what `kind_of_square` says: similarities if it is symmetric up to rounding and
        its diagonal has the largest values, vectors if it is not symmetric. The index of a
        DataFrame names the items, unless it is the default one. A `skbio.DistanceMatrix` is
        similarities of items with its ids, as `similarity_of_distances` makes them.
    truth : Tree, Partition, (n,) or (n, L) labels, optional
        Of a DataFrame also names of columns, the coarsest level first. Items are matched as
        `hcbench.model.names.match_items` does.

    Returns
    -------
    Problem

    Raises
    ------
    DataError
        If it is none of these, or a matrix of distances, or one that may be several things; the
        message has the ways to say what it is. If the truth is of other items.
    """
    # With a truth of its own, a pair is data: a matrix of two rows.
    if isinstance(data, tuple) and len(data) == 2 and truth is None:
        data, truth = data
    if _is_bunch(data):
        if truth is None:
            truth = data["target"]
        data = data["data"]
    table = data
    if is_distance_matrix(data):
        table = similarity_of_distances(data)
    elif _is_frame(data):
        table, truth = _split_labels(_as_pandas(data), truth)
    problem = _problem_of(table)
    if truth is None:
        return problem
    entries = truth_entries(truth)
    items = items_of(data, "the data", problem.n)
    if isinstance(truth, Tree):
        # The leaves are reordered, and not the data: their rows are what algorithms see.
        tree = truth.matched_with(items, truth.named_items("the truth"))
        return replace(problem, truths={"truth": tree.with_names(problem.names)})
    labels = items_of(truth, "the truth", len(entries["levels"]))
    entries["levels"] = entries["levels"][match_items(labels, items)]
    return replace(problem, **entries)


def _problem_of(data: Any) -> Problem:
    """A problem of data without a truth."""
    if _is_frame(data):
        return _problem_of_frame(data)
    if isinstance(data, Problem):
        return data
    if isinstance(data, Comparisons):
        return Problem(n=data.n, comparisons=data)
    if isinstance(data, AllComparisons):
        raise DataError(
            "all comparisons of a ranking are what an oracle makes of similarities: give these, "
            "with oracle='quadruplet-set[p=1]'; or materialise() the comparisons"
        )
    if isinstance(data, Tree):
        return Problem(n=data.n, names=data.names, tree=data)
    matrix = _as_matrix(data)
    vectors, similarity = split_square(matrix)
    return Problem(n=matrix.shape[0], vectors=vectors, similarity=similarity)


def _as_matrix(data: Any) -> Vectors:
    """A matrix of numbers, (n, p), dense or sparse."""
    if is_sparse(data):
        return as_vectors(data, "the data")
    array = as_plain_array(data, "the data")
    if array.ndim != 2:
        raise DataError(_explain_shape(array, data))
    return as_vectors(array, "the data")


def _explain_shape(array: NDArray[Any], data: Any) -> str:
    """The message about an array that is no matrix."""
    if array.ndim == 0:
        import narwhals

        if isinstance(narwhals.from_native(data, pass_through=True), narwhals.LazyFrame):
            return "the data are a lazy frame, of which nothing is read yet; give frame.collect()"
        return f"{_FORMS}; got {data!r:.40}"
    if array.ndim == 1 and array.size > 1 and array.dtype.kind in "iuf":
        # Numbers of items, or the condensed distances of scipy.spatial.distance.pdist.
        return (
            f"{_FORMS}; got shape {array.shape}: of one number an item give x.reshape(-1, 1), of "
            "distances of pairs hcbench.similarity_of_distances(x)"
        )
    return f"{_FORMS}; got shape {array.shape} of {array.dtype}"


# ---- DataFrames ----------------------------------------------------------------------------------


def _as_pandas(data: Any) -> Any:
    """A DataFrame of any library as one of pandas.

    Without an index of its own, it has none here: the numbers of its rows are no names.
    """
    import narwhals as nw
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        _check_names(data)
        return data
    frame = nw.from_native(data, eager_only=True)
    # Not frame.to_pandas(), for which polars needs pyarrow.
    columns = {}
    for name in frame.columns:
        columns[name] = frame[name].to_numpy()
    return pd.DataFrame(columns)


def _check_names(frame: Any) -> None:
    """Refuse columns of one name, of which a name could mean either."""
    repeated = frame.columns[frame.columns.duplicated()].unique()
    if len(repeated):
        raise DataError(
            f"the DataFrame has several columns called {str(repeated[0])!r}; rename "
            "them, or keep the first of each: frame.loc[:, ~frame.columns.duplicated()]"
        )


def _split_labels(frame: Any, truth: Any) -> tuple[Any, Any]:
    """A DataFrame without the columns that the truth names, and these columns as the truth."""
    columns = truth
    if isinstance(truth, str):
        columns = [truth]
    if not _are_texts(columns):
        return frame, truth
    absent = []
    for name in columns:
        if name not in frame.columns:
            absent.append(name)
    if not absent:
        return frame.drop(columns=list(columns)), frame[list(columns)]
    if len(columns) != len(frame):
        raise DataError(f"the DataFrame has no column {absent[0]!r}; it has {_first_names(frame)}")
    # As many texts as rows, of which some are no columns: they are labels.
    return frame, truth


def _are_texts(value: Any) -> bool:
    """Whether this is a list or tuple of texts."""
    if not isinstance(value, list | tuple):
        return False
    return all(isinstance(entry, str) for entry in value)


def _problem_of_frame(frame: Any) -> Problem:
    """A problem of a DataFrame of pandas, of which all columns must be numbers.

    Raises
    ------
    DataError
        If a column has complex numbers, texts or missing values.
    """
    _check_columns(frame)
    matrix = columns_in_row_order(frame).to_numpy(np.float64)
    if is_of_features(frame):
        # Names of columns that are not those of the rows: no similarities of items.
        problem = Problem(n=len(matrix), vectors=matrix)
    else:
        problem = _problem_of(matrix)
    return replace(problem, names=names_of_index(frame, only_own=True))


def _check_columns(frame: Any) -> None:
    from pandas.api.types import is_numeric_dtype

    is_complex = [dtype.kind == "c" for dtype in frame.dtypes]
    if any(is_complex):
        names = _first_names(frame.loc[:, is_complex])
        raise DataError(f"{names} are complex numbers; give their real parts or sizes (abs)")
    texts = []
    for name in frame.columns:
        if not is_numeric_dtype(frame[name].dtype):
            texts.append(name)
    if texts:
        # Such columns are mostly classes, so the message shows how these are given.
        labels = [str(name) for name in texts[:3]]
        raise DataError(
            f"columns of a DataFrame must be numbers, and {_first_names(frame[texts])} are not; "
            f"drop them, or give them as labels: (frame, {labels})"
        )
    missing = frame.columns[frame.isna().any()]
    if len(missing):
        raise DataError(
            f"numbers are missing in {_first_names(frame[missing])}; drop these rows "
            "(frame.dropna()) or fill them (frame.fillna(frame.median()))"
        )


def _first_names(frame: Any) -> str:
    """The names of the first columns of a DataFrame, for messages."""
    names = [repr(str(name)) for name in frame.columns]
    text = ", ".join(names[:_MOST_COLUMNS])
    if len(names) > _MOST_COLUMNS:
        text += f" and {len(names) - _MOST_COLUMNS} more"
    return text


# ---- Truths --------------------------------------------------------------------------------------


def truth_entries(truth: Any) -> dict[str, Any]:
    """The fields of a Problem for a truth that is a tree or labels, or None."""
    if truth is None:
        return {}
    if isinstance(truth, Tree):
        return {"truths": {"truth": truth}}
    labels = truth
    if isinstance(truth, Partition):
        labels = truth.labels
    codes, classes = coded_labels(labels)
    columns = [f"column {level}" for level in range(codes.shape[1])]
    check_levels(codes, columns, "labels")
    return {"levels": codes, "classes": classes}


def problem_of_truth(truth: Any, *, may_be_labels: bool = True) -> Problem:
    """A problem of which only the truth is known: a tree, labels, similarities or vectors.

    Parameters
    ----------
    truth : Tree, Partition, labels, matrix, DistanceMatrix or Problem
    may_be_labels : bool
        Whether a matrix of integers has labels, (n, L); else it has vectors or similarities.

    Returns
    -------
    Problem

    Raises
    ------
    DataError
        If it is none of these.
    """
    if isinstance(truth, Problem):
        return truth
    if isinstance(truth, Tree):
        return Problem(n=truth.n, **truth_entries(truth))
    if isinstance(truth, Partition):
        return Problem(n=truth.n, names=truth.names, **truth_entries(truth))
    if is_sparse(truth) or is_distance_matrix(truth):
        # They are no labels.
        return as_problem(truth)
    if _is_frame(truth):
        truth = columns_in_row_order(_as_pandas(truth))
    array = _as_array_of_truth(truth)
    if array.ndim == 0:
        raise DataError(
            f"the truth must be a Tree, labels (n,), a matrix or a Problem, got "
            f"{type(truth).__name__}; pandas.Series(labels) has the labels of a dict by name"
        )
    if _has_labels(array, may_be_labels=may_be_labels):
        names = names_of_index(truth, only_own=True)
        return Problem(n=len(array), names=names, **truth_entries(truth))
    return as_problem(truth)


def _as_array_of_truth(truth: Any) -> NDArray[Any]:
    # What is masked is found later: of labels by item, of a matrix by the number of its cells.
    if isinstance(truth, np.ma.MaskedArray):
        masked: NDArray[Any] = truth.data
        return masked
    return as_plain_array(truth, "the truth")


def _has_labels(array: NDArray[Any], *, may_be_labels: bool) -> bool:
    """Whether an array has labels, and not vectors or similarities."""
    # One entry an item, or texts and objects in several columns, can be nothing else.
    if array.ndim == 1 or array.dtype.kind in "USO":
        return True
    return may_be_labels and array.dtype.kind in "iub"
