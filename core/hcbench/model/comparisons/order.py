"""The order of `Comparisons.unique`, and answers as numbers that sort into it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench.model.comparisons.arrays import PairIds

#: Answers in 64 bits each: the smaller pair in the upper half, the larger one in the lower.
Keys = NDArray[np.uint64]
#: Comparisons whose order is checked together, so that they stay in the processor's cache.
_ROWS_AT_A_TIME = 1 << 16


def distinct_keys(closer: PairIds, farther: PairIds) -> tuple[Keys, Keys]:
    """The different answers as two rising lists of keys.

    Those whose closer pair is the smaller one, and the others.
    """
    is_forward = closer < farther
    forward = _distinct(closer[is_forward], farther[is_forward])
    backward = _distinct(farther[~is_forward], closer[~is_forward])
    return forward, backward


def pairs_of_keys(forward: Keys, backward: Keys) -> tuple[PairIds, PairIds]:
    """The closer and the farther pairs of two lists of keys, in the order of `unique`."""
    keys = np.concatenate([forward, backward])
    # Stable, so that of two opposite answers the forward one comes first.
    order = np.argsort(keys, kind="stable")
    low = (keys[order] >> 32).astype(np.uint32)
    high = keys[order].astype(np.uint32)  # the lower half of the bits
    is_forward = order < forward.size
    return np.where(is_forward, low, high), np.where(is_forward, high, low)


def _distinct(low: PairIds, high: PairIds) -> Keys:
    """The different pairs of numbers in 64 bits each, rising; `np.unique` takes ten times as long.

    None is 0, as the numbers of a pair differ.
    """
    keys = np.sort(low.astype(np.uint64) << np.uint64(32) | high)
    is_first = np.diff(keys, prepend=np.uint64(0)) != 0
    distinct_keys: Keys = keys[is_first]
    return distinct_keys


def are_in_order(closer: PairIds, farther: PairIds) -> bool:
    """Whether comparisons rise by (smaller pair, larger pair, which is closer), each once."""
    for start in range(0, closer.size, _ROWS_AT_A_TIME):
        # One row more, so that the last one is compared with the next.
        rows = slice(start, start + _ROWS_AT_A_TIME + 1)
        closer_ids = closer[rows]
        farther_ids = farther[rows]
        smaller = np.minimum(closer_ids, farther_ids)
        larger = np.maximum(closer_ids, farther_ids)
        # By the last key first; each key before it decides unless it is equal.
        rises = closer_ids[1:] > closer_ids[:-1]
        rises = (larger[1:] > larger[:-1]) | ((larger[1:] == larger[:-1]) & rises)
        rises = (smaller[1:] > smaller[:-1]) | ((smaller[1:] == smaller[:-1]) & rises)
        if not rises.all():
            return False
    return True
