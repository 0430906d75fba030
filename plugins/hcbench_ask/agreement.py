"""Agreement of two annotators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hcbench import DataError
from hcbench_ask.answers_file import RecordedAnswers


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two annotators agree on the queries that both answered.

    Attributes
    ----------
    queries : int
        Number of pairs of answers.
    per_cent : float
        Percentage of equal answers; nan without any pair.
    kappa : float
        Cohen's kappa; nan if it is undefined, as when both give one and the same answer only.
    """

    queries: int
    per_cent: float
    kappa: float

    def __str__(self) -> str:
        if not self.queries:
            return "no question was answered by both"
        kappa = f"{self.kappa:.2f}"
        if np.isnan(self.kappa):
            kappa = "undefined"
        plural = "s" * (self.queries != 1)
        return (
            f"{self.per_cent:.0f} % of {self.queries} question{plural} answered by both, "
            f"Cohen's kappa {kappa}"
        )


def agreement(first: RecordedAnswers, second: RecordedAnswers) -> Agreement:
    """Compare the answers of two annotators to the same queries.

    The t-th answer of the first to a query, in any order of its items, is compared with the t-th of
    the second. "Unsure" is not an answer. For kappa, the categories are the answers to a query with
    its items sorted, such as the position of the odd one out.

    Parameters
    ----------
    first, second : RecordedAnswers

    Returns
    -------
    Agreement

    Raises
    ------
    DataError
        If they answer different kinds of queries.

    Notes
    -----
    kappa = (a - e) / (1 - e), where a is the proportion of equal answers and e the one expected if
    the two answered independently with their own frequencies (Cohen 1960).
    """
    if first.header.kind != second.header.kind:
        raise DataError(
            f"{first.path} has answers to {first.header.kind}, but {second.path} to "
            f"{second.header.kind}: these cannot be compared"
        )
    second_codes = second.codes()
    pairs: list[tuple[int, int]] = []
    for query, codes in first.codes().items():
        # One of them may have answered a query more often.
        pairs.extend(zip(codes, second_codes.get(query, ()), strict=False))
    if not pairs:
        return Agreement(0, np.nan, np.nan)
    answers = np.array(pairs)
    equal = float((answers[:, 0] == answers[:, 1]).mean())
    by_chance = 0.0
    for code in np.unique(answers):
        by_chance += float((answers[:, 0] == code).mean() * (answers[:, 1] == code).mean())
    kappa = np.nan
    if by_chance < 1:
        kappa = (equal - by_chance) / (1 - by_chance)
    return Agreement(len(answers), 100 * equal, kappa)
