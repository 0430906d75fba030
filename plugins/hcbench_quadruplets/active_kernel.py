"""4K-AL from active comparisons: pairs that touch landmarks are compared with reference pairs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Given, ModelWarning, Oracle, ParameterError, Tree, pair_items
from hcbench_quadruplets.linkage import tree_by_mean

DEFAULT_P = 0.1
DEFAULT_COUNT = 1_000_000
BLOCK = 1 << 20
"""Signs at a time, so questions at most: 100 MB with the ledger's notes of them."""


def four_k_al_act(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    references: int | None = None,
    p: float | None = None,
    landmarks: Literal["shared", "fresh"] = "shared",
    q: float | None = None,
    kernel: Literal["paper", "code"] = "paper",
) -> Tree:
    """Average linkage on the active quadruplets kernel.

    Equation 2 of Ghoshdastidar, Perrot & von Luxburg 2019: with sign(ik, r) = 1 if w_ik > w_r, -1
    if w_ik < w_r, 0 if they are tied or the same pair,

        K_ij = sum over references r and landmarks k != i, j of sign(ik, r) sign(jk, r).

    Reference pairs are drawn without replacement; every item is a landmark with probability q.

    Parameters
    ----------
    oracle : Oracle
        Of kind quadruplet-queries. A budget leaves as many references as it has questions for.
    references : int, optional
        Number of reference pairs.
    p : float, optional
        Instead: as many references as make at most this part of all M(M-1)/2 comparisons of the
        M = n(n-1)/2 pairs, but one at least. With neither, 0.1, or 1,000,000 comparisons where that
        is fewer.
    landmarks : {"shared", "fresh"}
        Whether all references share one set of landmarks, or each has its own.
    q : float, optional
        ln(n) / n if left out.
    kernel : {"paper", "code"}
        "code" is what the authors' program computes: all items are landmarks, and k runs over i and
        j as well, where an item counts as more similar to itself than any pair is.

    Returns
    -------
    Tree
        Kind ORDER; ``linkage`` is the mean of K over the two clusters of each merge. K is of
        integers, and ties are exact: see `merge_by_mean`.

    Raises
    ------
    ParameterError
        If parameters exclude each other.
    BudgetExceededError
        If the budget does not allow one reference.

    Warns
    -----
    ModelWarning
        If there are fewer pairs than references wanted, or never a landmark.

    Notes
    -----
    No question depends on an answer; they are asked in blocks of at most `BLOCK`, each a round.
    With shared landmarks no question is asked twice; with fresh ones two references may be compared
    with each other twice. O(n^2 |S|) time for each reference, 16 n^2 bytes, and with shared
    landmarks n |S| bytes for each reference that touches one.
    """
    if references is not None and p is not None:
        raise ParameterError("4K-AL-act takes references or p, not both")
    if kernel == "code" and (q is not None or landmarks == "fresh"):
        raise ParameterError(
            "4K-AL-act[kernel=code] takes all items as landmarks; leave out q and landmarks"
        )
    if given.n == 1:
        return tree_by_mean(np.zeros((1, 1), np.int64), given.names)
    chance = 1.0 if kernel == "code" else np.log(given.n) / given.n if q is None else q
    plan = _planned(oracle, given.n, references, p, chance, landmarks == "fresh", rng)
    similarity = np.zeros((given.n, given.n), np.int64)
    for block in _blocks(plan):
        signs = _asked(oracle, block, own=kernel == "code")
        similarity += (signs.T @ signs).astype(np.int64)
    return tree_by_mean(similarity, given.names)


@dataclass(frozen=True, slots=True, eq=False)
class _Landmarks:
    """The pairs that touch a set of landmarks.

    Attributes
    ----------
    i, j : (m,) int64 arrays
        Items of the pairs, each pair once.
    position : (s, n) int array
        Of the pair of each landmark with each item, in ``i`` and ``j``; m for itself.
    rank : (n,) int array
        The row of each landmark, -1 for the other items.
    answered : list of (m,) int8 arrays
        Signs for the references that are such pairs, in their order.
    reference_at : list of int
        Where those references are in ``i`` and ``j``.
    """

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    position: NDArray[np.int64]
    rank: NDArray[np.int64]
    answered: list[NDArray[np.int8]]
    reference_at: list[int]

    def find(self, i: int, j: int) -> int:
        """Where a pair is; -1 if it touches no landmark."""
        if self.rank[i] < 0:
            i, j = j, i
        return int(self.position[self.rank[i], j]) if self.rank[i] >= 0 else -1


@dataclass(frozen=True, slots=True, eq=False)
class _Reference:
    """A reference pair and what is to be asked: pairs of the landmarks against this one.

    ``at`` is where the reference itself is among these pairs, or -1; the ``earlier`` references
    there have been compared with it already; ``new`` are the others.
    """

    items: tuple[int, int]
    landmarks: _Landmarks
    at: int
    earlier: int
    new: NDArray[np.int64]


def _drawn(n: int, q: float, rng: np.random.Generator) -> _Landmarks:
    """Landmarks (s) at random, and the s(n-1) - s(s-1)/2 pairs that touch them."""
    items = np.flatnonzero(rng.random(n) < q)
    rank = np.full(n, -1)
    rank[items] = np.arange(items.size)
    other = np.arange(n)
    first_seen = (rank < 0) | (other > items[:, None])  # of two landmarks: from the smaller one
    row, j = np.nonzero(first_seen)
    position = np.full((items.size, n), row.size)
    position[row, j] = np.arange(row.size)
    between = position[:, items]
    position[:, items] = np.minimum(between, between.T)
    return _Landmarks(items[row], j, position, rank, [], [])


def _planned(
    oracle: Oracle,
    n: int,
    references: int | None,
    p: float | None,
    q: float,
    fresh: bool,
    rng: np.random.Generator,
) -> Iterator[_Reference]:
    """The references, one after another, as far as there are questions left for them."""
    n_pairs = n * (n - 1) // 2
    left = oracle.ledger.left
    most = None if references is not None else _wanted(n_pairs, p)
    if left is not None:
        most = left if most is None else min(most, left)
    drawn = rng.permutation(n_pairs)[:references]
    landmarks = _drawn(n, q, rng)
    planned = touched = 0
    for number, (i, j) in enumerate(zip(*(x.tolist() for x in pair_items(drawn, n)), strict=True)):
        if fresh and number:
            landmarks = _drawn(n, q, rng)
        reference = _compared_with(i, j, landmarks)
        planned += reference.new.size
        if number and most is not None and planned > most:
            break
        touched += landmarks.i.size
        yield reference
    else:
        if references is None or references > n_pairs:
            _note_the_cap(n_pairs, references, p, planned, left)
    if not touched:
        warnings.warn(
            f"no item was drawn as a landmark with q={q:.3g}: the tree is arbitrary",
            ModelWarning,
            stacklevel=2,
        )


def _wanted(n_pairs: int, p: float | None) -> int:
    total = n_pairs * (n_pairs - 1) // 2
    return min(int(DEFAULT_P * total), DEFAULT_COUNT) if p is None else int(p * total)


def _note_the_cap(
    n_pairs: int, references: int | None, p: float | None, planned: int, left: int | None
) -> None:
    """Warn that there are no more pairs to be references."""
    if references is not None:
        wanted = f"references={references}"
    else:
        count = _wanted(n_pairs, p)
        if planned >= count or (left is not None and left < count):
            return
        wanted = f"{'the default' if p is None else f'p={p:g}'}, {count} comparisons,"
    warnings.warn(
        f"{wanted} would take more reference pairs than the {n_pairs} that exist: all of them were "
        f"taken, {planned} comparisons",
        ModelWarning,
        stacklevel=3,
    )


def _compared_with(i: int, j: int, landmarks: _Landmarks) -> _Reference:
    at = landmarks.find(i, j)
    new = np.ones(landmarks.i.size, np.bool_)
    earlier = len(landmarks.reference_at) if at >= 0 else 0
    if at >= 0:
        new[landmarks.reference_at] = False
        new[at] = False
        landmarks.reference_at.append(at)
    return _Reference((i, j), landmarks, at, earlier, np.flatnonzero(new))


def _blocks(plan: Iterator[_Reference]) -> Iterator[list[_Reference]]:
    block: list[_Reference] = []
    signs = 0  # those known from earlier references need memory, too
    for reference in plan:
        if block and signs + reference.landmarks.i.size > BLOCK:
            yield block
            block, signs = [], 0
        block.append(reference)
        signs += reference.landmarks.i.size
    if block:
        yield block


def _asked(oracle: Oracle, block: list[_Reference], *, own: bool) -> NDArray[np.float32]:
    """Signs (rows, n): a row for each reference and each of its landmarks.

    Landmarks have the sign 1 of themselves if ``own``, else 0. Sums over a block stay below 2^24,
    where float32 is exact.
    """
    rows = np.empty((sum(r.new.size for r in block), 4), np.int64)
    start = 0
    for r in block:
        part = rows[start : start + r.new.size]
        part[:, 0], part[:, 1] = r.landmarks.i[r.new], r.landmarks.j[r.new]
        part[:, 2:] = r.items
        start += r.new.size
    codes = oracle.ask(rows)
    signs = []
    start = 0
    for r in block:
        values = np.zeros(r.landmarks.i.size + 1, np.int8)
        values[r.new] = codes[start : start + r.new.size]
        start += r.new.size
        if r.at >= 0:
            known = r.landmarks.answered
            values[r.landmarks.reference_at[: r.earlier]] = [-x[r.at] for x in known[: r.earlier]]
            known.append(values[:-1])
        values[-1] = own
        signs.append(values[r.landmarks.position])
    return np.concatenate(signs).astype(np.float32)
