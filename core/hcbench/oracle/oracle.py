"""The oracle as an algorithm sees it: asked, read and run, and counted by its ledger."""

from __future__ import annotations

import math
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import (
    BudgetExceededError,
    InvalidAnswerError,
    InvalidQueryError,
    ParameterError,
    UnansweredError,
)
from hcbench.model.comparisons import Comparisons
from hcbench.model.cost import TOKENS, Budget, split_budget
from hcbench.model.problem import Result, own_view
from hcbench.oracle import _kernels as kernels, compiled
from hcbench.oracle.answers import (
    DETAILS,
    NO_DETAILS,
    QUERY_KINDS,
    UNSURE,
    Answers,
    Code,
    Point,
    Queries,
    QueryKind,
    Reply,
)

#: The items of a query in the first of its orders, and how often it was made before.
Query: TypeAlias = tuple[tuple[int, ...], int]


class Ledger:
    """What was asked of one oracle; it can be read, and only the oracle writes it.

    Attributes
    ----------
    kind : str
        Of oracle; counts of different kinds are never added up.
    countable : bool
        Whether this kind answers anything countable; if not, the counts are None.
    expenses : dict of str to float
        Of the answers of a paid oracle: ``price``, ``tokens`` and ``latency``, and ``saved``, what
        of the price was not paid, as answers were stored; empty for other oracles.
    """

    __slots__ = (
        *("_compiled", "_counters", "_draws", "_limit", "_most", "_read", "_seconds", "_state"),
        *("countable", "expenses", "kind"),
    )

    def __init__(self, answers: Answers, budget: Budget | None) -> None:
        self._limit: str | None = None
        if isinstance(budget, str):
            self._limit, budget = budget, None
        if budget is not None and budget < 0:
            raise ParameterError(
                f"a budget of queries cannot be negative, got {budget}; None is none"
            )
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
        self._read: list[Comparisons] = []
        self._compiled = False
        names = ("price", "tokens", "latency", "saved") if answers.replies is not None else ()
        self.expenses = dict.fromkeys(names, 0.0)
        self._most = 0.0  # that an answer has cost, in the unit of the limit

    def _settle(self) -> None:
        """Note the queries that wait; where none does, the loop is not compiled."""
        if self._counters[kernels.WAITING]:
            kernels.settle(self._state)

    def _count(self, which: int) -> int | None:
        return int(self._counters[which]) if self.countable else None

    @property
    def queries(self) -> int | None:
        """How many queries were answered."""
        return self._count(kernels.QUERIES)

    @property
    def distinct_queries(self) -> int | None:
        """How many different queries; asking a pair the other way round is the same query."""
        self._settle()
        if not self.countable:
            return None
        return int(max(self._counters[kernels.DISTINCT], self._counters[kernels.SET]))

    @property
    def rounds(self) -> int | None:
        """Rounds of adaptivity: batches, each asked in knowledge of the answers before it."""
        return self._count(kernels.ROUNDS)

    @property
    def draws(self) -> int | None:
        """How many pairs were drawn, which costs nothing; None where there are none to draw."""
        return self._draws

    @property
    def budget(self) -> int | None:
        """The most queries that will be answered; None without a limit."""
        limit = int(self._counters[kernels.BUDGET])
        return None if limit == compiled.UNLIMITED else limit

    @property
    def left(self) -> int | None:
        """How many more queries will be answered; None without a budget.

        With a budget of money or tokens, if each costs as much as the dearest one so far; None
        before the first one.
        """
        if self._limit is None:
            asked = int(self._counters[kernels.QUERIES])
            return None if self.budget is None else self.budget - asked
        amount, unit = split_budget(self._limit)
        left = float(amount) - self.expenses["tokens" if unit == TOKENS else "price"]
        if not self._most:
            return None if left > 0 else 0
        return max(0, math.floor(left / self._most + 1e-9))

    def _pay(self, reply: Reply, *, stored: bool) -> None:
        """Count what an answer costs.

        Raises
        ------
        BudgetExceededError
            If that is more than the budget.
        """
        self.expenses["price"] += reply.price
        self.expenses["tokens"] += reply.tokens
        self.expenses["latency"] += reply.seconds
        self.expenses["saved"] += reply.price if stored else 0.0
        if self._limit is not None:
            amount, unit = split_budget(self._limit)
            name, cost = ("tokens", reply.tokens) if unit == TOKENS else ("price", reply.price)
            self._most = max(self._most, cost)
            if self.expenses[name] > float(amount) * (1 + 1e-9):
                self._counters[kernels.REFUSED] = 1
                raise BudgetExceededError(f"the budget of {self._limit} is used up")

    @property
    def refused(self) -> bool:
        """Whether the algorithm was told that the budget does not allow what it wants to ask."""
        return bool(self._counters[kernels.REFUSED])

    @property
    def _named_no_item(self) -> bool:
        return bool(self._counters[kernels.NO_ITEM])

    @property
    def seconds(self) -> float | None:
        """Wall time spent on answers, and on the index of a set that was read, in s.

        None once answers were given inside a compiled loop, where they cannot be timed apart.
        """
        indexing = sum(read.index_seconds for read in self._read)
        return None if self._compiled else self._seconds + indexing

    @property
    def drawn(self) -> tuple[float, int]:
        """Wall time and bytes of an index that was drawn before the call, and used in it."""
        return max((read.drawn for read in self._read), default=(0.0, 0))

    @property
    def is_sound(self) -> bool:
        """Whether the counts agree with the queries noted one by one."""
        self._settle()
        numbered, asked, times = kernels.notes_of(self._state)
        distinct = np.bitwise_count(asked).sum() if numbered else np.count_nonzero(asked)
        counters = self._counters
        return bool(
            counters[kernels.QUERIES] == distinct + times.sum() + counters[kernels.WHOLE]
            and counters[kernels.DISTINCT] == distinct
            and counters[kernels.SET] <= counters[kernels.WHOLE]
            and counters[kernels.QUERIES] <= counters[kernels.BUDGET]
        )

    def _allows(self, queries: int) -> bool:
        left = self.left
        allowed = left is None or queries <= left
        if not allowed:
            self._counters[kernels.REFUSED] = 1
        return allowed

    def _begin_round(self, queries: int) -> None:
        """Count a round, or refuse a batch, whole, that is larger than what is left."""
        self._refuse_more_than(queries)
        self._counters[kernels.ROUNDS] += 1

    def _refuse_more_than(self, queries: int) -> None:
        if not self._allows(queries):
            raise BudgetExceededError(
                f"{queries} more {self.kind} exceed the budget of {self._limit or self.budget}: "
                f"{self.left} are left"
            )

    def _read_whole(self, size: int) -> None:
        self._begin_round(size)
        self._counters[kernels.QUERIES] += size
        self._counters[kernels.WHOLE] += size
        self._counters[kernels.SET] = size

    def __repr__(self) -> str:
        if not self.countable:
            return f"Ledger({self.kind}: nothing countable)"
        return (
            f"Ledger({self.kind}: {self.queries} queries, {self.distinct_queries} distinct, "
            f"{self.rounds} rounds)"
        )


_AT_ONCE = 1 << 14
"""Queries that are handed to compiled code together: they stay in the processor's cache."""


class Oracle:
    """A counted oracle, as an algorithm sees it.

    Parameters
    ----------
    answers : Answers
        What it knows.
    budget : int or str, optional
        The most queries that will be answered; the ledger tells it. Or the most that the answers
        may cost, such as ``"5USD"`` or ``"20000tokens"``.
    checkpoints : sequence of int
        Query counts at which results are wanted.
    clock : callable
        Tells seconds: those of the answers, and of the call that asks.

    Attributes
    ----------
    PATIENCE : int
        How often a query is asked until there is an answer.
    stored : mutable mapping
        The answers of a paid oracle, by query, to which new ones are added.
    details : (m,) structured array, optional
        Of the answers to the last batch, if the oracle tells them: ``confidence`` in [0, 1], or
        NaN, and ``annotator``, the number of who gave it, or -1.
    first_use : bool
        Whether a process that the algorithm started compiled or imported something meanwhile,
        which it may state: the call is then repeated, to be timed without that.
    takes_unsure : bool
        Whether `ask` returns UNSURE instead of asking again, as the algorithm declares.
    child_peak : int
        Peak memory in bytes of a process that the algorithm started, which it may state: the row
        has it if it is above that of the worker.
    """

    PATIENCE: ClassVar[int] = 5

    __slots__ = (
        *("_answers", "_ask", "_clock", "_paid", "_reported", "_trace"),
        *("checkpoints", "child_peak", "details", "first_use", "ledger", "stored"),
        "takes_unsure",
    )

    def __init__(
        self,
        answers: Answers,
        budget: Budget | None = None,
        checkpoints: Sequence[int] = (),
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._answers = answers
        self._clock = clock
        self._ask: Any = None
        self._trace: list[Point] = []
        self._reported: dict[str, float] = {}
        self.checkpoints = tuple(checkpoints)
        self.ledger = Ledger(answers, budget)
        self.stored: MutableMapping[Query, Reply] = {}
        self._paid: set[Query] = set()
        self.details: NDArray[Any] | None = None
        self.takes_unsure = False
        self.child_peak = 0
        self.first_use = False

    @property
    def kind(self) -> str:
        """What can be asked of it."""
        return self._answers.kind

    @property
    def query_kind(self) -> QueryKind | None:
        """How it is asked and what it answers; None for an unknown kind, or one that is read."""
        return self._answers.query_kind

    @property
    def clock(self) -> Callable[[], float]:
        """What tells the seconds."""
        return self._clock

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
        InvalidQueryError
            If this kind must be asked.
        BudgetExceededError
            If the set is larger than the budget.
        """
        data = self._answers.data
        if data is None:
            raise InvalidQueryError(f"{self.kind} cannot be read whole; ask queries")
        if self._answers.size is not None:
            self.ledger._read_whole(self._answers.size)
        if isinstance(data, Comparisons):
            data = data.share()  # so that each algorithm makes the index that it uses
            self.ledger._read.append(data)
        return own_view(data)

    def ask(self, queries: ArrayLike) -> Code:
        """Ask a batch of queries: one round.

        Parameters
        ----------
        queries : (m, arity) array of any type of int
            One query a row; columns that lie in one piece are read fastest. For quadruplets,
            ``i, j, k, l``: is pair (i, j) more similar than pair (k, l)?  For ordinal queries,
            three items: which is the odd one out?  For pairs: do they belong together?

        Returns
        -------
        (m,) int8 or float64 array
            Quadruplets: 1 (the first pair is), -1 (the second is), 0 (a tie). Ordinal: 0, 1, 2,
            the position of the odd one out, or NONE. Pairs: 1, or 0 or -1. Ratings: numbers, from
            0 (not alike at all) to 9 (the same). If the algorithm declares `takes_unsure`, also
            UNSURE, or NaN among numbers.

        Raises
        ------
        BudgetExceededError
            If the batch is larger than what is left; then nothing is answered. Or if one without an
            answer cannot be asked again.
        InvalidQueryError
            If the queries have the wrong shape or name items that do not exist, or if one pairs
            an item with itself where that is no query.
        UnansweredError
            If one gets no answer (UNSURE) `PATIENCE` times; each time counts as a query.
        InvalidAnswerError
            If an answer is none of these codes.
        """
        rows = self._checked(queries)
        codes = self._answered(rows)
        if self.takes_unsure:
            return codes
        for _ in range(self.PATIENCE - 1):
            unsure = _is_unsure(codes)
            if not unsure.any():
                return codes
            details = self.details
            codes[unsure] = self._answered(rows[unsure])
            if details is not None:
                details[unsure] = self.details
                self.details = details
        if _is_unsure(codes).any():
            raise UnansweredError(
                f"no answer to {rows[_is_unsure(codes)][0].tolist()}, asked {self.PATIENCE} times"
            )
        return codes

    def _answered(self, rows: NDArray[np.integer[Any]]) -> Code:
        """Count a batch, and answer it."""
        ledger = self.ledger
        ledger._begin_round(self._unpaid(rows))
        start = self._clock()
        self.details = None
        codes: NDArray[Any]
        if self._answers.replies is not None:
            codes = self._answered_by_replies(rows)
        elif self._answers.answer is None:
            codes = self._answered_compiled(rows)
        else:
            codes = self._answered_by_callable(rows)
        ledger._seconds += self._clock() - start
        if self.details is not None:
            sure = self.details["confidence"]
            if ((sure < 0) | (sure > 1)).any():
                raise InvalidAnswerError(f"{self.kind}: a confidence is a number from 0 to 1")
        return self._valid(codes, rows)

    def _valid(self, codes: NDArray[Any], rows: NDArray[np.integer[Any]]) -> Code:
        """The codes (m,) of answers, if they are of the kind. O(m), in vector instructions."""
        kind = self._answers.query_kind
        if kind and kind.scale:
            return self._valid_numbers(codes, rows, *kind.scale)
        known = [choice.code for choice in kind.offered(neither=True)] if kind else [-128, 127]
        if self.kind == "pair-queries":
            known.append(-1)  # apart, as Gentile et al. write it
        if codes.dtype == bool and self.kind == "quadruplet-queries":
            codes = np.where(codes, 1, -1)
        low, high = min(known), max(known)
        wrong = np.zeros(0, np.bool_)
        if codes.size and codes.dtype.kind not in "biuf":
            wrong = np.ones(codes.shape, np.bool_)
        elif codes.size and (codes.dtype.kind == "f" or codes.min() < low or codes.max() > high):
            wrong = ((codes < low) | (codes > high)) & (codes != UNSURE)
            if codes.dtype.kind == "f":
                wrong |= codes != np.rint(codes)
        if wrong.any():
            at = int(wrong.argmax())
            raise InvalidAnswerError(
                f"{self.kind}: {rows[at].tolist()} was answered by {codes.tolist()[at]!r}; answer "
                f"with {' or '.join(map(str, sorted(known)))}, or UNSURE ({UNSURE})"
            )
        return codes.astype(np.int8, copy=False)

    def _valid_numbers(
        self, given: NDArray[Any], rows: NDArray[np.integer[Any]], low: float, high: float
    ) -> NDArray[np.float64]:
        """The answers (m,) as numbers in a range, or NaN, which UNSURE becomes."""
        numbers = np.full(given.shape, np.inf)
        if given.dtype.kind in "iuf":
            numbers = given.astype(np.float64)
            numbers[given == UNSURE] = np.nan
        wrong = (numbers < low) | (numbers > high)
        if wrong.any():
            at = int(wrong.argmax())
            raise InvalidAnswerError(
                f"{self.kind}: {rows[at].tolist()} was answered by {given.tolist()[at]!r}; answer "
                f"with a number from {low:g} to {high:g}, or NaN"
            )
        return numbers

    def _answered_compiled(self, rows: NDArray[np.integer[Any]]) -> Code:
        answers = self._answers
        answer_many = compiled.answering(answers.compiled, answers.symmetry_code, answers.arity)
        codes = np.empty(len(rows), np.int8)
        items = np.zeros((4, min(len(rows), _AT_ONCE)), np.int32)
        for first in range(0, len(rows), _AT_ONCE):
            at_once = slice(first, first + _AT_ONCE)
            _fill_in(rows[at_once], items)
            if answer_many(self.ledger._state, items, codes[at_once]):
                wrong = rows[at_once][codes[at_once] == compiled.WITH_ITSELF][0].tolist()
                raise InvalidQueryError(f"{compiled.PAIRS_WITH_ITSELF}: {wrong}")
        return codes

    def _noted(
        self, rows: NDArray[np.integer[Any]]
    ) -> tuple[Queries, NDArray[np.uint64], NDArray[np.int64]]:
        """Count queries; return them with their keys and how often they were asked before."""
        keys, times = np.empty(len(rows), np.uint64), np.empty(len(rows), np.int64)
        items = np.zeros((max(4, rows.shape[1]), len(rows)), np.int32)
        _fill_in(rows, items)
        compiled.note_queries(self.ledger._state, items, keys, times)
        return np.ascontiguousarray(rows, dtype=np.int64), keys, times

    def _answered_by_replies(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Ask a paid oracle; with a budget of money in parts, as only answers tell the price."""
        codes, details = np.empty(len(rows)), np.full(len(rows), NO_DETAILS)
        done, part = 0, len(rows) if self.ledger._limit is None else 1
        while done < len(rows):
            if done:
                self.ledger._refuse_more_than(self._unpaid(rows[done:]))
            now = slice(done, done + part)
            self._buy(rows[now], codes[now], details[now])
            done += part
            part *= 2
        self.details = details
        return codes

    def _unpaid(self, rows: NDArray[np.integer[Any]]) -> int:
        """How many queries a budget limits: one of money those whose answers are not yet paid."""
        if self.ledger._limit is None or self._answers.timed:
            return len(rows)
        kind = self._answers.query_kind
        items = (kind.canonical(row)[0] if kind else tuple(row) for row in rows.tolist())
        return len({(query, 0) for query in items} - self._paid)

    def _buy(
        self, rows: NDArray[np.integer[Any]], codes: NDArray[np.float64], details: NDArray[Any]
    ) -> None:
        """Fill in the answers that are stored, and the others from the oracle. O(m)."""
        assert self._answers.replies is not None
        queries, keys, times = self._noted(rows)
        kind = self._answers.query_kind
        places: dict[Query, list[tuple[int, tuple[int, ...]]]] = {}
        for at, (row, time) in enumerate(zip(queries.tolist(), times.tolist(), strict=True)):
            items, order = kind.canonical(row) if kind else (tuple(row), ())
            places.setdefault((items, time if self._answers.timed else 0), []).append((at, order))
        new = []
        for query in places:
            if query not in self.stored:
                new.append(query)
            elif query not in self._paid:
                self._paid.add(query)
                self.ledger._pay(self.stored[query], stored=True)
        if new:
            first = [places[query][0][0] for query in new]
            asked = np.array([items for items, _ in new], dtype=np.int64)
            for reply in self._answers.replies(asked, keys[first], times[first]):
                self._valid(np.array([reply.code]), asked[reply.row : reply.row + 1])
                if reply.code != reply.code:
                    reply = replace(reply, code=UNSURE)  # databases store no NaN
                self.stored[new[reply.row]] = reply
                self._paid.add(new[reply.row])
                self.ledger._pay(reply, stored=False)
        for query, same in places.items():
            if query not in self.stored:
                raise InvalidAnswerError(f"{self.kind}: there is no reply to {list(query[0])}")
            for at, order in same:
                reply = self.stored[query]
                codes[at] = reply.code
                if kind and not kind.scale:
                    codes[at] = kind.restore(int(reply.code), order)
                details[at] = reply.confidence, reply.annotator

    def _answered_by_callable(self, rows: NDArray[np.integer[Any]]) -> Code:
        assert self._answers.answer is not None
        given: NDArray[Any] = np.asarray(self._answers.answer(*self._noted(rows)))
        if given.dtype.names is not None:
            self.details = np.full(len(rows), NO_DETAILS)
            for name in set(given.dtype.names) & set(DETAILS.names or ()):
                self.details[name] = given[name]
            given = given["code"]
        if given.shape != (len(rows),):
            raise InvalidAnswerError(
                f"{len(rows)} queries were answered by an array of shape {given.shape}"
            )
        return given

    def _checked(self, queries: ArrayLike) -> NDArray[np.integer[Any]]:
        """The queries as they were given, of any type of integers."""
        arity = self._answers.arity
        if not arity:
            raise InvalidQueryError(f"{self.kind} cannot be asked; read them whole")
        given = np.asarray(queries)
        if given.size and given.dtype.kind not in "iu":
            raise InvalidQueryError(f"{self.kind} are rows of integers, got {given.dtype}")
        rows = given if given.size else given.astype(np.int64)
        if rows.ndim != 2 or rows.shape[1] != arity:
            raise InvalidQueryError(
                f"{self.kind} take an array of shape (m, {arity}), got {rows.shape}"
            )
        if _has_outside(rows, self.n):
            wrong = rows[(rows < 0) | (rows >= self.n)][0]
            raise InvalidQueryError(f"item {wrong} does not exist: there are {self.n}, from 0")
        return rows

    def draw(self, m: int) -> Queries:
        """The next pairs of a stream that is the same for all algorithms; to draw costs nothing.

        Parameters
        ----------
        m : int
            How many.

        Returns
        -------
        (m, 2) int array
            Queries; their answers are to be asked for, and paid.

        Raises
        ------
        InvalidQueryError
            If there is nothing to draw from, or m is negative.
        """
        ledger = self.ledger
        if ledger._draws is None:
            raise InvalidQueryError(f"no pairs can be drawn from {self.kind} of {self.n} items")
        if m < 0:
            raise InvalidQueryError(f"{m} pairs cannot be drawn")
        start = self._clock()
        if self._answers.draw is None:
            pairs = np.empty((m, 2), np.int64)
            compiled.draw_pairs(0, self.n, ledger._draws, pairs)
        else:
            pairs = self._answers.draw(ledger._draws, m)
        ledger._draws += m
        ledger._seconds += self._clock() - start
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
        InvalidQueryError
            If a query names an item that does not exist.
        """
        if self._answers.compiled is None:
            return kernel.py_func(self._ask_one, None, *args)
        self.prepare()
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
                raise InvalidQueryError(
                    f"a query names an item that does not exist: there are {self.n}, from 0"
                ) from error
            raise

    def _ask_one(self, _state: None, *items: int) -> float:
        answer: float = self.ask([items[: self._answers.arity]])[0].item()
        return answer

    def prepare(self) -> None:
        """Compile what `run` needs, so that no algorithm's time holds it."""
        if self._answers.compiled is not None and self._ask is None:
            self._ask = compiled.counting(self._answers.compiled)

    def due(self, queries: int = 1) -> bool:
        """Whether that many more queries would pass the next checkpoint or the budget.

        An anytime algorithm records its current result when this is so, and only then needs to
        build it.
        """
        asked = self.ledger.queries or 0
        passes = any(asked <= c < asked + queries for c in self.checkpoints)
        return not self.ledger._allows(queries) or passes

    @property
    def until_due(self) -> int:
        """How many queries lead to the next checkpoint, or to the end of the budget.

        An anytime algorithm asks so many at most before it records its result, then so many again;
        0 once the budget is used up, a very large number where nothing is due.
        """
        asked = self.ledger.queries or 0
        ahead = [checkpoint - asked for checkpoint in self.checkpoints if checkpoint > asked]
        left = self.ledger.left
        return min([*ahead, compiled.UNLIMITED if left is None else left])

    def record(self, result: Result) -> None:
        """Keep a result as what the algorithm has at the present number of queries."""
        point = Point(self.ledger.queries or 0, result)
        if self._trace and self._trace[-1].queries == point.queries:
            self._trace[-1] = point
        else:
            self._trace.append(point)

    def report(self, **numbers: float) -> None:
        """State numbers about the result, such as iterations, which become columns of the tables.

        Parameters
        ----------
        **numbers : float
            Finite; names of at most 30 characters, at most 20 in one call of an algorithm. A
            number that is stated again replaces the earlier one.

        Raises
        ------
        ParameterError
            If they are not.
        """
        for name, number in numbers.items():
            if len(name) > 30 or not name.isprintable():
                raise ParameterError(f"{name[:40]!r} cannot be reported: at most 30 characters")
            if not isinstance(number, int | float | np.number) or not np.isfinite(number):
                raise ParameterError(f"{name} cannot be reported: {number!r} is no finite number")
        reported = self._reported | {name: float(number) for name, number in numbers.items()}
        if len(reported) > 20:
            raise ParameterError(f"an algorithm reports at most 20 numbers, not {len(reported)}")
        self._reported = reported

    @property
    def reported(self) -> dict[str, float]:
        """What the algorithm has stated, by name."""
        return dict(self._reported)

    @property
    def trace(self) -> tuple[Point, ...]:
        """What was recorded, in the order of queries."""
        return tuple(self._trace)


def _fill_in(rows: NDArray[np.integer[Any]], items: NDArray[np.int32]) -> None:
    """Write the columns of queries (m, arity) into the first rows of items (4, m or more)."""
    items[: rows.shape[1], : len(rows)] = rows.T


def _has_outside(rows: NDArray[np.integer[Any]], n: int) -> bool:
    """Whether any number is not one of 0 .. n-1; read once, as negative ones are the largest."""
    unsigned = rows.view(rows.dtype.str.replace("i", "u"))
    return bool(unsigned.max(initial=0) >= min(n, np.iinfo(rows.dtype).max + 1))


def ask_oracle(
    kind: str | QueryKind,
    function: Callable[..., Any],
    /,
    *,
    n: int,
    arity: int | None = None,
    budget: Budget | None = None,
    vectorized: bool = False,
) -> Oracle:
    """Make an oracle that counts the calls of a function: a person, a model, another system.

    Parameters
    ----------
    kind : str or QueryKind
        ``"quadruplet-queries"``, ``"ordinal-queries"``, ``"pair-queries"``, ``"rating-queries"`` or
        a kind of your own.
    function : callable
        ``f(i, j, k, l) -> bool`` (is w_ij > w_kl? or 1, -1, and 0 for a tie), ``f(i, j, k) ->
        0, 1, 2`` (the position of the odd one out), ``f(i, j) -> bool`` (do they belong
        together?), ``f(i, j) -> float`` (how alike are they, from 0 to 9?).
    n : int
        Number of items.
    arity : int, optional
        Number of items in a query, for a kind of your own that is no `QueryKind`.
    budget : int, optional
        The largest number of queries.
    vectorized : bool
        Whether the function takes arrays, one entry for each query.

    Returns
    -------
    Oracle
        Its ``ledger`` has the counts.
    """
    known = kind if isinstance(kind, QueryKind) else QUERY_KINDS.get(kind)
    name = kind.name if isinstance(kind, QueryKind) else kind
    items = arity or (known.arity if known else None)
    if items is None:
        raise InvalidQueryError(f"say the arity of {kind!r}; known kinds: {', '.join(QUERY_KINDS)}")

    def answer(queries: Queries, _keys: object, _times: object) -> Code:
        if vectorized:
            codes = np.asarray(function(*queries.T))
        else:
            answers = [function(*(int(i) for i in row)) for row in queries]
            if items == 4:  # one by one: beside an UNSURE, numpy would make False a tie
                answers = [_sign(answer) for answer in answers]
            codes = np.array(answers)
        return codes

    answers = Answers(kind=name, n=n, arity=items, query_kind=known, answer=answer)
    return Oracle(answers, budget=budget)


def _is_unsure(codes: Code) -> NDArray[np.bool_]:
    return np.isnan(codes) if codes.dtype.kind == "f" else codes == UNSURE


def _sign(answer: Any) -> Any:
    """A yes or no to a quadruplet as 1 or -1; other codes as they are."""
    return (1 if answer else -1) if isinstance(answer, bool | np.bool_) else answer
