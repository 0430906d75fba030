"""Computing a metric of given results of planted items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hcbench.authoring.testing.findings import skip
from hcbench.authoring.testing.items import N, items_with, random_tree
from hcbench.authoring.testing.running import NOISE_SEED
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import NotApplicableError, ParameterError
from hcbench.model.cost import Cost
from hcbench.model.notes import collect_notes
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Tree
from hcbench.oracle import Answers
from hcbench.oracle.scored import Point, Scored
from hcbench.registry.specs import unmet
from hcbench.run.cell import describe, result_kind
from hcbench.run.given import finest_partition
from hcbench.run.inputs import make_answers
from hcbench.run.job import Call

COST = Cost(
    seconds=2.0,
    oracle_seconds=0.5,
    peak_bytes=4096,
    queries=60,
    distinct_queries=50,
    rounds=6,
    draws=70,
)
"""What metrics hear of a call where there was none."""


def problem_of(subject: Subject, n: int = N) -> Problem:
    """Planted items that have what it needs."""
    return items_with(subject.spec.needs, n)


def kinds_of(subject: Subject) -> Sequence[str]:
    """Which results it judges: tree, partition, or both."""
    return ("tree", "partition") if subject.spec.result == "any" else (subject.spec.result,)


def true_result(problem: Problem, kind: str) -> Result:
    """The truth, as a result."""
    return problem.truth if kind == "tree" else finest_partition(problem)


def random_result(problem: Problem, kind: str, seed: int) -> Result:
    """A result that has nothing to do with the items."""
    tree = random_tree(problem.n, seed)
    return tree if kind == "tree" else tree.cut(min(4, problem.n))


def value_of(subject: Subject, problem: Problem, result: Result) -> float:
    """The metric of a result, after 60 questions; after 20 of them it was a random one.

    Raises
    ------
    NotApplicableError
        By the metric.
    """
    before = Point(20, random_result(problem, result_kind(result), seed=99))
    scored = Scored(
        problem=problem,
        result=result,
        cost=COST,
        trace=(before, Point(60, result)),
        make_answers=partial(_hear, subject, problem),
    )
    with collect_notes():
        return float(subject.call(scored))


def usual_value(subject: Subject) -> tuple[float, ...]:
    """The metric of the truth and of a random result, of each kind that it judges."""
    problem = problem_of(subject)
    try:
        return tuple(
            value_of(subject, problem, result)
            for kind in kinds_of(subject)
            for result in (true_result(problem, kind), random_result(problem, kind, 0))
        )
    except (NotApplicableError, ParameterError) as error:
        skip(f"it does not apply to planted items: {describe(error)}")


def same(one: float, other: float) -> bool:
    """Whether two values are equal up to rounding, or both NaN."""
    return (
        one == other
        or (math.isnan(one) and math.isnan(other))
        or math.isclose(one, other, rel_tol=1e-7, abs_tol=1e-9)
    )


def with_truth(problem: Problem, truth: Result) -> Problem:
    """The items with another truth: a tree, or clusters."""
    if isinstance(truth, Tree):
        return replace(problem, truths={"other": truth}, levels=None)
    return replace(problem, truths={}, levels=truth.labels[:, None])


def _hear(subject: Subject, problem: Problem) -> Answers:
    """The answers of an oracle that tells them about all pairs, if there is one."""
    made = [
        make_answers(Call(use.spec.function, dict(use.params)), problem, NOISE_SEED, None)
        for use in subject.oracles
        if use.spec.countable and use.spec.needs and not unmet(use.spec.needs, problem.provides)
    ]
    return next((answers for answers in made if answers.matrix is not None), made[0])
