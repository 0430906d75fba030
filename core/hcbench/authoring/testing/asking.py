"""Asking an oracle about planted items, and what the right answers are."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from hcbench.authoring.testing.findings import skip
from hcbench.authoring.testing.items import N, items_with
from hcbench.authoring.testing.running import NOISE_SEED
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import NotApplicableError
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.notes import collect_notes
from hcbench.model.problem import Problem
from hcbench.oracle import Answers, Oracle, Questions
from hcbench.run.cell import describe
from hcbench.run.inputs import make_answers
from hcbench.run.job import Call

NOISE, OFTEN = 0.2, 0.05


def problem_of(subject: Subject, n: int = N) -> Problem:
    """Planted items that have what it needs."""
    return items_with(subject.spec.needs, n)


def hear(
    subject: Subject,
    problem: Problem,
    *,
    seed: int = NOISE_SEED,
    budget: int | None = None,
    noise: float | None = None,
) -> Answers:
    """What an oracle answers, as it is told or with so much noise.

    It does not apply where the oracle says so, as one of recorded answers about other items.
    """
    change = {} if noise is None else {"noise": noise}
    call = Call(subject.spec.function, {**subject.params, **change})
    try:
        with collect_notes():
            answers = make_answers(call, problem, seed, budget)
            if answers.arity and problem.n >= answers.arity:
                Oracle(answers).ask(questions_about(answers, 1))
    except NotApplicableError as error:
        skip(f"it does not apply to planted items: {describe(error)}")
    return answers


def noise_of(subject: Subject) -> float | None:
    """How often an oracle can be made to err: as it is told, if that is often, else `NOISE`.

    None if it has no parameter of that name.
    """
    if not any(parameter.name == "noise" for parameter in subject.spec.parameters):
        return None
    told = float(subject.params["noise"])
    return told if told >= OFTEN else NOISE


def errs(subject: Subject) -> bool:
    """Whether it is told to err."""
    return bool(subject.params.get("noise"))


def questions_about(answers: Answers, m: int, seed: int = 0) -> Questions:
    """Random questions, (m, arity), about different items; those of two pairs may share one.

    About two items, each pair once, however many.
    """
    if answers.arity == 2 and m > 1:
        return np.column_stack(np.triu_indices(answers.n, 1)).astype(np.int64)
    rng = np.random.default_rng(seed)
    rows = np.argsort(rng.random((m, answers.n)), axis=1)[:, : answers.arity]
    if answers.arity == 4:
        rows[::3, 2] = rows[::3, 0]
    return np.ascontiguousarray(rows, dtype=np.int64)


def say(subject: Subject) -> Any:
    """What an oracle says of planted items, as something that can be compared."""
    answers = hear(subject, problem_of(subject))
    return said(answers, Oracle(answers))


def said(answers: Answers, oracle: Oracle, m: int = 200) -> Any:
    """The answers to random questions, or the bytes of what is read."""
    if answers.arity:
        return oracle.ask(questions_about(answers, m)).tolist()
    data = oracle.read()
    if isinstance(data, Comparisons):
        return data.closer.tobytes(), data.farther.tobytes()
    if isinstance(data, AllComparisons):
        return data.materialise().closer.tobytes()
    if isinstance(data, np.ndarray):
        return data.tobytes()
    if hasattr(data, "indptr"):
        return data.data.tobytes(), data.indices.tobytes(), data.indptr.tobytes()
    return pickle.dumps(data)
