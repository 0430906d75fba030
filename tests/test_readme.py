"""What the README shows works as it stands."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()
SETUP = ("python3 -m venv", ". .venv")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


COMMANDS = [
    line for block in blocks("sh") for line in block.splitlines() if not line.startswith(SETUP)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the README speaks of."""
    folder = tmp_path_factory.mktemp("readme")
    rng = np.random.default_rng(0)
    names = [f"plant{i}" for i in range(12)]
    with (folder / "plants.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "height", "width", "family", "species"])
        for i, name in enumerate(names):
            writer.writerow(
                [name, *rng.normal(i // 3, 0.1, 2).round(3), f"f{i // 6}", f"s{i // 3}"]
            )
    threes = [f"({','.join(names[i : i + 3])})" for i in range(0, 12, 3)]
    (folder / "plants.nwk").write_text(f"(({threes[0]},{threes[1]}),({threes[2]},{threes[3]}));")
    (folder / "closer.toml").write_text(next(b for b in blocks("toml") if "claims" in b))
    (folder / "mine.py").write_text(next(b for b in blocks("python") if "hookimpl" in b))
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_the_readme_works(
    command: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if command.startswith("hcbench results"):
        run = "hcbench compare --algos Random --datasets iris --metrics AARI -r 1 -q"
        command = f"{run} >/dev/null && {command}"
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    done = subprocess.run(
        ["bash", "-euc", command], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or "-o rows.csv" in command


def test_the_python_of_the_readme_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    code = "\n".join(block for block in blocks("python") if "hookimpl" not in block)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "| UPGMA |" in done.stdout
    assert "(0,1)" in done.stdout, "the pair that is preferred most merges first"


def test_ci_calls_the_readmes_own_commands() -> None:
    assert sum(line.startswith(SETUP) for block in blocks("sh") for line in block.splitlines()) == 2
    assert "readme_command 2" in (Path(__file__).parent.parent / ".ci" / "run").read_text()
