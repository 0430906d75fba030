"""What a metric sees: the problem, the result, what it cost, and what came before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.errors import NotApplicableError
from hcbench.model.cost import Cost
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Tree

if TYPE_CHECKING:
    from hcbench.model.answer_matrix import AnswerMatrix
    from hcbench.oracle import Answers


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
    make_answers : callable, optional
        Makes the answers of the oracle that was asked.
    """

    problem: Problem
    result: Result
    cost: Cost
    trace: tuple[Point, ...] = ()
    make_answers: Callable[[], Answers] | None = None

    @property
    def answers(self) -> Answers | None:
        """What the oracle answers, to compare a result with; None if no oracle was asked.

        Made anew when first wanted, as it was for the algorithm: from the same seed.
        """
        return None if self.make_answers is None else self.make_answers()

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
