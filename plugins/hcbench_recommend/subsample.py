"""Random parts of a data set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hcbench import Problem, load_registry


def subsample(seed: int, *, of: str, share: float) -> Problem:
    """Draw ``share`` of the items of another data set without replacement, at least two.

    The other data set is made with seed 0, so that all subsamples are of the same items. Items keep
    their names; without names they have their numbers in the whole data set. Their order is
    random, as ties are often broken by it. O(n) besides making
    the data.
    """
    (use,) = load_registry().use_datasets(of)
    whole: Problem = use.spec.load()(0, **use.params)
    if whole.names is None:
        whole = replace(whole, names=tuple(map(str, range(whole.n))))
    size = size_of_part(whole.n, share)
    items = np.random.default_rng(seed).choice(whole.n, size, replace=False)
    return whole.take(items)


def size_of_part(n: int, share: float) -> int:
    """The number of items in a subsample of n items."""
    return min(n, max(2, round(share * n)))
