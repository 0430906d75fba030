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
        kappa = "undefined" if np.isnan(self.kappa) else f"{self.kappa:.2f}"
        plural = "s" * (self.queries != 1)
        return (
            f"{self.per_cent:.0f} % of {self.queries} question{plural} answered by both, "
            f"Cohen's kappa {kappa}"
        )


def agreement(first: RecordedAnswers, second: RecordedAnswers) -> Agreement:
    """Compare the answers of two annotators to the same queries.

    The t-th answer of one to a query, in any order of its items, is compared with the t-th of the
    other. "Unsure" is not an answer. For kappa, the categories are the answers to a query with its
    items sorted, such as the position of the odd one out.

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
    others = second.codes()
    pairs = np.array(
        [
            pair
            for query, codes in first.codes().items()
            for pair in zip(codes, others.get(query, ()), strict=False)
        ]
    ).reshape(-1, 2)
    if not len(pairs):
        return Agreement(0, np.nan, np.nan)
    equal = float((pairs[:, 0] == pairs[:, 1]).mean())
    by_chance = sum(
        float((pairs[:, 0] == code).mean() * (pairs[:, 1] == code).mean())
        for code in np.unique(pairs)
    )
    kappa = (equal - by_chance) / (1 - by_chance) if by_chance < 1 else np.nan
    return Agreement(len(pairs), 100 * equal, kappa)
