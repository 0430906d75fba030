"""Compiled counts of quartets. They do not check their input.

A node of an unrooted tree has *directions*: its children, and its parent. Direction i of one node
and i' of a node of another tree share ``I[i, i']`` leaves. A quartet ab|cd is claimed at a node by
the direction of a and b, if c and d lie in two others: twice in each tree, once from each side
(after Christiansen, Mailund, Pedersen, Randers & Stissing 2006).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_metrics._tree_kernels import TreeArrays

Ints: TypeAlias = NDArray[np.int64]


class Sums(NamedTuple):
    """Sums of a matrix of shared leaves, (k, l)."""

    row: Ints
    """Sum of each row, (k,)."""
    row_squares: Ints
    """Sum of the squares of each row, (k,)."""
    column: Ints
    """Sum of each column, (l,)."""
    column_squares: Ints
    """Sum of the squares of each column, (l,)."""


@njit(cache=True)
def count_resolved(tree: TreeArrays) -> int:
    """Quartets that an unrooted tree resolves. O(m)."""
    n = tree.order.size
    claims = 0
    for v in range(n, tree.parent.size):
        up = n - tree.end[v] + tree.start[v]
        squares = up * up
        children = tree.child_ids[tree.child_offsets[v] : tree.child_offsets[v + 1]]
        for child in children:
            size = tree.end[child] - tree.start[child]
            squares += size * size
        for child in children:
            claims += _claims(tree.end[child] - tree.start[child], n, squares)
        claims += _claims(up, n, squares)
    return claims // 2


@register_jitable
def _claims(size: int, n: int, squares: int) -> int:
    """Two leaves in a direction of this size, times two others in two other directions."""
    rest = n - size
    return size * (size - 1) // 2 * ((rest * rest - squares + size * size) // 2)


@njit(cache=True)
def count_shared(tree: TreeArrays, second: TreeArrays, with_different: bool) -> tuple[int, int]:
    """Quartets that two trees resolve alike, and those that they resolve differently.

    O(n^2) time and O(d n) memory, where d is the largest degree of the first tree, ``tree``; with
    those resolved differently, O(n times the sum of the squared degrees of the first tree) time.
    Exact for up to 50,000 leaves.
    """
    n = tree.order.size
    alike = 0
    different = 0
    for u in range(n, tree.parent.size):
        below = _leaves_below(tree, u, second)
        for v in range(n, second.parent.size):
            shared = _shared_leaves(below, second, v)
            sums = _sums(shared)
            alike += _claimed_alike(shared, sums, n)
            if with_different:
                different += _claimed_differently(shared, sums, n)
    return alike // 2, different // 4


@register_jitable
def _leaves_below(tree: TreeArrays, u: int, second: TreeArrays) -> Ints:
    """Leaves (d+1, m) of each direction of node u, below each node of the second tree.

    Row d is of the direction of u's parent.
    """
    n = tree.order.size
    m = second.parent.size
    children = tree.child_ids[tree.child_offsets[u] : tree.child_offsets[u + 1]]
    d = children.size
    below = np.zeros((d + 1, m), np.int64)
    below[d, :n] = 1
    for i in range(d):
        child = children[i]
        for position in range(tree.start[child], tree.end[child]):
            below[i, tree.order[position]] = 1
            below[d, tree.order[position]] = 0
    for i in range(d + 1):
        for v in range(m - 1):
            below[i, second.parent[v]] += below[i, v]
    return below


@register_jitable
def _shared_leaves(below: Ints, second: TreeArrays, v: int) -> Ints:
    """Leaves (d+1, d'+1) that each direction shares with those of node v of the second tree."""
    n_directions, m = below.shape
    children = second.child_ids[second.child_offsets[v] : second.child_offsets[v + 1]]
    second_d = children.size
    shared = np.empty((n_directions, second_d + 1), np.int64)
    for i in range(n_directions):
        for j in range(second_d):
            shared[i, j] = below[i, children[j]]
        # The direction of v's parent has all that are not below v.
        shared[i, second_d] = below[i, m - 1] - below[i, v]
    return shared


@register_jitable
def _sums(shared: Ints) -> Sums:
    """Sums and sums of squares of the rows (k,) and of the columns (l,)."""
    n_rows, n_columns = shared.shape
    row = np.zeros(n_rows, np.int64)
    row_squares = np.zeros(n_rows, np.int64)
    column = np.zeros(n_columns, np.int64)
    column_squares = np.zeros(n_columns, np.int64)
    for i in range(n_rows):
        for j in range(n_columns):
            cell = shared[i, j]
            row[i] += cell
            row_squares[i] += cell * cell
            column[j] += cell
            column_squares[j] += cell * cell
    return Sums(row, row_squares, column, column_squares)


@register_jitable
def _claimed_alike(shared: Ints, sums: Sums, n: int) -> int:
    """Quartets ab|cd claimed by direction i of one node and j of the other, over all i and j.

    c and d lie in two other rows and columns: of all ordered pairs of leaves outside row i and
    column j, those in one row or one column are subtracted, and those in one cell added again.
    """
    row = sums.row
    row_squares = sums.row_squares
    column = sums.column
    column_squares = sums.column_squares
    squares = 0  # of all cells
    in_columns = np.zeros(row.size, np.int64)  # squared sums of the columns without row i
    in_rows = np.zeros(column.size, np.int64)  # squared sums of the rows without column j
    for i in range(row.size):
        squares += row_squares[i]
        for j in range(column.size):
            in_columns[i] += (column[j] - shared[i, j]) * (column[j] - shared[i, j])
            in_rows[j] += (row[i] - shared[i, j]) * (row[i] - shared[i, j])
    total = 0
    for i in range(row.size):
        for j in range(column.size):
            cell = shared[i, j]
            if cell < 2:
                continue
            in_row = row[i] - cell
            in_column = column[j] - cell
            outside = n - row[i] - column[j] + cell
            # Ordered pairs of c and d.
            pairs = outside * outside
            pairs -= in_rows[j] - in_row * in_row
            pairs -= in_columns[i] - in_column * in_column
            pairs += squares - row_squares[i] - column_squares[j] + cell * cell
            total += cell * (cell - 1) // 2 * (pairs // 2)
    return total


@register_jitable
def _claimed_differently(shared: Ints, sums: Sums, n: int) -> int:
    """Quartets ab|cd of one node and ac|bd of the other: a in (i, j), b in (i, q), c in (k, j).

    d lies outside rows i and k and columns j and q: the number of its places is a sum of terms in
    i, k, j and q, of which only ``shared[k, q]`` depends on both k and q.
    """
    row = sums.row
    column = sums.column
    products = np.zeros((row.size, row.size), np.int64)  # of rows
    for i in range(row.size):
        for k in range(row.size):
            for j in range(column.size):
                products[i, k] += shared[i, j] * shared[k, j]
    total = 0
    for i in range(row.size):
        for j in range(column.size):
            cell = shared[i, j]
            b = row[i] - cell  # candidates for b
            c = column[j] - cell  # and for c
            if cell == 0 or b == 0 or c == 0:
                continue
            squares_of_b = sums.row_squares[i] - cell * cell
            squares_of_c = sums.column_squares[j] - cell * cell
            outside = n - row[i] - column[j] + cell
            places = outside * b * c + c * squares_of_b + b * squares_of_c
            for q in range(column.size):
                if q != j:
                    places -= c * column[q] * shared[i, q]
            for k in range(row.size):
                if k != i:
                    places += shared[k, j] * (products[i, k] - cell * shared[k, j] - b * row[k])
            total += cell * places
    return total
