"""Families of data sets: known from specs and parameters alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import hcbench
from hcbench import DatasetSpec, HcbenchError, Suite, load_registry
from hcbench.cli import main
from hcbench.errors import SuiteError
from hcbench.plan.plan import make_plan
from hcbench.plan.presentation import Presentation
from hcbench.registry.families import families_of, family_of
from hcbench.registry.suite_files import describe_suite, read_suite, rebuild_suite
from hcbench.results.results import Results
from hcbench.store import Store

REGISTRY = load_registry()


def uses(*names):
    return [use for name in names for use in REGISTRY.use_datasets(name)]


def families(*names, **by_name):
    return list(families_of(uses(*names), by_name or None).values())


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("iris", "iris"),
        ("iris[n=50]", "iris"),
        ("iris[standardise=true]", "iris"),
        ("planted[N0=5]", "planted"),
        ("20newsgroups-pca", "20newsgroups"),
        ("mnist[split=test]", "mnist"),
        ("openml[id=61]", "openml 61"),
        ("subsample[of=iris]", "iris"),
        ("subsample[of='wine[n=100]']", "wine"),
        ("cut-of[data=digits,tree=UPGMA]", "digits"),
        ("cut-of[tree=balanced]", "random-tree"),
        ("cut-of[data='subsample[of=zoo]',tree=UPGMA]", "zoo"),
    ],
)
def test_family_of(name, family):
    (use,) = uses(name)
    assert family_of(use) == family


def test_a_grid_is_of_one_family():
    assert set(families("iris[n=[20,30,40]]", "iris")) == {"iris"}


def write(path: Path, text: str) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return str(path)


def test_files_are_known_by_their_content(tmp_path):
    one = write(tmp_path / "one.csv", "a,b\n1,2\n3,4\n5,7\n")
    copy = write(tmp_path / "copy.csv", "a,b\n1,2\n3,4\n5,7\n")
    another = write(tmp_path / "part" / "one.csv", "a,b\n1,2\n3,4\n")
    assert (
        families(one, copy, f"{one}[standardise=true]", f"subsample[of='{copy}']")
        == ["one.csv"] * 4
    )
    assert families(one, another) == ["one.csv", another]


def test_families_that_a_user_states(tmp_path):
    raw = write(tmp_path / "raw.csv", "a,b\n1,2\n3,4\n5,7\n")
    scaled = write(tmp_path / "scaled.csv", "a,b\n1,20\n3,40\n5,70\n")
    assert families(raw, scaled) == ["raw.csv", "scaled.csv"]
    assert families(raw, scaled, **{raw: "cars", scaled: "cars"}) == ["cars", "cars"]
    assert families("iris[n=20]", "wine", iris="flowers") == ["flowers", "wine"]
    stated = families("iris[n=[20,30]]", **{"iris[n=30]": "flowers"})
    assert stated == ["iris", "flowers"]
    with pytest.raises(SuiteError, match="'iriss' is none of the data sets; they are iris, wine"):
        families("iris", "wine", iriss="flowers")


def test_a_declared_family():
    spec = DatasetSpec(name="x", function="m:f", doc="X.", provides=("vectors",), family="y")
    (use,) = uses("iris")
    assert family_of(replace(use, spec=spec)) == "y"
    assert spec.family_with({}) == "y"


SUITE = Suite(
    name="t",
    algorithms=("UPGMA",),
    datasets=("iris[n=[20,30]]", "wine"),
    families={"iris[n=30]": "flowers"},
)


def test_families_of_a_plan():
    """Known without data, and stored with the run; an unknown data set is refused at once."""
    plan = make_plan(SUITE, REGISTRY)
    layout = Presentation.of_plan(plan)
    expected = {"iris[n=20]": "iris", "iris[n=30]": "flowers", "wine": "wine"}
    assert layout.families == expected
    assert Presentation.of_description(layout.describe()).families == expected
    assert rebuild_suite(describe_suite(SUITE)) == SUITE
    with pytest.raises(SuiteError, match="'zoo' is none of the data sets"):
        make_plan(replace(SUITE, families={"zoo": "animals"}), REGISTRY)


def test_a_run_stored_without_families():
    described = Presentation.of_plan(make_plan(SUITE, REGISTRY)).describe()
    del described["families"]
    del described["suite"]["families"]
    assert Presentation.of_description(described).families == {}


def test_families_of_a_suite_file(tmp_path):
    write(tmp_path / "raw.csv", "a,b\n1,2\n3,4\n5,7\n")
    path = tmp_path / "mine.toml"
    path.write_text('datasets = ["./raw.csv", "iris"]\n[families]\n"./raw.csv" = "iris"\n')
    suite = read_suite(path)
    assert suite.families == {str(tmp_path / "raw.csv"): "iris"}
    assert set(families_of(uses(*suite.datasets), suite.families).values()) == {"iris"}
    path.write_text('datasets = ["iris"]\n[families]\niris = 3\n')
    with pytest.raises(HcbenchError, match="the family of iris is a name, got 3"):
        read_suite(path)


def dry_run(*arguments, code=0):
    command = ["compare", "--algos", "UPGMA", "-r", "1", "--dry-run", *arguments]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == code, result.output
    return result.output


def test_families_on_the_command_line():
    """A dry run shows them, and names no family where each data set has its own."""
    grid = "iris[n=[20,30]],wine"
    as_json = json.loads(dry_run("--datasets", grid, "--format", "json", "-q"))
    assert as_json["families"] == {"iris[n=20]": "iris", "iris[n=30]": "iris", "wine": "wine"}
    text = dry_run("--datasets", grid, "--family", "iris=flowers", "--family", "wine=drinks")
    assert "families of data sets, which ranks count once: flowers, drinks" in text
    assert "families" not in dry_run("--datasets", "iris,wine")
    wrong = dry_run("--datasets", "iris", "--family", "zoo=animals", code=3)
    assert "'zoo' is none of the data sets; they are iris" in wrong
    assert "write DATASET=FAMILY" in dry_run("--datasets", "iris", "--family", "iris", code=2)


@pytest.mark.slow
def test_families_of_a_callers_own_data(tmp_path):
    rows = np.random.default_rng(0).normal(size=(12, 2))
    data = {"raw": rows, "scaled": rows * [1, 9], "part": rows[:9]}
    options = {"metrics": "leaf-depth", "repetitions": 1, "store": tmp_path / "s.db", "n_jobs": 1}
    results = hcbench.compare("UPGMA", data, **options)
    assert results.families == {"raw": "raw", "scaled": "scaled", "part": "part"}
    families = {"scaled": "raw", "part": "raw"}
    results = hcbench.compare("UPGMA", data, families=families, **options)
    assert set(results.families.values()) == {"raw"}
    with Store(tmp_path / "s.db") as store:
        assert set(Results.of_run(store, store.run()).families.values()) == {"raw"}
