"""The tree that an algorithm is given to cut."""

from __future__ import annotations

from hcbench import Items, NotApplicableError, Tree


def tree_of(items: Items) -> Tree:
    """The tree to be cut.

    Raises
    ------
    NotApplicableError
        If none is given.
    """
    if items.tree is None:
        raise NotApplicableError("there is no tree to cut: give one as the data")
    return items.tree
