"""The performance profiles of Dolan and Moré: how near each competitor comes to the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench.analysis.block_ranks import Direction, Failed, block_numbers, included_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: The distance to the best of a block.
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
        shares = []
        for within, share in zip(self.within, self.share, strict=True):
            n_steps = int(np.searchsorted(within, distance, "right"))
            if n_steps == 0:
                # Nowhere is the competitor so near.
                shares.append(0.0)
            else:
                shares.append(float(share[n_steps - 1]))
        return shares


def performance_profile(
    table: ArrayLike,
    direction: Direction,
    *,
    by: Distance = "ratio",
    failed: Failed = "worst",
    blocks: Sequence[str] | None = None,
) -> PerformanceProfile:
    """The performance profiles of Dolan and Moré [1]_.

    For a cost t the distance on a block is the ratio ``t / min t``; if the minimum is 0, it is 1
    for t = 0 and infinite otherwise. Ratios are meaningless for numbers that may be negative or
    have no natural zero, such as most qualities; for these the distance is the difference to the
    best of the block, in the unit of the metric.

    Parameters
    ----------
    table, direction, failed
        As for `hcbench.analysis.block_ranks.rank_blocks`; a failure is infinitely far.
    by : {"ratio", "difference"}
        Ratios need nonnegative costs.
    blocks : sequence of n_rows str, optional
        The block of each row; by default each is its own. The rows of a block have equal shares of
        its weight.

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
    counts = included_rows(scores, failed)
    costs = scores[counts]
    if direction == "higher":
        costs = -costs
    if by == "ratio" and (direction == "higher" or (costs < 0).any()):
        raise ValueError("ratios need nonnegative costs; use differences")

    # Failures are infinitely far. A block in which all failed has no best number.
    costs = np.where(np.isnan(costs), np.inf, costs)
    best = costs.min(axis=1, keepdims=True, initial=np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        if by == "ratio":
            distance = costs / best
            distance_of_best = 1.0
        else:
            distance = costs - best
            distance_of_best = 0.0
    # Divisions by 0 and differences of infinite numbers are NaN until here.
    distance[(costs == best) & np.isfinite(costs)] = distance_of_best
    distance[costs == np.inf] = np.inf

    # The rows of a block share its weight of 1.
    block_of_row = np.arange(len(costs))
    if blocks is not None:
        block_of_row = block_numbers(blocks, counts)
    n_rows = np.bincount(block_of_row)
    weights = 1 / n_rows[block_of_row]

    within = []
    share = []
    for column in distance.T:
        is_near = np.isfinite(column)
        steps, step_of_row = np.unique(column[is_near], return_inverse=True)
        # A profile rises at each distance by the weight of the rows that have it.
        heights = np.bincount(step_of_row, weights[is_near], minlength=steps.size)
        within.append(steps)
        share.append(heights.cumsum() / max(n_rows.size, 1))
    return PerformanceProfile(
        by=by, within=tuple(within), share=tuple(share), n_blocks=int(n_rows.size)
    )
