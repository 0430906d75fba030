"""The arguments of a metric: problem, result, cost, and earlier results."""

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
    """The result of an algorithm after at most ``queries`` queries."""

    queries: int
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scored:
    """The argument of a metric.

    Attributes
    ----------
    problem : Problem
        With the truth.
    result : Tree or Partition
        The final result, or the result at this checkpoint.
    cost : Cost
        Of the whole call; at a checkpoint, the queries up to it.
    trace : tuple of Point
        The results at the checkpoints and at the end, in the order of queries.
    make_answers : callable, optional
        Makes the answers of the oracle that the algorithm used.
    """

    problem: Problem
    result: Result
    cost: Cost
    trace: tuple[Point, ...] = ()
    make_answers: Callable[[], Answers] | None = None

    @property
    def answers(self) -> Answers | None:
        """The answers of the oracle, to compare a result with; None if there was none.

        They are made again on demand, from the seed that was used for the algorithm.
        """
        return None if self.make_answers is None else self.make_answers()

    @property
    def answer_matrix(self) -> AnswerMatrix:
        """The answers of the oracle about all pairs of items.

        Raises
        ------
        NotApplicableError
            If there was no oracle, or one without such answers, as a person.
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
