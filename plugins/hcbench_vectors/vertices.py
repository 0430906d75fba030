"""Trees of named vertices with variances, which define models of data."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hcbench import ParameterError

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
        chains: list[list[int]] = []
        for v, parent in enumerate(self.parent):
            chains.append([v] if parent < 0 else [*chains[parent], v])
        depth = max(2, *(len(chain) for chain in chains))
        rows = [chain[1:] + [chain[-1]] * (depth - len(chain)) for chain in chains]
        return np.array(rows, dtype=np.int64).reshape(len(chains), -1)


def read_vertices(text: str, owner: str) -> Vertices:
    """Read Newick with a name at every vertex and an optional variance after a colon.

    Raises
    ------
    ParameterError
        If the text is not of this form; ``owner`` names the data set in the message.
    """

    def wrong(what: str) -> ParameterError:
        return ParameterError(
            f"{owner}: tree={text!r} {what}; write for example ((1:5,2:2)6:2,(4:0.5,5:7)7:1)8:1"
        )

    # From right to left, a vertex comes before its children.
    tokens = _TOKEN.findall(text.strip().removesuffix(";"))[::-1]
    names: list[str] = []
    parents: list[int] = []
    variances: list[float] = []
    above = [-1]
    last = -1
    expected = True  # whether the next token must be the name of a vertex
    for token in tokens:
        if expected and token not in ("(", ")", ",", ";"):
            name, _, length = token.partition(":")
            variance = _variance(length)
            if not name or variance is None:
                raise wrong(f"has {token!r} instead of a name and a nonnegative variance")
            last = len(names)
            names.append(name)
            parents.append(above[-1])
            variances.append(variance)
            expected = False
        elif not expected and token == ")" and last >= 0:
            above.append(last)
            expected = True
        elif not expected and token == "," and len(above) > 1:
            expected = True
        elif not expected and token == "(" and len(above) > 1:
            above.pop()
            last = -1  # the node before an opening bracket cannot have children
        else:
            raise wrong("is not a tree with a name at every vertex")
    if not names or expected or len(above) > 1:
        raise wrong("is not a tree with a name at every vertex")
    if len(set(names)) < len(names):
        raise wrong("has two vertices of the same name")
    return _in_text_order(Vertices(tuple(names), np.array(parents), np.array(variances)))


def _variance(text: str) -> float | None:
    try:
        value = float(text or 1.0)
    except ValueError:
        return None
    return value if 0 <= value < np.inf else None


def _in_text_order(tree: Vertices) -> Vertices:
    """The same tree with the children of each vertex in the order of the text."""
    children: dict[int, list[int]] = {}
    for v, parent in enumerate(tree.parent.tolist()):
        children.setdefault(parent, []).insert(0, v)
    order: list[int] = []
    waiting = [0]
    while waiting:
        v = waiting.pop()
        order.append(v)
        waiting += reversed(children.get(v, []))
    place = np.argsort(order)
    parent = tree.parent[order]
    return Vertices(
        tuple(tree.names[v] for v in order),
        np.where(parent < 0, -1, place[parent]),
        tree.variance[order],
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
