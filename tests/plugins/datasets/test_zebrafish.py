"""The recipe for gene counts, step by step against pandas and least squares."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import hcbench_datasets
from hcbench import DataError, DataNotAvailableError, DataRequest
from hcbench_datasets.zebrafish import expression, variable_genes, without_effect

SPECS = {spec.name: spec for spec in hcbench_datasets.hcbench_datasets()}


def counts(cells: int = 80, genes: int = 500, seed: int = 0) -> np.ndarray:
    """Counts of genes that differ in mean and in dispersion."""
    rng = np.random.default_rng(seed)
    mean = rng.gamma(1.5, 2.0, genes)
    rate = rng.gamma(rng.uniform(0.5, 5, genes), size=(cells, genes))
    return rng.poisson(mean * rate).astype(float)


def naive_variable_genes(X: np.ndarray) -> list[bool]:
    """The normalised dispersion by its definition, with pandas."""
    mean, variance = X.mean(axis=0), X.var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        dispersion = np.log(np.where(variance > 0, variance, np.nan) / np.where(mean > 0, mean, 1))
    table = pd.DataFrame({"level": np.log1p(mean), "dispersion": dispersion})
    table["bin"] = pd.cut(table.level, bins=20)
    groups = table.groupby("bin", observed=True).dispersion
    centre, spread = groups.transform("mean"), groups.transform("std")
    alone = spread.isna()
    normalised = ((table.dispersion - centre) / spread).where(~alone, 1.0)
    normalised = normalised.where(table.dispersion.notna(), 0.0)
    chosen = (table.level > 0.0125) & (table.level < 3) & (normalised > 0.5)
    return chosen.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_variable_genes_are_those_of_the_definition(seed):
    X = counts(seed=seed)
    X[:, 3] = 0  # a gene without counts
    X[:, 4] = 2  # a constant gene
    expected = naive_variable_genes(X)
    assert variable_genes(sparse.csr_array(X)).tolist() == expected
    assert 0 < sum(expected) < X.shape[1]


def test_residuals_are_those_of_least_squares():
    rng = np.random.default_rng(0)
    Y, totals = rng.normal(size=(30, 4)), rng.normal(size=30)
    design = np.column_stack([np.ones(30), totals])
    expected = Y - design @ np.linalg.lstsq(design, Y)[0]
    np.testing.assert_allclose(without_effect(Y, totals), expected, atol=1e-12)
    np.testing.assert_allclose(without_effect(Y, np.ones(30)), Y - Y.mean(axis=0))


def test_the_recipe_filters_normalises_and_scales():
    X = counts()
    X[7] = 0
    X[7, :150] = 1  # a cell with too few genes
    X[:, 10] = 0
    X[:2, 10] = 5  # a gene in two cells
    chosen, values = expression(sparse.csr_array(X))
    assert chosen.tolist() == [i for i in range(80) if i != 7]
    X = np.delete(np.delete(X, 7, axis=0), 10, axis=1)
    totals = X.sum(axis=1)
    normal = X * (1e4 / totals)[:, None]
    genes = np.array(naive_variable_genes(normal))
    design = np.column_stack([np.ones(79), totals])
    logs = np.log1p(normal[:, genes])
    residual = logs - design @ np.linalg.lstsq(design, logs)[0]
    expected = np.minimum(residual / residual.std(axis=0, ddof=1), 10)
    np.testing.assert_allclose(values, expected, atol=1e-9)


def test_too_few_genes_are_refused():
    with pytest.raises(DataError, match="0 cells have 200 genes or more"):
        expression(sparse.csr_array(np.ones((5, 20))))
    with pytest.raises(DataError, match="no gene is variable enough"):
        expression(sparse.csr_array(np.ones((5, 300))))


def test_a_missing_file_is_reported_with_its_place(monkeypatch, tmp_path):
    monkeypatch.setenv("HCBENCH_DATA", str(tmp_path))
    spec = SPECS["zebrafish"]
    with pytest.raises(DataNotAvailableError, match=r"put it at .*WagnerScience2018\.h5ad: the"):
        spec.load()(DataRequest(seed=0), **spec.resolve({}))


def test_cells_come_from_an_h5ad_file(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata = pytest.importorskip("anndata", reason="anndata is not installed")
        labels = [("A", f"06hpf-a-{i % 2}") if i < 40 else ("B", "NaN") for i in range(80)]
        labels[50:] = [("C", "10hpf-c")] * 30
        cells = pd.DataFrame(labels, columns=["TissueName", "ClusterName"])
        cells.index = cells.index.astype(str)
        anndata.AnnData(sparse.csr_matrix(counts()), obs=cells).write_h5ad(tmp_path / "z.h5ad")
    spec = SPECS["zebrafish"]
    params = spec.resolve({"path": str(tmp_path / "z.h5ad"), "n": 70})
    problem = spec.load()(DataRequest(seed=0), **params)
    assert problem.n == 70  # ten cells have no subcategory
    assert spec.provides_with(params) <= problem.provides
    assert np.bincount(problem.levels[:, 0]).tolist() == [40, 30]
    assert problem.levels[:4].tolist() == [[0, 0], [0, 1], [0, 0], [0, 1]]
    with pytest.raises(DataError, match="n=71 exceeds the 70 items"):
        spec.load()(
            DataRequest(seed=0), **spec.resolve({"path": str(tmp_path / "z.h5ad"), "n": 71})
        )
    with pytest.raises(DataError, match="no column 'Tissue' of cells; there are TissueName"):
        spec.load()(
            DataRequest(seed=0),
            **spec.resolve({"path": str(tmp_path / "z.h5ad"), "tissue": "Tissue"}),
        )


def test_an_invalid_file_is_reported(tmp_path):
    spec = SPECS["zebrafish"]
    (tmp_path / "z.h5ad").write_text("nothing")
    with pytest.raises(DataError, match=r"cannot read .*z\.h5ad|needs anndata"):
        spec.load()(DataRequest(seed=0), **spec.resolve({"path": str(tmp_path / "z.h5ad")}))
