"""What an algorithm may return, as a tree or a partition of its items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from hcbench.errors import InvalidTreeError
from hcbench.model.arrays import as_plain_array
from hcbench.model.names import NamedItems
from hcbench.model.problem import Result
from hcbench.model.trees import Partition, Tree
from hcbench.run.inputs import Items


def result_kind(result: Result) -> str:
    """Which of the two kinds of result it is: tree or partition.

    Examples
    --------
    >>> tree = hcbench.Tree.from_levels([[0], [0], [1], [1]])
    >>> result_kind(tree), result_kind(tree.cut(2))
    ('tree', 'partition')
    """
    if isinstance(result, Tree):
        return "tree"
    return "partition"


def result_of_call(returned: Any, items: Items) -> Result:
    """What an algorithm returned for its items, in their order and with their names.

    Leaves without names are the items by number, as queries are; so are leaves with the names
    0..n-1, which programs of others return.

    Raises
    ------
    InvalidTreeError
        As `as_result`.
    DataError
        If it has other names than the items.
    """
    result = as_result(returned, items.n)
    if result.names is None:
        return result.with_names(items.names)
    if result.names == items.names:
        return result

    expected = NamedItems(what="the items", n=items.n, names=items.names)
    item_numbers = {str(item) for item in range(items.n)}
    if set(result.names) == item_numbers:
        # Numbers as names are the items by number, whatever the items are called.
        expected = replace(expected, names=None)
    leaves = result.named_items(f"the {result_kind(result)} that the algorithm returned")
    return result.matched_with(expected, leaves).with_names(items.names)


def as_result(returned: Any, n: int) -> Result:
    """What an algorithm returned, as a Tree or a Partition of n items.

    A scipy linkage matrix (n-1, 4) and scikit-learn's ``children_`` (n-1, 2) are trees too; a
    vector of n labels is a partition.

    Raises
    ------
    InvalidTreeError
        If it is none of these, or of another number of items.
    """
    if isinstance(returned, Tree | Partition):
        result: Result = returned
    else:
        result = _result_of_array(as_plain_array(returned, "the result"), type(returned), n)
    if result.n != n:
        raise InvalidTreeError(f"the algorithm returned {result.n} leaves for {n} items")
    return result


def _result_of_array(array: NDArray[Any], returned_type: type, n: int) -> Result:
    """A tree or a partition of an array, whose shape and type say what it is."""
    if array.ndim == 2 and len(array) == n and array.dtype.kind in "bf":
        raise InvalidTreeError(
            "soft or overlapping clusters, a row of memberships for each item, are not "
            "supported; return one label for each item, such as memberships.argmax(axis=1)"
        )

    # scipy has 4 columns: the children, the height and the size; scikit-learn has the children.
    has_merges = array.ndim == 2 and array.shape[1] in (2, 4)
    if has_merges and len(array) != n - 1:
        raise InvalidTreeError(
            f"the algorithm returned {len(array)} merges of {n} items, not {n - 1}; the trees "
            "of a forest are joined below one root (Tree.from_parents)"
        )
    if has_merges and array.shape[1] == 4:
        return Tree.from_linkage(array)
    if has_merges:
        return Tree.from_children(array)
    if array.ndim == 1 and array.dtype.kind in "iu":
        return Partition(array)
    raise InvalidTreeError(
        f"the algorithm returned {returned_type.__name__}; return a Tree, a linkage "
        "matrix (n-1, 4), children (n-1, 2), or a Partition"
    )
