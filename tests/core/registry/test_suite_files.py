"""Suites in TOML files: what they may hold, files in names, and messages of one line."""

import json
from pathlib import Path

import pytest

from hcbench.errors import SuiteError
from hcbench.plan.presentation import Presentation
from hcbench.registry.suite import Figure, Suite
from hcbench.registry.suite_files import describe_suite, read_suite, rebuild_suite

TOML = """
doc = "A small one."
algorithms = ["UPGMA"]
datasets = ["./data.csv[labels=['y']]", "planted"]
metrics = ["AARI"]
only = [["UPGMA", "./data.csv[labels=['y']]"]]
repetitions = 3
budgets = [10, 20]

[[claims]]
claim = "Table 1"
algorithm = "UPGMA"
dataset = "./data.csv[labels=['y']]"
metric = "AARI"
paper = "0.860"
"""


def test_files_in_a_suite_are_relative_to_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    suite = read_suite(path)
    assert suite.name == "mine"
    assert suite.datasets == (f"{tmp_path}/data.csv[labels=['y']]", "planted")
    assert suite.only == (("UPGMA", suite.datasets[0]),)
    assert suite.budgets == (10, 20)
    assert suite.claims[0].dataset == suite.datasets[0], "a claim names its file as the suite does"
    assert suite.claims[0].rounding == pytest.approx(0.0005)


def test_budgets_of_a_suite_may_be_written_as_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('budgets = [1e3, 20.0, "5e2", "7.0", "3USD"]\ncheckpoints = [1e2, 50]\n')
    suite = read_suite(path)
    assert suite.budgets == (1000, 20, 500, 7, "3USD")
    assert suite.checkpoints == (100, 50)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("algorithms = 'UPGMA'", "algorithms must be a list of names in quotes"),
        ("algorithms = [1]", "algorithms must be a list of names in quotes"),
        ("repetitions = 0", r"wrong\.toml: repetitions must be a whole number from 1, got 0"),
        ("repetitions = 'three'", "repetitions has the wrong type: 'three'; write a whole number"),
        ("algos = ['UPGMA']", r"unknown entry 'algos'; did you mean algorithms\?"),
        ("colour = 'red'", "unknown entry 'colour'; there are algorithms, budgets, "),
        ("budgets = [true]", r"budgets must be a list of numbers of queries, .* got \[True\]"),
        ("checkpoints = ['5']", r"checkpoints must be a list of numbers .* got \['5'\]"),
        ("datasts = ['iris']", r"wrong\.toml: unknown entry 'datasts'; did you mean datasets\?"),
        ("memory = true", "memory has the wrong type: True; write 2, which are GiB, 512MB"),
        ("families = 3", "families has the wrong type: 3; write a table"),
        ("ranks = 1", "ranks has the wrong type: 1; write true or false"),
        ("only = ['UPGMA']", "only must be a list of .*, got 'UPGMA'"),
        ("only = [['UPGMA', 3]]", "only must be a list"),
        ("budgets = [-1]", "budget cannot be negative"),
        ("budgets = [1.5]", r"wrong\.toml: a budget is a number of queries, .* got 1\.5"),
        ("budgets = ['1.5']", r"wrong\.toml: '1\.5' is not a number of queries"),
        ("checkpoints = [inf]", r"wrong\.toml: a checkpoint is a number of queries"),
        ("= 3", "is not valid TOML"),
        ("[[claims]]\nclaim = 'x'", "a claim needs algorithm, dataset, metric"),
        ("[claims]\na = 1", r"each under \[\[claims\]\]"),
        ("claims = [1]", r"each under \[\[claims\]\]"),
        ("[[claims]]\nclaim = 'x'\npaper = 0.5", "paper of a claim has the wrong type: 0.5"),
        ("[[claims]]\nclaim = 'x'\npaper_error = 'a'", "paper_error of a claim"),
        ("[[claims]]\nvalue = 3", "unknown entry 'value' of a claim"),
    ],
)
def test_an_invalid_suite_is_reported(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(SuiteError, match=message):
        read_suite(path)


def test_a_missing_suite_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="No such file"):
        read_suite(tmp_path / "none.toml")


CLAIMS = """
[[claims]]
claim = "c"
algorithm = "A"
dataset = "d"
metric = "m"
than_dataset = "./other.csv"
tuned_by = "other"
relation = "<="
within = 1
every_repetition = true

[[figures]]
name = "curve"
doc = "A curve."
function = "my.module:draw"
"""


def test_a_suite_file_may_say_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(CLAIMS)
    suite = read_suite(tmp_path / "s.toml")
    (wanted,) = suite.claims
    assert (wanted.within, wanted.every_repetition, wanted.tuned_by) == (1, True, "other")
    assert wanted.than_dataset == f"{tmp_path}/other.csv"
    assert suite.figures == (Figure(name="curve", doc="A curve.", function="my.module:draw"),)
    written = json.loads(json.dumps(describe_suite(suite)))
    assert rebuild_suite(written) == suite
    assert Presentation.of_description(Presentation(suite=suite).describe()).suite == suite


def test_only_figures_of_named_functions_are_stored_with_a_run() -> None:
    suite = Suite(name="s", figures=(Figure(name="f", doc="", function=print),))
    assert not rebuild_suite(json.loads(json.dumps(describe_suite(suite)))).figures


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("within = 'much'", "within of a claim has the wrong type: 'much'"),
        ("within = true", "within of a claim has the wrong type: True"),
        ("every_repetition = 1", "every_repetition of a claim has the wrong type: 1"),
        ("relation = 3", "relation of a claim has the wrong type: 3"),
        ("[[figures]]\nname = 'f'\ndoc = ''", "figure f needs x and metric, or a function"),
        ("[[figures]]\nplot = 'f'", "unknown entry 'plot' of a figure"),
        (
            "[[figures]]\nname = 'f'\ndoc = ''\nfunction = 'draw'",
            "figure f: function is 'package.module:function', got 'draw'",
        ),
        (
            "[[figures]]\nname = '../f'\ndoc = ''\nfunction = 'm:f'",
            "'../f' cannot be the name of a figure",
        ),
        ("figures = 3", r"figures are tables, each under \[\[figures\]\]"),
    ],
)
def test_an_invalid_entry_is_reported_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    head = "" if "figures" in text else "[[claims]]\n"
    (tmp_path / "s.toml").write_text(head + text)
    with pytest.raises(SuiteError, match=message) as raised:
        read_suite(tmp_path / "s.toml")
    assert "\n" not in str(raised.value)
