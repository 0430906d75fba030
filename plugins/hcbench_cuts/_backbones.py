"""OTS on paths of maximal length, as appendix B.1 of Gentile et al. 2019 defines backbones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import log

import numpy as np

from hcbench import BudgetExceededError, Oracle, Partition
from hcbench_cuts._question_kernels import ABOVE, BELOW, OPEN
from hcbench_cuts.search import Search

_TWO_THIRDS = log(2 / 3) + 1e-9  # with rounding errors


def split_along_backbones(
    oracle: Oracle, search: Search, rng: np.random.Generator, partition: Callable[[], Partition]
) -> Partition:
    """Query as OTS does; each path of a tree of the forest is one of its longest.

    O(children) for each node of a path, of which each query makes one.

    Parameters
    ----------
    oracle : Oracle
        Of kind pair-queries.
    search : Search
        Before any query; its labels are changed.
    rng : numpy Generator
        Draws the leaves to be queried about.
    partition : callable
        The current cut.
    """
    tree, label = search.tree, search.label
    # Of the part below each node that has no labels: log N, and inner nodes on its longest path.
    cuts, depth = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes, np.int64)

    def measure(v: int) -> None:
        children = tree.children(v)
        cuts[v] = np.logaddexp(0.0, cuts[children].sum())
        depth[v] = 1 + depth[children].max()

    for v in range(tree.n, tree.n_nodes):
        measure(v)
    forest = [v for v in (tree.root,) if label[v] == OPEN]
    try:
        while forest:
            path = _backbone(search, forest[-1], depth)
            k = _lowest_of_two_thirds(search, path, cuts)
            if oracle.due():
                oracle.record(partition())
            first, second = rng.choice(tree.children(path[k]), 2, replace=False)
            pair = [rng.choice(tree.leaves(first)), rng.choice(tree.leaves(second))]
            if oracle.ask([pair])[0] > 0:
                label[path[k]] = BELOW
                cuts[path[k]] = depth[path[k]] = 0
                for v in path[k - 1 :: -1] if k else ():
                    measure(v)
                if k == 0:
                    forest.pop()
            else:
                forest.pop()
                label[path[: k + 1]] = ABOVE
                below, last = [tree.children(v) for v in path[: k + 1]], path[k + 1 : k + 2]
                found = np.concatenate(below).tolist()
                forest += [v for v in found if label[v] == OPEN and v not in last] + last
    except BudgetExceededError:
        pass  # the last query got no answer, and could not be repeated
    return partition()


def _backbone(search: Search, top: int, depth: np.ndarray) -> list[int]:
    """A longest path of unlabelled inner nodes from a node down; of equals to the largest id."""
    path = [top]
    while depth[path[-1]] > 1:
        children = search.tree.children(path[-1])
        path.append(int(children[depth[children] == depth[children].max()].max()))
    return path


def _lowest_of_two_thirds(search: Search, path: list[int], cuts: np.ndarray) -> int:
    """The place of the lowest node that is below at most two thirds of all cuts.

    W_i, the product over l < i of the numbers of cuts of the children of p_l beside the path,
    counts the cuts that cut just above p_i, and the sum over i <= j those that are above p_j.
    """
    beside = [0.0]
    for v, on_path in pairwise(path):
        beside.append(cuts[search.tree.children(v)].sum() - cuts[on_path])
    above = np.logaddexp.accumulate(np.cumsum(beside))
    return int(np.flatnonzero(above <= cuts[path[0]] + _TWO_THIRDS)[-1])
