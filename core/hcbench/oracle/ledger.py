"""The ledger, in which an algorithm reads what it has asked of an oracle."""

from __future__ import annotations

from hcbench.oracle import _kernels as kernels
from hcbench.oracle.account import Account


class Ledger:
    """What was asked of one oracle; it can be read, and only the oracle writes its account.

    Examples
    --------
    >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: i % 2 == j % 2, n=4, budget=10)
    >>> answers = oracle.ask([[0, 1], [0, 2], [1, 0]])
    >>> oracle.ledger
    Ledger(pair-queries: 3 queries, 2 distinct, 1 rounds)
    >>> oracle.ledger.left
    7
    """

    __slots__ = ("_account",)

    def __init__(self, account: Account) -> None:
        self._account = account

    def is_of(self, account: Account) -> bool:
        """Whether it shows this account."""
        return self._account is account

    def _count(self, which: int) -> int | None:
        if not self.countable:
            return None
        return int(self._account.counters[which])

    @property
    def kind(self) -> str:
        """The kind of oracle; counts of different kinds are never added up."""
        return self._account.kind

    @property
    def countable(self) -> bool:
        """Whether this kind answers anything countable; if not, the counts are None."""
        return self._account.countable

    @property
    def expenses(self) -> dict[str, float]:
        """What the answers of a paid oracle cost; empty for other oracles.

        The keys are ``price``, ``tokens`` and ``latency``, and ``saved``, what of the price was not
        paid, as answers were stored.
        """
        return dict(self._account.expenses)

    @property
    def queries(self) -> int | None:
        """How many queries were answered."""
        return self._count(kernels.QUERIES)

    @property
    def distinct_queries(self) -> int | None:
        """How many different queries; asking a pair the other way round is the same query."""
        self._account.settle()
        if not self.countable:
            return None
        counters = self._account.counters
        return int(max(counters[kernels.DISTINCT], counters[kernels.SET]))

    @property
    def rounds(self) -> int | None:
        """Rounds of adaptivity: batches, each asked in knowledge of the answers before it."""
        return self._count(kernels.ROUNDS)

    @property
    def draws(self) -> int | None:
        """How many pairs were drawn, which costs nothing; None where there are none to draw."""
        return self._account.draws

    @property
    def budget(self) -> int | None:
        """The most queries that will be answered; None without a limit."""
        return self._account.budget

    @property
    def left(self) -> int | None:
        """How many more queries will be answered; None without a budget.

        With a budget of money or tokens, if each costs as much as the dearest one so far; None
        before the first one.
        """
        return self._account.remaining

    @property
    def refused(self) -> bool:
        """Whether the algorithm was told that the budget does not allow what it wants to ask."""
        return bool(self._account.counters[kernels.REFUSED])

    @property
    def seconds(self) -> float | None:
        """Wall time spent on answers, and on the index of a set that was read, in s.

        None once answers were given inside a compiled loop, where they cannot be timed apart.
        """
        account = self._account
        if account.is_compiled:
            return None
        seconds = account.seconds
        # An index is made when a set is first looked into, which the algorithm does itself.
        for comparisons in account.read_sets:
            seconds += comparisons.index_seconds
        return seconds

    @property
    def drawn(self) -> tuple[float, int]:
        """Wall time and bytes of an index that was drawn before the call, and used in it."""
        drawn = [comparisons.drawn for comparisons in self._account.read_sets]
        return max(drawn, default=(0.0, 0))

    @property
    def is_sound(self) -> bool:
        """Whether the counts agree with the queries noted one by one."""
        return self._account.is_sound

    def __repr__(self) -> str:
        if not self.countable:
            return f"Ledger({self.kind}: nothing countable)"
        return (
            f"Ledger({self.kind}: {self.queries} queries, {self.distinct_queries} distinct, "
            f"{self.rounds} rounds)"
        )
