"""Random parts of a data set."""

from __future__ import annotations

import numpy as np

from hcbench import DataRequest, Problem
from hcbench_recommend.rows import whole


def subsample(
    request: DataRequest, *, of: str, share: float, distance: str = "euclidean"
) -> Problem:
    """Draw ``share`` of the items of another data set without replacement, at least two.

    The other data set is made with seed 0, so that all subsamples are of the same items. Items keep
    their names; without names they have their numbers in the whole data set. Their order is
    random, as ties are often broken by it. The rows are scaled for other distances; see
    `hcbench_recommend.rows`. O(n) besides making the data.
    """
    seed = request.seed
    problem = whole(request, of, distance)
    size = size_of_part(problem.n, share)
    items = np.random.default_rng(seed).choice(problem.n, size, replace=False)
    return problem.take(items)


def size_of_part(n: int, share: float) -> int:
    """The number of items in a subsample of n items."""
    return min(n, max(2, round(share * n)))
