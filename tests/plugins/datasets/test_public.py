"""The public data sets: the real files if HCBENCH_DATA is set, tiny ones by hand otherwise."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import hcbench_datasets
from hcbench import DataError, DataRequest, ModelWarning, Problem
from hcbench_datasets.car import CLASSES, comparisons_of_centres, read_statements, read_survey
from hcbench_datasets.mnist import read_idx
from hcbench_datasets.reviews import read_reviews
from hcbench_datasets.stocks import read_returns
from hcbench_datasets.uci import read_table

SPECS = {spec.name: spec for spec in hcbench_datasets.hcbench_datasets()}
FOLDER = os.environ.get("HCBENCH_DATA", "")
real = pytest.mark.skipif(not FOLDER, reason="HCBENCH_DATA is not set: the real files are not read")


def make(name: str, seed: int = 0, **params: object) -> Problem:
    spec = SPECS[name]
    resolved = spec.resolve(params)  # type: ignore[arg-type]
    problem: Problem = spec.load()(DataRequest(seed=seed), **resolved)
    assert spec.provides_with(resolved) <= problem.provides
    return problem


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# ---- zoo, glass ----------------------------------------------------------------------------------


@real
def test_zoo_is_100_animals_without_girl():
    problem = make("zoo")
    assert problem.vectors.shape == (100, 16)
    assert "girl" not in problem.names
    assert {"frog", "frog 2"} <= set(problem.names)
    assert set(problem.vectors[:, 12].tolist()) == {0, 2, 4, 5, 6, 8}  # legs
    assert set(np.delete(problem.vectors, 12, axis=1).ravel().tolist()) == {0, 1}
    # UCI counts 41 mammals, girl among them, 20 birds, 5 reptiles, 13 fish, 4, 8 and 10
    assert np.bincount(problem.levels[:, 0]).tolist() == [40, 20, 5, 13, 4, 8, 10]


def test_zoo_excludes_girl_and_numbers_equal_names(tmp_path, monkeypatch):
    monkeypatch.setenv("HCBENCH_DATA", str(tmp_path))
    write(tmp_path / "zoo.csv", "animal_name,legs,class\nfrog,4,5\ngirl,2,1\nfrog,4,5\nboa,0,3\n")
    problem = make("zoo")
    assert problem.names == ("frog", "frog 2", "boa")
    assert problem.vectors.tolist() == [[4], [4], [0]]
    assert problem.levels[:, 0].tolist() == [1, 1, 0]


@real
def test_glass_is_214_pieces():
    problem = make("glass")
    assert problem.vectors.shape == (214, 9)
    # UCI: windows of buildings, 70 float processed and 76 not, and of vehicles 17; 13, 9, 29
    assert sorted(np.bincount(problem.levels[:, 0])) == [9, 13, 17, 29, 70, 76]
    scaled = make("glass", standardise=True).vectors
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), 1)


def test_a_table_with_text_for_a_number_is_refused(tmp_path):
    path = write(tmp_path / "glass.csv", "RI,Na,type\n1.5,x,1\n")
    with pytest.raises(DataError, match=r"glass\.csv, line 2: .*numbers are needed"):
        read_table(path, has_names=False)
    path = write(tmp_path / "glass.csv", "RI,Na,type\n1.5,1,1\n\n1.5,1\n")
    with pytest.raises(DataError, match="line 4: 2 cells where the header has 3"):
        read_table(path, has_names=False)
    with pytest.raises(DataError, match="no rows"):
        read_table(write(tmp_path / "zoo.csv", "a,b\n"), has_names=True)


# ---- car -----------------------------------------------------------------------------------------


@real
def test_car_has_two_quadruplets_for_each_of_6056_statements():
    problem = make("car")
    assert problem.n == 60
    assert len(problem.comparisons) == 12112
    assert problem.vectors is None
    assert np.bincount(problem.levels[:, 0]).tolist() == [24, 15, 17, 4]
    assert problem.names[1] == "ordinary 2"
    with pytest.warns(ModelWarning, match="answered in both ways"):
        all_answers = make("car", answers="all")
    assert len(all_answers.comparisons) == 2 * 7097


@real
def test_answers_about_cars_can_be_held_out():
    everything = make("car")
    problem = make("car", held_out=0.25)
    n_used, n_held_out = len(problem.comparisons), len(problem.held_out)
    assert n_used + n_held_out == len(everything.comparisons) == 12112
    assert n_held_out == 2 * round(0.25 * 6056)  # no two statements are about the same three cars
    used = {frozenset(row) for row in problem.comparisons.quadruplets().tolist()}
    assert not used & {frozenset(row) for row in problem.held_out.quadruplets().tolist()}


def test_every_car_is_in_one_class():
    assert sorted(car for cars in CLASSES.values() for car in cars) == list(range(1, 61))


def test_the_central_car_is_closer_to_both_others_than_they_are():
    quadruplets = comparisons_of_centres(np.array([[3, 1, 7]])).quadruplets().tolist()
    # w(3, 1) > w(1, 7) and w(3, 7) > w(1, 7), from 0 and with i < j
    assert sorted(quadruplets) == [[0, 2, 0, 6], [2, 6, 0, 6]]


def test_survey_answers_are_statements(tmp_path):
    path = write(tmp_path / "s.csv", "round,c,a,b,d,time\n1,30,32,16,30,11.1\n2,5,5,6,7,3\n")
    assert read_survey(path).tolist() == [[30, 32, 16], [5, 6, 7]]
    with pytest.raises(DataError, match=r"line 2: .* chooses a car not shown"):
        read_survey(write(tmp_path / "s.csv", "round,c,a,b,d,time\n1,3,32,16,30,11.1\n"))


@pytest.mark.parametrize("row", ["1,2", "1,2,2", "1,2,61", "0,1,2", "1,2,x"])
def test_invalid_statements_are_refused(tmp_path, row):
    path = write(tmp_path / "t.csv", f"1,2,3\n{row}\n")
    with pytest.raises(DataError, match=r"line 2: .* three different cars"):
        read_statements(path)


# ---- sp500 ---------------------------------------------------------------------------------------


@pytest.mark.slow
@real
def test_sp500_is_381_stocks_of_1259_days():
    raw = make("sp500", standardise=False)
    assert raw.vectors.shape == (381, 1259)
    assert len(np.unique(raw.levels[:, 0])) == 11  # GICS sectors
    assert raw.vectors.min() > -1  # no stock loses more than all
    scaled = make("sp500").vectors
    np.testing.assert_allclose(np.linalg.norm(scaled, axis=1), np.sqrt(1259))


def stocks(tmp_path, *rows):
    return write(tmp_path / "r.csv", "symbol,sector,sub_industry,d1,d2\n" + "\n".join(rows) + "\n")


def test_sp500_standardises_each_stock(tmp_path, monkeypatch):
    monkeypatch.setenv("HCBENCH_DATA", str(tmp_path))
    stocks(tmp_path, "A,Tech,Chips,0.1,0.3", "B,Health,Drugs,-1,1").rename(
        tmp_path / "sp500_returns.csv"
    )
    problem = make("sp500")
    np.testing.assert_allclose(problem.vectors, [[-1, 1], [-1, 1]])
    assert problem.names == ("A", "B")
    assert problem.levels.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["A,S,I,1,2", "B,S,I,1"], "line 3: 4 cells where the header has 5"),
        (["A,S,I,1,2", "B,S,I,1,x"], "returns must be numbers"),
        (["A,S,I,1,2", "A,S,I,1,2"], "both named 'A'"),
        (["A,S,I,1,2"], "at least 2 stocks"),
    ],
)
def test_sp500_files_of_another_form_are_refused(tmp_path, rows, message):
    with pytest.raises(DataError, match=message):
        read_returns(stocks(tmp_path, *rows))


def test_a_stock_that_never_moves_cannot_be_standardised(tmp_path, monkeypatch):
    monkeypatch.setenv("HCBENCH_DATA", str(tmp_path))
    stocks(tmp_path, "A,S,I,1,1", "B,S,I,1,2").rename(tmp_path / "sp500_returns.csv")
    with pytest.raises(DataError, match="returns of A are constant; standardise=false"):
        make("sp500")


# ---- amazon-reviews ------------------------------------------------------------------------------


@pytest.mark.slow
@real
def test_reviews_have_the_papers_5594_terms():
    problem = make("amazon-reviews")
    assert problem.vectors.shape == (5000, 5594)
    assert problem.levels.shape == (5000, 3)
    np.testing.assert_allclose(problem.vectors.multiply(problem.vectors).sum(axis=1), 1)
    few = make("amazon-reviews", 1, n=300)
    assert few.n == 300
    assert few.digest() != make("amazon-reviews", 2, n=300).digest()


def test_reviews_need_their_columns(tmp_path):
    with pytest.raises(DataError, match="no column Cat3"):
        read_reviews(write(tmp_path / "r.csv", "Text,Cat1,Cat2\na,b,c\n"))
    path = write(tmp_path / "r.csv", "Cat3,Text,Cat1,Cat2\nz,a b,x,y\nw,c,x,y\n")
    assert read_reviews(path) == (["a b", "c"], ["x", "x"], ["y", "y"], ["z", "w"])


# ---- mnist ---------------------------------------------------------------------------------------


@pytest.mark.slow
@real
def test_mnist_is_the_first_10000_digits():
    problem = make("mnist")
    assert problem.vectors.shape == (10000, 784)
    assert problem.vectors.min() == 0
    assert problem.vectors.max() == 255
    # LeCun's first training digits, and the counts of the first 10000
    assert problem.levels[:10, 0].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert make("mnist", split="test", n=5).levels[:, 0].tolist() == [7, 2, 1, 0, 4]


def idx(*shape: int, data: bytes, code: int = 8) -> bytes:
    sizes = b"".join(size.to_bytes(4, "big") for size in shape)
    return bytes([0, 0, code, len(shape)]) + sizes + data


def test_mnist_reads_idx_files(tmp_path, monkeypatch):
    monkeypatch.setenv("HCBENCH_DATA", str(tmp_path))
    (tmp_path / "mnist").mkdir()
    images = idx(3, 2, 2, data=bytes(range(12)))
    (tmp_path / "mnist" / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
    (tmp_path / "mnist" / "train-labels-idx1-ubyte").write_bytes(idx(3, data=bytes([7, 1, 7])))
    problem = make("mnist", n=2)
    assert problem.vectors.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert problem.levels.tolist() == [[7], [1]]
    with pytest.raises(DataError, match="n=10000 exceeds the 3 digits of split=train"):
        make("mnist")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\0",
        idx(3, data=b"")[:6],
        idx(3, data=b""),
        idx(3, data=b"ab"),
        idx(2, data=b"ab", code=9),
        idx(1, 2, data=b"ab"),
    ],
)
def test_damaged_idx_files_are_refused(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(DataError, match=r"x (is not an IDX file|is damaged)"):
        read_idx(tmp_path / "x", 1)


# ---- all -----------------------------------------------------------------------------------------


@pytest.mark.slow
@real
@pytest.mark.parametrize("name", ["zoo", "glass", "car", "sp500", "mnist"])
def test_data_that_depend_on_no_seed_are_declared_so(name):
    spec = SPECS[name]
    assert not spec.random_with(spec.resolve({}))
    assert make(name, 1).digest() == make(name, 2).digest()


def test_a_sample_of_reviews_is_random_and_all_of_them_are_not():
    spec = SPECS["amazon-reviews"]
    assert not spec.random_with(spec.resolve({}))
    assert spec.random_with(spec.resolve({"n": 10}))


@real
def test_the_reduced_statements_of_car_name_no_three_cars_twice():
    rows = read_statements(Path(FOLDER) / "car" / "T_ALL_REDUCED.csv")
    assert max(Counter(frozenset(row) for row in rows.tolist()).values()) == 1
