"""Performance profiles: the share of blocks on which a competitor is close to the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench.analysis.statistics.rank_tests import Direction, Failed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Distance = Literal["ratio", "difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformanceProfile:
    """The profiles of competitors over blocks.

    Attributes
    ----------
    by : {"ratio", "difference"}
        The distance to the best of a block.
    within : tuple of (m,) float arrays
        For each competitor the distances at which its profile rises, ascending.
    share : tuple of (m,) float arrays
        The share of the blocks with at most this distance.
    n_blocks : int
        Number of included blocks.
    """

    by: Distance
    within: tuple[NDArray[np.float64], ...]
    share: tuple[NDArray[np.float64], ...]
    n_blocks: int

    def at(self, distance: float) -> list[float]:
        """The share of each competitor at a distance."""
        steps = zip(self.within, self.share, strict=True)
        return [
            float(share[place - 1])
            if (place := np.searchsorted(within, distance, "right"))
            else 0.0
            for within, share in steps
        ]


def performance_profile(
    table: ArrayLike, direction: Direction, *, by: Distance = "ratio", failed: Failed = "worst"
) -> PerformanceProfile:
    """The performance profiles of Dolan and Moré [1]_.

    For a cost t the distance on a block is the ratio ``t / min t``; if the minimum is 0, it is 1
    for t = 0 and infinite otherwise. Ratios are meaningless for numbers that may be negative or
    have no natural zero, such as most qualities; for these the distance is the difference to the
    best of the block, in the unit of the metric.

    Parameters
    ----------
    table, direction, failed
        As for `hcbench.analysis.statistics.rank_blocks`; a failure is infinitely far.
    by : {"ratio", "difference"}
        Ratios need nonnegative costs.

    Raises
    ------
    ValueError
        If ratios are requested for other numbers.

    References
    ----------
    .. [1] E. D. Dolan, J. J. Moré, "Benchmarking optimization software with performance profiles",
       Math. Program. 91 (2002).
    """
    scores = np.array(table, dtype=np.float64, ndmin=2)
    missing = np.isnan(scores)
    counts = ~missing.all(axis=1) if failed == "worst" else ~missing.any(axis=1)
    costs = scores[counts] if direction == "lower" else -scores[counts]
    if by == "ratio" and (direction == "higher" or (costs < 0).any()):
        raise ValueError("ratios need nonnegative costs; use differences")
    costs = np.where(np.isnan(costs), np.inf, costs)
    best = costs.min(axis=1, keepdims=True, initial=np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = costs / best if by == "ratio" else costs - best
    distance[(costs == best) & np.isfinite(costs)] = 1.0 if by == "ratio" else 0.0
    distance[costs == np.inf] = np.inf
    steps = [_steps(column, len(costs)) for column in distance.T]
    return PerformanceProfile(
        by=by,
        within=tuple(within for within, _ in steps),
        share=tuple(share for _, share in steps),
        n_blocks=len(costs),
    )


def _steps(
    distance: NDArray[np.float64], n_blocks: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    within, count = np.unique(distance[np.isfinite(distance)], return_counts=True)
    return within, count.cumsum() / max(n_blocks, 1)
