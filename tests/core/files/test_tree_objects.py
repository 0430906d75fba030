"""Trees of other libraries, there and back."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage, to_tree

from hcbench import HeightKind, Tree
from hcbench.errors import InvalidTreeError, ParameterError
from hcbench.files import as_tree, tree_as

LIBRARIES = ("networkx", "scipy", "skbio", "dendropy", "ete4")
NAMES = ("Homo sapiens", "b_1", "it's", "d", "e")
Z = linkage(np.random.default_rng(0).normal(size=(5, 2)), "average")
TREE = Tree.from_linkage(Z, names=NAMES)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_tree_comes_back_with_names_and_heights(library: Any) -> None:
    pytest.importorskip(library)
    tree = as_tree(tree_as(TREE, library))
    if library == "scipy":
        # Its nodes have numbers and no names.
        tree = tree.with_names(NAMES)
    back = tree.in_order_of(NAMES)
    assert back.isomorphic(TREE)
    assert back.kind is HeightKind.DISTANCE
    items = np.arange(5)
    expected = TREE.merge_height(items[:, None], items[None, :])
    np.testing.assert_allclose(
        back.merge_height(items[:, None], items[None, :]), expected, atol=1e-9
    )


def test_networkx_has_edges_from_parents_to_children() -> None:
    networkx = pytest.importorskip("networkx")
    graph = tree_as(TREE, "networkx")
    assert networkx.is_arborescence(graph)
    assert [graph.nodes[item]["name"] for item in range(5)] == list(NAMES)
    below = networkx.descendants(graph, TREE.n)
    assert {item for item in below if item < 5} == set(TREE.leaves(TREE.n).tolist())


def test_a_graph_of_others_is_read_by_the_names_of_its_nodes() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph([("root", "x"), ("root", "inner"), ("inner", "y"), ("inner", "z")])
    assert as_tree(graph).to_newick(lengths=False) == "(x,(y,z));"
    with pytest.raises(InvalidTreeError, match=r"direct them, such as by networkx\.bfs_tree"):
        as_tree(networkx.DiGraph([(0, 1), (2, 1)]))


def test_scipy_reads_its_own_numbers() -> None:
    root = to_tree(Z)
    tree = as_tree(root)
    np.testing.assert_allclose(tree.to_linkage(), Z)
    again = tree_as(tree, "scipy")
    assert (again.dist, again.pre_order()) == (root.dist, root.pre_order())


def test_leaves_need_different_names() -> None:
    dendropy = pytest.importorskip("dendropy")
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph([(0, 1), (0, 2)])
    networkx.set_node_attributes(graph, "x", "name")
    with pytest.raises(InvalidTreeError, match="several leaves are called 'x'"):
        as_tree(graph)
    tree = dendropy.Tree.get(data="((a,b),(c,d));", schema="newick")
    assert as_tree(tree).kind is HeightKind.NONE


def test_other_values_and_libraries_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"Newick is read by Tree\.from_newick"):
        as_tree("(a,b);")
    with pytest.raises(ParameterError, match="did you mean dendropy"):
        tree_as(TREE, "dendropie")  # type: ignore[arg-type]
    assert as_tree(TREE) is TREE


def test_no_library_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, hcbench.files; hcbench.files.as_tree; "
        "print([name for name in ('networkx', 'dendropy', 'skbio', 'ete4') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
