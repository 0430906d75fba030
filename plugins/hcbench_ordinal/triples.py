"""Bottom-up and Build: trees from answers to non-adaptive queries about triples."""

from __future__ import annotations

from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, HeightKind, Items, NotApplicableError, Oracle, Tree
from hcbench_ordinal import _triple_kernels as kernels

MAX_TRIPLES = 50_000_000
"""Maximum number of triples of one batch: they take about 50 bytes each."""

_MOST_SHOWN = 4
"""Maximum number of answers that an error lists."""


def bottom_up(oracle: Oracle, items: Items, _rng: np.random.Generator) -> Tree:
    """Query all C(n,3) triples at once, and join the items from the smallest clusters up.

    The non-adaptive algorithm of Emamjomeh-Zadeh & Kempe 2018, section 2.2. The size of the
    smallest cluster that contains a pair is n minus the number of items that are the odd one out in
    a triple with it (proposition 2.2), so average linkage of these sizes gives the true tree, also
    with nodes of many children.

    Parameters
    ----------
    oracle : Oracle
        Of kind ordinal-queries. A wrong answer shifts a size by one; the result is then some tree,
        and a few of them usually change nothing.

    Returns
    -------
    Tree
        Kind NONE.

    Raises
    ------
    BudgetExceededError
        If the budget does not allow all triples; no query is made.
    NotApplicableError
        If there are more than `MAX_TRIPLES`.

    Notes
    -----
    One round. O(n^3) time and memory.
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    n = items.n
    if n < 3:
        return _small_tree(items)
    triples = _all_triples(n, "Bottom-up")
    answers = oracle.ask(triples)
    # The size of the smallest cluster that contains each pair of items, as a distance.
    size = n - kernels.count_outside(n, triples, answers)
    np.fill_diagonal(size, 0.0)
    merges = linkage(squareform(size, checks=False), "average")
    tree = Tree.from_linkage(merges, kind=HeightKind.DISTANCE)
    # Merges at one height are the children of one node.
    return Tree(tree.collapse_ties().parent, names=items.names)


def build(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    count: int | None = None,
    on_conflict: Literal["error", "star"] = "error",
) -> Tree:
    """Query random triples at once, and return the tree that agrees with all answers.

    Build, of Aho, Sagiv, Szymanski & Ullman 1981: items that the answers join stay together, the
    resulting parts are the children of the root, and the same is done inside each part. Answers
    NONE are ignored. With all answers the result is the true tree; with fewer, what they do not
    determine is unresolved.

    Parameters
    ----------
    oracle : Oracle
        Of kind ordinal-queries.
    count : int, optional
        Number of different triples, all equally likely; by default, or if there are fewer, all.
    on_conflict : {"error", "star"}
        If no tree agrees with all answers about some items: raise an error, or make these items the
        children of one node.

    Returns
    -------
    Tree
        Kind NONE.

    Raises
    ------
    DataError
        If answers are contradictory: reports a minimal set of them.
    BudgetExceededError
        If the budget does not allow all queries; none is made.
    NotApplicableError
        If there are more than `MAX_TRIPLES`.

    Notes
    -----
    One round. O((n + m) height) time for m triples, O(n + m) memory.
    """
    n = items.n
    if n < 3:
        return _small_tree(items)
    triples = _some_triples(n, count, rng)
    answers = oracle.ask(triples)
    rows = kernels.closer_pairs(triples, answers)
    parent, contradictory = kernels.build(n, rows, on_conflict == "star")
    if len(contradictory) > 0:
        conflict = smallest_conflict(n, contradictory)
        raise DataError(_describe_conflict(conflict, items.names))
    return Tree.from_parents(parent, names=items.names)


def smallest_conflict(n: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a minimal set of contradictory rows out of rows (a, b, c) (m, 3).

    Tries to remove each row: O(m) calls of Build on at most m rows.
    """
    conflict = rows
    for row in rows:
        without_row = conflict[(conflict != row).any(axis=1)]
        # Build reorders the rows that it takes.
        _, contradictory = kernels.build(n, without_row.copy(), star=False)
        if len(contradictory) > 0:
            # The other rows contradict each other without it.
            conflict = without_row
    return conflict


def _describe_conflict(rows: NDArray[np.int64], names: tuple[str, ...] | None) -> str:
    n_items = int(rows.max()) + 1
    if names is None:
        names = tuple(map(str, range(n_items)))
    statements = []
    for a, b, c in rows[:_MOST_SHOWN].tolist():
        statements.append(f"{names[a]} and {names[b]} without {names[c]}")
    answers = "; ".join(statements)
    if len(rows) > _MOST_SHOWN:
        answers += f" and {len(rows) - _MOST_SHOWN} more"
    return (
        f"no tree agrees with these answers: {answers}; on_conflict=star leaves the items "
        "concerned unresolved"
    )


def _small_tree(items: Items) -> Tree:
    """The only tree of one or two items."""
    if items.n == 1:
        return Tree([-1], names=items.names)
    return Tree([2, 2, -1], names=items.names)


def _all_triples(n: int, name: str) -> NDArray[np.int64]:
    total = comb(n, 3)
    _check_number(total, n, name)
    return kernels.triples_of(np.arange(total))


def _some_triples(n: int, count: int | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw different triples (m, 3), sorted by number."""
    total = comb(n, 3)
    if count is None or count >= total:
        return _all_triples(n, "Build")
    _check_number(count, n, "Build")
    if total <= 4 * MAX_TRIPLES:
        numbers = rng.choice(total, count, replace=False, shuffle=False)
        return kernels.triples_of(np.sort(numbers))
    # A small proportion, for which an array of all would be too large: numbers that are drawn
    # twice are replaced until there are none.
    numbers = np.unique(rng.integers(total, size=count))
    while numbers.size < count:
        numbers = np.union1d(numbers, rng.integers(total, size=count - numbers.size))
    return kernels.triples_of(numbers)


def _check_number(m: int, n: int, name: str) -> None:
    if m > MAX_TRIPLES:
        raise NotApplicableError(
            f"{name} would ask {m} queries about {n} items at once, more than {MAX_TRIPLES}; use "
            "fewer items, or an adaptive algorithm such as InsertionClustering"
        )
