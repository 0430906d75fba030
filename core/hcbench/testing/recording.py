"""Answers that are recorded, replayed, or given about items in another order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.oracle import AnswerRequest, Answers, Code, Oracle, OracleRequest, Queries
from hcbench.run.job import Call
from hcbench.testing.subjects import skip


class NotRecordedError(Exception):
    """A query was not made when the answers were recorded."""


@dataclass(slots=True)
class RecordedAnswers:
    """The answers of one call.

    Attributes
    ----------
    codes : dict
        From a query, with its items in the order in which it was made, to its answers in turn, with
        their details if there are any.
    dtype : dtype
        Of the answers.
    pairs : dict
        From start and number to the pairs that were drawn.
    answered : int
        The number of answers, whether the ledger counts them or not.
    """

    codes: dict[tuple[int, ...], list[Any]] = field(default_factory=dict)
    dtype: Any = None
    pairs: dict[tuple[int, int], Queries] = field(default_factory=dict)
    answered: int = 0


def record(answers: Answers) -> tuple[Answers, RecordedAnswers]:
    """The same answers, not compiled, and a record that fills as they are given."""
    recorded = RecordedAnswers()
    if not answers.arity:
        return answers, recorded  # they are read whole
    inner = Oracle(answers)

    def answer(request: AnswerRequest) -> Code:
        questions = request.queries
        codes = _ask(inner, questions)
        recorded.answered += len(questions)
        recorded.dtype = codes.dtype
        for row, code in zip(questions.tolist(), codes.tolist(), strict=True):
            recorded.codes.setdefault(tuple(row), []).append(code)
        return codes

    # `start` is how many pairs were drawn before, which the inner oracle counts itself.
    def draw(start: int, m: int) -> Queries:
        pairs = inner.draw(m)
        recorded.pairs[start, m] = pairs
        return pairs

    return _answered_by(answers, answer, draw), recorded


def _ask(oracle: Oracle, questions: Queries) -> Code:
    """Ask; with their details, if there are any, answers are as an oracle plugin gives them."""
    codes = oracle.ask(questions)
    details = oracle.details
    if details is None:
        return codes
    rows: NDArray[Any] = np.empty(len(codes), [("code", codes.dtype)] + details.dtype.descr)
    rows["code"] = codes
    for name in details.dtype.names or ():
        rows[name] = details[name]
    return rows


def replay(answers: Answers, recorded: RecordedAnswers) -> Call:
    """An oracle that knows nothing but a record, and data that are read whole."""
    # All fields of the answers that can be sent to a worker; its functions cannot.
    params: dict[str, Any] = {"record": recorded}
    for name in ("kind", "data", "size", "arity", "query_kind", "symmetry"):
        params[name] = getattr(answers, name)
    return Call("hcbench.testing.recording:replayed", params)


def replayed(request: OracleRequest, *, record: RecordedAnswers, **fields: Any) -> Answers:
    """Give the recorded answers again; the other fields of the answers are as they were."""
    problem = request.problem
    if not fields["arity"]:
        # Sent to another process, they can be written to, which those of a cell cannot.
        for array in arrays_of(fields["data"]):
            array.setflags(write=False)
        return Answers(n=problem.n, **fields)
    # The answers to each query that are still to be given.
    remaining = {}
    for question, codes in record.codes.items():
        remaining[question] = iter(codes)

    def answer(request: AnswerRequest) -> Code:
        questions = request.queries
        codes = []
        for row in questions.tolist():
            try:
                codes.append(next(remaining[tuple(row)]))
            except (KeyError, StopIteration):
                # Never made, or not so often.
                raise NotRecordedError("it makes other queries") from None
        return np.array(codes, dtype=record.dtype)

    def draw(start: int, m: int) -> Queries:
        if (start, m) not in record.pairs:
            raise NotRecordedError("it draws other pairs")
        return record.pairs[start, m]

    if not record.pairs:
        return Answers(n=problem.n, answer=answer, **fields)
    return Answers(n=problem.n, answer=answer, draw=draw, **fields)


def renumbered(answers: Answers, items: NDArray[np.int64]) -> Answers:
    """The same answers about items in another order: item i here is ``items[i]`` there."""
    if not answers.arity:
        return replace(answers, data=_in_order(answers, items), matrix=None)
    inner = Oracle(answers)
    # Where each item is now: the inverse of the permutation.
    position = np.argsort(items)

    def answer(request: AnswerRequest) -> Code:
        questions = request.queries
        return _ask(inner, items[questions])

    def draw(_start: int, m: int) -> Queries:
        return np.asarray(position[inner.draw(m)])

    return _answered_by(answers, answer, draw)


def _answered_by(answers: Answers, answer: Any, draw: Any) -> Answers:
    """The answers of another function; pairs are drawn if they can be drawn of the first ones."""
    if not answers.can_draw:
        draw = None
    return Answers(
        kind=answers.kind,
        n=answers.n,
        arity=answers.arity,
        query_kind=answers.query_kind,
        answer=answer,
        symmetry=answers.symmetry,
        draw=draw,
    )


def arrays_of(data: Any) -> list[NDArray[Any]]:
    """The arrays of data that are read whole: the array itself, or those of a sparse matrix."""
    if isinstance(data, np.ndarray):
        return [data]
    arrays = []
    for name in ("data", "indices", "indptr"):
        array = getattr(data, name, None)
        if isinstance(array, np.ndarray):
            arrays.append(array)
    return arrays


def _in_order(answers: Answers, items: NDArray[np.int64]) -> Any:
    data = answers.data
    if isinstance(data, Comparisons | AllComparisons):
        return data.take(items)
    if getattr(data, "shape", ())[:1] != (answers.n,):
        skip(f"{answers.kind}, held as {type(data).__name__}, cannot be put in another order")
    # A matrix of pairs has items in rows and in columns; vectors have them in rows.
    if answers.kind in ("similarities", "graph"):
        return data[np.ix_(items, items)]
    return data[items]
