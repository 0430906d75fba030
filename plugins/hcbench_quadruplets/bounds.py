"""Bounds of numbers of queries of Ghoshdastidar et al. 2019."""

from __future__ import annotations

from math import ceil, comb, floor, log, log2
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hcbench import Scored


def linkage_bound(
    scored: Scored,
    *,
    of: Literal["pairs", "sorting", "landmarks"] = "pairs",
    factor: float = 1.0,
    references: int = 1,
) -> float:
    """A number of queries for N items that the paper states, O(1) to compute.

    Parameters
    ----------
    of : {"pairs", "sorting", "landmarks"}
        "pairs": M - 1 for M = N (N-1) / 2 pairs, as the most similar pair is not known from fewer.
        "sorting": M ceil(log2 M), which no merge sort of M numbers exceeds (proposition 1).
        "landmarks": 2 q N^2 for each reference, where q = ``factor`` ln N / N (theorem 2).
    factor : float
    references : int
    """
    n = scored.problem.n
    pairs = comb(n, 2)
    if of == "pairs":
        return pairs - 1
    if of == "sorting":
        return pairs * ceil(log2(max(pairs, 1)))
    # Rounded as in the names of the suite.
    chance = round(min(1.0, factor * log(n) / n), 5)
    return float(floor(2 * chance * n * n) * references)
