"""Newick text: reading, also of the trees of a Nexus text, and writing.

Use `hcbench.Tree.from_newick` and `hcbench.Tree.to_newick`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import NewickError
from hcbench.model.newick.lengths import read_length
from hcbench.model.newick.nexus import is_nexus, nexus_statements
from hcbench.model.newick.statements import (
    NEWICK,
    UNCLOSED,
    Source,
    Statement,
    Token,
    newick_statements,
)
from hcbench.model.text import suggestion

# A byte order mark and a '#' would be lost, or taken for Nexus, at the beginning of a text; '=' and
# backslashes are marks to other programs.
_NEEDS_QUOTES = re.compile(r"""[\s()\[\]{}:;,'"=\\#\ufeff\x00-\x20]|^$""")
_UNEXPECTED = "a ',' or ')' was expected here"
_MISSING_END = "a ';' is missing before this"
_NEXUS_ENDS = ("end", "endblock")
_SHOWN_NAMES = 3  # of trees, in a message


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
        m branch lengths, with the digits of the text; None where it has none. That of the root has
        no meaning.
    """

    parent: NDArray[np.int64]
    labels: tuple[str, ...] | None
    length: tuple[Decimal | None, ...]


def read_newick(text: str, tree: int | str | None = None) -> NewickNodes:
    """Read one tree of a Newick or Nexus text.

    Comments in brackets and labels of inner nodes are ignored. Labels may be quoted; in others
    underscores and, in Newick, blanks between words are part of the label. The last ``;`` of a
    Newick text may be missing. In Nexus, labels are translated, and numbers of taxa become taxa.

    Parameters
    ----------
    text : str
    tree : int or str, optional
        The number, from 1, of the tree, or its name in Nexus; needed if there are several.

    Raises
    ------
    NewickError
        If the text cannot be read, with the position; if only some leaves have labels; if there are
        several trees and none is chosen, or no such tree.
    """
    statements = _statements(text)
    return _read_statement(statements[_position(tree, statements)])


def read_all_newick(text: str) -> Iterator[NewickNodes]:
    """Read all trees of a Newick or Nexus text, as `read_newick` reads one.

    Raises
    ------
    NewickError
        If the text cannot be read, or has no tree.
    """
    for statement in _statements(text):
        yield _read_statement(statement)


def _statements(text: str) -> list[Statement]:
    """The trees of a text.

    Raises
    ------
    NewickError
        If there is none.
    """
    if not isinstance(text, str):
        raise NewickError(
            f"a text is needed, got {type(text).__name__}; hcbench.read_tree reads a file"
        )
    text = text.removeprefix("\ufeff")  # a byte order mark
    statements = nexus_statements(text) if is_nexus(text) else newick_statements(text)
    if not statements:
        raise Source(text).error(len(text), "there is no tree in the text")
    return statements


def _read_statement(statement: Statement) -> NewickNodes:
    """Read one of the trees of a text."""
    parents, labels, lengths = _scan(statement)
    # Here children come before their parents, and leaves before all other nodes.
    down = np.array(parents)
    is_leaf = np.bincount(down[1:], minlength=down.size) == 0
    node_id = np.where(is_leaf, is_leaf.cumsum() - 1, down.size - (~is_leaf).cumsum())
    parent = np.full(down.size, -1, dtype=np.int64)
    parent[node_id[1:]] = node_id[down[1:]]
    length: list[Decimal | None] = [None] * down.size
    for node, of_node in zip(node_id.tolist(), lengths, strict=True):
        length[node] = of_node
    leaf_labels = _labels_of_leaves(labels, is_leaf, statement.translation)
    return NewickNodes(parent, leaf_labels, tuple(length))


def _position(tree: int | str | None, statements: Sequence[Statement]) -> int:
    """The position, from 0, of the tree that is chosen."""
    number = len(statements)
    if tree is None and number == 1:
        return 0
    if tree is None:
        raise NewickError(_several_trees(statements))
    if isinstance(tree, str):
        return _position_of_name(tree, statements)
    if isinstance(tree, bool) or not isinstance(tree, int | np.integer):
        raise NewickError(f"tree={tree!r}: give the number of the tree, from 1, or its name")
    if not 1 <= tree <= number:
        has = "there is 1 tree" if number == 1 else f"there are {number} trees"
        raise NewickError(f"tree={tree}: {has}, counted from 1")
    return int(tree) - 1


def _several_trees(statements: Sequence[Statement]) -> str:
    """That one of several trees is to be chosen, and how."""
    number = len(statements)
    names = [statement.name for statement in statements if statement.name]
    by_name = ""
    if names:
        listed = ", ".join(names[:_SHOWN_NAMES])
        if len(names) > _SHOWN_NAMES:
            listed += ", ..."
        by_name = f", or by its name ({listed})"
    return (
        f"there are {number} trees: choose one by its number, tree=1 to tree={number}{by_name} "
        "(behind the name of a file, FILE[tree=1])"
    )


def _position_of_name(name: str, statements: Sequence[Statement]) -> int:
    """The position, from 0, of the tree of this name."""
    positions = []
    for position, statement in enumerate(statements):
        # In Nexus an underscore stands for a blank.
        if statement.name.replace("_", " ") == name.replace("_", " "):
            positions.append(position)
    if len(positions) == 1:
        return positions[0]
    if len(positions) > 1:
        raise NewickError(
            f"tree={name!r}: {len(positions)} trees have this name; write the number of one of "
            f"them, such as tree={positions[0] + 1}"
        )
    names = [statement.name for statement in statements if statement.name]
    if not names:
        raise NewickError(f"tree={name!r}: the trees have no names; write a number, such as tree=1")
    hint = suggestion(name, names) or f"there are {', '.join(names[:_SHOWN_NAMES])}"
    raise NewickError(f"tree={name!r}: no tree has this name; {hint}")


def _scan(
    statement: Statement,
) -> tuple[list[int], list[str | None], list[Decimal | None]]:
    """Parents, labels and branch lengths of the nodes, in the order in which they begin."""
    source = statement.source
    scan = _Scan(source)
    for token in source.tokens(statement.start, statement.end):
        scan.read(token)
    if scan.inner >= 0:
        raise source.error(statement.end, UNCLOSED["("])
    if not scan.parents:
        raise source.error(statement.end, "there is no tree in the text")
    return scan.parents, scan.labels, scan.lengths


class _Scan:
    """The nodes of a tree while it is read, token by token.

    Attributes
    ----------
    parents, labels, lengths : list
        Of the nodes, in the order in which they begin. The root has the parent -1.
    inner : int
        The node of the innermost open parenthesis; -1 outside of all.
    node : int
        The node to which a label or length would belong; -1 where a node must begin.
    in_length : bool
        Whether a ':' has been read since the node began or its parenthesis was closed.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parents: list[int] = []
        self.labels: list[str | None] = []
        self.lengths: list[Decimal | None] = []
        self.inner = -1
        self.node = -1
        self.in_length = False

    def read(self, token: Token) -> None:
        """Read the next token.

        Raises
        ------
        NewickError
            If it cannot stand there.
        """
        mark = token.text if token.is_mark else ""
        self._check_mark(token, mark)
        # Any token begins the node that is expected here, perhaps without a label.
        if self.node < 0:
            self._begin_node()
        if mark == "(":
            self.inner = self.node
            self.node = -1
        elif mark == ",":
            self.node = -1
        elif mark == ")":
            # A label or length that follows belongs to the node that is closed.
            self.node = self.inner
            self.inner = self.parents[self.inner]
            self.in_length = False
        elif mark == ":":
            if self.in_length:
                raise self.source.error(token.at, "a node has a second branch length")
            self.in_length = True
        elif self.in_length:
            self._read_length(token)
        else:
            self._read_label(token)

    def _check_mark(self, token: Token, mark: str) -> None:
        if mark == "=" or (mark == "(" and self.node >= 0):
            raise self._unexpected(token)
        if mark in (",", ")") and self.inner < 0:
            reason = "a ',' or ')' stands outside of all parentheses: is a '(' missing?"
            raise self.source.error(token.at, reason)

    def _begin_node(self) -> None:
        self.node = len(self.parents)
        self.in_length = False
        self.parents.append(self.inner)
        self.labels.append(None)
        self.lengths.append(None)

    def _read_length(self, token: Token) -> None:
        if self.lengths[self.node] is not None:
            raise self._unexpected(token)
        length = read_length(token.text)
        if length is None:
            raise self.source.error(token.at, "the branch length is not a number")
        self.lengths[self.node] = length

    def _read_label(self, token: Token) -> None:
        if self.labels[self.node] is not None:
            raise self._unexpected(token)
        is_nexus_tree = self.source.dialect is not NEWICK
        if is_nexus_tree and self.inner < 0 and not token.is_quoted and _ends_block(token):
            raise self.source.error(token.at, _MISSING_END)
        self.labels[self.node] = token.text

    def _unexpected(self, token: Token) -> NewickError:
        """That a token cannot stand here."""
        reason = _UNEXPECTED
        if self.source.dialect is not NEWICK and self.inner < 0:
            # Behind the last parenthesis of a tree of Nexus only a ';' may follow.
            reason = _MISSING_END
        return self.source.error(token.at, reason)


def _ends_block(token: Token) -> bool:
    return token.text.lower() in _NEXUS_ENDS


def _labels_of_leaves(
    labels: Sequence[str | None], is_leaf: NDArray[np.bool_], translation: Mapping[str, str]
) -> tuple[str, ...] | None:
    """The translated labels of the leaves; None if no leaf has one."""
    leaf_labels = []
    n_leaves = 0
    for node in np.flatnonzero(is_leaf).tolist():
        label = labels[node]
        n_leaves += 1
        if label is not None:
            leaf_labels.append(translation.get(label, label))
    if 0 < len(leaf_labels) < n_leaves:
        raise NewickError(
            f"{n_leaves - len(leaf_labels)} of {n_leaves} leaves have no label; label all "
            "of them or none"
        )
    return tuple(leaf_labels) or None


def write_newick(
    leaf_range: tuple[NDArray[np.int64], NDArray[np.int64]],
    labels: Iterable[str],
    lengths: Sequence[str] | None,
    inner_labels: Sequence[str] | None = None,
) -> str:
    """Write a tree.

    Parameters
    ----------
    leaf_range
        Start and end of each node's leaves in leaf order, (m,) each.
    labels
        One for each of the n leaves; quoted where necessary.
    lengths
        m branch lengths, of which that of the root is not written; None to write none.
    inner_labels
        One for each of the m - n inner nodes, such as its support; "" for none.
    """
    start, end = leaf_range
    names = [quoted(label) for label in labels]
    n = len(names)
    m = start.size
    opens = np.bincount(start[n:], minlength=n)[start[:n]].tolist()
    pieces = []
    for position, k, name in zip(start[:n].tolist(), opens, names, strict=True):
        piece = "(" * k + name
        if position > 0:
            # Each leaf but the first follows a sibling, or a node that ends before it.
            piece = f",{piece}"
        pieces.append(piece)
    if inner_labels is None:
        pieces += repeat(")", m - n)
    else:
        for label in inner_labels:
            # An empty label would be written as quotes.
            if label:
                pieces.append(f"){quoted(label)}")
            else:
                pieces.append(")")
    if lengths is not None:
        for node in range(m - 1):
            pieces[node] += f":{lengths[node]}"
    # Nodes that end at the same leaf close in the order of their ids; each leaf opens those that
    # begin with it.
    closing_order = np.argsort(end, kind="stable").tolist()
    return "".join([pieces[node] for node in closing_order]) + ";"


def quoted(label: str) -> str:
    """Put a label in quotes if Newick needs them."""
    if _NEEDS_QUOTES.search(label) is None:
        return label
    return "'" + label.replace("'", "''") + "'"
