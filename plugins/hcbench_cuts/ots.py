"""OTS: each query splits the remaining cuts into parts of at least a third."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hcbench import Items, Oracle, Partition
from hcbench_cuts import _thirds_kernels as kernels
from hcbench_cuts._backbones import split_along_backbones
from hcbench_cuts._count_kernels import log_cuts
from hcbench_cuts.given_tree import tree_of
from hcbench_cuts.search import Search


def one_third_splitting(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    undecided: Literal["apart", "together"] = "apart",
    backbone: Literal["any", "longest"] = "any",
) -> Partition:
    """Choose queries of which each excludes at least a third of the remaining cuts.

    One Third Splitting, appendix B.1 of Gentile et al. 2019. Without noise, at most log_{3/2} N(T)
    queries find the true cut (theorem 1) of a tree with N(T) cuts.

    Parameters
    ----------
    oracle : Oracle
        Of kind pair-queries. Each node is queried with one pair: a wrong answer is not corrected.
    undecided : {"apart", "together"}
        Where the current cut puts nodes that no answer decides: above it or below it. All cuts that
        agree with the answers are equally likely; these are the finest and the coarsest.
    backbone : {"any", "longest"}
        The path whose node is queried: any that ends at a node all of whose children are known, for
        which the bounds hold as well, or one of maximal length, as in the paper.

    Returns
    -------
    Partition
        A cut of the tree; the current one if the budget ends first.

    Raises
    ------
    NotApplicableError
        If there is no tree to be cut.

    Notes
    -----
    The paths go through the child of largest id, which is the last merge of a linkage, and the
    trees of the forest are searched last in, first out. O(m + Q log h) time for m nodes, Q queries
    and height h; about 60 bytes per leaf of a binary tree. With longest paths O(m + Q h), in
    Python.
    """
    tree = tree_of(items)
    search = Search.of(tree, rng)
    if backbone == "longest":
        return split_along_backbones(
            oracle, search, rng, lambda: search.partition(apart=undecided == "apart")
        )
    inner = search.n_inner
    work = kernels.ThirdsSearch(
        forest=np.empty(inner, np.int32),
        path=np.empty(inner, np.int32),
        cursor=np.empty(inner, np.int32),
        log_cuts=log_cuts(tree.parent)[tree.n :],
        log_beside=np.empty(inner),
        log_weight=np.empty(inner),
        log_total=np.empty(inner),
    )
    kernels.start_thirds(search.progress, search.shape, search.label, work)
    return search.run(
        oracle,
        kernels.split_by_thirds,
        work,
        lambda: search.known(apart=undecided == "apart"),
    )
