"""Trees in files, read back by scipy, by DendroPy and by `read_tree`."""

from __future__ import annotations

import json

import dendropy
import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import cophenet, is_valid_linkage, linkage
from scipy.spatial.distance import squareform

from hcbench import DataError, Tree, read_tree, write_tree
from hcbench.errors import InvalidTreeError

NAMES = ("a b", "it's", "c_d", "x-1", "(q)", "é", "g:1,2")
Z = linkage(np.random.default_rng(3).normal(size=(7, 3)), "average")
TREE = Tree.from_linkage(Z, names=NAMES)
DISTANCES = squareform(cophenet(Z))


@pytest.mark.parametrize(("suffix", "schema"), [(".nwk", "newick"), (".nex", "nexus")])
def test_dendropy_reads_the_names_and_the_distances(tmp_path, suffix, schema):
    path = tmp_path / f"tree{suffix}"
    write_tree(TREE, path)
    read = dendropy.Tree.get(path=str(path), schema=schema, preserve_underscores=True)
    matrix = read.phylogenetic_distance_matrix()
    taxa = {taxon.label: taxon for taxon in read.taxon_namespace}
    assert set(taxa) == set(NAMES)
    for i, first in enumerate(NAMES):
        for j, second in enumerate(NAMES):
            assert matrix(taxa[first], taxa[second]) == pytest.approx(DISTANCES[i, j])


@pytest.mark.parametrize("suffix", [".nwk", ".nex", ".tre", ".nexus"])
def test_what_is_written_is_read_with_names_and_heights(tmp_path, suffix):
    path = tmp_path / f"tree{suffix}"
    write_tree(TREE, path)
    read = read_tree(path, NAMES)
    assert read.isomorphic(TREE)
    items = np.arange(7)
    merged = read.merge_height(items[:, None], items[None, :])
    assert np.allclose(merged, DISTANCES, rtol=1e-15)


def test_scipy_takes_the_linkage_matrix(tmp_path):
    files = write_tree(TREE, tmp_path / "tree.npy")
    read = np.load(files[0])
    assert is_valid_linkage(read)
    assert np.allclose(squareform(cophenet(read)), DISTANCES)
    assert files[1].read_text().splitlines() == list(NAMES)


@pytest.mark.parametrize(("suffix", "separator"), [(".csv", ","), (".tsv", "\t")])
def test_scipy_takes_the_table_of_a_linkage_matrix(tmp_path, suffix, separator):
    path, _ = write_tree(TREE, tmp_path / f"tree{suffix}")
    read = pd.read_csv(path, sep=separator).to_numpy()
    assert is_valid_linkage(read)
    assert np.array_equal(squareform(cophenet(read)), squareform(cophenet(np.array(read))))
    assert np.allclose(squareform(cophenet(read)), DISTANCES)
    assert read_tree(path, NAMES) == TREE


def test_json_has_the_arrays_of_the_tree(tmp_path):
    (path,) = write_tree(TREE, tmp_path / "tree.json", metadata={"algorithm": "UPGMA"})
    read = json.loads(path.read_text())
    assert read["algorithm"] == "UPGMA"
    assert Tree(read["parent"], read["height"], read["kind"], read["names"]) == TREE


def test_json_has_no_infinite_number(tmp_path):
    tree = Tree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 2, np.inf], "distance")
    (path,) = write_tree(tree, tmp_path / "tree.json")

    def refuse(text):
        raise AssertionError(text)

    read = json.loads(path.read_text(), parse_constant=refuse)
    assert read["height"][-1] is None


def test_names_of_one_line_each_stay_one_line_each(tmp_path):
    tree = TREE.with_names([f"{k}\nline" for k in range(7)])
    _, names = write_tree(tree, tmp_path / "tree.npy")
    assert len(names.read_text().splitlines()) == 7


def test_a_tree_that_is_not_binary_is_no_linkage_matrix(tmp_path):
    with pytest.raises(InvalidTreeError, match="write it as Newick"):
        write_tree(Tree([3, 3, 3, -1]), tmp_path / "tree.npy")


def test_unknown_suffixes_and_folders_are_errors_of_one_line(tmp_path):
    with pytest.raises(DataError, match=r"tree\.doc: .* ends in \.nwk"):
        write_tree(TREE, tmp_path / "tree.doc")
    with pytest.raises(DataError, match="cannot write"):
        write_tree(TREE, tmp_path / "none" / "tree.nwk")
