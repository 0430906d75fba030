"""What `hcbench inspect` advises keeps what a file has, or says why not, or asks."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hcbench import DataError, ModelWarning, Problem, load_registry
from hcbench.cli import main
from hcbench.run import make_data
from hcbench_datasets.scales import known_order

LIKERT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]


def inspected(path: Path | str) -> str:
    shown = CliRunner().invoke(main, ["inspect", str(path)])
    assert shown.exit_code == 0, shown.stderr
    return shown.stdout


def datasets_of(shown: str) -> list[str]:
    """The data sets of the printed commands, in their order."""
    names = []
    for line in shown.splitlines():
        if line.startswith("hcbench compare"):
            words = shlex.split(line)
            names.append(words[words.index("--datasets") + 1])
    return names


def read(name: str) -> Problem:
    (use,) = load_registry().use_datasets(name)
    return make_data(use, 0)


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """12 questions of 30 people, of whom some did not answer all of them."""
    rng = np.random.default_rng(5)
    questions = [f"Q{i}" for i in range(1, 13)]
    lines = [",".join(["Gender", *questions])]
    for person in range(30):
        answers = [LIKERT[i] for i in rng.integers(0, 5, 12)]
        if person % 6 == 0:
            answers[person % 12] = ""
        lines.append(",".join(["fm"[person % 2], *answers]))
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_survey_keeps_its_questions_and_the_truth_is_asked(survey):
    shown = inspected(survey)
    assert "which is the truth? candidates: Gender, or none of them" in shown
    assert "column 'Gender' has 2 classes (f, m) and is not used" in shown
    assert "in the order Strongly disagree, Disagree, Neutral, Agree, Strongly agree" in shown
    assert "5 numbers are missing (first: line 2, column 'Q1')" in shown
    with_truth, without = map(read, datasets_of(shown))
    assert with_truth.vectors.shape == without.vectors.shape == (30, 12)
    assert not without.truths
    assert with_truth.classes == (tuple("fm"),)
    # Recomputed from the text of the file, without our reader.
    rows = [line.split(",")[1:] for line in survey.read_text().splitlines()[1:]]
    for person, row in enumerate(rows):
        for question, answer in enumerate(row):
            if answer:
                assert without.vectors[person, question] == LIKERT.index(answer)


def test_answers_without_a_known_order_become_0_1_columns(tmp_path):
    path = tmp_path / "fruit.csv"
    rows = ["apple,pear,plum", "pear,apple,plum", "plum,plum,pear", "apple,apple,pear"] * 2
    path.write_text("\n".join(["one,two,three", *rows, ""]))
    shown = inspected(path)
    assert "have the same answers (apple, pear, plum) and become 0/1 columns" in shown
    (name,) = datasets_of(shown)
    assert read(name).vectors.sum() == 3 * 8


@pytest.mark.parametrize("text", ["<0.3", "ND", "n.d.", "below limit"])
def test_one_text_among_numbers_does_not_drop_them(tmp_path, text):
    rng = np.random.default_rng(1)
    values = rng.normal(5, 1, (500, 3)).round(2)
    lines = ["Na,K,Cd"]
    for row, numbers in enumerate(values):
        cells = [str(number) for number in numbers]
        if row == 217:
            cells[2] = text
        lines.append(",".join(cells))
    path = tmp_path / "lab.csv"
    path.write_text("\n".join(lines) + "\n")
    shown = inspected(path)
    assert f"line 219, column 'Cd': {text!r} is not a number and is read as missing" in shown
    problem = read(*datasets_of(shown))
    expected = values.copy()
    expected[217, 2] = np.median(np.delete(values[:, 2], 217))
    np.testing.assert_allclose(problem.vectors, expected)
    with pytest.raises(DataError, match="missing_texts"):
        read(str(path))


def test_a_text_that_no_column_of_numbers_has_is_no_missing_number(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x,y\n1,2\n3,ND\n4,5\n")
    assert read(f"{path}[missing_texts=ND,missing=drop]").n == 2
    with pytest.raises(DataError, match="no column without a role has 'NN'"):
        read(f"{path}[missing_texts=NN]")


def test_every_column_that_is_dropped_has_a_line_with_its_reason(tmp_path):
    path = tmp_path / "mixed.csv"
    lines = ["id,visit,height,weight,eyes,remark,empty,site"]
    for i in range(40):
        eyes = ["brown", "blue", ""][i % 3]
        cells = [1000 + 7 * i, f"2024-01-{i % 28 + 1:02}", 1.5 + i / 80, f"{50 + i} kg", eyes]
        cells += [f"free text {i % 39}", "" if i else 3, "AB"[i % 2]]
        lines.append(",".join(map(str, cells)))
    path.write_text("\n".join(lines) + "\n")
    shown = inspected(path)
    dropped = re.search(r"drop=\[([^]]*)\]", datasets_of(shown)[-1])
    for column in dropped[1].split(","):
        reasons = [line for line in shown.splitlines() if f"column {column!r} " in line]
        assert any("is not used" in reason for reason in reasons), column


@pytest.mark.parametrize(
    ("answers", "order"),
    [
        ({"never", "often", "rarely"}, ("never", "rarely", "often")),
        ({"Agree", "Disagree", "Neutral"}, ("Disagree", "Neutral", "Agree")),
        ({"high", "low", "medium"}, ("low", "medium", "high")),
        (
            {"stimme zu", "stimme nicht zu", "teils/teils"},
            ("stimme nicht zu", "teils/teils", "stimme zu"),
        ),
        ({"souvent", "jamais", "parfois"}, ("jamais", "parfois", "souvent")),
        ({"siempre", "nunca", "a veces"}, ("nunca", "a veces", "siempre")),
        ({"poor", "Poor", "good"}, None),
        ({"red", "green"}, None),
    ],
)
def test_answers_are_ordered_by_usual_scales(answers, order):
    assert known_order(answers) == order


@pytest.mark.parametrize(
    "scale",
    [
        ["nie", "selten", "manchmal", "oft", "immer"],
        ["1 = never", "2 = rarely", "3 = often", "4 = always"],
        ["1 - strongly disagree", "2", "3", "4", "5 - strongly agree"],
        ["10: most", "2: less", "1: least"][::-1],
    ],
)
@pytest.mark.parametrize("no_answer", ["keine Angabe", "Don't know", "N/A", ""])
def test_who_did_not_answer_is_missing_and_no_answer_of_a_scale(tmp_path, scale, no_answer):
    rng = np.random.default_rng(2)
    ranks = rng.integers(0, len(scale), (30, 4))
    cells = [[scale[rank] for rank in row] for row in ranks]
    cells[4][1] = no_answer
    path = tmp_path / "survey.csv"
    rows = ["q1,q2,q3,q4"] + [",".join(row) for row in cells]
    path.write_text("\n".join(rows) + "\n")
    problem = read(*datasets_of(inspected(path)))
    expected = ranks.astype(float)
    expected[4, 1] = np.median(np.delete(ranks[:, 1], 4))
    np.testing.assert_array_equal(problem.vectors, expected)


def test_a_code_for_missing_numbers_is_found_beside_texts(tmp_path):
    path = tmp_path / "people.csv"
    ages = ["31", "45", "-99", "keine Angabe", "28", "52", "37", "61", "44", "29", "33"]
    rows = [f"{age},{i % 4 + 0.5}" for i, age in enumerate(ages)]
    path.write_text("\n".join(["age,x", *rows, ""]))
    problem = read(*datasets_of(inspected(path)))
    assert problem.vectors[2:4, 0].tolist() == [37.0, 37.0]  # the median of the other nine


def test_rows_that_a_truth_would_cost_are_counted(tmp_path):
    path = tmp_path / "patients.csv"
    rows = [
        f"{i * 1.5},{i % 7 + 0.25},{['a', 'b', 'c'][i % 3] if i % 5 else ''}" for i in range(30)
    ]
    path.write_text("\n".join(["x,y,arm", *rows, ""]))
    shown = inspected(path)
    assert "if arm is the truth (6 rows without it and all with missing numbers are" in shown
    with_truth, without = map(read, datasets_of(shown))
    assert (with_truth.n, without.n) == (24, 30)


def test_a_missing_text_may_be_a_label(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text("x,y,grade\n1,2,1\n3,ND,2\n4,5,ND\n6,7,1\n2,1,ND\n")
    problem = read(f"{path}[labels=[grade],missing_texts=[ND],missing=median]")
    assert problem.classes == (("1", "2", "ND"),)
    assert problem.vectors[1].tolist() == [3.0, 3.5]  # the median of 2, 5, 7 and 1


@pytest.mark.filterwarnings("ignore:column 'a' is coded in the order of the file")
@pytest.mark.filterwarnings("default:column 'a' is coded in the order of the file")
def test_orders_and_missing_texts_that_are_given_stay_in_each_command(tmp_path):
    path = tmp_path / "data.csv"
    rows = [f"{i * i / 4},{['low', 'high'][i % 2]},{'uvw'[i % 3]},{i}.5" for i in range(12)]
    rows[3] = rows[3].replace("3.5", "ND")
    path.write_text("\n".join(["x,a,b,y", *rows, ""]))
    shown = inspected(f"{path}[ordinal=[a],missing_texts=ND]")
    with_truth, without = map(read, datasets_of(shown))
    for problem in (with_truth, without):
        assert problem.vectors.shape == (12, 3)
        assert problem.vectors[:, 1].tolist() == [0, 1] * 6
    assert with_truth.classes == (("u", "v", "w"),)


@pytest.mark.filterwarnings("default:column 'a' is coded in the order of the file")
def test_ordered_classes_are_offered_beside_others_in_the_order_of_the_file(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "data.parquet"
    frame = pd.DataFrame({"x": np.arange(12) ** 2 / 4})
    frame["a"] = pd.Categorical(["low", "mid", "high"] * 4, ["low", "mid", "high"], ordered=True)
    frame["b"] = pd.Categorical(["s", "m", "l"] * 4, ["s", "m", "l"], ordered=True)
    frame.to_parquet(path)
    with pytest.warns(ModelWarning, match="in the order of the file"):
        both = read(f"{path}[ordinal=[a,b]]")
    assert both.vectors[:3, 1:].tolist() == [[0, 0], [1, 1], [2, 2]]
    shown = CliRunner().invoke(main, ["inspect", f"{path}[ordinal=[a]]"]).stdout
    assert "to use b as 0, 1, 2, ... in the order s, m, l: " in shown
    assert "[ordinal=[a,b]]" in shown
