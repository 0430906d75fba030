"""Queries about a node of a tree: the pairs of leaves that show whether its leaves are together.

Pairs of leaves below two different children of node v have v as their lowest common ancestor:
without noise, each of them gives y(v), whether v is below the cut. They are numbered 0, 1, ..., and
queried in the order of a random permutation of each node, so that no pair is queried twice.

The kernels of all searches share three arguments:

shape : `TreeShape`
    The tree to be cut.
label : (m,) int8
    What is known of each node: `OPEN`, `ABOVE` or `BELOW`. Leaves are `BELOW`.
progress : (SIZE,) int64
    The state of a search, so that it can be suspended after any query and resumed. The constants
    from `NODE` on name its entries.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import scramble


class TreeShape(NamedTuple):
    """A tree of m nodes, of which the first n are its leaves.

    Attributes
    ----------
    child_start : (m+1,) int32
        The children of node v are ``children[child_start[v]:child_start[v + 1]]``.
    children : (m-1,) int32
    first_position : (m,) int32
        The leaves below a node are next to each other in ``leaf_order``; this is the first.
    n_leaves : (m,) int32
        Number of leaves below each node.
    leaf_order : (n,) int32
        The leaf at each position.
    """

    child_start: NDArray[np.int32]
    children: NDArray[np.int32]
    first_position: NDArray[np.int32]
    n_leaves: NDArray[np.int32]
    leaf_order: NDArray[np.int32]


# Missing in numba's own annotations.
_named_tuple: Any = types.NamedUniTuple
#: The numba types of ``shape``, ``label`` and ``progress``.
SHAPE = _named_tuple(types.int32[::1], 5, TreeShape)
LABEL = types.int8[::1]
PROGRESS = types.int64[::1]

#: What is known of a node: nothing, or that it is above the cut, or below it.
OPEN = 0
ABOVE = 1
BELOW = 2

#: Entries of ``progress``: the node of the query, -1 at the end; and its number of pairs.
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
VOTES_OF_NODE = 12
EARLY = 13
IN_ORDER = 14
#: The number of entries.
SIZE = 15

_FEISTEL_ROUNDS = 6


@njit(cache=True)
def pairs_below(shape: Any, v: Any) -> Any:
    """Number of pairs of leaves with node v as their lowest common ancestor. O(children)."""
    child_start = shape.child_start
    children = shape.children
    n_leaves = shape.n_leaves
    leaves_before = np.int64(0)
    pairs = np.int64(0)
    for index in range(child_start[v], child_start[v + 1]):
        size = np.int64(n_leaves[children[index]])
        # Each leaf below this child makes a pair with each leaf below the children before it.
        pairs += leaves_before * size
        leaves_before += size
    return pairs


@njit(cache=True)
def pair_below(shape: Any, v: Any, number: Any) -> Any:
    """The pair with that number; pairs of the first two children come first. O(children)."""
    children = shape.children
    first_position = shape.first_position
    n_leaves = shape.n_leaves
    leaf_order = shape.leaf_order
    first = first_position[v]
    # The child whose pairs with the children before it include this number, which is reduced to
    # the number among these.
    for index in range(shape.child_start[v] + 1, shape.child_start[v + 1]):
        child = children[index]
        leaves_before = np.int64(first_position[child] - first)
        pairs = leaves_before * np.int64(n_leaves[child])
        if number < pairs:
            break
        number -= pairs
    # One leaf before the child, and one below it.
    i = leaf_order[first + number % leaves_before]
    j = leaf_order[first_position[child] + number // leaves_before]
    return np.int64(i), np.int64(j)


@njit(cache=True)
def permuted(number: Any, size: Any, key: Any) -> Any:
    """The image of a number under a random permutation of 0..size-1, one for each key.

    A Feistel network on the next power of 4, applied until the result is in range: fewer than 4
    times in expectation.
    """
    # Numbers below 4^half are split into two halves of this many bits.
    half = np.uint64(1)
    while (np.uint64(1) << (half + half)) < np.uint64(size):
        half += np.uint64(1)
    mask = (np.uint64(1) << half) - np.uint64(1)
    image = np.uint64(number)
    while True:
        left = image >> half
        right = image & mask
        for r in range(_FEISTEL_ROUNDS):
            mixed = scramble(np.uint64(key) + (right << np.uint64(8)) + np.uint64(r + 1))
            swapped = left ^ (mixed & mask)
            left = right
            right = swapped
        image = (left << half) | right
        if image < np.uint64(size):
            return np.int64(image)


@register_jitable
def aim(progress: Any, shape: Any, v: Any) -> None:
    """Ask about node v next: `VOTES_OF_NODE` of its pairs, or all if there are fewer."""
    pairs = pairs_below(shape, v)
    progress[NODE] = v
    progress[PAIRS] = pairs
    progress[VOTES] = min(pairs, progress[VOTES_OF_NODE])
    progress[ASKED] = 0
    progress[YES] = 0


@njit(cache=True)
def next_pair(progress: Any, shape: Any) -> Any:
    """The next pair of leaves below the node that is asked about."""
    v = progress[NODE]
    pairs = progress[PAIRS]
    key = scramble(scramble(np.uint64(progress[SEED])) + np.uint64(v))
    if progress[VOTES] == 1:
        # A single pair needs no permutation.
        return pair_below(shape, v, np.int64(key % np.uint64(pairs)))
    return pair_below(shape, v, permuted(progress[ASKED], pairs, key))


@njit(cache=True)
def is_decided(progress: Any, answer: Any) -> Any:
    """Count an answer; return whether the vote ends with it."""
    progress[ASKED] += 1
    progress[YES] += answer > 0
    votes = progress[VOTES]
    yes = progress[YES]
    no = progress[ASKED] - yes
    # A tie means apart, so that half of the votes decide for it.
    return progress[ASKED] == votes or (
        progress[EARLY] != 0 and (2 * yes > votes or 2 * no >= votes)
    )


@njit(cache=True)
def are_together(progress: Any) -> Any:
    """The majority of the vote; a tie means apart."""
    return 2 * progress[YES] > progress[VOTES]


@njit(cache=True)
def label_few(shape: Any, parent: Any, label: NDArray[np.int8], votes: Any) -> None:
    """Label BELOW all nodes of fewer pairs than ``votes``, and all below them. O(m)."""
    for v in range(len(label) - 1, -1, -1):
        inherited = parent[v] >= 0 and label[parent[v]] == BELOW
        if inherited or pairs_below(shape, v) < votes:
            label[v] = BELOW
