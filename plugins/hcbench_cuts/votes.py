"""How many pairs of leaves vote on a node, so that a majority is right."""

from __future__ import annotations

from math import ceil, log
from typing import Any, Literal

import numpy as np

from hcbench import ParameterError

Votes = Literal["hoeffding", "binomial"] | int


def votes_of_node(n: int, votes: Votes, noise: float, delta: float, constant: float) -> int:
    """How many of a node's pairs are asked about: m of Gentile et al. 2019, appendix B.4.

    Parameters
    ----------
    n : int
        Number of items.
    votes : {"hoeffding", "binomial"} or int
        "hoeffding": constant ln(n / delta) / (1 - 2 noise)^2, up to the next odd number. With a
        constant of 2 a majority is wrong with probability delta / n at most, by Hoeffding's
        inequality, which holds for draws without replacement too. "binomial": the smallest odd
        number for which that is so by the binomial distribution.
    noise : float
        lambda, the part of all pairs whose answer is wrong; below 1/2.
    delta : float
        The probability that any of n votes may be wrong.
    constant : float
        alpha, of "hoeffding".

    Raises
    ------
    ParameterError
        If ``noise`` is so close to 1/2 that the number is none.
    """
    if isinstance(votes, int):
        return votes
    steepness = (1.0 - 2.0 * noise) ** 2
    needed = constant * log(n / delta) / steepness if steepness > 0.0 else np.inf
    if needed > np.iinfo(np.int32).max:
        raise ParameterError(
            f"noise={noise!r} is too close to 1/2: a vote would take {needed:.3g} answers; "
            "give votes= as a number"
        )
    most = ceil(needed) | 1
    return most if votes == "hoeffding" else _smallest_majority(noise, delta / n)


def _smallest_majority(noise: float, failure: float) -> int:
    """The smallest odd number of votes of which most are wrong with this probability at most."""
    from scipy.stats import binom

    few, many = 0, 1  # votes are 2 k + 1
    while binom.sf(many, 2 * many + 1, noise) > failure:
        few, many = many, 2 * many
    while few < many:
        middle = (few + many) // 2
        if binom.sf(middle, 2 * middle + 1, noise) > failure:
            few = middle + 1
        else:
            many = middle
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
    """How many questions a search asks at most: the votes on all inner nodes, n - 1 or fewer."""
    return max(n - 1, 0) * votes_of_node(n, votes, noise, delta, constant), True
