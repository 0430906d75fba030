"""Consensus trees against ape (its script is in the folder ape), DendroPy, and by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dendropy
import numpy as np
import pytest

from hcbench import Tree
from hcbench.analysis import consensus_tree
from hcbench.analysis.consensus import count_clades
from hcbench.errors import DataError
from hcbench.files import read_trees

APE = Path(__file__).parent / "ape"


def clades_of(tree: Tree) -> set[frozenset[str]]:
    clades = set()
    for node in range(tree.n, tree.n_nodes):
        clades.add(frozenset(tree.names[leaf] for leaf in tree.leaves(node).tolist()))
    return clades


def supported_clades(newick: str) -> dict[frozenset[str], float]:
    """The clades of a tree of ape, whose labels are their shares."""
    tree = dendropy.Tree.get(data=newick, schema="newick", rooting="force-rooted")
    clades = {}
    for node in tree.preorder_internal_node_iter():
        names = frozenset(leaf.taxon.label for leaf in node.leaf_iter())
        clades[names] = float(node.label or "nan")
    return clades


@pytest.mark.parametrize("suffix", ["nwk", "nex"])
def test_clades_are_counted_as_by_ape(suffix: str):
    trees = read_trees(APE / f"samples.{suffix}")
    assert len(trees) == 40
    expected = {}
    for line in (APE / "clades.txt").read_text().splitlines():
        count, *names = line.split()
        expected[frozenset(names)] = int(count)
    counts = {}
    for key, count in count_clades(trees).items():
        is_member = np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=trees[0].n)
        items = np.flatnonzero(is_member).tolist()
        counts[frozenset(trees[0].names[item] for item in items)] = count
    assert counts == expected


def test_the_majority_has_the_clades_and_the_support_of_ape():
    trees = read_trees(APE / "samples.nwk")
    majority, strict = (APE / "consensus.txt").read_text().splitlines()
    expected = supported_clades(majority)
    made = consensus_tree(trees)
    assert clades_of(made.tree) == set(expected)
    for node, share in zip(range(made.tree.n, made.tree.n_nodes), made.support, strict=True):
        names = frozenset(made.tree.names[leaf] for leaf in made.tree.leaves(node).tolist())
        assert share == pytest.approx(expected[names])
    assert clades_of(consensus_tree(trees, "strict").tree) == set(supported_clades(strict))


def test_the_majority_is_that_of_dendropy():
    trees = dendropy.TreeList.get(
        path=str(APE / "samples.nex"), schema="nexus", rooting="force-rooted"
    )
    expected = set()
    for node in trees.consensus(min_freq=0.5000001).preorder_internal_node_iter():
        expected.add(frozenset(leaf.taxon.label for leaf in node.leaf_iter()))
    made = consensus_tree(read_trees(APE / "samples.nex"))
    assert clades_of(made.tree) == expected


def newicks(*texts: str) -> list[Tree]:
    return [Tree.from_newick(text) for text in texts]


def test_rules_by_hand():
    # ab is in 3 of 4 trees, abc in 2, abd, cd and dc in 1 each: abc has no majority.
    trees = newicks("(((a,b),c),d);", "(((a,b),c),d);", "(((b,a),d),c);", "((a,c),(b,d));")
    majority = consensus_tree(trees)
    assert majority.tree.to_newick(inner_labels=majority.labels) == "(c,d,(a,b)75);"
    greedy = consensus_tree(trees, "greedy")
    assert greedy.tree.to_newick(inner_labels=greedy.labels) == "(d,(c,(a,b)75)50);"
    strict = consensus_tree(trees, "strict")
    assert strict.tree.to_newick(inner_labels=strict.labels) == "(a,b,c,d);"
    assert (strict.count, strict.support.tolist()) == (4, [1.0])


def test_leaves_are_matched_by_name():
    one, two = newicks("((x,y),z);", "(z,(y,x));")
    made = consensus_tree([one, two])
    assert clades_of(made.tree) == {frozenset("xyz"), frozenset("xy")}
    with pytest.raises(DataError, match="'y' is missing"):
        consensus_tree(newicks("((x,y),z);", "((x,w),z);"))
    with pytest.raises(DataError, match="no tree"):
        consensus_tree([])


def test_the_tree_is_the_same_in_each_process():
    """Clades of one size are in no order of their own, and Python's hashes differ by process."""
    program = (
        "from hcbench import Tree\n"
        "from hcbench.analysis import consensus_tree\n"
        "text = '(((a,b),(c,d)),((e,f),(g,h)));'\n"
        "print(consensus_tree([Tree.from_newick(text)]).tree.parent.tolist())\n"
    )
    outputs = set()
    for seed in range(4):
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
