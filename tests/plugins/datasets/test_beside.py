"""Arrays with labels and names in files, condensed distances, and matrices of 10x Genomics."""

from __future__ import annotations

import gzip
import re
import shlex

import numpy as np
import pytest
from scipy import io, sparse
from scipy.spatial.distance import pdist

from hcbench import DataError, load_registry
from hcbench.run import make_data
from tests.plugins.datasets.test_file import read

X = np.array([[0.0, 1.0], [0.5, 1.5], [4.0, 4.0], [5.0, 4.5], [9.0, 0.0]])


@pytest.fixture
def arrays(tmp_path):
    np.save(tmp_path / "X.npy", X)
    (tmp_path / "labels.txt").write_text("a\na\nb\nb\nc\n")
    (tmp_path / "names.txt").write_text("".join(f"item {i}\n" for i in range(5)))
    return tmp_path


def test_labels_and_names_of_an_array_are_lines_of_files(arrays):
    problem = read(
        arrays / "X.npy",
        labels=(str(arrays / "labels.txt"),),
        names=str(arrays / "names.txt"),
    )
    assert problem.names == tuple(f"item {i}" for i in range(5))
    assert problem.levels.ravel().tolist() == [0, 0, 1, 1, 2]
    packed = arrays / "names.txt.gz"
    packed.write_bytes(gzip.compress((arrays / "names.txt").read_bytes()))
    assert read(arrays / "X.npy", names=str(packed)).names == problem.names
    assert problem.classes == (("a", "b", "c"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class\na\na\nb\nb\nc\n", "has 6 lines for 5 items; remove the header"),
        ("a\nb\n", "has 2 lines for 5 items"),
        ("a\n\nb\nb\nc\n", "the label in line 2 is missing"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_the_reason(arrays, text, message):
    (arrays / "labels.txt").write_text(text)
    with pytest.raises(DataError, match=message):
        read(arrays / "X.npy", labels=(str(arrays / "labels.txt"),))
    with pytest.raises(DataError, match="there is no such file as species"):
        read(arrays / "X.npy", labels=("species",))


@pytest.mark.parametrize("header", ["name,class\n", ""])
def test_labels_that_have_names_are_matched_by_them(arrays, header):
    rows = ["item 4,c", "item 0,a", "item 3,b", "item 1,a", "item 2,b"]
    path = arrays / "labels.csv"
    path.write_text(header + "\n".join(rows) + "\n")
    params = {"labels": (str(path),), "names": str(arrays / "names.txt")}
    assert read(arrays / "X.npy", **params).levels.ravel().tolist() == [0, 0, 1, 1, 2]
    with pytest.raises(DataError, match=r"has two columns; .* names='names.txt'"):
        read(arrays / "X.npy", labels=(str(path),))
    path.write_text("\n".join(rows[1:]) + "\n")
    with pytest.raises(DataError, match="has no label of 'item 4'; add a line"):
        read(arrays / "X.npy", **params)
    path.write_text("\n".join([*rows, "item 9,a"]) + "\n")
    with pytest.raises(DataError, match="has 'item 9', which is no item"):
        read(arrays / "X.npy", **params)


def test_a_changed_file_of_labels_is_another_data_set(arrays):
    name = f"{arrays}/X.npy[labels='{arrays}/labels.txt']"
    (before,) = load_registry().use_datasets(name)
    (arrays / "labels.txt").write_text("a\na\na\nb\nc\n")
    (after,) = load_registry().use_datasets(name)
    assert before.seed_name != after.seed_name


def test_condensed_distances_are_asked_for_and_read(tmp_path):
    path = tmp_path / "condensed.npy"
    np.save(path, pdist(X))
    with pytest.raises(DataError, match="10 numbers may be the distances of 5 items"):
        read(path)
    expected = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(
        read(path, distance=True).similarity, 1 - expected / expected.max(), atol=1e-12
    )
    np.save(path, np.arange(11.0))  # 11 is no n (n - 1) / 2
    with pytest.raises(DataError, match="an array of shape"):
        read(path)


def test_a_matrix_of_10x_asks_whether_genes_or_cells_are_clustered(tmp_path):
    counts = np.random.default_rng(0).poisson(1.0, (6, 4))
    io.mmwrite(tmp_path / "matrix.mtx", sparse.csr_matrix(counts))
    (tmp_path / "barcodes.tsv").write_text("".join(f"AAAC{i}-1\n" for i in range(4)))
    genes = "".join(f"ENSG{i}\tgene{i}\tGene Expression\n" for i in range(6))
    (tmp_path / "features.tsv").write_text(genes)
    with pytest.raises(DataError, match="genes as rows and cells as columns") as caught:
        read(tmp_path / "matrix.mtx")
    message = str(caught.value)
    ways = re.search(r"to cluster cells write (.*), to cluster genes (.*)", message)
    problems = []
    for way in ways.groups():
        (name,) = shlex.split(way)
        (use,) = load_registry().use_datasets(name)
        problems.append(make_data(use, 0))
    cells, of_genes = problems
    np.testing.assert_array_equal(cells.vectors.toarray(), counts.T)
    assert cells.names == tuple(f"AAAC{i}-1" for i in range(4))
    np.testing.assert_array_equal(of_genes.vectors.toarray(), counts)
    assert of_genes.names == tuple(f"ENSG{i}" for i in range(6))
