"""The Python twin of the command line, and the same objects without a harness."""

from __future__ import annotations

import pickle
import re
import tempfile
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.cell import Call, as_result, make_oracle
from hcbench.comparisons import Comparisons
from hcbench.errors import DataError, ParameterError
from hcbench.oracle import Oracle, ask_oracle
from hcbench.partition import Partition
from hcbench.plan import choose_oracles, make_plan
from hcbench.plugins import Plugin, Plugins
from hcbench.problem import Cost, Problem, Result, Scored, give
from hcbench.registry import Registry, Use, make_use, with_defaults
from hcbench.results import Results
from hcbench.run import Observer, run_plan
from hcbench.specs import AlgorithmSpec, DatasetSpec, MetricSpec
from hcbench.store import Store
from hcbench.suite import Suite
from hcbench.tree import Tree

Own: TypeAlias = Callable[..., Any]
_SESSION = "caller"


@lru_cache(maxsize=1)
def _installed() -> Registry:
    return Registry(Plugins())


def load_registry(files: Sequence[str | Path] = ()) -> Registry:
    """All that is registered.

    Parameters
    ----------
    files : sequence of path
        Plugin files beside those that are installed.

    Returns
    -------
    Registry
        With ``algorithms``, ``datasets``, ``oracles``, ``metrics`` and ``suites``.
    """
    return Registry(Plugins([Path(file) for file in files])) if files else _installed()


def compare(
    algos: Iterable[str | AlgorithmSpec | Own] = (),
    datasets: Iterable[Any] | Mapping[str, Any] = (),
    oracles: Iterable[str] = (),
    metrics: Iterable[str | MetricSpec | Own] = (),
    *,
    repetitions: int = 5,
    seed: int = 0,
    budget: int | Sequence[int] | None = None,
    checkpoints: Sequence[int] = (),
    n_jobs: int | None = None,
    timeout: float | None = 300.0,
    memory: float | None = None,
    store: str | Path | None = None,
    fresh: bool = False,
    plugins: Sequence[str | Path] = (),
    observer: Observer | None = None,
) -> Results:
    """Compare algorithms; the twin of ``hcbench compare``.

    Parameters
    ----------
    algos : iterable of str, AlgorithmSpec or callable
        ``"NAME[param=value]"``, where a list is a grid; or a function of your own,
        ``f(X) -> tree`` with X of shape (n, p), which returns a Tree, a scipy linkage matrix or
        scikit-learn's ``children_`` (a parameter called ``rng`` receives a seeded generator).
        Empty: the defaults of ``hcbench compare``.
    datasets : iterable or mapping
        Names; arrays (n, p); pairs ``(X, labels)``; Problems; functions ``f(seed) -> Problem``.
        A mapping gives names to them.
    oracles : iterable of str
        Where none of an accepted kind is named, an algorithm gets the first that it accepts and
        the data can provide.
    metrics : iterable of str, MetricSpec or callable
        A callable is ``f(scored) -> float``, higher is better.
    repetitions : int
    seed : int
        The base of all seeds; the same seed gives the same numbers.
    budget : int or sequence of int, optional
        The most questions an algorithm may ask; several make a run each.
    checkpoints : sequence of int
        Query counts at which the results of anytime algorithms are judged.
    n_jobs : int, optional
        Worker processes; by default one a core.
    timeout : float, optional
        Wall seconds for one call of an algorithm.
    memory : float, optional
        GiB that one call may hold above the warm worker.
    store : path or URL, optional
        Where results are kept; by default in the user's data directory.
    fresh : bool
        Run everything, whatever is stored.
    plugins : sequence of path
        Plugin files for this run.
    observer : Observer, optional
        Follows the run.

    Returns
    -------
    Results

    Raises
    ------
    HcbenchError
        If a name, a parameter or data are wrong; failing cells are rows, not errors.
    """
    registry = load_registry(plugins)
    budgets = () if budget is None else tuple(np.atleast_1d(budget).tolist())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hcbench-")))
        named, own = _sort_out(algos, _own_algorithm)
        named_data, own_data = _sort_out(_pairs(datasets), lambda x: _own_dataset(x, folder))
        named_metrics, own_metrics = _sort_out(metrics, _own_metric)
        suite = with_defaults(
            Suite(
                name="compare",
                algorithms=named,
                datasets=named_data,
                oracles=tuple(oracles),
                metrics=named_metrics,
                repetitions=repetitions,
                seed=seed,
                budgets=budgets,
                checkpoints=tuple(checkpoints),
                timeout=timeout,
                memory=memory,
            ),
            registry,
            algorithms=not own,
            datasets=not own_data,
            metrics=not own_metrics,
        )
        plan = make_plan(suite, registry, algorithms=own, datasets=own_data, metrics=own_metrics)
        opened = stack.enter_context(Store(store))
        outcomes = run_plan(
            plan,
            registry.plugins,
            opened,
            jobs=n_jobs,
            fresh=fresh,
            command="hcbench.compare(...)",
            observer=observer,
        )
    return Results.of_plan(plan, outcomes)


def _sort_out(items: Iterable[Any], own: Callable[[Any], Any]) -> tuple[tuple[str, ...], list[Any]]:
    """Names, and the caller's own made into uses."""
    listed = [items] if isinstance(items, str) else list(items)
    names = tuple(item for item in listed if isinstance(item, str))
    return names, [own(item) for item in listed if not isinstance(item, str)]


def _session_plugin(version: str) -> Plugin:
    return Plugin(_SESSION, "session", version)


def _own_use(spec: Any, version: str | None = None) -> Use[Any]:
    """A use of the caller's own; code cannot be compared, so it is never taken from the store."""
    return make_use(spec, _session_plugin(version or uuid.uuid4().hex), {})


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[\[\]=,:\s<>]", "", name)


@dataclass(frozen=True, slots=True)
class OnVectors:
    """A function of the vectors alone, as scipy's users write them, made an algorithm."""

    function: Own
    takes_rng: bool

    def __call__(self, oracle: Oracle, _given: Any, rng: np.random.Generator) -> Any:
        """Call it with the vectors."""
        extra = {"rng": rng} if self.takes_rng else {}
        return self.function(oracle.read(), **extra)


def _own_algorithm(item: AlgorithmSpec | Own) -> Use[AlgorithmSpec]:
    if isinstance(item, AlgorithmSpec):
        return _own_use(item)
    if not callable(item):
        raise ParameterError(f"an algorithm is a name, a function or an AlgorithmSpec: {item!r}")
    code = getattr(item, "__code__", None)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    spec = AlgorithmSpec(
        name=_name_of(item),
        function=OnVectors(item, "rng" in names),
        doc="The caller's own.",
        accepts=("vectors",),
    )
    return _own_use(spec)


def _own_metric(item: MetricSpec | Own) -> Use[MetricSpec]:
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


def _pairs(datasets: Iterable[Any] | Mapping[str, Any]) -> list[Any]:
    """Names as they are; the caller's own with a name."""
    if isinstance(datasets, Mapping):
        return [(name, data) for name, data in datasets.items()]
    if isinstance(datasets, str):
        return [datasets]
    return [
        item if isinstance(item, str) else (getattr(item, "__name__", f"data{number}"), item)
        for number, item in enumerate(datasets, start=1)
    ]


@dataclass(frozen=True, slots=True)
class Kept:
    """A problem in a file of this session, so that only its path travels to the workers."""

    path: str

    def __call__(self, _seed: int) -> Problem:
        """Read it."""
        problem: Problem = pickle.loads(Path(self.path).read_bytes())
        return problem


def _own_dataset(named: tuple[str, Any], folder: Path) -> Use[DatasetSpec]:
    name, data = named
    if isinstance(data, DatasetSpec):
        return _own_use(data)
    if callable(data):
        provides = tuple(data(0).provides)
        spec = DatasetSpec(name=name, function=data, doc="The caller's own.", provides=provides)
        return _own_use(spec)
    problem = as_problem(data)
    path = folder / f"{uuid.uuid4().hex}.pickle"
    path.write_bytes(pickle.dumps(problem, protocol=5))
    spec = DatasetSpec(
        name=name,
        function=Kept(str(path)),
        doc="The caller's own.",
        provides=tuple(problem.provides),
        random=False,
    )
    return _own_use(spec, problem.digest())


def as_problem(data: Any, truth: Any = None) -> Problem:
    """Make a problem of what people have.

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
    if isinstance(data, Problem):
        return data if truth is None else replace(data, **_truth(truth))
    known = {} if truth is None else _truth(truth)
    if isinstance(data, Comparisons):
        return Problem(n=data.n, comparisons=data, **known)
    if isinstance(data, Tree):
        return Problem(n=data.n, names=data.names, tree=data, **known)
    if hasattr(data, "tocsr"):
        return Problem(n=data.shape[0], vectors=data.tocsr(), **known)
    matrix = _matrix(data)
    if len(matrix) and _is_similarity(matrix):
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


def _is_similarity(matrix: NDArray[Any]) -> bool:
    return matrix.shape[0] == matrix.shape[1] and bool(np.array_equal(matrix, matrix.T))


def _truth(truth: Any) -> dict[str, Any]:
    if isinstance(truth, Tree):
        return {"truths": {"truth": truth}}
    labels = np.asarray(truth)
    if labels.ndim == 1:
        labels = labels[:, None]
    if labels.ndim != 2:
        raise DataError(f"labels must have shape (n,) or (n, L), got {labels.shape}")
    codes = [np.unique(column, return_inverse=True)[1].ravel() for column in labels.T]
    return {"levels": np.column_stack(codes).astype(np.int64)}


def fit(
    name: str,
    data: Any = None,
    /,
    *,
    seed: int = 0,
    budget: int | None = None,
    oracle: str | None = None,
    truth: Any = None,
    n: int | None = None,
    ordinal: Own | None = None,
    same_cluster: Own | None = None,
    quadruplet: Own | None = None,
    **params: Any,
) -> Result:
    """Run one registered algorithm on one's own data, without a harness.

    Parameters
    ----------
    name : str
        Of the algorithm; ``NAME[param=value]`` works too.
    data : array, Comparisons, Tree, Problem or Oracle
        Vectors (n, p); a square symmetric matrix of similarities; comparisons; a tree to be
        cut; or what `ask_oracle` made.
    seed : int
    budget : int, optional
        The most questions that may be asked.
    oracle : str, optional
        How the data answer, such as ``"quadruplet-set[p=0.05]"``; by default the first kind that
        the algorithm accepts and the data can provide.
    truth : Tree or labels, optional
        For algorithms that take a hint.
    n : int, optional
        Number of items, with one of the callables below and no data.
    ordinal, same_cluster, quadruplet : callable, optional
        Who answers: ``f(i, j, k)`` the position of the odd one out; ``f(i, j)`` whether they
        belong together; ``f(i, j, k, l)`` whether the first pair is more similar.
    **params
        Of the algorithm.

    Returns
    -------
    Tree or Partition
        Counts are read from the oracle's ledger; make it by `ask_oracle` to have it.

    Raises
    ------
    HcbenchError
        If the data do not fit the algorithm, or the budget is used up.
    """
    registry = load_registry()
    (use,) = registry.use_algorithms(name)
    if params:
        use = make_use(use.spec, use.plugin, {**_given_in_name(use), **_tuples(params)})
    callables = {
        "ordinal-queries": ordinal,
        "pair-queries": same_cluster,
        "quadruplet-queries": quadruplet,
    }
    problem, asked = _who_answers(data, callables, n, budget, truth)
    if asked is None:
        asked = _default_oracle(registry, use, problem, oracle, seed, budget)
    elif asked.kind not in use.spec.accepts:
        raise ParameterError(
            f"{use.label} accepts {', '.join(use.spec.accepts)}; this oracle is {asked.kind}"
        )
    given = give(problem, use.spec.hints_of(use.params))
    asked.prepare()
    returned = use.spec.load()(asked, given, np.random.default_rng(seed), **use.params)
    return as_result(returned, problem.n)


def _given_in_name(use: Use[Any]) -> dict[str, Any]:
    return {p.name: use.params[p.name] for p in use.spec.parameters if not p.required}


def _tuples(params: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in params.items()}


def _who_answers(
    data: Any,
    callables: Mapping[str, Own | None],
    n: int | None,
    budget: int | None,
    truth: Any,
) -> tuple[Problem, Oracle | None]:
    """The problem, and the oracle if the caller brings one."""
    given = {kind: f for kind, f in callables.items() if f is not None}
    if len(given) > 1:
        raise ParameterError(f"only one can answer, got {', '.join(given)}")
    known = {} if truth is None else _truth(truth)
    if isinstance(data, Oracle):
        return Problem(n=data.n, **known), data
    if given:
        ((kind, function),) = given.items()
        problem = as_problem(data, truth) if data is not None else None
        items = problem.n if problem is not None else n
        if items is None:
            raise ParameterError("say how many items there are: n=...")
        asked = ask_oracle(kind, function, n=items, budget=budget)
        return problem or Problem(n=items, **known), asked
    if data is None:
        raise ParameterError("fit needs data, or n= and a callable that answers")
    return as_problem(data, truth), None


def _default_oracle(
    registry: Registry,
    use: Use[AlgorithmSpec],
    problem: Problem,
    oracle: str | None,
    seed: int,
    budget: int | None,
) -> Oracle:
    requested = registry.use_oracles(oracle) if oracle else []
    paired = choose_oracles(use, problem.provides, "the data", requested, registry)
    if isinstance(paired, str):
        raise DataError(paired)
    chosen = paired[0]
    return make_oracle(Call(chosen.spec.function, chosen.params), problem, seed, budget)


def score(metric: str, result: Any, truth: Any, /, **params: Any) -> float:
    """One metric's value for a tree or partition made anywhere.

    Parameters
    ----------
    metric : str
        Name; ``NAME[param=value]`` works too.
    result : Tree, Partition, linkage matrix (n-1, 4), children (n-1, 2) or labels (n,)
    truth : Tree, labels (n,) or (n, L) of int, similarities (n, n), vectors (n, p) or Problem
        What the metric compares with.
    **params
        Of the metric.

    Returns
    -------
    float

    Raises
    ------
    NotApplicableError
        If the metric is not defined for such a result or such a truth, and why.
    """
    registry = load_registry()
    (use,) = registry.use_metrics(metric)
    if params:
        use = make_use(use.spec, use.plugin, {**_given_in_name(use), **_tuples(params)})
    problem = _problem_of_truth(truth)
    scored = Scored(problem=problem, result=as_result(result, problem.n), cost=Cost(seconds=0.0))
    return float(use.spec.load()(scored, **use.params))


def _problem_of_truth(truth: Any) -> Problem:
    if isinstance(truth, Problem):
        return truth
    if isinstance(truth, Tree):
        return Problem(n=truth.n, truths={"truth": truth})
    if isinstance(truth, Partition):
        truth = truth.labels
    array = np.asarray(truth)
    if array.ndim == 1 or array.dtype.kind in "iubUSO":
        return Problem(n=len(array), **_truth(array))
    return as_problem(array)
