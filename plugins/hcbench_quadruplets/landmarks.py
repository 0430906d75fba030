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

    def find(self, i: Items, j: Items) -> NDArray[np.int64]:
        """Positions of pairs (r,); -1 for a pair without a landmark."""
        i, j = np.where(self.rank[i] < 0, (j, i), (i, j))
        at, touches = np.full(i.shape, -1), self.rank[i] >= 0
        at[touches] = self.position[self.rank[i[touches]], j[touches]]
        return at


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
    at : (r,) int array
        Position of each among the pairs of the landmarks; -1 if it contains none.
    touching : (t,) int array
        Numbers of those that contain a landmark.
    known : (t, t) int8 array, written
        Row a, column b: sign of touching reference b compared with a, or 0 if not yet known.
    """

    landmarks: Landmarks
    i: Items
    j: Items
    at: NDArray[np.int64]
    touching: NDArray[np.int64]
    known: NDArray[np.int8]

    def ask_about(self, part: slice, rows: NDArray[Any]) -> int:
        """Write the queries about some references into ``rows`` (4, any); return their number.

        References without a landmark come first, one pair after the other, so that consecutive
        queries are close to each other in the ledger.
        """
        selected, others = self._touching_slice(part), self._others_in(part)
        m = self.landmarks.i.size
        new = self._is_new(selected)
        grid = rows[:, : m * others.size].reshape(4, m, others.size)
        grid[0], grid[1] = self.landmarks.i[:, None], self.landmarks.j[:, None]
        grid[2], grid[3] = self.i[others], self.j[others]
        if not new.size:
            return m * others.size
        end = m * others.size + np.count_nonzero(new)
        touching = self.touching[selected, None]
        items_of_rows = self.landmarks.i, self.landmarks.j, self.i[touching], self.j[touching]
        for row, items in zip(rows[:, m * others.size : end], items_of_rows, strict=True):
            row[:] = np.broadcast_to(items, new.shape)[new]
        return int(end)

    def signs(self, part: slice, codes: NDArray[np.int8], *, own: bool) -> NDArray[np.int8]:
        """Signs (n, columns): a column for each landmark and each of some references.

        The sign of a landmark with itself is 1 if ``own``, else 0.
        """
        selected, m = self._touching_slice(part), self.landmarks.i.size
        r = part.stop - part.start
        others = r - (selected.stop - selected.start)
        signs = np.full((m + 1, r), own, np.int8)
        signs[:m, :others] = codes[: m * others].reshape(m, others)
        if others < r:
            signs[:m, others:] = self._touching_signs(selected, codes[m * others :]).T
        return signs[self.landmarks.position.T].reshape(self.landmarks.rank.size, -1)

    def _touching_signs(self, selected: slice, codes: NDArray[np.int8]) -> NDArray[np.int8]:
        """Signs (t, m) of touching references: the answers, and signs known from earlier ones."""
        found = self.at[self.touching]
        new = self._is_new(selected)
        signs = np.zeros(new.shape, np.int8)
        signs[new] = codes
        asked = signs[:, found]
        self.known[selected] += asked
        self.known[:, selected] -= asked.T
        signs[:, found] = self.known[selected]
        return signs

    def _touching_slice(self, part: slice) -> slice:
        """Slice of the touching references in this part."""
        return slice(*np.searchsorted(self.touching, [part.start, part.stop]).tolist())

    def _others_in(self, part: slice) -> NDArray[np.intp]:
        """Numbers of the references that contain no landmark."""
        return np.flatnonzero(self.at[part] < 0) + int(part.start)

    def _is_new(self, selected: slice) -> NDArray[np.bool_]:
        """Whether each pair must still be compared with touching references (t, m)."""
        number = np.arange(self.touching.size)
        new = np.ones((selected.stop - selected.start, self.landmarks.i.size), np.bool_)
        new[:, self.at[self.touching]] = number > number[selected, None]
        return new


def draw_landmarks(n: int, q: float, rng: np.random.Generator) -> Landmarks:
    """Draw landmarks (s), and list the s(n-1) - s(s-1)/2 pairs that contain one."""
    items = np.flatnonzero(rng.random(n) < q)
    rank = np.full(n, -1)
    rank[items] = np.arange(items.size)
    other = np.arange(n)
    first_seen = (rank < 0) | (other > items[:, None])  # a pair of two landmarks only once
    j, row = np.nonzero(first_seen.T)
    position = np.full((items.size, n), row.size)
    position[row, j] = np.arange(row.size)
    between = position[:, items]
    position[:, items] = np.minimum(between, between.T)
    few = few_bytes(n)
    return Landmarks(items[row].astype(few), j.astype(few), position, rank)


def compared_with(landmarks: Landmarks, i: Items, j: Items, at: NDArray[np.int64]) -> References:
    """References in the order in which the ledger numbers pairs."""
    order = np.lexsort((np.minimum(i, j), np.maximum(i, j)))
    i, j, at = i[order], j[order], at[order]
    touching = np.flatnonzero(at >= 0)
    return References(landmarks, i, j, at, touching, np.zeros((touching.size,) * 2, np.int8))


def few_bytes(n: int) -> np.dtype[Any]:
    """Smallest integer type for n items, as a million queries are written at a time."""
    return np.min_scalar_type(n - 1)
