"""The account of one oracle: what was asked of it, as the oracle writes it."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import BudgetExceededError
from hcbench.model.comparisons import Comparisons
from hcbench.model.cost import TOKENS, Budget, read_budget, split_budget
from hcbench.oracle import _kernels as kernels, compiled
from hcbench.oracle.answers import Answers, Queries, Reply

#: Queries (m, arity) of any type of integers.
Rows: TypeAlias = NDArray[np.integer[Any]]
#: What an amount of money or tokens may exceed the budget by: rounding errors of sums of prices.
_ROUNDING = 1e-9


class Account:
    """Counts of queries, rounds and costs, and the budget. A `Ledger` shows it to algorithms.

    Attributes
    ----------
    kind : str
        Of oracle.
    countable : bool
        Whether this kind answers anything countable.
    limit : str or None
        A budget of money or tokens, such as "5USD"; one of queries is among the counters, as
        compiled code checks it.
    state : State of `hcbench.compiled`
        The queries that were noted, and the counters.
    counters : (COUNTERS,) int64 array
        Of the state; `hcbench.oracle._kernels` says what each counts.
    draws : int or None
        How many pairs were drawn; None where there are none to draw.
    seconds : float
        Wall time that answers took, without that of compiled loops.
    read_sets : list of Comparisons
        Sets that were read, whose index takes time, too.
    is_compiled : bool
        Whether answers were given inside a compiled loop, where they cannot be timed apart.
    expenses : dict of str to float
        What the answers of a paid oracle cost, see `Ledger`.
    """

    __slots__ = (
        "_dearest",
        "countable",
        "counters",
        "draws",
        "expenses",
        "is_compiled",
        "kind",
        "limit",
        "read_sets",
        "seconds",
        "state",
    )

    def __init__(self, answers: Answers, budget: Budget | None) -> None:
        self.limit: str | None = None
        if budget is not None:
            budget = read_budget(budget)
        if isinstance(budget, str):
            self.limit = budget
            budget = None
        self.kind = answers.kind
        self.countable = answers.size is not None or answers.arity > 0
        self.state, self.counters = compiled.new_state(
            answers.n,
            answers.symmetry_code,
            budget,
            answers.floats,
            answers.ints,
            arity=answers.arity,
            timed=answers.timed,
        )
        self.draws: int | None = None
        if answers.can_draw:
            self.draws = 0
        self.seconds = 0.0
        self.read_sets: list[Comparisons] = []
        self.is_compiled = False
        # The most that an answer has cost, in the unit of the limit; 0 before the first answer.
        self._dearest = 0.0
        self.expenses: dict[str, float] = {}
        if answers.replies is not None:
            self.expenses = {"price": 0.0, "tokens": 0.0, "latency": 0.0, "saved": 0.0}

    # ---- Counts ----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Note the queries that wait; where none does, the loop is not compiled."""
        if self.counters[kernels.WAITING]:
            kernels.settle(self.state)

    @property
    def is_sound(self) -> bool:
        """Whether the counts agree with the queries noted one by one."""
        self.settle()
        numbered, noted, repetitions = kernels.notes_of(self.state)
        if numbered:
            # A bit for each query.
            n_noted = np.bitwise_count(noted).sum()
        else:
            # A hash table of keys, in which 0 is an empty place.
            n_noted = np.count_nonzero(noted)
        counters = self.counters
        n_queries = n_noted + repetitions.sum() + counters[kernels.WHOLE]
        return bool(
            counters[kernels.QUERIES] == n_queries
            and counters[kernels.DISTINCT] == n_noted
            and counters[kernels.SET] <= counters[kernels.WHOLE]
            and counters[kernels.QUERIES] <= counters[kernels.BUDGET]
        )

    def begin_round(self, queries: int) -> None:
        """Count a round, or refuse the batch if the budget has not so many queries."""
        self.refuse_more_than(queries)
        self.counters[kernels.ROUNDS] += 1

    def note(self, rows: Rows) -> tuple[Queries, NDArray[np.uint64], NDArray[np.int64]]:
        """Count queries; return them with their keys and how often they were asked before."""
        n_queries, arity = rows.shape
        keys = np.empty(n_queries, np.uint64)
        times = np.empty(n_queries, np.int64)
        # Kernels read at least four items of a query; those that it has not are 0.
        items = np.zeros((max(4, arity), n_queries), np.int32)
        items[:arity] = rows.T
        compiled.note_queries(self.state, items, keys, times)
        return np.ascontiguousarray(rows, dtype=np.int64), keys, times

    def read_whole(self, size: int) -> None:
        """Count the answers of a set that is read."""
        self.begin_round(size)
        self.counters[kernels.QUERIES] += size
        self.counters[kernels.WHOLE] += size
        self.counters[kernels.SET] = size

    # ---- The budget ------------------------------------------------------------------------------

    @property
    def budget(self) -> int | None:
        """The most queries that will be answered; None without a limit."""
        most = int(self.counters[kernels.BUDGET])
        if most == compiled.UNLIMITED:
            return None
        return most

    @property
    def remaining(self) -> int | None:
        """How many more queries will be answered, see `Ledger.left`."""
        if self.limit is None:
            if self.budget is None:
                return None
            return self.budget - int(self.counters[kernels.QUERIES])

        amount, unit = split_budget(self.limit)
        spent = self.expenses["price"]
        if unit == TOKENS:
            spent = self.expenses["tokens"]
        unspent = float(amount) - spent
        if self._dearest > 0.0:
            return max(0, math.floor(unspent / self._dearest + _ROUNDING))
        # No answer has cost anything yet, so nobody knows what the next one will.
        if unspent > 0:
            return None
        return 0

    def allows(self, queries: int) -> bool:
        """Whether so many more queries are in the budget; if not, that is noted."""
        remaining = self.remaining
        if remaining is None or queries <= remaining:
            return True
        self.counters[kernels.REFUSED] = 1
        return False

    def refuse_more_than(self, queries: int) -> None:
        """Raise `BudgetExceededError` if so many more queries are not in the budget."""
        if not self.allows(queries):
            raise BudgetExceededError(
                f"{queries} more {self.kind} exceed the budget of {self.limit or self.budget}: "
                f"{self.remaining} left"
            )

    def pay(self, reply: Reply, *, stored: bool) -> None:
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
        if self.limit is None:
            return

        amount, unit = split_budget(self.limit)
        if unit == TOKENS:
            cost = reply.tokens
            spent = self.expenses["tokens"]
        else:
            cost = reply.price
            spent = self.expenses["price"]
        self._dearest = max(self._dearest, cost)
        if spent > float(amount) * (1 + _ROUNDING):
            self.counters[kernels.REFUSED] = 1
            raise BudgetExceededError(f"the budget of {self.limit} is used up")
