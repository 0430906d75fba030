"""`hcbench new plugin`: the written files work, and errors are one line."""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from packaging.specifiers import SpecifierSet

from hcbench.cli import main
from hcbench.errors import ExitCode
from hcbench.testing.scaffold.writing import KINDS, required_release
from tests.environments import Environment, quiet_pytest

NAMES = {
    "algorithm": "MostSimilar",
    "metric": "relatives",
    "dataset": "branches",
    "oracle": "torn",
    "command": "leaves",
}


def new_plugin(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["new", "plugin", *words, "--directory", str(folder)])


def options(*kinds: str) -> list[str]:
    return [word for kind in kinds for word in (f"--{kind}", NAMES[kind])]


@pytest.mark.slow
def test_a_new_plugin_installs_passes_its_tests_and_is_listed(tmp_path: Path) -> None:
    written = new_plugin(tmp_path, "my_plugin", *options(*KINDS))
    assert written.exit_code == 0, written.stderr
    environment = Environment.make(tmp_path)
    environment.install(tmp_path / "my_plugin")
    plugins, listed, shown = environment.hcbench(
        ["plugins", "--format", "json"], ["list"], ["--help"]
    )
    (ours,) = (p for p in json.loads(plugins)["loaded"] if p["plugin"] == "my_plugin:plugin")
    assert {f"{kind}s": ours[f"{kind}s"] for kind in KINDS} == {
        f"{kind}s": [name] for kind, name in NAMES.items()
    }
    assert " passed" in quiet_pytest(environment, tmp_path / "my_plugin")
    assert all(name in listed + shown for name in NAMES.values())
    check = ["check", "--environment", "existing:same"]
    checked = environment.run("asv", *check, cwd=tmp_path / "my_plugin")
    assert "Discovering benchmarks" in checked


def test_benchmarks_are_written_only_of_what_asv_measures(tmp_path: Path) -> None:
    assert new_plugin(tmp_path, "my_data", *options("dataset", "command")).exit_code == 0
    assert not (tmp_path / "my_data" / "benchmarks").exists()
    for name in ("README.md", "pyproject.toml"):
        assert "asv" not in (tmp_path / "my_data" / name).read_text()


def test_every_written_file_and_the_next_steps_are_listed(tmp_path: Path) -> None:
    written = new_plugin(tmp_path, "my_linkage")
    printed = [Path(line) for line in written.stdout.splitlines()]
    there = [path for path in (tmp_path / "my_linkage").rglob("*") if path.is_file()]
    assert sorted(printed) == sorted(there)
    assert {str(path.relative_to(tmp_path / "my_linkage")) for path in there} == {
        "pyproject.toml",
        "README.md",
        "asv.conf.json",
        "benchmarks/__init__.py",
        "benchmarks/registered.py",
        ".gitignore",
        ".github/workflows/tests.yml",
        "src/my_linkage/__init__.py",
        "src/my_linkage/algorithm.py",
        "src/my_linkage/py.typed",
        "tests/test_my_linkage.py",
    }
    assert written.stderr == (
        f"hcbench: next: cd {tmp_path}/my_linkage && pip install -e '.[test]' && pytest && "
        "hcbench compare --algos MyLinkage,UPGMA --datasets iris\n"
    )


@pytest.mark.slow
def test_no_name_of_the_example_remains_and_ruff_passes(tmp_path: Path) -> None:
    for number, kinds in enumerate([(), *((kind,) for kind in KINDS), KINDS]):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert new_plugin(folder, "my_plugin", *options(*kinds)).exit_code == 0
        for path in folder.rglob("*.*"):
            if path.is_file():
                assert "EXAMPLE" not in path.read_text()
                assert "example_plugin" not in path.read_text()
    for command in (("check", "--select", "E,F,I,UP,B,SIM"), ("format", "--check")):
        ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", str(tmp_path)]
        done = subprocess.run(ruff, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("installed", "required"),
    [
        ("0.2.0", "hcbench>=0.2,<0.3"),
        ("1.10.3", "hcbench>=1.10,<1.11"),
        ("0.2.0.dev7+g1a2b3c4", "hcbench>=0.2.dev0,<0.3"),
    ],
)
def test_a_plugin_requires_the_release_that_it_is_written_for(
    installed: str, required: str
) -> None:
    assert required_release(installed) == required
    assert SpecifierSet(required.removeprefix("hcbench")).contains(installed, prereleases=True)


def test_the_project_requires_the_installed_release(tmp_path: Path) -> None:
    new_plugin(tmp_path, "my_plugin")
    project = tomllib.loads((tmp_path / "my_plugin" / "pyproject.toml").read_text())["project"]
    assert project["dependencies"][0] == required_release(version("hcbench"))
    assert project["entry-points"]["hcbench"] == {"plugin": "my_plugin"}


@pytest.mark.parametrize("name", ['6"-rule', "it's", "a\\n", "été", "$(x)"])
def test_odd_names_are_quoted(tmp_path: Path, name: str) -> None:
    assert new_plugin(tmp_path, "my_plugin", "--algorithm", name).exit_code == 0
    source = (tmp_path / "my_plugin" / "src" / "my_plugin" / "__init__.py").read_text()
    registered: dict[str, object] = {}
    exec(compile(source, "plugin", "exec"), registered)
    (spec,) = registered["hcbench_algorithms"]()  # type: ignore[operator]
    assert spec.name == name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["my-plugin"], "'my-plugin' cannot be imported; take a NAME of letters, digits and _"),
        (["3d"], "'3d' cannot be imported"),
        (["class"], "'class' cannot be imported"),
        (["plügin"], "'plügin' cannot be imported"),
        ([""], "'' cannot be imported"),
        (["__"], "'__' is no name for a package"),
        (["numpy"], "there is a module numpy already"),
        (["hcbench_vectors"], "there is a module hcbench_vectors already"),
        (["mine", "--algorithm", "upgma"], "--algorithm: upgma is registered by hcbench:vectors"),
        (["mine", "--metric", "AARI"], "--metric: AARI is registered by hcbench:metrics already"),
        (["mine", "--oracle", "a b"], "--oracle: 'a b' cannot be a name: no spaces"),
        (["mine", "--dataset", ""], "--dataset: '' cannot be a name"),
        (["UPGMA"], "--algorithm: UPGMA is registered by hcbench:vectors already"),
        (["mine", "--linkage", "x"], "No such option"),
    ],
)
def test_invalid_arguments_are_reported_in_one_line(
    tmp_path: Path, words: list[str], message: str
) -> None:
    result = new_plugin(tmp_path, *words)
    assert result.exit_code == ExitCode.USAGE
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_an_existing_folder_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    result = new_plugin(tmp_path, "mine")
    assert result.stderr == (
        f"hcbench: error: {tmp_path}/mine exists already; take another NAME or --directory\n"
    )
    assert not list((tmp_path / "mine").iterdir())
    file = tmp_path / "file"
    file.touch()
    assert new_plugin(file, "mine").exit_code == ExitCode.USAGE
    assert new_plugin(tmp_path / "nowhere", "mine").exit_code == ExitCode.USAGE


def test_the_same_name_for_two_kinds_is_two_things(tmp_path: Path) -> None:
    words = ["mine", "--algorithm", "same", "--metric", "same"]
    assert new_plugin(tmp_path, *words).exit_code == 0
    assert (tmp_path / "mine" / "tests" / "test_mine.py").read_text().count('"same"') == 1
