"""4K-AL from active comparisons: pairs that touch landmarks are compared with reference pairs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Given, ModelWarning, Oracle, ParameterError, Tree, pair_items
from hcbench_quadruplets.linkage import tree_by_mean

DEFAULT_P = 0.1
DEFAULT_COUNT = 1_000_000
BLOCK = 1 << 20
"""Signs at a time, so questions at most: of up to 256 items 15 MB."""


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
    landmarks t^2 bytes for the t references that touch one.
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
    i, j : (m,) int arrays
        Items of the pairs, each pair once.
    position : (s, n) int array
        Of the pair of each landmark with each item, in ``i`` and ``j``; m for itself.
    rank : (n,) int array
        The row of each landmark, -1 for the other items.
    """

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    position: NDArray[np.int64]
    rank: NDArray[np.int64]

    def find(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where pairs (r,) are; -1 for one that touches no landmark."""
        i, j = np.where(self.rank[i] < 0, (j, i), (i, j))
        at, touches = np.full(i.shape, -1), self.rank[i] >= 0
        at[touches] = self.position[self.rank[i[touches]], j[touches]]
        return at


@dataclass(frozen=True, slots=True, eq=False)
class _References:
    """Reference pairs, each compared with the pairs of the same landmarks.

    No pair is compared with itself; of two references that are both such pairs, the later one is
    compared with the earlier one, and that is the answer for both.

    Attributes
    ----------
    landmarks : _Landmarks
    i, j : (r,) int arrays
        Items of the references.
    at : (r,) int array
        Where each is among the pairs of the landmarks; -1 if it touches none.
    touching : (t,) int array
        Numbers of those that touch a landmark.
    heard : (t, t) int8 array, written
        Row a, column b: sign of touching reference b compared with a, as far as it is known.
    """

    landmarks: _Landmarks
    i: NDArray[np.int64]
    j: NDArray[np.int64]
    at: NDArray[np.int64]
    touching: NDArray[np.int64]
    heard: NDArray[np.int8]

    def questions(self, part: slice) -> NDArray[Any]:
        """What is to be asked of some references (m, 4), of those that touch no landmark first."""
        these = self._touching_in(part)
        apart = self._against(self._apart_in(part)).reshape(-1, 4)
        if these.start == these.stop:
            return apart
        return np.concatenate([apart, self._against(self.touching[these])[self._is_new(these)]])

    def signs(self, part: slice, codes: NDArray[np.int8], *, own: bool) -> NDArray[np.int8]:
        """Signs (rows, n): a row for each of some references and each of their landmarks.

        Landmarks have the sign 1 of themselves if ``own``, else 0.
        """
        these, m = self._touching_in(part), self.landmarks.i.size
        apart = part.stop - part.start - (these.stop - these.start)
        signs = np.zeros((part.stop - part.start, m + 1), np.int8)
        signs[:, m] = own
        signs[:apart, :m] = codes[: apart * m].reshape(apart, m)
        if these.start < these.stop:
            self._hear(these, codes[apart * m :], signs[apart:, :m])
        return signs[:, self.landmarks.position].reshape(-1, self.landmarks.rank.size)

    def _hear(self, these: slice, codes: NDArray[np.int8], signs: NDArray[np.int8]) -> None:
        """Fill in signs (t, m) of touching references: the answers, and what was known already."""
        found = self.at[self.touching]
        signs[self._is_new(these)] = codes
        asked = signs[:, found]
        self.heard[these] += asked
        self.heard[:, these] -= asked.T
        signs[:, found] = self.heard[these]

    def _touching_in(self, part: slice) -> slice:
        """Which of the touching references are among those."""
        return slice(*np.searchsorted(self.touching, [part.start, part.stop]).tolist())

    def _apart_in(self, part: slice) -> NDArray[np.intp]:
        """Numbers of those that touch no landmark."""
        return np.flatnonzero(self.at[part] < 0) + int(part.start)

    def _against(self, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """All pairs of the landmarks against references (r, m, 4); an item takes few bytes."""
        shape = numbers.size, self.landmarks.i.size, 4
        rows = np.empty(shape, np.min_scalar_type(self.landmarks.rank.size - 1))
        rows[..., 0], rows[..., 1] = self.landmarks.i, self.landmarks.j
        rows[..., 2], rows[..., 3] = self.i[numbers, None], self.j[numbers, None]
        return rows

    def _is_new(self, these: slice) -> NDArray[np.bool_]:
        """Whether a pair is to be compared with touching references (t, m)."""
        number = np.arange(self.touching.size)
        new = np.ones((these.stop - these.start, self.landmarks.i.size), np.bool_)
        new[:, self.at[self.touching]] = number > number[these, None]
        return new


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
    return _Landmarks(items[row], j, position, rank)


def _planned(
    oracle: Oracle,
    n: int,
    references: int | None,
    p: float | None,
    q: float,
    fresh: bool,
    rng: np.random.Generator,
) -> Iterator[_References]:
    """The references, in their order, as far as there are questions left for them."""
    n_pairs = n * (n - 1) // 2
    left = oracle.ledger.left
    most = None if references is not None else _wanted(n_pairs, p)
    if left is not None:
        most = left if most is None else min(most, left)
    i, j = pair_items(rng.permutation(n_pairs)[:references], n)
    together = 1 if fresh else i.size
    planned = touched = 0
    for start in range(0, i.size, together):
        landmarks = _drawn(n, q, rng)
        these = slice(start, start + together)
        at = landmarks.find(i[these], j[these])
        total = planned + np.cumsum(_new_questions(at, landmarks.i.size))
        fits = total <= (total[-1] if most is None else most)
        fits[0] |= start == 0
        taken = int(np.count_nonzero(fits))
        if taken:
            planned = int(total[taken - 1])
            touched += taken * landmarks.i.size
            yield _compared_with(landmarks, i[these][:taken], j[these][:taken], at[:taken])
        if taken < at.size:
            break
    else:
        if references is None or references > n_pairs:
            _note_the_cap(n_pairs, references, p, planned, left)
    if not touched:
        warnings.warn(
            f"no item was drawn as a landmark with q={q:.3g}: the tree is arbitrary",
            ModelWarning,
            stacklevel=2,
        )


def _new_questions(at: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    """How many questions each of some references (r,) brings, by where it is among the m pairs."""
    return m - np.where(at >= 0, np.cumsum(at >= 0), 0)


def _compared_with(
    landmarks: _Landmarks, i: NDArray[np.int64], j: NDArray[np.int64], at: NDArray[np.int64]
) -> _References:
    touching = np.flatnonzero(at >= 0)
    return _References(landmarks, i, j, at, touching, np.zeros((touching.size,) * 2, np.int8))


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


def _blocks(plan: Iterable[_References]) -> Iterator[list[tuple[_References, slice]]]:
    """Parts of the references with at most `BLOCK` signs, or else one reference."""
    block: list[tuple[_References, slice]] = []
    signs = 0  # those known from earlier references need memory, too
    for references in plan:
        r, m = references.at.size, references.landmarks.i.size
        most = max(1, BLOCK // m) if m else r
        for start in range(0, r, most):
            part = slice(start, min(start + most, r))
            if block and signs + (part.stop - start) * m > BLOCK:
                yield block
                block, signs = [], 0
            block.append((references, part))
            signs += (part.stop - start) * m
    if block:
        yield block


def _asked(
    oracle: Oracle, block: list[tuple[_References, slice]], *, own: bool
) -> NDArray[np.float32]:
    """Signs (rows, n) of a block. Sums over it stay below 2^24, where float32 is exact."""
    questions = [references.questions(part) for references, part in block]
    codes = oracle.ask(np.concatenate(questions))
    signs = []
    end = 0
    for (references, part), rows in zip(block, questions, strict=True):
        start, end = end, end + len(rows)
        signs.append(references.signs(part, codes[start:end], own=own))
    return np.concatenate(signs).astype(np.float32)
