"""Landmarks of 4K-AL-act, the pairs that contain them, and the references for comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Items: TypeAlias = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Landmarks:
    """The pairs that contain a landmark.

    Attributes
    ----------
    i, j : (m,) arrays of any integer type
        Items of the pairs, each pair once.
    position : (s, n) int array
        Position in ``i`` and ``j`` of the pair of each landmark with each item; m for itself.
    rank : (n,) int array
        Row of each landmark, -1 for the other items.
    """

    i: Items
    j: Items
    position: NDArray[np.int64]
    rank: NDArray[np.int64]

    @property
    def n_pairs(self) -> int:
        """The number m of pairs that contain a landmark."""
        return self.i.size

    def find(self, i: Items, j: Items) -> NDArray[np.int64]:
        """Positions of pairs (r,); -1 for a pair without a landmark."""
        # Swap the items of a pair of which only the second is a landmark.
        is_swapped = self.rank[i] < 0
        landmark = np.where(is_swapped, j, i)
        partner = np.where(is_swapped, i, j)
        position = np.full(i.shape, -1)
        touches = self.rank[landmark] >= 0
        position[touches] = self.position[self.rank[landmark[touches]], partner[touches]]
        return position


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """Reference pairs, each compared with the pairs of the same landmarks.

    No pair is compared with itself; of two references that are both such pairs, the later one is
    compared with the earlier one, and that is the answer for both.

    Attributes
    ----------
    landmarks : Landmarks
    i, j : (r,) arrays of any integer type
        Items of the references.
    position : (r,) int array
        Position of each among the pairs of the landmarks; -1 if it contains none.
    touching : (t,) int array
        Numbers of those that contain a landmark.
    answered : (t, t) int8 array, written
        Row a, column b: sign of touching reference b compared with a, or 0 before it is answered.
    """

    landmarks: Landmarks
    i: Items
    j: Items
    position: NDArray[np.int64]
    touching: NDArray[np.int64]
    answered: NDArray[np.int8]

    def ask_about(self, part: slice, rows: NDArray[Any]) -> int:
        """Write the queries about some references into ``rows`` (4, any); return their number.

        References without a landmark come first, one pair after the other, so that consecutive
        queries are close to each other in the ledger.
        """
        touching = self._touching_in(part)
        without = self._without_landmark_in(part)
        m = self.landmarks.n_pairs
        n_without = m * without.size
        grid = rows[:, :n_without].reshape(4, m, without.size)
        grid[0] = self.landmarks.i[:, None]
        grid[1] = self.landmarks.j[:, None]
        grid[2] = self.i[without]
        grid[3] = self.j[without]
        # Touching references: only those comparisons that no earlier reference has answered.
        new = self._is_new(touching)
        if not new.size:
            return n_without
        end = n_without + int(np.count_nonzero(new))
        numbers = self.touching[touching, None]
        columns = (self.landmarks.i, self.landmarks.j, self.i[numbers], self.j[numbers])
        for row, items in zip(rows[:, n_without:end], columns, strict=True):
            row[:] = np.broadcast_to(items, new.shape)[new]
        return end

    def signs(self, part: slice, codes: NDArray[np.int8], *, with_itself: bool) -> NDArray[np.int8]:
        """Signs (n, columns): a column for each landmark and each of some references.

        The sign of a landmark with itself is 1 if ``with_itself``, else 0.
        """
        touching = self._touching_in(part)
        m = self.landmarks.n_pairs
        n_references = part.stop - part.start
        n_without = n_references - (touching.stop - touching.start)
        # Row m is that of a landmark with itself, to which `Landmarks.position` refers.
        signs = np.full((m + 1, n_references), with_itself, np.int8)
        signs[:m, :n_without] = codes[: m * n_without].reshape(m, n_without)
        if n_without < n_references:
            signs[:m, n_without:] = self._touching_signs(touching, codes[m * n_without :]).T
        return signs[self.landmarks.position.T].reshape(self.landmarks.rank.size, -1)

    def _touching_signs(self, touching: slice, codes: NDArray[np.int8]) -> NDArray[np.int8]:
        """Signs (t, m) of touching references: the answers, and those to earlier references."""
        positions = self.position[self.touching]
        new = self._is_new(touching)
        signs = np.zeros(new.shape, np.int8)
        signs[new] = codes
        # An answer about two touching references is that of both, with the opposite sign.
        between = signs[:, positions]
        self.answered[touching] += between
        self.answered[:, touching] -= between.T
        signs[:, positions] = self.answered[touching]
        return signs

    def _touching_in(self, part: slice) -> slice:
        """Slice of the touching references in this part."""
        start, stop = np.searchsorted(self.touching, [part.start, part.stop]).tolist()
        return slice(start, stop)

    def _without_landmark_in(self, part: slice) -> NDArray[np.intp]:
        """Numbers of the references in this part that contain no landmark."""
        return np.flatnonzero(self.position[part] < 0) + int(part.start)

    def _is_new(self, touching: slice) -> NDArray[np.bool_]:
        """Whether each pair must still be compared with touching references (t, m)."""
        number = np.arange(self.touching.size)
        n_touching = touching.stop - touching.start
        new = np.ones((n_touching, self.landmarks.n_pairs), np.bool_)
        # Of two touching references the later one is compared with the earlier one.
        new[:, self.position[self.touching]] = number > number[touching, None]
        return new


def draw_landmarks(n: int, q: float, rng: np.random.Generator) -> Landmarks:
    """Draw landmarks (s), and list the s(n-1) - s(s-1)/2 pairs that contain one."""
    items = np.flatnonzero(rng.random(n) < q)
    rank = np.full(n, -1)
    rank[items] = np.arange(items.size)
    # A pair of two landmarks is listed only once, as that of the first of them.
    is_listed = (rank < 0) | (np.arange(n) > items[:, None])
    j, row = np.nonzero(is_listed.T)
    # m, the number of listed pairs, is the position of a landmark with itself.
    position = np.full((items.size, n), row.size)
    position[row, j] = np.arange(row.size)
    between = position[:, items]
    position[:, items] = np.minimum(between, between.T)
    few = few_bytes(n)
    return Landmarks(items[row].astype(few), j.astype(few), position, rank)


def sorted_references(
    landmarks: Landmarks, i: Items, j: Items, position: NDArray[np.int64]
) -> References:
    """References in the order in which the ledger numbers pairs."""
    order = np.lexsort((np.minimum(i, j), np.maximum(i, j)))
    touching = np.flatnonzero(position[order] >= 0)
    answered = np.zeros((touching.size, touching.size), np.int8)
    return References(landmarks, i[order], j[order], position[order], touching, answered)


def few_bytes(n: int) -> np.dtype[Any]:
    """Smallest integer type for n items, as a million queries are written at a time."""
    return np.min_scalar_type(n - 1)
