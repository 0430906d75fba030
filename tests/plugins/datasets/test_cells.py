"""Files of anndata, written by anndata; what is expected is what anndata reads again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import sparse

from hcbench import DataError
from hcbench.cli import main
from tests.plugins.datasets.test_file import read

anndata = pytest.importorskip("anndata")

NAMES = ["c1", "c2", "c3", "c4", "c5", "c6"]
KINDS = ["T", "T", "B", "B", "B", "B"]
COUNTS = np.array([[3, 0, 1], [4, 0, 0], [0, 5, 0], [0, 6, 1], [0, 0, 9], [1, 4, 0]], dtype=float)


@pytest.fixture
def cells(tmp_path):
    """Writes cells with some more parts of an AnnData."""

    def write(kinds=KINDS, **parts):
        obs = pd.DataFrame({"cell_kind": pd.Categorical(kinds)}, index=NAMES)
        obs["leiden"] = pd.Categorical(list("011222"))
        obs["n_counts"] = COUNTS.sum(axis=1)
        matrix = parts.pop("X", COUNTS)
        data = anndata.AnnData(matrix, obs=obs, var=pd.DataFrame(index=["Actb", "Sox2", "Cd4"]))
        for part, arrays in parts.items():
            getattr(data, part).update(arrays)
        path = tmp_path / "cells.h5ad"
        data.write_h5ad(path)
        return path

    return write


@pytest.mark.slow
@pytest.mark.parametrize("matrix", [COUNTS, sparse.csr_matrix(COUNTS), sparse.csc_matrix(COUNTS)])
def test_cells_have_names_and_labels(cells, matrix):
    path = cells(X=matrix)
    back = anndata.read_h5ad(path)
    problem = read(path, labels=("cell_kind",))
    vectors = problem.vectors
    if sparse.issparse(vectors):
        vectors = vectors.toarray()
    np.testing.assert_array_equal(vectors, back.to_df().to_numpy())
    assert problem.names == tuple(back.obs_names)
    assert pd.factorize(problem.levels[:, 0])[0].tolist() == [0, 0, 1, 1, 1, 1]


@pytest.mark.slow
def test_one_of_several_matrices_is_asked_for(cells):
    path = cells(layers={"counts": 2 * COUNTS}, obsm={"X_pca": COUNTS[:, :2]})
    back = anndata.read_h5ad(path)
    with pytest.raises(DataError, match=r"several matrices: of X write .*layer=X_pca"):
        read(path)
    np.testing.assert_array_equal(read(path, layer="X").vectors, back.X)
    np.testing.assert_array_equal(read(path, layer="counts").vectors, back.layers["counts"])
    np.testing.assert_array_equal(read(path, layer="X_pca").vectors, back.obsm["X_pca"])
    with pytest.raises(DataError, match="no layer 'count'; did you mean counts"):
        read(path, layer="count")


@pytest.mark.slow
def test_genes_are_items_with_transpose(cells):
    path = cells()
    problem = read(path, transpose=True)
    assert problem.names == ("Actb", "Sox2", "Cd4")
    np.testing.assert_array_equal(problem.vectors, COUNTS.T)


@pytest.mark.slow
def test_missing_labels_are_omitted_if_that_is_said(cells):
    path = cells(kinds=["T", None, "B", "B", "B", "B"])
    with pytest.raises(DataError, match=r"1 labels of 'cell_kind' are missing; .*missing=drop"):
        read(path, labels=("cell_kind",))
    problem = read(path, labels=("cell_kind",), missing="drop")
    assert problem.names == ("c1", "c3", "c4", "c5", "c6")
    np.testing.assert_array_equal(problem.vectors, COUNTS[[0, 2, 3, 4, 5]])


@pytest.mark.slow
def test_inspect_asks_which_column_of_obs_is_the_truth(cells):
    shown = CliRunner().invoke(main, ["inspect", str(cells())])
    assert shown.exit_code == 0, shown.stderr
    assert "candidates: cell_kind or leiden, or none of them" in shown.stdout
    assert "no classes: n_counts" in shown.stdout
    assert "[labels=[leiden]]" in shown.stdout


def test_what_is_no_file_of_anndata_is_said(tmp_path):
    path = tmp_path / "cells.h5ad"
    path.write_text("x,y\n1,2\n")
    with pytest.raises(DataError, match=r"no \.h5ad file.*write_h5ad"):
        read(path)
    with pytest.raises(DataError, match=r"has the parameters labels and names .*; omit drop"):
        read(path, drop=("x",))
