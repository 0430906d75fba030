"""Preparation of numbers, against scikit-learn, scipy, pandas and numbers by hand."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import sparse, stats
from sklearn.preprocessing import RobustScaler, StandardScaler

from hcbench import DataError, ModelWarning, ParameterError, load_registry
from hcbench.cli import main
from hcbench.run import make_data
from hcbench_datasets.ordinal import read_ordinal


def read(path, options="", seed=0):
    (use,) = load_registry().use_datasets(f"{path}[{options}]" if options else str(path))
    return make_data(use, seed)


@pytest.fixture
def expression(tmp_path):
    """12 genes in 6 samples, as pandas writes them."""
    rng = np.random.default_rng(1)
    counts = rng.negative_binomial(2, 0.05, size=(12, 6)).astype(float)
    genes = [f"gene{i}" for i in range(12)]
    frame = pd.DataFrame(counts, genes, [f"sample{i}" for i in range(6)])
    frame.to_csv(tmp_path / "expr.csv", index_label="gene")
    return tmp_path / "expr.csv", frame


def test_columns_rows_and_quartiles_are_scaled_as_by_scikit_learn_and_scipy(expression):
    path, frame = expression
    values = frame.to_numpy()
    expected = {
        "columns": StandardScaler().fit_transform(values),
        "rows": stats.zscore(values, axis=1),
        "robust": RobustScaler().fit_transform(values),
    }
    for scale, vectors in expected.items():
        problem = read(path, f"names=gene,scale={scale}")
        np.testing.assert_allclose(problem.vectors, vectors, atol=1e-12)
    standardised = read(path, "names=gene,standardise=true")
    np.testing.assert_array_equal(
        standardised.vectors, read(path, "names=gene,scale=columns").vectors
    )


def test_constant_rows_and_columns_become_zeros(tmp_path):
    path = tmp_path / "data.csv"
    pd.DataFrame({"a": [0.1, 1.1, 2.1], "b": [0.1, 5.1, 9.1]}).to_csv(path, index=False)
    assert read(path, "scale=rows").vectors[0].tolist() == [0, 0]
    pd.DataFrame({"a": [0.1] * 5, "b": [7.0, 7, 7, 9, 7]}).to_csv(path, index=False)
    assert read(path, "scale=robust").vectors.tolist() == [[0, 0]] * 3 + [[0, 2], [0, 0]]


def test_a_transposed_table_has_the_columns_as_items(expression):
    path, frame = expression
    problem = read(path, "names=gene,transpose=true")
    assert problem.names == tuple(frame.columns)
    np.testing.assert_array_equal(problem.vectors, frame.to_numpy().T)


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_transposed_arrays(suffix, tmp_path):
    values = np.arange(12.0).reshape(4, 3) ** 2
    path = tmp_path / f"data{suffix}"
    if suffix == ".npy":
        np.save(path, values)
    else:
        sparse.save_npz(path, sparse.csr_array(values))
    vectors = read(path, "transpose=true,log=true").vectors
    dense = vectors if suffix == ".npy" else vectors.toarray()
    np.testing.assert_allclose(dense, np.log(1 + values.T))


def test_the_logarithm_comes_after_the_transposition_and_before_the_scale(expression):
    path, frame = expression
    problem = read(path, "names=gene,scale=rows,log=true,transpose=true")
    expected = stats.zscore(np.log1p(frame.to_numpy().T), axis=1)
    np.testing.assert_allclose(problem.vectors, expected, atol=1e-12)


def test_a_subsample_is_scaled_on_its_own(expression):
    path, frame = expression
    problem = read(path, "names=gene,n=5,scale=columns", seed=4)
    raw = frame.loc[list(problem.names)].to_numpy()
    np.testing.assert_allclose(problem.vectors, StandardScaler().fit_transform(raw), atol=1e-12)


def test_what_cannot_be_prepared_is_refused_with_the_way_out(tmp_path):
    path = tmp_path / "data.csv"
    pd.DataFrame({"kind": ["u", "v", "w"], "x": [1.0, -2, 3], "y": [4.0, 5, 6]}).to_csv(
        path, index=False
    )
    for options, complaint in {
        "drop=kind,log=true": "-2 has no logarithm",
        "labels=kind,transpose=true": "labels are of rows",
        "drop=kind,scale=columns,standardise=true": "omit one of the two",
    }.items():
        with pytest.raises(DataError, match=complaint):
            read(path, options)
    matrix = tmp_path / "matrix.csv"
    np.savetxt(matrix, [[0, 1, 2], [1, 0, 3], [2, 3, 0]], delimiter=",")
    for option in ("transpose=true", "log=true", "scale=rows"):
        with pytest.raises(DataError, match=f"omit {option}"):
            read(matrix, f"distance=true,header=false,{option}")


# ---- Ordered classes -----------------------------------------------------------------------------

SURVEY = """person,q1,q2,how much,age
a,often,never,a lot,30
b,never,rarely,little,40
c,rarely,,a lot,50
d,never,often,little,20
"""


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text(SURVEY)
    return path


def test_ordered_classes_become_numbers_in_the_order_that_is_given(survey):
    order = "ordinal={q*=[never,rarely,often],'how much'=[little,'a lot']}"
    problem = read(survey, f"names=person,{order},missing=median")
    expected = [[2, 0, 1, 30], [0, 1, 0, 40], [1, 1, 1, 50], [0, 2, 0, 20]]
    assert problem.vectors.tolist() == expected
    problem = read(survey, f"names=person,{order},missing=drop")
    assert problem.names == ("a", "b", "d")


def test_the_order_in_the_file_is_told(survey):
    with pytest.warns(ModelWarning, match="'q1' is coded .*: often=0, never=1, rarely=2; for an"):
        problem = read(survey, "names=person,ordinal=[q1],drop=[q2,'how much']")
    assert problem.vectors[:, 0].tolist() == [0, 1, 2, 1]


def test_classes_and_columns_that_are_not_there_are_named(survey):
    with pytest.raises(DataError, match="line 2, column 'q1': 'often' is not in the order"):
        read(survey, "names=person,ordinal={q1=[never,rarely]},drop=q2")
    with pytest.raises(DataError, match="no column 'q7' has these classes; there are person, q1"):
        read(survey, "names=person,ordinal={q7=[never,rarely]}")
    with pytest.raises(ParameterError, match="q1 has no list of at least two classes"):
        read_ordinal("{q1=never}")
    with pytest.raises(ParameterError, match="a class of q1 is there twice"):
        read_ordinal("{q1=[a,b,a]}")


def test_preparation_is_part_of_a_cell_and_of_its_label(survey):
    name = f"{survey}[names=person,drop='how much',ordinal={{q*=[never,rarely,often]}}]"
    labels = set()
    for options in ("", ",scale=rows", ",log=true", ",transpose=true", ",scale=robust"):
        (use,) = load_registry().use_datasets(f"{name[:-1]}{options}]")
        assert options in use.label
        (again,) = load_registry().use_datasets(use.label)
        assert again.params == use.params
        labels.add(use.label)
    assert len(labels) == 5


def test_a_command_with_an_order_of_classes_runs(survey, tmp_path, monkeypatch):
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    name = f"{survey}[names=person,drop='how much',ordinal={{q*=[never,rarely,often]}}]"
    words = ["compare", "--algos", "UPGMA,Ward", "--datasets", name, "-r", "1", "--dry-run"]
    shown = CliRunner().invoke(main, words)
    assert shown.exit_code == 0, shown.stderr
    assert "ordinal={q*=[never,rarely,often]}" in shown.stdout.replace("\n", "")
