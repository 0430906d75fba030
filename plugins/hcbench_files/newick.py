"""Newick text: reading, with the first tree of a Nexus file, and writing.

Use `hcbench.Tree.from_newick` and `hcbench.Tree.to_newick`.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from hcbench import NewickError, NewickWarning

ULTRAMETRIC_TOLERANCE = 1e-6
"""Largest difference between the leaves' distances to the root, relative to the largest of them."""

_NEEDS_QUOTES = re.compile(r"[\s()\[\]{}:;,'\x00-\x20]|^$")
_CONTEXT = 20  # characters shown on either side of an error
_UNEXPECTED = "a ',' or ')' was expected here"
_UNCLOSED = {
    "(": "the text ends inside a parenthesis: add ')'",
    "[": "a comment is not closed: add ']'",
    "'": "a quoted label is not closed: add a quote (inside, double it)",
    '"': "a quoted label is not closed: add a quote",
}
_BLANKS = "".join(map(chr, range(33)))
_TOKEN = re.compile(
    r"""
    (?P<ignored> [\x00-\x20]+ | \[ [^\]]* \] )           # blanks, and comments
  | (?P<mark> [(),:;] )
  | (?P<quoted> ' (?: [^']++ | '' )*+ ' | " [^"]*+ " )
  | (?P<unclosed> ['"\[] )
  | (?P<plain> [^\x00-\x20()\[,:;'"] [^()\[,:;]* )      # blanks and quotes may be inside
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class NewickNodes:
    """The contents of a Newick text, not yet checked to be a tree.

    Attributes
    ----------
    parent
        (m,) parent ids, larger than the children's; leaves 0..n-1 in the order in which they
        appear; the root, m-1, has -1. Nodes with one child are included.
    labels
        One for each leaf, or None if no leaf has one.
    length
        (m,) branch lengths, NaN where the text has none; that of the root has no meaning.
    """

    parent: NDArray[np.int64]
    labels: tuple[str, ...] | None
    length: NDArray[np.float64]


def read_newick(text: str) -> NewickNodes:
    """Read one tree; of a Nexus file the first.

    Comments in brackets and labels of inner nodes are ignored. Labels may be quoted; in others
    underscores and blanks between words are part of the label. The last ``;`` may be missing.

    Raises
    ------
    NewickError
        If the text cannot be read, with the position, or if only some leaves have labels.
    """
    translation: dict[str, str] = {}
    if text.lstrip().lower().startswith("#nexus"):
        text, translation = _tree_of_nexus(text)
    parents, labels, lengths = _scan(text)
    labels = [translation.get(label, label) if label else label for label in labels]
    # Here children come before their parents, and leaves before all other nodes.
    down = np.array(parents)
    is_leaf = np.bincount(down[1:], minlength=down.size) == 0
    node_id = np.where(is_leaf, is_leaf.cumsum() - 1, down.size - (~is_leaf).cumsum())
    parent = np.full(down.size, -1, dtype=np.int64)
    parent[node_id[1:]] = node_id[down[1:]]
    length = np.empty(down.size)
    length[node_id] = np.array(lengths, dtype=np.float64)  # None becomes NaN
    return NewickNodes(parent, _labels_of_leaves(labels, is_leaf), length)


_NEXUS_COMMENT = re.compile(r"('[^']*+')|\[[^\]]*+\]")
_NEXUS_TREE = re.compile(r"\btree\b[^=;]*=\s*(\((?:[^;']|'[^']*+')*+;)", re.I)
_NEXUS_TRANSLATE = re.compile(r"\btranslate\b((?:[^;']|'[^']*+')*+);", re.I)
_NEXUS_PAIR = re.compile(r"\s*+([^\s,']++)\s++('(?:[^']|'')*+'|[^,']++)\s*+(?:,|$)")


def _tree_of_nexus(text: str) -> tuple[str, dict[str, str]]:
    """The Newick text of the first tree of a Nexus file, and its translation of labels."""
    text = _NEXUS_COMMENT.sub(r"\1", text)
    tree = _NEXUS_TREE.search(text)
    if tree is None:
        raise NewickError("there is no tree in the Nexus text: 'tree NAME = (...);' is missing")
    table = _NEXUS_TRANSLATE.search(text, 0, tree.start())
    pairs = _NEXUS_PAIR.findall(table[1].strip() if table else "")
    return tree[1], {
        short: label[1:-1].replace("''", "'") if label.startswith("'") else label.strip()
        for short, label in pairs
    }


def _scan(text: str) -> tuple[list[int], list[str | None], list[float | None]]:
    """Parents, labels and branch lengths of the nodes, in the order in which they begin."""
    parents: list[int] = []
    labels: list[str | None] = []
    lengths: list[float | None] = []
    inner = -1  # the innermost open parenthesis
    node = -1  # the node to which a label or length would belong; -1: a node must begin here
    in_length = ended = False
    for token in _TOKEN.finditer(text):
        word, at = token[0], token.start()
        if token.lastgroup == "ignored":
            continue
        if ended:
            raise _error_at(text, at, "there is text after the ';': read one tree at a time")
        if token.lastgroup == "unclosed":
            raise _error_at(text, at, _UNCLOSED[word])
        if word == "(" and node >= 0:
            raise _error_at(text, at, _UNEXPECTED)
        if word in (",", ")") and inner < 0:
            reason = "a ',' or ')' stands outside of all parentheses: is a '(' missing?"
            raise _error_at(text, at, reason)
        # Any token but the last ';' begins the node that is expected here, perhaps without a label.
        if node < 0 and (word != ";" or inner >= 0):
            node, in_length = len(parents), False
            parents.append(inner)
            labels.append(None)
            lengths.append(None)
        if word == "(":
            inner, node = node, -1
        elif word == ",":
            node = -1
        elif word == ")":
            node, inner, in_length = inner, parents[inner], False
        elif word == ":":
            if in_length:
                raise _error_at(text, at, "a node has a second branch length")
            in_length = True
        elif word == ";":
            ended = True
            if inner >= 0:
                raise _error_at(text, at, _UNCLOSED["("])
        elif (lengths if in_length else labels)[node] is not None:
            raise _error_at(text, at, _UNEXPECTED)
        elif in_length:
            lengths[node] = _read_length(text, token)
        else:
            labels[node] = _unquoted(token)
    if inner >= 0:
        raise _error_at(text, len(text), _UNCLOSED["("])
    if not parents:
        raise _error_at(text, len(text), "there is no tree in the text")
    return parents, labels, lengths


def _unquoted(token: re.Match[str]) -> str:
    if token.lastgroup == "quoted":
        return token[0][1:-1].replace("''", "'") if token[0][0] == "'" else token[0][1:-1]
    return token[0].rstrip(_BLANKS)


def _read_length(text: str, token: re.Match[str]) -> float:
    try:
        length = float(_unquoted(token))
    except ValueError:
        length = math.nan
    if math.isnan(length):
        raise _error_at(text, token.start(), "the branch length is not a number")
    return length


def _labels_of_leaves(
    labels: Sequence[str | None], is_leaf: NDArray[np.bool_]
) -> tuple[str, ...] | None:
    """The labels of the leaves; None if no leaf has one."""
    of_leaves = [labels[node] for node in np.flatnonzero(is_leaf).tolist()]
    given = tuple(label for label in of_leaves if label is not None)
    if 0 < len(given) < len(of_leaves):
        raise NewickError(
            f"{len(of_leaves) - len(given)} of {len(of_leaves)} leaves have no label; label all "
            "of them or none"
        )
    return given or None


def heights_of_lengths(nodes: NewickNodes) -> NDArray[np.float64] | None:
    """Height (m,) of each node above the leaves, or None if the lengths are no heights.

    All nodes but the root must have a length, and the leaves be on one level: their distances from
    the root agree up to :data:`ULTRAMETRIC_TOLERANCE`; they then get height 0. Lengths that are not
    heights cause a warning.
    """
    missing = np.isnan(nodes.length[:-1])
    if missing.all():
        return None
    reason = "some are missing"
    if not missing.any():
        parent, length = nodes.parent.tolist(), nodes.length.tolist()
        distance = [0.0] * len(parent)
        for node in range(len(parent) - 2, -1, -1):
            distance[node] = distance[parent[node]] + length[node]
        depth = np.array(distance)
        is_leaf = np.bincount(nodes.parent[:-1], minlength=len(parent)) == 0
        deepest, shallowest = depth[is_leaf].max(), depth[is_leaf].min()
        if np.isfinite(deepest) and deepest - shallowest <= ULTRAMETRIC_TOLERANCE * abs(deepest):
            return np.where(is_leaf, 0.0, deepest - depth)
        reason = "the leaves are not on one level"
    warnings.warn(f"branch lengths are ignored: {reason}", NewickWarning, stacklevel=3)
    return None


def write_newick(
    leaf_range: tuple[NDArray[np.int64], NDArray[np.int64]],
    labels: Iterable[str],
    length: NDArray[np.float64] | None,
) -> str:
    """Write a tree.

    Parameters
    ----------
    leaf_range
        Start and end of each node's leaves in leaf order, (m,) each.
    labels
        One for each of the n leaves; quoted where necessary.
    length
        (m,) branch lengths, of which that of the root is not written; None to write none.
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
    # Nodes that end at the same leaf close in the order of their ids; each leaf opens those that
    # begin with it.
    closing_order = np.argsort(end, kind="stable").tolist()
    return "".join([pieces[node] for node in closing_order]) + ";"


def quoted(label: str) -> str:
    """Put a label in quotes if Newick needs them."""
    if _NEEDS_QUOTES.search(label) is None:
        return label
    return "'" + label.replace("'", "''") + "'"


def _error_at(text: str, at: int, meaning: str) -> NewickError:
    near = text[max(0, at - _CONTEXT) : at + _CONTEXT]
    return NewickError(f"Newick, character {at}, near {near!r}: {meaning}")
