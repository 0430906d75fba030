"""The oracle as an algorithm sees it: asked, read and run, and counted by its ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, ClassVar

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
from hcbench.model.cost import Budget
from hcbench.model.problem import Result
from hcbench.model.views import own_view
from hcbench.oracle import _kernels as kernels, compiled
from hcbench.oracle._answering_kernels import PAIRS_WITH_ITSELF
from hcbench.oracle.account import Account, Rows
from hcbench.oracle.answers import (
    DETAILS,
    NO_DETAILS,
    Answers,
    Code,
    Point,
    Queries,
    QueryKind,
)
from hcbench.oracle.codes import are_unsure, valid_codes
from hcbench.oracle.ledger import Ledger
from hcbench.oracle.paid import PaidAnswers
from hcbench.oracle.requests import Answering, AnswerRequest, as_taking_request

# Of reported numbers: the characters of a name, and the numbers of one call.
_LONGEST_NAME = 30
_MOST_REPORTED = 20


# Queries that are handed to compiled code together: they stay in the processor's cache.
_QUERIES_AT_A_TIME = 1 << 14


@dataclass(slots=True)
class CallNotes:
    """What an algorithm has stated in one call, and its caller: a `hcbench.oracle.Recorder`.

    Attributes
    ----------
    takes_unsure : bool
        Whether `Oracle.ask` returns UNSURE instead of asking again.
    ask : compiled function, optional
        Of the answers, with their counter; None until it is needed.
    trace : list of Point
        Its results, in the order of queries.
    reported : dict of str to float
        Numbers by their names; costs have their unit in brackets behind it.
    child_peak : int
        Peak memory in bytes of a process that it started.
    first_use : bool
        Whether such a process compiled or imported something meanwhile.
    """

    takes_unsure: bool = False
    ask: Any = None
    trace: list[Point] = field(default_factory=list)
    reported: dict[str, float] = field(default_factory=dict)
    child_peak: int = 0
    first_use: bool = False


def compile_asking(answers: Answers, notes: CallNotes) -> None:
    """Compile what `Oracle.run` needs, unless it is compiled already."""
    if answers.compiled is not None and notes.ask is None:
        notes.ask = compiled.counting(answers.compiled)


class Oracle:
    """A counted oracle, as an algorithm sees it: what it may ask, read, draw and state.

    What it has stated is read, and answers that are stored are set, by a `hcbench.oracle.Recorder`.

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
    ledger : Ledger
        What was asked, and the budget.
    details : (m,) structured array, optional
        Details of the answers to the last batch, if the oracle has them: ``confidence`` in [0, 1],
        or NaN, and ``annotator``, the number of who gave the answer, or -1.

    Examples
    --------
    >>> def answer(i, j, k, l):
    ...     return abs(i - j) < abs(k - l)
    >>> oracle = hcbench.ask_oracle("quadruplet-queries", answer, n=5, budget=100)
    >>> oracle.ask([[0, 1, 0, 4], [0, 3, 1, 2]]).tolist()
    [1, -1]
    >>> oracle.ledger.queries, oracle.ledger.rounds, oracle.ledger.budget
    (2, 1, 100)
    """

    PATIENCE: ClassVar[int] = 5

    __slots__ = (
        "_account",
        "_answer",
        "_answers",
        "_clock",
        "_notes",
        "_paid",
        "checkpoints",
        "details",
        "ledger",
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
        self._notes = CallNotes()
        self.checkpoints = tuple(checkpoints)
        self._account = Account(answers, budget)
        self._paid = PaidAnswers(answers, self._account)
        self._answer: Answering | None = None
        if answers.answer is not None:
            self._answer = as_taking_request(answers.answer)
        self.ledger = Ledger(self._account)
        self.details: NDArray[Any] | None = None

    @property
    def kind(self) -> str:
        """What can be asked of it."""
        return self._answers.kind

    @property
    def query_kind(self) -> QueryKind | None:
        """How it is asked and what it answers; None for an unknown kind, or one that is read."""
        return self._answers.query_kind

    @property
    def takes_unsure(self) -> bool:
        """Whether `ask` returns UNSURE instead of asking again, as the algorithm declares."""
        return self._notes.takes_unsure

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

        Examples
        --------
        >>> oracle = Oracle(hcbench.Answers(kind="vectors", n=2, data=np.array([[0.0], [1.0]])))
        >>> oracle.read().tolist()
        [[0.0], [1.0]]
        """
        data = self._answers.data
        if data is None:
            raise InvalidQueryError(f"{self.kind} cannot be read whole; ask queries")
        if self._answers.size is not None:
            self._account.read_whole(self._answers.size)
        if isinstance(data, Comparisons):
            # Each algorithm makes the index that it uses, and its time counts.
            data = data.share(self._clock)
            self._account.read_sets.append(data)
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

        Examples
        --------
        >>> oracle = hcbench.ask_oracle("rating-queries", lambda i, j: 9 - abs(i - j), n=4)
        >>> oracle.ask([[0, 0], [0, 3]]).tolist()
        [9.0, 6.0]

        An item that does not exist is an error:

        >>> oracle.ask([[0, 4]])
        Traceback (most recent call last):
            ...
        hcbench.errors.InvalidQueryError: item 4 does not exist: there are 4, from 0
        """
        rows = self._checked(queries)
        codes = self._answered(rows)
        if self._notes.takes_unsure:
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
        account = self._account
        n_queries = len(rows)
        if self._answers.replies is not None:
            n_queries = self._paid.unpaid(rows)
        account.begin_round(n_queries)
        start = self._clock()
        self.details = None
        codes: NDArray[Any]
        if self._answers.replies is not None:
            codes, self.details = self._paid.answer(rows)
        elif self._answers.answer is None:
            codes = self._answered_compiled(rows)
        else:
            codes = self._answered_by_callable(rows)
        account.seconds += self._clock() - start
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
            items[: rows.shape[1], : len(codes[part])] = rows[part].T
            has_wrong = answer_many(self._account.state, items, codes[part])
            if has_wrong:
                wrong_rows = rows[part][codes[part] == compiled.WITH_ITSELF]
                raise InvalidQueryError(f"{PAIRS_WITH_ITSELF}: {wrong_rows[0].tolist()}")
        return codes

    def _answered_by_callable(self, rows: Rows) -> Code:
        assert self._answer is not None
        queries, keys, times = self._account.note(rows)
        request = AnswerRequest(queries, keys, times)
        codes: NDArray[Any] = np.asarray(self._answer(request))
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
            # An empty list becomes an array of floats.
            rows = rows.astype(np.int64)
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

        Examples
        --------
        >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: i < 2 and j < 2, n=4)
        >>> pairs = oracle.draw(3)
        >>> pairs.shape, oracle.ledger.queries
        ((3, 2), 0)
        >>> oracle.ask(pairs).shape, oracle.ledger.queries
        ((3,), 3)
        """
        account = self._account
        if account.draws is None:
            raise InvalidQueryError(f"no pairs can be drawn from {self.kind} of {self.n} items")
        if m < 0:
            raise InvalidQueryError(f"{m} pairs cannot be drawn")
        start = self._clock()
        if self._answers.draw is None:
            pairs = np.empty((m, 2), np.int64)
            compiled.draw_pairs(0, self.n, account.draws, pairs)
        else:
            pairs = self._answers.draw(account.draws, m)
        account.draws += m
        account.seconds += self._clock() - start
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
        compile_asking(self._answers, self._notes)
        self._account.is_compiled = True
        try:
            return kernel(self._notes.ask, self._account.state, *args)
        except (OverflowError, IndexError) as error:
            # The counter raises these; a kernel's own are the kernel's.
            if isinstance(error, OverflowError) and self.ledger.refused:
                raise BudgetExceededError(
                    f"the budget of {self.ledger.budget} {self.kind} is used up"
                ) from error
            if isinstance(error, IndexError) and self._account.counters[kernels.NO_ITEM]:
                raise InvalidQueryError(
                    f"a query names an item that does not exist: there are {self.n}, from 0"
                ) from error
            raise

    def _ask_one(self, _state: None, *items: int) -> float:
        answer: float = self.ask([items[: self._answers.arity]])[0].item()
        return answer

    def due(self, queries: int = 1) -> bool:
        """Whether that many more queries would pass the next checkpoint or the budget.

        An anytime algorithm records its current result when this is so, and only then needs to
        build it.

        Examples
        --------
        >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: i == j, n=4, budget=2)
        >>> oracle.due(2), oracle.due(3)
        (False, True)
        """
        before = self.ledger.queries or 0
        after = before + queries
        passes = any(before <= checkpoint < after for checkpoint in self.checkpoints)
        # The budget is always compared, as it is noted whether it would be passed.
        return not self._account.allows(queries) or passes

    @property
    def until_due(self) -> int:
        """How many queries lead to the next checkpoint, or to the end of the budget.

        An anytime algorithm asks so many at most before it records its result, then so many again;
        0 once the budget is used up, a very large number where nothing is due.
        """
        queries = self.ledger.queries or 0
        until = self._account.remaining
        if until is None:
            until = compiled.UNLIMITED
        for checkpoint in self.checkpoints:
            if checkpoint > queries:
                until = min(until, checkpoint - queries)
        return until

    def record(self, result: Result) -> None:
        """Keep a result as what the algorithm has at the present number of queries.

        Examples
        --------
        >>> def grow(oracle, items, rng):
        ...     oracle.record(hcbench.Tree.from_levels(np.zeros((items.n, 1), int)))
        ...     oracle.ask([[0, 1], [0, 2]])
        ...     return hcbench.Tree.from_newick("((0,1),2);")
        >>> spec = hcbench.AlgorithmSpec(
        ...     name="grow", function=grow, doc="Asks.", accepts=("pair-queries",), anytime=True
        ... )
        >>> data = ([[0.0], [1.0], [9.0]], [0, 0, 1])
        >>> results = hcbench.compare(
        ...     [spec], [data], metrics=["AARI"], checkpoints=[1], repetitions=1, progress=False
        ... )
        >>> [(row["checkpoint"], row["metrics"]) for row in results.rows]
        [(1, {'AARI': 0.0}), (None, {'AARI': 1.0})]
        """
        point = Point(self.ledger.queries or 0, result)
        trace = self._notes.trace
        if trace and trace[-1].queries == point.queries:
            trace[-1] = point
        else:
            trace.append(point)

    def report(self, **numbers: float) -> None:
        """State numbers about the result, such as iterations, which become columns of the tables.

        Those of a call that fails are kept, too, but are in no average; see `report_cost`.

        Parameters
        ----------
        **numbers : float
            Finite numbers by their names, which have at most 30 characters; at most 20 numbers,
            costs included, in one call of an algorithm. A number that is stated again replaces the
            earlier one.

        Raises
        ------
        ParameterError
            If a number is not finite, a name is too long, or there are too many numbers.

        Examples
        --------
        >>> def converge(oracle, items, rng):
        ...     oracle.report(iterations=3)
        ...     return hcbench.Tree.from_levels(np.zeros((items.n, 1), int))
        >>> spec = hcbench.AlgorithmSpec(
        ...     name="star", function=converge, doc="A star.", accepts=("vectors",)
        ... )
        >>> results = hcbench.compare(
        ...     [spec], [[0.0], [1.0], [2.0]], metrics=["leaf-depth"], repetitions=1, progress=False
        ... )
        >>> results.rows[0]["metrics"]
        {'leaf-depth': 1.0, 'iterations (reported)': 3.0}
        """
        for name, number in numbers.items():
            _check_reported(name, number)
        reported = dict(self._notes.reported)
        for name, number in numbers.items():
            reported[name] = float(number)
        if len(reported) > _MOST_REPORTED:
            raise ParameterError(
                f"an algorithm reports at most {_MOST_REPORTED} numbers, not {len(reported)}"
            )
        self._notes.reported = reported

    def report_cost(self, name: str, amount: float, *, unit: str) -> None:
        """State what the call has cost, such as energy, beside what is measured of every call.

        The cost is a column of the tables as a reported number is, named ``energy [J] (reported)``.
        Less of it is better, and it may differ each time.

        A call that fails later keeps its costs: its row has them, as it has its queries, and no
        average does. Those of a call whose process is killed, at a time limit, a memory limit or a
        crash, are lost.

        Parameters
        ----------
        name : str
            Such as ``"energy"``; with the unit at most 27 characters.
        amount : float
            A finite number, at least 0. One that is stated again replaces the earlier one.
        unit : str
            Such as ``"J"`` or ``"EUR"``; ``"s"`` and ``"bytes"`` are shown as times and memory are.

        Raises
        ------
        ParameterError
            If the name, the amount or the unit is none.

        Examples
        --------
        >>> def heat(oracle, items, rng):
        ...     oracle.report_cost("energy", 2.5, unit="J")
        ...     return hcbench.Tree.from_levels(np.zeros((items.n, 1), int))
        >>> spec = hcbench.AlgorithmSpec(
        ...     name="star", function=heat, doc="A star.", accepts=("vectors",)
        ... )
        >>> results = hcbench.compare(
        ...     [spec], [[0.0], [1.0], [2.0]], metrics=["leaf-depth"], repetitions=1, progress=False
        ... )
        >>> results.rows[0]["metrics"]
        {'leaf-depth': 1.0, 'energy [J] (reported)': 2.5}
        """
        for text, noun in ((name, "name of a cost"), (unit, "unit")):
            if not text or set(text) & set("[]"):
                raise ParameterError(f"{text!r} is no {noun}: a text without brackets")
        label = f"{name} [{unit}]"
        _check_reported(label, amount)
        if amount < 0:
            raise ParameterError(f"{amount} {unit} of {name} is no cost: it is negative")
        self.report(**{label: amount})

    def report_process(self, *, peak_bytes: int = 0, first_use: bool = False) -> None:
        """State what a process that the algorithm has started needed, which its worker cannot see.

        Parameters
        ----------
        peak_bytes : int
            Its peak memory: the row has it if it is above that of the worker. The largest of
            several calls counts.
        first_use : bool
            Whether it compiled or imported something: the call is then repeated, to be timed
            without that.
        """
        self._notes.child_peak = max(self._notes.child_peak, peak_bytes)
        self._notes.first_use = self._notes.first_use or first_use


def _check_reported(name: str, number: float) -> None:
    """Raise `ParameterError` unless a number can be reported under a name."""
    if len(name) > _LONGEST_NAME or not name.isprintable():
        raise ParameterError(
            f"{name[:40]!r} cannot be reported: at most {_LONGEST_NAME} characters"
        )
    if not isinstance(number, int | float | np.number) or not np.isfinite(number):
        raise ParameterError(f"{name} cannot be reported: {number!r} is no finite number")


def _has_outside(rows: Rows, n: int) -> bool:
    """Whether any number is not one of 0 .. n-1."""
    # Read once: as unsigned numbers, negative ones are the largest.
    unsigned = rows.view(rows.dtype.str.replace("i", "u"))
    return bool(unsigned.max(initial=0) >= min(n, np.iinfo(rows.dtype).max + 1))
