"""Checks of metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import HcbenchError, NotApplicableError, ParameterError
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import HeightKind, Partition, Tree
from hcbench.registry.parameters import Interval
from hcbench.run.failures import describe
from hcbench.testing.arrays import OFFSETS, SPARSE, strided, thin
from hcbench.testing.metric_values import (
    kinds_of,
    random_result,
    same,
    true_result,
    usual_problem,
    value_of,
    with_truth,
)
from hcbench.testing.oracles import problem_of
from hcbench.testing.planted import DATA_SEED, own_arrays, random_tree
from hcbench.testing.subjects import CheckFailedError, NotCheckedError, Subject, fail, require, skip
from hcbench.testing.truths import better_than_truth, compares_with_truth, truth_problems

_FROM_TRUTH = {"truth", "levels", "heights"}
"""What data provide that is a part of the truth."""


def check_range(subject: Subject) -> None:
    """Values are numbers, and in the declared interval."""
    problem = usual_problem(subject)
    for kind in kinds_of(subject):
        for result, description in _results(problem, kind):
            _check_value(subject, problem, result, description)


def _results(problem: Problem, kind: str) -> list[tuple[Result, str]]:
    """Good, bad and extreme results, each with its description."""
    n = problem.n
    results: list[tuple[Result, str]] = [(true_result(problem, kind), "the truth")]
    for seed in range(3):
        results.append((random_result(problem, kind, seed), "a random result"))
    if kind == "tree":
        # All leaves are children of one inner node, which is number n.
        star = Tree(np.append(np.full(n, n), -1))
        # Each inner node has one leaf and the inner node before it below.
        parents = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
        results.append((star, "a star"))
        results.append((Tree.from_parents(parents), "a caterpillar"))
    else:
        results.append((Partition(np.zeros(n, np.int64)), "one cluster"))
        results.append((Partition(np.arange(n)), "clusters of one item"))
    return results


def _check_value(subject: Subject, problem: Problem, result: Result, description: str) -> None:
    try:
        value = value_of(subject, problem, result)
    except (NotApplicableError, ParameterError) as error:
        require(bool(describe(error)), f"skips {description} without a reason")
        return
    require(not math.isnan(value), f"of {description} is NaN")
    if subject.spec.outside:
        return  # its values may leave the interval, which says where they are meant to be
    interval = Interval(subject.spec.interval)
    # A value that exceeds a bound by rounding is that of the bound.
    rounded = value
    if math.isfinite(value):
        rounded = min(max(value, interval.low), interval.high)
    require(
        rounded in interval and same(value, rounded),
        f"of {description} is {value:g}, outside of its declared {interval.text}",
    )


def check_few_items(subject: Subject) -> None:
    """One, two and three items: a number in the interval, or one line that says why not."""
    usual_problem(subject)
    for n, items in ((1, "1 item"), (2, "2 items"), (3, "3 items")):
        problem = problem_of(subject, n)
        for kind in kinds_of(subject):
            _check_value(subject, problem, true_result(problem, kind), items)
            _check_value(subject, problem, random_result(problem, kind, 0), items)


def check_direction(subject: Subject) -> None:
    """The truth is no worse than random results, by the declared direction."""
    spec = subject.spec
    if spec.direction == "none" or spec.cost or not spec.needs:
        skip("it does not judge a result by what is true of the data")
    problem = usual_problem(subject)
    for kind in kinds_of(subject):
        best = value_of(subject, problem, true_result(problem, kind))
        for seed in range(5):
            value = value_of(subject, problem, random_result(problem, kind, seed))
            is_better = value > best
            if spec.direction == "lower":
                is_better = value < best
            require(
                not is_better or same(value, best),
                f"declares {spec.direction} values to be better, and a random {kind} has "
                f"{value:g}, the truth {best:g}",
            )


def check_best_on_truth(subject: Subject) -> None:
    """The truth has the best value of the interval, if the metric uses nothing but the truth."""
    parts = _parts_of_needs(subject)
    interval = Interval(subject.spec.interval)
    best = math.nan
    if subject.spec.direction == "higher":
        best = interval.high
    elif subject.spec.direction == "lower":
        best = interval.low
    # Of what looks at the data as well, such as a cost of similarities, the truth may not be best.
    if not parts or not parts <= _FROM_TRUTH:
        skip("it does not depend on the truth alone")
    if not math.isfinite(best):
        skip("its interval has no best value")
    problem = usual_problem(subject)
    for kind in kinds_of(subject):
        value = value_of(subject, problem, true_result(problem, kind))
        require(same(value, best), f"of the truth is {value:g}; the best is {best:g}")


def _parts_of_needs(subject: Subject) -> set[str]:
    """What a metric may need; of alternatives, each of them."""
    parts: set[str] = set()
    for need in subject.spec.needs:
        parts.update(need.split("|"))
    return parts


def advise_truth_best(subject: Subject) -> None:
    """No result is better than the truth, by a metric of nothing else, with all choices."""
    problem = usual_problem(subject)
    measure = partial(_measured, subject)
    if not compares_with_truth(subject.spec, measure, problem):
        skip("it does not depend on the truth alone")
    _skip_if_random_results_are_better(subject)
    problems = {"planted items": problem, **truth_problems(DATA_SEED)}
    # The first result that is better, for each combination of parameters.
    examples: dict[str, str] = {}
    for description, about in problems.items():
        for better in better_than_truth(subject.spec, subject.params, measure, about):
            params = [f"{name}={value}" for name, value in better.params.items()]
            with_params = f"with {', '.join(params) or 'its parameters'}"
            example = (
                f"of {better.result} is {better.value:g}, of the truth {better.of_truth:g}, "
                f"{with_params} on {description}"
            )
            examples.setdefault(with_params, example)
    if not examples:
        return
    combinations = list(examples)
    sentence = examples[combinations[0]]
    if len(combinations) > 1:
        sentence += f"; also {', '.join(combinations[1:])}"
    fail(sentence)


def _skip_if_random_results_are_better(subject: Subject) -> None:
    # If random results are better, another check has said so; that changed truths are, too, is no
    # news.
    try:
        check_direction(subject)
    except CheckFailedError as error:
        skip(f"random results are better (direction): {error}")
    except NotCheckedError:
        pass  # it declares no needs


def _measured(
    subject: Subject, problem: Problem, result: Result, params: Mapping[str, Any]
) -> float:
    """The metric of a result with other parameters."""
    assert subject.use is not None
    use = replace(subject.use, params=params)
    return value_of(replace(subject, use=use), problem, result)


def check_symmetry(subject: Subject) -> None:
    """Result and truth may change places, if it is declared symmetric.

    Metrics of both trees and partitions are checked with partitions, as they cut trees first.
    """
    if not subject.spec.symmetric_with(subject.params):
        skip("it is not declared symmetric")
    problem = usual_problem(subject)
    kind = kinds_of(subject)[-1]
    # Of two results each is once the truth and once what is judged.
    for seed in range(3):
        first = random_result(problem, kind, seed)
        second = random_result(problem, kind, seed + 10)
        there = value_of(subject, with_truth(problem, first), second)
        back = value_of(subject, with_truth(problem, second), first)
        require(
            same(there, back), f"is declared symmetric and is {there:g} one way, {back:g} the other"
        )


def check_renumbered_items(subject: Subject) -> None:
    """Items in another order have the same value."""
    problem = usual_problem(subject)
    for kind in kinds_of(subject):
        for seed in range(3):
            items = np.random.default_rng(seed).permutation(problem.n)
            result = random_result(problem, kind, seed)
            expected = value_of(subject, problem, result)
            value = value_of(subject, problem.take(items), _take(result, items))
            require(
                same(expected, value),
                f"is {expected:g}, and {value:g} where the same items come in another order",
            )


def _take(result: Result, items: NDArray[np.int64]) -> Result:
    if isinstance(result, Tree):
        return result.restrict(items)
    return Partition(result.labels[items])


def check_renumbered_nodes(subject: Subject) -> None:
    """The value does not depend on the numbers of nodes, nor on the order of children."""
    if "tree" not in kinds_of(subject):
        skip("it does not judge trees")
    problem = usual_problem(subject)
    for seed in range(3):
        tree = random_tree(problem.n, seed)
        expected = value_of(subject, problem, tree)
        value = value_of(subject, problem, _renumber(tree, seed))
        require(
            same(expected, value),
            f"is {expected:g}, and {value:g} where the nodes of the same tree have other numbers",
        )


def _renumber(tree: Tree, seed: int) -> Tree:
    """The same tree with its inner nodes in another order, in which parents follow children."""
    rng = np.random.default_rng(seed)
    # Nodes in the order of their ranks have their children before them, as a tree must.
    rank = np.zeros(tree.n_nodes)
    # Children come before their parents here, so that their ranks are known.
    for node, parent in enumerate(tree.parent[:-1]):
        rank[parent] = max(rank[parent], rank[node] + rng.random())
    ids = np.concatenate([np.arange(tree.n), tree.n + np.argsort(rank[tree.n :])])
    assert tree.height is not None
    parents = np.append(np.argsort(ids)[tree.parent[ids[:-1]]], -1)
    return Tree(parents, tree.height[ids], tree.kind, tree.names)


def check_height_unit(subject: Subject) -> None:
    """The value changes with the unit of the heights if that is declared, and only then."""
    if "tree" not in kinds_of(subject):
        skip("it does not judge trees")
    problem = problem_of(subject)
    n_values = 0
    is_changed = False
    for kind in (HeightKind.DISTANCE, HeightKind.AFFINITY):
        for seed in range(3):
            tree = _tree_with_heights(problem.n, seed, kind)
            assert tree.height is not None
            # The same tree in another unit, such as kilometres and miles.
            doubled = Tree(tree.parent, 2 * tree.height, tree.kind, tree.names)
            try:
                value = value_of(subject, problem, tree)
                value_of_doubled = value_of(subject, problem, doubled)
            except (NotApplicableError, ParameterError):
                # Some metrics take heights of one kind only.
                continue
            n_values += 1
            if not same(value, value_of_doubled):
                is_changed = True
    if n_values == 0:
        skip("it does not apply to trees of planted items with heights")
    declared = subject.spec.uses_height_unit
    changes = "does not change"
    if is_changed:
        changes = "changes"
    require(
        is_changed == declared,
        f"declares uses_height_unit={declared}, and its value {changes} if the heights of the "
        "result are doubled",
    )


def _tree_with_heights(n: int, seed: int, kind: HeightKind) -> Tree:
    """A random tree whose heights are distances or affinities, from 0 to 1."""
    tree = random_tree(n, seed)
    assert tree.height is not None
    height = tree.height / tree.height.max()
    if kind is HeightKind.AFFINITY:
        height = 1 - height
    return Tree(tree.parent, height, kind, tree.names)


def check_float32(subject: Subject) -> None:
    """The value of numbers of single precision is that of the same ones in double precision."""

    def single(values: Any) -> Any:
        return values.astype(np.float32)

    def double(values: Any) -> Any:
        return single(values).astype(np.float64)

    _compare(subject, "of single precision", single, double, tolerance=1e-4)


def check_strided(subject: Subject) -> None:
    """The value of a view of every second number is that of a contiguous array."""
    _compare(subject, "that are not contiguous", strided, np.ascontiguousarray)


def check_sparse(subject: Subject) -> None:
    """The value of sparse vectors, where they are accepted, is that of the same dense ones."""
    for what, change in SPARSE.items():
        _compare(subject, f"that are sparse ({what})", partial(_sparse, change), thin)


def _sparse(change: Callable[[Any], Any], values: Any) -> Any:
    return change(thin(values))


def advise_offset(subject: Subject) -> None:
    """The value is the same far from the origin, if it is the same near to it."""

    def moved(offset: float, values: Any) -> Any:
        return values + offset

    try:
        # By a small amount, that costs no digits.
        _compare(subject, "", partial(moved, 4.0), np.ascontiguousarray)
    except CheckFailedError:
        skip("its value depends on the origin of the vectors")
    for offset in OFFSETS:
        # The numbers themselves have no more digits.
        _compare(
            subject,
            f"moved by {offset:g}",
            partial(moved, offset),
            np.ascontiguousarray,
            tolerance=1e-4,
        )


def _compare(
    subject: Subject,
    what: str,
    change: Callable[[Any], Any],
    reference: Callable[[Any], Any],
    *,
    tolerance: float = 1e-7,
) -> None:
    """Compare the values for changed vectors with those for reference vectors."""
    if "vectors" not in _parts_of_needs(subject):
        skip("it needs no vectors")
    problem = usual_problem(subject)
    for kind in kinds_of(subject):
        result = random_result(problem, kind, 0)
        try:
            expected = value_of(subject, _with(problem, reference(problem.vectors)), result)
            changed = _with(problem, change(problem.vectors))
            value = value_of(subject, changed, result)
        except HcbenchError as error:
            skip(f"it does not take such vectors: {describe(error)}")
        close = math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance)
        require(
            close or same(value, expected),
            f"is {expected:g}, and {value:g} for the same vectors {what}",
        )


def _with(problem: Problem, vectors: Any) -> Problem:
    """The items with other vectors, and without similarities, which would be used instead."""
    return replace(problem, vectors=vectors, similarity=None)


def check_input_unchanged(subject: Subject) -> None:
    """The problem is unchanged, and the value of a second call is the same."""
    problem = own_arrays(usual_problem(subject))
    before = problem.digest()
    for kind in kinds_of(subject):
        result = random_result(problem, kind, 0)
        first = value_of(subject, problem, result)
        second = value_of(subject, problem, result)
        require(problem.digest() == before, "changes the data of the problem")
        require(same(first, second), f"is {first:g}, and {second:g} in a second call")


def check_reasons(subject: Subject) -> None:
    """Missing data and wrong kinds of results raise a NotApplicableError with the reason."""
    problem = usual_problem(subject)
    # Problem, result, and a description of what is missing or wrong.
    cases: list[tuple[Problem, Result, str]] = []
    if subject.spec.needs:
        bare = Problem(n=problem.n, names=problem.names)
        result = true_result(problem, kinds_of(subject)[0])
        cases.append((bare, result, "data that provide nothing that it needs"))
    if subject.spec.result == "tree":
        cases.append((problem, true_result(problem, "partition"), "a partition"))
    if not cases:
        skip("it needs nothing, and can judge any result")
    for about, result, description in cases:
        # Any other error looks like a defect of the metric to whoever reads the report.
        try:
            value_of(subject, about, result)
        except NotApplicableError as error:
            require(bool(describe(error)), f"skips {description} without a reason")
        except Exception as error:
            fail(
                f"fails on {description} by {type(error).__name__}; raise NotApplicableError with "
                f"the reason: {describe(error)}",
                error,
            )
        else:
            fail(f"has a value of {description}, and declares that it needs more")
