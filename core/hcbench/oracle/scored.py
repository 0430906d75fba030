"""What a metric sees: the problem, the result, what it cost, and what came before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.errors import NotApplicableError
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Tree

if TYPE_CHECKING:
    from hcbench.model.answer_matrix import AnswerMatrix
    from hcbench.oracle import Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one call of an algorithm took.

    Attributes
    ----------
    seconds : float or None
        Wall time of the algorithm alone, in s; None at a checkpoint and where nothing was run.
    oracle_seconds : float or None
        Wall time of the answers computed during the call, in s; None where the answers are
        compiled into the algorithm's own loop and cannot be told apart, and as for seconds.
    peak_bytes : int or None
        The most memory held during the call above what was held before it; None where the
        system cannot tell.
    queries, distinct_queries, rounds : int or None
        As the oracle's ledger has them; None for kinds of oracle that answer nothing countable.
    draws : int or None
        Pairs that were drawn, which costs nothing; None where there are none to draw.
    """

    seconds: float | None = None
    oracle_seconds: float | None = None
    peak_bytes: int | None = None
    queries: int | None = None
    distinct_queries: int | None = None
    rounds: int | None = None
    draws: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """The result that an algorithm had after at most ``queries`` questions."""

    queries: int
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scored:
    """What a metric is computed from.

    Attributes
    ----------
    problem : Problem
        With the truth.
    result : Tree or Partition
        What the algorithm returned, or had at this checkpoint.
    cost : Cost
        Of the whole call; at a checkpoint, the queries up to there.
    trace : tuple of Point
        The results at the checkpoints and at the end, in the order of queries.
    hear : callable, optional
        Makes the answers of the oracle that was asked.
    """

    problem: Problem
    result: Result
    cost: Cost
    trace: tuple[Point, ...] = ()
    hear: Callable[[], Answers] | None = None

    @property
    def answers(self) -> Answers | None:
        """What the oracle answers, to compare a result with; None if no oracle was asked.

        Made anew when first wanted, as it was for the algorithm: from the same seed.
        """
        return None if self.hear is None else self.hear()

    @property
    def answer_matrix(self) -> AnswerMatrix:
        """What the oracle answers about all pairs of items.

        Raises
        ------
        NotApplicableError
            If no oracle was asked, or one that does not tell them, as a person.
        """
        answers = self.answers
        if answers is None or answers.matrix is None:
            raise NotApplicableError(
                "no oracle was asked that tells its answers about all pairs of items"
            )
        return answers.matrix

    @property
    def tree(self) -> Tree:
        """The result, if it is a tree.

        Raises
        ------
        NotApplicableError
            If the result is a partition.
        """
        if isinstance(self.result, Tree):
            return self.result
        raise NotApplicableError("the result is a partition, not a hierarchy")
