"""How many questions the algorithms ask: at most, or about. People who answer are told."""

from __future__ import annotations

from math import comb, log, log2
from typing import Any

import numpy as np

from hcbench_ordinal.bounds import noiseless_queries
from hcbench_ordinal.noisy_constants import lead_of_majority, majority_exactly


def of_insertion(n: int, *, separator: str, **_: Any) -> tuple[float, bool] | None:
    """Of a binary truth: sum of floor(log2(2i-3)), the bound of exact and about what fast asks.

    None of topdown, which asks as many questions as the tree is high.
    """
    return None if separator == "topdown" else (noiseless_queries(n), separator == "exact")


def of_all_triples(n: int, **_: Any) -> tuple[float, bool]:
    """C(n, 3)."""
    return comb(n, 3), True


def of_some_triples(n: int, *, count: int | None, **_: Any) -> tuple[float, bool]:
    """The number that is wanted, or all."""
    return (comb(n, 3) if count is None else min(count, comb(n, 3))), True


def of_noisy_insertion(
    n: int, *, p: float, delta: float, strategy: str, stop: str, **_: Any
) -> tuple[float, bool] | None:
    """What is expected where wrong answers are random; None of the published strategy.

    "bayes": to find one of |V| vertices takes log2(|V|) / C questions, C = log2(3) - H(p) - (1-p)
    being the capacity of an answer of three with its wrong ones equally likely; to be sure of it,
    log(n |V| / delta) / ((2p-1) log(p / (1-p))), the mean rise of the logarithm of the odds.

    "repeat": each of `noiseless_queries` until k/2 answers of k are the same, or by the lead.
    """
    if strategy == "paper" or n < 3:
        return None
    if strategy == "bayes":
        entropy = -p * log2(p) - (1 - p) * log2(1 - p)
        vertices = 2 * np.arange(3, n + 1) - 3
        found = np.log2(vertices) / (log2(3) - entropy - (1 - p))
        sure = np.log(n * vertices / delta) / ((2 * p - 1) * log(p / (1 - p)))
        return float((found + sure).sum()), False
    searches = noiseless_queries(n)
    failure = delta / searches
    if stop == "majority":
        return searches * (majority_exactly(p, failure) + 1) / (2 * p), False
    return searches * lead_of_majority(p, failure / 2) / (p - (1 - p) / 2), False
