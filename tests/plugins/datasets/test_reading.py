"""What a file is read as: comparisons of named items, which look like answers to questions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from hcbench import DataError, ModelWarning
from hcbench.cli import main
from tests.plugins.datasets.test_file import read

# Random comparisons contradict each other.
pytestmark = pytest.mark.filterwarnings("ignore:.*answered in both ways")

ITEMS = [f"img{i}.jpg" for i in range(8)]


def inspect(path: Path) -> Result:
    return CliRunner().invoke(main, ["inspect", str(path)])


def triplets(n: int = 40) -> list[list[str]]:
    """Who answered, and three different items."""
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(n):
        items = rng.choice(len(ITEMS), 3, replace=False)
        rows.append([f"w{rng.integers(4)}"] + [ITEMS[item] for item in items])
    return rows


def write(path: Path, header: str, rows: list[list[str]]) -> Path:
    lines = [header] if header else []
    for row in rows:
        lines.append(",".join(row))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("header", ["", "who,one,two,three", "rater,x1,x2,x3"])
def test_items_in_columns_of_other_names_are_asked_about(tmp_path, header):
    """They would become 0/1 columns of answers, with exit code 0."""
    path = write(tmp_path / "crowd.csv", header, triplets())
    shown = inspect(path)
    assert shown.exit_code != 0
    assert "have other items in each row, and may be comparisons" in shown.stderr
    with pytest.raises(DataError, match="names anchor,near,far"):
        read(path, categorical="onehot")


def test_items_that_are_named_as_the_message_says_are_read(tmp_path):
    path = write(tmp_path / "crowd.csv", "worker,anchor,near,far", triplets())
    assert len(read(path, comparisons=True).comparisons) == 40
    rows = [row + [row[2]] for row in triplets()]
    path = write(tmp_path / "answers.csv", "worker,anchor,left,right,response", rows)
    problem = read(path, comparisons=True)
    assert len(problem.comparisons) == 40
    assert problem.comparisons == read(tmp_path / "crowd.csv", comparisons=True).comparisons
    assert "40 comparisons of 8 items" in inspect(path).stdout


def test_what_the_message_says_of_answers_to_questions_is_right(tmp_path):
    path = write(tmp_path / "ranks.csv", "who,first,second,third", triplets())
    problem = read(path, comparisons=False, categorical="onehot", drop="who")
    assert problem.vectors.shape == (40, 24)


def test_questions_with_the_same_answers_are_no_comparisons(tmp_path):
    rng = np.random.default_rng(4)
    rows = [[ITEMS[item] for item in rng.integers(0, 8, 3)] for _ in range(40)]
    path = write(tmp_path / "survey.csv", "q1,q2,q3", rows)
    assert inspect(path).exit_code == 0


def test_an_item_in_a_single_comparison_is_noted(tmp_path):
    slip = [["w1", "img3.jgp", "img1.jpg", "img2.jpg"]]
    path = write(tmp_path / "crowd.csv", "worker,anchor,near,far", triplets() + slip)
    with pytest.warns(ModelWarning, match="in a single comparison each: 'img3.jgp'"):
        read(path, comparisons=True)
