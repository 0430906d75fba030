"""What callers give from Python: arrays, labels, trees, functions and specs of their own."""

from __future__ import annotations

import inspect
import pickle
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MethodType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.api.items import items_of
from hcbench.errors import DataError, ParameterError
from hcbench.model.arrays import as_plain_array, as_vectors, is_sparse
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.labels import coded_labels
from hcbench.model.names import (
    columns_in_row_order,
    is_of_features,
    match_items,
    names_of_index,
)
from hcbench.model.problem import Problem, Vectors, check_levels
from hcbench.model.squares import split_square
from hcbench.model.trees import Partition, Tree
from hcbench.oracle import Oracle
from hcbench.registry import Use, make_use
from hcbench.registry.plugins import Plugin
from hcbench.registry.repeats import Repeats
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, MetricSpec, Spec
from hcbench.run.job import place_of

Own: TypeAlias = Callable[..., Any]
Problems: TypeAlias = dict[str, Problem]
_DOC = "The caller's own."


def sort_out(
    noun: str, items: Iterable[Any], own: Callable[[Any], Any], repeats: Repeats
) -> tuple[tuple[str, ...], list[Any]]:
    """Names, and uses made of the caller's own objects, of which each counts once.

    Parameters
    ----------
    noun : str
        What the list has, such as "algorithms".
    items : iterable
        Or one of them.
    own : callable
        Makes a use of an object that is no name.
    repeats : Repeats
        Gets the objects that are repeated; `hcbench.plan.plan.make_plan` compares the names.
    """
    one = isinstance(items, str) or callable(items) or not isinstance(items, Iterable)
    given = [items] if one else list(items)
    listed = [part for i in given for part in (i.split() if isinstance(i, MetricSpec) else [i])]
    names = tuple(item for item in listed if isinstance(item, str))
    objects: list[Any] = []
    uses: list[Use[Any]] = []
    for item in listed:
        if isinstance(item, str):
            continue
        same = [use for other, use in zip(objects, uses, strict=True) if _is_same(other, item)]
        if same:
            repeats.add(noun, same[0].label)
            continue
        use = own(item)
        objects.append(item)
        uses.append(use)
    return names, uses


def _is_same(one: Any, other: Any) -> bool:
    """Whether two of a caller's objects are one: functions, specs, or data under one name."""
    if one is other:
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):  # data with its name
        return bool(one[0] == other[0]) and one[1] is other[1]
    if isinstance(one, Spec | MethodType):
        return bool(one == other)
    return False


def _own_use(spec: Any, version: str | None = None) -> Use[Any]:
    """A use of the caller's own; stored results are not reused without a version."""
    return make_use(spec, Plugin("caller", "session", version or uuid.uuid4().hex), {})


def _name_of(function: Any, expected: str) -> str:
    if not callable(function):
        raise ParameterError(f"{expected}: {function!r}")
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[\[\]=,:\s<>]", "", name)


def on_vectors(
    function: Own, with_rng: bool, oracle: Oracle, _given: Any, rng: np.random.Generator
) -> Any:
    """An algorithm made of a function of the vectors alone."""
    return function(oracle.read(), rng=rng) if with_rng else function(oracle.read())


def takes_rng(function: Own) -> bool:
    """Whether a callable of the caller takes ``rng``, and leaves it to us.

    A wrapper that takes any keywords takes those of the function that it wraps
    (`functools.wraps`). A function of C without a signature takes none, as nothing can be known.
    """
    if isinstance(function, partial) and "rng" in function.keywords:
        return False
    inner = _parameters_of(function, follow_wrapped=True)
    if not _has_keyword_rng(inner):
        return False
    outer = _parameters_of(function, follow_wrapped=False)
    takes_any_keyword = any(taken.kind is inspect.Parameter.VAR_KEYWORD for taken in outer.values())
    # A wrapper in C, such as a function that numba compiles, has no signature but the inner one.
    return not outer or takes_any_keyword or _has_keyword_rng(outer)


def _parameters_of(function: Own, *, follow_wrapped: bool) -> Mapping[str, inspect.Parameter]:
    """The parameters of a callable; none if it has no signature."""
    try:
        return inspect.signature(function, follow_wrapped=follow_wrapped).parameters
    except (TypeError, ValueError):
        return {}


def _has_keyword_rng(parameters: Mapping[str, inspect.Parameter]) -> bool:
    """Whether ``rng`` is among parameters that may be given by name."""
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return "rng" in parameters and parameters["rng"].kind in by_name


def own_algorithm(item: AlgorithmSpec | Own) -> Use[AlgorithmSpec]:
    """An algorithm made of a spec, or of a function of the vectors."""
    if isinstance(item, AlgorithmSpec):
        return _own_use(item)
    name = _name_of(item, "an algorithm is a name, a function or an AlgorithmSpec")
    function = partial(on_vectors, item, takes_rng(item))
    return _own_use(AlgorithmSpec(name=name, function=function, doc=_DOC, accepts=("vectors",)))


def own_metric(item: MetricSpec | Own) -> Use[MetricSpec]:
    """A metric made of a spec, or of a function of what is scored."""
    if isinstance(item, MetricSpec):
        return _own_use(item)
    name = _name_of(item, "a metric is a name, a function or a MetricSpec")
    spec = MetricSpec(name=name, function=item, doc=_DOC, direction="higher", result="any")
    return _own_use(spec)


def named_pairs(datasets: Any) -> list[Any]:
    """Names unchanged, paths as names; the caller's own data with a name.

    Raises
    ------
    DataError
        If it is neither data nor several of them.
    """
    if _is_data(datasets):
        datasets = [datasets]
    elif isinstance(datasets, Mapping):
        return [(name, data) for name, data in datasets.items()]
    elif not isinstance(datasets, Iterable):
        raise DataError(
            f"datasets are names, files or data, got {type(datasets).__name__}: {datasets!r:.40}"
        )
    listed = [f"{'' if '/' in str(i) else './'}{i}" if isinstance(i, Path) else i for i in datasets]
    return [
        item if isinstance(item, str) else (getattr(item, "__name__", f"data{number}"), item)
        for number, item in enumerate(listed, start=1)
    ]


def _is_data(given: Any) -> bool:
    """Whether this is one data set, not several."""
    if isinstance(given, tuple) and len(given) == 2:
        return not isinstance(given[0], str | Path) and _is_data(given[0])
    kinds = str | Path | Problem | Comparisons | Tree | DatasetSpec
    return (
        isinstance(given, kinds)
        or callable(given)
        or _is_bunch(given)
        or hasattr(given, "tocsr")
        or hasattr(given, "__array__")
        or _is_frame(given)
        or (isinstance(given, list) and {*map(type, given)} == {list})  # a matrix
    )


def _is_frame(given: Any) -> bool:
    """Whether this is a DataFrame of some library; polars 2 has no interchange protocol."""
    is_arrow = hasattr(given, "__arrow_c_stream__") and hasattr(given, "columns")
    return hasattr(given, "__dataframe__") or is_arrow


def _is_bunch(given: Any) -> bool:
    """Whether this is what scikit-learn's loaders of data sets return."""
    return isinstance(given, dict) and {"data", "target"} <= given.keys()


def without_same_data(uses: Iterable[Use[DatasetSpec]], repeats: Repeats) -> list[Use[DatasetSpec]]:
    """The data sets of a list, in which data have no names: equal data count once."""
    first: dict[str, Use[DatasetSpec]] = {}
    for use in uses:
        earlier = first.setdefault(use.plugin.version, use)  # which is the digest of data
        if earlier is not use:
            repeats.add("datasets", use.label, earlier.label)
    return list(first.values())


def read_problem(path: str, _seed: int) -> Problem:
    """A data set in a file of this session, so that only its path is sent to the workers."""
    problem: Problem = pickle.loads(Path(place_of(path)).read_bytes())
    return problem


def own_dataset(pair: tuple[str, Any], folder: Path, given: Problems) -> Use[DatasetSpec]:
    """A data set made of a spec, a function of the seed, or data.

    Data are written to the folder, and added to those that were given, by their digests.
    """
    name, data = pair
    if isinstance(data, DatasetSpec):
        return _own_use(data)
    # A function is called here and not in a worker: nothing is planned before this is known.
    problem = data(0) if callable(data) else as_problem(data)
    if not isinstance(problem, Problem):
        raise DataError(f"{name}(seed) must return a Problem, got {type(problem).__name__}")
    function, version = data, None
    if not callable(data):
        path = folder / f"{uuid.uuid4().hex}.pickle"
        path.write_bytes(pickle.dumps(problem, protocol=5))
        function, version = partial(read_problem, str(path)), problem.digest()
        given[version] = problem
    spec = DatasetSpec(
        name=name,
        function=function,
        doc=_DOC,
        provides=tuple(problem.provides),
        truths=tuple(problem.truths),
        random=callable(data),
    )
    return _own_use(spec, version)


def as_problem(data: Any, truth: Any = None) -> Problem:
    """Make a problem of arrays, comparisons or a tree.

    Parameters
    ----------
    data : (n, p) or (n, n) array, DataFrame, Comparisons, Tree, Problem, Bunch, or (data, truth)
        A matrix is what `kind_of_square` says: similarities if it is symmetric up to rounding and
        its diagonal has the largest values, vectors if it is not symmetric. The index of a
        DataFrame names the items, unless it is the default one.
    truth : Tree, Partition, (n,) or (n, L) labels, optional
        Of a DataFrame also names of columns, the coarsest level first. Items are matched as
        `hcbench.match_items` does.

    Raises
    ------
    DataError
        If it is none of these, or a matrix of distances, or one that may be several things; the
        message has the ways to say what it is. If the truth is of other items.
    """
    if isinstance(data, tuple) and len(data) == 2 and truth is None:
        data, truth = data
    if _is_bunch(data):
        truth = data["target"] if truth is None else truth
        data = data["data"]
    table = data
    if _is_frame(data):
        table, truth = _split_labels(_as_pandas(data), truth)
    problem = _problem_of(table)
    if truth is None:
        return problem
    entries = truth_entries(truth)
    items = items_of(data, "the data", problem.n)
    if isinstance(truth, Tree):
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
    matrix = _matrix(data)
    vectors, similarity = split_square(matrix)
    return Problem(n=matrix.shape[0], vectors=vectors, similarity=similarity)


def _as_pandas(data: Any) -> Any:
    """A DataFrame of pandas, of polars, or of a library with the interchange protocol.

    Without an index of its own, it has none here: the numbers of its rows are no names.
    """
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        return data
    if hasattr(data, "__dataframe__"):
        return pd.api.interchange.from_dataframe(data)
    return pd.DataFrame({name: np.asarray(data[name]) for name in data.columns})


def _split_labels(frame: Any, truth: Any) -> tuple[Any, Any]:
    """A DataFrame without the columns that the truth names, and these columns as the truth."""
    columns = [truth] if isinstance(truth, str) else truth
    if not isinstance(columns, list | tuple) or not all(isinstance(c, str) for c in columns):
        return frame, truth
    absent = [name for name in columns if name not in frame.columns]
    if not absent:
        return frame.drop(columns=list(columns)), frame[list(columns)]
    if len(columns) != len(frame):
        raise DataError(f"the DataFrame has no column {absent[0]!r}; it has {_few(frame)}")
    return frame, truth


def _problem_of_frame(frame: Any) -> Problem:
    """A problem of a DataFrame of pandas."""
    from pandas.api.types import is_numeric_dtype

    wrong = frame.columns[[dtype.kind == "c" for dtype in frame.dtypes]]
    if len(wrong):
        raise DataError(
            f"{_few(frame[wrong])} are complex numbers; give their real parts or sizes (abs)"
        )
    texts = [name for name in frame.columns if not is_numeric_dtype(frame[name].dtype)]
    if texts:
        raise DataError(
            f"columns of a DataFrame must be numbers, and {_few(frame[texts])} are not; drop them, "
            f"or give them as labels: (frame, {[str(name) for name in texts][:3]})"
        )
    missing = frame.columns[frame.isna().any()]
    if len(missing):
        raise DataError(
            f"numbers are missing in {_few(frame[missing])}; drop these rows (frame.dropna()) or "
            "fill them (frame.fillna(frame.median()))"
        )
    matrix = columns_in_row_order(frame).to_numpy(np.float64)
    if is_of_features(frame):
        problem = Problem(n=len(matrix), vectors=matrix)
    else:
        problem = _problem_of(matrix)
    return replace(problem, names=names_of_index(frame, only_own=True))


def _few(frame: Any) -> str:
    names = [repr(str(name)) for name in frame.columns]
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _matrix(data: Any) -> Vectors:
    if not is_sparse(data):
        array = as_plain_array(data, "the data")
        if array.ndim != 2:
            raise DataError(_no_matrix(array, data))
        data = array
    return as_vectors(data, "the data")


def _no_matrix(array: NDArray[Any], data: Any) -> str:
    text = "data must be a numeric matrix (n, p), or (matrix, labels)"
    if array.ndim == 0:
        return f"{text}; got {data!r:.40}"
    if array.ndim == 1 and array.size > 1 and array.dtype.kind in "iuf":
        return (
            f"{text}; got shape {array.shape}: of one number an item give x.reshape(-1, 1), of "
            "distances of pairs hcbench.similarity_of_distances(x)"
        )
    return f"{text}; got shape {array.shape} of {array.dtype}"


def truth_entries(truth: Any) -> dict[str, Any]:
    """The fields of a Problem for a truth that is a tree or labels, or None."""
    if truth is None:
        return {}
    if isinstance(truth, Tree):
        return {"truths": {"truth": truth}}
    codes, classes = coded_labels(truth.labels if isinstance(truth, Partition) else truth)
    check_levels(codes, [f"column {i}" for i in range(codes.shape[1])], "labels")
    return {"levels": codes, "classes": classes}


def problem_of_truth(truth: Any, *, is_data: bool = False) -> Problem:
    """A problem of which only the truth is given: a tree, labels, similarities or vectors.

    Parameters
    ----------
    truth : Tree, Partition, labels, matrix or Problem
    is_data : bool
        Whether a matrix of integers has vectors or similarities; else it has labels.
    """
    if isinstance(truth, Problem):
        return truth
    if isinstance(truth, Tree):
        return Problem(n=truth.n, **truth_entries(truth))
    if isinstance(truth, Partition):
        return Problem(n=truth.n, names=truth.names, **truth_entries(truth))
    if is_sparse(truth):
        return as_problem(truth)
    if _is_frame(truth):
        truth = columns_in_row_order(_as_pandas(truth))
    # The mask of labels is told by item, that of a matrix by the number of cells.
    is_masked = isinstance(truth, np.ma.MaskedArray)
    array = truth.data if is_masked else as_plain_array(truth, "the truth")
    if array.ndim == 0:
        raise DataError(
            f"the truth must be a Tree, labels (n,), a matrix or a Problem, got "
            f"{type(truth).__name__}; pandas.Series(labels) has the labels of a dict by name"
        )
    has_integers = array.dtype.kind in "iub" and not is_data
    if array.ndim == 1 or has_integers or array.dtype.kind in "USO":
        names = names_of_index(truth, only_own=True)
        return Problem(n=len(array), names=names, **truth_entries(truth))
    return as_problem(truth)
