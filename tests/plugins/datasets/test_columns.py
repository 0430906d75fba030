"""Columns of numbers that are no measurements: identifiers, classes, dates, constants, codes."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hcbench import DataError, ModelWarning
from hcbench.cli import main
from tests.plugins.datasets.test_file import read

N = 40
RNG = np.random.default_rng(3)
CLASSES = np.arange(N) % 3 + 1
MEASURES = pd.DataFrame(RNG.normal(size=(N, 2)).round(3), columns=["height", "width"])
PATIENTS = RNG.permutation(np.arange(10_000, 90_000, 7))[:N]
DAYS = 20240101 + RNG.integers(0, 28, N)
SECONDS = 1_600_000_000 + RNG.integers(0, 10**6, N)


@pytest.fixture
def file(tmp_path):
    def write(name="data.csv", **columns):
        frame = pd.concat([pd.DataFrame(columns), MEASURES], axis=1)
        frame.to_csv(tmp_path / name, index=False)
        return tmp_path / name

    return write


def inspected(path):
    result = CliRunner().invoke(main, ["inspect", str(path)])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refused(path, **params):
    with pytest.raises(DataError) as caught:
        read(path, **params)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- Identifiers, dates, constants ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("patient_id", PATIENTS),
        ("patient", PATIENTS),
        ("sampleID", RNG.integers(100, 120, N)),
        ("nr", range(1, N + 1)),
        ("first", range(N)),
        ("date", DAYS),
        ("when", DAYS),
        ("timestamp", SECONDS),
    ],
)
def test_a_number_that_is_no_measurement_does_not_decide_distances(file, name, numbers):
    path = file(**{name: numbers})
    message = refused(path)
    form = "date" if name in ("date", "when", "timestamp") else "identifier"
    assert f"column {name!r} looks like a" in message
    assert f"{form} (" in message
    assert f"'{path}[drop=[{name}]]'" in message
    assert f"'{path}[numbers=[{name}]]' for measurements" in message
    assert read(path, drop=(name,)).vectors.shape == (N, 2)
    assert read(path, numbers=(name,)).vectors.shape == (N, 3)
    shown = inspected(path)
    assert f"column {name!r} looks like a" in shown
    assert "and is not used" in shown
    assert f"'{path}[drop=[{name}]]'" in shown


def test_an_identifier_may_name_the_items(file):
    path = file(patient_id=PATIENTS)
    assert f"write '{path}[names=patient_id]' or" in refused(path)
    problem = read(path, names="patient_id")
    assert problem.names == tuple(map(str, PATIENTS))
    assert "names=patient_id names the items by it" in inspected(path)


def test_an_identifier_beside_larger_measures_is_noted(file):
    path = file(nr=range(1, N + 1), income=RNG.normal(scale=1e4, size=N).round(2))
    with pytest.warns(ModelWarning, match=r"'nr' looks like an identifier .* used as a number"):
        assert read(path).vectors.shape == (N, 4)


def test_measures_are_not_suspected(file):
    columns = {
        "legs": RNG.choice([0, 2, 4, 6, 8], N),
        "population": RNG.integers(100, 10**6, N),
        "year": RNG.integers(1950, 2020, N),
        "humid": RNG.integers(0, 100, N),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(file(**columns)).vectors.shape == (N, 6)


def test_a_constant_is_named(file):
    path = file(batch=[3] * N)
    assert "the same in all rows, and without effect on distances: column batch" in inspected(path)


def test_an_infinite_number_names_a_way_that_works(file):
    values = RNG.normal(size=N).round(2)
    values[[3, 7]] = np.inf, -np.inf
    path = file(gain=values)
    way = f"'{path}[drop=[gain]]'"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        message = refused(path)
        shown = inspected(path)
        assert read(path, drop=("gain",)).vectors.shape == (N, 2)
    assert message.endswith(f"'gain': inf is not finite; correct the file, or write {way}")
    assert "column 'gain' has 2 cells without a finite number and is not used" in shown
    assert f"--datasets {way}" in shown


def test_an_infinite_number_beside_equal_ones_is_not_offered_as_a_number(file):
    path = file(gain=[1.5] * (N - 1) + [np.inf])
    assert "numbers=[gain]" not in inspected(path)


@pytest.mark.parametrize("start", [0, 1])
def test_the_numbers_of_shuffled_rows_are_an_identifier(file, start):
    path = file(item=RNG.permutation(N) + start)
    assert "'item' looks like an identifier" in refused(path)
    assert f"write '{path}[names=item]'" in refused(path)


# ---- Classes -------------------------------------------------------------------------------------


def test_a_class_in_numbers_is_offered_as_the_truth(file):
    path = file(diagnosis=CLASSES, dose=RNG.normal(scale=9, size=N).round(2))
    ways = r"write .*\[labels=\[diagnosis\]\]' or .*\[drop=\[diagnosis\]\]', or .*\[numbers="
    with pytest.warns(ModelWarning, match=rf"'diagnosis' looks like a class \(1, 2, 3\).*{ways}"):
        assert read(path).vectors.shape == (N, 4)
    shown = inspected(path)
    assert "column 'diagnosis' looks like a class (1, 2, 3) and is not used" in shown
    assert "which is the truth? candidates: diagnosis, or none of them\n" in shown
    assert f"'{path}[labels=[diagnosis]]'" in shown
    assert read(path, labels=("diagnosis",)).classes == (("1", "2", "3"),)
    assert f"'{path}[numbers=[diagnosis]]'" in inspected(f"{path}[numbers=[diagnosis]]")


def test_a_class_that_decides_distances_is_refused(file):
    path = file(target=CLASSES * 10)
    assert f"write '{path}[labels=[target]]' or '{path}[drop=[target]]', or" in refused(path)


def test_an_identifier_and_a_class_get_both_roles(file):
    path = file(patient_id=PATIENTS, diagnosis=CLASSES)
    assert f"write '{path}[names=patient_id,labels=[diagnosis]]' or" in refused(path)
    problem = read(path, names="patient_id", labels=("diagnosis",))
    assert problem.vectors.shape == (N, 2)


def test_few_whole_numbers_beside_fractions_may_be_classes(file):
    with pytest.warns(ModelWarning, match=r"'severity' may be a class \(1, 2, 3\); it is used as"):
        read(file(severity=CLASSES))


@pytest.mark.parametrize("codes", [(10000001, 10000002, 10000003), (50321, 50330, 61007)])
def test_few_long_codes_may_be_classes(file, codes):
    shown = ", ".join(map(str, codes))
    with pytest.warns(ModelWarning, match=rf"'ward' may be a class \({shown}\); it is used as"):
        read(file(ward=np.array(codes)[CLASSES - 1]))


def test_classes_of_eight_digits_stay_apart(file):
    path = file(**{"class": CLASSES + 10_000_000})
    assert f"'{path}[labels=[class]]'" in inspected(path)
    assert "10000001 to 10000003" in inspected(path)
    classes = ("10000001", "10000002", "10000003")
    assert read(path, labels=("class",)).classes == (classes,)


def test_a_measurement_is_no_label(file):
    values = RNG.gamma(2, 5, N).round(2)
    path = file(CRP=values)
    message = refused(path, labels=("CRP",))
    assert f"column 'CRP' has {len(set(values))} different numbers in {N} rows" in message
    assert f"are a measurement and no classes; write {path} to use them as numbers" in message
    assert f"'{path}[drop=[CRP]]'" in message


def test_another_text_in_each_row_is_noted_as_a_label(file):
    path = file(plant=[f"p{i}" for i in range(N)])
    with pytest.warns(ModelWarning, match="another label in each row, .*; names=plant makes them"):
        read(path, labels=("plant",))


@pytest.mark.parametrize("word", ["", "NA", "nan", "none", "?"])
def test_a_missing_label_among_numbers_is_an_error_with_its_line(file, word):
    labels = list(map(str, CLASSES))
    labels[4] = word
    path = file(diagnosis=labels)
    message = refused(path, labels=("diagnosis",))
    assert "line 6, column 'diagnosis': a label is missing" in message
    assert f"write '{path}[labels=[diagnosis],missing=drop]'" in message
    kept = read(path, labels=("diagnosis",), missing="drop")
    assert (kept.n, kept.classes) == (N - 1, (("1", "2", "3"),))
    assert f"'{path}[labels=[diagnosis],missing=drop]'" in inspected(path)


def test_one_number_is_one_class_however_it_is_written(file):
    path = file(grade=[["1", "1.0", "+1", "2", "2."][i % 5] for i in range(N)])
    assert read(path, labels=("grade",)).classes == (("1", "2"),)
    np.savez(path.with_suffix(".npz"), X=MEASURES.to_numpy(), y=CLASSES.astype(float))
    assert read(path.with_suffix(".npz")).classes == (("1", "2", "3"),)


def test_a_number_in_two_spellings_among_texts_is_asked(file):
    path = file(grade=[["1", "1.0", "high"][i % 3] for i in range(N)])
    message = refused(path, labels=("grade",))
    assert "'grade' has the classes '1' (line 2) and '1.0' (line 3) among texts" in message
    plain = file(grade=[["1", "2", "high"][i % 3] for i in range(N)])
    assert read(plain, labels=("grade",)).classes == (("1", "2", "high"),)


# ---- What is not written as a number -------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        [f"{i // 8 + 1}_{i % 8 + 1}" for i in range(N)],
        [f"{i // 8 + 1}E{i % 8 + 1}" for i in range(N)],
        [f"{i // 8 + 1}e{i % 8 + 1}" for i in range(N)],
        [f"{i:03d}" for i in range(N)],
        [f"{90 + i:03d}" for i in range(N)],
        [f"0x{i:02x}" for i in range(N)],
        [f"+4930{123456 + i}" for i in range(N)],
        [str(i).translate({48 + d: 0x660 + d for d in range(10)}) for i in range(N)],
    ],
    ids=["underscores", "wells", "lower case", "zeros", "some zeros", "hex", "phones", "digits"],
)
def test_codes_are_names_and_no_coordinates(file, names):
    path = file(code=names)
    assert f"'{path}[names=code]'" in inspected(path)
    assert f"'{path}[names=code]'" in refused(path)
    problem = read(path, names="code")
    assert problem.names == tuple(names)
    assert problem.vectors.shape == (N, 2)


def test_separators_of_thousands_are_asked(tmp_path):
    path = tmp_path / "data.tsv"
    path.write_text("a\tb\n1,234\t5\n2,345\t6\n")
    message = refused(path)
    assert "'1,234' may have a decimal comma or a separator of thousands" in message
    assert f"write '{path}[decimal=\",\"]'" in message
    assert read(path, decimal=",").vectors.tolist() == [[1.234, 5], [2.345, 6]]
    path.write_text("a\tb\n1234\t5\n2345\t6\n")
    assert read(path).vectors.tolist() == [[1234, 5], [2345, 6]]
    path.write_text("a\tb\n1,234\t5\n0,5\t6\n")
    assert read(path).vectors.tolist() == [[1.234, 5], [0.5, 6]]


def test_points_between_semicolons_may_separate_thousands(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a;b\n1.234;5\n22.345;6\n")
    message = refused(path)
    assert "'1.234' may have a decimal point or a separator of thousands" in message
    for mark, expected in ((".", [[1.234, 5], [22.345, 6]]), (",", [[1234, 5], [22345, 6]])):
        assert f"'{path}[decimal=\"{mark}\"]'" in message
        assert read(path, decimal=mark).vectors.tolist() == expected
    # Another number tells which it is.
    path.write_text("a;b\n1.234;0.5\n22.345;6\n")
    assert read(path).vectors.tolist() == [[1.234, 0.5], [22.345, 6]]
    path.write_text("a;b\n1.234;0,5\n-22.345.678;6\n")
    with pytest.warns(ModelWarning, match=r"points separate thousands.*: 1\.234 is 1234"):
        assert read(path).vectors.tolist() == [[1234, 0.5], [-22345678, 6]]
    path.write_text("a;b\n1.234,50;5\n22.345,00;6\n")
    with pytest.warns(ModelWarning, match=r"1\.234,50 is 1234\.50"):
        assert read(path).vectors.tolist() == [[1234.5, 5], [22345, 6]]
    # Between tabs and commas a point is a decimal point.
    path = tmp_path / "data.tsv"
    path.write_text("a\tb\n1.234\t5\n22.345\t6\n")
    assert read(path).vectors.tolist() == [[1.234, 5], [22.345, 6]]


def test_names_of_columns_like_words_of_toml_are_quoted(file):
    path = file(**{"true": [f"p{i}" for i in range(N)], "1_1": PATIENTS})
    shown = inspected(path)
    assert f'\'{path}[names="true"' in shown
    problem = read(path, names="true", drop=("1_1",))
    assert problem.vectors.shape == (N, 2)
