"""Compiled loops of the measures of partitions. They do not check their input."""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

_IDS = types.Array(types.int64, 1, "C", readonly=True)
_LOGS = types.Array(types.float64, 1, "C", readonly=True)


@njit(types.float64(_IDS, _IDS, _IDS, _IDS, _LOGS), cache=True)
def expected_information(
    a: NDArray[np.int64],
    n_a: NDArray[np.int64],
    b: NDArray[np.int64],
    n_b: NDArray[np.int64],
    log_factorial: NDArray[np.float64],
) -> float:
    """Mean mutual information of two random partitions with clusters of given sizes, in nats.

    Vinh, Epps & Bailey 2010, eq. (24a): the sum over clusters of sizes a and b, and over the size c
    of their intersection, of ``c/n ln(n c / (a b))`` times the hypergeometric probability of c.

    Parameters
    ----------
    a, n_a : (A,)
        Distinct sizes of the clusters of one partition, and the number of clusters of each.
    b, n_b : (B,)
        Those of the other partition.
    log_factorial : (n+1,)
        ln 0!, ln 1!, ..., ln n!.

    Notes
    -----
    O(min(A, B) n) time, at most n sqrt(2n), as there are few distinct sizes.
    """
    n = log_factorial.size - 1
    total = 0.0
    for s in range(a.size):
        for t in range(b.size):
            x = a[s]
            y = b[t]
            # The part of the logarithm of the probability that does not depend on c.
            constant = (
                log_factorial[x]
                + log_factorial[y]
                + log_factorial[n - x]
                + log_factorial[n - y]
                - log_factorial[n]
            )
            part = 0.0
            for c in range(max(1, x + y - n), min(x, y) + 1):
                probability = np.exp(
                    constant
                    - log_factorial[c]
                    - log_factorial[x - c]
                    - log_factorial[y - c]
                    - log_factorial[n - x - y + c]
                )
                part += c * (np.log(c) + np.log(n) - np.log(x) - np.log(y)) * probability
            total += part * n_a[s] * n_b[t]
    return total / n
