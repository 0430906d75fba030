"""The oracle as an algorithm sees it: asked, read and run, and counted by its ledger."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import (
    BudgetExceededError,
    InvalidAnswerError,
    InvalidQueryError,
    OracleError,
    ParameterError,
    UnansweredError,
)
from hcbench.model.comparisons import Comparisons
from hcbench.model.cost import TOKENS, Budget, split_budget
from hcbench.model.problem import Result, own_view
from hcbench.oracle import _kernels as kernels, compiled
from hcbench.oracle._answering_kernels import PAIRS_WITH_ITSELF
from hcbench.oracle.answers import (
    DETAILS,
    NO_DETAILS,
    UNSURE,
    Answers,
    Code,
    Point,
    Queries,
    QueryKind,
    Reply,
)
from hcbench.oracle.codes import are_unsure, valid_codes

Rows: TypeAlias = NDArray[np.integer[Any]]
"""Queries (m, arity) of any type of integers."""

#: The items of a query in the first of its orders, and how often it was made before.
Query: TypeAlias = tuple[tuple[int, ...], int]

#: What an amount of money or tokens may exceed the budget by: rounding errors of sums of prices.
_ROUNDING = 1e-9
_LONGEST_NAME = 30  # characters of the name of a reported number
_MOST_REPORTED = 20


class _Place(NamedTuple):
    """Where a query stands in a batch, and in which order its items stand there."""

    row: int
    order: tuple[int, ...]


class Ledger:
    """What was asked of one oracle; it can be read, and only the oracle writes it.

    Attributes
    ----------
    kind : str
        Of oracle; counts of different kinds are never added up.
    countable : bool
        Whether this kind answers anything countable; if not, the counts are None.
    expenses : dict of str to float
        What the answers of a paid oracle cost: ``price``, ``tokens`` and ``latency``, and
        ``saved``, what of the price was not paid, as answers were stored; empty for other oracles.
    """

    __slots__ = (
        "_compiled",
        "_counters",
        "_dearest",
        "_draws",
        "_limit",
        "_read",
        "_seconds",
        "_state",
        "countable",
        "expenses",
        "kind",
    )

    def __init__(self, answers: Answers, budget: Budget | None) -> None:
        # A budget is a number of queries, which compiled code checks, or an amount, `_limit`.
        self._limit: str | None = None
        if isinstance(budget, str):
            self._limit = budget
            budget = None
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
        self._read: list[Comparisons] = []  # sets that were read, whose index takes time, too
        self._compiled = False  # whether answers were given inside a compiled loop
        self._dearest = 0.0  # the most that an answer has cost, in the unit of the limit
        self.expenses: dict[str, float] = {}
        if answers.replies is not None:
            self.expenses = {"price": 0.0, "tokens": 0.0, "latency": 0.0, "saved": 0.0}

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
            if self.budget is None:
                return None
            return self.budget - int(self._counters[kernels.QUERIES])
        amount, unit = split_budget(self._limit)
        spent = self.expenses["tokens"] if unit == TOKENS else self.expenses["price"]
        remaining = float(amount) - spent
        if self._dearest == 0.0:
            # No answer has cost anything yet, so nobody knows what the next one will.
            return None if remaining > 0 else 0
        return max(0, math.floor(remaining / self._dearest + _ROUNDING))

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
        if stored:
            self.expenses["saved"] += reply.price
        if self._limit is None:
            return
        amount, unit = split_budget(self._limit)
        if unit == TOKENS:
            cost = reply.tokens
            spent = self.expenses["tokens"]
        else:
            cost = reply.price
            spent = self.expenses["price"]
        self._dearest = max(self._dearest, cost)
        if spent > float(amount) * (1 + _ROUNDING):
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
        if self._compiled:
            return None
        return self._seconds + sum(comparisons.index_seconds for comparisons in self._read)

    @property
    def drawn(self) -> tuple[float, int]:
        """Wall time and bytes of an index that was drawn before the call, and used in it."""
        return max((comparisons.drawn for comparisons in self._read), default=(0.0, 0))

    @property
    def is_sound(self) -> bool:
        """Whether the counts agree with the queries noted one by one."""
        self._settle()
        numbered, noted, repetitions = kernels.notes_of(self._state)
        # Noted are bits where queries are numbered, else keys.
        n_noted = np.bitwise_count(noted).sum() if numbered else np.count_nonzero(noted)
        counters = self._counters
        n_queries = n_noted + repetitions.sum() + counters[kernels.WHOLE]
        return bool(
            counters[kernels.QUERIES] == n_queries
            and counters[kernels.DISTINCT] == n_noted
            and counters[kernels.SET] <= counters[kernels.WHOLE]
            and counters[kernels.QUERIES] <= counters[kernels.BUDGET]
        )

    def _allows(self, queries: int) -> bool:
        """Whether so many more queries are in the budget; if not, that is noted."""
        remaining = self.left
        if remaining is None or queries <= remaining:
            return True
        self._counters[kernels.REFUSED] = 1
        return False

    def _begin_round(self, queries: int) -> None:
        """Count a round, or refuse the batch if the budget has not so many queries."""
        self._refuse_more_than(queries)
        self._counters[kernels.ROUNDS] += 1

    def _refuse_more_than(self, queries: int) -> None:
        if not self._allows(queries):
            raise BudgetExceededError(
                f"{queries} more {self.kind} exceed the budget of {self._limit or self.budget}: "
                f"{self.left} are left"
            )

    def _read_whole(self, size: int) -> None:
        """Count the answers of a set that is read."""
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


_QUERIES_AT_A_TIME = 1 << 14
"""Queries that are handed to compiled code together: they stay in the processor's cache."""


class Oracle:
    """A counted oracle, as an algorithm sees it.

    Parameters
    ----------
    answers : Answers
        The answers of a plugin, which are counted.
    budget : int or str, optional
        The most queries that will be answered, which the ledger has, too. Or the most that the
        answers may cost, such as ``"5USD"`` or ``"20000tokens"``.
    checkpoints : sequence of int
        Query counts at which an anytime algorithm records its result.
    clock : callable
        Returns the time in s, which is measured of answers and of the call that asks.

    Attributes
    ----------
    PATIENCE : int
        How often a query is asked until there is an answer.
    stored : mutable mapping
        The answers of a paid oracle, by query, to which new ones are added.
    details : (m,) structured array, optional
        Details of the answers to the last batch, if the oracle has them: ``confidence`` in [0, 1],
        or NaN, and ``annotator``, the number of who gave the answer, or -1.
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
        "_answers",
        "_ask",
        "_clock",
        "_paid",
        "_reported",
        "_trace",
        "checkpoints",
        "child_peak",
        "details",
        "first_use",
        "ledger",
        "stored",
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
        self._ask: Any = None  # the compiled answer function with its counter, once prepared
        self._trace: list[Point] = []
        self._reported: dict[str, float] = {}
        self.checkpoints = tuple(checkpoints)
        self.ledger = Ledger(answers, budget)
        self.stored: MutableMapping[Query, Reply] = {}
        self._paid: set[Query] = set()  # queries whose answers this ledger has paid
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
        """The function that returns the time in s."""
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
            unsure = are_unsure(codes)
            if not unsure.any():
                return codes
            # Ask these again; `details` then has those of the second batch alone.
            details = self.details
            codes[unsure] = self._answered(rows[unsure])
            if details is not None:
                details[unsure] = self.details
                self.details = details
        unsure = are_unsure(codes)
        if unsure.any():
            query = rows[unsure][0].tolist()
            raise UnansweredError(f"no answer to {query}, asked {self.PATIENCE} times")
        return codes

    def _answered(self, rows: Rows) -> Code:
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
            confidence = self.details["confidence"]
            if ((confidence < 0) | (confidence > 1)).any():
                raise InvalidAnswerError(f"{self.kind}: a confidence is a number from 0 to 1")
        return self._valid(codes, rows)

    def _valid(self, codes: NDArray[Any], rows: Rows) -> Code:
        """The codes (m,) of answers, if they are of the kind."""
        return valid_codes(codes, rows, self.kind, self._answers.query_kind)

    def _answered_compiled(self, rows: Rows) -> Code:
        answers = self._answers
        answer_many = compiled.answering(answers.compiled, answers.symmetry_code, answers.arity)
        codes = np.empty(len(rows), np.int8)
        items = np.zeros((4, min(len(rows), _QUERIES_AT_A_TIME)), np.int32)
        for first in range(0, len(rows), _QUERIES_AT_A_TIME):
            part = slice(first, first + _QUERIES_AT_A_TIME)
            _fill_in(rows[part], items)
            has_wrong = answer_many(self.ledger._state, items, codes[part])
            if has_wrong:
                wrong_rows = rows[part][codes[part] == compiled.WITH_ITSELF]
                raise InvalidQueryError(f"{PAIRS_WITH_ITSELF}: {wrong_rows[0].tolist()}")
        return codes

    def _noted(self, rows: Rows) -> tuple[Queries, NDArray[np.uint64], NDArray[np.int64]]:
        """Count queries; return them with their keys and how often they were asked before."""
        keys = np.empty(len(rows), np.uint64)
        times = np.empty(len(rows), np.int64)
        items = np.zeros((max(4, rows.shape[1]), len(rows)), np.int32)
        _fill_in(rows, items)
        compiled.note_queries(self.ledger._state, items, keys, times)
        return np.ascontiguousarray(rows, dtype=np.int64), keys, times

    def _answered_by_replies(self, rows: Rows) -> NDArray[np.float64]:
        """Ask a paid oracle; with a budget of money in parts, as only answers tell the price."""
        codes = np.empty(len(rows))
        details = np.full(len(rows), NO_DETAILS)
        n_done = 0
        n_next = len(rows) if self.ledger._limit is None else 1
        while n_done < len(rows):
            if n_done > 0:
                # What answers cost is known better now.
                self.ledger._refuse_more_than(self._unpaid(rows[n_done:]))
            part = slice(n_done, n_done + n_next)
            self._buy(rows[part], codes[part], details[part])
            n_done += n_next
            n_next *= 2
        self.details = details
        return codes

    def _unpaid(self, rows: Rows) -> int:
        """How many queries a budget limits: one of money those whose answers are not yet paid."""
        if self.ledger._limit is None or self._answers.timed:
            return len(rows)
        queries: set[Query] = set()
        for row in rows.tolist():
            items, _ = self._canonical(row)
            queries.add((items, 0))
        return len(queries - self._paid)

    def _canonical(self, row: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The items of a query in the first of its orders, and that order."""
        kind = self._answers.query_kind
        if kind is None:
            return tuple(row), ()
        return kind.canonical(row)

    def _buy(self, rows: Rows, codes: NDArray[np.float64], details: NDArray[Any]) -> None:
        """Fill in the answers that are stored, and the others from the oracle. O(m)."""
        queries, keys, times = self._noted(rows)
        places: dict[Query, list[_Place]] = {}  # the same query may stand in several rows
        for row, (query_items, time) in enumerate(
            zip(queries.tolist(), times.tolist(), strict=True)
        ):
            items, order = self._canonical(query_items)
            query = (items, time if self._answers.timed else 0)
            places.setdefault(query, []).append(_Place(row, order))
        new_queries = []
        for query in places:
            if query not in self.stored:
                new_queries.append(query)
            elif query not in self._paid:
                self._paid.add(query)
                self.ledger._pay(self.stored[query], stored=True)
        if new_queries:
            first_rows = [places[query][0].row for query in new_queries]
            self._store_replies(new_queries, keys[first_rows], times[first_rows])
        for query, places_of_query in places.items():
            if query not in self.stored:
                raise InvalidAnswerError(f"{self.kind}: there is no reply to {list(query[0])}")
            reply = self.stored[query]
            for place in places_of_query:
                codes[place.row] = self._code_in_order(reply, place.order)
                details[place.row] = reply.confidence, reply.annotator

    def _store_replies(
        self, queries: Sequence[Query], keys: NDArray[np.uint64], times: NDArray[np.int64]
    ) -> None:
        """Ask the oracle queries that are not stored, and store and pay each reply as it comes."""
        assert self._answers.replies is not None
        rows = np.array([items for items, _ in queries], dtype=np.int64)
        replies = self._answers.replies(rows, keys, times)
        for reply in replies:
            try:
                self._store_reply(reply, queries, rows)
            except BudgetExceededError as error:
                self._store_in_flight(replies, error, queries, rows)
                raise

    def _store_in_flight(
        self,
        replies: Iterator[Reply],
        error: BudgetExceededError,
        queries: Sequence[Query],
        rows: Rows,
    ) -> None:
        """Store the replies that are on their way when the budget is exceeded: they are paid.

        The error is thrown into the generator of the replies. One that sends several queries at a
        time catches it, sends no more, and yields the replies that are still to arrive. One that
        sends them one by one does not catch it, and ends.
        """
        if not isinstance(replies, Generator):
            return
        try:
            reply = replies.throw(error)
            while True:
                with suppress(BudgetExceededError):  # it is exceeded already
                    self._store_reply(reply, queries, rows)
                reply = next(replies)
        except (StopIteration, BudgetExceededError, OracleError):
            return

    def _store_reply(self, reply: Reply, queries: Sequence[Query], rows: Rows) -> None:
        """Store a reply, then pay it."""
        self._check_cost(reply)
        self._valid(np.array([reply.code]), rows[reply.row : reply.row + 1])
        if math.isnan(reply.code):
            reply = replace(reply, code=UNSURE)  # databases store no NaN
        query = queries[reply.row]
        self.stored[query] = reply
        self._paid.add(query)
        self.ledger._pay(reply, stored=False)

    def _check_cost(self, reply: Reply) -> None:
        """Refuse a reply whose cost would give money back, or make the sum NaN."""
        for name in ("price", "tokens", "seconds"):
            value = getattr(reply, name)
            if not (math.isfinite(value) and value >= 0):
                raise InvalidAnswerError(
                    f"{self.kind}: a reply has {name} {value}; it must be finite and at least 0"
                )

    def _code_in_order(self, reply: Reply, order: tuple[int, ...]) -> float:
        """The answer to a query whose items were put into an order to ask it."""
        kind = self._answers.query_kind
        if kind is None or kind.scale:
            return reply.code
        return kind.restore(int(reply.code), order)

    def _answered_by_callable(self, rows: Rows) -> Code:
        assert self._answers.answer is not None
        queries, keys, times = self._noted(rows)
        codes: NDArray[Any] = np.asarray(self._answers.answer(queries, keys, times))
        if codes.dtype.names is not None:
            # A structured array has details beside the codes.
            self.details = np.full(len(rows), NO_DETAILS)
            for name in DETAILS.names or ():
                if name in codes.dtype.names:
                    self.details[name] = codes[name]
            codes = codes["code"]
        if codes.shape != (len(rows),):
            raise InvalidAnswerError(
                f"{len(rows)} queries were answered by an array of shape {codes.shape}"
            )
        return codes

    def _checked(self, queries: ArrayLike) -> Rows:
        """The queries as an array, of the type of integers that they have."""
        arity = self._answers.arity
        if not arity:
            raise InvalidQueryError(f"{self.kind} cannot be asked; read them whole")
        rows = np.asarray(queries)
        if rows.size == 0:
            rows = rows.astype(np.int64)  # an empty list has floats
        if rows.dtype.kind not in "iu":
            raise InvalidQueryError(f"{self.kind} are rows of integers, got {rows.dtype}")
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
            The number of pairs.

        Returns
        -------
        (m, 2) int array
            Queries, whose answers are to be asked for, and paid.

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
        before = self.ledger.queries or 0
        after = before + queries
        passes = any(before <= checkpoint < after for checkpoint in self.checkpoints)
        # The budget is always compared, as it is noted whether it would be passed.
        return not self.ledger._allows(queries) or passes

    @property
    def until_due(self) -> int:
        """How many queries lead to the next checkpoint, or to the end of the budget.

        An anytime algorithm asks so many at most before it records its result, then so many again;
        0 once the budget is used up, a very large number where nothing is due.
        """
        queries = self.ledger.queries or 0
        until = compiled.UNLIMITED if self.ledger.left is None else self.ledger.left
        for checkpoint in self.checkpoints:
            if checkpoint > queries:
                until = min(until, checkpoint - queries)
        return until

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
            Finite numbers by their names, which have at most 30 characters; at most 20 numbers in
            one call of an algorithm. A number that is stated again replaces the earlier one.

        Raises
        ------
        ParameterError
            If a number is not finite, a name is too long, or there are too many numbers.
        """
        for name, number in numbers.items():
            if len(name) > _LONGEST_NAME or not name.isprintable():
                raise ParameterError(
                    f"{name[:40]!r} cannot be reported: at most {_LONGEST_NAME} characters"
                )
            if not isinstance(number, int | float | np.number) or not np.isfinite(number):
                raise ParameterError(f"{name} cannot be reported: {number!r} is no finite number")
        reported = dict(self._reported)
        for name, number in numbers.items():
            reported[name] = float(number)
        if len(reported) > _MOST_REPORTED:
            raise ParameterError(
                f"an algorithm reports at most {_MOST_REPORTED} numbers, not {len(reported)}"
            )
        self._reported = reported

    @property
    def reported(self) -> dict[str, float]:
        """What the algorithm has stated, by name."""
        return dict(self._reported)

    @property
    def trace(self) -> tuple[Point, ...]:
        """What was recorded, in the order of queries."""
        return tuple(self._trace)


def _fill_in(rows: Rows, items: NDArray[np.int32]) -> None:
    """Write the columns of queries (m, arity) into the first rows of items (4, m or more)."""
    items[: rows.shape[1], : len(rows)] = rows.T


def _has_outside(rows: Rows, n: int) -> bool:
    """Whether any number is not one of 0 .. n-1."""
    # Read once: as unsigned numbers, negative ones are the largest.
    unsigned = rows.view(rows.dtype.str.replace("i", "u"))
    return bool(unsigned.max(initial=0) >= min(n, np.iinfo(rows.dtype).max + 1))
