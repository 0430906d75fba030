"""The consensus of many trees of the same items: posterior samples, or bootstraps.

A clade is the set of the items below a node. The support of a clade is the share of the trees that
have it. The majority-rule consensus has all clades with a support above 0.5, which always fit into
one tree (Margush and McMorris [1]_); the strict one those of all trees; the greedy one, the
extended majority rule of PHYLIP, adds clades to the majority, the most frequent first, as long as
they fit.

References
----------
.. [1] T. Margush, F. McMorris, "Consensus n-trees", Bulletin of Mathematical Biology 43 (1981).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError
from hcbench.model.arguments import one_of
from hcbench.model.trees import Tree

Rule: TypeAlias = Literal["majority", "strict", "greedy"]
RULES: tuple[Rule, ...] = ("majority", "strict", "greedy")


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """A tree of the clades of many trees.

    Attributes
    ----------
    tree : Tree
        Without heights, with the names of the items.
    support : (m - n,) float array
        The share of the trees that have the clade of each inner node; 1 for the root.
    count : int
        The number of trees.

    Examples
    --------
    >>> texts = ("((a,b),c,d);", "((a,b),(c,d));", "((a,b),(c,d));")
    >>> trees = [hcbench.Tree.from_newick(text) for text in texts]
    >>> consensus = hcbench.analysis.consensus_tree(trees)
    >>> consensus.tree.to_newick()
    '((c,d),(a,b));'
    >>> consensus.labels
    ['67', '100', '']
    """

    tree: Tree
    support: NDArray[np.float64]
    count: int

    @property
    def labels(self) -> list[str]:
        """The support of the inner nodes in per cent; "" of the root, which all trees have."""
        labels = [f"{100 * share:.0f}" for share in self.support.tolist()]
        labels[-1] = ""
        return labels


def consensus_tree(trees: Sequence[Tree], rule: Rule = "majority") -> Consensus:
    """The tree of the clades that many trees have.

    Parameters
    ----------
    trees : sequence of Tree
        With the same items; matched by name if the first has names.
    rule : {"majority", "strict", "greedy"}
        Which clades: those of more than half of the trees; those of all; or those of the majority,
        and then the most frequent ones that fit.

    Raises
    ------
    DataError
        If there is no tree, or the trees have other items.

    Notes
    -----
    Clades are those of the trees as they are rooted. O(n²) for each tree.

    Examples
    --------
    >>> texts = ("((a,b),c,d);", "((a,b),(c,d));", "((a,b),(c,d));")
    >>> trees = [hcbench.Tree.from_newick(text) for text in texts]
    >>> consensus_tree(trees).support.round(2).tolist()
    [0.67, 1.0, 1.0]
    >>> consensus_tree(trees, "strict").tree.to_newick()
    '(c,d,(a,b));'
    """
    one_of(rule, "rule", get_args(Rule))
    if not trees:
        raise DataError("there is no tree of which a consensus could be made")
    first = trees[0]
    counts = count_clades(_in_order_of_first(trees))
    # Sorted by their keys: sets of bytes have another order in each process.
    clades = sorted(_chosen_clades(counts, len(trees), first.n, rule))
    members = np.unpackbits(
        np.frombuffer(b"".join(clades), dtype=np.uint8).reshape(len(clades), -1),
        axis=1,
        count=first.n,
    ).astype(np.bool_)
    # The root is the largest clade, and behind all others.
    order = np.argsort(members.sum(axis=1), kind="stable")
    members = members[order]
    counts_in_order = [counts[clades[position]] for position in order.tolist()]
    support = np.array(counts_in_order) / len(trees)
    tree = Tree.from_parents(_parents_of_clades(members), names=first.names)
    return Consensus(tree, _support_of_nodes(tree, members, support), len(trees))


def _in_order_of_first(trees: Sequence[Tree]) -> Iterable[Tree]:
    """The trees with their leaves in the order of the first one."""
    items = trees[0].named_items("tree 1")
    for number, tree in enumerate(trees, start=1):
        yield tree.matched_with(items, tree.named_items(f"tree {number}"))


def count_clades(trees: Iterable[Tree]) -> Counter[bytes]:
    """In how many trees each clade of two items or more is, also that of the root.

    Parameters
    ----------
    trees : iterable of Tree
        With their leaves in the same order.

    Returns
    -------
    Counter
        The key of a clade has a bit for each item, as `numpy.packbits` makes them.
    """
    counts: Counter[bytes] = Counter()
    for tree in trees:
        start, end = tree.leaf_range
        position = np.empty(tree.n, dtype=np.int64)
        position[tree.leaf_order] = np.arange(tree.n)
        # The leaves below a node are neighbours in the order of the leaves.
        is_right = position >= start[tree.n :, None]
        is_left = position < end[tree.n :, None]
        rows = np.packbits(is_right & is_left, axis=1)
        # A set, so that a tree counts once for each of its clades.
        clades = {row.tobytes() for row in rows}
        counts.update(clades)
    return counts


def _chosen_clades(counts: Counter[bytes], n_trees: int, n: int, rule: Rule) -> list[bytes]:
    """The clades of the consensus, with that of the root."""
    if rule == "strict":
        return [clade for clade, count in counts.items() if count == n_trees]
    clades = []
    minority = []
    for clade, count in counts.items():
        if 2 * count > n_trees:
            clades.append(clade)
        else:
            minority.append(clade)
    if rule == "majority":
        return clades
    # Of clades that are equally frequent, the larger one first, and then in the order of their
    # keys, so that the result does not depend on the order of the trees.
    minority.sort(key=lambda clade: (-counts[clade], -int.from_bytes(clade).bit_count(), clade))
    numbers = [int.from_bytes(clade) for clade in clades]
    for clade in minority:
        # A binary tree has n - 1 clades, and no more fit.
        if len(numbers) == n - 1:
            break
        number = int.from_bytes(clade)
        if all(_fit(number, present) for present in numbers):
            numbers.append(number)
            clades.append(clade)
    return clades


def _fit(first: int, second: int) -> bool:
    """Whether two clades, as bits, are disjoint or one is in the other."""
    return first & second in (0, first, second)


def _parents_of_clades(members: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The parents of the leaves, then of the clades, which are sorted by size."""
    n_clades, n = members.shape
    parents = np.full(n + n_clades, -1, dtype=np.int64)
    # Of each item, the largest clade so far that has it.
    top = np.arange(n)
    for clade, is_member in enumerate(members):
        parents[np.unique(top[is_member])] = n + clade
        top[is_member] = n + clade
    return parents


def _support_of_nodes(
    tree: Tree, members: NDArray[np.bool_], support: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The support of the inner nodes of a tree, whose numbers may differ from those of clades."""
    share_of = {}
    for is_member, share in zip(members, support.tolist(), strict=True):
        share_of[np.packbits(is_member).tobytes()] = share
    shares = np.empty(tree.n_nodes - tree.n)
    for node in range(tree.n, tree.n_nodes):
        is_member = np.zeros(tree.n, dtype=np.bool_)
        is_member[tree.leaves(node)] = True
        shares[node - tree.n] = share_of[np.packbits(is_member).tobytes()]
    return shares
