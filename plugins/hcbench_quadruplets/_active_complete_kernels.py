"""Compiled loops of complete linkage by comparisons; see `_active_kernels` for conventions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_quadruplets._active_kernels import node_of_right_part

_ITEMS, _MERGES = types.int64[::1], types.int64[:, ::1]


@njit("UniTuple(int64, 2)(int64)", cache=True)
def items_of_pair(pair: int) -> Any:
    """Items i > c of the pair numbered i(i-1)/2 + c. O(1); exact below 2^50."""
    i = np.int64((1.0 + np.sqrt(1.0 + 8.0 * pair)) / 2.0)
    if i * (i - 1) // 2 > pair:
        i -= 1
    return i, pair - i * (i - 1) // 2


@njit(types.void(_ITEMS, _ITEMS, _MERGES), cache=True)
def complete_linkage_of_order(
    i: NDArray[np.int64], j: NDArray[np.int64], merges: NDArray[np.int64]
) -> None:
    """Complete linkage from all pairs i, j (M,), sorted with the most similar ones first.

    Two clusters merge when the last of their pairs of items is reached. O(n^2) time, 4 n^2 bytes.
    ``merges`` (n-1, 2) are written, p < q, where p becomes the union.
    """
    n = len(merges) + 1
    cluster, size = np.arange(n), np.ones(n, np.int64)
    reached = np.zeros((n, n), np.int32)  # pairs of items of two clusters reached so far
    step = 0
    for at in range(i.size):
        a, b = cluster[i[at]], cluster[j[at]]
        p, q = min(a, b), max(a, b)
        reached[p, q] += 1
        if reached[p, q] < size[p] * size[q]:
            continue
        merges[step, 0], merges[step, 1] = p, q
        step += 1
        size[p] += size[q]
        size[q] = 0
        for r in range(n):
            if cluster[r] == q:
                cluster[r] = p
            if size[r] > 0 and r != p:
                reached[min(p, r), max(p, r)] += reached[min(q, r), max(q, r)]


@njit(types.void(ASK, STATE, _MERGES), cache=True)
def complete_linkage(ask: Any, state: Any, merges: NDArray[np.int64]) -> None:
    """Complete linkage with few queries, by tournaments.

    The similarity of two clusters is that of their least similar items, so it never increases. Row
    i is a tournament of the pairs of clusters (i, c), c < i; a tournament of the rows gives the
    merge. A pair that lost remains beaten after it changes, so only games of winners are replayed,
    and only if their row may hold the next merge. To merge p < q into p, the candidates for the
    least similar items of (p, c) and (q, c) are joined in one list, which is searched when (p, c)
    plays next; if one c had won a part of row p and the same part of row q, it still wins it.

    n(n-1)/2 - 1 queries until the first merge, typically O(n^2) in total, O(n^2 log n) in the worst
    case, and the same time; 12 bytes for each of the n(n-1)/2 pairs.

    Parameters
    ----------
    merges : (n-1, 2) int64, written
        p < q of each merge, where p becomes the union; in descending order of similarity.
    """
    n = len(merges) + 1
    n_pairs = n * (n - 1) // 2
    # Pair (i, c) is at i(i-1)/2 + c, and so is inner node c of the tournament of row i.
    least = np.arange(n_pairs).astype(np.int32)  # first candidate of each two clusters
    after = least.copy()  # next candidate, in a circular list
    winner = np.full(n_pairs, -1 - n, np.int32)  # c; or -1 - c if it must be replayed: c won last
    alive = np.ones(n, np.bool_)
    best = np.zeros(n, np.int64)  # column that won each row
    bound = np.zeros(n, np.int64)  # least similar items when it won, or -1: the row is empty
    bound[0] = -1
    stale = np.ones(n, np.bool_)  # whether that column has since lost items or similarity
    top = np.zeros(n, np.int64)  # tournament of the rows
    changed = np.full(n, -1, np.int64)  # merge at which the least similar items of a column changed
    todo = np.empty(n, np.int64)

    def closer(a: int, b: int) -> bool:
        i, j = items_of_pair(a)
        k, l = items_of_pair(b)  # noqa: E741
        return bool(ask(state, i, j, k, l) > 0)

    def find_least_similar(at: int) -> bool:
        """Find the least similar items of a pair of clusters; return whether they changed."""
        first = least[at]
        found, other = first, after[first]
        while other != first:
            if closer(found, other):
                found = other
            other = after[other]
        after[found] = found
        least[at] = found
        return bool(found != first)

    def lose(row: int, c: int) -> None:
        """Mark every game won by column c for replay."""
        start, h = row * (row - 1) // 2, 1
        while h < row:
            m = (c & ~(2 * h - 1)) + h
            if m < row:
                if winner[start + m] != c:
                    break
                winner[start + m] = -1 - c
            h *= 2

    def play_rows(m: int) -> int:
        h = m & -m
        a = m - 1 if h == 1 else top[m - h // 2]
        right = node_of_right_part(m, n)
        b = m if right == 0 else top[right]
        if bound[b] < 0:
            return a
        if bound[a] < 0:
            return b
        return b if closer(bound[b], bound[a]) else a

    def replay_rows(row: int) -> None:
        h = 1
        while h < n:
            m = (row & ~(2 * h - 1)) + h
            if m < n:
                if top[m] != row:
                    break
                top[m] = play_rows(m)
            h *= 2

    def join(at: int, other: int) -> None:
        """Append the candidates of another pair of clusters."""
        a, b = least[at], least[other]
        after[a], after[b] = after[b], after[a]

    played = 0  # rows, repeatedly
    merged = -1  # before the tournament of the rows begins
    row = root_of_rows = 1
    while merged < n - 1:
        # Find the winner of a row: the games to replay, from the root down, then from below.
        start = row * (row - 1) // 2
        count = 0
        root = 1
        while 2 * root < row:
            root *= 2
        if row > 1 and winner[start + root] < 0:
            todo[0], count = root, 1
        at = 0
        while at < count:
            m = todo[at]
            h = m & -m
            right = node_of_right_part(m, row)
            if h > 1 and winner[start + m - h // 2] < 0:
                todo[count] = m - h // 2
                count += 1
            if right > 0 and winner[start + right] < 0:
                todo[count] = right
                count += 1
            at += 1
        for at in range(count - 1, -1, -1):
            m = todo[at]
            h = m & -m
            a = m - 1 if h == 1 else winner[start + m - h // 2]
            right = node_of_right_part(m, row)
            b = m if right == 0 else winner[start + right]
            last = -1 - winner[start + m]
            if alive[a] and alive[b]:
                for c in (a, b):
                    if find_least_similar(start + c):
                        changed[c] = played
                if (last != a and last != b) or changed[last] == played:
                    last = b if closer(least[start + b], least[start + a]) else a
                winner[start + m] = last
            else:
                winner[start + m] = b if alive[b] else a
        c = 0 if row == 1 else winner[start + root]
        best[row] = c
        stale[row] = False
        before = bound[row]
        bound[row] = -1
        if alive[c]:
            find_least_similar(start + c)
            bound[row] = least[start + c]
        played += 1

        # Find the winner of the rows.
        if merged < 0:
            row += 1
            if row < n:
                continue
            h = 1
            while h < n:
                for m in range(h, n, 2 * h):
                    top[m] = play_rows(m)
                root_of_rows = h
                h *= 2
            merged = 0
        elif bound[row] != before:
            replay_rows(row)
        row = top[root_of_rows]
        while not stale[row]:
            p, q = best[row], row
            merges[merged, 0], merges[merged, 1] = p, q
            merged += 1
            if merged == n - 1:
                break

            # Merge q into p: rows before p, between the two, after q.
            alive[q] = False
            bound[q] = -1
            replay_rows(q)
            of_p, of_q = p * (p - 1) // 2, q * (q - 1) // 2
            for r in range(p):
                if alive[r]:
                    join(of_p + r, of_q + r)
            for m in range(1, p):
                if winner[of_p + m] >= 0 and winner[of_p + m] != winner[of_q + m]:
                    winner[of_p + m] = -1 - winner[of_p + m]
            stale[p] = bound[p] >= 0
            for r in range(p + 1, n):
                if not alive[r]:
                    continue
                of_r = r * (r - 1) // 2
                join(of_r + p, of_r + q if r > q else of_q + r)
                lose(r, p)
                if r > q:
                    lose(r, q)
                stale[r] = stale[r] or best[r] == p or (r > q and best[r] == q)
            row = top[root_of_rows]
