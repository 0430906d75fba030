"""Whether any result is better than the truth, by a metric that compares results with it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import NotApplicableError, ParameterError
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import HeightKind, Tree
from hcbench.registry.metric_specs import MetricSpec
from hcbench.run.inputs import finest_partition
from hcbench.testing.planted import make_items, random_tree

Measure: TypeAlias = Callable[[Problem, Result, Mapping[str, Any]], float]
"""The value of a metric for a problem, a result and the metric's parameters."""

_ROUNDING = 1e-9  # relative, or absolute below 1


@dataclass(frozen=True, slots=True)
class Better:
    """A result that is better than the truth.

    Attributes
    ----------
    params : dict
        The parameters of the metric that differ from its defaults.
    result : str
        A description of the result.
    value : float
        Of the result.
    of_truth : float
    """

    params: dict[str, Any]
    result: str
    value: float
    of_truth: float


def truth_problems(seed: int) -> dict[str, Problem]:
    """Small items whose truths are of different kinds, each with a description.

    Parameters
    ----------
    seed : int
    """
    planted = make_items(seed)
    n = planted.n
    names = planted.names
    # A class of many items that is not divided at the second level, beside small ones that are: a
    # tree without heights does not tell that these are divided first.
    uneven = np.array([[0, 0]] * (n - 5) + [[1, 0], [1, 0], [1, 1], [2, 0], [2, 1]])
    # Class 0 is divided above the height at which class 1 has its items.
    group = np.repeat(np.arange(4), [3, 3, 3, n - 9])
    levels = np.column_stack([group // 2, group])
    heights = np.concatenate([np.zeros(n), [1.0, 2.0, 8.0, 5.0, 6.0, 9.0, 10.0]])
    above = np.array([n + 4, n + 4, n + 5, n + 5, n + 6, n + 6, -1])
    crossing = Tree.from_parents(
        np.concatenate([n + group, above]), heights, HeightKind.DISTANCE, names
    )
    # Items beside clusters, as in a taxonomy.
    cluster = np.repeat([2, 1, 0, 2], [3, 3, 4, n - 10])
    above = np.array([n + 1, n + 2, -1])
    mixed = Tree.from_parents(np.concatenate([n + cluster, above]), names=names)
    return {
        "nested classes of different sizes": _with_truth(planted, {}, uneven),
        "a truth whose heights do not separate its classes": _with_truth(
            planted, {"crossing": crossing}, levels
        ),
        "a truth with heights and without classes": _with_truth(planted, planted.truths, None),
        "a truth with items beside clusters": _with_truth(planted, {"mixed": mixed}, None),
        "two truths": _with_truth(
            planted, {"crossing": crossing, "labels": Tree.from_levels(uneven, names)}, uneven
        ),
    }


def _with_truth(
    planted: Problem, truths: Mapping[str, Tree], levels: NDArray[np.int64] | None
) -> Problem:
    return Problem(
        n=planted.n,
        names=planted.names,
        vectors=planted.vectors,
        truths=truths,
        levels=levels,
        tree=planted.tree,
    )


def compares_with_truth(spec: MetricSpec, measure: Measure, problem: Problem) -> bool:
    """Whether a metric judges a result by nothing but the true trees and classes.

    Its value needs these and nothing else: it is the same where all else is taken away, and does
    not exist without them.
    """
    if spec.cost or spec.direction == "none":
        return False
    params = _defaults_of(spec)
    kind = "tree"
    if spec.result == "partition":
        kind = "partition"
    result = _truth_as(kind, problem, problem.truth)
    bare = Problem(n=problem.n, names=problem.names)
    truth_alone = replace(bare, truths=problem.truths, levels=problem.levels)
    if not math.isfinite(_value(measure, truth_alone, result, params)):
        return False  # it needs something else
    try:
        return math.isnan(_value(measure, bare, result, params))
    except Exception:
        return False  # the check "reasons" reports it


def better_than_truth(
    spec: MetricSpec, params: Mapping[str, Any], measure: Measure, problem: Problem
) -> Iterator[Better]:
    """Results that are better than the truth by a metric, one at most for each combination.

    Parameters
    ----------
    spec : MetricSpec
    params : mapping
        Its parameters; each that has its default and only a few values takes all of them in turn.
    measure : callable
    problem : Problem
        With a truth.

    Yields
    ------
    Better
    """
    rivals = list(_rivals(problem))
    for combination in _combinations(spec, params, problem):
        for kind in ("tree", "partition"):
            if spec.result in (kind, "any"):
                better = _better_with(spec, combination, measure, problem, kind, rivals)
                if better is not None:
                    yield better


def prefers_others_by_definition(
    spec: MetricSpec, params: Mapping[str, Any], measure: Measure, seed: int
) -> bool:
    """Whether a metric prefers other results to the truths of small well-formed items, too.

    Then a data set of whose truth it does so is not at fault.

    Parameters
    ----------
    spec : MetricSpec
    params : mapping
        All of its parameters.
    measure : callable
    seed : int
        Of the items.
    """
    defaults = _defaults_of(spec)
    # The truths and the levels of the items are not those of the data set.
    combination: dict[str, Any] = dict(params)
    for name in ("truth", "level"):
        if name in defaults:
            combination[name] = defaults[name]
    for problem in truth_problems(seed).values():
        rivals = list(_rivals(problem))
        for kind in ("tree", "partition"):
            if spec.result not in (kind, "any"):
                continue
            if _better_with(spec, combination, measure, problem, kind, rivals) is not None:
                return True
    return False


def _better_with(
    spec: MetricSpec,
    params: Mapping[str, Any],
    measure: Measure,
    problem: Problem,
    kind: str,
    rivals: Iterable[tuple[str, Tree]],
) -> Better | None:
    """The first rival that is better than the truth by a metric with some parameters."""
    # Times its sign, a higher value is better whatever the direction.
    sign = 1.0
    if spec.direction == "lower":
        sign = -1.0
    level = params.get("level")
    # Of several truths the best one counts: a rival must be better than all of them.
    of_truth = -math.inf
    for truth in _truths_meant(params, problem):
        value = _value(measure, problem, _truth_as(kind, problem, truth, level), params)
        if not math.isnan(value):
            of_truth = max(of_truth, sign * value)
    if of_truth == -math.inf:
        return None  # it is not applicable
    tolerance = _ROUNDING * max(1.0, abs(of_truth))
    for description, rival in rivals:
        result: Result = rival
        if kind == "partition":
            # As many clusters as the truth: a metric may prefer other numbers of clusters.
            result = rival.cut(finest_partition(problem, level).n_clusters)
        value = sign * _value(measure, problem, result, params)
        if value > of_truth + tolerance:
            return Better(
                params=_not_default(spec, params),
                result=description,
                value=sign * value,
                of_truth=sign * of_truth,
            )
    return None


def _truths_meant(params: Mapping[str, Any], problem: Problem) -> list[Tree]:
    """The truth that the parameters name.

    Without a parameter that names it, classes may be those of any truth.
    """
    if "truth" not in params:
        return list(problem.truths.values())
    if params["truth"]:
        return [problem.truths[params["truth"]]]
    return [problem.truth]


def _value(measure: Measure, problem: Problem, result: Result, params: Mapping[str, Any]) -> float:
    """A value; NaN if the metric is not applicable."""
    try:
        return measure(problem, result, params)
    except (NotApplicableError, ParameterError):
        return math.nan


def _truth_as(kind: str, problem: Problem, truth: Tree, level: int | None = None) -> Result:
    if kind == "tree":
        return truth
    return finest_partition(problem, level)


def _combinations(
    spec: MetricSpec, params: Mapping[str, Any], problem: Problem
) -> Iterator[dict[str, Any]]:
    """The parameters with all values of those that have few, where they have their defaults."""
    values: dict[str, list[Any]] = {}
    for parameter in spec.parameters:
        name = parameter.name
        values[name] = [params[name]]
        # What a user has set is meant, and not varied.
        if params[name] != parameter.default:
            continue
        if parameter.choices:
            values[name] += parameter.choices
        elif isinstance(parameter.default, bool):
            values[name].append(not parameter.default)
        elif name == "truth" and len(problem.truths) > 1:
            values[name] += problem.truths
        elif name == "level" and problem.levels is not None:
            values[name] += range(1, problem.levels.shape[1] + 1)
    distinct = list(map(dict.fromkeys, values.values()))
    for combination in itertools.product(*distinct):
        yield dict(zip(values, combination, strict=True))


def _not_default(spec: MetricSpec, params: Mapping[str, Any]) -> dict[str, Any]:
    defaults = _defaults_of(spec)
    changed = {}
    for name, value in params.items():
        if value != defaults[name]:
            changed[name] = value
    return changed


def _defaults_of(spec: MetricSpec) -> dict[str, Any]:
    """The defaults of the parameters, by their names."""
    return {parameter.name: parameter.default for parameter in spec.parameters}


def _rivals(problem: Problem) -> Iterator[tuple[str, Tree]]:
    """Other results, each with its description: random trees, and changed truths."""
    for seed in range(3):
        yield "a random tree", random_tree(problem.n, seed)
    yield "a random tree without heights", Tree(random_tree(problem.n, 3).parent)
    if problem.levels is not None:
        yield "the tree of the classes", Tree.from_levels(problem.levels, problem.names)
    rng = np.random.default_rng(0)
    for truth in problem.truths.values():
        yield "the truth without heights", Tree(truth.parent, names=truth.names)
        depth = truth.depths.max() - truth.depths.astype(np.float64)
        depth[: truth.n] = 0.0
        yield "the truth with its depths as heights", _with_heights(truth, depth)
        sizes = truth.sizes.astype(np.float64) - 1.0
        yield "the truth with sizes as heights", _with_heights(truth, sizes)
        yield "the truth, refined to a binary tree", _refined(truth, rng)
        for _ in range(2):
            yield "the truth with two items exchanged", _with_exchange(truth, rng)


def _with_heights(tree: Tree, heights: NDArray[np.float64]) -> Tree:
    return Tree(tree.parent, heights, HeightKind.DISTANCE, tree.names)


def _with_exchange(tree: Tree, rng: np.random.Generator) -> Tree:
    order = np.arange(tree.n)
    if tree.n > 1:
        items = rng.choice(tree.n, 2, replace=False)
        order[items] = order[items[::-1]]
    exchanged = tree.relabel(order)
    return Tree(exchanged.parent, exchanged.height, exchanged.kind, tree.names)


def _refined(tree: Tree, rng: np.random.Generator) -> Tree:
    """A binary tree with all clusters of a tree; added nodes are as high as those they divide."""
    parent = tree.parent.tolist()
    origin = list(range(tree.n_nodes))
    for node in range(tree.n, tree.n_nodes):
        children = tree.children(node).tolist()
        rng.shuffle(children)
        # Two of the children get a new node above them, until two are left. The new node is put
        # first, so that it is joined last.
        while len(children) > 2:
            new = len(parent)
            parent.append(node)
            origin.append(node)
            parent[children.pop()] = new
            parent[children.pop()] = new
            children.insert(0, new)
    height = None
    if tree.height is not None:
        height = tree.height[origin]
    return Tree.from_parents(parent, height, tree.kind, tree.names)
