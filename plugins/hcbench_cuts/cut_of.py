"""Trees to be cut, made of other data, and what is true of them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np

from hcbench import (
    Cut,
    DataError,
    ParameterError,
    Partition,
    Problem,
    Tree,
    derive_seed,
    fit,
    load_registry,
)
from hcbench_cuts._count_kernels import log_cuts
from hcbench_cuts._cut_kernels import highest_kept
from hcbench_cuts.data_specs import TRUTH, source

Law = Literal["uniform", "constant", "top-k", "hard", "labels"]


def cut_of(
    seed: int,
    *,
    tree: str = "balanced",
    data: str | None = None,
    law: Law = "uniform",
    alpha: float | None = None,
    k: int | None = None,
    n: int | None = None,
) -> Problem:
    """Make a tree to be cut, and say what is true: a cut of it, or the labels of the data.

    Where a cut is true, pair questions are realisable (section 2 of Gentile et al. 2019); the
    labels of the data, that no cut need have, are the agnostic setting.

    Parameters
    ----------
    tree : str
        An algorithm with its parameters, which is run on the data (on their vectors, if it takes
        these); "truth", the true tree of the data; without data a shape, as of ``random-tree``.
    data : str, optional
        A data set with its parameters.
    law : {"uniform", "constant", "top-k", "hard", "labels"}
        All N(T) cuts are equally likely; a node is below the cut with probability ``alpha`` if all
        nodes above it are above (the prior P = alpha); ``tree.cut(k)``; theorem 2's prior of 2^k
        cuts (`hard_cut`); the labels of the data, or else their true tree.
    alpha : float, optional
    k : int, optional
    n : int, optional
        Leaves of a shape.

    Returns
    -------
    Problem
        With the tree, and its heights if it has any; the vectors and similarities of the data; a
        true cut as the one level of labels.

    Raises
    ------
    ParameterError
        If k is more than there are items, or there are no 2^k hard ones.
    DataError
        If the algorithm does not make a tree of these data.

    Notes
    -----
    O(n) beside the data and the tree, which are kept for other laws and repetitions.
    """
    data_name, tree_name = source(data, tree, n)
    (use,) = load_registry().use_datasets(data_name)
    fixed = not use.spec.random_with(use.params)
    whole = _with_tree(use.identity, data_name, tree_name, 0 if fixed else seed)
    if law == "labels":
        return whole
    assert whole.tree is not None
    if law == "top-k":
        assert k is not None
        if k > whole.n:
            raise ParameterError(f"cut-of: k={k} of {whole.n} items; take at most as many")
        true = whole.tree.cut(k)
    else:
        rng = np.random.default_rng(derive_seed(seed, "cut"))
        if law == "hard":
            assert k is not None
            true = hard_cut(whole.tree, rng, k).partition
        else:
            true = random_cut(whole.tree, rng, alpha).partition
    return replace(whole, truths={}, levels=true.labels[:, None])


@lru_cache(maxsize=1)
def _with_tree(_identity: str, data_name: str, tree_name: str, seed: int) -> Problem:
    """The data with the tree; the same for fixed data in all repetitions.

    The identity tells files of one name and another content apart.
    """
    (use,) = load_registry().use_datasets(data_name)
    made: Problem = use.spec.load()(seed, **use.params)
    if tree_name == TRUTH:
        return replace(made, tree=made.truth)
    tree = fit(tree_name, made, seed=seed)
    if isinstance(tree, Partition):
        raise DataError(f"cut-of: {tree_name} returned a partition of {data_name}, no tree")
    return replace(made, tree=tree, comparisons=None)


def random_cut(tree: Tree, rng: np.random.Generator, alpha: float | None = None) -> Cut:
    """Draw a cut: all equally likely, or with P(v) = alpha for all inner nodes. O(n).

    With P(v) = 1 / N(v), the probability that v is below the cut if all above it are above, each
    cut has probability 1 / N(T) (section 2 of Gentile et al. 2019).
    """
    below = np.exp(-log_cuts(tree.parent)) if alpha is None else np.full(tree.n_nodes, alpha)
    split = rng.random(tree.n_nodes) >= below
    split[: tree.n] = False
    return Cut(tree, highest_kept(tree.parent, split))


def hard_cut(tree: Tree, rng: np.random.Generator, b: int) -> Cut:
    """Draw one of the 2^b cuts among which theorem 2 hides the true one. O(m log m).

    Appendix B.2 of Gentile et al. 2019. T' has the root and, breadth-first (by depth, then by id),
    the inner children of one node after the other, until it has b leaves. Each of these is below
    the cut, or else above it and its children below, with probability 1/2; all other nodes of T'
    are above, and leaves of T beside them are clusters. In a binary tree b can be any number up to
    |L_s(T)|, and K-tilde is from b to 2 b: each leaf of T' that is above the cut and has two inner
    children counts twice.

    Raises
    ------
    ParameterError
        If no T' has b leaves: b is above |L_s(T)|, or between two numbers in a tree that is not
        binary.
    """
    inner = np.arange(tree.n, tree.n_nodes)
    inner_children = np.bincount(tree.parent[inner[:-1]], minlength=tree.n_nodes)
    order = inner[np.argsort(tree.depths[inner], kind="stable")]
    order = order[inner_children[order] > 0]
    leaves = np.concatenate(([min(1, inner.size)], inner_children[order] - 1)).cumsum()
    (found,) = np.nonzero(leaves == b)
    if not found.size:
        below, above = leaves[leaves < b], leaves[leaves > b]
        near = [str(count) for count in (*below[-1:], *above[:1])]
        raise ParameterError(
            f"cut-of: k={b}: breadth-first from the root this tree has {' or '.join(near)} "
            "subtrees to choose in; take so many"
        )
    split = np.zeros(tree.n_nodes, np.bool_)
    split[order[: found[0]]] = True
    chosen = highest_kept(tree.parent, split)
    chosen = chosen[chosen >= tree.n]
    split[chosen] = rng.random(chosen.size) < 0.5
    return Cut(tree, highest_kept(tree.parent, split))
