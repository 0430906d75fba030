"""Files that are no data: what is said about them, and that none is read as vectors."""

from __future__ import annotations

import pickle
import shlex

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage

from hcbench import DataError, load_registry
from tests.plugins.datasets.test_file import read

POINTS = np.random.default_rng(2).normal(size=(9, 2))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.rds", b"\x1f\x8b\x08\0", "saveRDS"),
        ("x.RData", b"RDX3\n", "an image of R; .*write.csv"),
        ("x.pkl", pickle.dumps([1, 2]), "a pickle, which could run code"),
        ("x.h5", b"\x89HDF\r\n", "HDF5"),
        ("x.mat", b"MATLAB 5.0", "writematrix"),
        ("x.xls", b"\xd0\xcf\x11\xe0", r"save it as \.xlsx"),
        ("x.nwk", b"((a,b),c);", "trees or sequences and no items"),
        ("outtree", b"((a,b),\nc);", "trees or sequences and no items"),
        ("x.txt", b"((a,b),\nc);", "trees or sequences and no items"),
        ("x.txt", b"#NEXUS\nbegin trees;", "trees or sequences and no items"),
        ("x.fasta", b">a\nACGT\n", "sequences; write their distances"),
        ("x.xml", b"<?xml version='1.0'?>", "XML or HTML"),
        ("x.txt", b"structure(list(a = 1:3), class = 'data.frame')", "R code, as of dput"),
        ("x.txt", b"|   | a |\n|:--|--:|\n| x | 1 |\n", "a table in Markdown"),
        ("x.xyz", b"a,b\n1,2\n", r"rename the file, or save it as one of \.csv"),
    ],
)
def test_what_is_no_data_is_said(tmp_path, name, content, reason):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=reason) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    # What is typed behind --datasets has the same reader.
    assert load_registry().use_datasets(str(path))[0].spec.name == "file"


def written_merges(folder, form):
    merges = linkage(POINTS, "average")
    if form == "npy":
        np.save(folder / "z.npy", merges)
        return folder / "z.npy"
    if form == "hclust":
        pairs = merges[:, :2]
        pairs = np.where(pairs < 9, -pairs - 1, pairs - 8)
        pd.DataFrame(pairs.astype(int)).to_csv(folder / "z.csv")
        return folder / "z.csv"
    pd.DataFrame(merges).to_csv(folder / "z.csv", index=form == "with index")
    return folder / "z.csv"


@pytest.mark.parametrize("form", ["npy", "with index", "without index", "hclust"])
def test_merges_of_a_tree_are_not_read_as_vectors(tmp_path, form):
    path = written_merges(tmp_path, form)
    with pytest.raises(DataError, match="a tree and no data") as caught:
        read(path)
    (advised,) = shlex.split(str(caught.value).split("or write ")[1].split(" if the rows")[0])
    assert advised == f"{path}[similarity=false]"
    assert read(path, similarity=False).n == 8


def test_rows_of_several_lengths_with_tabs_are_refused(tmp_path):
    path = tmp_path / "ordination.txt"
    path.write_text("Eigvals\t2\n1.5\t0.5\n\nSite\t2\t2\na\t1\t2\n")
    with pytest.raises(DataError, match="line 4: 3 cells"):
        read(path)
