"""One algorithm on given data, or one metric of a given tree, without a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from hcbench.api.items import items_of
from hcbench.api.own import as_problem, own_algorithm, problem_of_truth, truth_entries
from hcbench.errors import DataError, NotApplicableError, ParameterError
from hcbench.model.cost import Budget, Cost
from hcbench.model.names import match_items
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Partition, Tree
from hcbench.oracle import QUERY_KINDS, Answers, Oracle, ask_oracle
from hcbench.oracle.answers import Scored
from hcbench.plan.plan import choose_oracles
from hcbench.registry import Registry, Use, load_registry, make_use, use_one
from hcbench.registry.plugins import importable
from hcbench.registry.specs import AlgorithmSpec
from hcbench.run.cell import as_result, result_of_call
from hcbench.run.inputs import give, make_answers, make_oracle
from hcbench.run.job import Call

Own: TypeAlias = Callable[..., Any]


def fit(
    name: str | Own | AlgorithmSpec | Use[AlgorithmSpec],
    data: Any = None,
    /,
    *,
    seed: int = 0,
    budget: Budget | None = None,
    oracle: str | Oracle | None = None,
    truth: Any = None,
    n: int | None = None,
    ordinal: Own | None = None,
    same_cluster: Own | None = None,
    quadruplet: Own | None = None,
    rating: Own | None = None,
    vectorized: bool = False,
    **params: Any,
) -> Result:
    """Run one algorithm on given data, without a comparison.

    Parameters
    ----------
    name : str, AlgorithmSpec, callable or Use
        Of the algorithm, or ``NAME[param=value]``; a spec or a function of your own, as `compare`
        takes them; or what ``load_registry(files).use_algorithms(...)`` returns.
    data : array, Comparisons, Tree, Problem or Oracle
        Vectors (n, p); a matrix of similarities (n, n), which is told from vectors by
        `kind_of_square`; comparisons; a tree to be cut; or what `ask_oracle` made. Distances are
        given as ``similarity_of_distances(d)``.
    seed : int
    budget : int, optional
        The largest number of queries.
    oracle : str or Oracle, optional
        A registered oracle, such as ``"quadruplet-set[p=0.05]"``, or one made by `ask_oracle`; by
        default the first kind that the algorithm accepts and the data can provide.
    truth : Tree or labels, optional
        For algorithms that take a hint.
    n : int, optional
        Number of items, with one of the callables below and no data.
    ordinal, same_cluster, quadruplet, rating : callable, optional
        A function that answers: ``f(i, j, k)`` the position of the odd one out; ``f(i, j)``
        whether they belong together; ``f(i, j, k, l)`` whether the first pair is more similar;
        ``f(i, j)`` how alike they are, from 0 to 9.
    vectorized : bool
        Whether that callable takes and returns arrays, one entry for each query.
    **params
        Of the algorithm.

    Returns
    -------
    Tree or Partition
        Counts are read from the oracle's ledger. Make it by `ask_oracle` to have it:
        ``asked = ask_oracle("pair-queries", f, n=tree.n)``, then ``fit("WDP", tree,
        oracle=asked)`` and ``asked.ledger.queries``.

    Raises
    ------
    HcbenchError
        If the data do not fit the algorithm, or the budget is used up.
    """
    registry = load_registry()
    if not isinstance(name, str | Use):
        name = own_algorithm(name)
    if isinstance(name, Use):
        use = make_use(name.spec, name.plugin, {**name.params, **_tuples(params)})
    else:
        use = use_one(registry.algorithms, name, _tuples(params))
    answering = {"ordinal": ordinal, "same_cluster": same_cluster, "quadruplet": quadruplet}
    answering["rating"] = rating
    callables = {name: f for name, f in answering.items() if f is not None}
    _refuse_unused(data, callables, {"oracle": oracle, "n": n, "budget": budget})
    if vectorized and not callables:
        raise ParameterError("vectorized= is for a callable that answers, and there is none")
    if isinstance(data, Oracle):
        data, oracle = None, data
    own = oracle if isinstance(oracle, Oracle) else None
    problem, asked = _who_answers(data, own, callables, n, budget, truth, vectorized=vectorized)
    if asked is None:
        assert not isinstance(oracle, Oracle)
        asked = _default_oracle(registry, use, problem, oracle, seed, budget)
    elif asked.kind not in use.spec.accepts:
        raise ParameterError(
            f"{use.label} accepts {', '.join(use.spec.accepts)}; this oracle is {asked.kind}"
        )
    given = give(problem, use.spec.hints_of(use.params))
    asked.prepare()
    asked.takes_unsure = use.spec.takes_unsure
    plugin_files = [] if use.plugin.file is None else [use.plugin.file]
    with importable(plugin_files):
        returned = use.spec.load()(asked, given, np.random.default_rng(seed), **use.params)
    return result_of_call(returned, given)


def _tuples(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        k: tuple(v.tolist() if isinstance(v, np.ndarray) else v)
        if isinstance(v, list | np.ndarray)
        else v
        for k, v in params.items()
    }


def _refuse_unused(data: Any, callables: Mapping[str, Own], settings: Mapping[str, Any]) -> None:
    """Refuse arguments that would be ignored."""
    given = {name: value for name, value in settings.items() if value is not None}
    brought = isinstance(given.get("oracle"), Oracle) and not isinstance(data, Oracle)
    if brought or isinstance(data, Oracle):
        for name in [*callables, *(name for name in given if name != "oracle" or not brought)]:
            raise ParameterError(
                f"{name}= has no effect on an oracle that is made already: omit it; "
                "ask_oracle takes the callable, n= and budget="
            )
    if callables and "oracle" in given:
        raise ParameterError(f"oracle= and {next(iter(callables))}= both answer; omit one")
    if data is not None and "n" in given:
        raise ParameterError("n= is for a callable without data; omit it")
    if len(callables) > 1:
        raise ParameterError(f"only one can answer, got {', '.join(callables)}")


def _who_answers(
    data: Any,
    asked: Oracle | None,
    callables: Mapping[str, Own],
    n: int | None,
    budget: Budget | None,
    truth: Any,
    *,
    vectorized: bool,
) -> tuple[Problem, Oracle | None]:
    """The problem, and the oracle if the caller provides one."""
    problem = None if data is None else as_problem(data, truth)
    for name, function in callables.items():
        items = n if problem is None else problem.n
        if items is None:
            raise ParameterError("give the number of items: n=...")
        (kind,) = (kind.name for kind in QUERY_KINDS.values() if kind.argument == name)
        asked = ask_oracle(kind, function, n=items, budget=budget, vectorized=vectorized)
    if problem is None:
        if asked is None:
            raise ParameterError("fit needs data, or n= and a callable that answers")
        problem = Problem(n=asked.n, **truth_entries(truth))
    if asked is not None and asked.n != problem.n:
        raise DataError(f"the oracle answers about {asked.n} items, and the data have {problem.n}")
    return problem, asked


def _default_oracle(
    registry: Registry,
    use: Use[AlgorithmSpec],
    problem: Problem,
    oracle: str | None,
    seed: int,
    budget: Budget | None,
) -> Oracle:
    requested = registry.use_oracles(oracle) if oracle else []
    able, unable = choose_oracles(use, problem.provides, "the data", requested, registry, problem.n)
    if not able:
        raise DataError(unable[0][1])
    chosen = able[0]
    if oracle is None and use.spec.expected_queries(problem.n, use.params) == (0, True):
        return Oracle(Answers(kind=chosen.spec.kind, n=problem.n), budget)
    call = Call(chosen.spec.function, chosen.params)
    return make_oracle(make_answers(call, problem, seed, budget), budget)


def score(metric: str, result: Any, truth: Any, /, **params: Any) -> float:
    """The value of one metric for a given tree or partition.

    Parameters
    ----------
    metric : str
        Name; ``NAME[param=value]`` works too.
    result : Tree, Partition, linkage matrix (n-1, 4), children (n-1, 2) or labels (n,)
    truth : Tree, labels (n,) or (n, L) of int, similarities (n, n), vectors (n, p) or Problem
        What the metric compares the result with. Vectors of integers are given as floats or sparse,
        as a matrix of integers that is not symmetric has labels. Items are matched by name: of
        leaves, or of the index of a Series or DataFrame; see `hcbench.match_items`.
    **params
        Of the metric.

    Returns
    -------
    float

    Raises
    ------
    NotApplicableError
        If the metric is not defined for such a result or such a truth, or is a cost.
    DataError
        If the result and the truth are of different items.
    """
    registry = load_registry()
    use = use_one(registry.metrics, metric, _tuples(params))
    if use.spec.cost:
        raise NotApplicableError(
            f"{use.label} is a cost of the call that made the result, which is unknown here; "
            "compare measures it"
        )
    # A metric of the data alone reads no labels.
    is_data = any({*need.split("|")} <= {"similarity", "vectors"} for need in use.spec.needs)
    problem = problem_of_truth(truth, is_data=is_data)
    scored = Scored(
        problem=problem, result=_result_for(result, truth, problem), cost=Cost(seconds=0.0)
    )
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        value = float(use.spec.load()(scored, **use.params))
    if math.isnan(value):
        raise NotApplicableError(
            f"{use.label} is not a number for these data; if they are very large, scale them down"
        )
    return value


def _result_for(result: Any, truth: Any, problem: Problem) -> Result:
    """A result with its items in the order of the truth."""
    checked = as_result(result, _items_of_result(result, problem.n))
    items = items_of(truth, "the truth", problem.n)
    if isinstance(checked, Tree):
        leaves = checked.named_items("the tree")
        if not isinstance(result, Tree):
            make = "from_linkage" if np.shape(result)[1] == 4 else "from_children"
            leaves = replace(leaves, give=f"hcbench.Tree.{make}(tree, names=names)")
        return checked.matched_with(items, leaves).with_names(problem.names)
    own = checked.named_items("the partition")
    if not isinstance(result, Partition):
        own = items_of(result, "the result", checked.n)
    return Partition(checked.labels[match_items(own, items)], problem.names)


def _items_of_result(result: Any, n: int) -> int:
    """The number of items of a result, which `match_items` compares with the n of the truth."""
    if isinstance(result, Tree | Partition):
        return result.n
    shape = np.shape(result)
    if len(shape) == 1:
        return int(shape[0])
    is_merges = len(shape) == 2 and shape[1] in (2, 4)
    return int(shape[0]) + 1 if is_merges else n
