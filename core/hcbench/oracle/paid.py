"""The answers of a paid oracle: each is bought once, stored, and counted."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import BudgetExceededError, InvalidAnswerError, OracleError
from hcbench.oracle.account import Account, Rows
from hcbench.oracle.answers import NO_DETAILS, UNSURE, Answers, Reply
from hcbench.oracle.codes import valid_codes
from hcbench.oracle.requests import AnswerRequest, as_taking_request

#: The items of a query in the first of its orders, and how often it was made before.
Query: TypeAlias = tuple[tuple[int, ...], int]


class _Place(NamedTuple):
    """Where a query stands in a batch, and in which order its items stand there."""

    row: int
    order: tuple[int, ...]


class PaidAnswers:
    """The answers of an oracle that states what each of them costs.

    Parameters
    ----------
    answers : Answers
        Of a plugin; it is asked only what is not stored.
    account : Account
        Counts the queries and what their answers cost.

    Attributes
    ----------
    stored : mutable mapping of Query to Reply
        The answers that are known, to which new ones are added.
    """

    __slots__ = ("_account", "_answers", "_paid", "stored")

    def __init__(self, answers: Answers, account: Account) -> None:
        self._answers = answers
        self._account = account
        # Queries whose answers this account has paid: asked again, they cost nothing.
        self._paid: set[Query] = set()
        self.stored: MutableMapping[Query, Reply] = {}

    def unpaid(self, rows: Rows) -> int:
        """How many queries a budget limits: one of money those whose answers are not yet paid."""
        if self._account.limit is None or self._answers.timed:
            return len(rows)
        queries: set[Query] = set()
        for row in rows.tolist():
            items, _ = self._canonical(row)
            queries.add((items, 0))
        return len(queries - self._paid)

    def answer(self, rows: Rows) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Count and pay the answers to queries (m, arity), and return them with their details.

        With a budget of money they are bought in parts, as only answers tell the price: first one,
        then twice as many each time.
        """
        codes = np.empty(len(rows))
        details = np.full(len(rows), NO_DETAILS)
        n_done = 0
        n_next = len(rows)
        if self._account.limit is not None:
            n_next = 1
        while n_done < len(rows):
            if n_done > 0:
                # What answers cost is known better now.
                self._account.refuse_more_than(self.unpaid(rows[n_done:]))
            part = slice(n_done, n_done + n_next)
            self._buy(rows[part], codes[part], details[part])
            n_done += n_next
            n_next *= 2
        return codes, details

    def _canonical(self, row: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The items of a query in the first of its orders, and that order."""
        kind = self._answers.query_kind
        if kind is None:
            return tuple(row), ()
        return kind.canonical(row)

    def _buy(self, rows: Rows, codes: NDArray[np.float64], details: NDArray[Any]) -> None:
        """Fill in the answers that are stored, and the others from the oracle. O(m)."""
        queries, keys, times = self._account.note(rows)
        # The same query may stand in several rows.
        places: dict[Query, list[_Place]] = {}
        for row, query_items in enumerate(queries.tolist()):
            items, order = self._canonical(query_items)
            time = 0
            if self._answers.timed:
                # Asked again, this oracle may answer otherwise, and is paid again.
                time = int(times[row])
            places.setdefault((items, time), []).append(_Place(row, order))

        new_queries = []
        for query in places:
            if query not in self.stored:
                new_queries.append(query)
            elif query not in self._paid:
                # An earlier call has bought it: this one is charged the same price.
                self._paid.add(query)
                self._account.pay(self.stored[query], stored=True)
        if new_queries:
            first_rows = [places[query][0].row for query in new_queries]
            self._store_replies(new_queries, keys[first_rows], times[first_rows])

        for query, places_of_query in places.items():
            if query not in self.stored:
                raise InvalidAnswerError(
                    f"{self._answers.kind}: there is no reply to {list(query[0])}"
                )
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
        request = AnswerRequest(rows, keys, times)
        replies = as_taking_request(self._answers.replies)(request)
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
                # It is exceeded already.
                with suppress(BudgetExceededError):
                    self._store_reply(reply, queries, rows)
                reply = next(replies)
        except (StopIteration, BudgetExceededError, OracleError):
            return

    def _store_reply(self, reply: Reply, queries: Sequence[Query], rows: Rows) -> None:
        """Store a reply, then pay it."""
        self._check_cost(reply)
        row = rows[reply.row : reply.row + 1]
        valid_codes(np.array([reply.code]), row, self._answers.kind, self._answers.query_kind)
        if math.isnan(reply.code):
            # Databases store no NaN.
            reply = replace(reply, code=UNSURE)
        query = queries[reply.row]
        # Stored before it is paid, so that it is not lost if that exceeds the budget.
        self.stored[query] = reply
        self._paid.add(query)
        self._account.pay(reply, stored=False)

    def _check_cost(self, reply: Reply) -> None:
        """Refuse a reply whose cost would give money back, or make the sum NaN."""
        for name in ("price", "tokens", "seconds"):
            value = getattr(reply, name)
            if not (math.isfinite(value) and value >= 0):
                raise InvalidAnswerError(
                    f"{self._answers.kind}: a reply has {name} {value}; it must be finite and at "
                    "least 0"
                )

    def _code_in_order(self, reply: Reply, order: tuple[int, ...]) -> float:
        """The answer to a query whose items were put into an order to ask it."""
        kind = self._answers.query_kind
        if kind is None or kind.scale:
            return reply.code
        return kind.restore(int(reply.code), order)
