"""Trees as matrices of merges, as in scipy, scikit-learn and R, and as Newick text.

Use the constructors of `Tree`, and `Tree.to_linkage` and `Tree.to_newick`.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hcbench.errors import InvalidTreeError, ModelWarning, NewickError
from hcbench.model.trees._kernels import read_only, sum_from_root
from hcbench.model.trees.arrays import HeightKind, checked_floats, distances

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hcbench.model.trees.tree import Tree


Floats: TypeAlias = "NDArray[np.float64]"


def read_linkage(
    linkage: ArrayLike, kind: HeightKind, leaf_height: ArrayLike | None
) -> tuple[NDArray[np.int64], Floats | None, Floats | None]:
    """Parents, heights and linkage, (m,) each, of a matrix (n-1, 4) with heights of a kind."""
    rows = checked_floats(linkage, None, "a linkage matrix")
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise InvalidTreeError(f"a linkage matrix has shape (n-1, 4), got {rows.shape}")
    parent, merged_at, n = _parents_of_merges(rows[:, :2]), rows[:, 2], len(rows) + 1
    if kind is HeightKind.NONE:
        return parent, None, None
    if kind is HeightKind.ORDER:
        return parent, _order(n), np.concatenate((np.full(n, np.nan), merged_at))
    if leaf_height is None and kind is HeightKind.AFFINITY:
        raise InvalidTreeError("leaves of an affinity tree have a height; give leaf_height")
    leaves = np.asarray(0.0 if leaf_height is None else leaf_height, dtype=np.float64)
    if leaves.shape not in ((), (n,)):
        raise InvalidTreeError(f"leaf_height has shape {leaves.shape}, expected ({n},)")
    return parent, np.concatenate((np.broadcast_to(leaves, n), merged_at)), None


def read_merges(
    merges: ArrayLike, what: str, distances: ArrayLike | None, of_what: str, *, from_r: bool = False
) -> tuple[NDArray[np.int64], Floats, HeightKind]:
    """Parents and heights, (m,) each, of pairs (n-1, 2) merged at distances (n-1,) or in order."""
    pairs = checked_floats(merges, None, what)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidTreeError(f"{what} has shape (n-1, 2), got {pairs.shape}")
    parent, n = _parents_of_merges(pairs, from_r=from_r), len(pairs) + 1
    if distances is None:
        return parent, _order(n), HeightKind.ORDER
    merged_at = checked_floats(distances, n - 1, of_what)
    return parent, np.concatenate((np.zeros(n), merged_at)), HeightKind.DISTANCE


def _order(n: int) -> Floats:
    return np.concatenate((np.zeros(n), np.arange(1.0, n)))


def _parents_of_merges(pairs: Floats, *, from_r: bool = False) -> NDArray[np.int64]:
    """Parents (2n-1,) where row i of ``pairs`` (n-1, 2) merges two older clusters, each once.

    Items are 0..n-1 and the clusters of rows n, n+1, ...; in R -1..-n, and 1, 2, ...
    """
    if not (np.isfinite(pairs).all() and (pairs == np.floor(pairs)).all()):
        raise InvalidTreeError("the clusters that a row merges must be integers")
    n = len(pairs) + 1
    nodes = np.arange(n, 2 * n - 1)
    ids = np.where(pairs < 0, -pairs - 1, n - 1 + pairs) if from_r else pairs
    merged = ids.astype(np.int64)
    wrong = (merged < 0) | (merged >= nodes[:, None])
    if from_r:
        wrong |= (pairs == 0) | (pairs < -n)
    if wrong.any():
        i = int(wrong.any(axis=1).argmax())
        if from_r:
            hint = "; 0 is neither, as both count from 1" if 0 in pairs[i] else ""
            known = f"there are only the items -1..-{n} and the rows before it, 1..{i}{hint}"
        else:
            known = f"only the items and rows before it, 0..{nodes[i] - 1}, exist then"
        one, other = pairs[i]
        raise InvalidTreeError(f"row {i + from_r} merges {one:.0f} and {other:.0f}, but {known}")
    used = np.bincount(merged.ravel())
    if (used > 1).any():
        k = int(used.argmax())
        named = f"cluster {k}"
        if from_r:
            named = f"item {-k - 1}" if k < n else f"row {k - n + 1}"
        raise InvalidTreeError(f"{named} is merged {used[k]} times, not once")
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    parent[merged] = nodes[:, None]
    return parent


def write_linkage(tree: Tree) -> Floats:
    """:meth:`Tree.to_linkage <hcbench.model.trees.Tree.to_linkage>`."""
    n = tree.n
    distance = distances(tree)
    if not tree.is_binary:
        raise InvalidTreeError(
            f"a linkage matrix holds binary trees; this one has {tree.n_nodes - n} inner "
            f"nodes over {n} leaves; write it as Newick"
        )
    if distance.size and distance.min() < 0:
        raise InvalidTreeError(
            f"a linkage matrix holds no negative distance, got {distance.min()}; shift them"
        )
    is_monotone = (distance[:-1] <= distance[tree.parent[n:-1] - n]).all()
    row_node = np.argsort(distance, kind="stable") if is_monotone else np.arange(n - 1)
    cluster = np.arange(tree.n_nodes)
    cluster[n + row_node] = np.arange(n, tree.n_nodes)
    pairs = cluster[tree.child_ids].reshape(n - 1, 2)[row_node]
    sizes = tree.sizes[n:][row_node]
    return np.column_stack((np.sort(pairs, axis=1), distance[row_node], sizes)).astype(float)


ULTRAMETRIC_TOLERANCE = 1e-6
"""Largest difference between the leaves' distances to the root, relative to the largest of them."""

_NEEDS_QUOTES = re.compile(r"[\s()\[\]{}:;,'\x00-\x20]|^$")
_CONTEXT = 20  # characters shown on either side of an error
_UNEXPECTED = "a ',' or ')' was expected here"
_UNCLOSED = {
    "(": "the text ends inside a parenthesis: add ')'",
    "[": "a comment is not closed: add ']'",
    "'": "a quoted label is not closed: add a quote (inside, double it)",
}
_BLANKS = "".join(map(chr, range(33)))
_TOKEN = re.compile(
    r"""
    (?P<ignored> [\x00-\x20]+ | \[ [^\]]* \] )           # blanks, and comments
  | (?P<mark> [(),:;] )
  | (?P<quoted> ' (?: [^']++ | '' )*+ ' )
  | (?P<unclosed> ['\[] )
  | (?P<plain> [^\x00-\x20()\[,:;'] [^()\[,:;]* )       # blanks and quotes may be inside
    """,
    re.VERBOSE,
)


class NewickWarning(UserWarning):
    """Branch lengths of a Newick text cannot be used as heights."""


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


_NEXUS_TREE = re.compile(r"\btree\b[^=;]*=\s*((?:\[[^\]]*+\]\s*)*+\((?:[^;']|'[^']*+')*+;)", re.I)
_NEXUS_TRANSLATE = re.compile(r"\btranslate\b((?:[^;']|'[^']*+')*+);", re.I)
_NEXUS_PAIR = re.compile(r"\s*+([^\s,']++)\s++('(?:[^']|'')*+'|[^,']++)\s*+(?:,|$)")


def _tree_of_nexus(text: str) -> tuple[str, dict[str, str]]:
    """The Newick text of the first tree of a Nexus file, and its translation of labels."""
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
        return token[0][1:-1].replace("''", "'")
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
        parent = read_only(nodes.parent)
        depth = sum_from_root(parent, read_only(nodes.length.copy()))
        is_leaf = np.bincount(parent[:-1], minlength=parent.size) == 0
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


def match_labels(labels: Sequence[str] | None, names: Sequence[str]) -> NDArray[np.int64]:
    """Position in ``names`` of each label (n,).

    Raises
    ------
    NewickError
        If there are no labels, a name occurs twice, or labels and names are different sets.
    """
    if labels is None:
        raise NewickError("the leaves have no labels, so names cannot be matched; omit names")
    position = {name: i for i, name in enumerate(names)}
    if len(position) < len(names):
        raise NewickError(f"{len(names)} names hold only {len(position)} different ones")
    present = set(labels)
    if present != position.keys():
        # In Newick an underscore may stand for a blank, which a label without quotes cannot have.
        spaced = {name.replace("_", " "): i for name, i in position.items()}
        blank = [label.replace("_", " ") for label in labels]
        if len(spaced) == len(position) and set(blank) == spaced.keys():
            warnings.warn(
                "labels are matched with blanks for underscores", ModelWarning, stacklevel=3
            )
            return np.array([spaced[label] for label in blank], dtype=np.int64)
        missing = [name for name in position if name not in present]
        extra = [label for label in labels if label not in position]
        raise NewickError(
            f"names and leaves differ: no leaf for {_some(missing)}, no name for {_some(extra)}; "
            "give exactly the labels of the leaves"
        )
    return np.array([position[label] for label in labels], dtype=np.int64)


def _error_at(text: str, at: int, meaning: str) -> NewickError:
    near = text[max(0, at - _CONTEXT) : at + _CONTEXT]
    return NewickError(f"Newick, character {at}, near {near!r}: {meaning}")


def _some(items: Sequence[str], most: int = 3) -> str:
    if not items:
        return "none"
    shown = ", ".join(repr(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"
