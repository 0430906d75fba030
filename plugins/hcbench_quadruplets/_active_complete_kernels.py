"""Compiled loops of complete linkage by comparisons; see `_active_kernels` for conventions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_quadruplets._tournament_kernels import node_of_right_part

_MERGES = types.int64[:, ::1]


class Tournaments(NamedTuple):
    """State of `complete_linkage` for n items and M = n(n-1)/2 pairs of clusters.

    A cluster is named by its smallest item. Row i is a tournament of the pairs (i, c), c < i, which
    are called its columns. Pair (i, c) is at i(i-1)/2 + c, and so is inner node c of row i.
    """

    #: (M,) int32. The first candidate for the least similar items of each pair of clusters.
    least: Any
    #: (M,) int32. The candidate that follows each one, in circular lists.
    after: Any
    #: (M,) int32. The column that won each inner node; -1 - c if column c won it last, but the game
    #: must be replayed.
    winner: Any
    #: (n,) bool. Whether the cluster exists.
    alive: Any
    #: (n,) int64. The column that won each row.
    best: Any
    #: (n,) int64. The least similar items of that pair when it won; -1 if the row is empty.
    bound: Any
    #: (n,) bool. Whether the pair has lost items or similarity since then.
    stale: Any
    #: (n,) int64. The row that won each inner node of the tournament of the rows.
    top: Any
    #: (n,) int64. The last play of a row that changed the least similar items of each column.
    changed: Any
    #: (n,) int64. Work space: the games to replay.
    games: Any


@njit("UniTuple(int64, 2)(int64)", cache=True)
def items_of_pair(pair: int) -> Any:
    """Items i > c of the pair numbered i(i-1)/2 + c. O(1); exact below 2^50."""
    i = np.int64((1.0 + np.sqrt(1.0 + 8.0 * pair)) / 2.0)
    if i * (i - 1) // 2 > pair:
        i -= 1
    return i, pair - i * (i - 1) // 2


@register_jitable
def _new_tournaments(n: int) -> Tournaments:
    """Every item is a cluster, no game has been played. O(n^2)."""
    n_pairs = n * (n - 1) // 2
    least = np.arange(n_pairs).astype(np.int32)
    bound = np.zeros(n, np.int64)
    bound[0] = -1
    return Tournaments(
        least,
        least.copy(),
        np.full(n_pairs, -1 - n, np.int32),
        np.ones(n, np.bool_),
        np.zeros(n, np.int64),
        bound,
        np.ones(n, np.bool_),
        np.zeros(n, np.int64),
        np.full(n, -1, np.int64),
        np.empty(n, np.int64),
    )


@register_jitable
def _is_closer(ask: Any, state: Any, a: int, b: int) -> bool:
    """Query whether the items of pair a are more similar than those of pair b."""
    i, j = items_of_pair(a)
    k, l = items_of_pair(b)  # noqa: E741
    return bool(ask(state, i, j, k, l) > 0)


@register_jitable
def _find_least_similar(ask: Any, state: Any, least: Any, after: Any, pair: Any) -> bool:
    """Search the candidates of a pair of clusters, and keep one; return whether it is another."""
    first = least[pair]
    result = first
    candidate = after[first]
    while candidate != first:
        if _is_closer(ask, state, result, candidate):
            result = candidate
        candidate = after[candidate]
    after[result] = result
    least[pair] = result
    return bool(result != first)


@register_jitable
def _join_candidates(least: Any, after: Any, pair: int, absorbed: int) -> None:
    """Append the candidates of a pair of clusters to those of another. O(1)."""
    a = least[pair]
    b = least[absorbed]
    after[a], after[b] = after[b], after[a]


@register_jitable
def _collect_games(t: Tournaments, row: int, root: int) -> int:
    """Write the games of a row to replay, a node before those below it; return their number."""
    games = t.games
    winner = t.winner[row * (row - 1) // 2 :]
    count = 0
    if row > 1 and winner[root] < 0:
        games[0] = root
        count = 1
    done = 0
    while done < count:
        m = games[done]
        done += 1
        h = m & -m
        if h > 1 and winner[m - h // 2] < 0:
            games[count] = m - h // 2
            count += 1
        right = node_of_right_part(m, row)
        if right > 0 and winner[right] < 0:
            games[count] = right
            count += 1
    return count


@register_jitable
def _players(winner: Any, m: int, row: int) -> Any:
    """The columns that meet at inner node m of a row, whose nodes are ``winner``."""
    h = m & -m
    a = np.int64(m - 1)
    if h > 1:
        a = np.int64(winner[m - h // 2])
    right = node_of_right_part(m, row)
    b = np.int64(m)
    if right > 0:
        b = np.int64(winner[right])
    return a, b


@register_jitable
def _replay_games(ask: Any, state: Any, t: Tournaments, row: int, count: int, play: int) -> None:
    """Replay the games that `_collect_games` wrote, the last one first."""
    # Local names, as reading a field in the loop would count its references each time.
    alive = t.alive
    least = t.least
    after = t.after
    changed = t.changed
    games = t.games
    start = row * (row - 1) // 2
    winner = t.winner[start : start + row]
    for game in range(count - 1, -1, -1):
        m = games[game]
        a, b = _players(winner, m, row)
        if not alive[a]:
            winner[m] = b
            continue
        if not alive[b]:
            winner[m] = a
            continue
        if _find_least_similar(ask, state, least, after, start + a):
            changed[a] = play
        if _find_least_similar(ask, state, least, after, start + b):
            changed[b] = play
        last = np.int64(-1 - winner[m])
        # The column that won before still wins, unless it is elsewhere or is less similar now.
        if (last != a and last != b) or changed[last] == play:
            last = a
            if _is_closer(ask, state, least[start + b], least[start + a]):
                last = b
        winner[m] = last


@register_jitable
def _play_row(ask: Any, state: Any, t: Tournaments, row: int, play: int) -> None:
    """Find the winner of a row: the games to replay from the root down, then from below."""
    root = 1
    while 2 * root < row:
        root *= 2
    count = _collect_games(t, row, root)
    _replay_games(ask, state, t, row, count, play)
    start = row * (row - 1) // 2
    column = np.int64(0)
    if row > 1:
        column = np.int64(t.winner[start + root])
    t.best[row] = column
    t.stale[row] = False
    t.bound[row] = -1
    if t.alive[column]:
        _find_least_similar(ask, state, t.least, t.after, start + column)
        t.bound[row] = t.least[start + column]


@register_jitable
def _winner_of_rows(ask: Any, state: Any, top: Any, bound: Any, m: int) -> int:
    """Play the game at inner node m of the tournament of the rows, and return the winner."""
    h = m & -m
    a = np.int64(m - 1)
    if h > 1:
        a = top[m - h // 2]
    right = node_of_right_part(m, top.size)
    b = np.int64(m)
    if right > 0:
        b = top[right]
    if bound[b] < 0:
        return int(a)
    if bound[a] < 0:
        return int(b)
    if _is_closer(ask, state, bound[b], bound[a]):
        return int(b)
    return int(a)


@register_jitable
def _play_all_rows(ask: Any, state: Any, t: Tournaments) -> int:
    """Play the tournament of the rows from the leaves up; return its root."""
    n = t.top.size
    root = 1
    h = 1
    while h < n:
        for m in range(h, n, 2 * h):
            t.top[m] = _winner_of_rows(ask, state, t.top, t.bound, m)
        root = h
        h *= 2
    return root


@register_jitable
def _replay_rows(ask: Any, state: Any, t: Tournaments, row: int) -> None:
    """Replay the games that a row won, whose bound has changed."""
    n = t.top.size
    h = 1
    while h < n:
        m = (row & ~(2 * h - 1)) + h
        if m < n:
            if t.top[m] != row:
                break
            t.top[m] = _winner_of_rows(ask, state, t.top, t.bound, m)
        h *= 2


@register_jitable
def _mark_games(winner: Any, row: int, column: int) -> None:
    """Mark every game of a row that a column won for replay."""
    start = row * (row - 1) // 2
    h = 1
    while h < row:
        m = (column & ~(2 * h - 1)) + h
        if m < row:
            if winner[start + m] != column:
                break
            winner[start + m] = -1 - column
        h *= 2


@register_jitable
def _join_clusters(t: Tournaments, p: int, q: int) -> None:
    """Join the candidates of cluster q, which has gone, to those of p < q. O(n log n)."""
    least = t.least
    after = t.after
    winner = t.winner
    alive = t.alive
    best = t.best
    stale = t.stale
    of_p = p * (p - 1) // 2
    of_q = q * (q - 1) // 2
    # Clusters before p are columns of rows p and q.
    for c in range(p):
        if alive[c]:
            _join_candidates(least, after, of_p + c, of_q + c)
    # A column that won the same part of both rows still wins it.
    for m in range(1, p):
        last = winner[of_p + m]
        if last >= 0 and last != winner[of_q + m]:
            winner[of_p + m] = -1 - last
    stale[p] = t.bound[p] >= 0
    # Clusters between the two are rows with column p, and columns of row q.
    for row in range(p + 1, q):
        if alive[row]:
            of_row = row * (row - 1) // 2
            _join_candidates(least, after, of_row + p, of_q + row)
            _mark_games(winner, row, p)
            stale[row] = stale[row] or best[row] == p
    # Clusters after q are rows with both columns.
    for row in range(q + 1, stale.size):
        if alive[row]:
            of_row = row * (row - 1) // 2
            _join_candidates(least, after, of_row + p, of_row + q)
            _mark_games(winner, row, p)
            _mark_games(winner, row, q)
            stale[row] = stale[row] or best[row] == p or best[row] == q


@njit(types.void(ASK, STATE, _MERGES), cache=True)
def complete_linkage(ask: Any, state: Any, merges: NDArray[np.int64]) -> None:
    """Complete linkage with few queries, by tournaments.

    Section 3.1 of Ghoshdastidar, Perrot & von Luxburg 2019 defines the tree; the algorithm is ours.
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
    t = _new_tournaments(n)
    for row in range(1, n):
        _play_row(ask, state, t, row, row - 1)
    root = _play_all_rows(ask, state, t)
    n_plays = n - 1
    n_merged = 0
    while n_merged < n - 1:
        row = t.top[root]
        if t.stale[row]:
            # The bound of the row was too high, so others may be before it.
            bound = t.bound[row]
            _play_row(ask, state, t, row, n_plays)
            n_plays += 1
            if t.bound[row] != bound:
                _replay_rows(ask, state, t, row)
            continue
        # No pair can be more similar than this one.
        column = t.best[row]
        merges[n_merged, 0] = column
        merges[n_merged, 1] = row
        n_merged += 1
        if n_merged < n - 1:
            t.alive[row] = False
            t.bound[row] = -1
            _replay_rows(ask, state, t, row)
            _join_clusters(t, column, row)
