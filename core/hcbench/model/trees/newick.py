"""Reading and writing Newick, the text format of trees: ``((a:1,b:1):2,c:3);``.

Use `Tree.from_newick` and `Tree.to_newick`.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from hcbench.errors import NewickError
from hcbench.model.trees._kernels import NewickScan, scan_newick, sum_from_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

ULTRAMETRIC_TOLERANCE = 1e-6
"""How far the leaves may be from one level, relative to the deepest leaf's distance to the root."""

_NEEDS_QUOTES = re.compile(r"[\s()\[\]{}:;,'\x00-\x20]|^$")
_CONTEXT = 20  # bytes shown on either side of an error

_MEANING = {
    NewickScan.UNCLOSED_COMMENT: "a comment is not closed: add ']'",
    NewickScan.UNCLOSED_QUOTE: "a quoted label is not closed: add a quote (inside, double it)",
    NewickScan.UNCLOSED_PARENTHESIS: "the text ends inside a parenthesis: add ')'",
    NewickScan.OUTSIDE: "a ',' or ')' stands outside of all parentheses: is a '(' missing?",
    NewickScan.UNEXPECTED: "a ',' or ')' was expected here",
    NewickScan.SECOND_LENGTH: "a node has a second branch length",
    NewickScan.AFTER_END: "there is text after the ';': read one tree at a time",
    NewickScan.EMPTY: "there is no tree in the text",
}


class NewickWarning(UserWarning):
    """Branch lengths of a Newick text cannot be used as heights."""


@dataclass(frozen=True, slots=True)
class NewickNodes:
    """What a Newick text says, before it is checked to be a tree.

    Attributes
    ----------
    parent
        (m,) parent ids, larger than the children's; leaves 0..n-1 in the order in which they
        appear; the root, m-1, has -1. Nodes with one child are as they are in the text.
    labels
        One for each leaf, or None if no leaf has one.
    length
        (m,) branch lengths, NaN where the text has none; the root's means nothing.
    """

    parent: NDArray[np.int64]
    labels: tuple[str, ...] | None
    length: NDArray[np.float64]


def read_newick(text: str) -> NewickNodes:
    """Read one tree.

    Comments in brackets and labels of inner nodes are left out. Labels may be quoted; in others
    underscores are kept, as are blanks between words. The last ``;`` may be missing.

    Raises
    ------
    NewickError
        If the text cannot be read, with the position, or if only some leaves have labels.
    """
    data = text.encode()
    down, span, status, at = scan_newick(np.frombuffer(data, dtype=np.uint8))
    if status != NewickScan.OK:
        raise _error_at(data, at, _MEANING[NewickScan(status)])
    # `down` numbers parents before children; here children come first and leaves before all others.
    is_leaf = np.bincount(down[1:], minlength=down.size) == 0
    node_id = np.where(is_leaf, is_leaf.cumsum() - 1, down.size - (~is_leaf).cumsum())
    parent = np.full(down.size, -1, dtype=np.int64)
    parent[node_id[1:]] = node_id[down[1:]]
    length = np.empty(down.size)
    length[node_id] = _read_lengths(data, span[:, 2:])
    return NewickNodes(parent, _read_labels(data, span[is_leaf, :2]), length)


def heights_of_lengths(nodes: NewickNodes) -> NDArray[np.float64] | None:
    """Height (m,) of each node above the leaves, or None if the lengths are no heights.

    All nodes but the root must have a length, and the leaves be on one level: their distances from
    the root agree up to :data:`ULTRAMETRIC_TOLERANCE`; they then get height 0. Where there are
    lengths that are no heights, the caller's caller is warned.
    """
    missing = np.isnan(nodes.length[:-1])
    if missing.all():
        return None
    height = None if missing.any() else _heights_above_leaves(nodes)
    if height is None:
        reason = "some are missing" if missing.any() else "the leaves are not on one level"
        warnings.warn(f"branch lengths are ignored: {reason}", NewickWarning, stacklevel=3)
    return height


def _heights_above_leaves(nodes: NewickNodes) -> NDArray[np.float64] | None:
    """Heights of lengths, all of which there are; None if the leaves are not on one level."""
    parent, length = nodes.parent, nodes.length.copy()
    parent.setflags(write=False)
    length.setflags(write=False)
    depth = sum_from_root(parent, length)
    is_leaf = np.bincount(parent[:-1], minlength=parent.size) == 0
    deepest, shallowest = depth[is_leaf].max(), depth[is_leaf].min()
    if not np.isfinite(deepest) or deepest - shallowest > ULTRAMETRIC_TOLERANCE * abs(deepest):
        return None
    return np.where(is_leaf, 0.0, deepest - depth)


def write_newick(
    leaf_range: tuple[NDArray[np.int64], NDArray[np.int64]],
    labels: Iterable[str],
    length: NDArray[np.float64] | None,
) -> str:
    """Write a tree.

    Parameters
    ----------
    leaf_range
        Where the run of each node's leaves starts and ends in leaf order, twice (m,).
    labels
        One for each of the n leaves; quoted where they must be.
    length
        (m,) branch lengths, the root's is not written; None to write none.
    """
    start, end = leaf_range
    names = [quoted(label) for label in labels]
    n, m = len(names), start.size
    opens = np.bincount(start[n:], minlength=n)[start[:n]].tolist()
    commas = ["," if position else "" for position in start[:n].tolist()]
    pieces = [comma + "(" * k + name for comma, k, name in zip(commas, opens, names, strict=True)]
    pieces += repeat(")", m - n)
    if length is not None:
        lengths = length[:-1].tolist()
        pieces[:-1] = [f"{piece}:{x!r}" for piece, x in zip(pieces[:-1], lengths, strict=True)]
    # Nodes that end at one leaf close in the order of their ids; each leaf opens those it begins.
    closing_order = np.argsort(end, kind="stable").tolist()
    return "".join([pieces[node] for node in closing_order]) + ";"


def quoted(label: str) -> str:
    """Put a label in quotes if Newick needs them."""
    if _NEEDS_QUOTES.search(label) is None:
        return label
    return "'" + label.replace("'", "''") + "'"


def match_labels(labels: Sequence[str] | None, names: Sequence[str]) -> NDArray[np.int64]:
    """Position in ``names`` of each label (n,).

    Raises
    ------
    NewickError
        If there are no labels, a name is given twice, or the two are not the same set.
    """
    if labels is None:
        raise NewickError("the leaves have no labels, so names cannot be matched; leave names out")
    position = {name: i for i, name in enumerate(names)}
    if len(position) < len(names):
        raise NewickError(f"{len(names)} names hold only {len(position)} different ones")
    present = set(labels)
    if present != position.keys():
        missing = [name for name in position if name not in present]
        extra = [label for label in labels if label not in position]
        raise NewickError(
            f"names and leaves differ: no leaf for {_some(missing)}, no name for {_some(extra)}; "
            "give exactly the labels of the leaves"
        )
    return np.array([position[label] for label in labels], dtype=np.int64)


def _read_labels(data: bytes, span: NDArray[np.int64]) -> tuple[str, ...] | None:
    """Labels of the leaves from the bytes (n, 2) where each begins and ends."""
    if (span[:, 0] < 0).all():
        return None
    begins, ends = span[:, 0].tolist(), span[:, 1].tolist()
    if min(begins) < 0:
        raise NewickError(
            f"{begins.count(-1)} of {len(begins)} leaves have no label; label all of them or none"
        )
    labels = [data[begin:end].decode() for begin, end in zip(begins, ends, strict=True)]
    if b"''" in data:
        for i, begin in enumerate(begins):
            if data[begin - 1 : begin] == b"'":
                labels[i] = labels[i].replace("''", "'")
    return tuple(labels)


def _read_lengths(data: bytes, span: NDArray[np.int64]) -> NDArray[np.float64]:
    """Branch lengths (m,) from the bytes (m, 2) where each begins and ends, NaN where none is."""
    length = np.full(span.shape[0], np.nan)
    given = np.flatnonzero(span[:, 0] >= 0)
    begins, ends = span[given].T.tolist()
    begin = 0
    try:
        length[given] = [float(data[(begin := a) : b]) for a, b in zip(begins, ends, strict=True)]
    except ValueError:
        raise _error_at(data, begin, "the branch length is not a number") from None
    if np.isnan(length[given]).any():
        at = span[given[np.isnan(length[given])][0], 0]
        raise _error_at(data, int(at), "the branch length is not a number")
    return length


def _error_at(data: bytes, at: int, meaning: str) -> NewickError:
    before = data[:at].decode(errors="ignore")
    near = data[max(0, at - _CONTEXT) : at + _CONTEXT].decode(errors="ignore")
    return NewickError(f"Newick, character {len(before)}, near {near!r}: {meaning}")


def _some(items: Sequence[str], most: int = 3) -> str:
    if not items:
        return "none"
    shown = ", ".join(repr(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"
