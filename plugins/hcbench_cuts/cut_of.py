"""Trees to be cut, made from other data, with their true clusters."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    AlgorithmSpec,
    DataError,
    DataRequest,
    DatasetSpec,
    ParameterError,
    Partition,
    Problem,
    Tree,
    fit,
)
from hcbench.model import Cut
from hcbench.plan import derive_seed
from hcbench.registry import Use
from hcbench.run import make_data
from hcbench_cuts._count_kernels import log_cuts
from hcbench_cuts._cut_kernels import highest_kept
from hcbench_cuts.data_specs import TRUTH, source

Law = Literal["uniform", "constant", "top-k", "hard", "labels"]


def cut_of(
    request: DataRequest,
    *,
    tree: str = "balanced",
    data: str | None = None,
    law: Law = "uniform",
    alpha: float | None = None,
    k: int | None = None,
    n: int | None = None,
) -> Problem:
    """Make a tree to be cut and its true clusters: a cut of it, or the labels of the data.

    True clusters that are a cut are the realisable setting (section 2 of Gentile et al. 2019);
    labels of the data, which may not be a cut of the tree, are the agnostic setting.

    Parameters
    ----------
    tree : str
        An algorithm with its parameters, which is run on the data (on their vectors, if it takes
        these); "truth", the true tree of the data; without data, a shape as in ``random-tree``.
    data : str, optional
        A data set with its parameters.
    law : {"uniform", "constant", "top-k", "hard", "labels"}
        "uniform": all N(T) cuts are equally likely. "constant": a node is below the cut with
        probability ``alpha`` if all nodes above it are above (the prior P = alpha). "top-k":
        ``tree.cut(k)``. "hard": theorem 2's prior of 2^k cuts (`hard_cut`). "labels": the labels of
        the data or, without labels, their true tree.
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
        If k exceeds the number of items, or there are no 2^k hard cuts.
    DataError
        If the algorithm does not return a tree for these data.

    Notes
    -----
    O(n), plus the data and the tree, which are cached for other laws and repetitions.
    """
    seed = request.seed
    data_name, tree_name = source(data, tree, n)
    registry = request.registry
    (data_use,) = registry.use_datasets(data_name)
    tree_use = None
    if tree_name != TRUTH:
        (tree_use,) = registry.use_algorithms(tree_name)
    data_seed = seed
    if not data_use.is_random:
        # Fixed data are the same in all repetitions, and their tree is made once.
        data_seed = 0
    problem = _with_tree(_Source(data_use, tree_use), data_seed)
    if law == "labels":
        return problem
    assert problem.tree is not None
    clusters = _true_clusters(problem.tree, seed, law, alpha, k)
    return replace(problem, truths={}, levels=clusters.labels[:, None])


def _true_clusters(
    tree: Tree, seed: int, law: Law, alpha: float | None, k: int | None
) -> Partition:
    """A cut of the tree by one of the laws of `cut_of`, other than the labels."""
    if law == "top-k":
        assert k is not None
        if k > tree.n:
            raise ParameterError(f"cut-of: k={k} of {tree.n} items; take at most as many")
        return tree.cut(k)
    rng = np.random.default_rng(derive_seed(seed, "cut"))
    if law == "hard":
        assert k is not None
        return hard_cut(tree, rng, k).partition
    return random_cut(tree, rng, alpha).partition


class _Source:
    """The data set and the algorithm of its tree, or None for its true tree.

    Sources are equal if their identities are, which tell files of one name and other contents
    apart.
    """

    def __init__(self, data: Use[DatasetSpec], tree: Use[AlgorithmSpec] | None) -> None:
        self.data = data
        self.tree = tree
        self.identities = (data.identity, tree.identity if tree else TRUTH)

    def __hash__(self) -> int:
        return hash(self.identities)

    def __eq__(self, source: object) -> bool:
        return isinstance(source, _Source) and source.identities == self.identities


@lru_cache(maxsize=1)
def _with_tree(source: _Source, seed: int) -> Problem:
    """The data with the tree; the same for fixed data in all repetitions."""
    problem = make_data(source.data, seed)
    if source.tree is None:
        return replace(problem, tree=problem.truth)
    tree = fit(source.tree, problem, seed=seed)
    if isinstance(tree, Partition):
        raise DataError(
            f"cut-of: {source.tree.label} returned a partition of {source.data.label}, not a tree"
        )
    return replace(problem, tree=tree, comparisons=None)


def random_cut(tree: Tree, rng: np.random.Generator, alpha: float | None = None) -> Cut:
    """Draw a cut: all equally likely, or with P(v) = alpha for all inner nodes. O(n).

    With P(v) = 1 / N(v), the probability that v is below the cut if all above it are above, each
    cut has probability 1 / N(T) (section 2 of Gentile et al. 2019).
    """
    if alpha is None:
        below = np.exp(-log_cuts(tree.parent))
    else:
        below = np.full(tree.n_nodes, alpha)
    split = rng.random(tree.n_nodes) >= below
    # Leaves have nothing to split.
    split[: tree.n] = False
    return Cut(tree, highest_kept(tree.parent, split))


def hard_cut(tree: Tree, rng: np.random.Generator, b: int) -> Cut:
    """Draw one of the 2^b cuts of theorem 2's prior. O(m log m).

    Appendix B.2 of Gentile et al. 2019. T' has the root and, breadth-first (by depth, then by id),
    the inner children of one node after the other, until it has b leaves. Each of these is below
    the cut, or else above it and its children below, with probability 1/2; all other nodes of T'
    are above, and leaves of T beside them are clusters. In a binary tree b can be any number up to
    |L_s(T)|, and K-tilde is from b to 2 b: each leaf of T' that is above the cut and has two inner
    children counts twice.

    Raises
    ------
    ParameterError
        If no T' has b leaves: b exceeds |L_s(T)|, or is skipped in a tree that is not binary.
    """
    inner = np.arange(tree.n, tree.n_nodes)
    inner_children = np.bincount(tree.parent[inner[:-1]], minlength=tree.n_nodes)
    order = inner[np.argsort(tree.depths[inner], kind="stable")]
    order = order[inner_children[order] > 0]
    # The number of leaves of T' after each step: the root alone, then one node's inner children in
    # the place of the node.
    leaves = np.concatenate(([min(1, inner.size)], inner_children[order] - 1)).cumsum()
    steps = np.flatnonzero(leaves == b)
    if not steps.size:
        raise ParameterError(
            f"cut-of: k={b}: breadth-first from the root this tree has {_nearest(leaves, b)} "
            "subtrees to choose from; use one of these numbers"
        )
    split = np.zeros(tree.n_nodes, np.bool_)
    split[order[: steps[0]]] = True
    leaves_of_top = highest_kept(tree.parent, split)
    # Leaves of T are clusters in any case.
    leaves_of_top = leaves_of_top[leaves_of_top >= tree.n]
    split[leaves_of_top] = rng.random(leaves_of_top.size) < 0.5
    return Cut(tree, highest_kept(tree.parent, split))


def _nearest(counts: NDArray[np.int64], count: int) -> str:
    """The last one below a count and the first one above it, as far as there are any."""
    below = counts[counts < count]
    above = counts[counts > count]
    texts = []
    if below.size:
        texts.append(str(below[-1]))
    if above.size:
        texts.append(str(above[0]))
    return " or ".join(texts)
