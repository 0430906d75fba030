"""Answers that are recorded, replayed, or given about items in another order."""

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


class NotRecordedError(Exception):
    """A query was not made when the answers were recorded."""


@dataclass(slots=True)
class Record:
    """The answers of one call.

    Attributes
    ----------
    codes : dict
        From a query, with its items in the order in which it was made, to its answers in turn.
    pairs : dict
        From start and number to the pairs that were drawn.
    answered : int
        The number of answers, whether the ledger counts them or not.
    """

    codes: dict[tuple[int, ...], list[int]] = field(default_factory=dict)
    pairs: dict[tuple[int, int], Questions] = field(default_factory=dict)
    answered: int = 0


def record(answers: Answers) -> tuple[Answers, Record]:
    """The same answers, not compiled, and a record that fills as they are given."""
    said = Record()
    if not answers.arity:
        return answers, said
    inner = Oracle(answers)

    def answer(questions: Questions, _keys: object, _times: object) -> Code:
        codes = inner.ask(questions)
        said.answered += len(questions)
        for row, code in zip(questions.tolist(), codes.tolist(), strict=True):
            said.codes.setdefault(tuple(row), []).append(code)
        return codes

    def draw(start: int, m: int) -> Questions:
        pairs = said.pairs[start, m] = inner.draw(m)
        return pairs

    return _answered_by(answers, answer, draw), said


def replay(answers: Answers, said: Record) -> Call:
    """An oracle that knows nothing but a record, and data that are read whole."""
    names = ("kind", "data", "size", "arity", "symmetry")
    params: dict[str, Any] = {name: getattr(answers, name) for name in names}
    params["record"] = said
    return Call("hcbench.authoring.testing.replay:replayed", params)


def replayed(
    problem: Problem, _seed: int, _budget: int | None, *, record: Record, **same: Any
) -> Answers:
    """Give the recorded answers again."""
    if not same["arity"]:
        return Answers(n=problem.n, **same)
    left = {question: iter(codes) for question, codes in record.codes.items()}

    def answer(questions: Questions, _keys: object, _times: object) -> Code:
        try:
            codes = [next(left[tuple(row)]) for row in questions.tolist()]
        except (KeyError, StopIteration):
            raise NotRecordedError("it makes other queries") from None
        return np.array(codes, dtype=np.int8)

    def draw(start: int, m: int) -> Questions:
        if (start, m) not in record.pairs:
            raise NotRecordedError("it draws other pairs")
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
        skip(f"{answers.kind}, held as {type(data).__name__}, cannot be put in another order")
    if answers.kind == "similarities":
        return data[np.ix_(items, items)]
    return data[items]
