"""Numbers of queries of the algorithms, exact bounds or estimates, for people who answer."""

from __future__ import annotations

from math import comb, log, log2
from typing import Any

import numpy as np

from hcbench_ordinal.bounds import noiseless_queries
from hcbench_ordinal.noisy_constants import lead_of_majority, majority_exactly


def of_insertion(n: int, *, separator: str, **_: Any) -> tuple[float, bool] | None:
    """For a binary truth: sum of floor(log2(2i-3)), a bound of exact and an estimate of fast.

    None for topdown, whose number of queries is proportional to the height of the tree.
    """
    if separator == "topdown":
        return None
    is_bound = separator == "exact"
    return noiseless_queries(n), is_bound


def of_all_triples(n: int, **_: Any) -> tuple[float, bool]:
    """All C(n, 3) triples."""
    return comb(n, 3), True


def of_some_triples(n: int, *, count: int | None, **_: Any) -> tuple[float, bool]:
    """The requested number of triples, or all."""
    total = comb(n, 3)
    if count is None:
        return total, True
    return min(count, total), True


def of_noisy_insertion(
    n: int, *, p: float, delta: float, strategy: str, stop: str, **_: Any
) -> tuple[float, bool] | None:
    """Expected number of queries if wrong answers are random; None for the published strategy.

    "bayes": to find one of |V| vertices takes log2(|V|) / C queries, where C = log2(3) - H(p) -
    (1-p) is the capacity of one of three answers if the wrong ones are equally likely; to confirm
    it, log(n |V| / delta) / ((2p-1) log(p / (1-p))), from the mean increase of the log odds.

    "repeat": each of `noiseless_queries` until k/2 answers of k are the same, or until the lead.
    """
    if strategy == "paper" or n < 3:
        return None
    if strategy == "bayes":
        entropy = -p * log2(p) - (1 - p) * log2(1 - p)
        vertices = 2 * np.arange(3, n + 1) - 3
        capacity = log2(3) - entropy - (1 - p)
        to_find = np.log2(vertices) / capacity
        to_confirm = np.log(n * vertices / delta) / ((2 * p - 1) * log(p / (1 - p)))
        return float((to_find + to_confirm).sum()), False
    searches = noiseless_queries(n)
    failure = delta / searches
    if stop == "majority":
        return searches * (majority_exactly(p, failure) + 1) / (2 * p), False
    return searches * lead_of_majority(p, failure / 2) / (p - (1 - p) / 2), False
