"""Answers of a person with which no tree agrees."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

Triplet: TypeAlias = tuple[Hashable, Hashable, Hashable]


def find_contradiction(triplets: Sequence[Triplet]) -> list[int]:
    """Find a minimal contradiction: no tree agrees with it, but some tree with each proper subset.

    Parameters
    ----------
    triplets : sequence of (a, b, c)
        Each means that a and b are closer to each other than to c.

    Returns
    -------
    list of int
        Positions of these triplets; empty if a tree agrees with all.

    Notes
    -----
    Build, of Aho, Sagiv, Szymanski & Ullman 1981, decides whether a tree exists: O(m height) for m
    triplets. Parts of the answers that are not needed for a contradiction are removed, in smaller
    and smaller parts: O(k log m) times that for the k that remain.
    """
    needed = _unsplittable_rows(triplets, list(range(len(triplets))))
    # Try to do without each run of ``size`` rows; then with runs of half the size.
    size = max(len(needed) // 2, 1)
    while needed:
        at = 0
        while at < len(needed):
            within = _unsplittable_rows(triplets, needed[:at] + needed[at + size :])
            if within:
                needed = within
            else:
                at += size
        if size == 1:
            break
        size //= 2
    return needed


def _unsplittable_rows(triplets: Sequence[Triplet], rows: list[int]) -> list[int]:
    """Rows whose items Build joins into one component, so that no tree exists; empty if none."""
    parts = [rows]
    while parts:
        part = parts.pop()
        root = _components(triplets, part)
        if part and len(set(root.values())) == 1:
            return part
        # Rows whose three items are in one component are left to the subtree of that component.
        inside: dict[Hashable, list[int]] = {}
        for row in part:
            a, _, c = triplets[row]
            if root[a] == root[c]:
                inside.setdefault(root[a], []).append(row)
        parts.extend(inside.values())
    return []


def _components(triplets: Sequence[Triplet], rows: list[int]) -> dict[Hashable, Hashable]:
    """For each item of these rows, a representative of the items joined with it."""
    above: dict[Hashable, Hashable] = {}

    def root(item: Hashable) -> Hashable:
        above.setdefault(item, item)
        while above[item] != item:
            # Halve the path, so that it is short the next time.
            above[item] = above[above[item]]
            item = above[item]
        return item

    for row in rows:
        a, b, c = triplets[row]
        above[root(a)] = root(b)
        root(c)
    return {item: root(item) for item in list(above)}
