"""Recommendations among simulated methods whose true quality is known.

The tests draw few data sets; each night tests/plugins/recommend/test_simulations.py draws 2,000.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench_recommend.deciding import Drawn, decide

Tables: TypeAlias = list[NDArray[np.float64]]
Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]

#: How the values of items are distributed, with mean 0 and variance 1.
ITEMS: Mapping[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1.0,
}
#: Items of a data set, and of a subsample.
N_ITEMS, SIZE = 100, 80
#: The true mean of the baseline, in standard deviations of an item; that of equal methods is 0.
BASELINE = -2.0
SUBSAMPLES = (2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of data sets.

    Attributes
    ----------
    uses : float
        One method is recommended.
    uses_first : float
        The first method is recommended.
    holds_first : float
        The first method is not excluded.
    """

    uses: float
    uses_first: float
    holds_first: float


def true_means(k: int, advantage: float = 0.0) -> NDArray[np.float64]:
    """The true means of k methods, of which the first may be better, and of the baseline."""
    means = np.zeros(k + 1)
    means[0] = advantage
    means[k] = BASELINE
    return means


def of_random_methods(rng: np.random.Generator, k: int, subsamples: int, n_metrics: int) -> Tables:
    """Equal methods that differ by random numbers only, which each subsample draws anew."""
    tables = []
    for _ in range(n_metrics):
        noise = rng.normal(size=(k + 1, subsamples))
        tables.append(noise + true_means(k)[:, None])
    return tables


def of_items(
    rng: np.random.Generator,
    means: NDArray[np.float64],
    subsamples: int,
    n_metrics: int,
    items: str,
) -> Tables:
    """Values of methods in the subsamples of one data set, which are means over their items.

    The data set is a sample of items. So methods of equal true means are equal over data sets, but
    on one data set one of them is better by chance, and then in most subsamples.
    """
    parts = [rng.choice(N_ITEMS, SIZE, replace=False) for _ in range(subsamples)]
    tables = []
    for _ in range(n_metrics):
        values = ITEMS[items](rng, (len(means), N_ITEMS)) + means[:, None]
        columns = [values[:, part].mean(axis=1) for part in parts]
        tables.append(np.column_stack(columns))
    return tables


def recommend_often(draw: Callable[[np.random.Generator], Tables], k: int, samples: int) -> Shares:
    """How often the function that decides recommends something, for k methods and a baseline."""
    rng = np.random.default_rng(k)
    uses = uses_first = holds_first = 0
    for _ in range(samples):
        tables = draw(rng)
        drawn = Drawn(subsamples=tables[0].shape[1], size=SIZE, n=N_ITEMS)
        undecided = decide(tables, drawn, k).undecided
        uses += len(undecided) == 1
        uses_first += undecided == (0,)
        holds_first += 0 in undecided
    return Shares(uses / samples, uses_first / samples, holds_first / samples)
