"""The tree files of other packages' tests: each is read as DendroPy reads it, or explained.

They are not part of hcbench. ``TREE_FILES_OF_PEERS`` names a folder with them, such as tests/data
of DendroPy's source distribution (``pip download --no-binary :all: dendropy==4.6.4``), or of
scikit-bio.
"""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from pathlib import Path

import pytest

from hcbench import DataError
from hcbench.files import TreeFile
from hcbench.model.newick.text import read_newick

FOLDER = os.environ.get("TREE_FILES_OF_PEERS")
SUFFIXES = (".nwk", ".newick", ".tree", ".tre", ".t", ".trees", ".con", ".nex", ".nexus", ".nexml")
EXPLANATIONS = (
    "has no tree, but|'tree NAME = (...);' is missing|NeXML is not read|PhyloXML is not read|"
    "is not UTF-8, and there are zero bytes|the file is empty"
)
LARGEST = 100_000  # bytes of files that are compared, for the time that this takes

pytestmark = pytest.mark.skipif(FOLDER is None, reason="TREE_FILES_OF_PEERS names no folder")


def tree_files() -> list[Path]:
    paths = [path for path in sorted(Path(FOLDER or ".").rglob("*")) if path.suffix in SUFFIXES]
    return [path for path in paths if path.is_file()]


def message_of(path: Path, tree: int | None = None) -> str:
    """What is said about a file that is not read; "" if it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            TreeFile(path, tree).read()
        except DataError as error:
            return str(error)
    return ""


def test_each_file_is_read_or_explained():
    counts: Counter[str] = Counter()
    for path in tree_files():
        message = message_of(path)
        several = re.search(r"there are (\d+) trees: choose one", message)
        if not message:
            counts["read"] += 1
        elif several:
            assert message_of(path, 1) == message_of(path, int(several[1])) == ""
            counts["several"] += 1
        else:
            assert "\n" not in message
            assert re.search(EXPLANATIONS.replace("(...)", r"\(\.\.\.\)"), message), message
            counts["explained"] += 1
    assert counts.total() == len(tree_files())


def lengths_of_nodes(text: str, tree: int) -> Counter[tuple[frozenset[str], float]]:
    """The leaves below each node with its branch length, as hcbench reads them."""
    nodes = read_newick(text, tree)
    counts: Counter[tuple[frozenset[str], float]] = Counter()
    below: list[set[str]] = [set() for _ in nodes.parent]
    for node, parent in enumerate(nodes.parent.tolist()):
        if not below[node]:
            assert nodes.labels is not None
            below[node].add(nodes.labels[node].replace("_", " "))
        if parent >= 0:
            below[parent] |= below[node]
            length = nodes.length[node]
            if length is not None:
                counts[frozenset(below[node]), float(length)] += 1
    return counts


@pytest.mark.slow
def test_branch_lengths_are_those_of_dendropy():
    dendropy = pytest.importorskip("dendropy")
    n_compared = 0
    for path in tree_files():
        if path.stat().st_size > LARGEST or message_of(path, 1):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")  # names of authors
        schema = "nexus" if text.lstrip()[:6].lower() == "#nexus" else "newick"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                peers = dendropy.TreeList.get(data=text, schema=schema)
            except Exception:  # a file that DendroPy's own tests refuse
                continue
        expected: Counter[tuple[frozenset[str], float]] = Counter()
        for node in peers[0].postorder_node_iter():
            if node.parent_node is not None and node.edge.length is not None:
                labels = [leaf.taxon.label.replace("_", " ") for leaf in node.leaf_iter()]
                expected[frozenset(labels), float(node.edge.length)] += 1
        assert lengths_of_nodes(text, 1) == expected, path
        n_compared += 1
    assert n_compared > 0
