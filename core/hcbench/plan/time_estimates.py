"""How long the cells of a plan may take, from stored calls of the same algorithms."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hcbench.plan.cell import Cell

#: Sizes of data from which a power law is fitted.
LEAST_SIZES = 3
#: Seconds that any call is taken to need: the resolution of the clock makes the quickest ones 0.
_SHORTEST = 1e-6


@dataclass(frozen=True, slots=True)
class StoredTime:
    """How long the stored calls of one combination took.

    Attributes
    ----------
    algorithm, dataset, oracle : str
        Their labels.
    n : int, optional
        Number of items; None if no result tells it.
    seconds : float
        Mean of the calls that ended well.
    """

    algorithm: str
    dataset: str
    oracle: str
    n: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """Seconds of a call in the number n of items: ``factor * n ** exponent``."""

    factor: float
    exponent: float
    smallest: int
    largest: int

    def __call__(self, n: int) -> float:
        """Seconds for n items."""
        return float(self.factor * float(n) ** self.exponent)


@dataclass(frozen=True, slots=True)
class TimeEstimate:
    """How long some cells may take, and from what this is known.

    Attributes
    ----------
    seconds : float
        Sum over the cells whose time is known, as if they ran one after the other.
    n_same : int
        Cells of which calls of the same combination are stored.
    n_by_size : int
        Cells whose time follows from calls of the same algorithm with other numbers of items.
    n_unknown : int
        The other cells.
    smallest, largest : int
        Numbers of items of the calls from which the times by size follow; 0 if there are none.
    farthest : int
        The largest number of items for which a time was extrapolated; 0 if there is none.
    """

    seconds: float
    n_same: int
    n_by_size: int
    n_unknown: int
    smallest: int
    largest: int
    farthest: int


def estimate_time(cells: Sequence[Cell], stored_times: Sequence[StoredTime]) -> TimeEstimate:
    """Estimate how long cells take, by the same combination or else by a power law in n.

    Parameters
    ----------
    cells : sequence of Cell
    stored_times : sequence of StoredTime
        As `hcbench.store.Store.stored_times` reads them.
    """
    seconds_of_same = {}
    sizes_of_datasets = {}
    for stored in stored_times:
        seconds_of_same[stored.algorithm, stored.dataset, stored.oracle] = stored.seconds
        if stored.n is not None:
            sizes_of_datasets[stored.dataset] = stored.n
    power_laws = fit_power_laws(stored_times)

    seconds = 0.0
    n_same = 0
    n_by_size = 0
    used_laws = set()
    farthest = 0
    for cell in cells:
        same = seconds_of_same.get(cell.labels)
        if same is not None:
            n_same += 1
            seconds += same
            continue
        law = power_laws.get((cell.algorithm.label, cell.oracle.label))
        n = _items_of(cell, sizes_of_datasets)
        if law is None or n is None:
            continue
        n_by_size += 1
        seconds += law(n)
        used_laws.add(law)
        if not law.smallest <= n <= law.largest:
            farthest = max(farthest, n)
    return TimeEstimate(
        seconds=seconds,
        n_same=n_same,
        n_by_size=n_by_size,
        n_unknown=len(cells) - n_same - n_by_size,
        smallest=min((law.smallest for law in used_laws), default=0),
        largest=max((law.largest for law in used_laws), default=0),
        farthest=farthest,
    )


def fit_power_laws(stored_times: Sequence[StoredTime]) -> dict[tuple[str, str], PowerLaw]:
    """The power law of each algorithm and oracle with at least `LEAST_SIZES` numbers of items.

    A line by least squares through the logarithms of n and of the mean time at each n.
    """
    seconds_by_size: dict[tuple[str, str], dict[int, list[float]]] = {}
    for stored in stored_times:
        if stored.n is None:
            continue
        by_size = seconds_by_size.setdefault((stored.algorithm, stored.oracle), defaultdict(list))
        by_size[stored.n].append(stored.seconds)

    power_laws = {}
    for labels, by_size in seconds_by_size.items():
        if len(by_size) < LEAST_SIZES:
            continue
        log_sizes = []
        log_seconds = []
        for n, seconds in by_size.items():
            log_sizes.append(math.log(n))
            log_seconds.append(math.log(max(statistics.fmean(seconds), _SHORTEST)))
        exponent, intercept = statistics.linear_regression(log_sizes, log_seconds)
        if exponent < 0:
            # Noise makes larger data look quicker, which must not be extrapolated.
            exponent = 0.0
            intercept = statistics.fmean(log_seconds)
        power_laws[labels] = PowerLaw(
            factor=math.exp(intercept),
            exponent=exponent,
            smallest=min(by_size),
            largest=max(by_size),
        )
    return power_laws


def _items_of(cell: Cell, sizes_of_datasets: Mapping[str, int]) -> int | None:
    """The number of items of the data: declared, or of a stored result on the same data set."""
    n = cell.dataset.params.get("n")
    if isinstance(n, int):
        return n
    return sizes_of_datasets.get(cell.dataset.label)
