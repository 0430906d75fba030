"""Bottom-up and Build: trees from answers about triples that are chosen beforehand."""

from __future__ import annotations

from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, Given, HeightKind, NotApplicableError, Oracle, Tree
from hcbench_ordinal import _triple_kernels as kernels

MAX_TRIPLES = 50_000_000
"""More than these are not asked about at once: they would take some 50 bytes each."""

_SHOWN = 4


def bottom_up(oracle: Oracle, given: Given, _rng: np.random.Generator) -> Tree:
    """Ask about all C(n,3) triples at once, and join the items from the smallest clusters up.

    The non-adaptive algorithm of Emamjomeh-Zadeh & Kempe 2018, section 2.2. n minus the number of
    items that are the odd one out beside a pair is the size of the smallest cluster that holds both
    of the pair (proposition 2.2), so average linkage of these sizes gives the true tree, nodes of
    many children included.

    Parameters
    ----------
    oracle : Oracle
        Of kind ordinal-queries. Wrong answers shift the sizes, each by one: some tree comes out,
        and few of them change nothing as a rule.

    Returns
    -------
    Tree
        Kind NONE.

    Raises
    ------
    BudgetExceededError
        If the budget does not allow all triples: then nothing is asked.
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
        return _few_items(given)
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
    """Ask about random triples at once, and find the tree that agrees with all answers.

    Build, of Aho, Sagiv, Szymanski & Ullman 1981: the items that the answers join stay together,
    the parts are the children of the root; and so on inside each part. Answers NONE say nothing.
    From all answers it is the true tree; from fewer, one that leaves open what they leave open.

    Parameters
    ----------
    oracle : Oracle
        Of kind ordinal-queries.
    count : int, optional
        Number of different triples, all equally likely; if left out, or more than there are, all.
    on_conflict : {"error", "star"}
        Where no tree agrees with all answers about some items: an error; or these items are the
        children of one node.

    Returns
    -------
    Tree
        Kind NONE.

    Raises
    ------
    DataError
        If answers contradict each other: it names some, none of which can be left out.
    BudgetExceededError
        If the budget does not allow all questions: then none is asked.
    NotApplicableError
        If there are more than `MAX_TRIPLES`.

    Notes
    -----
    One round. O((n + m) height) time for m triples, O(n + m) memory.
    """
    n = given.n
    if n < 3:
        return _few_items(given)
    triples = _some_triples(n, count, rng)
    rows = kernels.closer_pairs(triples, oracle.ask(triples))
    parent, wrong = kernels.build(n, rows, on_conflict == "star")
    if len(wrong):
        raise DataError(_conflict(smallest_conflict(n, wrong), given.names))
    return Tree.from_parents(parent, names=given.names)


def smallest_conflict(n: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows (a, b, c), out of contradictory ones (m, 3), of which none can be left out.

    Each is left out for a try: O(m) calls of Build on m rows at most.
    """
    kept = rows
    for row in rows:
        without = kept[(kept != row).any(axis=1)]
        _, wrong = kernels.build(n, without.copy(), star=False)
        if len(wrong):
            # What contradicts itself is inside; as little of that as Build needed.
            kept = without
    return kept


def _conflict(rows: NDArray[np.int64], names: tuple[str, ...] | None) -> str:
    def name(item: int) -> str:
        return str(item) if names is None else names[item]

    told = [f"{name(a)} and {name(b)} without {name(c)}" for a, b, c in rows[:_SHOWN].tolist()]
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return (
        f"no tree agrees with these answers: {'; '.join(told)}{more}; on_conflict=star leaves the "
        "items concerned unresolved"
    )


def _few_items(given: Given) -> Tree:
    return Tree([-1] if given.n == 1 else [2, 2, -1], names=given.names)


def _all_triples(n: int, name: str) -> NDArray[np.int64]:
    _check_number(comb(n, 3), n, name)
    return kernels.triples_of(np.arange(comb(n, 3)))


def _some_triples(n: int, count: int | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """Different triples (m, 3), sorted by number."""
    total = comb(n, 3)
    if count is None or count >= total:
        return _all_triples(n, "Build")
    _check_number(count, n, "Build")
    if total <= 4 * MAX_TRIPLES:
        return kernels.triples_of(np.sort(rng.choice(total, count, replace=False, shuffle=False)))
    # So few of so many: those drawn twice are replaced until there are none.
    drawn = np.unique(rng.integers(total, size=count))
    while drawn.size < count:
        drawn = np.union1d(drawn, rng.integers(total, size=count - drawn.size))
    return kernels.triples_of(drawn)


def _check_number(m: int, n: int, name: str) -> None:
    if m > MAX_TRIPLES:
        raise NotApplicableError(
            f"{name} asks about {m} triples of {n} items at once: at most {MAX_TRIPLES}; take "
            "fewer items, or an algorithm that asks adaptively"
        )
