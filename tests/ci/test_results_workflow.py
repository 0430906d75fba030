"""The workflow for results of a pull request: its own commands, on results of two methods."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "results.yml"


def commands() -> list[str]:
    """What the workflow runs after its installations."""
    lines = re.findall(r"- run: (.*)", WORKFLOW.read_text())
    return [line for line in lines if not line.startswith("pip ")]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    environment["HCBENCH_STORE"] = str(folder / "store.sqlite")
    return subprocess.run(
        ["bash", "-euc", command], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which two suites have results, and a method joins one of them."""
    folder = tmp_path_factory.mktemp("repository")
    for suite, algorithms, dataset in (
        ("standard-vectors", "UPGMA,Ward", "iris[standardise=true]"),
        ("standard-vectors", "Single", "iris[standardise=true]"),
        ("standard-hierarchies", "UPGMA", "birth-death"),
    ):
        measure = f"hcbench run {suite} --algos={algorithms} --datasets={dataset} -r2 -q"
        export = f"hcbench results export --format folder -o benchmarks/results/{suite}"
        for command in (measure, export):
            done = run(command, folder)
            assert done.returncode == 0, done.stderr
    return folder


def test_a_method_that_joins_is_verified_and_on_the_leaderboard(repository: Path) -> None:
    verify, *publish = commands()
    assert "--share 0.05" in verify
    # Of so few cells a larger share.
    done = run(verify.replace("--share 0.05", "--share 1"), repository)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"different +0\n", done.stdout)
    for command in publish:
        done = run(command, repository)
        assert done.returncode == 0, done.stderr
    board = repository / "board"
    assert {page.stem for page in (board / "suites").iterdir()} == {
        "standard-vectors",
        "standard-hierarchies",
    }
    page = (board / "suites" / "standard-vectors.html").read_text()
    for method in ("UPGMA", "Ward", "Single"):
        assert method in page


def test_a_number_that_nobody_measured_fails_the_workflow(repository: Path) -> None:
    place = repository / "benchmarks/results/standard-vectors/Single"
    (file,) = place.iterdir()
    text = file.read_text()
    changed = re.sub(r'("AARI": )0\.\d', r"\g<1>0.9", text, count=1)
    assert changed != text
    file.write_text(changed)
    try:
        done = run(commands()[0].replace("--share 0.05", "--share 1"), repository)
    finally:
        file.write_text(text)
    assert done.returncode == 1
    assert "AARI" in done.stdout
