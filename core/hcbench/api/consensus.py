"""The consensus of the trees of files: posterior samples, bootstraps, trees of several programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hcbench.analysis.consensus import Consensus, Rule, consensus_tree
from hcbench.errors import DataError
from hcbench.files.trees import ALL_TREES, TreeFile
from hcbench.model.names import common_positions, few_names
from hcbench.model.trees import Tree

#: The fewest items of which trees can differ.
LEAST_ITEMS = 3


def read_samples(files: Sequence[TreeFile], burn_in: float = 0.0) -> list[Tree]:
    """The trees of several files, without the first ones of each.

    Parameters
    ----------
    files : sequence of TreeFile
        All trees of each, unless one is chosen.
    burn_in : float
        The share of the trees of each file that is omitted, where the file states none.

    Raises
    ------
    DataError
        If a file cannot be read, or its leaves have no labels.
    """
    trees = []
    for file in files:
        if file.tree is not None and not file.has_many:
            of_file = [file.read()]
        else:
            # A share that the file's own text states, as in "FILE[burn_in=.1]", comes first.
            share = file.burn_in or burn_in
            of_file = replace(file, tree=ALL_TREES, burn_in=share).read_all()
        if of_file[0].names is None and file.is_newick:
            raise DataError(f"{file}: the leaves have no labels, and their order is arbitrary")
        trees += of_file
    return trees


def restrict_to_common(trees: Sequence[Tree]) -> tuple[list[Tree], str]:
    """Trees with the items that all have, in the order of the first, and a note that says which.

    Raises
    ------
    DataError
        If fewer than `LEAST_ITEMS` are in all.
    """
    items = []
    for number, tree in enumerate(trees, start=1):
        items.append(tree.named_items(f"tree {number}"))
    positions = common_positions(items)
    n_common = len(positions[0])
    # A dictionary, as it keeps the order in which the trees have the items.
    dropped: dict[str, None] = {}
    restricted = []
    for tree, of_tree in zip(trees, positions, strict=True):
        remaining = set(of_tree.tolist())
        for leaf in range(tree.n):
            if leaf in remaining:
                continue
            if tree.names is None:
                dropped[str(leaf)] = None
            else:
                dropped[tree.names[leaf]] = None
        names = _names_of_first(trees[0], positions[0])
        restricted.append(tree.restrict(of_tree).with_names(names))
    if n_common < LEAST_ITEMS:
        raise DataError(
            f"{n_common} items are in all trees, and {LEAST_ITEMS} is the least; dropped would be "
            f"{few_names(list(dropped))}"
        )
    note = f"{n_common} items are in all trees"
    if dropped:
        note += f"; dropped: {few_names(list(dropped))}"
    return restricted, note


def _names_of_first(tree: Tree, positions: NDArray[np.int64]) -> list[str] | None:
    """The names of some leaves; None without names."""
    if tree.names is None:
        return None
    return [tree.names[position] for position in positions.tolist()]


def consensus_of_files(
    files: Sequence[TreeFile],
    *,
    rule: Rule = "majority",
    burn_in: float = 0.0,
    common: bool = False,
) -> tuple[Consensus, list[str]]:
    """The consensus of all trees of several files, and notes about them.

    Parameters
    ----------
    files : sequence of TreeFile
    rule : {"majority", "strict", "greedy"}
        As of `hcbench.analysis.consensus_tree`.
    burn_in : float
        The share of the trees of each file, the first ones, that is omitted.
    common : bool
        Whether the trees are restricted to the items that all have.

    Raises
    ------
    DataError
        If a file cannot be read, or the trees have other items.
    """
    trees = read_samples(files, burn_in)
    notes = []
    if common:
        trees, note = restrict_to_common(trees)
        notes.append(note)
    try:
        return consensus_tree(trees, rule), notes
    except DataError as error:
        # The trees are of different items. What helps is known here, not in the analysis.
        raise DataError(
            f"{error}; --common restricts the trees to the items that all have"
        ) from error
