"""OTS on paths of maximal length, as appendix B.1 of Gentile et al. 2019 defines backbones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hcbench import BudgetExceededError, Oracle, Partition, Tree
from hcbench_cuts._question_kernels import ABOVE, BELOW, OPEN
from hcbench_cuts.search import Search

# With an allowance for rounding errors.
_LOG_TWO_THIRDS = log(2 / 3) + 1e-9


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
    tree = search.tree
    label = search.label
    open_parts = _OpenParts.of(tree)
    # Roots of subtrees without labels, below nodes that are above the cut.
    forest = []
    if label[tree.root] == OPEN:
        forest.append(tree.root)
    try:
        while forest:
            path = _backbone(tree, forest[-1], open_parts.depth)
            k = _lowest_of_two_thirds(tree, path, open_parts.log_cuts)
            if oracle.due():
                oracle.record(partition())
            pair = _draw_pair(tree, path[k], rng)
            together = oracle.ask([pair])[0] > 0
            if together:
                label[path[k]] = BELOW
                open_parts.collapse(path[: k + 1])
                if k == 0:
                    # Nothing of this tree is open.
                    forest.pop()
            else:
                forest.pop()
                label[path[: k + 1]] = ABOVE
                forest += _open_subtrees(tree, label, path, k)
    except BudgetExceededError:
        pass  # the last query got no answer, and could not be repeated
    return partition()


@dataclass(frozen=True, slots=True, eq=False)
class _OpenParts:
    """The part without labels below each node.

    Attributes
    ----------
    tree : Tree
    log_cuts : (m,) float64
        log N of it.
    depth : (m,) int64
        Number of inner nodes on its longest path from the node down.
    """

    tree: Tree
    log_cuts: NDArray[np.float64]
    depth: NDArray[np.int64]

    @classmethod
    def of(cls, tree: Tree) -> Self:
        """The whole subtrees, before any query."""
        parts = cls(tree, np.zeros(tree.n_nodes), np.zeros(tree.n_nodes, np.int64))
        for v in range(tree.n, tree.n_nodes):
            parts._measure(v)
        return parts

    def _measure(self, v: int) -> None:
        """Set the entries of an inner node from those of its children."""
        children = self.tree.children(v)
        self.log_cuts[v] = np.logaddexp(0.0, self.log_cuts[children].sum())
        self.depth[v] = 1 + self.depth[children].max()

    def collapse(self, path: list[int]) -> None:
        """Exclude what is below the last node of a path, and update all nodes before it."""
        *before, last = path
        self.log_cuts[last] = 0.0
        self.depth[last] = 0
        for v in reversed(before):
            self._measure(v)


def _backbone(tree: Tree, top: int, depth: NDArray[np.int64]) -> list[int]:
    """A longest path of open inner nodes from a node down; of equals to the largest id."""
    path = [top]
    while depth[path[-1]] > 1:
        children = tree.children(path[-1])
        deepest = children[depth[children] == depth[children].max()]
        path.append(int(deepest.max()))
    return path


def _lowest_of_two_thirds(tree: Tree, path: list[int], log_cuts: NDArray[np.float64]) -> int:
    """The position of the lowest node that is below at most two thirds of all cuts.

    W_i, the product over l < i of the numbers of cuts of the children of p_l beside the path,
    counts the cuts that cut just above p_i, and the sum over i <= j those that are above p_j.
    """
    log_beside = [0.0]
    for v, child_on_path in pairwise(path):
        log_beside.append(log_cuts[tree.children(v)].sum() - log_cuts[child_on_path])
    log_weight = np.cumsum(log_beside)
    log_above = np.logaddexp.accumulate(log_weight)
    is_allowed = log_above <= log_cuts[path[0]] + _LOG_TWO_THIRDS
    return int(np.flatnonzero(is_allowed)[-1])


def _draw_pair(tree: Tree, v: int, rng: np.random.Generator) -> list[int]:
    """Leaves below two different children of a node."""
    first, second = rng.choice(tree.children(v), 2, replace=False)
    return [rng.choice(tree.leaves(first)), rng.choice(tree.leaves(second))]


def _open_subtrees(tree: Tree, label: NDArray[np.int8], path: list[int], k: int) -> list[int]:
    """Open children of the nodes 0..k of a path; the one on the path, if there is one, is last."""
    on_path = path[k + 1 : k + 2]
    roots = []
    for v in path[: k + 1]:
        for child in tree.children(v).tolist():
            if label[child] == OPEN and child not in on_path:
                roots.append(child)
    return roots + on_path
