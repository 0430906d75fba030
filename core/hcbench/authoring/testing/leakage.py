"""Checks of algorithms: all answers are paid for, and nothing undeclared is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hcbench.authoring.testing.findings import CheckFailedError, fail, require, skip
from hcbench.authoring.testing.replay import record, replay
from hcbench.authoring.testing.running import Ran, Source, run, run_on, sources_of, usual
from hcbench.authoring.testing.subjects import Subject
from hcbench.authoring.testing.subprocesses import (
    job_of_algorithm,
    job_without_truth,
    run_in_worker,
)
from hcbench.errors import BudgetExceededError, InvalidQuestionError, NotApplicableError
from hcbench.registry.specs import HINTS
from hcbench.run.cell import describe
from hcbench.run.given import give


def check_budget(subject: Subject) -> None:
    """A budget is never exceeded: a result within it, or BudgetExceededError."""
    counted = [source for source in sources_of(subject) if source.use.spec.countable]
    if not counted:
        skip("it asks nothing that is counted")
    for source in counted:
        queries = usual(subject, source).queries or 0
        for budget in sorted({0, 1, queries // 2, max(queries - 1, 0), queries}):
            ran = run_on(subject, source, budget=budget)
            _require_within(ran, budget, ran.queries or 0)
        _check_paid(subject, source, queries // 2)


def _check_paid(subject: Subject, source: Source, budget: int) -> None:
    """The ledger counts every answer."""
    problem = source.problem()
    answers, said = record(source.answers(problem, budget))
    ran = run(subject, answers, give(problem, subject.hints), budget=budget)
    if answers.arity:
        _require_within(ran, budget, said.answered)
        require(
            said.answered == (ran.queries or 0),
            f"gets {said.answered} answers, of which the ledger counts {ran.queries}",
        )


def _require_within(ran: Ran, budget: int, answered: int) -> None:
    require(answered <= budget, f"gets {answered} answers with a budget of {budget}")
    if ran.result is None and not isinstance(ran.error, BudgetExceededError | NotApplicableError):
        fail(
            f"fails with a budget of {budget}, other than by BudgetExceededError: {ran.reason}",
            ran.error,
        )


def check_truth_unseen(subject: Subject) -> None:
    """The result is the same where nothing is left of the data but the answers it was given."""
    for source in sources_of(subject):
        problem = source.problem()
        expected = usual(subject, source).result
        answers, said = record(source.answers(problem))
        ran = run(subject, answers, give(problem, subject.hints))
        if ran.result != expected:
            because = "" if ran.error is None else f": {describe(ran.error)}"
            fail(f"returns another result where its queries are recorded{because}")
        job = job_without_truth(subject, source, replay(answers, said))
        try:
            with_truth = run_in_worker(subject, job_of_algorithm(subject, source))
            without = run_in_worker(subject, job)
        except CheckFailedError as error:
            skip(f"it cannot be run where there is no truth (another_process): {error}")
        if [p.result for p in with_truth.points] != [p.result for p in without.points]:
            because = f": {without.reason}" if without.reason else ""
            fail(
                "returns another result where the truth is removed and the same answers are given "
                f"again{because}"
            )


def check_needs(subject: Subject) -> None:
    """It needs no more than it declares: kinds of oracle, needs and hints."""
    unknown = [hint for hint in subject.hints if hint not in HINTS]
    require(not unknown, f"declares hints that do not exist: {', '.join(unknown)}")
    for source in sources_of(subject):
        _check_hints(subject, source)
        if "tree" not in subject.spec.needs:
            _check_without_tree(subject, source)


def _check_hints(subject: Subject, source: Source) -> None:
    problem = source.problem()
    watched = _WatchedHints(give(problem, tuple(HINTS)).hints)
    ran = run(subject, source.answers(problem), replace(give(problem, ()), hints=watched))
    secret = sorted(watched.read - set(subject.hints))
    require(
        not secret,
        f"reads the hint{'s' if len(secret) > 1 else ''} {', '.join(secret)}, which it does not "
        "declare",
    )
    if isinstance(ran.error, InvalidQuestionError):
        fail(
            f"accepts {source.kind} and asks them for what they do not have: {ran.reason}",
            ran.error,
        )


def _check_without_tree(subject: Subject, source: Source) -> None:
    problem = source.problem()
    given = give(problem, subject.hints)
    expected = run(subject, source.answers(problem), given)
    without = run(subject, source.answers(problem), replace(given, tree=None))
    if expected.result is None and without.result is None:
        skip(f"there is no valid result to compare with (valid_result): {without.reason}")
    require(without.result == expected.result, "uses given.tree, and its needs do not say tree")


class _WatchedHints(Mapping[str, Any]):
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
