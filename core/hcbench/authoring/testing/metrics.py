"""Checks of metrics."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hcbench.authoring.testing.findings import fail, require, skip
from hcbench.authoring.testing.items import own_arrays, random_tree
from hcbench.authoring.testing.scoring import (
    kinds_of,
    problem_of,
    random_result,
    same,
    true_result,
    usual_value,
    value_of,
    with_truth,
)
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import NotApplicableError, ParameterError
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Partition, Tree
from hcbench.registry.specs import Interval
from hcbench.run.cell import describe

_FROM_TRUTH = {"truth", "levels", "heights"}


def check_range(subject: Subject) -> None:
    """Values are numbers, and in the declared interval."""
    usual_value(subject)
    problem = problem_of(subject)
    for kind in kinds_of(subject):
        for result, what in _results(problem, kind):
            _check_value(subject, problem, result, what)


def _results(problem: Problem, kind: str) -> list[tuple[Result, str]]:
    """Good, bad and extreme ones."""
    n = problem.n
    drawn = [(random_result(problem, kind, seed), "a random result") for seed in range(3)]
    extreme: list[tuple[Result, str]]
    if kind == "tree":
        star = Tree(np.append(np.full(n, n), -1))
        steps = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
        extreme = [(star, "a star"), (Tree.from_parents(steps), "a caterpillar")]
    else:
        whole, single = Partition(np.zeros(n, np.int64)), Partition(np.arange(n))
        extreme = [(whole, "one cluster"), (single, "clusters of one item")]
    return [(true_result(problem, kind), "the truth"), *drawn, *extreme]


def _check_value(subject: Subject, problem: Problem, result: Result, what: str) -> None:
    try:
        value = value_of(subject, problem, result)
    except (NotApplicableError, ParameterError) as error:
        require(bool(describe(error)), f"{subject.label} skips {what} without a reason")
        return
    require(not math.isnan(value), f"{subject.label} of {what} is NaN")
    low, high = Interval(subject.spec.interval).low, Interval(subject.spec.interval).high
    rounded = min(max(value, low), high) if math.isfinite(value) else value
    require(
        rounded in Interval(subject.spec.interval) and same(value, rounded),
        f"{subject.label} of {what} is {value:g}, outside of its declared {subject.spec.interval}",
    )


def check_few_items(subject: Subject) -> None:
    """One, two and three items: a number in the interval, or one line that says why not."""
    usual_value(subject)
    for n in (1, 2, 3):
        problem = problem_of(subject, n)
        for kind in kinds_of(subject):
            for result in (true_result(problem, kind), random_result(problem, kind, 0)):
                _check_value(subject, problem, result, f"{n} item{'s' if n > 1 else ''}")


def check_direction(subject: Subject) -> None:
    """The truth is no worse than random results, by the declared direction."""
    spec = subject.spec
    if spec.direction == "none" or spec.cost or not spec.needs:
        skip("it does not judge a result by what is true of the data")
    usual_value(subject)
    problem = problem_of(subject)
    for kind in kinds_of(subject):
        best = value_of(subject, problem, true_result(problem, kind))
        for seed in range(5):
            drawn = value_of(subject, problem, random_result(problem, kind, seed))
            better = drawn > best if spec.direction == "higher" else drawn < best
            require(
                not better or same(drawn, best),
                f"{subject.label} declares {spec.direction} values to be better, and a random "
                f"{kind} has {drawn:g}, the truth {best:g}",
            )


def check_best_on_truth(subject: Subject) -> None:
    """The truth has the best value that the interval holds, if the truth alone decides."""
    spec = subject.spec
    parts = {part for need in spec.needs for part in need.split("|")}
    interval = Interval(spec.interval)
    best = {"higher": interval.high, "lower": interval.low}.get(spec.direction, math.nan)
    if not parts or not parts <= _FROM_TRUTH:
        skip("not the truth alone decides")
    if not math.isfinite(best):
        skip("its interval has no best value")
    usual_value(subject)
    problem = problem_of(subject)
    for kind in kinds_of(subject):
        value = value_of(subject, problem, true_result(problem, kind))
        require(
            same(value, best), f"{subject.label} of the truth is {value:g}; the best is {best:g}"
        )


def check_symmetry(subject: Subject) -> None:
    """Result and truth may change places, if it is declared symmetric.

    Of a metric that judges partitions as well as trees, these, as it cuts trees first.
    """
    if not subject.spec.symmetric_with(subject.params):
        skip("it is not declared symmetric")
    usual_value(subject)
    problem, kind = problem_of(subject), kinds_of(subject)[-1]
    for seed in range(3):
        one = random_result(problem, kind, seed)
        other = random_result(problem, kind, seed + 10)
        there = value_of(subject, with_truth(problem, one), other)
        back = value_of(subject, with_truth(problem, other), one)
        require(
            same(there, back),
            f"{subject.label} is declared symmetric and is {there:g} one way, {back:g} the other",
        )


def check_renumbered_items(subject: Subject) -> None:
    """Items in another order have the same value."""
    usual_value(subject)
    problem = problem_of(subject)
    for kind in kinds_of(subject):
        for seed in range(3):
            items = np.random.default_rng(seed).permutation(problem.n)
            result = random_result(problem, kind, seed)
            expected = value_of(subject, problem, result)
            found = value_of(subject, problem.take(items), _taken(result, items))
            require(
                same(expected, found),
                f"{subject.label} is {expected:g}, and {found:g} where the same items come in "
                "another order",
            )


def _taken(result: Result, items: NDArray[np.int64]) -> Result:
    return result.restrict(items) if isinstance(result, Tree) else Partition(result.labels[items])


def check_renumbered_nodes(subject: Subject) -> None:
    """Nodes in another numbering, and so children in another order, change nothing."""
    if "tree" not in kinds_of(subject):
        skip("it judges no tree")
    usual_value(subject)
    problem = problem_of(subject)
    for seed in range(3):
        tree = random_tree(problem.n, seed)
        expected = value_of(subject, problem, tree)
        found = value_of(subject, problem, _renumbered(tree, seed))
        require(
            same(expected, found),
            f"{subject.label} is {expected:g}, and {found:g} where the nodes of the same tree are "
            "numbered otherwise",
        )


def _renumbered(tree: Tree, seed: int) -> Tree:
    """The same tree, its inner nodes in another order in which parents come after children."""
    rng = np.random.default_rng(seed)
    left = {node: tree.children(node).size for node in range(tree.n, tree.n_nodes)}
    ready, waiting = list(range(tree.n)), list(range(tree.n))
    while waiting:
        node = waiting.pop(rng.integers(len(waiting)))
        if node >= tree.n:
            ready.append(node)
        parent = int(tree.parent[node])
        if parent >= 0:
            left[parent] -= 1
            if not left[parent]:
                waiting.append(parent)
    ids = np.array(ready)
    assert tree.height is not None
    parents = np.append(np.argsort(ids)[tree.parent[ids[:-1]]], -1)
    return Tree(parents, tree.height[ids], tree.kind, tree.names)


def check_input_unchanged(subject: Subject) -> None:
    """The problem is as before, and asked again the value is the same."""
    usual_value(subject)
    planted = problem_of(subject)
    problem = own_arrays(planted)
    before = problem.digest()
    for kind in kinds_of(subject):
        result = random_result(problem, kind, 0)
        first, second = (value_of(subject, problem, result) for _ in range(2))
        require(problem.digest() == before, f"{subject.label} changes the data of the problem")
        require(same(first, second), f"{subject.label} is {first:g}, and asked again {second:g}")


def check_reasons(subject: Subject) -> None:
    """What it needs and does not get is a NotApplicableError that says so, as is a wrong result."""
    usual_value(subject)
    problem = problem_of(subject)
    kind = kinds_of(subject)[0]
    result = true_result(problem, kind)
    bare = Problem(n=problem.n, names=problem.names)
    cases: list[tuple[Problem, Result, str]] = []
    if subject.spec.needs:
        cases.append((bare, result, "data that have nothing of what it needs"))
    if subject.spec.result == "tree":
        cases.append((problem, true_result(problem, "partition"), "a partition"))
    if not cases:
        skip("it needs nothing, and judges any result")
    for about, judged, what in cases:
        try:
            value_of(subject, about, judged)
        except NotApplicableError as error:
            require(bool(describe(error)), f"{subject.label} skips {what} without a reason")
        except Exception as error:
            fail(
                f"{subject.label} fails on {what} by {type(error).__name__}; raise "
                f"NotApplicableError with the reason: {describe(error)}",
                error,
            )
        else:
            fail(f"{subject.label} has a value of {what}, and declares that it needs more")


CHECKS = (
    check_range,
    check_few_items,
    check_direction,
    check_best_on_truth,
    check_symmetry,
    check_renumbered_items,
    check_renumbered_nodes,
    check_input_unchanged,
    check_reasons,
)
