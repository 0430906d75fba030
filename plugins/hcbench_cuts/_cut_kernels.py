"""The current cut of a search, given what it knows of the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hcbench_cuts._question_kernels import ABOVE, OPEN

_ROUNDING = 1e-12


@njit(cache=True)
def highest_kept(parent: NDArray[np.int64], split: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Nodes (k,) that are not split while all above them are: a cut. O(m)."""
    m = len(parent)
    reached = np.ones(m, np.bool_)
    for v in range(m - 2, -1, -1):
        reached[v] = reached[parent[v]] and split[parent[v]]
    return np.flatnonzero(reached & ~split)


@njit(cache=True)
def has_inside(parent: NDArray[np.int64], marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a node or one below it is marked, for each node (m,). O(m)."""
    inside = marked.copy()
    for v in range(len(parent) - 1):
        inside[parent[v]] |= inside[v]
    return inside


@njit(cache=True)
def split_where_known(label: NDArray[np.int8], apart: Any) -> NDArray[np.bool_]:
    """Whether each node (m,) is split: if it is ABOVE or, with ``apart``, OPEN. O(m)."""
    split = np.empty(len(label), np.bool_)
    for v in range(len(label)):
        split[v] = label[v] == ABOVE or (apart and label[v] == OPEN)
    return split


@njit(cache=True)
def split_most_probably(
    parent: NDArray[np.int64],
    label: NDArray[np.int8],
    log_below: NDArray[np.float64],
    log_above: NDArray[np.float64],
    apart: Any,
) -> NDArray[np.bool_]:
    """Whether the most probable cut that agrees with the labels splits each node (m,). O(m).

    With M(v) the probability of the likeliest cut of T(v), and g(v) = log M(v) / P(v), an open node
    is split if s(v) + sum_c g(c) > 0, where s(v) = log (1 - P(v)) prod_c P(c) / P(v), over its
    children c; then that is g(v), else g(v) = 0. Where the prior is uniform, s(v) = 0 but for
    rounding errors, which are removed so that cuts of equal probability compare equal.

    Parameters
    ----------
    log_below, log_above : (m-n,)
        log P(v) and log (1 - P(v)) of inner nodes.
    apart
        Whether a node is split where both are equally likely.
    """
    m = len(parent)
    n = m - len(log_below)
    split = np.zeros(m, np.bool_)
    # Of the inner children of each node, the sums of g(c) and of log P(c).
    gain_of_children = np.zeros(m - n)
    log_below_of_children = np.zeros(m - n)
    for v in range(n, m):
        k = v - n
        s = log_above[k] - log_below[k] + log_below_of_children[k]
        size = 1.0 + abs(log_above[k]) + abs(log_below[k]) + abs(log_below_of_children[k])
        if abs(s) <= _ROUNDING * size:
            s = 0.0
        gain = s + gain_of_children[k]
        if label[v] == OPEN:
            split[v] = gain > 0.0 or (apart and gain == 0.0)
        else:
            split[v] = label[v] == ABOVE
        above = parent[v] - n
        if above >= 0:
            log_below_of_children[above] += log_below[k]
            if split[v]:
                gain_of_children[above] += gain
    return split
