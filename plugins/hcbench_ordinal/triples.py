"""Bottom-up and Build: trees from answers to non-adaptive queries about triples."""

from __future__ import annotations

from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, Given, HeightKind, NotApplicableError, Oracle, Tree
from hcbench_ordinal import _triple_kernels as kernels

MAX_TRIPLES = 50_000_000
"""Maximum number of triples of one batch: they take about 50 bytes each."""

_SHOWN = 4


def bottom_up(oracle: Oracle, given: Given, _rng: np.random.Generator) -> Tree:
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

    n = given.n
    if n < 3:
        return _small_tree(given)
    triples = _all_triples(n, "Bottom-up")
    outside = kernels.count_outside(n, triples, oracle.ask(triples))
    distance = squareform(n - outside - n * np.eye(n) + np.diag(outside.diagonal()), checks=False)
    tree = Tree.from_linkage(linkage(distance, "average"), kind=HeightKind.DISTANCE)
    return Tree(tree.collapse_ties().parent, names=given.names)


def build(
    oracle: Oracle,
    given: Given,
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
    n = given.n
    if n < 3:
        return _small_tree(given)
    triples = _some_triples(n, count, rng)
    rows = kernels.closer_pairs(triples, oracle.ask(triples))
    parent, wrong = kernels.build(n, rows, on_conflict == "star")
    if len(wrong):
        raise DataError(_describe_conflict(smallest_conflict(n, wrong), given.names))
    return Tree.from_parents(parent, names=given.names)


def smallest_conflict(n: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a minimal set of contradictory rows out of rows (a, b, c) (m, 3).

    Tries to remove each row: O(m) calls of Build on at most m rows.
    """
    conflict = rows
    for row in rows:
        without = conflict[(conflict != row).any(axis=1)]
        _, wrong = kernels.build(n, without.copy(), star=False)
        if len(wrong):
            # The contradiction is inside; start from the few rows that Build needed.
            conflict = without
    return conflict


def _describe_conflict(rows: NDArray[np.int64], names: tuple[str, ...] | None) -> str:
    def name(item: int) -> str:
        return str(item) if names is None else names[item]

    shown = [f"{name(a)} and {name(b)} without {name(c)}" for a, b, c in rows[:_SHOWN].tolist()]
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return (
        f"no tree agrees with these answers: {'; '.join(shown)}{more}; on_conflict=star leaves the "
        "items concerned unresolved"
    )


def _small_tree(given: Given) -> Tree:
    return Tree([-1] if given.n == 1 else [2, 2, -1], names=given.names)


def _all_triples(n: int, name: str) -> NDArray[np.int64]:
    _check_number(comb(n, 3), n, name)
    return kernels.triples_of(np.arange(comb(n, 3)))


def _some_triples(n: int, count: int | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw different triples (m, 3), sorted by number."""
    total = comb(n, 3)
    if count is None or count >= total:
        return _all_triples(n, "Build")
    _check_number(count, n, "Build")
    if total <= 4 * MAX_TRIPLES:
        return kernels.triples_of(np.sort(rng.choice(total, count, replace=False, shuffle=False)))
    # A small proportion: repeated ones are redrawn until there are none.
    drawn = np.unique(rng.integers(total, size=count))
    while drawn.size < count:
        drawn = np.union1d(drawn, rng.integers(total, size=count - drawn.size))
    return kernels.triples_of(drawn)


def _check_number(m: int, n: int, name: str) -> None:
    if m > MAX_TRIPLES:
        raise NotApplicableError(
            f"{name} would ask {m} queries about {n} items at once, more than {MAX_TRIPLES}; use "
            "fewer items, or an adaptive algorithm such as InsertionClustering"
        )
