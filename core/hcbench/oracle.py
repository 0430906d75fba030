"""Oracles: the only way to information, and the ledger that counts what was asked.

An oracle plugin returns `Answers`; core wraps them in an `Oracle`, which counts. Algorithms see
the `Oracle` alone, so that they cannot count, miscount or look past the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench import compiled
from hcbench.answer_matrix import AnswerMatrix
from hcbench.errors import BudgetExceededError, InvalidQuestionError, ParameterError
from hcbench.problem import Point, Result

Questions: TypeAlias = NDArray[np.int64]
Code: TypeAlias = NDArray[np.int8]

#: Of ordinal questions: no pair is closer than the others.
NONE = -1
#: Of a person: no answer; the question is asked again, and counted again.
UNSURE = -2
PATIENCE = 5

ARITY = {"quadruplet-queries": 4, "ordinal-queries": 3, "pair-queries": 2}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """What an oracle plugin knows, before core counts it.

    Attributes
    ----------
    kind : str
        Of oracle.
    n : int
        Number of items.
    data : object
        For kinds that are read whole: vectors, a similarity matrix, Comparisons.
    size : int, optional
        How many answers ``data`` holds; None where it holds nothing countable.
    arity : int
        For kinds that are asked: items in a question, at most 4.
    answer : callable, optional
        ``answer(questions (m, arity), keys (m,), times (m,)) -> (m,) int8``. Keys name the
        canonical question, times say how often it was asked before: together with the noise
        seed they decide a noisy answer (`hcbench.compiled.uniform`).
    compiled : numba function, optional
        ``answer(floats, ints, i, j, k, l, key, time) -> int64`` for compiled loops; where it is
        given, ``answer`` need not be.
    floats, ints : arrays, optional
        The data of the compiled function.
    timed : bool
        Whether an answer depends on how often its question was asked before, as with noise that is
        drawn anew each time. If not, that number may be given as 0, and counting is cheaper.
    symmetry : {"unordered", "quadruplet", "ordered"}, optional
        Which questions are the same: about one set of items; about the same two unordered pairs,
        in either order; about the same items in one order. By default that of two pairs for an
        arity of 4, else that of a set.
    draw : callable, optional
        ``draw(start, m) -> (m, 2) int64``: the pairs of items numbered start .. start + m - 1 in a
        stream that nothing but the seed decides. Where questions are about two items and this is
        left out, all ordered pairs of different items are equally likely, and the seed is 0.
    matrix : AnswerMatrix, optional
        What is answered about all pairs of items. For metrics; no algorithm sees it.

    Raises
    ------
    InvalidQuestionError
        If the arity is more than 4.
    """

    kind: str
    n: int
    data: Any = None
    size: int | None = None
    arity: int = 0
    answer: Callable[[Questions, NDArray[np.uint64], NDArray[np.int64]], Code] | None = None
    compiled: Any = None
    floats: NDArray[np.float64] | None = None
    ints: NDArray[np.int64] | None = None
    timed: bool = True
    symmetry: Literal["unordered", "quadruplet", "ordered"] | None = None
    draw: Callable[[int, int], Questions] | None = None
    matrix: AnswerMatrix | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.arity <= 4:
            raise InvalidQuestionError(
                f"questions are about 1 to 4 items; {self.kind} has an arity of {self.arity}"
            )

    @property
    def symmetry_code(self) -> int:
        """As `hcbench.compiled.question_key` takes it."""
        return _SYMMETRY[self.symmetry or ("quadruplet" if self.arity == 4 else "unordered")]

    @property
    def can_draw(self) -> bool:
        """Whether there is a stream of pairs to draw from."""
        return self.draw is not None or (self.arity == 2 and self.n > 1)


_SYMMETRY = {
    "unordered": compiled.UNORDERED,
    "quadruplet": compiled.QUADRUPLET,
    "ordered": compiled.ORDERED,
}


class Ledger:
    """What was asked of one oracle; it can be read, and only the oracle writes it.

    Attributes
    ----------
    kind : str
        Of oracle; counts of different kinds are never added up.
    countable : bool
        Whether this kind answers anything countable; if not, the counts are None.
    """

    __slots__ = ("_compiled", "_counters", "_draws", "_seconds", "_state", "countable", "kind")

    def __init__(self, answers: Answers, budget: int | None) -> None:
        if budget is not None and budget < 0:
            raise ParameterError(f"a budget of questions cannot be negative, got {budget}")
        self.kind = answers.kind
        self.countable = answers.size is not None or answers.arity > 0
        self._state, self._counters = compiled.new_state(
            answers.n,
            answers.symmetry_code,
            budget,
            answers.floats,
            answers.ints,
            arity=answers.arity,
            timed=answers.timed,
        )
        self._draws = 0 if answers.can_draw else None
        self._seconds = 0.0
        self._compiled = False

    def _count(self, which: int) -> int | None:
        return int(self._counters[which]) if self.countable else None

    @property
    def queries(self) -> int | None:
        """How many questions were answered."""
        return self._count(compiled.QUERIES)

    @property
    def distinct_queries(self) -> int | None:
        """How many different questions; asking a pair the other way round is the same question."""
        compiled.settle(self._state)
        asked, read = self._count(compiled.DISTINCT), self._count(compiled.SET)
        return None if asked is None or read is None else max(asked, read)

    @property
    def rounds(self) -> int | None:
        """Rounds of adaptivity: batches, each asked in knowledge of the answers before it."""
        return self._count(compiled.ROUNDS)

    @property
    def draws(self) -> int | None:
        """How many pairs were drawn, which costs nothing; None where there are none to draw."""
        return self._draws

    @property
    def budget(self) -> int | None:
        """The most questions that will be answered; None without a limit."""
        limit = int(self._counters[compiled.BUDGET])
        return None if limit == compiled.UNLIMITED else limit

    @property
    def left(self) -> int | None:
        """How many more questions will be answered; None without a budget."""
        return None if self.budget is None else self.budget - int(self._counters[compiled.QUERIES])

    @property
    def refused(self) -> bool:
        """Whether the algorithm was told that the budget does not allow what it wants to ask."""
        return bool(self._counters[compiled.REFUSED])

    @property
    def _named_no_item(self) -> bool:
        return bool(self._counters[compiled.NO_ITEM])

    @property
    def seconds(self) -> float | None:
        """Wall time spent on answers, in s.

        None once answers were given inside a compiled loop, where they cannot be timed apart.
        """
        return None if self._compiled else self._seconds

    @property
    def is_sound(self) -> bool:
        """Whether the counts agree with the questions noted one by one."""
        return bool(compiled.is_sound(self._state))

    def _allows(self, questions: int) -> bool:
        left = self.left
        allowed = left is None or questions <= left
        if not allowed:
            self._counters[compiled.REFUSED] = 1
        return allowed

    def _charge(self, questions: int) -> None:
        """Refuse a batch, whole, that is larger than what is left."""
        if not self._allows(questions):
            raise BudgetExceededError(
                f"{questions} more {self.kind} exceed the budget of {self.budget}: "
                f"{self.left} are left"
            )

    def _read_whole(self, size: int) -> None:
        self._charge(size)
        self._counters[compiled.QUERIES] += size
        self._counters[compiled.WHOLE] += size
        self._counters[compiled.SET] = size
        self._counters[compiled.ROUNDS] += 1

    def __repr__(self) -> str:
        if not self.countable:
            return f"Ledger({self.kind}: nothing countable)"
        return (
            f"Ledger({self.kind}: {self.queries} queries, {self.distinct_queries} distinct, "
            f"{self.rounds} rounds)"
        )


class Oracle:
    """A counted oracle, as an algorithm sees it.

    Parameters
    ----------
    answers : Answers
        What it knows.
    budget : int, optional
        The most questions that will be answered; the ledger tells it.
    checkpoints : sequence of int
        Query counts at which results are wanted.
    """

    __slots__ = ("_answers", "_ask", "_trace", "checkpoints", "ledger")

    def __init__(
        self, answers: Answers, budget: int | None = None, checkpoints: Sequence[int] = ()
    ) -> None:
        self._answers = answers
        self._ask: Any = None
        self._trace: list[Point] = []
        self.checkpoints = tuple(checkpoints)
        self.ledger = Ledger(answers, budget)

    @property
    def kind(self) -> str:
        """What can be asked of it."""
        return self._answers.kind

    @property
    def n(self) -> int:
        """Number of items."""
        return self._answers.n

    def read(self) -> Any:
        """All that a non-adaptive oracle holds, in one go.

        Returns
        -------
        vectors, similarity matrix or Comparisons
            Read-only. The answers of a set are counted as queries, in one round.

        Raises
        ------
        InvalidQuestionError
            If this kind must be asked.
        BudgetExceededError
            If the set is larger than the budget.
        """
        data = self._answers.data
        if data is None:
            raise InvalidQuestionError(f"{self.kind} cannot be read whole; ask questions")
        if self._answers.size is not None:
            self.ledger._read_whole(self._answers.size)
        if hasattr(data, "indptr"):
            # Read-only arrays do not protect the matrix that holds them: everyone gets their own.
            return type(data)((data.data, data.indices, data.indptr), shape=data.shape, copy=False)
        return data

    def ask(self, questions: ArrayLike) -> Code:
        """Ask a batch of questions: one round.

        Parameters
        ----------
        questions : (m, arity) array of int
            One question a row. For quadruplets, ``i, j, k, l``: is pair (i, j) more similar than
            pair (k, l)?  For ordinal questions, three items: which is the odd one out?  For
            pairs: do they belong together?

        Returns
        -------
        (m,) int8 array
            Quadruplets: 1 (the first pair is), -1 (the second is), 0 (a tie). Ordinal: 0, 1, 2,
            the position of the odd one out, or NONE. Pairs: 1 or 0.

        Raises
        ------
        BudgetExceededError
            If the batch is larger than what is left; then nothing is answered.
        InvalidQuestionError
            If the questions have the wrong shape or name items that do not exist, or if one gets
            no answer (UNSURE) `PATIENCE` times.
        """
        rows = self._checked(questions)
        codes = self._answered(rows)
        for _ in range(PATIENCE - 1):
            unsure = codes == UNSURE
            if not unsure.any():
                return codes
            codes[unsure] = self._answered(rows[unsure])
        if (codes == UNSURE).any():
            raise InvalidQuestionError(
                f"no answer to {rows[codes == UNSURE][0].tolist()}, asked {PATIENCE} times"
            )
        return codes

    def _answered(self, rows: Questions) -> Code:
        """Count a batch, and answer it."""
        ledger = self.ledger
        ledger._charge(len(rows))
        start = perf_counter()
        if self._answers.answer is None:
            codes = np.empty(len(rows), np.int8)
            compiled.answer_questions(self._answers.compiled, ledger._state, rows, codes)
        else:
            codes = self._answered_by_callable(rows)
        ledger._seconds += perf_counter() - start
        return codes

    def _answered_by_callable(self, rows: Questions) -> Code:
        assert self._answers.answer is not None
        padded = np.zeros((len(rows), 4), np.int64)
        padded[:, : rows.shape[1]] = rows
        keys = np.empty(len(rows), np.uint64)
        times = np.empty(len(rows), np.int64)
        compiled.note_questions(self.ledger._state, padded, keys, times)
        return np.array(self._answers.answer(rows, keys, times), dtype=np.int8)

    def _checked(self, questions: ArrayLike) -> Questions:
        arity = self._answers.arity
        if not arity:
            raise InvalidQuestionError(f"{self.kind} cannot be asked; read them whole")
        given = np.asarray(questions)
        if given.size and given.dtype.kind not in "iu":
            raise InvalidQuestionError(f"{self.kind} are rows of integers, got {given.dtype}")
        rows = np.ascontiguousarray(given, dtype=np.int64)
        if rows.ndim != 2 or rows.shape[1] != arity:
            raise InvalidQuestionError(
                f"{self.kind} take an array of shape (m, {arity}), got {rows.shape}"
            )
        if rows.size and (rows.min() < 0 or rows.max() >= self.n):
            wrong = rows[(rows < 0) | (rows >= self.n)][0]
            raise InvalidQuestionError(f"item {wrong} does not exist: there are {self.n}, from 0")
        return rows

    def draw(self, m: int) -> Questions:
        """The next pairs of a stream that is the same for all algorithms; to draw costs nothing.

        Parameters
        ----------
        m : int
            How many.

        Returns
        -------
        (m, 2) int array
            Questions; their answers are to be asked for, and paid.

        Raises
        ------
        InvalidQuestionError
            If there is nothing to draw from, or m is negative.
        """
        ledger = self.ledger
        if ledger._draws is None:
            raise InvalidQuestionError(f"no pairs can be drawn from {self.kind} of {self.n} items")
        if m < 0:
            raise InvalidQuestionError(f"{m} pairs cannot be drawn")
        start = perf_counter()
        if self._answers.draw is None:
            pairs = np.empty((m, 2), np.int64)
            compiled.draw_pairs(0, self.n, ledger._draws, pairs)
        else:
            pairs = self._answers.draw(ledger._draws, m)
        ledger._draws += m
        ledger._seconds += perf_counter() - start
        return pairs

    def run(self, kernel: Any, *args: Any) -> Any:
        """Call a numba kernel that asks inside its own loop.

        The kernel is declared with an explicit signature whose first two arguments are
        ``hcbench.compiled.ASK`` and ``STATE``, and asks by ``ask(state, i, j, k, l)`` with 0 for
        unused items. Where the oracle's answers are not compiled (a person, a Python callable)
        the same kernel runs as plain Python.

        Raises
        ------
        BudgetExceededError
            When the budget is used up.
        InvalidQuestionError
            If a question names an item that does not exist.
        """
        if self._answers.compiled is None:
            return kernel.py_func(self._ask_one, None, *args)
        if self._ask is None:
            self._ask = compiled.counting(self._answers.compiled)
        self.ledger._compiled = True
        try:
            return kernel(self._ask, self.ledger._state, *args)
        except (OverflowError, IndexError) as error:
            # The counter raises these; a kernel's own are the kernel's.
            if isinstance(error, OverflowError) and self.ledger.refused:
                raise BudgetExceededError(
                    f"the budget of {self.ledger.budget} {self.kind} is used up"
                ) from error
            if isinstance(error, IndexError) and self.ledger._named_no_item:
                raise InvalidQuestionError(
                    f"a question names an item that does not exist: there are {self.n}, from 0"
                ) from error
            raise

    def _ask_one(self, _state: None, *items: int) -> int:
        return int(self.ask([items[: self._answers.arity]])[0])

    def prepare(self) -> None:
        """Compile what `run` needs, so that no algorithm's time holds it."""
        if self._answers.compiled is not None and self._ask is None:
            self._ask = compiled.counting(self._answers.compiled)

    def due(self, questions: int = 1) -> bool:
        """Whether that many more questions would pass the next checkpoint or the budget.

        An anytime algorithm records its current result when this is so, and only then needs to
        build it.
        """
        asked = self.ledger.queries or 0
        passes = any(asked <= c < asked + questions for c in self.checkpoints)
        return not self.ledger._allows(questions) or passes

    @property
    def until_due(self) -> int:
        """How many questions lead to the next checkpoint, or to the end of the budget.

        An anytime algorithm asks so many at most before it records its result, then so many again;
        0 once the budget is used up, a very large number where nothing is due.
        """
        asked = self.ledger.queries or 0
        ahead = [checkpoint - asked for checkpoint in self.checkpoints if checkpoint > asked]
        left = self.ledger.left
        return min([*ahead, compiled.UNLIMITED if left is None else left])

    def record(self, result: Result) -> None:
        """Keep a result as what the algorithm has at the present number of questions."""
        point = Point(self.ledger.queries or 0, result)
        if self._trace and self._trace[-1].queries == point.queries:
            self._trace[-1] = point
        else:
            self._trace.append(point)

    @property
    def trace(self) -> tuple[Point, ...]:
        """What was recorded, in the order of queries."""
        return tuple(self._trace)


def ask_oracle(
    kind: str,
    function: Callable[..., Any],
    /,
    *,
    n: int,
    arity: int | None = None,
    budget: int | None = None,
    vectorized: bool = False,
) -> Oracle:
    """Make a counted oracle of a callable: a person, a model, another system.

    Parameters
    ----------
    kind : str
        ``"quadruplet-queries"``, ``"ordinal-queries"``, ``"pair-queries"`` or a kind of your own.
    function : callable
        ``f(i, j, k, l) -> bool`` (is w_ij > w_kl? or 1, -1, and 0 for a tie), ``f(i, j, k) ->
        0, 1, 2`` (the position of the odd one out), ``f(i, j) -> bool`` (do they belong
        together?).
    n : int
        Number of items.
    arity : int, optional
        Items in a question, for a kind of your own.
    budget : int, optional
        The most questions it will be asked.
    vectorized : bool
        Whether the function takes arrays, one entry a question.

    Returns
    -------
    Oracle
        Its ``ledger`` tells the counts.
    """
    items = arity or ARITY.get(kind)
    if items is None:
        raise InvalidQuestionError(f"say the arity of {kind!r}; known kinds: {', '.join(ARITY)}")

    def answer(questions: Questions, _keys: object, _times: object) -> Code:
        if vectorized:
            codes = np.asarray(function(*questions.T))
        else:
            answers = [function(*(int(i) for i in row)) for row in questions]
            if items == 4:  # one by one: beside an UNSURE, numpy would make False a tie
                answers = [_sign(answer) for answer in answers]
            codes = np.array(answers)
        if codes.shape != (len(questions),):
            raise InvalidQuestionError(
                f"{len(questions)} questions were answered by an array of shape {codes.shape}"
            )
        if codes.size and codes.dtype.kind not in "biu":
            raise InvalidQuestionError(
                f"{kind} were answered by {codes[0]!r}; answer with True or False, or the codes of "
                "Oracle.ask"
            )
        if items == 4 and codes.dtype == bool:
            return np.where(codes, 1, -1).astype(np.int8)
        return codes.astype(np.int8)

    return Oracle(Answers(kind=kind, n=n, arity=items, answer=answer), budget=budget)


def _sign(answer: Any) -> Any:
    """A yes or no to a quadruplet as 1 or -1; other codes as they are."""
    return (1 if answer else -1) if isinstance(answer, bool | np.bool_) else answer
