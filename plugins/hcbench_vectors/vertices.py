"""Trees of named vertices with variances, which define models of data."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hcbench import ParameterError

_PUNCTUATION = ("(", ")", ",", ";")
_TOKEN = re.compile(r"\s*([(),;]|[^\s(),;]+)\s*")


@dataclass(frozen=True, slots=True)
class Vertices:
    """A rooted tree; vertex 0 is the root, and parents come before their children.

    Attributes
    ----------
    names : tuple of str
    parent : (m,) int array
        -1 for the root.
    variance : (m,) array
        Variance of the step from the parent, or from 0, to the vertex.
    """

    names: tuple[str, ...]
    parent: NDArray[np.int64]
    variance: NDArray[np.float64]

    @property
    def leaves(self) -> list[int]:
        """Vertices without children, in the order of the text."""
        inner = set(self.parent.tolist())
        return [v for v in range(len(self.names)) if v not in inner]

    def heights(self) -> NDArray[np.float64]:
        """h(v), the sum of the variances from the root to v, (m,)."""
        height = self.variance.copy()
        for v, parent in enumerate(self.parent):
            if parent >= 0:
                height[v] += height[parent]
        return height

    def paths(self) -> NDArray[np.int64]:
        """Ancestor of v at depth l + 1 in column l of row v; v itself below its depth."""
        # The path from the root to each vertex; parents come before their children.
        chains: list[list[int]] = []
        for v, parent in enumerate(self.parent):
            chain: list[int] = []
            if parent >= 0:
                chain += chains[parent]
            chain.append(v)
            chains.append(chain)
        depth = 2
        for chain in chains:
            depth = max(depth, len(chain))
        rows = []
        for chain in chains:
            missing = depth - len(chain)
            rows.append(chain[1:] + [chain[-1]] * missing)
        return np.array(rows, dtype=np.int64).reshape(len(chains), -1)


def read_vertices(text: str, owner: str) -> Vertices:
    """Read Newick with a name at every vertex and an optional variance after a colon.

    Raises
    ------
    ParameterError
        If the text is not of this form; ``owner`` names the data set in the message.
    """
    # From right to left, a vertex comes before its children.
    tokens = _TOKEN.findall(text.strip().removesuffix(";"))[::-1]
    names: list[str] = []
    parents: list[int] = []
    variances: list[float] = []
    # The vertices whose children are being read, and -1 above the root.
    ancestors = [-1]
    last = -1  # the vertex just read, which may have children, or -1
    must_be_name = True  # whether the next token must be the name of a vertex
    for token in tokens:
        if must_be_name and token not in _PUNCTUATION:
            name, variance = _name_and_variance(token, text, owner)
            last = len(names)
            names.append(name)
            parents.append(ancestors[-1])
            variances.append(variance)
            must_be_name = False
        elif not must_be_name and token == ")" and last >= 0:
            ancestors.append(last)
            must_be_name = True
        elif not must_be_name and token == "," and len(ancestors) > 1:
            must_be_name = True
        elif not must_be_name and token == "(" and len(ancestors) > 1:
            ancestors.pop()
            last = -1  # the node before an opening bracket cannot have children
        else:
            raise _wrong_tree(text, owner, "is not a tree with a name at every vertex")
    if not names or must_be_name or len(ancestors) > 1:
        raise _wrong_tree(text, owner, "is not a tree with a name at every vertex")
    if len(set(names)) < len(names):
        raise _wrong_tree(text, owner, "has two vertices of the same name")
    return _in_text_order(
        Vertices(names=tuple(names), parent=np.array(parents), variance=np.array(variances))
    )


def _wrong_tree(text: str, owner: str, fault: str) -> ParameterError:
    return ParameterError(
        f"{owner}: tree={text!r} {fault}; write for example ((1:5,2:2)6:2,(4:0.5,5:7)7:1)8:1"
    )


def _name_and_variance(token: str, text: str, owner: str) -> tuple[str, float]:
    """Split a token at its colon."""
    name, _, length = token.partition(":")
    variance = _variance(length)
    if not name or variance is None:
        fault = f"has {token!r} instead of a name and a nonnegative variance"
        raise _wrong_tree(text, owner, fault)
    return name, variance


def _variance(text: str) -> float | None:
    """The number, 1 if there is none, or None if it is not a variance."""
    if not text:
        return 1.0
    try:
        value = float(text)
    except ValueError:
        return None
    if 0 <= value < np.inf:
        return value
    return None


def _in_text_order(tree: Vertices) -> Vertices:
    """The same tree with the children of each vertex in the order of the text."""
    # They were read from right to left.
    children: dict[int, list[int]] = {}
    for v, parent in enumerate(tree.parent.tolist()):
        children.setdefault(parent, []).insert(0, v)
    # Depth first, from the root.
    order: list[int] = []
    waiting = [0]
    while waiting:
        v = waiting.pop()
        order.append(v)
        waiting += reversed(children.get(v, []))
    new_number = np.argsort(order)
    old_parent = tree.parent[order]
    return Vertices(
        names=tuple(tree.names[v] for v in order),
        parent=np.where(old_parent < 0, -1, new_number[old_parent]),
        variance=tree.variance[order],
    )


def with_unit_heights(tree: Vertices, observed: NDArray[np.int64], owner: str) -> Vertices:
    """Lengthen the branches of the observed leaves to one height, and scale it to 1.

    Raises
    ------
    ParameterError
        If an inner vertex is observed, or all variances are 0.
    """
    inner = [tree.names[v] for v in observed if v not in tree.leaves]
    if inner:
        raise ParameterError(
            f"{owner}: unit_heights needs observed leaves, but {inner[0]!r} is an inner vertex"
        )
    heights = tree.heights()
    top = heights[observed].max()
    if top == 0:
        raise ParameterError(f"{owner}: unit_heights needs a variance above 0")
    variance = tree.variance.copy()
    variance[observed] += top - heights[observed]
    return replace(tree, variance=variance / top)
