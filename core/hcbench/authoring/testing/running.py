"""Running an algorithm as a cell does, on whatever items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hcbench.authoring.testing.findings import fail, skip
from hcbench.authoring.testing.items import DATA_SEED, Form, make_items
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import (
    HcbenchError,
    InvalidComparisonsError,
    InvalidPartitionError,
    InvalidProblemError,
    InvalidQuestionError,
    InvalidTreeError,
)
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Tree
from hcbench.oracle import Answers
from hcbench.oracle.scored import Point
from hcbench.registry import Use
from hcbench.registry.specs import OracleSpec
from hcbench.run.cell import call_algorithm, describe, result_kind
from hcbench.run.given import Given, give
from hcbench.run.inputs import make_answers, make_oracle
from hcbench.run.job import Call

NOISE_SEED, SEED = 2, 3
_BROKEN = (
    InvalidComparisonsError,
    InvalidPartitionError,
    InvalidProblemError,
    InvalidQuestionError,
    InvalidTreeError,
)
"""What core raises where the algorithm is wrong and not the data."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Items, and the oracle of a kind through which an algorithm hears of them."""

    kind: str
    form: Form
    use: Use[OracleSpec]

    def problem(self, form: Form | None = None, n: int | None = None) -> Problem:
        """The items, or such of another form or number."""
        chosen: Form = form or self.form
        return make_items(DATA_SEED, form=chosen) if n is None else make_items(DATA_SEED, n, chosen)

    def answers(self, problem: Problem, budget: int | None = None) -> Answers:
        """What the oracle answers about a problem."""
        return make_answers(self.call, problem, NOISE_SEED, budget)

    @property
    def call(self) -> Call:
        """The oracle with its parameters."""
        return Call(self.use.spec.function, dict(self.use.params))


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one call of an algorithm.

    Attributes
    ----------
    result : Tree, Partition or None
    error : exception or None
    queries : int or None
        As the ledger has them.
    trace : tuple of Point
    """

    result: Result | None
    error: BaseException | None
    queries: int | None
    trace: tuple[Point, ...]

    @property
    def refusal(self) -> HcbenchError | None:
        """The error, if it tells in one line why these items can have no result."""
        error = self.error
        if not isinstance(error, HcbenchError) or isinstance(error, _BROKEN):
            return None
        return error if describe(error) else None


def heard_of(subject: Subject) -> list[Heard]:
    """How an algorithm hears of planted items: once for each kind that it accepts."""
    if "heard" not in subject.memory:
        subject.memory["heard"] = list(_heard_of(subject))
    found: list[Heard] = subject.memory["heard"]
    if not found:
        skip(f"no oracle is registered for {' or '.join(subject.spec.accepts)}")
    return found


def _heard_of(subject: Subject) -> Iterator[Heard]:
    forms: tuple[Form, ...] = ("planted", "everything")
    for kind in subject.spec.accepts:
        for form in forms:
            use = subject.oracle(kind, make_items(DATA_SEED, form=form).provides)
            if use is not None:
                yield Heard(kind, form, use)
                break


def run(
    subject: Subject,
    answers: Answers,
    given: Given,
    *,
    budget: int | None = None,
    seed: int = SEED,
    checkpoints: tuple[int, ...] = (),
) -> Ran:
    """Call an algorithm as a cell does."""
    oracle = make_oracle(answers, budget, checkpoints)
    called = call_algorithm(subject.call, oracle, given, seed)
    if isinstance(called.error, KeyboardInterrupt):
        raise called.error
    return Ran(called.result, called.error, called.cost.queries, called.trace)


def run_on(subject: Subject, heard: Heard, problem: Problem, **options: Any) -> Ran:
    """Call an algorithm on a problem, through an oracle."""
    answers = heard.answers(problem, options.get("budget"))
    return run(subject, answers, give(problem, hints(subject)), **options)


def hints(subject: Subject) -> tuple[str, ...]:
    """That it declares with its parameters."""
    declared: tuple[str, ...] = subject.spec.hints_of(subject.params)
    return declared


def usual(subject: Subject, heard: Heard) -> Ran:
    """What comes of the planted items, remembered; it has a result.

    The check ``valid_result`` says what is wrong where there is none.
    """
    key = ("usual", heard.kind)
    if key not in subject.memory:
        subject.memory[key] = run_on(subject, heard, heard.problem())
    ran: Ran = subject.memory[key]
    if ran.result is None or result_kind(ran.result) != subject.spec.returns:
        skip(f"there is no valid result to compare with (valid_result): {error_of(ran)}")
    return ran


def error_of(ran: Ran) -> str:
    """Why there is no result, in one line."""
    if ran.error is not None:
        return describe(ran.error)
    return "it returned nothing" if ran.result is None else f"a {result_kind(ran.result)}"


def clusters_of(result: Result) -> frozenset[frozenset[int]]:
    """The sets of items: below the inner nodes of a tree, or those of a partition."""
    if isinstance(result, Tree):
        nodes = range(result.n, result.n_nodes)
        return frozenset(frozenset(result.leaves(node).tolist()) for node in nodes)
    return frozenset(
        frozenset(result.members(cluster).tolist()) for cluster in range(result.n_clusters)
    )


def sound(subject: Subject, ran: Ran, on: str) -> None:
    """Fail unless there is a result of the declared kind, or an error of hcbench that says why."""
    if ran.refusal is not None:
        return
    if ran.result is None:
        fail(f"{subject.label} fails on {on}: {error_of(ran)}", ran.error)
    kind = result_kind(ran.result)
    if kind != subject.spec.returns:
        fail(f"{subject.label} returns a {kind} of {on} and declares a {subject.spec.returns}")
