"""Compiled loops of 4K-AL's passive kernel (Ghoshdastidar, Perrot & von Luxburg 2019).

They do not check their input. Pairs of items are numbered 0..M-1 in condensed order and S is the
antisymmetric matrix of comparisons over pairs, as in `_kernels`. For a pair c let A_c be the
symmetric (n, n) matrix of the comparisons of pairs of items with c, A_c[i, r] = S[ir, c], 0 on the
diagonal. Equation 3 is then

    K = sum over c of A_c A_c,    off the diagonal,

in which the terms r = i and r = j are 0: one pass over the columns of S, each of which has as many
entries as both are comparisons with its pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench_quadruplets._index_kernels import items_of
from hcbench_quadruplets._sign_kernels import product

_PAIRS = types.uint32[::1]
_POSITIONS = types.int64[::1]
_BITS = types.Array(types.uint64, 2, "C", readonly=True)
_RANKS = types.int32[:, ::1]

PANEL = 48  # rows of bits that stay in the cache during a pass over the others


@njit((_POSITIONS, _PAIRS, types.int64[:, ::1]), cache=True)
def kernel_by_products(end: Any, listed: Any, K: NDArray[np.int64]) -> None:
    """K of equation 3, one product of two comparisons at a time.

    O(m + number of pairs of comparisons that share a column of S and an item) time: in a column of
    z comparisons with random pairs, 2 z^2 / n.

    Parameters
    ----------
    end, listed
        The columns of S, of `_index_kernels.index_pairs`.
    K : (n, n), written
        Zeros; symmetric, but the diagonal is undefined.
    """
    n = len(K)
    longest = 0
    for c in range(0, end.size - 1, 2):
        longest = max(longest, end[c + 2] - end[c])
    head = np.full(n, -1, np.int64)  # for each item r: the last comparison of a pair (i, r) so far
    before = np.empty(2 * longest, np.int64)  # the previous one
    tip = np.empty(2 * longest, np.int32)  # its i
    sign = np.empty(2 * longest, np.int8)  # S[ir, c]
    for c in range(0, end.size - 1, 2):
        filled = 0
        for at in range(end[c], end[c + 2]):
            answer = np.int8(1) if at < end[c + 1] else np.int8(-1)
            one, two = items_of(listed[at])
            for _ in range(2):
                entry = head[two]
                while entry >= 0:
                    K[one, tip[entry]] += answer * sign[entry]
                    entry = before[entry]
                before[filled] = head[two]
                tip[filled] = one
                sign[filled] = answer
                head[two] = filled
                filled += 1
                # The pair in the other order.
                first = one
                one = two
                two = first
        # The next column begins with empty lists.
        for at in range(end[c], end[c + 2]):
            one, two = items_of(listed[at])
            head[one] = -1
            head[two] = -1
    for one in range(n):
        for two in range(one):
            K[one, two] += K[two, one]
            K[two, one] = K[one, two]


@njit((_BITS, _BITS, types.int64, types.int64), cache=True)
def kernel_by_bits(won: Any, lost: Any, n: int, at_once: int) -> NDArray[np.int64]:
    """K as in `kernel_by_products`, from comparisons as bits.

    With x and y the positions at which the rows ir and jr of S are not 0, and s and t those at
    which they are -1, their product is |x and y| - 2 |x and y and (s xor t)|: 64 comparisons at a
    time. n^5 / 256 words are multiplied, whatever the number of comparisons.

    Parameters
    ----------
    won, lost : (64 w, w) uint64
        See `hcbench.model.comparisons.bits.PreferenceBits`.
    n, at_once : int
        Number of items, and maximum words of a row that are multiplied at once: 16 n bytes each.
    """
    width = won.shape[1]
    x = np.empty((n, at_once), np.uint64)
    s = np.empty((n, at_once), np.uint64)
    K = np.zeros((n, n), np.int64)
    for first in range(0, width, at_once):
        size = min(at_once, width - first)
        for r in range(n):
            for i in range(n):
                if i == r:
                    # The terms r = i and r = j are 0.
                    x[i, :size] = 0
                    s[i, :size] = 0
                    continue
                low = min(i, r)
                high = max(i, r)
                pair = low * (2 * n - low - 1) // 2 + high - low - 1
                for w in range(size):
                    s[i, w] = lost[pair, first + w]
                    x[i, w] = won[pair, first + w] | lost[pair, first + w]
            # Rows of a panel stay in the cache while they are multiplied with all others.
            for panel in range(0, n, PANEL):
                for i in range(panel, n):
                    for j in range(panel, min(i + 1, panel + PANEL)):
                        K[i, j] += product(x[i, :size], s[i, :size], x[j, :size], s[j, :size])
    for i in range(n):
        for j in range(i):
            K[j, i] = K[i, j]
    return K


@njit((_RANKS, _RANKS, types.int64), cache=True)
def kernel_of_ranks(level: NDArray[np.int32], tied: NDArray[np.int32], M: int) -> NDArray[np.int64]:
    """K of equation 3 for all comparisons. O(n^3) time, 8 n^2 bytes.

    Let ``level`` (n, n) be the number of pairs of lower similarity plus that of lower or equal
    similarity, less M, and ``tied`` (n, n) the number of equal similarity. Of the M references,
    those between w_ir and w_jr contribute -1, those equal to one of them 0, the others 1:

        sum over r != i, j of  M - |level_ir - level_jr|   if w_ir != w_jr,   else M - tied_ir.

    Without ties that is M - 2 |rank_ir - rank_jr|.
    """
    n = len(level)
    K = np.zeros((n, n), np.int64)
    for one in range(n):
        for two in range(one + 1, n):
            lost = 0
            for r in range(n):
                differ = abs(level[one, r] - level[two, r])
                if differ == 0:
                    differ = tied[one, r]
                lost += differ
            # Less the terms r = i and r = j.
            for r in (one, two):
                differ = abs(level[one, r] - level[two, r])
                if differ == 0:
                    differ = tied[one, r]
                lost -= differ
            K[one, two] = (n - 2) * M - lost
            K[two, one] = K[one, two]
    return K
