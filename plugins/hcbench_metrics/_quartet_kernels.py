"""Compiled counts of quartets. They do not check their input.

A node of an unrooted tree has *directions*: its children, and its parent. Direction i of one node
and i' of a node of another tree share ``I[i, i']`` leaves. A quartet ab|cd is claimed at a node by
the direction of a and b, if c and d lie in two others: twice in each tree, once from each side
(after Christiansen, Mailund, Pedersen, Randers & Stissing 2006).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numba.extending import register_jitable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@njit(cache=True)
def count_resolved(offsets: Ints, children: Ints, sizes: Ints, n: int) -> int:
    """Quartets that an unrooted tree resolves. O(m).

    Parameters
    ----------
    offsets, children : int arrays
        ``children[offsets[v]:offsets[v + 1]]`` are those of node v; leaves are 0..n-1.
    sizes : (m,) int array
        Leaves below each node.
    """
    claims = 0
    for v in range(n, sizes.size):
        up = n - sizes[v]
        squares = up * up
        for k in range(offsets[v], offsets[v + 1]):
            squares += sizes[children[k]] * sizes[children[k]]
        for k in range(offsets[v], offsets[v + 1]):
            claims += _claims(sizes[children[k]], n, squares)
        claims += _claims(up, n, squares)
    return claims // 2


@register_jitable
def _claims(size: int, n: int, squares: int) -> int:
    """Two leaves in a direction of this size, times two others in two other directions."""
    rest = n - size
    return size * (size - 1) // 2 * ((rest * rest - squares + size * size) // 2)


@njit(cache=True)
def count_shared(
    offsets: Ints,
    children: Ints,
    start: Ints,
    end: Ints,
    order: Ints,
    other_parent: Ints,
    other_offsets: Ints,
    other_children: Ints,
    n: int,
    with_different: bool,
) -> tuple[int, int]:
    """Quartets that two trees resolve alike, and those that they resolve differently.

    O(n^2) time and O(d n) memory, where d is the largest degree of the first tree; with those
    resolved differently, O(n times the sum of the squared degrees of the first tree) time. The
    first tree has ``start``, ``end`` (m,) and ``order`` (n,): node v's leaves are
    ``order[start[v]:end[v]]``. Exact for up to 50,000 leaves.
    """
    m = other_parent.size
    alike, different = 0, 0
    for u in range(n, start.size):
        d = offsets[u + 1] - offsets[u]
        below = np.zeros((d + 1, m), np.int64)  # leaves of each direction below each other node
        below[d, :n] = 1
        for i in range(d):
            c = children[offsets[u] + i]
            for position in range(start[c], end[c]):
                below[i, order[position]] = 1
                below[d, order[position]] = 0
        for i in range(d + 1):
            for v in range(m - 1):
                below[i, other_parent[v]] += below[i, v]
        for v in range(n, m):
            first, last = other_offsets[v], other_offsets[v + 1]
            shared = np.empty((d + 1, last - first + 1), np.int64)
            for i in range(d + 1):
                for j in range(last - first):
                    shared[i, j] = below[i, other_children[first + j]]
                shared[i, last - first] = below[i, m - 1] - below[i, v]
            sums = _sums(shared)
            alike += _claimed_alike(shared, sums, n)
            if with_different:
                different += _claimed_differently(shared, sums, n)
    return alike // 2, different // 4


@register_jitable
def _sums(shared: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Sums and sums of squares of the rows (k,) and of the columns (l,)."""
    row, row_squares = np.zeros(shared.shape[0], np.int64), np.zeros(shared.shape[0], np.int64)
    column, column_squares = (
        np.zeros(shared.shape[1], np.int64),
        np.zeros(shared.shape[1], np.int64),
    )
    for i in range(row.size):
        for j in range(column.size):
            own = shared[i, j]
            row[i] += own
            row_squares[i] += own * own
            column[j] += own
            column_squares[j] += own * own
    return row, row_squares, column, column_squares


@register_jitable
def _claimed_alike(shared: Ints, sums: tuple[Ints, Ints, Ints, Ints], n: int) -> int:
    """Quartets ab|cd claimed by direction i of one node and j of the other, over all i and j.

    c and d lie in two other rows and columns: of all ordered pairs of leaves outside row i and
    column j, those in one row or one column are subtracted, and those in one cell added again.
    """
    row, row_squares, column, column_squares = sums
    cells = 0
    in_columns = np.zeros(row.size, np.int64)  # squared sums of the columns without row i
    in_rows = np.zeros(column.size, np.int64)
    for i in range(row.size):
        cells += row_squares[i]
        for j in range(column.size):
            in_columns[i] += (column[j] - shared[i, j]) * (column[j] - shared[i, j])
            in_rows[j] += (row[i] - shared[i, j]) * (row[i] - shared[i, j])
    total = 0
    for i in range(row.size):
        for j in range(column.size):
            own = shared[i, j]
            if own < 2:
                continue
            b, c, rest = row[i] - own, column[j] - own, n - row[i] - column[j] + own
            pairs = rest * rest - (in_rows[j] - b * b) - (in_columns[i] - c * c)
            pairs += cells - row_squares[i] - column_squares[j] + own * own
            total += own * (own - 1) // 2 * (pairs // 2)
    return total


@register_jitable
def _claimed_differently(shared: Ints, sums: tuple[Ints, Ints, Ints, Ints], n: int) -> int:
    """Quartets ab|cd of one node and ac|bd of the other: a in (i, j), b in (i, q), c in (k, j).

    d lies outside rows i and k and columns j and q: the number of its places is a sum of terms in
    i, k, j and q, of which only ``shared[k, q]`` depends on both k and q.
    """
    row, row_squares, column, column_squares = sums
    products = np.zeros((row.size, row.size), np.int64)  # of rows
    for i in range(row.size):
        for k in range(row.size):
            for j in range(column.size):
                products[i, k] += shared[i, j] * shared[k, j]
    total = 0
    for i in range(row.size):
        for j in range(column.size):
            own = shared[i, j]
            b, c = row[i] - own, column[j] - own  # candidates for b and for c
            if own == 0 or b == 0 or c == 0:
                continue
            squares_of_b, squares_of_c = row_squares[i] - own * own, column_squares[j] - own * own
            places = (n - row[i] - column[j] + own) * b * c + c * squares_of_b + b * squares_of_c
            for q in range(column.size):
                places -= c * column[q] * shared[i, q] * (q != j)
            for k in range(row.size):
                if k != i:
                    places += shared[k, j] * (products[i, k] - own * shared[k, j] - b * row[k])
            total += own * places
    return total
