"""The ledger: what was asked of an oracle. Algorithms read it, and only the oracle writes it."""

from __future__ import annotations

from hcbench.errors import BudgetExceededError, ParameterError
from hcbench.oracle import _ledger_kernels as kernels, compiled
from hcbench.oracle.answers import Answers


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
            raise ParameterError(
                f"a budget of questions cannot be negative, got {budget}; None is none"
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
        self._compiled = False

    def _count(self, which: int) -> int | None:
        return int(self._counters[which]) if self.countable else None

    @property
    def queries(self) -> int | None:
        """How many questions were answered."""
        return self._count(kernels.QUERIES)

    @property
    def distinct_queries(self) -> int | None:
        """How many different questions; asking a pair the other way round is the same question."""
        kernels.settle(self._state)
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
        """The most questions that will be answered; None without a limit."""
        limit = int(self._counters[kernels.BUDGET])
        return None if limit == compiled.UNLIMITED else limit

    @property
    def left(self) -> int | None:
        """How many more questions will be answered; None without a budget."""
        return None if self.budget is None else self.budget - int(self._counters[kernels.QUERIES])

    @property
    def refused(self) -> bool:
        """Whether the algorithm was told that the budget does not allow what it wants to ask."""
        return bool(self._counters[kernels.REFUSED])

    @property
    def _named_no_item(self) -> bool:
        return bool(self._counters[kernels.NO_ITEM])

    @property
    def seconds(self) -> float | None:
        """Wall time spent on answers, in s.

        None once answers were given inside a compiled loop, where they cannot be timed apart.
        """
        return None if self._compiled else self._seconds

    @property
    def is_sound(self) -> bool:
        """Whether the counts agree with the questions noted one by one."""
        return bool(kernels.is_sound(self._state))

    def _allows(self, questions: int) -> bool:
        left = self.left
        allowed = left is None or questions <= left
        if not allowed:
            self._counters[kernels.REFUSED] = 1
        return allowed

    def _begin_round(self, questions: int) -> None:
        """Count a round, or refuse a batch, whole, that is larger than what is left."""
        if not self._allows(questions):
            raise BudgetExceededError(
                f"{questions} more {self.kind} exceed the budget of {self.budget}: "
                f"{self.left} are left"
            )
        self._counters[kernels.ROUNDS] += 1

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
