"""Agreement of the orders in which items join with the true ones: Kendall's tau_b."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError, ParameterError, finest_partition
from hcbench_metrics import _order_kernels, true_ranks
from hcbench_metrics._order_kernels import TrueRanks
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.node_sums import sums_below
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Problem, Scored, Tree

    Ints = NDArray[np.int64]
    Counts = tuple[Ints, Ints]


def kendall_tau_b(
    scored: Scored,
    include_self: bool = False,
    truth: str | None = None,
    transposed: bool = False,
    break_ties: int | str | None = None,
    by_names: bool = False,
) -> float:
    """Mean Kendall tau_b between the merge orders around each item; higher is better.

    For item i, the rank of j is the position on i's path to the root at which j joins: 1 for the
    first merge, and so on; items that join in the same merge are tied. tau_b compares
    the ranks in the result with those in the truth,

    ``(concordant - discordant) / sqrt((pairs - tied in result) (pairs - tied in truth))``

    over the pairs of the n - 1 other items; the mean over i is returned (Gray et al. 2023, section
    4.1). Heights do not matter, only the tree's shape; nodes of several children are ties.

    If the truth ranks all others alike, as for an item that is a child of the root, tau_b is
    undefined for any result: these items are excluded. If only the result ranks all others alike,
    tau_b is also undefined, and the item counts as 0, no association. The mean is therefore over
    the same items for every result, and a result cannot gain from ties.

    Parameters
    ----------
    scored : Scored
        The result must be a tree.
    include_self : bool
        Whether to rank i itself too, as 0 in both trees, as in the authors' code but not in their
        text. If the items have classes (label levels) and the truth groups each class, the code
        also gives rank 0 to i's finest class, so that in the truth these are tied with i.
    truth : str, optional
        One of the problem's truths; the first by default.
    transposed : bool
        In the truth, rank j around i by the position on j's path at which i joins. The authors'
        code does so for Newsgroups, where it reads the table of ranks of topics by column; the
        table is not symmetric, since topics lie at different depths. An item that is a class of its
        own is treated as merged with itself first, as the items of other classes are.
    break_ties : int or "rounding", optional
        Rank the classes around each class without ties, a class being the leaves of one parent in
        the truth; the own class comes first. The published values for simulated data are of this
        kind: their ranks come from a Gram matrix in which rounding makes equal entries unequal. A
        number: tied classes are put in a random order with this seed, separately around each class.
        ``"rounding"``: as in the code, by `true_ranks.rounded`, which may round differently on
        another machine.
    by_names : bool
        In the truth, rank the classes around each class by the number of names that are among the
        labels of both, at whatever levels, as the authors' code does for Reviews. Only one of
        ``transposed``, ``break_ties`` and ``by_names`` may be given.

    Returns
    -------
    float
        In [-1, 1]. Time at most O(n K L) for a truth whose leaves have K different parents at
        depths up to L, O(L n log n) if the result is balanced, and never more than O(n^2 log L).
        Memory O(n). See `concordance`. With broken ties, and if transposed and K is small, replace
        L by K; the memory is then O(n + K^2).

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or the truth ranks no item: one or two
        items (one, with ``include_self``), or a star. With ``break_ties``, if the truth has more
        than `true_ranks.MOST_CLASSES` classes or, for rounding, heights that are not affinities;
        with ``by_names``, if the labels have no names.
    ParameterError
        If more than one of ``transposed``, ``break_ties`` and ``by_names`` is given.
    """
    values = tau_b_of_items(scored, include_self, truth, transposed, break_ties, by_names)
    return float(values.mean())


def kendall_tau_b_error(
    scored: Scored,
    include_self: bool = False,
    truth: str | None = None,
    transposed: bool = False,
    break_ties: int | str | None = None,
    by_names: bool = False,
) -> float:
    """Standard error of the mean over items of Kendall's tau_b, within one result.

    ``s / sqrt(n)``, s the standard deviation, with n - 1 in the denominator, over the items that
    have a tau_b: printed in brackets, times 1000, in Gray et al. 2023. Items of one result are not
    independent; the value is not an estimate of the variation between repetitions.

    Parameters
    ----------
    scored, include_self, truth, transposed, break_ties, by_names
        As in `kendall_tau_b`.

    Returns
    -------
    float
        At least 0. Time and memory as `kendall_tau_b`.

    Raises
    ------
    NotApplicableError
        As `kendall_tau_b`.
    """
    values = tau_b_of_items(scored, include_self, truth, transposed, break_ties, by_names)
    # At least two: siblings in the truth rank the others alike.
    return float(values.std(ddof=1) / np.sqrt(values.size))


def tau_b_of_items(
    scored: Scored,
    include_self: bool = False,
    truth: str | None = None,
    transposed: bool = False,
    break_ties: int | str | None = None,
    by_names: bool = False,
) -> NDArray[np.float64]:
    """tau_b around each item that has one; parameters and errors as `kendall_tau_b`."""
    if transposed + (break_ties is not None) + by_names > 1:
        raise ParameterError(
            "transposed, break_ties and by_names all change the ranks; give one of them"
        )
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    n_tied = _tied_with_item(scored.problem, true)
    # The ranks in the truth decide which method counts the pairs.
    values = np.empty(0)
    if tree.n > 1:
        if break_ties is not None:
            ranks = true_ranks.unequal(true, break_ties)
            counts = count_by_table(tree, parent_classes(true), ranks)
        elif by_names:
            classes = finest_partition(scored.problem)
            ranks = true_ranks.by_names(scored.problem, classes)
            # Classes of rank 0 share as many names as the class with itself.
            n_tied = ((ranks == 0) @ classes.sizes)[classes.labels] - 1
            counts = count_by_table(tree, classes.labels, ranks)
        elif transposed:
            counts = _transposed(tree, true, n_tied)
        else:
            agreement = concordance(tree, true)
            tied = _order_kernels.tied_pairs(true.parent, true.sizes, tree.n)
            counts = (agreement, tied)
        values = _tau_b(tree, counts, n_tied, include_self=include_self)
    if not values.size:
        raise NotApplicableError(
            "the truth ranks no item: around every item, all others join in one merge"
        )
    return values


def _tau_b(tree: Tree, counts: Counts, n_tied: Ints, *, include_self: bool) -> NDArray[np.float64]:
    """tau_b around the items whose ranks in the truth are not all tied.

    ``counts`` are the concordant minus discordant pairs (n,) and those tied in the truth (n,);
    ``n_tied`` (n,) the numbers of other items that the truth ties with the item itself.
    """
    agreement, true_tied = counts
    tied = _order_kernels.tied_pairs(tree.parent, tree.sizes, tree.n)
    n_ranked = tree.n - 1
    if include_self:
        # The item itself is ranked: first in the result, and tied with n_tied in the truth.
        agreement = agreement + n_ranked - n_tied
        true_tied = true_tied + n_tied
        n_ranked = tree.n
    pairs = n_ranked * (n_ranked - 1) // 2
    # The root of the product, not a product of roots: exactly 1 for equal rankings.
    untied = np.sqrt(np.multiply(pairs - tied, pairs - true_tied, dtype=np.float64))
    # 0 where the result ranks all items alike, and excluded where the truth does.
    values = np.zeros(tree.n)
    np.divide(agreement, untied, out=values, where=untied > 0)
    return np.clip(values[pairs > true_tied], -1.0, 1.0)


def _tied_with_item(problem: Problem, truth: Tree) -> Ints:
    """For each item, how many others have rank 0 in the truth as the authors' code builds it.

    None unless the truth has one node for each class of two or more items and none below it.
    """
    zeros = np.zeros(truth.n, dtype=np.int64)
    if problem.levels is None:
        return zeros
    finest = finest_partition(problem)
    class_size = finest.sizes[finest.labels]
    parent = truth.parent[: truth.n]
    # The parent of one item of each class must be that of all of them, and have no others.
    node_of_class = np.full(finest.n_clusters, -1)
    node_of_class[finest.labels] = parent
    has_one_node = node_of_class[finest.labels] == parent
    has_no_others = truth.sizes[parent] == class_size
    is_grouped = has_one_node & has_no_others
    if not is_grouped[class_size > 1].all():
        return zeros
    return class_size - 1


# ---- Concordant pairs ----------------------------------------------------------------------------


def concordance(tree: Tree, truth: Tree) -> Ints:
    """Concordant minus discordant pairs (n,) of the two merge orders around each of n > 1 leaves.

    Two methods give the same numbers. By classes: leaves of one parent in the truth have the same
    ranks, so each merge of the result is counted once for each class in it. By rows: one leaf at a
    time, which is faster if both trees are deep. The method with the lower cost, estimated in O(n),
    is used.
    """
    n = tree.n
    path_length = truth.depths[:n]
    if cost_by_classes(tree, truth, path_length) <= _cost_by_rows(truth):
        inner_parent = truth.parent - n
        return _by_classes(
            tree,
            TrueRanks(
                class_of=inner_parent[:n],
                above=inner_parent[n:],
                ranks=_NO_TABLE,
                nearest=_NO_TABLE,
            ),
        )
    return count_by_rows(tree, truth, np.zeros(n, dtype=np.int64), transposed=False)[0]


_NO_TABLE = np.empty((0, 0), dtype=np.int64)


def _transposed(tree: Tree, truth: Tree, n_tied: Ints) -> Counts:
    """As `concordance` with transposed ranks; also returns the pairs tied in the truth."""
    n = tree.n
    # An item that is a class of its own joins the others one step later than in its tree.
    shift = np.zeros(n, dtype=np.int64)
    if n_tied.any():
        shift = (n_tied == 0).astype(np.int64)
    n_classes = np.unique(truth.parent[:n]).size
    cost = cost_by_classes(tree, truth, np.full(n, n_classes))
    if n_classes <= true_ranks.MOST_CLASSES and cost <= _cost_by_rows(truth):
        return count_by_table(tree, parent_classes(truth), true_ranks.transposed(truth, shift))
    return count_by_rows(tree, truth, shift, transposed=True)


def parent_classes(truth: Tree) -> Ints:
    """The class (n,) of each leaf: that of the leaves of its parent."""
    _, classes = np.unique(truth.parent[: truth.n], return_inverse=True)
    return classes


def count_by_table(tree: Tree, class_of: Ints, ranks: Ints) -> Counts:
    """As `_transposed` for the ranks (K, K) from 0 to K - 1 of each class around each class."""
    n_classes = len(ranks)
    agreement = _by_classes(
        tree,
        TrueRanks(
            class_of=class_of,
            above=np.full(n_classes, -1, dtype=np.int64),
            ranks=ranks,
            nearest=np.argsort(ranks, axis=1, kind="stable"),
        ),
    )
    # The number of leaves of each rank around the leaves of each class.
    of_rank = np.zeros((n_classes, n_classes), dtype=np.int64)
    rows = np.arange(n_classes)
    np.add.at(of_rank, (rows[:, None], ranks), np.bincount(class_of))
    of_rank[rows, ranks[rows, rows]] -= 1  # the item itself
    tied = (of_rank * (of_rank - 1) // 2).sum(axis=1)
    return agreement, tied[class_of]


def _by_classes(tree: Tree, truth: TrueRanks) -> Ints:
    agreement: Ints = _order_kernels.concordance_by_classes(arrays_of(tree), truth)
    return agreement


def count_by_rows(tree: Tree, truth: Tree, shift: Ints, *, transposed: bool) -> Counts:
    """As `count_by_table`, with one leaf at a time."""
    counts: Counts = _order_kernels.concordance_by_rows(
        arrays_of(tree), arrays_of(truth), truth.depths, shift, transposed
    )
    return counts


def cost_by_classes(tree: Tree, truth: Tree, reads: Ints) -> float:
    """Upper bound of the counts read: for the classes in each node, ``reads`` (n,) of them each."""
    reads_of_leaf = reads.astype(np.float64)
    _, first = np.unique(truth.parent[: truth.n], return_index=True)
    # A node has at most one class for each leaf, and at most all classes.
    in_node = sums_below(tree, reads_of_leaf)
    in_all_classes = reads_of_leaf[first].sum()
    return float(np.minimum(in_node, in_all_classes).sum())


def _cost_by_rows(truth: Tree) -> float:
    return float(truth.n) ** 2 * (1 + float(np.log2(truth.depths.max())))
