"""Numbers of repetitions for which noisy answers give the true tree with a given probability."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, exp, log, sqrt

from scipy.stats import binom

from hcbench import ParameterError

CLOSEST_TO_HALF = 0.50005
"""For answers that are correct less often than this, an insertion takes more than 10^9 of them."""


def check_right_answers(p: float) -> None:
    """Raise ParameterError if p is too close to 1/2, or not less than 1."""
    if not CLOSEST_TO_HALF <= p < 1:
        raise ParameterError(
            f"p must be at least {CLOSEST_TO_HALF} and less than 1, got {p!r}; below, too many "
            "queries would be needed; for p=1 use InsertionClustering"
        )


def majority_by_hoeffding(p: float, reached: float) -> int:
    """Return the smallest odd k with 1 - exp(-k (2p-1)^2 / 2) >= reached.

    Algorithm 5 of Emamjomeh-Zadeh & Kempe 2018, with reached = sqrt(p).
    """

    def reaches(k: int) -> bool:
        return 1 - exp(-k * (2 * p - 1) ** 2 / 2) >= reached

    return _smallest_odd(reaches)


def majority_exactly(p: float, failure: float) -> int:
    """Return the smallest odd k for which a majority is wrong with probability <= ``failure``.

    From the binomial distribution of the correct answers among k, each of which is correct with
    probability p.
    """

    def reaches(k: int) -> bool:
        return bool(binom.cdf(k // 2, k, p) <= failure)

    return _smallest_odd(reaches)


def lead_of_majority(p: float, failure: float) -> int:
    """Return the lead d after which an answer is wrong with probability <= ``failure``.

    For a wrong answer a, r^(votes of a - votes of the correct one) with r = p / (1-p) is a
    supermartingale that starts at 1, whatever the wrong answers are; it ever exceeds r^d with
    probability at most r^-d (Ville), and there are two wrong answers: d = ceil(log_r(2 / failure)).
    """
    return ceil(log(2 / failure) / log(p / (1 - p)))


def vertex_repetitions(p: float, rule: str | int) -> int:
    """k_p of algorithm 5: a given number, or the smallest by "hoeffding" or "binomial".

    Raises
    ------
    ParameterError
        If it is even, as then a majority need not be strict.
    """
    if rule == "hoeffding":
        return majority_by_hoeffding(p, sqrt(p))
    if rule == "binomial":
        return majority_exactly(p, 1 - sqrt(p))
    if int(rule) % 2 == 0:
        raise ParameterError(f"repetitions must be odd, so that a majority exists; got {rule}")
    return int(rule)


def _smallest_odd(reaches: Callable[[int], bool]) -> int:
    """The smallest odd number for which ``reaches`` is true; it is true for all larger ones."""
    high = 1
    while not reaches(high):
        high = 2 * high + 1
    # The last number tried, which is odd as well, is too small. (For high = 1, it is 0.)
    low = (high - 1) // 2
    while high - low > 2:
        middle = low + 2 * ((high - low) // 4)
        if reaches(middle):
            high = middle
        else:
            low = middle
    return high
