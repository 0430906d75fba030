"""Which answers of a person no tree agrees with."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

Triplet: TypeAlias = tuple[Hashable, Hashable, Hashable]


def find_contradiction(triplets: Sequence[Triplet]) -> list[int]:
    """The smallest contradiction that is found: answers of which none can be left out.

    Parameters
    ----------
    triplets : sequence of (a, b, c)
        Each says that a and b are closer to each other than to c.

    Returns
    -------
    list of int
        Positions of triplets that no tree agrees with, though one does with all of them but any
        one; empty if one agrees with all.

    Notes
    -----
    Build, of Aho, Sagiv, Szymanski & Ullman 1981, says whether there is a tree: O(m height) for m
    triplets. Parts of the answers that do not matter are left out, ever smaller ones: O(k log m)
    times that for k that remain.
    """
    kept = _stuck(triplets, list(range(len(triplets))))
    size = max(len(kept) // 2, 1)
    while kept:
        at = 0
        while at < len(kept):
            within = _stuck(triplets, kept[:at] + kept[at + size :])
            if within:
                kept = within
            else:
                at += size
        if size == 1:
            break
        size //= 2
    return kept


def _stuck(triplets: Sequence[Triplet], rows: list[int]) -> list[int]:
    """Rows about items that cannot be told apart: Build joins them all. Empty if it never does."""
    parts = [rows]
    while parts:
        part = parts.pop()
        root = _joined(triplets, part)
        if part and len(set(root.values())) == 1:
            return part
        inside: dict[Hashable, list[int]] = {}
        for row in part:
            a, _, c = triplets[row]
            if root[a] == root[c]:
                inside.setdefault(root[a], []).append(row)
        parts.extend(inside.values())
    return []


def _joined(triplets: Sequence[Triplet], rows: list[int]) -> dict[Hashable, Hashable]:
    """For each item of these rows, one that stands for all that are joined with it."""
    above: dict[Hashable, Hashable] = {}

    def root(item: Hashable) -> Hashable:
        above.setdefault(item, item)
        while above[item] != item:
            above[item] = item = above[above[item]]
        return item

    for row in rows:
        a, b, c = triplets[row]
        above[root(a)] = root(b)
        root(c)
    return {item: root(item) for item in list(above)}
