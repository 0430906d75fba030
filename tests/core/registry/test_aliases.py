"""Labels that users give to data sets: ``LABEL=NAME[param=value]``."""

import json

import pytest
from click.testing import CliRunner

from hcbench import ParameterError, load_registry
from hcbench.cli import main
from hcbench.registry.suite_files import read_suite


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("kind,x\nu,1\nu,2\nv,5\nv,7\n")
    return tmp_path


def rows_of(*words):
    shown = CliRunner().invoke(main, [*words, "--format", "json"], catch_exceptions=False)
    assert shown.exit_code == 0, shown.stderr
    return json.loads(shown.stdout)["cells"], shown


def test_a_label_stands_for_a_data_set_with_its_parameters(store):
    registry = load_registry()
    (use,) = registry.use_datasets("my genes = ./data.csv[labels=kind]")
    (plain,) = registry.use_datasets("./data.csv[labels=kind]")
    assert use.label == "my genes"
    assert use.identity == plain.identity  # so its results are found under any label
    assert use.params == plain.params


def test_a_label_of_several_or_of_another_data_set_is_refused(store):
    registry = load_registry()
    with pytest.raises(ParameterError, match="grid of 2; label each"):
        registry.use_datasets("x=planted[delta=[0.1,0.2]]")
    with pytest.raises(ParameterError, match="Iris is a data set itself"):
        registry.use_datasets("Iris=./data.csv[labels=kind]")
    shown = CliRunner().invoke(
        main,
        ["compare", "--algos", "UPGMA", "--datasets", "x=iris,x=./data.csv[labels=kind]"],
    )
    assert "x is the label of several data sets" in shown.stderr


def test_a_file_whose_name_has_an_equals_sign_is_no_label(store):
    (store / "a=b.csv").write_text("x,y\n1,2\n3,4\n")
    (use,) = load_registry().use_datasets("a=b.csv")
    assert use.label == "a=b.csv"
    (use,) = load_registry().use_datasets("./a=b.csv[n=2]")
    assert use.label == "./a=b.csv[n=2]"


def test_files_of_labels_in_a_suite_are_beside_it(store, monkeypatch):
    (store / "suite.toml").write_text('datasets = ["genes=./data.csv[labels=kind]"]\n')
    monkeypatch.chdir("/")
    suite = read_suite(store / "suite.toml")
    assert suite.datasets == (f"genes={store / 'data.csv'}[labels=kind]",)


@pytest.mark.slow
def test_rows_and_pages_have_the_label_in_place_of_the_path(store):
    name = f"genes={store / 'data.csv'}[labels=kind]"
    words = ("compare", "--algos", "UPGMA,Single", "--datasets", name, "-r", "1")
    cells, _ = rows_of(*words)
    assert {cell["dataset"] for cell in cells} == {"genes"}
    shown = CliRunner().invoke(main, ["report", "-o", "report.html"])
    assert shown.exit_code == 0, shown.stderr
    assert "genes" in (store / "report.html").read_text()
