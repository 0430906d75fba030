"""The number of pairs of leaves that vote on a node, so that the majority is right."""

from __future__ import annotations

from math import ceil, log
from typing import Any, Literal

import numpy as np

from hcbench import ParameterError

Votes = Literal["hoeffding", "binomial"] | int


def votes_of_node(n: int, votes: Votes, noise: float, delta: float, constant: float) -> int:
    """The number of pairs queried per node: m of Gentile et al. 2019, appendix B.4.

    Parameters
    ----------
    n : int
        Number of items.
    votes : {"hoeffding", "binomial"} or int
        "hoeffding": constant ln(n / delta) / (1 - 2 noise)^2, rounded up to an odd number. With a
        constant of 2 a majority is wrong with probability at most delta / n, by Hoeffding's
        inequality, which also holds for draws without replacement. "binomial": the smallest odd
        number with this guarantee by the binomial distribution.
    noise : float
        lambda, the proportion of pairs with a wrong answer; below 1/2.
    delta : float
        The probability that any of n votes is wrong.
    constant : float
        alpha, for "hoeffding".

    Raises
    ------
    ParameterError
        If ``noise`` is so close to 1/2 that the number overflows.
    """
    if isinstance(votes, int):
        return votes
    steepness = (1.0 - 2.0 * noise) ** 2
    needed = np.inf
    if steepness > 0.0:
        needed = constant * log(n / delta) / steepness
    if needed > np.iinfo(np.int32).max:
        raise ParameterError(
            f"noise={noise!r} is too close to 1/2: a vote would need {needed:.3g} answers; "
            "give votes= as a number"
        )
    if votes == "binomial":
        return _smallest_majority(noise, delta / n)
    # The next odd number.
    return ceil(needed) | 1


def _smallest_majority(noise: float, failure: float) -> int:
    """The smallest odd number of votes whose majority is wrong with at most this probability."""
    from scipy.stats import binom

    def is_enough(k: int) -> bool:
        """Whether more than k of 2 k + 1 votes are wrong with at most this probability."""
        return bool(binom.sf(k, 2 * k + 1, noise) <= failure)

    # The smallest k is between few and many.
    few = 0
    many = 1
    while not is_enough(many):
        few = many
        many *= 2
    while few < many:
        middle = (few + many) // 2
        if is_enough(middle):
            many = middle
        else:
            few = middle + 1
    return 2 * many + 1


def most_questions(
    n: int,
    *,
    votes: Votes = 1,
    noise: float = 0.0,
    delta: float = 0.05,
    constant: float = 2.0,
    **_others: Any,
) -> tuple[int, bool]:
    """The maximum number of queries: the votes on all inner nodes, of which there are <= n - 1."""
    return max(n - 1, 0) * votes_of_node(n, votes, noise, delta, constant), True
