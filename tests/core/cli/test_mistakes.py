"""Mistakes get a suggestion, and what is suggested works."""

import re

import pytest
from click.testing import CliRunner

from hcbench.cli import main

PLANTS = "name,family,height\na,rose,1\nb,rose,2\nc,grass,5\nd,grass,7\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plants.csv").write_text(PLANTS)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, list(words))


def plan(algorithm, dataset):
    return run("compare", "--algos", algorithm, "--datasets", dataset, "--dry-run")


@pytest.mark.parametrize(
    ("algorithm", "dataset", "word"),
    [
        ("divisive", "iris", "sk-bisecting-kmeans"),  # a tag
        ("UPGMA[metrik=cosine]", "iris", "metric"),
        ("UPGMA[metric=cosin]", "iris", "cosine"),
        ("UPGMA", "iris[standardize=true]", "standardise"),
        ("UPGMA", "./plants.csv[name=name,labels=family]", "names"),
        ("UPGMA", "./plants.csv[names=name,labels=family,scale=column]", "columns"),
        ("UPGMA", "iris[sample=30]", "n"),
    ],
)
def test_what_is_suggested_for_a_word_runs(algorithm, dataset, word, folder):
    wrong = plan(algorithm, dataset)
    assert wrong.exit_code != 0
    suggested = re.search(r"did you mean ([^ ?]+)\?", wrong.stderr)
    assert suggested is not None, wrong.stderr
    assert suggested[1] == word
    mistake = re.findall(r"'(\w+)'", wrong.stderr)[0]
    corrected = []
    for text in (algorithm, dataset):
        # A parameter is before "=", a value or a name is not.
        corrected.append(re.sub(rf"\b{mistake}(?==|\W|$)", word, text, count=1))
    right = plan(*corrected)
    assert right.exit_code == 0, right.stderr


@pytest.mark.parametrize("column", ["famly", "Family", "fam_ily"])
def test_columns_that_are_spelt_so_are_suggested(column, folder):
    wrong = run("inspect", f"plants.csv[names=name,labels={column}]")
    assert f"there is no column '{column}'; did you mean family?" in wrong.stderr
    assert run("inspect", "plants.csv[names=name,labels=family]").exit_code == 0


@pytest.mark.parametrize(("written", "value"), [("True", "true"), ("yes", "true"), ("No", "false")])
def test_true_and_false_are_suggested_as_they_are_written(written, value, folder):
    wrong = plan("UPGMA", f"iris[standardise={written}]")
    assert f"write standardise={value}\n" in wrong.stderr
    assert plan("UPGMA", f"iris[standardise={value}]").exit_code == 0


def test_other_toml_files_are_not_suggested_for_a_missing_suite(folder):
    for name in ("./missing.toml", "./project.toml"):
        result = run("run", name)
        assert "No such file" in result.stderr
    assert "pyproject" not in run("run", "./missing.toml").stderr
    advised = re.search(r"hcbench (list suites)", run("run", "./missing.toml").stderr)
    assert advised is not None
    assert run(*advised[1].split()).exit_code == 0
    (folder / "mine.toml").write_text('algorithms = ["UPGMA"]\ndatasets = ["iris"]\n')
    assert "did you mean ./Mine.toml" not in run("run", "./mien.toml").stderr
    assert "did you mean mine.toml?" in run("run", "./mines.toml").stderr.replace("./", "")


def test_a_run_is_an_argument_and_no_option(folder):
    for command in ("report", "plot"):
        result = run(command, "--run", "99")
        assert f"the run is named without an option: hcbench {command} RUN" in result.stderr
        assert "--plugin" not in result.stderr


def test_all_words_of_plot_count(folder):
    result = run("plot", "3", "rank")
    assert result.exit_code == 2
    assert "'rank' is no figure; write the figure and one run: hcbench plot KIND 3" in result.stderr
    assert "has no run 3" in run("plot", "3", "ranks").stderr or "no runs" in result.stderr


def test_other_algorithms_of_a_suite_get_oracles_that_they_accept(folder):
    (folder / "suite.toml").write_text(
        'algorithms = ["4-AL"]\ndatasets = ["planted[N0=5]"]\nmetrics = ["AARI"]\n'
        'oracles = ["quadruplet-set[p=0.1]", "quadruplet-set[p=0.2]"]\nrepetitions = 1\n'
    )
    result = run("run", "suite.toml", "--algos", "UPGMA", "--dry-run")
    assert result.exit_code == 0, result.stderr
    assert "UPGMA      similarities" in result.stdout
    assert "quadruplet-set[p=0.1] of the suite is not used" in result.stderr
    both = run("run", "suite.toml", "--algos", "UPGMA,4-AL", "--dry-run")
    assert both.stdout.count("quadruplet-set") == 2
    # One that is asked for is still refused, as another one would replace it silently.
    words = ("--algos", "UPGMA", "--oracles", "quadruplet-set", "--dry-run")
    assert "no algorithm accepts quadruplet-set" in run("run", "suite.toml", *words).stderr
