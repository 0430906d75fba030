"""Compiled loops of ordinal embedding. They do not check their input.

A pair of items, numbered in condensed order, has a score u; a comparison means that u is larger for
one pair than for another. A loss depends on the items only through u, so the cost of a comparison
does not depend on the dimension: ``slope`` collects dL/du of the pairs, and one pass over the pairs
converts it to the gradient of the items.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

# Signatures, so that all is compiled, or read from the cache, on import: the number of triplets
# decides which of the loops are needed, and no timed call may include their compilation.
_COMPARED = types.Array(types.uint32, 1, "C", readonly=True)
_WRITTEN = types.uint32[::1]
_PAIRS = types.float64[::1]
_ITEMS = types.float64[:, ::1]
_CODES = types.int64[::1]
_RANKS = types.Array(types.int64, 2, "C", readonly=True)

WIDEST = 600.0
"""Scores within this range have exponentials with finite quotients."""
SURE = 40.0  # exp(-SURE) is less than the rounding error of 1
LARGE = 1e40  # factors are multiplied up to this before their logarithm is taken


@njit((_COMPARED, _COMPARED, _PAIRS, _PAIRS), cache=True)
def logistic_loss(
    closer: Any, farther: Any, u: NDArray[np.float64], slope: NDArray[np.float64]
) -> float:
    """Sum over the comparisons of log(1 + exp(u_farther - u_closer)), and its slopes.

    The negative log-likelihood of answers with probability e^u_closer / (e^u_closer + e^u_farther):
    that of van der Maaten & Weinberger 2012 if u is the logarithm of the kernel, the logistic loss
    of Jain, Jamieson & Nowak 2016 if u is minus the squared distance.

    Parameters
    ----------
    closer, farther : (m,) uint32
        Pairs of items.
    u : (M,)
        Score of each pair.
    slope : (M,), written
        dL/du. O(m + M) time, 8 M bytes.
    """
    slope[:] = 0.0
    low = np.inf
    high = -np.inf
    for score in u:
        low = min(low, score)
        high = max(high, score)
    loss = 0.0
    product = 1.0
    if high - low > WIDEST:
        block = np.floor((u - low) / WIDEST)  # in one block, quotients of powers are finite
        power = np.exp(u - low - WIDEST * (block + 0.5))
        for at in range(closer.size):
            a = closer[at]
            b = farther[at]
            gap = u[b] - u[a]
            if gap < -SURE:
                continue
            wrong = 1.0
            if gap > SURE:
                loss += gap
            else:
                odds = power[b] / power[a] if block[a] == block[b] else np.exp(gap)
                wrong = odds / (1.0 + odds)
                product *= 1.0 + odds
                if product > LARGE:
                    loss += np.log(product)
                    product = 1.0
            slope[a] -= wrong
            slope[b] += wrong
        return loss + float(np.log(product))
    power = np.exp(u - 0.5 * (low + high))
    for at in range(closer.size):
        a = closer[at]
        b = farther[at]
        total = power[a] + power[b]
        inverse = 1.0 / (total * power[a])  # one division for both quotients
        wrong = power[a] * power[b] * inverse
        product *= total * total * inverse
        if product > LARGE:
            loss += np.log(product)
            product = 1.0
        slope[a] -= wrong
        slope[b] += wrong
    return loss + float(np.log(product))


@njit((_COMPARED, _COMPARED, _PAIRS, _PAIRS), cache=True)
def hinge_loss(
    closer: Any, farther: Any, u: NDArray[np.float64], slope: NDArray[np.float64]
) -> float:
    """Sum over the comparisons of max(0, 1 + u_farther - u_closer), and a subgradient.

    As `logistic_loss`.
    """
    slope[:] = 0.0
    loss = 0.0
    for at in range(closer.size):
        a = closer[at]
        b = farther[at]
        short = 1.0 + u[b] - u[a]
        if short > 0.0:
            loss += short
            slope[a] -= 1.0
            slope[b] += 1.0
    return loss


@njit((_ITEMS, _PAIRS), cache=True)
def squared_distances(X: NDArray[np.float64], D: NDArray[np.float64]) -> None:
    """D_ij = |x_i - x_j|^2 (M,) of the rows of X (n, d), written. O(n^2 d)."""
    n, d = X.shape
    pair = 0
    for i in range(n):
        for j in range(i + 1, n):
            total = 0.0
            for axis in range(d):
                total += (X[i, axis] - X[j, axis]) ** 2
            D[pair] = total
            pair += 1


@njit((_ITEMS, _PAIRS, _ITEMS), cache=True)
def gradient_of_items(
    X: NDArray[np.float64], weight: NDArray[np.float64], G: NDArray[np.float64]
) -> None:
    """dL/dx_i = sum over j of 2 dL/dD_ij (x_i - x_j). O(n^2 d).

    Parameters
    ----------
    X : (n, d)
    weight : (M,)
        dL/dD of the pairs.
    G : (n, d), written
        dL/dX.
    """
    n, d = X.shape
    G[:] = 0.0
    pair = 0
    for i in range(n):
        for j in range(i + 1, n):
            for axis in range(d):
                pull = 2.0 * weight[pair] * (X[i, axis] - X[j, axis])
                G[i, axis] += pull
                G[j, axis] -= pull
            pair += 1


@njit((_PAIRS, _ITEMS), cache=True)
def gradient_of_gram(weight: NDArray[np.float64], G: NDArray[np.float64]) -> None:
    """dL/dM of the Gram matrix M, by D_ij = M_ii - 2 M_ij + M_jj. O(n^2).

    The Laplacian of ``weight`` (M,), dL/dD; G (n, n) is written. Its rows sum to 0, so a step does
    not move the centre of the items.
    """
    n = len(G)
    G[:] = 0.0
    pair = 0
    for i in range(n):
        for j in range(i + 1, n):
            G[i, i] += weight[pair]
            G[j, j] += weight[pair]
            G[i, j] = G[j, i] = -weight[pair]
            pair += 1


@register_jitable
def pair_of(i: Any, j: Any, n: Any) -> Any:
    """Condensed number of a pair of items."""
    low, high = (i, j) if i < j else (j, i)
    return low * n - low * (low + 1) // 2 + high - low - 1


@register_jitable
def answer_triplet(i: Any, j: Any, k: Any, rank: Any, at: Any, closer: Any, farther: Any) -> Any:
    """Write the comparison of w_ij and w_ik by ranks (n, n) at a position; return the next one."""
    if rank[i, j] == rank[i, k]:
        return at
    if rank[i, j] < rank[i, k]:
        j, k = k, j
    closer[at] = pair_of(i, j, len(rank))
    farther[at] = pair_of(i, k, len(rank))
    return at + 1


@njit((_RANKS, _WRITTEN, _WRITTEN), cache=True)
def answer_all_triplets(rank: Any, closer: NDArray[np.uint32], farther: NDArray[np.uint32]) -> int:
    """Write all triplets i, j < k that ranks (n, n) do not tie; return their number. O(n^3)."""
    n = len(rank)
    count = 0
    for i in range(n):
        for j in range(n):
            for k in range(j + 1, n):
                if i not in (j, k):
                    count = answer_triplet(i, j, k, rank, count, closer, farther)
    return count


@njit((_RANKS, _CODES, _WRITTEN, _WRITTEN), cache=True)
def answer_triplets(
    rank: Any, codes: NDArray[np.int64], closer: NDArray[np.uint32], farther: NDArray[np.uint32]
) -> int:
    """As `answer_all_triplets`, for ordered triplets numbered below n (n-1) (n-2). O(m)."""
    n = len(rank)
    count = 0
    for code in codes:
        i, rest = divmod(code, (n - 1) * (n - 2))
        j, k = divmod(rest, n - 2)
        if j >= i:
            j += 1
        if k >= min(i, j):
            k += 1
        if k >= max(i, j):
            k += 1
        count = answer_triplet(i, j, k, rank, count, closer, farther)
    return count
