"""What a release takes from other files agrees with them, and its archives are checked."""

from __future__ import annotations

import importlib
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {"python": project["requires-python"].replace(" ", "")}
    for line in project["dependencies"]:
        requirement = Requirement(line)
        wanted[canonicalize_name(requirement.name)] = str(requirement.specifier)
    recipe = (ROOT / ".github" / "conda" / "meta.yaml").read_text()
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    assert dict(re.findall(r"- (\S+) (\S+)", run)) == wanted


@pytest.fixture(scope="module")
def distributions() -> Iterator[ModuleType]:
    """The script that checks the archives."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / ".ci")
        yield importlib.import_module("distributions")
    del sys.modules["distributions"]


def write_archives(script: ModuleType, folder: Path, *more: str, without: str = "") -> None:
    """An sdist and a wheel of empty files, with some more, or without one."""
    folder.mkdir(exist_ok=True)
    with tarfile.open(folder / "hcbench-0.2.0.tar.gz", "w:gz") as sdist:
        for name in [*script.IN_SDIST, *more]:
            if name != without:
                sdist.addfile(tarfile.TarInfo(f"hcbench-0.2.0/{name}"))
    with zipfile.ZipFile(folder / "hcbench-0.2.0-py3-none-any.whl", "w") as wheel:
        for name in [*script.IN_WHEEL, *more]:
            if name != without:
                wheel.writestr(name.replace("DIST-INFO", "hcbench-0.2.0.dist-info"), "")


def test_archives_with_all_that_a_release_needs_are_accepted(
    distributions: ModuleType, tmp_path: Path
) -> None:
    write_archives(distributions, tmp_path)
    assert distributions.check(tmp_path) == []


@pytest.mark.parametrize(
    ("more", "without", "fault"),
    [
        ((), "LICENSE", "no LICENSE"),
        ((), "DIST-INFO/licenses/LICENSE", "no DIST-INFO/licenses/LICENSE"),
        (("hcbench/__pycache__/run.cpython-311.pyc",), "", "no part of a release"),
        (("hcbench/results.sqlite",), "", "no part of a release"),
        (("benchmarks/results/standard-vectors/UPGMA/iris.json",), "", "no part of a release"),
        (("tests/secret.txt",), "", "would be installed beside the packages"),
    ],
)
def test_what_is_missing_or_unwanted_in_an_archive_is_a_fault(
    distributions: ModuleType, tmp_path: Path, more: tuple[str, ...], without: str, fault: str
) -> None:
    write_archives(distributions, tmp_path, *more, without=without)
    assert any(fault in found for found in distributions.check(tmp_path))


def test_a_large_or_a_missing_archive_is_a_fault(
    distributions: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_archives(distributions, tmp_path)
    monkeypatch.setattr(distributions, "LARGEST", 1e-5)
    assert "at most" in distributions.check(tmp_path)[0]
    (tmp_path / "hcbench-0.2.0.tar.gz").unlink()
    (fault,) = distributions.check(tmp_path)
    assert "0 sdists and 1 wheels" in fault


def test_the_site_of_the_project_has_one_address() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    url = project["urls"]["Documentation"]
    for name in ("README.md", "CITATION.cff", ".github/conda/meta.yaml"):
        assert url in (ROOT / name).read_text(), name


def test_the_next_release_has_one_number() -> None:
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    version = tables["hatch"]["version"]["fallback-version"].partition(".dev")[0]
    recipe = (ROOT / ".github" / "conda" / "meta.yaml").read_text()
    assert f'{{% set version = "{version}" %}}' in recipe
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert f"## {version}" in changelog or f"will be {version}" in changelog
