"""Resampled data, on which an algorithm is fitted again: bootstraps of features, subsamples."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.api.trees import Fitted
from hcbench.errors import NotApplicableError, ParameterError
from hcbench.model.problem import Problem
from hcbench.model.trees import Tree
from hcbench.plan.seeds import derive_seed

Resampled: TypeAlias = Literal["auto", "features", "items"]
#: The share of the items in a subsample.
SHARE = 0.8
#: With fewer features, ``auto`` draws items: a bootstrap of 4 features is often 3 different ones.
FEWEST_FEATURES = 20
#: The fits that are made however little time there is.
LEAST_FITS = 2

Refit: TypeAlias = Callable[[Problem, int], Tree]
#: Called with the number of fits that are done, and of all.
Progress: TypeAlias = Callable[[int, int], None]


class TimeLimit:
    """A time for fits, which begins when it is made.

    Parameters
    ----------
    seconds : float
        Infinity for no limit.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self._end = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether no further fit may begin."""
        return time.monotonic() >= self._end


def no_progress(_done: int, _total: int) -> None:
    """Show nothing."""


def data_of(fitted: Fitted) -> tuple[Problem, Refit]:
    """The data, and a function that fits a tree to others."""
    if fitted.problem is None or fitted.refit is None:
        raise NotApplicableError(
            f"{fitted.title}: resampling needs the data and the algorithm; write "
            "hcbench tree ALGORITHM DATA"
        )
    # In a variable of its own, because type checkers forget a check of an attribute in closures.
    fit_again = fitted.refit

    def refit(problem: Problem, seed: int) -> Tree:
        result = fit_again(problem, seed)
        if not isinstance(result, Tree):
            raise NotApplicableError(f"{fitted.title}: the result is no tree")
        return result

    return fitted.problem, refit


def what_to_draw(problem: Problem, resampled: Resampled) -> Resampled:
    """What is drawn from these data, with ``auto`` resolved."""
    if resampled not in ("auto", "features", "items"):
        raise ParameterError(f"resampled={resampled!r}: write auto, features or items")
    vectors = problem.vectors
    if resampled == "features" and vectors is None:
        raise NotApplicableError("the data have no features, only items; draw items")
    if resampled != "auto":
        return resampled
    if vectors is not None and vectors.shape[1] >= FEWEST_FEATURES:
        return "features"
    return "items"


def draw(
    problem: Problem,
    how: Resampled,
    count: int,
    scales: Sequence[float],
    *,
    seed: int,
) -> Iterator[tuple[Problem, NDArray[np.int64] | None, float]]:
    """Resampled data, the items that they have, and their scale."""
    if how == "items":
        # A tree of two items has no branch that could be missing.
        size = max(3, round(SHARE * problem.n))
        if size >= problem.n:
            raise NotApplicableError(
                f"{problem.n} items are too few for subsamples of {SHARE:.0%}; 5 is the least"
            )
        for number in range(count):
            # Each replicate has a seed of its own: a larger count begins with the same replicates.
            rng = np.random.default_rng(derive_seed(seed, "items", number))
            items = rng.choice(problem.n, size, replace=False)
            yield problem.take(items), items, 1.0
        return
    vectors = problem.vectors
    # `what_to_draw` answers "features" only for data that have some.
    assert vectors is not None
    n_features = vectors.shape[1]
    for scale in scales:
        n_drawn = max(1, round(scale * n_features))
        for number in range(count):
            rng = np.random.default_rng(derive_seed(seed, "features", str(scale), number))
            # A feature may be drawn several times, and so weighs more in this replicate.
            columns = rng.integers(n_features, size=n_drawn)
            yield replace(problem, vectors=vectors[:, columns]), None, scale
