"""What the caller of an algorithm reads of its oracle, and sets; the algorithm cannot."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping

from hcbench.oracle.answers import Point, Reply
from hcbench.oracle.oracle import Oracle, compile_asking
from hcbench.oracle.paid import Query


class Recorder:
    """What one call leaves in an oracle.

    The oracle does not hold its recorder. One that is made before a call keeps what counts and
    times it, so that it tells whether the algorithm has replaced any of that.

    Parameters
    ----------
    oracle : Oracle

    Examples
    --------
    >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: i % 2 == j % 2, n=4)
    >>> recorder = Recorder(oracle)
    >>> answers = oracle.ask([[0, 1], [0, 2]])
    >>> oracle.report(iterations=3)
    >>> recorder.ledger.queries, recorder.reported, recorder.is_sound
    (2, {'iterations': 3.0}, True)
    """

    __slots__ = (
        "_account",
        "_answers",
        "_budget",
        "_clock",
        "_notes",
        "_oracle",
        "_paid",
        "ledger",
    )

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._account = oracle._account
        self._answers = oracle._answers
        self._clock = oracle._clock
        self._notes = oracle._notes
        self._paid = oracle._paid
        self.ledger = oracle.ledger
        self._budget = self.ledger.budget

    def prepare(self, *, takes_unsure: bool = False) -> None:
        """Make the oracle ready for an algorithm.

        What `Oracle.run` needs is compiled, so that no algorithm's time holds it.

        Parameters
        ----------
        takes_unsure : bool
            Whether `Oracle.ask` returns UNSURE instead of asking again, as the algorithm declares.
        """
        self._notes.takes_unsure = takes_unsure
        compile_asking(self._answers, self._notes)

    @property
    def clock(self) -> Callable[[], float]:
        """The function that returns the time in s."""
        return self._clock

    @property
    def stored(self) -> MutableMapping[Query, Reply]:
        """The answers of a paid oracle, by query, to which new ones are added."""
        return self._paid.stored

    @stored.setter
    def stored(self, replies: MutableMapping[Query, Reply]) -> None:
        self._paid.stored = replies

    @property
    def trace(self) -> tuple[Point, ...]:
        """What was recorded, in the order of queries."""
        return tuple(self._notes.trace)

    @property
    def reported(self) -> dict[str, float]:
        """What the algorithm has stated, by name; costs have their unit in brackets behind it."""
        return dict(self._notes.reported)

    @property
    def child_peak(self) -> int:
        """Peak memory in bytes of a process that the algorithm started, as it has stated."""
        return self._notes.child_peak

    @property
    def first_use(self) -> bool:
        """Whether such a process compiled or imported something meanwhile."""
        return self._notes.first_use

    @property
    def is_sound(self) -> bool:
        """Whether the oracle still counts in its ledger and times by its clock.

        Otherwise the algorithm has replaced or written one of them, and the counts and times of its
        call mean nothing.
        """
        oracle = self._oracle
        is_same = (
            oracle.ledger is self.ledger
            and oracle._account is self._account
            and oracle._clock is self._clock
            and self.ledger.is_of(self._account)
        )
        return is_same and self.ledger.budget == self._budget and self.ledger.is_sound
