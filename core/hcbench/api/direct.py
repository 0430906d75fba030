"""One algorithm on given data, or one metric of a given tree, without a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from hcbench.api.data import as_problem, problem_of_truth, truth_entries
from hcbench.api.items import items_of
from hcbench.api.uses import CallerFunction, use_of_algorithm
from hcbench.errors import DataError, NotApplicableError, ParameterError
from hcbench.model.arguments import whole_number
from hcbench.model.comparisons import Comparisons
from hcbench.model.cost import Budget, Cost, read_budget
from hcbench.model.names import match_items
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Partition, Tree
from hcbench.oracle import QUERY_KINDS, Answers, Oracle, Recorder, ask_oracle
from hcbench.oracle.answers import Scored
from hcbench.plan.oracles import choose_oracles
from hcbench.registry import Registry, load_registry
from hcbench.registry.making import make_use
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.plugin_files import importable
from hcbench.registry.resolving import use_one
from hcbench.registry.specs import AlgorithmSpec
from hcbench.registry.uses import Use
from hcbench.run.inputs import give, make_answers, make_oracle
from hcbench.run.job import Call
from hcbench.run.returned import as_result, result_of_call

T = TypeVar("T")


# What type checkers take the result for: a tree that is given is cut, and arrays get a tree.
@overload
def fit(
    name: str | CallerFunction | AlgorithmSpec | Use[AlgorithmSpec],
    data: Tree,
    /,
    *,
    seed: int = ...,
    budget: Budget | None = ...,
    oracle: str | Oracle | None = ...,
    truth: Any = ...,
    n: int | None = ...,
    ordinal: CallerFunction | None = ...,
    same_cluster: CallerFunction | None = ...,
    quadruplet: CallerFunction | None = ...,
    rating: CallerFunction | None = ...,
    vectorized: bool = ...,
    **params: Any,
) -> Partition: ...


@overload
def fit(
    name: str | CallerFunction | AlgorithmSpec | Use[AlgorithmSpec],
    data: ArrayLike | Comparisons | None = ...,
    /,
    *,
    seed: int = ...,
    budget: Budget | None = ...,
    oracle: str | Oracle | None = ...,
    truth: Any = ...,
    n: int | None = ...,
    ordinal: CallerFunction | None = ...,
    same_cluster: CallerFunction | None = ...,
    quadruplet: CallerFunction | None = ...,
    rating: CallerFunction | None = ...,
    vectorized: bool = ...,
    **params: Any,
) -> Tree: ...


@overload
def fit(
    name: str | CallerFunction | AlgorithmSpec | Use[AlgorithmSpec],
    data: Any,
    /,
    *,
    seed: int = ...,
    budget: Budget | None = ...,
    oracle: str | Oracle | None = ...,
    truth: Any = ...,
    n: int | None = ...,
    ordinal: CallerFunction | None = ...,
    same_cluster: CallerFunction | None = ...,
    quadruplet: CallerFunction | None = ...,
    rating: CallerFunction | None = ...,
    vectorized: bool = ...,
    **params: Any,
) -> Result: ...


def fit(
    name: str | CallerFunction | AlgorithmSpec | Use[AlgorithmSpec],
    data: Any = None,
    /,
    *,
    seed: int = 0,
    budget: Budget | None = None,
    oracle: str | Oracle | None = None,
    truth: Any = None,
    n: int | None = None,
    ordinal: CallerFunction | None = None,
    same_cluster: CallerFunction | None = None,
    quadruplet: CallerFunction | None = None,
    rating: CallerFunction | None = None,
    vectorized: bool = False,
    **params: Any,
) -> Result:
    """Run one algorithm on data, without a comparison.

    Parameters
    ----------
    name : str, AlgorithmSpec, callable or Use
        The algorithm: ``NAME`` or ``NAME[param=value]``; a spec or a function of your own, as
        `compare` takes them; or what ``load_registry(files).use_algorithms(...)`` returns.
    data : array, Comparisons, Tree, Problem or Oracle
        Vectors (n, p); a matrix of similarities (n, n), which is told from vectors by
        `kind_of_square`; comparisons; a tree to be cut; or what `ask_oracle` made. Distances are
        given as ``similarity_of_distances(d)``, or as a `skbio.DistanceMatrix`, whose ids are the
        names of the items.
    seed : int
        The seed of the random numbers of the algorithm and of the oracle's noise.
    budget : int, optional
        The largest number of queries.
    oracle : str or Oracle, optional
        A registered oracle, such as ``"quadruplet-set[p=0.05]"``, or one made by `ask_oracle`; by
        default the first kind that the algorithm accepts and the data can provide.
    truth : Tree or labels, optional
        The truth, for algorithms that take a part of it as a hint.
    n : int, optional
        The number of items, with one of the callables below and no data.
    ordinal, same_cluster, quadruplet, rating : callable, optional
        A function that answers: ``f(i, j, k)`` the position of the odd one out; ``f(i, j)``
        whether they belong together; ``f(i, j, k, l)`` whether the first pair is more similar;
        ``f(i, j)`` how alike they are, from 0 to 9.
    vectorized : bool
        Whether that callable takes and returns arrays, one entry for each query.
    **params
        Parameters of the algorithm.

    Returns
    -------
    Tree or Partition
        A type checker takes it for a Partition if ``data`` is a tree, for a Tree if it is an array,
        a frame, comparisons or None, and for either one otherwise. Counts are read from the
        oracle's ledger. Make it by `ask_oracle` to have it: ``asked = ask_oracle("pair-queries",
        f, n=tree.n)``, then ``fit("WDP", tree, oracle=asked)`` and ``asked.ledger.queries``.

    Raises
    ------
    HcbenchError
        If the data do not fit the algorithm, or the budget is used up.

    Examples
    --------
    >>> tree = fit("UPGMA", [[0.0], [1.0], [5.0], [7.0]])
    >>> tree.cut(2).labels.tolist()
    [0, 0, 1, 1]
    >>> fit("UPGMA", [[1.0, 0.0], [9.0, 0.1], [0.0, 1.0]], metric="cosine").cut(2).labels.tolist()
    [0, 0, 1]

    A function answers which of two pairs is more similar:

    >>> age = [3, 4, 40, 43]
    >>> def is_closer(i, j, k, l):
    ...     return abs(age[i] - age[j]) < abs(age[k] - age[l])
    >>> fit("CL", n=4, quadruplet=is_closer).cut(2).labels.tolist()
    [0, 0, 1, 1]
    """
    seed = whole_number(seed, "seed", least=0)
    registry = load_registry()
    use = _use_of(name, _without_lists(params), registry)
    answering = _without_none(
        {
            "ordinal": ordinal,
            "same_cluster": same_cluster,
            "quadruplet": quadruplet,
            "rating": rating,
        }
    )
    _refuse_unused(data, answering, {"oracle": oracle, "n": n, "budget": budget})
    if vectorized and not answering:
        raise ParameterError("vectorized= is for a callable that answers, and there is none")
    if isinstance(data, Oracle):
        # fit(name, ask_oracle(...)): all that is known of the items is what the oracle answers.
        oracle = data
        data = None
    problem = None
    if data is not None:
        problem = as_problem(data, truth)
    if answering:
        # The number of items comes from the data if there are any; `_refuse_unused` refuses both.
        items = n
        if problem is not None:
            items = problem.n
        oracle = _oracle_of_function(answering, items, budget, vectorized=vectorized)
    if isinstance(oracle, Oracle):
        if problem is None:
            # Without data the algorithm can use no hints but those of the truth.
            problem = Problem(n=oracle.n, **truth_entries(truth))
        _check_oracle(oracle, problem, use)
        return _call_algorithm(use, oracle, problem, seed)
    if problem is None:
        raise ParameterError("fit needs data, or n= and a callable that answers")
    return fit_problem(registry, use, problem, seed=seed, oracle=oracle, budget=budget)


def fit_problem(
    registry: Registry,
    use: Use[AlgorithmSpec],
    problem: Problem,
    *,
    seed: int = 0,
    oracle: str | None = None,
    budget: Budget | None = None,
) -> Result:
    """Run one algorithm on a problem, with a registered oracle.

    Parameters
    ----------
    registry : Registry
        Its oracles, also those of plugin files, can be named.
    use : Use
        The algorithm.
    problem : Problem
    seed, oracle, budget
        As of `fit`.
    """
    if budget is not None:
        budget = read_budget(budget)
    registered = _registered_oracle(registry, use, problem, oracle, seed, budget)
    return _call_algorithm(use, registered, problem, seed)


def _without_none(arguments: Mapping[str, T | None]) -> dict[str, T]:
    """The arguments that have a value."""
    with_value = {}
    for name, value in arguments.items():
        if value is not None:
            with_value[name] = value
    return with_value


def _use_of(
    name: str | CallerFunction | AlgorithmSpec | Use[AlgorithmSpec],
    params: Mapping[str, Any],
    registry: Registry,
) -> Use[AlgorithmSpec]:
    """The use of an algorithm, in any of the forms that `fit` takes, with these parameters."""
    if isinstance(name, str):
        return use_one(registry.algorithms, name, params)
    use = name
    if not isinstance(use, Use):
        use = use_of_algorithm(use)
    # Keywords of the call replace parameters that the use has already.
    merged = dict(use.params)
    merged.update(params)
    return make_use(use.spec, use.plugin, merged)


def _without_lists(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with tuples instead of lists and arrays, as specs have them."""
    converted = {}
    for name, value in params.items():
        if isinstance(value, np.ndarray):
            converted[name] = tuple(value.tolist())
        elif isinstance(value, list):
            converted[name] = tuple(value)
        else:
            converted[name] = value
    return converted


def _refuse_unused(
    data: Any, answering: Mapping[str, CallerFunction], settings: Mapping[str, Any]
) -> None:
    """Refuse arguments of `fit` that would be ignored."""
    arguments = list(answering) + list(_without_none(settings))
    is_oracle_argument = isinstance(settings["oracle"], Oracle)
    if isinstance(data, Oracle) or is_oracle_argument:
        unused = list(arguments)
        if is_oracle_argument and not isinstance(data, Oracle):
            unused.remove("oracle")
        if unused:
            raise ParameterError(
                f"{unused[0]}= has no effect on an oracle that is made already: omit it; "
                "ask_oracle takes the callable, n= and budget="
            )
    if answering and "oracle" in arguments:
        raise ParameterError(f"oracle= and {next(iter(answering))}= both answer; omit one")
    if data is not None and "n" in arguments:
        raise ParameterError("n= is for a callable without data; omit it")
    if len(answering) > 1:
        raise ParameterError(f"only one can answer, got {', '.join(answering)}")


def _oracle_of_function(
    answering: Mapping[str, CallerFunction],
    n: int | None,
    budget: Budget | None,
    *,
    vectorized: bool,
) -> Oracle:
    """An oracle that asks the caller's function, the only one of a mapping by its argument."""
    if n is None:
        raise ParameterError("give the number of items: n=...")
    ((argument, function),) = answering.items()
    kind = _kind_of_argument(argument)
    return ask_oracle(kind, function, n=n, budget=budget, vectorized=vectorized)


def _kind_of_argument(argument: str) -> str:
    """The name of the kind of queries that an argument of `fit` answers, such as ``ordinal``."""
    for kind in QUERY_KINDS.values():
        if kind.argument == argument:
            return kind.name
    raise ParameterError(f"{argument}= answers no kind of queries")


def _check_oracle(oracle: Oracle, problem: Problem, use: Use[AlgorithmSpec]) -> None:
    """Check that an oracle of the caller fits the data and the algorithm."""
    if oracle.n != problem.n:
        raise DataError(f"the oracle answers about {oracle.n} items, and the data have {problem.n}")
    if oracle.kind not in use.spec.accepts:
        raise ParameterError(
            f"{use.label} accepts {', '.join(use.spec.accepts)}; this oracle is {oracle.kind}"
        )


def _registered_oracle(
    registry: Registry,
    use: Use[AlgorithmSpec],
    problem: Problem,
    oracle: str | None,
    seed: int,
    budget: Budget | None,
) -> Oracle:
    """The registered oracle of a name, or the first that the algorithm and the data allow."""
    # Without a name, the first oracle that fits is made.
    requested = []
    if oracle:
        requested = registry.use_oracles(oracle)
    able, unable = choose_oracles(use, problem.provides, "the data", requested, registry, problem.n)
    if not able:
        _, reason = unable[0]
        raise DataError(reason)
    first = able[0]
    if oracle is None and use.spec.expected_queries(problem.n, use.params) == (0, True):
        # The algorithm asks nothing, and answers of many items take time to make.
        return Oracle(Answers(kind=first.spec.kind, n=problem.n), budget)
    call = Call(first.spec.function, first.params)
    return make_oracle(make_answers(call, problem, seed, budget), budget)


def _call_algorithm(use: Use[AlgorithmSpec], oracle: Oracle, problem: Problem, seed: int) -> Result:
    """Call an algorithm in this process."""
    items = give(problem, use.spec.hints_of(use.params))
    # Answers that are made at once are made before the call, as in a comparison.
    Recorder(oracle).prepare(takes_unsure=use.spec.takes_unsure)
    rng = np.random.default_rng(seed)
    # A function in a plugin file is imported by the name of that file, from its folder.
    plugin_files = []
    if use.plugin.file is not None:
        plugin_files.append(use.plugin.file)
    with importable(plugin_files):
        returned = use.spec.load()(oracle, items, rng, **use.params)
    return result_of_call(returned, items)


def score(metric: str, result: Any, truth: Any, /, **params: Any) -> float:
    """Compute one metric of a tree or partition.

    Parameters
    ----------
    metric : str
        The metric: ``NAME`` or ``NAME[param=value]``.
    result : Tree, Partition, linkage matrix (n-1, 4), children (n-1, 2) or labels (n,)
        What is scored.
    truth : Tree, labels (n,) or (n, L) of int, similarities (n, n), vectors (n, p) or Problem
        What the metric compares the result with. Vectors of integers are given as floats or sparse,
        as a matrix of integers that is not symmetric has labels. Items are matched by name: of
        leaves, or of the index of a Series or DataFrame; see `hcbench.model.names.match_items`.
        Distances are a `skbio.DistanceMatrix`, or ``similarity_of_distances(d)``.
    **params
        Parameters of the metric.

    Returns
    -------
    float
        The value, in the unit of the metric.

    Raises
    ------
    NotApplicableError
        If the metric is not defined for such a result or such a truth, or is a cost.
    DataError
        If the result and the truth are of different items.

    Examples
    --------
    >>> tree = hcbench.Tree.from_levels([["a"], ["a"], ["b"], ["b"]])
    >>> tree.to_newick()
    '((0,1),(2,3));'
    >>> score("AARI", tree, [0, 0, 1, 1])
    1.0
    >>> truth = hcbench.Tree.from_newick("(((0,1),2),3);")
    >>> score("robinson-foulds", tree, truth)
    0.5
    >>> score("ARI", hcbench.Partition([0, 0, 1, 1]), [1, 1, 0, 0])
    1.0
    """
    registry = load_registry()
    use = use_one(registry.metrics, metric, _without_lists(params))
    if use.spec.cost:
        raise NotApplicableError(
            f"{use.label} is a cost of the call that made the result, which is unknown here; "
            "compare measures it"
        )
    problem = problem_of_truth(truth, may_be_labels=not _needs_data_only(use.spec))
    checked = _result_for(result, truth, problem)
    scored = Scored(problem=problem, result=checked, cost=Cost(seconds=0.0))
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        value = float(use.spec.load()(scored, **use.params))
    if math.isnan(value):
        raise NotApplicableError(
            f"{use.label} is not a number for these data; if they are very large, scale them down"
        )
    return value


def _needs_data_only(spec: MetricSpec) -> bool:
    """Whether a metric compares results with data, so that it reads no labels."""
    of_data = {"similarity", "vectors"}
    # "a|b" needs one of both. A metric that also accepts labels must be able to get them.
    return any(set(need.split("|")) <= of_data for need in spec.needs)


def _result_for(result: Any, truth: Any, problem: Problem) -> Result:
    """A result with its items in the order of the truth."""
    checked = as_result(result, _items_of_result(result, problem.n))
    items = items_of(truth, "the truth", problem.n)
    if isinstance(checked, Tree):
        leaves = checked.named_items("the tree")
        # What the caller has is an array of merges: messages say how it gets names.
        if not isinstance(result, Tree):
            make = "from_children"
            if np.shape(result)[1] == 4:
                make = "from_linkage"
            leaves = replace(leaves, give=f"hcbench.Tree.{make}(tree, names=names)")
        return checked.matched_with(items, leaves).with_names(problem.names)
    # Labels in a Series are named by its index, which the partition made of them has not.
    if isinstance(result, Partition):
        labelled = checked.named_items("the partition")
    else:
        labelled = items_of(result, "the result", checked.n)
    return Partition(checked.labels[match_items(labelled, items)], problem.names)


def _items_of_result(result: Any, n: int) -> int:
    """The number of items of a result, which `match_items` compares with the n of the truth."""
    if isinstance(result, Tree | Partition):
        return result.n
    shape = np.shape(result)
    # Labels, one an item.
    if len(shape) == 1:
        return int(shape[0])
    if len(shape) == 2 and shape[1] in (2, 4):  # merges, of which a tree has n - 1
        return int(shape[0]) + 1
    return n
