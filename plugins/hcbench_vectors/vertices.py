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
        Of the step from the parent, or from 0, to the vertex.
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
        """Column l of row v is the ancestor of v at depth l + 1; v itself below its depth."""
        chains: list[list[int]] = []
        for v, parent in enumerate(self.parent):
            chains.append([v] if parent < 0 else [*chains[parent], v])
        depth = max(2, *(len(chain) for chain in chains))
        rows = [chain[1:] + [chain[-1]] * (depth - len(chain)) for chain in chains]
        return np.array(rows, dtype=np.int64).reshape(len(chains), -1)


def read_vertices(text: str, owner: str) -> Vertices:
    """Read Newick in which every vertex has a name and may have a variance after a colon.

    Raises
    ------
    ParameterError
        Saying what is wrong; ``owner`` is whose parameter it is.
    """

    def wrong(what: str) -> ParameterError:
        return ParameterError(
            f"{owner}: tree={text!r} {what}; write for example ((1:5,2:2)6:2,(4:0.5,5:7)7:1)8:1"
        )

    # Read from the end, a vertex comes before its children.
    tokens = _TOKEN.findall(text.strip().removesuffix(";"))[::-1]
    names: list[str] = []
    parents: list[int] = []
    variances: list[float] = []
    above, last = [-1], -1
    expected = True  # whether the name of a vertex must come next
    for token in tokens:
        if expected and token not in ("(", ")", ",", ";"):
            name, _, length = token.partition(":")
            variance = _variance(length)
            if not name or variance is None:
                raise wrong(f"has {token!r} for a name and a variance that is not negative")
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
            last = -1  # what stands before an opening bracket is no vertex with children
        else:
            raise wrong("is no tree with a name at every vertex")
    if not names or expected or len(above) > 1:
        raise wrong("is no tree with a name at every vertex")
    if len(set(names)) < len(names):
        raise wrong("names two vertices alike")
    return _from_the_left(Vertices(tuple(names), np.array(parents), np.array(variances)))


def _variance(text: str) -> float | None:
    try:
        value = float(text or 1.0)
    except ValueError:
        return None
    return value if 0 <= value < np.inf else None


def _from_the_left(tree: Vertices) -> Vertices:
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
            f"{owner}: unit_heights needs leaves to be observed, {inner[0]!r} is an inner vertex"
        )
    heights = tree.heights()
    top = heights[observed].max()
    if top == 0:
        raise ParameterError(f"{owner}: unit_heights needs a variance above 0")
    variance = tree.variance.copy()
    variance[observed] += top - heights[observed]
    return replace(tree, variance=variance / top)
