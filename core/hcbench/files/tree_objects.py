"""Trees of other libraries: of networkx, scipy, scikit-bio, DendroPy and ete, and back.

None of them is imported before it is needed. Those that read and write Newick are given Newick, so
that heights mean the same as in files.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np

from hcbench.errors import InvalidTreeError, NewickWarning, ParameterError
from hcbench.model.newick.lengths import heights_of_lengths
from hcbench.model.text import suggestion
from hcbench.model.trees import HeightKind, Tree

Library: TypeAlias = Literal["networkx", "scipy", "skbio", "dendropy", "ete4"]


def tree_as(tree: Tree, library: Library) -> Any:
    """A tree as an object of another library.

    Parameters
    ----------
    tree : Tree
    library : {"networkx", "scipy", "skbio", "dendropy", "ete4"}
        A `networkx.DiGraph` from the root to the leaves, whose nodes are the numbers of the tree's
        nodes, with ``name`` of leaves and ``height``; the `scipy.cluster.hierarchy.ClusterNode` of
        the root; a `skbio.TreeNode`; a `dendropy.Tree`; an `ete4.Tree`. The branch lengths of the
        last three are those of `Tree.to_newick`.

    Returns
    -------
    object

    Raises
    ------
    ParameterError
        If the library is another one, or is not installed.
    InvalidTreeError
        If the tree has no heights, or is not binary, for ``"scipy"``.

    Examples
    --------
    >>> tree = hcbench.Tree.from_newick("((a:1,b:1):1,c:2);")
    >>> graph = tree_as(tree, "networkx")
    >>> sorted(graph.edges)
    [(3, 0), (3, 1), (4, 2), (4, 3)]
    >>> graph.nodes[0]["name"]
    'a'
    """
    convert = _WRITERS.get(library)
    if convert is None:
        hint = suggestion(str(library), _WRITERS) or f"there are {', '.join(_WRITERS)}"
        raise ParameterError(f"trees cannot be given to {library!r}; {hint}")
    try:
        return convert(tree)
    except ImportError as error:
        package = _PACKAGES[library]
        raise ParameterError(f"{library} is not installed: pip install {package}") from error


def as_tree(value: Any) -> Tree:
    """A tree of another library as a Tree.

    Parameters
    ----------
    value : object
        A Tree, which is returned as it is; a `networkx.DiGraph` with edges from parents to
        children; a `scipy.cluster.hierarchy.ClusterNode`; a `skbio.TreeNode`; a `dendropy.Tree`; an
        `ete4.Tree` or `ete3.Tree`.

    Returns
    -------
    Tree
        Leaves are in the order of the library, with their names. Heights are the ``height`` of
        nodes (networkx), the distances (scipy), or follow from branch lengths as in Newick.

    Raises
    ------
    ParameterError
        If it is none of these.
    InvalidTreeError
        If it is no tree, or leaves have no names or the same.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import to_tree
    >>> node = to_tree(np.array([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]))
    >>> as_tree(node).to_linkage().tolist()
    [[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]
    """
    if isinstance(value, Tree):
        return value
    # By the name of its module, as the library need not be imported for other values.
    for type_of_value in type(value).__mro__:
        read = _READERS.get((type_of_value.__module__.partition(".")[0], type_of_value.__name__))
        if read is not None:
            return read(value)
    libraries = ", ".join(f"{module}.{name}" for module, name in _READERS)
    raise ParameterError(
        f"a {type(value).__name__} is no tree of {libraries}; Newick is read by Tree.from_newick, "
        "a linkage matrix by Tree.from_linkage"
    )


# ---- networkx ------------------------------------------------------------------------------------


def _to_networkx(tree: Tree) -> Any:
    import networkx

    graph = networkx.DiGraph()
    for node in range(tree.n_nodes):
        attributes: dict[str, Any] = {}
        if node < tree.n and tree.names is not None:
            attributes["name"] = tree.names[node]
        if tree.height is not None:
            attributes["height"] = float(tree.height[node])
        graph.add_node(node, **attributes)
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            graph.add_edge(parent, node)
    return graph


def _of_networkx(graph: Any) -> Tree:
    import networkx

    if not graph.is_directed() or not networkx.is_arborescence(graph):
        raise InvalidTreeError(
            "the graph is no tree with edges from parents to children; direct them, such as by "
            "networkx.bfs_tree(graph, root)"
        )
    leaves = [node for node in graph if graph.out_degree(node) == 0]
    inner = [node for node in graph if graph.out_degree(node) > 0]
    number_of = {node: number for number, node in enumerate(leaves + inner)}
    parents = np.full(len(number_of), -1)
    for parent, child in graph.edges:
        parents[number_of[child]] = number_of[parent]
    names = []
    for leaf in leaves:
        names.append(str(graph.nodes[leaf].get("name", leaf)))
    heights = []
    for node in leaves + inner:
        heights.append(graph.nodes[node].get("height"))
    if any(height is None for height in heights):
        return Tree.from_parents(parents, names=_distinct(names), collapse_unary=True)
    return Tree.from_parents(
        parents, heights, HeightKind.DISTANCE, _distinct(names), collapse_unary=True
    )


# ---- scipy ---------------------------------------------------------------------------------------


def _to_scipy(tree: Tree) -> Any:
    from scipy.cluster.hierarchy import to_tree

    return to_tree(tree.to_linkage())


def _of_scipy(root: Any) -> Tree:
    """Merges are numbered as scipy does: after the items, in the order of the linkage matrix."""
    n = root.get_count()
    merges = np.zeros((n - 1, 4))
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.is_leaf():
            continue
        merges[node.id - n] = (node.left.id, node.right.id, node.dist, node.count)
        nodes += [node.left, node.right]
    return Tree.from_linkage(merges)


# ---- Libraries with nodes and branch lengths -----------------------------------------------------


def _to_skbio(tree: Tree) -> Any:
    from skbio import TreeNode

    return TreeNode.read([tree.to_newick()], format="newick", convert_underscores=False)


def _of_skbio(root: Any) -> Tree:
    return _of_nodes(root, lambda node: node.children, lambda node: (node.name, node.length))


def _to_dendropy(tree: Tree) -> Any:
    import dendropy

    return dendropy.Tree.get(data=tree.to_newick(), schema="newick", preserve_underscores=True)


def _of_dendropy(value: Any) -> Tree:
    def label_and_length(node: Any) -> tuple[str | None, float | None]:
        label = None if node.taxon is None else node.taxon.label
        return label, node.edge.length

    return _of_nodes(value.seed_node, lambda node: node.child_nodes(), label_and_length)


def _to_ete4(tree: Tree) -> Any:
    import ete4

    return ete4.Tree(tree.to_newick())


def _of_ete(root: Any) -> Tree:
    return _of_nodes(root, lambda node: node.children, lambda node: (node.name, node.dist))


def _of_nodes(
    root: Any,
    children_of: Callable[[Any], Iterable[Any]],
    label_and_length: Callable[[Any], tuple[str | None, float | None]],
) -> Tree:
    """A tree of nodes with labels and branch lengths.

    Parameters
    ----------
    root : object
    children_of : callable
        Returns the children of a node.
    label_and_length : callable
        Returns the label of a node, and the length of the branch above it; None if it has none.
    """
    # Every node after its parent.
    nodes = [root]
    parent_place = [-1]
    for place, node in enumerate(nodes):
        for child in children_of(node):
            nodes.append(child)
            parent_place.append(place)
    has_children = set(parent_place)
    leaf_places = [place for place in range(len(nodes)) if place not in has_children]
    # Leaves have the first numbers; of the others, the root has the last one.
    inner_places = sorted(has_children - {-1}, reverse=True)
    number_of = {place: number for number, place in enumerate(leaf_places + inner_places)}
    number_of[-1] = -1
    parents = np.full(len(nodes), -1)
    lengths: list[Decimal | None] = [None] * len(nodes)
    names = []
    for place, node in enumerate(nodes):
        number = number_of[place]
        parents[number] = number_of[parent_place[place]]
        label, length = label_and_length(node)
        if length is not None:
            lengths[number] = Decimal(repr(float(length)))
        if place not in has_children:
            names.append(label or "")
    with warnings.catch_warnings():
        # Lengths that do not lead to heights are no fault here: the tree has none then.
        warnings.simplefilter("ignore", NewickWarning)
        heights = heights_of_lengths(parents, tuple(lengths), None)
    kind = HeightKind.NONE if heights is None else HeightKind.DISTANCE
    return Tree.from_parents(parents, heights, kind, _distinct(names), collapse_unary=True)


def _distinct(names: list[str]) -> list[str]:
    """Names of leaves, if all have one and they are different.

    Raises
    ------
    InvalidTreeError
        If not.
    """
    if "" in names:
        raise InvalidTreeError("a leaf has no name; give each leaf one")
    if len(set(names)) < len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise InvalidTreeError(f"several leaves are called {repeated[0]!r}; rename all but one")
    return names


_WRITERS: dict[str, Callable[[Tree], Any]] = {
    "networkx": _to_networkx,
    "scipy": _to_scipy,
    "skbio": _to_skbio,
    "dendropy": _to_dendropy,
    "ete4": _to_ete4,
}
#: What is installed for a library.
_PACKAGES = {
    "networkx": "networkx",
    "scipy": "scipy",
    "skbio": "scikit-bio",
    "dendropy": "dendropy",
    "ete4": "ete4",
}
#: By the top-level module and the name of the class.
_READERS: dict[tuple[str, str], Callable[[Any], Tree]] = {
    ("networkx", "DiGraph"): _of_networkx,
    ("scipy", "ClusterNode"): _of_scipy,
    ("skbio", "TreeNode"): _of_skbio,
    ("dendropy", "Tree"): _of_dendropy,
    ("ete4", "Tree"): _of_ete,
    ("ete3", "TreeNode"): _of_ete,
}
