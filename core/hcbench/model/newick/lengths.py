"""Branch lengths of Newick as merge heights, and back.

The length of the path between two leaves is the distance at which they merge, as in ape,
scikit-bio, PHYLIP and BEAST: each leaf is at half of that distance below the merge. Lengths are
added as decimal numbers, without rounding. So what is written is read exactly, and equal heights
stay equal.
"""

from __future__ import annotations

import decimal
import warnings
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import InvalidTreeError, NewickWarning
from hcbench.model.numbers import read_number

Heights: TypeAlias = Literal["half", "whole"]
"""What the sums of branch lengths are: half of the distance of a merge, or the whole."""

LEVEL_TOLERANCE = Decimal("1e-6")
"""Differences between the leaves' distances to the root, relative to the largest, that are rounding
errors of numbers with single precision, whatever the number of digits."""

COARSEST_DIGIT = Decimal("0.1")
"""Largest unit of the last digit, relative to the height of the tree, that rounding explains."""

_ROUNDING = Decimal("1e-12")  # relative differences of heights that are rounding errors of doubles
#: Sums of doubles have at most 309 digits before and 1074 behind the point.
_EXACT = decimal.Context(prec=1400, traps=[])


def read_length(text: str) -> Decimal | None:
    """A branch length with all its digits, or None if the text is not a number."""
    if read_number(text) is None:
        return None
    return _EXACT.create_decimal(text.strip())


# ---- Writing -------------------------------------------------------------------------------------


def lengths_of_heights(
    parent: NDArray[np.int64], height: NDArray[np.float64], sign: int
) -> list[str]:
    """Branch lengths (m,) as text, half of the differences of heights; an inversion is negative.

    They are differences of the shortest decimal numbers that are read as the heights, so that the
    sum of any path is exact.

    Parameters
    ----------
    parent, height : array
        (m,) each; heights are finite.
    sign : {1, -1}
        -1 for heights that grow towards the leaves.
    """
    half = Decimal("0.5") * sign
    with decimal.localcontext(_EXACT):
        halves = [Decimal(repr(number)) * half for number in height.tolist()]
        lengths = []
        for node, above in enumerate(parent.tolist()):
            length = halves[above] - halves[node]
            lengths.append(_written(length))
    return lengths


def _written(length: Decimal) -> str:
    """The shortest usual form of a number."""
    if not length:
        return "0"
    shortest = length.normalize()
    if -5 <= shortest.adjusted() < 16:
        return f"{shortest:f}"
    return f"{shortest:e}"


# ---- Reading -------------------------------------------------------------------------------------


def heights_of_lengths(
    parent: NDArray[np.int64],
    lengths: Sequence[Decimal | None],
    heights: Heights | None = None,
) -> NDArray[np.float64] | None:
    """Merge heights (m,) of the nodes, 0 at the leaves; None if the lengths are no heights.

    All nodes but the root must have a length, and the leaves be on one level, up to the rounding of
    the digits that are written: there are heights whose differences, rounded to the last digit of
    each length, are the lengths. Lengths that are not heights cause a warning.

    Parameters
    ----------
    parent : (m,) int array
        Parents of the nodes; a parent has a larger id than its children, and the root the last.
    lengths : m Decimal or None
        Branch lengths of the nodes, with all their digits; that of the root has no meaning.
    heights : {"half", "whole"}, optional
        Whether the lengths from a node to a leaf sum to half of the distance at which the node
        merges (the default), or to the whole.

    Raises
    ------
    InvalidTreeError
        If ``heights`` is neither.
    """
    if heights not in (None, "half", "whole"):
        raise InvalidTreeError(
            f"heights={heights!r}: write half, if branch lengths from a node to a leaf sum to half "
            "of the distance at which it merges, or whole"
        )
    written = [length for length in lengths[:-1] if length is not None]
    if not written:
        return None
    try:
        if len(written) < len(lengths) - 1:
            raise _NotHeightsError("some are missing")
        with decimal.localcontext(_EXACT):
            above_leaves = _heights(parent.tolist(), written)
        factor = 2
        if heights == "whole":
            factor = 1
        # Rounded once, at the end: decimals have all digits until here.
        merged_at = np.array([float(factor * height) for height in above_leaves])
        if not np.isfinite(merged_at).all():
            raise _NotHeightsError("their sums are too large")
    except _NotHeightsError as reason:
        # At the line that calls a method of `Tree`, which calls another one, which calls this.
        warnings.warn(f"branch lengths are ignored: {reason}", NewickWarning, stacklevel=4)
        return None
    return merged_at


class _NotHeightsError(Exception):
    """Why branch lengths are no heights."""


def _heights(parent: Sequence[int], lengths: Sequence[Decimal]) -> list[Decimal]:
    """Heights (m,) above the leaves; the root has the last id.

    Raises
    ------
    _NotHeightsError
        If there are none.
    """
    root = len(parent) - 1
    if not all(length.is_finite() for length in lengths):
        raise _NotHeightsError("the leaves are not on one level, as some lengths are infinite")
    depth = [Decimal(0)] * (root + 1)
    is_leaf = [True] * (root + 1)
    for node in range(root - 1, -1, -1):
        depth[node] = depth[parent[node]] + lengths[node]
        is_leaf[parent[node]] = False
    leaf_depths = [depth[node] for node in range(root + 1) if is_leaf[node]]
    deepest = max(leaf_depths)
    shallowest = min(leaf_depths)
    if deepest == shallowest:
        heights = [deepest - of_node for of_node in depth]
    else:
        rounded = _Rounded(parent, lengths, is_leaf, deepest, shallowest)
        if not rounded.is_possible():
            raise _NotHeightsError(
                "the leaves are not on one level, but between "
                f"{float(shallowest):.6g} and {float(deepest):.6g} below the root"
            )
        heights = rounded.heights()
    lowest = min(heights)
    if lowest < -LEVEL_TOLERANCE * abs(deepest):
        raise _NotHeightsError(
            f"a node is at the height {float(lowest):.6g}; distances are not negative"
        )
    return [max(height, Decimal(0)) for height in heights]


class _Rounded:
    """Heights whose differences, rounded to the digits that are written, are the lengths.

    With h the height of a node and w the length of its branch, ``|h(parent) - h - w| <= u / 2``,
    where u is the unit of the last digit of w. The heights that a node can have for what is below
    it are an interval, computed from the leaves up. There are such heights if no interval is empty.

    Parameters
    ----------
    parent : sequence of int
        (m,); a parent has a larger id than its children.
    lengths : sequence of Decimal
        (m-1,), of all nodes but the root.
    is_leaf : sequence of bool
        (m,).
    deepest, shallowest : Decimal
        Distances to the root of the leaves.
    """

    def __init__(
        self,
        parent: Sequence[int],
        lengths: Sequence[Decimal],
        is_leaf: Sequence[bool],
        deepest: Decimal,
        shallowest: Decimal,
    ) -> None:
        self.parent = parent
        self.lengths = lengths
        self.is_leaf = is_leaf
        self.scale = abs(deepest)
        self.spread = deepest - shallowest
        self.units = _units(lengths)
        m = len(parent)
        # Leaves may be this far from their level whatever the number of digits.
        slack = LEVEL_TOLERANCE * self.scale / 2
        self.low: list[Decimal] = []
        self.high: list[Decimal] = []
        for node in range(m):
            if is_leaf[node]:
                self.low.append(-slack)
                self.high.append(slack)
            else:
                # Inner nodes are limited by the leaves below them only.
                self.low.append(Decimal("-Infinity"))
                self.high.append(Decimal("Infinity"))
        # The sum of lengths down to the leaf below which is reached by the fewest branches, as each
        # adds a rounding error.
        self.best = [Decimal(0)] * m
        # Of leaves no branch; of inner nodes more than any path has, until a leaf is known.
        self.n_rounded = [m] * m
        for node, leaf in enumerate(is_leaf):
            if leaf:
                self.n_rounded[node] = 0
        for node in range(m - 1):
            self._tell_parent(node)

    def _tell_parent(self, node: int) -> None:
        above = self.parent[node]
        shortest, longest = self._branch(node)
        self.low[above] = max(self.low[above], self.low[node] + shortest)
        self.high[above] = min(self.high[above], self.high[node] + longest)
        if self.n_rounded[node] + 1 < self.n_rounded[above]:
            self.n_rounded[above] = self.n_rounded[node] + 1
            self.best[above] = self.best[node] + self.lengths[node]

    def _branch(self, node: int) -> tuple[Decimal, Decimal]:
        """The least and the largest length that is rounded to the one that is written."""
        length = self.lengths[node]
        half = self.units[node] / 2
        shortest = length - half
        # Only an inversion has a negative length, and it would have a sign.
        if length >= 0:
            shortest = max(shortest, Decimal(0))
        return shortest, length + half

    def is_possible(self) -> bool:
        """Whether there are such heights."""
        tolerance = LEVEL_TOLERANCE * self.scale
        if self.spread <= tolerance:
            return True
        if max(self.units) > COARSEST_DIGIT * self.scale:
            return False
        # Leaves with one parent have one length, which is written with the same digits.
        of_leaf: dict[int, Decimal] = {}
        for node, length in enumerate(self.lengths):
            if self.is_leaf[node]:
                first = of_leaf.setdefault(self.parent[node], length)
                if abs(first - length) > tolerance:
                    return False
        return all(low <= high for low, high in zip(self.low, self.high, strict=True))

    def heights(self) -> list[Decimal]:
        """Such heights (m,), from the root down; those of leaves are 0."""
        root = len(self.parent) - 1
        heights = [Decimal(0)] * (root + 1)
        heights[root] = _clipped(self.best[root], self.low[root], self.high[root])
        for node in range(root - 1, -1, -1):
            if self.is_leaf[node]:
                continue
            above = heights[self.parent[node]]
            shortest, longest = self._branch(node)
            # Nodes with a branch of 0 between them are at one height where that is possible.
            preferred = self.best[node]
            if self.lengths[node] == 0:
                preferred = above
            low = max(self.low[node], above - longest)
            high = min(self.high[node], above - shortest)
            heights[node] = _clipped(preferred, low, high)
        self._tie(heights)
        return heights

    def _tie(self, heights: list[Decimal]) -> None:
        """Make heights equal that differ by rounding errors of doubles."""
        inner = [node for node in range(len(heights)) if not self.is_leaf[node]]
        inner.sort(key=lambda node: heights[node])
        tied: list[int] = []
        for node in inner:
            if tied and heights[node] - heights[tied[-1]] > _ROUNDING * self.scale:
                self._tie_nodes(tied, heights)
                tied = []
            tied.append(node)
        self._tie_nodes(tied, heights)

    def _tie_nodes(self, nodes: Sequence[int], heights: list[Decimal]) -> None:
        most_exact = min(nodes, key=lambda node: self.n_rounded[node])
        for node in nodes:
            heights[node] = heights[most_exact]


def _clipped(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    return max(low, min(value, high))


def _units(lengths: Sequence[Decimal]) -> list[Decimal]:
    """The unit (m-1,) of the last digit of each length.

    Zeros at the end may be missing, so that the digits of one length do not show it. Numbers are
    written either with one number of decimals or with one number of significant digits: the largest
    of all lengths. The unit is the larger one by these two.
    """
    decimals = 0
    digits = 1
    exponents = []
    for length in lengths:
        written = length.as_tuple()
        assert isinstance(written.exponent, int)  # it is finite
        exponents.append(written.exponent)
        if length:
            digits = max(digits, len(written.digits))
    decimals = -min(exponents)
    units = []
    for length in lengths:
        by_decimals = Decimal(1).scaleb(-decimals)
        by_digits = by_decimals
        if length:
            by_digits = Decimal(1).scaleb(length.adjusted() - digits + 1)
        units.append(max(by_decimals, by_digits))
    return units
