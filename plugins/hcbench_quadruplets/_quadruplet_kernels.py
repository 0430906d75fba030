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
from numpy.typing import NDArray

_PAIRS, _POSITIONS, _ENDS = types.uint32[::1], types.int64[::1], types.int32[::1]
_WHOLE, _RANKS = types.int64[:, ::1], types.int32[:, ::1]

LANES = 64  # columns of A that are added up together: whole vectors of any processor


@njit((_POSITIONS, _POSITIONS, _PAIRS, _ENDS, _ENDS, types.int64), cache=True)
def products_in_columns(
    columns: NDArray[np.int64], start: Any, other: Any, i: Any, j: Any, n: int
) -> int:
    """How many products `kernel_by_products` makes for some columns. O(their comparisons)."""
    degree = np.zeros(n, np.int64)
    products = 0
    for c in columns:
        for a in other[start[c] : start[c + 1]]:
            products += degree[i[a]] + degree[j[a]]
            degree[i[a]] += 1
            degree[j[a]] += 1
        for a in other[start[c] : start[c + 1]]:
            degree[i[a]] = degree[j[a]] = 0
    return products


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


@njit(cache=True)
def add_row(total: NDArray[Any], row: NDArray[Any]) -> None:
    """Add a row, in vectors of the processor: its length is a multiple of `LANES`."""
    for column in range(total.size):
        total[column] += row[column]


@njit(cache=True)
def add_rows(total: NDArray[np.int8], A: NDArray[np.int8], rows: Any, low: int) -> None:
    """Add rows of A, from column ``low`` on, four at a time: their number is a multiple of 4."""
    for at in range(0, rows.size, 4):
        a, b = A[rows[at], low:], A[rows[at + 1], low:]
        c, d = A[rows[at + 2], low:], A[rows[at + 3], low:]
        for column in range(total.size):
            total[column] += (a[column] + b[column]) + (c[column] + d[column])


@njit(cache=True)
def subtract_rows(total: NDArray[np.int8], A: NDArray[np.int8], rows: Any, low: int) -> None:
    """Subtract rows of A as `add_rows` adds them."""
    for at in range(0, rows.size, 4):
        a, b = A[rows[at], low:], A[rows[at + 1], low:]
        c, d = A[rows[at + 2], low:], A[rows[at + 3], low:]
        for column in range(total.size):
            total[column] -= (a[column] + b[column]) + (c[column] + d[column])


@njit(cache=True)
def list_partners(
    pairs: Any, i: Any, j: Any, no_item: int, first: NDArray[np.int64], partner: NDArray[np.int32]
) -> None:
    """List for every item the items that it is paired with in some ``pairs``.

    ``partner[first[i] : first[i + 1]]`` are those of item i, filled up with ``no_item`` to a
    multiple of 4. O(pairs + n).
    """
    first[:] = 0
    for a in pairs:
        first[i[a]] += 1
        first[j[a]] += 1
    end = 0
    for item in range(first.size - 1):
        end += -(-first[item] // 4) * 4
        first[item] = end
    first[first.size - 1] = end
    for a in pairs:
        one, two = i[a], j[a]
        first[one] -= 1
        partner[first[one]] = two
        first[two] -= 1
        partner[first[two]] = one
    for item in range(first.size - 1):
        while first[item] % 4:
            first[item] -= 1
            partner[first[item]] = no_item


@njit((_POSITIONS, _POSITIONS, _PAIRS, _ENDS, _ENDS, types.int64), cache=True)
def kernel_by_rows(
    start: Any, middle: Any, other: Any, i: Any, j: Any, n: int
) -> NDArray[np.int64]:
    """K as `kernel_by_products` makes it, by adding up whole rows of A_c.

    Row i of A_c A_c is the sum of the rows r of A_c, with the signs A_c[i, r]: n bytes to add for
    each end of each comparison. O(m n) time, whatever the comparisons are; the bytes are added
    32 or more at a time. Memory 12 n^2 bytes.
    """
    width = -(-n // LANES) * LANES
    A = np.zeros((n + 1, width), np.int8)  # the last row, of no item, stays 0
    K = np.zeros((n, width), np.int64)
    nearby = np.zeros((n, width), np.int16)  # what the last columns of S have added to K
    total = np.empty(width, np.int8)  # of at most 124 rows
    longest = 0
    for c in range(start.size - 1):
        longest = max(longest, start[c + 1] - start[c])
    more, less = np.empty(2 * longest + 4 * n, np.int32), np.empty(2 * longest + 4 * n, np.int32)
    first_more, first_less = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    columns = 0
    for c in range(start.size - 1):
        for at in range(start[c], start[c + 1]):
            one, two = i[other[at]], j[other[at]]
            answer = 1 if at < middle[c] else -1  # opposite answers cancel
            A[one, two] += answer
            A[two, one] += answer
        list_partners(other[start[c] : middle[c]], i, j, n, first_more, more)
        list_partners(other[middle[c] : start[c + 1]], i, j, n, first_less, less)
        for item in range(n):
            low = item // LANES * LANES  # K is symmetric: the columns before are known
            part = total[low:]
            plus = more[first_more[item] : first_more[item + 1]]
            minus = less[first_less[item] : first_less[item + 1]]
            for at in range(0, max(plus.size, minus.size), 60):
                part[:] = 0
                add_rows(part, A, plus[at : at + 60], low)
                subtract_rows(part, A, minus[at : at + 60], low)
                add_row(nearby[item, low:], part)
        for a in other[start[c] : start[c + 1]]:
            A[i[a], j[a]] = A[j[a], i[a]] = 0
        columns += 1
        if (columns + 1) * n > 32767 or c == start.size - 2:
            for item in range(n):
                add_row(K[item], nearby[item])
                nearby[item] = 0
            columns = 0
    for one in range(n):
        for two in range(one):
            K[one, two] = K[two, one]
    return K[:, :n].copy()


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
