"""Values of metrics on planted items, of true and of random results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hcbench.errors import NotApplicableError, ParameterError
from hcbench.model.cost import Cost, collect_notes
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Tree
from hcbench.oracle import Answers
from hcbench.oracle.answers import Point, Scored
from hcbench.registry.specs import unmet
from hcbench.run.failures import describe
from hcbench.run.inputs import finest_partition, make_answers
from hcbench.run.job import Call
from hcbench.run.returned import result_kind
from hcbench.testing.oracles import problem_of
from hcbench.testing.planted import random_tree
from hcbench.testing.running import NOISE_SEED
from hcbench.testing.subjects import Subject, skip

EXAMPLE_COST = Cost(
    seconds=2.0,
    oracle_seconds=0.5,
    peak_bytes=4096,
    queries=60,
    distinct_queries=50,
    rounds=6,
    draws=70,
    price=0.25,
    tokens=4000.0,
    latency=30.0,
    saved=0.0,
    processor_seconds=3.0,
)
"""The cost that metrics see where there is no call."""


def kinds_of(subject: Subject) -> Sequence[str]:
    """The kinds of results that it can judge: tree, partition, or both."""
    if subject.spec.result == "any":
        return ("tree", "partition")
    return (subject.spec.result,)


def true_result(problem: Problem, kind: str) -> Result:
    """The truth, as a result."""
    if kind == "tree":
        return problem.truth
    return finest_partition(problem)


def random_result(problem: Problem, kind: str, seed: int) -> Result:
    """A result that is independent of the items."""
    tree = random_tree(problem.n, seed)
    if kind == "tree":
        return tree
    return tree.cut(min(4, problem.n))


def value_of(subject: Subject, problem: Problem, result: Result) -> float:
    """The metric of a result after 60 queries; the result after 20 queries was a random one."""
    # Metrics of curves need an earlier result.
    before = Point(20, random_result(problem, result_kind(result), seed=99))
    scored = Scored(
        problem=problem,
        result=result,
        cost=EXAMPLE_COST,
        trace=(before, Point(60, result)),
        make_answers=partial(_answers_of, subject, problem),
    )
    # Notes would be written to the store; here nobody reads them.
    with collect_notes():
        return float(subject.call(scored))


def usual_values(subject: Subject) -> tuple[float, ...]:
    """The metric of the truth and of a random result, of each kind that it can judge."""
    problem = problem_of(subject)
    values = []
    try:
        for kind in kinds_of(subject):
            values.append(value_of(subject, problem, true_result(problem, kind)))
            values.append(value_of(subject, problem, random_result(problem, kind, 0)))
    except (NotApplicableError, ParameterError) as error:
        skip(f"it does not apply to planted items: {describe(error)}")
    return tuple(values)


def usual_problem(subject: Subject) -> Problem:
    """Planted items to which the metric applies."""
    usual_values(subject)  # skips the check otherwise
    return problem_of(subject)


def same(first: float, second: float) -> bool:
    """Whether two values are equal up to rounding, or both NaN."""
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    # Infinities are close to themselves.
    return math.isclose(first, second, rel_tol=1e-7, abs_tol=1e-9)


def with_truth(problem: Problem, truth: Result) -> Problem:
    """The items with another truth: a tree or a partition."""
    # Only one of both, so that a metric compares with it and not with the former truth.
    if isinstance(truth, Tree):
        tree = truth.with_names(problem.names)
        return replace(problem, truths={"other": tree}, levels=None)
    return replace(problem, truths={}, levels=truth.labels[:, None])


def _answers_of(subject: Subject, problem: Problem) -> Answers:
    """The answers of an oracle, if possible of one that gives them for all pairs."""
    first: Answers | None = None
    for use in subject.oracles:
        needs = use.spec.needs
        # An oracle without needs asks a person or a model, or has answers about other items.
        if not use.spec.countable or not needs or unmet(needs, problem.provides):
            continue
        call = Call(use.spec.function, dict(use.params))
        answers = make_answers(call, problem, NOISE_SEED, None)
        if answers.matrix is not None:
            return answers
        if first is None:
            first = answers
    assert first is not None, "hcbench itself has such oracles"
    return first
