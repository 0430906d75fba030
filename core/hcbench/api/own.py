"""What callers give from Python: arrays, labels, trees, functions and specs of their own."""

from __future__ import annotations

import pickle
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError, ParameterError
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.problem import Problem, check_levels
from hcbench.model.similarity import looks_like_distances
from hcbench.model.trees import Partition, Tree
from hcbench.oracle import Oracle
from hcbench.registry import Use, make_use
from hcbench.registry.plugins import Plugin
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, MetricSpec
from hcbench.run.job import place_of

Own: TypeAlias = Callable[..., Any]


def sort_out(items: Iterable[Any], own: Callable[[Any], Any]) -> tuple[tuple[str, ...], list[Any]]:
    """Names, and uses made of the caller's own objects."""
    listed = [items] if isinstance(items, str) else list(items)
    names = tuple(item for item in listed if isinstance(item, str))
    return names, [own(item) for item in listed if not isinstance(item, str)]


def _own_use(spec: Any, version: str | None = None) -> Use[Any]:
    """A use of the caller's own; stored results are not reused without a version."""
    return make_use(spec, Plugin("caller", "session", version or uuid.uuid4().hex), {})


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[\[\]=,:\s<>]", "", name)


def on_vectors(
    function: Own, takes_rng: bool, oracle: Oracle, _given: Any, rng: np.random.Generator
) -> Any:
    """An algorithm made of a function of the vectors alone."""
    return function(oracle.read(), rng=rng) if takes_rng else function(oracle.read())


def own_algorithm(item: AlgorithmSpec | Own) -> Use[AlgorithmSpec]:
    """An algorithm made of a spec, or of a function of the vectors."""
    if isinstance(item, AlgorithmSpec):
        return _own_use(item)
    if not callable(item):
        raise ParameterError(f"an algorithm is a name, a function or an AlgorithmSpec: {item!r}")
    code = getattr(item, "__code__", None)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    spec = AlgorithmSpec(
        name=_name_of(item),
        function=partial(on_vectors, item, "rng" in names),
        doc="The caller's own.",
        accepts=("vectors",),
    )
    return _own_use(spec)


def own_metric(item: MetricSpec | Own) -> Use[MetricSpec]:
    """A metric made of a spec, or of a function of what is scored."""
    if isinstance(item, MetricSpec):
        return _own_use(item)
    if not callable(item):
        raise ParameterError(f"a metric is a name, a function or a MetricSpec: {item!r}")
    spec = MetricSpec(
        name=_name_of(item),
        function=item,
        doc="The caller's own.",
        direction="higher",
        result="any",
    )
    return _own_use(spec)


def named_pairs(datasets: Iterable[Any] | Mapping[str, Any]) -> list[Any]:
    """Names unchanged; the caller's own data with a name."""
    if isinstance(datasets, Mapping):
        return [(name, data) for name, data in datasets.items()]
    if isinstance(datasets, str):
        return [datasets]
    return [
        item if isinstance(item, str) else (getattr(item, "__name__", f"data{number}"), item)
        for number, item in enumerate(datasets, start=1)
    ]


def read_problem(path: str, _seed: int) -> Problem:
    """A data set in a file of this session, so that only its path is sent to the workers."""
    problem: Problem = pickle.loads(Path(place_of(path)).read_bytes())
    return problem


def own_dataset(named: tuple[str, Any], folder: Path) -> Use[DatasetSpec]:
    """A data set made of a spec, a function of the seed, or data, which are put into the folder."""
    name, data = named
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
    spec = DatasetSpec(
        name=name,
        function=function,
        doc="The caller's own.",
        provides=tuple(problem.provides),
        truths=tuple(problem.truths),
        random=callable(data),
    )
    return _own_use(spec, version)


def as_problem(data: Any, truth: Any = None) -> Problem:
    """Make a problem of arrays, comparisons or a tree.

    Parameters
    ----------
    data : (n, p) or (n, n) array, Comparisons, Tree, Problem, or pair (data, truth)
        A square symmetric matrix counts as similarities, any other as vectors.
    truth : Tree, (n,) or (n, L) labels, optional

    Raises
    ------
    DataError
        If it is none of these.
    """
    if isinstance(data, tuple) and len(data) == 2 and truth is None:
        data, truth = data
    known = truth_entries(truth)
    if isinstance(data, Problem):
        return replace(data, **known) if known else data
    if isinstance(data, Comparisons):
        return Problem(n=data.n, comparisons=data, **known)
    if isinstance(data, AllComparisons):
        raise DataError(
            "all comparisons of a ranking are what an oracle makes of similarities: give these, "
            "with oracle='quadruplet-set[p=1]'; or materialise() the comparisons"
        )
    if isinstance(data, Tree):
        return Problem(n=data.n, names=data.names, tree=data, **known)
    if hasattr(data, "tocsr"):
        from scipy import sparse

        return Problem(n=data.shape[0], vectors=sparse.csr_array(data), **known)
    matrix = _matrix(data)
    if len(matrix) and matrix.shape[0] == matrix.shape[1] and np.array_equal(matrix, matrix.T):
        if looks_like_distances(matrix):
            raise DataError(
                "a symmetric matrix counts as similarities, and these are distances, as the "
                "diagonal has zeros and all else is larger; give 1 - d / d.max(), or a "
                "Problem(n=..., similarity=...) if they are similarities after all"
            )
        return Problem(n=len(matrix), similarity=matrix, **known)
    return Problem(n=len(matrix), vectors=matrix, **known)


def _matrix(data: Any) -> NDArray[Any]:
    try:
        array = np.array(data)
    except ValueError as error:
        raise DataError(f"the rows of the data have different lengths: {error}") from error
    if array.ndim != 2 or array.dtype.kind not in "iufb":
        raise DataError(
            f"data must be a numeric matrix (n, p), got shape {array.shape} of {array.dtype}"
        )
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def truth_entries(truth: Any) -> dict[str, Any]:
    """The fields of a Problem for a truth that is a tree or labels, or None."""
    if truth is None:
        return {}
    if isinstance(truth, Tree):
        return {"truths": {"truth": truth}}
    labels = np.asarray(truth)
    if labels.ndim == 1:
        labels = labels[:, None]
    if labels.ndim != 2:
        raise DataError(f"labels must have shape (n,) or (n, L), got {labels.shape}")
    check_levels(labels, [f"column {i}" for i in range(labels.shape[1])], "labels")
    found = [np.unique(column, return_inverse=True) for column in labels.T]
    return {
        "levels": np.column_stack([codes.ravel() for _, codes in found]).astype(np.int64),
        "classes": tuple(tuple(map(str, names)) for names, _ in found),
    }


def problem_of_truth(truth: Any) -> Problem:
    """A problem of which only the truth is given: a tree, labels, similarities or vectors."""
    if isinstance(truth, Problem):
        return truth
    if isinstance(truth, Tree):
        return Problem(n=truth.n, **truth_entries(truth))
    if isinstance(truth, Partition):
        truth = truth.labels
    array = np.asarray(truth)
    if array.ndim == 1 or array.dtype.kind in "iubUSO":
        return Problem(n=len(array), **truth_entries(array))
    return as_problem(array)
