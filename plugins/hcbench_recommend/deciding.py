"""Which methods the subsamples of one data set separate from the best one.

Two subsamples of a data set share items, so their values are correlated, and the mean of n of them
varies more than ``s**2 / n``. For a mean of items the correlation of two subsamples is the share of
the items that each has; for any other symmetric function of the items it is at most that
(Hoeffding [1]_, theorem 5.2). The variance of the mean is therefore at most
``s**2 * (1 / n + share / (1 - share))``, where s is the standard deviation between subsamples. This
is the correction of Nadeau and Bengio [2]_ for repeated random splits.

With this variance, the t statistic of a difference between two methods has Student's distribution
if the scores of the subsamples are normal and equally correlated. An error is a statement that does
not hold on average over data sets of the same kind and size.

- One method is separated from all others if it is better than each of them at the level of a
  two-sided test of two methods. That it was chosen from many costs nothing, as an error needs a
  method that is as good and yet worse by so much, and the most likely case is that of two equal
  methods far above the others (Gutmann and Maymin [3]_).
- Otherwise a set holds the best method: those that are not worse than the best mean score by the
  quantile of `hcbench.analysis.limits_below_best`, which allows for all methods.

References
----------
.. [1] W. Hoeffding, "A class of statistics with asymptotically normal distribution", Annals of
   Mathematical Statistics 19 (1948).
.. [2] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52 (2003).
.. [3] S. Gutmann, Z. Maymin, "Is the selected population the best?", Annals of Statistics 15
   (1987).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis import Limits, estimate_mean, limits_below_best

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Values that agree to so many decimals are equal, as rounding errors separate nothing.
DECIMALS = 9
#: Of deviations between methods, and of scores, whose unit these are.
ROUNDING_ERROR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The subsamples of a data set, or the divisions of a crowd's answers.

    Attributes
    ----------
    subsamples : int
        The number of subsamples, at least 2.
    size : int
        The number of items of each, less than n.
    n : int
        The number of all items.
    are_answers : bool
        Whether answers are drawn, and the metric is computed on those that are not; ``size`` and
        ``n`` are then numbers of answers.
    are_halves : bool
        Whether each draw is a division of all items into halves.
    """

    subsamples: int
    size: int
    n: int
    are_answers: bool = False
    are_halves: bool = False

    @property
    def variance_of_mean(self) -> float:
        """The variance of a mean over the subsamples, divided by that between subsamples.

        Of answers that are held out, it is that of Nadeau & Bengio 2003.
        """
        if self.are_answers:
            return 1 / self.subsamples + (self.n - self.size) / self.size
        return 1 / self.subsamples + self.size / (self.n - self.size)

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the variance between subsamples.

        The deviations of all items from their mean are a sample too, with n - 1 degrees of
        freedom, of which the subsamples show a part. Relative variances of estimates add up.
        """
        return max(1, round(1 / (1 / (self.subsamples - 1) + 1 / (self.n - 1))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the subsamples say about methods, which are numbered by the rows of the tables.

    Attributes
    ----------
    scores : (methods, subsamples) array
        The scores of `score_methods`.
    order : tuple of int
        The methods by their mean score, the best first.
    behind : tuple of Limits
        For each method, the interval of how far its score is behind that of the best. It decides:
        a method is separated from the best if its interval is above 0.
    undecided : tuple of int
        The best, and the methods that are not separated from it, in the order of `order`.
    """

    scores: NDArray[np.float64]
    order: tuple[int, ...]
    behind: tuple[Limits, ...]
    undecided: tuple[int, ...]


def decide(tables: Sequence[NDArray[np.float64]], drawn: Drawn, n_methods: int) -> Decision:
    """Find the methods that the subsamples do not separate from the best one.

    Parameters
    ----------
    tables : sequence of (methods, subsamples) arrays
        The values of each metric; higher is better, and NaN is a missing value.
    drawn : Drawn
    n_methods : int
        The number of methods among which the best is chosen. A baseline, which is a row as well,
        is no choice.
    """
    scores = score_methods(tables)
    order = tuple(np.argsort(-scores.mean(axis=1), kind="stable").tolist())
    best = order[0]
    # The level of a test of two methods is enough for a method that is above all others.
    behind = _limits_of_all(scores, best, drawn, 2)
    if not _separated(behind, order[1:]):
        # A set that holds the best method has to allow for all of them.
        behind = _limits_of_all(scores, best, drawn, max(n_methods, 2))
    undecided = [best]
    undecided += [method for method in order[1:] if not _separated(behind, [method])]
    return Decision(scores=scores, order=order, behind=behind, undecided=tuple(undecided))


def _separated(behind: Sequence[Limits], methods: Sequence[int]) -> bool:
    """Whether each of some methods is separated from the best."""
    return all(behind[method].low > 0 for method in methods)


def _limits_of_all(
    scores: NDArray[np.float64], best: int, drawn: Drawn, n_methods: int
) -> tuple[Limits, ...]:
    """The intervals of how far each method is behind the best."""
    limits = [limits_behind(scores[best] - row, drawn, n_methods) for row in scores]
    limits[best] = Limits(0.0, 0.0)
    return tuple(limits)


def score_methods(tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The mean over metrics of how far a method is above the mean of the methods.

    The unit of each metric is the standard deviation between the methods' means over the
    subsamples, so that all metrics have the same weight.

    Parameters
    ----------
    tables : sequence of (methods, subsamples) arrays
        The values of each metric; higher is better. A method without a value in a subsample is one
        unit below the worst of the others.

    Returns
    -------
    (methods, subsamples) array
    """
    standardised = [_standardise(np.round(table, DECIMALS)) for table in tables]
    scores: NDArray[np.float64] = np.mean(standardised, axis=0)
    return scores


def _standardise(table: NDArray[np.float64]) -> NDArray[np.float64]:
    is_missing = ~np.isfinite(table)
    counts = np.maximum((~is_missing).sum(axis=1), 1)
    means = np.where(is_missing, 0.0, table).sum(axis=1) / counts
    unit = float(means[~is_missing.all(axis=1)].std())
    if unit < ROUNDING_ERROR:
        unit = 1.0  # all methods are equal, or only one has values
    worst = np.where(is_missing, np.inf, table).min(axis=0)
    worst[np.isinf(worst)] = 0.0  # no method has a value in this subsample
    filled = np.where(is_missing, worst - unit, table)
    standardised: NDArray[np.float64] = (filled - filled.mean(axis=0)) / unit
    return standardised


def limits_behind(differences: NDArray[np.float64], drawn: Drawn, n_methods: int) -> Limits:
    """The interval of how far one method is behind the best, which the same data chose.

    Parameters
    ----------
    differences : (subsamples,) array
        The scores of the best minus those of the method.
    drawn : Drawn
    n_methods : int
        The number of methods among which the interval allows the best to be chosen; 2 is the
        interval of one pair.
    """
    if np.ptp(differences) < ROUNDING_ERROR:
        # No proof of anything: any two subsamples have most items in common.
        note = f"{drawn.subsamples} equal differences have no interval"
        return Limits(-math.inf, math.inf, note)
    corrected = replace(
        estimate_mean(differences),
        standard_error=float(differences.std(ddof=1)) * math.sqrt(drawn.variance_of_mean),
        n=drawn.freedom + 1,
        freedom=drawn.freedom,
    )
    return limits_below_best(corrected, n_methods)
