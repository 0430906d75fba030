"""Answers that pass through another hand: noted, given again, or about items in another order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.authoring.testing.findings import skip
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.problem import Problem
from hcbench.oracle import Answers, Code, Oracle, Questions
from hcbench.run.job import Call


class NeverAskedError(Exception):
    """A question was not asked when the answers were noted."""


@dataclass(slots=True)
class Record:
    """What was said in one call: to each question in its own order, the n-th answer n-th.

    Attributes
    ----------
    codes : dict
        Of a question, as it was put, to its answers.
    pairs : dict
        Of start and number to the pairs that were drawn.
    answered : int
        How many answers were given, whoever counts.
    """

    codes: dict[tuple[int, ...], list[int]] = field(default_factory=dict)
    pairs: dict[tuple[int, int], Questions] = field(default_factory=dict)
    answered: int = 0


def noted(answers: Answers) -> tuple[Answers, Record]:
    """The same answers, not compiled, and a record that fills as they are given."""
    record = Record()
    if not answers.arity:
        return answers, record
    inner = Oracle(answers)

    def answer(questions: Questions, _keys: object, _times: object) -> Code:
        codes = inner.ask(questions)
        record.answered += len(questions)
        for row, code in zip(questions.tolist(), codes.tolist(), strict=True):
            record.codes.setdefault(tuple(row), []).append(code)
        return codes

    def draw(start: int, m: int) -> Questions:
        pairs = record.pairs[start, m] = inner.draw(m)
        return pairs

    return _answered_by(answers, answer, draw), record


def replay(answers: Answers, record: Record) -> Call:
    """An oracle that knows nothing but a record, and what is read whole."""
    params = {
        "kind": answers.kind,
        "data": answers.data,
        "size": answers.size,
        "arity": answers.arity,
        "symmetry": answers.symmetry,
        "record": record,
    }
    return Call("hcbench.authoring.testing.relays:replayed", params)


def replayed(
    problem: Problem, _seed: int, _budget: int | None, *, record: Record, **same: Any
) -> Answers:
    """Give the noted answers again."""
    if not same["arity"]:
        return Answers(n=problem.n, **same)
    left = {question: iter(codes) for question, codes in record.codes.items()}

    def answer(questions: Questions, _keys: object, _times: object) -> Code:
        try:
            codes = [next(left[tuple(row)]) for row in questions.tolist()]
        except (KeyError, StopIteration):
            raise NeverAskedError("it asks other questions") from None
        return np.array(codes, dtype=np.int8)

    def draw(start: int, m: int) -> Questions:
        if (start, m) not in record.pairs:
            raise NeverAskedError("it draws other pairs")
        return record.pairs[start, m]

    return Answers(n=problem.n, answer=answer, draw=draw if record.pairs else None, **same)


def renumbered(answers: Answers, items: NDArray[np.int64]) -> Answers:
    """The same answers about items in another order: item i here is ``items[i]`` there."""
    if not answers.arity:
        return replace(answers, data=_in_order(answers, items), matrix=None)
    inner, position = Oracle(answers), np.argsort(items)

    def answer(questions: Questions, _keys: object, _times: object) -> Code:
        return inner.ask(items[questions])

    def draw(_start: int, m: int) -> Questions:
        return np.asarray(position[inner.draw(m)])

    return _answered_by(answers, answer, draw)


def _answered_by(answers: Answers, answer: Any, draw: Any) -> Answers:
    return Answers(
        kind=answers.kind,
        n=answers.n,
        arity=answers.arity,
        answer=answer,
        symmetry=answers.symmetry,
        draw=draw if answers.can_draw else None,
    )


def _in_order(answers: Answers, items: NDArray[np.int64]) -> Any:
    data = answers.data
    if isinstance(data, Comparisons | AllComparisons):
        return data.take(items)
    if getattr(data, "shape", ())[:1] != (answers.n,):
        skip(f"what {answers.kind} hold, {type(data).__name__}, cannot be put in another order")
    if answers.kind == "similarities":
        return data[np.ix_(items, items)]
    return data[items]
