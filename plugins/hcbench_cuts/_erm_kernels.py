"""The best cut of a tree for signed weights of pairs (`hcbench.model.heaviest_cut`), up to date.

Throughout, a pair of items weighs w where they are said to belong together and -w where not, and
W(v) is the sum over the pairs inside T(v). The gain of a cut is the sum of W over its clusters; its
cost, the weight of the answers that it contradicts, is the sum of all positive weights minus its
gain. The best gain inside T(v) is g(v) = max(W(v), s(v)) with s(v) the sum of g over the children,
and T(v) is best kept whole where its excess x(v) = W(v) - s(v) is at least 0: ties merge. This is
the coarsest of the cuts with the largest gain.

``parent`` (m,) is as in `hcbench.Tree`: larger than its node, and -1 for the root m-1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE

#: The types of arrays of the tree and of the caller, which may be read-only; and of a kernel's own.
PARENTS = types.Array(types.int64, 1, "C", readonly=True)
READ_WEIGHTS = types.Array(types.float64, 1, "C", readonly=True)
IDS = types.int64[::1]
WEIGHTS = types.float64[::1]
PAIRS = types.int64[:, ::1]
FLAGS = types.boolean[::1]
# Missing in numba's own annotations.
_tuple: Any = types.UniTuple
#: The type of ``law``, the constants of `probability`.
LAW = _tuple(types.float64, 2)


@njit(IDS(PARENTS), cache=True)
def heavy_postorder(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """New ids (m,) in postorder, the child with the most nodes last. O(m).

    The parent of such a child has the next id, so that a walk to the root reads memory in order
    except for at most log2(m) jumps. The other children have lower ids.
    """
    m = len(parent)
    # From the leaves up: the nodes at and below each node, and its child with the most of them.
    count = np.ones(m, np.int64)
    heavy_child = np.full(m, -1)
    for v in range(m - 1):
        p = parent[v]
        count[p] += count[v]
        if heavy_child[p] < 0 or count[v] > count[heavy_child[p]]:
            heavy_child[p] = v
    # From the root down: the nodes below v get the ids just below that of v, those below the heavy
    # child the last of them, and those below each other child the last that are still free.
    new_id = np.empty(m, np.int64)
    last_free = np.empty(m, np.int64)
    for v in range(m - 1, -1, -1):
        p = parent[v]
        if p < 0:
            new_id[v] = m - 1
        elif heavy_child[p] == v:
            new_id[v] = new_id[p] - 1
        else:
            new_id[v] = last_free[p]
            last_free[p] -= count[v]
        if heavy_child[v] >= 0:
            last_free[v] = new_id[v] - 1 - count[heavy_child[v]]
    return new_id


@njit(types.float64(WEIGHTS, PARENTS, types.int64), cache=True)
def margin(x: NDArray[np.float64], parent: NDArray[np.int64], a: int) -> Any:
    """Gain of the best cut minus that of the best cut that disagrees with it about a pair.

    ``a`` is the pair's lowest common ancestor. The pair is together if some node u from a to the
    root has x(u) >= 0. If so, separating the pair means splitting all these nodes, which costs the
    sum of their positive excesses; if not, joining it means keeping the cheapest of them whole,
    which costs -max x. O(depth of a).
    """
    # Of the nodes from a up to u: the largest excess, and the sum of the positive ones.
    highest = -np.inf
    cost_of_splitting = 0.0
    u = a
    while u >= 0:
        highest = max(highest, x[u])
        cost_of_splitting += max(x[u], 0.0)
        u = parent[u]
    if highest >= 0.0:
        return cost_of_splitting
    return -highest


@njit(types.void(WEIGHTS, PARENTS, types.int64, types.float64), cache=True)
def reweigh(x: NDArray[np.float64], parent: NDArray[np.int64], a: int, weight: float) -> None:
    """Update x after the weight of a pair whose lowest common ancestor is ``a`` has grown.

    On the path from a to the root W grows by the weight, and s by the growth of g one node below;
    x grows by the difference. The difference is the whole weight at first, and shrinks by the
    growth of max(x, 0). No added weight is subtracted again, so that ties stay exact.
    O(depth of a); the walk ends where the difference is 0.
    """
    difference = weight
    u = a
    while u >= 0 and difference != 0.0:
        before = x[u]
        x[u] = before + difference
        # What max(x, 0) has not taken up.
        if difference > 0.0:
            difference = min(difference, max(0.0, -before))
        else:
            difference = max(difference, min(0.0, x[u]))
        u = parent[u]


@njit(types.float64(types.float64, types.int64, LAW), cache=True)
def probability(margin: float, t: int, law: tuple[float, float]) -> Any:
    """p_t of eq. (4), Gentile et al. 2019: min(1, c0 (1/d^2 + 1/d) L(t) / t), d = margin / (t-1).

    Parameters
    ----------
    margin : float
        From `margin`: d_t times the t - 1 previous rounds.
    t : int
        The round, from 1; p_1 = 1.
    law : (c0, log_class)
        L(t) is log_class + ln ln t with log_class = ln(N / delta); ln(t+1) where it is 0.
    """
    c0, log_class = law
    if t == 1 or margin <= 0.0:
        return 1.0
    d = margin / (t - 1)
    if log_class == 0.0:
        effort = np.log(t + 1.0)
    else:
        effort = log_class + np.log(np.log(t))
    return min(1.0, c0 * (1.0 / d + 1.0) / d * effort / t)


@njit(
    types.void(ASK, STATE, WEIGHTS, FLAGS, PARENTS, PAIRS, IDS, WEIGHTS, types.int64, LAW),
    cache=True,
)
def sample(
    ask: Any,
    state: Any,
    x: NDArray[np.float64],
    queried: NDArray[np.bool_],
    parent: NDArray[np.int64],
    pairs: NDArray[np.int64],
    lcas: NDArray[np.int64],
    coins: NDArray[np.float64],
    t: int,
    law: tuple[float, float],
) -> None:
    """NR's rounds t+1, t+2, ...: one for each pair. O(depth of its lowest common ancestor) each.

    Parameters
    ----------
    x, parent : (m,)
        The excesses, updated in place, and the tree; in any numbering.
    queried : (m,) bool
        Whether a pair with this lowest common ancestor was queried; updated in place.
    pairs : (r, 2) int64
        The pairs drawn.
    lcas : (r,) int64
        Their lowest common ancestors, in the numbering of ``parent``.
    coins : (r,) float64
        Uniform in [0, 1): the label is requested where it is below p_t, with weight 1/p_t.
    t : int
        Number of previous rounds.
    law : see `probability`
    """
    for row in range(len(lcas)):
        a = lcas[row]
        p = probability(margin(x, parent, a), t + row + 1, law)
        if coins[row] < p:
            # The answer 1 means together, and 0 apart.
            sign = 2 * ask(state, pairs[row, 0], pairs[row, 1], 0, 0) - 1
            queried[a] = True
            reweigh(x, parent, a, sign / p)
