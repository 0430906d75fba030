"""Tables whose columns or items are named by numbers: the right number of items, or a question."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hcbench import DataError, ModelWarning
from tests.plugins.datasets.test_file import read

RNG = np.random.default_rng(4)
POINTS = RNG.normal(size=(12, 4))
COUNTS = RNG.integers(0, 40, size=(12, 4))
NAMES = [18, 15, 24, 3, 7, 9]
DISTANCES = np.abs(np.subtract.outer(POINTS[:6, 0], POINTS[:6, 0]))


@pytest.fixture
def file(tmp_path):
    def write(content, name="data.csv", **options):
        path = tmp_path / name
        if isinstance(content, str):
            path.write_text(content)
        else:
            content.to_csv(path, **options)
        return path

    return write


def similarities(distances):
    return 1 - distances / distances.max()


# ---- Headers of numbers --------------------------------------------------------------------------


@pytest.mark.parametrize("points", [POINTS, COUNTS], ids=["fractions", "counts"])
@pytest.mark.parametrize("columns", [None, range(1, 5), [2001, 2002, 2003, 2004], [0.0, 1, 2, 3]])
@pytest.mark.parametrize("index", [True, False])
def test_a_header_of_numbers_is_no_item(file, points, columns, index):
    path = file(pd.DataFrame(points, columns=columns), index=index)
    problem = read(path)
    assert np.allclose(problem.vectors, points)
    assert problem.names is None


def test_columns_named_by_any_numbers_below_an_index_are_no_item(file):
    frame = pd.DataFrame(COUNTS, columns=[40, 7, 12, 33])
    assert read(file(frame)).vectors.tolist() == COUNTS.tolist()


def test_wavelengths_are_a_header(file):
    spectra = RNG.normal(size=(5, 8)).round(3)
    path = file(pd.DataFrame(spectra, columns=np.arange(400, 416, 2)), index=False)
    assert np.array_equal(read(path).vectors, spectra)


def test_names_above_years_are_a_header(file):
    path = file("name,2019,2020\na,1,2\nb,3,4\n")
    assert read(path, names="name").vectors.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(DataError, match="column 'name': 'a' is not a number"):
        read(path)


@pytest.mark.parametrize(
    "text",
    [
        '"1","2"\n5,6\n7,8\n',
        '"","1","2"\n"1",5,6\n"2",7,8\n',
        '"1","2"\n"1",5,6\n"2",7,8\n',
        '"","V1","V2"\n"1",5,6\n"2",7,8\n',
        '"V1","V2"\n"1",5,6\n"2",7,8\n',
    ],
)
def test_headers_as_r_writes_them(file, text):
    assert read(file(text)).vectors.tolist() == [[5, 6], [7, 8]]


@pytest.mark.parametrize("options", [{}, {"fmt": "%g"}, {"fmt": "%.3f"}])
@pytest.mark.parametrize("points", [POINTS, COUNTS, np.arange(20).reshape(5, 4), np.eye(4)[::-1]])
def test_numbers_without_a_header_have_none(tmp_path, points, options):
    np.savetxt(tmp_path / "x.csv", points, delimiter=",", **options)
    problem = read(tmp_path / "x.csv", similarity=False)
    assert problem.vectors.shape == points.shape
    assert np.allclose(problem.vectors, points, atol=1e-3)


@pytest.mark.parametrize(
    "text", ["0,1\n1,0\n1,1\n", "0\n3\n5\n", "0,1,2\n1,3,2\n2,0,1\n", "18,15\n0.5,0.7\n0.2,0.1\n"]
)
def test_what_may_be_a_header_or_an_item_is_asked(file, text):
    path = file(text)
    with pytest.raises(DataError) as caught:
        read(path)
    assert f"write '{path}[header=true]' or '{path}[header=false]'" in str(caught.value)
    n = text.count("\n")
    assert read(path, header=False).n == n
    assert read(path, header=True).n == n - 1


# ---- Indices -------------------------------------------------------------------------------------


def test_a_shuffled_index_names_the_items(file):
    frame = pd.DataFrame(POINTS).sample(frac=1, random_state=0)
    problem = read(file(frame))
    assert problem.names == tuple(map(str, frame.index))
    assert np.allclose(problem.vectors, frame.to_numpy())


def test_an_index_that_was_read_as_a_column_is_no_coordinate(file):
    once = file(pd.DataFrame(POINTS))
    twice = file(pd.read_csv(once), "twice.csv", index=False)
    assert np.allclose(read(twice).vectors, POINTS)
    thrice = file(pd.read_csv(once), "thrice.csv")
    assert np.allclose(read(thrice).vectors, POINTS)


def test_an_index_with_equal_numbers_is_no_coordinate(file):
    frame = pd.DataFrame(POINTS)
    with pytest.warns(ModelWarning, match="first column has no name and is not used, as 0 is"):
        problem = read(file(pd.concat([frame, frame])))
    assert problem.vectors.shape == (24, 4)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["xlsx", "parquet", "json"])
def test_other_formats_of_pandas_keep_the_index(tmp_path, ending):
    frame = pd.DataFrame(POINTS, columns=list("abcd")).sample(frac=1, random_state=0)
    path = tmp_path / f"data.{ending}"
    {"xlsx": frame.to_excel, "parquet": frame.to_parquet, "json": frame.to_json}[ending](path)
    problem = read(path)
    assert problem.names == tuple(map(str, frame.index))
    assert np.allclose(problem.vectors, frame.to_numpy())


@pytest.mark.slow
def test_a_sheet_without_a_header_loses_no_item(tmp_path):
    pd.DataFrame(POINTS).to_excel(tmp_path / "x.xlsx", header=False, index=False)
    assert np.allclose(read(tmp_path / "x.xlsx").vectors, POINTS)
    pd.DataFrame(POINTS).to_excel(tmp_path / "y.xlsx")
    assert np.allclose(read(tmp_path / "y.xlsx").vectors, POINTS)


# ---- Matrices named by numbers -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["distance", "similarity"])
@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("names", [None, NAMES])
def test_a_matrix_whose_items_are_numbers(file, kind, index, names):
    expected = similarities(DISTANCES)
    matrix = DISTANCES if kind == "distance" else expected
    path = file(pd.DataFrame(matrix, index=names, columns=names), index=index)
    problem = read(path, **{kind: True})
    assert np.allclose(problem.similarity, expected)
    assert problem.names == (None if names is None else tuple(map(str, names)))
    with pytest.raises(DataError, match=rf"a symmetric matrix may be several .*\[{kind}=true"):
        read(path)


@pytest.mark.parametrize("names", [range(6), NAMES, list("abcdef")])
def test_rows_in_another_order_than_columns_are_matched_by_name(file, names):
    frame = pd.DataFrame(DISTANCES, index=names, columns=names)
    order = [4, 0, 5, 2, 1, 3]
    problem = read(file(frame.iloc[order]), distance=True)
    assert problem.names == tuple(str(names[i]) for i in order)
    assert np.allclose(problem.similarity, similarities(DISTANCES)[np.ix_(order, order)])


def test_a_matrix_of_two_items_is_matched_by_name(file):
    problem = read(file("n,b,a\na,.5,1\nb,1,.5\n"), names="n", similarity=True)
    assert problem.names == ("a", "b")
    assert problem.similarity.tolist() == [[1, 0.5], [0.5, 1]]


def test_row_names_of_r_beside_a_header_of_numbers(file):
    rows = [" ".join(map(str, NAMES))]
    rows += [f"{name} " + " ".join(map(repr, map(float, row)))
             for name, row in zip(NAMES, DISTANCES, strict=True)]  # fmt: skip
    problem = read(file("\n".join(rows) + "\n", "d.txt"), distance=True)
    assert problem.names == tuple(map(str, NAMES))
    assert np.allclose(problem.similarity, similarities(DISTANCES))


@pytest.mark.parametrize("names", [[0, 1, 2], [1, 2, 3], ["1", "b", "c"]])
def test_phylip_with_numbers_as_names_is_a_matrix_of_distances(file, names):
    rows = ["0 1 4", "1 0 2", "4 2 0"]
    lines = [f"{name} {row}" for name, row in zip(names, rows, strict=True)]
    problem = read(file("3\n" + "\n".join(lines) + "\n", "d.phy"))
    assert problem.similarity.tolist() == [[1, 0.75, 0], [0.75, 1, 0.5], [0, 0.5, 1]]
    assert problem.names == (None if names == [0, 1, 2] else tuple(map(str, names)))
