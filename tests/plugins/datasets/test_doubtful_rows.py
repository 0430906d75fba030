"""Rows that are no items, long tables, and numbers for missing ones: asked, and not used."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hcbench import DataError, ModelWarning
from hcbench.cli import main
from tests.plugins.datasets.test_file import read

FRAME = pd.DataFrame(
    np.random.default_rng(1).normal(size=(12, 3)).round(3),
    columns=["length", "width", "mass"],
    index=pd.Index([f"s{i}" for i in range(12)], name="name"),
)


@pytest.fixture
def written(tmp_path):
    def write(lines):
        path = tmp_path / "x.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def refused(path):
    shown = CliRunner().invoke(main, ["inspect", str(path)])
    assert shown.exit_code == 2
    return shown.stderr


def test_a_row_of_units_below_names_is_no_item(written):
    lines = FRAME.to_csv().splitlines()
    message = refused(written([lines[0], "unit,cm,mm,kg"] + lines[1:]))
    assert "line 2: the row has texts in all columns of numbers (cm, mm, kg, ...)" in message


def test_a_row_of_units_below_columns_alone_belongs_to_the_header(written):
    lines = FRAME.to_csv().splitlines()
    path = written([lines[0], ",cm,mm,kg"] + lines[1:])
    with pytest.warns(ModelWarning, match=r"the second row \(cm, mm, kg, ...\) is read as part"):
        problem = read(path, names="name")
    np.testing.assert_array_equal(problem.vectors, FRAME.to_numpy())


def test_a_header_in_the_middle_is_no_item(written):
    lines = FRAME.to_csv().splitlines()
    message = refused(written(lines[:6] + [lines[0]] + lines[6:]))
    assert "line 7: the row repeats the header (length, width, mass, ...)" in message


@pytest.mark.parametrize("what", ["sum", "mean"])
def test_a_row_of_totals_is_no_item(tmp_path, what):
    path = tmp_path / "x.csv"
    total = getattr(FRAME, what)().rename("Total")
    pd.concat([FRAME, total.to_frame().T]).to_csv(path)
    with pytest.raises(DataError, match=f"line 14: the last row is the {what} of all others"):
        read(path)


def test_a_code_of_missing_numbers_is_noted_and_read_as_missing(tmp_path):
    path = tmp_path / "x.csv"
    coded = FRAME.copy()
    coded.iloc[2, 1] = -999
    coded.to_csv(path)
    with pytest.warns(ModelWarning, match=r"'width' has -999, .*missing_texts=\[-999\]"):
        read(path, names="name")
    problem = read(path, names="name", missing_texts=("-999",), missing="median")
    expected = coded.replace(-999, np.nan)
    expected = expected.fillna(expected.median())
    np.testing.assert_allclose(problem.vectors, expected.to_numpy())
    shown = CliRunner().invoke(main, ["inspect", str(path)])
    assert "-999 in column 'width' is far below all other numbers" in shown.stdout
    assert 'missing=median,missing_texts=["-999"]' in shown.stdout


def test_measurements_of_minus_999_are_measurements(tmp_path):
    path = tmp_path / "x.csv"
    pd.DataFrame({"x": [-999, -998, -700, 3], "y": [1.5, 2.5, 3.5, 5]}).to_csv(path, index=False)
    assert read(path).vectors[0].tolist() == [-999, 1.5]


def test_a_long_table_is_explained(tmp_path):
    path = tmp_path / "x.csv"
    FRAME.reset_index().melt("name").to_csv(path, index=False)
    message = refused(path)
    assert "a row for each 'name' and 'variable'" in message
    code = message.split("in pandas with ")[1].split(".to_csv")[0]
    wide = eval(code, {"x": pd.read_csv(path)})
    pd.testing.assert_frame_equal(wide[FRAME.columns].loc[FRAME.index], FRAME, check_names=False)


def test_labels_that_differ_in_capitals_are_noted(tmp_path):
    path = tmp_path / "x.csv"
    FRAME.assign(kind=["Ant", "ant", "bee"] * 4).to_csv(path)
    with pytest.warns(ModelWarning, match="the classes 'Ant' and 'ant'"):
        read(path, names="name", labels=("kind",))


FOOTED = ["name,x,y", "a,1,2.5", "b,2,1.5", "c,4,0.5", "d,3,3.5", "e,9,7.5"]


def test_a_source_below_the_table_is_no_item(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("\n".join([*FOOTED, "Source: survey 2020,,"]) + "\n")
    with pytest.raises(DataError, match="line 7: the last row has nothing but 'Source: survey"):
        read(path, names="name", missing="median")
    shown = CliRunner().invoke(main, ["inspect", str(path)])
    assert "and is no item; remove it" in shown.stderr
    path.write_text("\n".join(FOOTED) + "\n")
    assert read(path, names="name").n == 5


def test_empty_columns_at_the_left_are_a_margin(tmp_path):
    """The header would be an item whose numbers are missing."""
    path = tmp_path / "data.csv"
    path.write_text("\n".join(",," + row for row in FOOTED) + "\n")
    problem = read(path, names="name")
    assert problem.names == tuple("abcde")
    assert problem.vectors[:, 0].tolist() == [1, 2, 4, 3, 9]
