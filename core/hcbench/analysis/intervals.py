"""Confidence intervals: the only place that decides which interval an average of repetitions has.

=====================  ==========================================================================
numbers                interval
=====================  ==========================================================================
mean                   Student's t [1]_, from 2 values on
share (values 0 or 1)  the exact binomial interval of Clopper and Pearson [2]_
median                 between two order statistics [3]_, from 6 values on
equal random values    from the bound on the probability of any other value, if the values have
                       bounds; otherwise none
deterministic values   the value itself
a single random value  none
=====================  ==========================================================================

Equal values of a random quantity are not a proof that it never varies. If another value has the
probability p, n values are equal with probability ``(1 - p)**n``, so n equal values exclude, at the
confidence 1 - alpha, all p above ``1 - alpha**(1 / n)``. Of a quantity between a and b this bounds
the mean; for values 0 and 1 the bound is that of Clopper and Pearson.

References
----------
.. [1] Student, "The probable error of a mean", Biometrika 6 (1908).
.. [2] C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the
   case of the binomial", Biometrika 26 (1934).
.. [3] W. J. Conover, Practical Nonparametric Statistics, 3rd ed. (1999), section 3.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from hcbench.model.arguments import one_of, probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "Sequence[float] | NDArray[np.float64]"
CONFIDENCE = 0.95
#: Relative; numbers that differ by less are equal. 0.86 - 0.855 is more than 0.005 in binary.
ROUNDING_ERROR = 1e-9
#: Of repetitions: the least with which the order statistics bound a median at `CONFIDENCE`.
LEAST_FOR_MEDIAN = 6
#: The least and the greatest value that a quantity can have.
Support: TypeAlias = tuple[float, float]
UNBOUNDED: Support = (-math.inf, math.inf)
#: Which ends an interval has: both, or only one, at the whole level.
Ends: TypeAlias = Literal["both", "lower", "upper"]
#: What is known of the distribution of the values; it decides the interval.
Law: TypeAlias = Literal["none", "single", "deterministic", "share", "equal", "normal"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The ends of a confidence interval.

    Attributes
    ----------
    low, high : float
        Infinite where there is no limit.
    note : str
        Why there is no interval; "" if there is one.

    Examples
    --------
    >>> Limits(0.1, 0.4).excludes_zero
    True
    >>> hcbench.analysis.estimate_mean([0.8]).limits()
    Limits(low=-inf, high=inf, note='one random value has no interval')
    """

    low: float
    high: float
    note: str = ""

    @property
    def excludes_zero(self) -> bool:
        """Whether 0 is outside of the interval."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimated mean, and what its interval depends on.

    Attributes
    ----------
    mean : float or None
        None if there are no values.
    standard_error : float or None
        Of the mean; None if it is unknown.
    n : int
        Number of repetitions.
    freedom : int
        Degrees of freedom of the standard error.
    law : str
        One of `Law`: no finite mean, a single random value, values that use no random numbers,
        values 0 or 1, equal random values, or others.
    support : (float, float)
        The least and the greatest value that is possible.

    Examples
    --------
    >>> estimate = hcbench.analysis.estimate_mean([1.0, 2.0, 3.0])
    >>> estimate.mean, estimate.freedom, estimate.law
    (2.0, 2, 'normal')
    >>> limits = estimate.limits()
    >>> round(limits.low, 2), round(limits.high, 2)
    (-0.48, 4.48)
    """

    mean: float | None
    standard_error: float | None
    n: int
    freedom: int
    law: Law
    support: Support = UNBOUNDED

    def limits(self, ends: Ends = "both", level: float = CONFIDENCE) -> Limits:
        """The confidence interval of the mean.

        Parameters
        ----------
        ends : {"both", "lower", "upper"}
            An interval with one end has the probability ``1 - level`` on this side, one with both
            ends half of it on each.
        level : float
        """
        level = probability(level, "level")
        one_of(ends, "ends", get_args(Ends))
        if self.mean is None or self.law == "none":
            return Limits(-math.inf, math.inf, "there is no finite mean")
        match self.law:
            case "deterministic":
                return Limits(self.mean, self.mean)
            case "single":
                limits = Limits(-math.inf, math.inf, "one random value has no interval")
            case "share":
                limits = _limits_of_share(round(self.n * self.mean), self.n, ends, level)
            case "equal":
                limits = self._limits_of_equal_values(ends, level)
            case "normal":
                assert self.standard_error is not None
                margin = t_quantile(1 - _tail(ends, level), self.freedom) * self.standard_error
                limits = Limits(self.mean - margin, self.mean + margin)
        low = limits.low if ends != "upper" else -math.inf
        high = limits.high if ends != "lower" else math.inf
        return Limits(low, high, limits.note)

    def _limits_of_equal_values(self, ends: Ends, level: float) -> Limits:
        """The interval of equal values between bounds (see the top of this module)."""
        assert self.mean is not None
        least, greatest = self.support
        low = -math.inf
        high = math.inf
        if math.isfinite(self.mean) and least <= self.mean <= greatest:
            # Of what is above or below the mean, at most this much has been missed.
            missed = 1 - _tail(ends, level) ** (1 / self.n)
            if math.isfinite(least):
                low = self.mean - missed * (self.mean - least)
            if math.isfinite(greatest):
                high = self.mean + missed * (greatest - self.mean)
        note = ""
        if math.isinf(low) or math.isinf(high):
            note = note_on_equal_values(self.n, level)
        return Limits(low, high, note)


def mean_and_std(values: Numbers) -> tuple[float | None, float | None]:
    """Mean, and standard deviation with n - 1 in the denominator.

    None if there are too few numbers; no standard deviation if the mean is not finite.

    Examples
    --------
    >>> mean_and_std([1.0, 2.0, 3.0])
    (2.0, 1.0)
    >>> mean_and_std([5.0])
    (5.0, None)
    """
    if not len(values):
        return None, None
    numbers = np.asarray(values, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        mean = float(numbers.mean())
    if numbers.size < 2 or not math.isfinite(mean):
        return mean, None
    if (numbers == numbers[0]).all():
        return float(numbers[0]), 0.0  # no rounding error of the mean
    return mean, float(numbers.std(ddof=1))


def estimate_mean(
    values: Numbers,
    support: Support = UNBOUNDED,
    *,
    deterministic: bool = False,
) -> Estimate:
    """Estimate a mean from the values of repetitions.

    Parameters
    ----------
    values : sequence of float
    support : (float, float)
        The least and the greatest value that is possible.
    deterministic : bool
        Whether the values use no random numbers. It is ignored if they differ.

    Examples
    --------
    >>> estimate = estimate_mean([1.0, 2.0, 3.0])
    >>> estimate.mean, round(estimate.standard_error, 3), estimate.law
    (2.0, 0.577, 'normal')
    >>> estimate_mean([0.8, 0.8], deterministic=True).limits()
    Limits(low=0.8, high=0.8, note='')
    """
    numbers = np.asarray(values, dtype=np.float64)
    n = int(numbers.size)
    mean, std = mean_and_std(numbers)
    if mean is None:
        return Estimate(mean=None, standard_error=None, n=0, freedom=0, law="none")
    standard_error = None
    if std is not None:
        standard_error = std / math.sqrt(n)
    return Estimate(
        mean=mean,
        standard_error=standard_error,
        n=n,
        freedom=n - 1,
        law=_law_of(numbers, support, deterministic=deterministic),
        support=support,
    )


def differences_of(first: Mapping[int, float], second: Mapping[int, float]) -> dict[int, float]:
    """``first - second`` in the repetitions that both have.

    Variation that both share, such as that of the data of a repetition, cancels in the difference.
    Values that agree up to rounding errors have the difference 0.
    """
    differences = {}
    for repetition in sorted(first.keys() & second.keys()):
        minuend = first[repetition]
        subtrahend = second[repetition]
        if math.isclose(minuend, subtrahend, rel_tol=ROUNDING_ERROR):
            differences[repetition] = 0.0
        else:
            differences[repetition] = minuend - subtrahend
    return differences


def width_of(support: Support) -> Support:
    """The least and the greatest difference of two values."""
    width = support[1] - support[0]
    return -width, width


def _law_of(numbers: NDArray[np.float64], support: Support, *, deterministic: bool) -> Law:
    """What is known of the distribution of the values."""
    all_equal = bool(np.isclose(numbers, numbers[0], rtol=ROUNDING_ERROR, atol=0.0).all())
    if deterministic and all_equal:
        return "deterministic"
    if numbers.size == 1:
        return "single"
    if all_equal and math.isinf(numbers[0]):
        return "equal"
    if not np.isfinite(numbers).all():
        return "none"
    if support == (0.0, 1.0) and np.isin(numbers, (0.0, 1.0)).all():
        return "share"
    return "equal" if all_equal else "normal"


def _tail(ends: Ends, level: float) -> float:
    """The probability that an end may be missed with."""
    return (1 - level) / 2 if ends == "both" else 1 - level


def _limits_of_share(successes: int, n: int, ends: Ends, level: float) -> Limits:
    """The interval of Clopper and Pearson."""
    from scipy.stats import beta

    tail = _tail(ends, level)
    failures = n - successes
    low = 0.0
    high = 1.0
    # Without successes, or without failures, the interval ends at 0, or at 1.
    if successes:
        low = float(beta.ppf(tail, successes, failures + 1))
    if failures:
        high = float(beta.ppf(1 - tail, successes + 1, failures))
    return Limits(low, high)


def note_on_equal_values(n: int, level: float = CONFIDENCE) -> str:
    """What equal random values say, at a level of confidence."""
    excluded = 1 - (1 - level) ** (1 / n)
    return f"{n} equal values exclude a jump of probability above {excluded:.2g}"


@lru_cache(maxsize=1 << 12)  # the same for all groups of as many repetitions
def t_quantile(probability: float, freedom: int) -> float:
    """A quantile of Student's t distribution."""
    from scipy.stats import t

    return float(t.ppf(probability, freedom))


def limits_of_median(values: Sequence[float], *, deterministic: bool = False) -> Limits:
    """The confidence interval of a median, whose ends are values.

    The k-th least value exceeds the median if at most k - 1 values are below it, which has a
    binomial probability whatever the distribution is; k is the greatest for which it is at most
    2.5 %. So the interval covers the median with a probability of at least 95 %.

    Parameters
    ----------
    values : sequence of float
    deterministic : bool
        As for `estimate_mean`.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = int(ordered.size)
    if not n or not np.isfinite(ordered).all():
        return Limits(-math.inf, math.inf, "there is no finite median")
    if deterministic and ordered[0] == ordered[-1]:
        return Limits(float(ordered[0]), float(ordered[0]))
    if n < LEAST_FOR_MEDIAN:
        few = f"fewer than {LEAST_FOR_MEDIAN} values have no interval of the median"
        return Limits(-math.inf, math.inf, few)
    from scipy.stats import binom

    k = int(binom.ppf((1 - CONFIDENCE) / 2, n, 0.5))
    low = float(ordered[k - 1])
    high = float(ordered[n - k])
    # Equal order statistics do not show that the quantity never varies.
    if low == high:
        return Limits(-math.inf, math.inf, note_on_equal_values(n))
    return Limits(low, high)
