"""Compiled loops of 4K-AL's passive kernel (Ghoshdastidar, Perrot & von Luxburg 2019).

They trust their input. Pairs of items are numbered 0..M-1 in condensed order and S is the
antisymmetric matrix of comparisons over pairs, as in `_kernels`. For a pair c let A_c be the
symmetric (n, n) matrix of how the pairs of items stand to c, A_c[i, r] = S[ir, c], 0 on the
diagonal. Equation 3 is then

    K = sum over c of A_c A_c,    off the diagonal,

in which r = i and r = j drop out by themselves: one pass over the columns of S, of which a column
holds as many entries as there are comparisons with its pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

_PAIRS, _POSITIONS, _ENDS = types.uint32[::1], types.int64[::1], types.int32[::1]
_BITS = types.Array(types.uint64, 2, "C", readonly=True)
_WHOLE, _RANKS = types.int64[:, ::1], types.int32[:, ::1]


@njit((_POSITIONS, _POSITIONS, _PAIRS, _ENDS, _ENDS, types.int64), cache=True)
def kernel_by_products(
    start: Any, middle: Any, other: Any, i: Any, j: Any, n: int
) -> NDArray[np.int64]:
    """K of equation 3, one product of two comparisons after the other.

    O(m + number of pairs of comparisons that share a column of S and an item) time: where a
    column holds z comparisons of random pairs, 2 z^2 / n. Memory 8 n^2 bytes.

    Parameters
    ----------
    start, middle, other
        The columns of S, of `_kernels.index_pairs`.
    i, j : (M,) int32
        Items of each pair.

    Returns
    -------
    (n, n) int64, symmetric
        Its diagonal means nothing.
    """
    longest = 0
    for c in range(start.size - 1):
        longest = max(longest, start[c + 1] - start[c])
    head = np.full(n, -1, np.int64)  # of each item r: the last comparison of a pair (i, r) so far
    before = np.empty(2 * longest, np.int64)  # the one before it
    tip = np.empty(2 * longest, np.int32)  # its i
    sign = np.empty(2 * longest, np.int8)  # S[ir, c]
    K = np.zeros((n, n), np.int64)
    for c in range(start.size - 1):
        filled = 0
        for at in range(start[c], start[c + 1]):
            answer = np.int8(1) if at < middle[c] else np.int8(-1)
            one, two = i[other[at]], j[other[at]]
            for _ in range(2):
                entry = head[two]
                while entry >= 0:
                    K[one, tip[entry]] += answer * sign[entry]
                    entry = before[entry]
                before[filled], tip[filled], sign[filled] = head[two], one, answer
                head[two] = filled
                filled += 1
                one, two = two, one
        for at in range(start[c], start[c + 1]):
            head[i[other[at]]] = head[j[other[at]]] = -1
    for one in range(n):
        for two in range(one):
            K[one, two] += K[two, one]
            K[two, one] = K[one, two]
    return K


@intrinsic
def _count_ones(_context: Any, word: Any) -> Any:
    """The bits of a uint64 that are 1: an instruction, of vectors where the processor has it."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


count_ones: Any = _count_ones


@njit(cache=True)
def add_products(present: Any, minus: Any, i: int, j: int, size: int, K: NDArray[np.int64]) -> None:
    """Add to K the products of rows i, i + 1 of bits with rows j, j + 1, of ``size`` words.

    Four at a time, as each row is then read half as often.
    """
    x0, x1, y0, y1 = present[i], present[i + 1], present[j], present[j + 1]
    s0, s1, t0, t1 = minus[i], minus[i + 1], minus[j], minus[j + 1]
    both00 = both01 = both10 = both11 = np.uint64(0)
    apart00 = apart01 = apart10 = apart11 = np.uint64(0)
    for w in range(size):
        both = x0[w] & y0[w]
        both00 += count_ones(both)
        apart00 += count_ones(both & (s0[w] ^ t0[w]))
        both = x0[w] & y1[w]
        both01 += count_ones(both)
        apart01 += count_ones(both & (s0[w] ^ t1[w]))
        both = x1[w] & y0[w]
        both10 += count_ones(both)
        apart10 += count_ones(both & (s1[w] ^ t0[w]))
        both = x1[w] & y1[w]
        both11 += count_ones(both)
        apart11 += count_ones(both & (s1[w] ^ t1[w]))
    K[i, j] += np.int64(both00) - 2 * np.int64(apart00)
    K[i, j + 1] += np.int64(both01) - 2 * np.int64(apart01)
    K[i + 1, j] += np.int64(both10) - 2 * np.int64(apart10)
    K[i + 1, j + 1] += np.int64(both11) - 2 * np.int64(apart11)


@njit((_BITS, _BITS, types.int64, types.int64), cache=True)
def kernel_by_bits(won: Any, lost: Any, n: int, at_once: int) -> NDArray[np.int64]:
    """K as `kernel_by_products` makes it, of comparisons as bits.

    With x and y the places where the rows ir and jr of S are not 0, and s and t those where they
    are -1, their product is |x and y| - 2 |x and y and (s xor t)|: 64 comparisons at a time.
    n^5 / 256 words are multiplied, however many comparisons there are.

    Parameters
    ----------
    won, lost : (64 w, w) uint64
        See `hcbench.comparisons.bits.PreferenceBits`.
    n, at_once : int
        Items, and words of a row that are multiplied at a time: 16 n bytes each.
    """
    even = n + n % 2
    width = won.shape[1]
    at_once = min(at_once, width)
    x, s = np.zeros((even, at_once), np.uint64), np.zeros((even, at_once), np.uint64)
    K = np.zeros((even, even), np.int64)
    for first in range(0, width, at_once):
        size = min(at_once, width - first)
        for r in range(n):
            x[r], s[r] = 0, 0
            for i in range(n):
                if i != r:
                    low, high = (i, r) if i < r else (r, i)
                    pair = low * (2 * n - low - 1) // 2 + high - low - 1
                    for w in range(size):
                        s[i, w] = lost[pair, first + w]
                        x[i, w] = won[pair, first + w] | lost[pair, first + w]
            for i in range(0, even, 2):
                for j in range(0, i + 1, 2):
                    add_products(x, s, i, j, size, K)
    for i in range(n):
        for j in range(i):
            K[j, i] = K[i, j]
    return K[:n, :n].copy()


@njit((_RANKS, _RANKS, types.int64), cache=True)
def kernel_of_ranks(level: NDArray[np.int32], tied: NDArray[np.int32], M: int) -> NDArray[np.int64]:
    """K of equation 3 where all comparisons are there. O(n^3) time, 8 n^2 bytes.

    Let ``level`` (n, n) be the number of pairs of lower similarity plus that of lower or equal
    similarity, and ``tied`` (n, n) the number of equal similarity. Of the M references, those
    between w_ir and w_jr count -1, those equal to one of them 0, the others 1:

        sum over r != i, j of  M - |level_ir - level_jr|   if w_ir != w_jr,   else M - tied_ir.

    Without ties that is M - 2 |rank_ir - rank_jr|.
    """
    n = len(level)
    K = np.zeros((n, n), np.int64)
    for one in range(n):
        for two in range(one + 1, n):
            lost = 0
            for r in range(n):
                apart = abs(level[one, r] - level[two, r])
                if apart == 0:
                    apart = tied[one, r]
                lost += apart
            for r in (one, two):
                apart = abs(level[one, r] - level[two, r])
                lost -= apart if apart else tied[one, r]
            K[one, two] = K[two, one] = (n - 2) * M - lost
    return K
