"""Checks of algorithms: questions are paid for, and nothing is known that is not declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hcbench.authoring.testing.elsewhere import job_of_algorithm, job_without_truth, run_elsewhere
from hcbench.authoring.testing.findings import CheckFailedError, fail, require, skip
from hcbench.authoring.testing.relays import noted, replay
from hcbench.authoring.testing.running import (
    Heard,
    Ran,
    error_of,
    heard_of,
    hints,
    run,
    run_on,
    usual,
)
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import BudgetExceededError, InvalidQuestionError, NotApplicableError
from hcbench.model.problem import Problem
from hcbench.registry.specs import HINTS
from hcbench.run.cell import describe
from hcbench.run.given import give


def check_budget(subject: Subject) -> None:
    """A budget is obeyed to the question: a result within it, or BudgetExceededError."""
    counted = [heard for heard in heard_of(subject) if heard.use.spec.countable]
    if not counted:
        skip("it asks nothing that is counted")
    for heard in counted:
        asked = usual(subject, heard).queries or 0
        for budget in sorted({0, 1, asked // 2, max(asked - 1, 0), asked}):
            ran = run_on(subject, heard, heard.problem(), budget=budget)
            _within(subject, ran, budget, ran.queries or 0)
        _check_paid(subject, heard, asked // 2)


def _check_paid(subject: Subject, heard: Heard, budget: int) -> None:
    """No answer is had that the ledger does not know of."""
    problem = heard.problem()
    answers, record = noted(heard.answers(problem, budget))
    ran = run(subject, answers, give(problem, hints(subject)), budget=budget)
    if answers.arity:
        _within(subject, ran, budget, record.answered)
        require(
            record.answered == (ran.queries or 0),
            f"{subject.label} gets {record.answered} answers, of which the ledger counts "
            f"{ran.queries}",
        )


def _within(subject: Subject, ran: Ran, budget: int, answered: int) -> None:
    require(
        answered <= budget,
        f"{subject.label} gets {answered} answers with a budget of {budget}",
    )
    if ran.result is None and not isinstance(ran.error, BudgetExceededError | NotApplicableError):
        fail(
            f"{subject.label} fails with a budget of {budget}, other than by "
            f"BudgetExceededError: {error_of(ran)}",
            ran.error,
        )


def check_truth_unseen(subject: Subject) -> None:
    """The result is the same where nothing is left of the data but the answers it was given."""
    for heard in heard_of(subject):
        problem, given = heard.problem(), give(heard.problem(), hints(subject))
        expected = usual(subject, heard).result
        answers, record = noted(heard.answers(problem))
        ran = run(subject, answers, given)
        _same(subject, ran.result == expected, "its questions are noted", ran.error)
        job = job_without_truth(subject, heard, replay(answers, record))
        try:
            with_truth = run_elsewhere(subject, job_of_algorithm(subject, heard))
            without = run_elsewhere(subject, job)
        except CheckFailedError as error:
            skip(f"it cannot be run where there is no truth (another_process): {error}")
        same = [m.result for m in with_truth.points] == [m.result for m in without.points]
        _same(
            subject,
            same,
            "the truth is removed and the same answers are given again",
            without.reason,
        )


def _same(subject: Subject, kept: bool, where: str, why: object) -> None:
    because = describe(why) if isinstance(why, BaseException) else why
    require(
        kept,
        f"{subject.label} returns another result where {where}"
        + (f": {because}" if because else ""),
    )


def check_needs(subject: Subject) -> None:
    """It gets along with what it declares: kinds of oracle, needs and hints."""
    declared = hints(subject)
    unknown = [hint for hint in declared if hint not in HINTS]
    require(not unknown, f"{subject.label} declares hints that do not exist: {', '.join(unknown)}")
    for heard in heard_of(subject):
        problem = heard.problem()
        _check_hints(subject, heard, problem, declared)
        if "tree" not in subject.spec.needs:
            _check_without_tree(subject, heard, problem)


def _check_hints(
    subject: Subject, heard: Heard, problem: Problem, declared: tuple[str, ...]
) -> None:
    watched = _Watched(give(problem, tuple(HINTS)).hints)
    ran = run(subject, heard.answers(problem), replace(give(problem, ()), hints=watched))
    secret = sorted(watched.read - set(declared))
    require(
        not secret,
        f"{subject.label} reads the hint{'s' if len(secret) > 1 else ''} {', '.join(secret)}, "
        "which it does not declare",
    )
    if isinstance(ran.error, InvalidQuestionError):
        fail(
            f"{subject.label} accepts {heard.kind} and asks them for what they do not have: "
            f"{describe(ran.error)}",
            ran.error,
        )


def _check_without_tree(subject: Subject, heard: Heard, problem: Problem) -> None:
    given = give(problem, hints(subject))
    expected = run(subject, heard.answers(problem), given)
    without = run(subject, heard.answers(problem), replace(given, tree=None))
    if expected.result is None and without.result is None:
        skip(f"there is no valid result to compare with (valid_result): {error_of(without)}")
    require(
        without.result == expected.result,
        f"{subject.label} uses given.tree, and its needs do not say tree",
    )


class _Watched(Mapping[str, Any]):
    """All hints, and which of them were read."""

    def __init__(self, hints: Mapping[str, Any]) -> None:
        self._hints = hints
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return self._hints[name]

    def __iter__(self) -> Iterator[str]:
        self.read.update(self._hints)
        return iter(self._hints)

    def __len__(self) -> int:
        return len(self._hints)


CHECKS = (check_budget, check_truth_unseen, check_needs)
