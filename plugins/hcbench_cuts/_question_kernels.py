"""Queries about a node of a tree: the pairs of leaves that show whether its leaves are together.

Pairs of leaves below two different children of node v have v as their lowest common ancestor:
without noise, each of them gives y(v), whether v is below the cut. They are numbered 0, 1, ..., and
queried in the order of a random permutation of each node, so that no pair is queried twice.

Kernels share three things. ``shape`` is the tree, a tuple of int32 arrays: offsets (m+1,) and ids
(m-1,) of the children, first position (m,) and number (m,) of the leaves below each node, and the
leaf at each position (n,). ``label`` (m,) int8 says what is known of each node; leaves are BELOW.
``at`` (SIZE,) int64 is the state of a search, so that it can be suspended after any query and
resumed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import scramble

_I4 = types.int32[::1]
# numba's own annotations omit this one.
_tuple: Any = types.Tuple
#: The numba types of ``shape``, ``label`` and ``at``.
SHAPE = _tuple((_I4, _I4, _I4, _I4, _I4))
LABEL = types.int8[::1]
AT = types.int64[::1]

#: What is known of a node.
OPEN = 0
ABOVE = 1
BELOW = 2
#: Entries of ``at``: the node of the query, -1 at the end; and its number of pairs.
NODE = 0
PAIRS = 1
#: Votes to collect, collected, and "together".
VOTES = 2
ASKED = 3
YES = 4
#: The first and the last position of a path, and that of the query.
LOW = 5
HIGH = 6
POSITION = 7
#: The end and the start of a queue of nodes.
WAITING = 8
SERVED = 9
#: The number of searched paths.
PATHS = 10
#: Settings: the seed; the votes on a node; whether a vote ends once it is decided; whether paths
#: are searched in the order of their entropy.
SEED = 11
WANTED = 12
EARLY = 13
IN_ORDER = 14
SIZE = 15
_ROUNDS = 6


@njit(cache=True)
def pairs_below(shape: Any, v: Any) -> Any:
    """Number of pairs of leaves with node v as their lowest common ancestor. O(children)."""
    offsets, children, _, sizes, _ = shape
    # Leaves below the children before, and their pairs.
    before = np.int64(0)
    pairs = np.int64(0)
    for at in range(offsets[v], offsets[v + 1]):
        size = np.int64(sizes[children[at]])
        pairs += before * size
        before += size
    return pairs


@njit(cache=True)
def pair_below(shape: Any, v: Any, number: Any) -> Any:
    """The pair with that number; pairs of the first two children come first. O(children)."""
    offsets, children, starts, sizes, order = shape
    first = starts[v]
    for at in range(offsets[v] + 1, offsets[v + 1]):
        child = children[at]
        before = np.int64(starts[child] - first)
        pairs = before * np.int64(sizes[child])
        if number < pairs:
            break
        number -= pairs
    # One leaf before the child, and one below it.
    i = order[first + number % before]
    j = order[starts[child] + number // before]
    return np.int64(i), np.int64(j)


@njit(cache=True)
def permuted(number: Any, size: Any, key: Any) -> Any:
    """The image of a number under a random permutation of 0..size-1, one for each key.

    A Feistel network on the next power of 4, applied until the result is in range: fewer than 4
    times in expectation.
    """
    half = np.uint64(1)
    while (np.uint64(1) << (half + half)) < np.uint64(size):
        half += np.uint64(1)
    mask = (np.uint64(1) << half) - np.uint64(1)
    place = np.uint64(number)
    while True:
        left = place >> half
        right = place & mask
        for r in range(_ROUNDS):
            mixed = scramble(np.uint64(key) + (right << np.uint64(8)) + np.uint64(r + 1))
            swapped = left ^ (mixed & mask)
            left = right
            right = swapped
        place = (left << half) | right
        if place < np.uint64(size):
            return np.int64(place)


@register_jitable
def aim(at: Any, shape: Any, v: Any) -> None:
    """Ask about node v next: WANTED of its pairs, or all if there are fewer."""
    pairs = pairs_below(shape, v)
    at[NODE] = v
    at[PAIRS] = pairs
    at[VOTES] = min(pairs, at[WANTED])
    at[ASKED] = 0
    at[YES] = 0


@njit(cache=True)
def next_pair(at: Any, shape: Any) -> Any:
    """The next pair of leaves below the node that is asked about."""
    v = at[NODE]
    pairs = at[PAIRS]
    key = scramble(scramble(np.uint64(at[SEED])) + np.uint64(v))
    if at[VOTES] == 1:  # one pair needs no order
        return pair_below(shape, v, np.int64(key % np.uint64(pairs)))
    return pair_below(shape, v, permuted(at[ASKED], pairs, key))


@njit(cache=True)
def is_decided(at: Any, answer: Any) -> Any:
    """Count an answer; return whether the vote ends with it."""
    at[ASKED] += 1
    at[YES] += answer > 0
    votes = at[VOTES]
    yes = at[YES]
    no = at[ASKED] - yes
    # A tie means apart, so that half of the votes decide for it.
    return at[ASKED] == votes or (at[EARLY] != 0 and (2 * yes > votes or 2 * no >= votes))


@njit(cache=True)
def are_together(at: Any) -> Any:
    """The majority of the vote; a tie means apart."""
    return 2 * at[YES] > at[VOTES]


@njit(cache=True)
def label_few(shape: Any, parent: Any, label: NDArray[np.int8], wanted: Any) -> None:
    """Label BELOW all nodes of fewer pairs than ``wanted``, and all below them. O(m)."""
    for v in range(len(label) - 1, -1, -1):
        inherited = parent[v] >= 0 and label[parent[v]] == BELOW
        if inherited or pairs_below(shape, v) < wanted:
            label[v] = BELOW
