"""What the README shows works as it stands."""

import csv
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hcbench.cli import main

README = (Path(__file__).parent.parent / "README.md").read_text()
SETUP = ("python3 -m venv", ". .venv")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


COMMANDS = [
    line for block in blocks("sh") for line in block.splitlines() if not line.startswith(SETUP)
]


SHOWN = [
    part
    for block in blocks("console")
    for line in block.splitlines()
    if line.startswith("$ ")
    for part in line.removeprefix("$ ").split(" && ")
    if part.startswith("hcbench ")
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
    for name, code in plugin_files().items():
        (folder / name).write_text(code)
    return folder


def plugin_files() -> dict[str, str]:
    """The plugins that the README shows: each begins with the name of its file."""
    shown = [block for block in blocks("python") if "hookimpl" in block]
    return {block.split("\n", 1)[0].removeprefix("# "): block for block in shown}


@pytest.mark.parametrize("kind", ["algorithms", "metrics", "datasets", "oracles"])
def test_each_kind_of_plugin_takes_at_most_twenty_lines(kind: str) -> None:
    (code,) = (code for code in plugin_files().values() if f"def hcbench_{kind}" in code)
    lines = [line for line in code.splitlines()[1:] if line]
    assert len(lines) <= 20


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_the_readme_works(
    command: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if command.startswith(("hcbench results", "hcbench plot")):
        run = "hcbench compare --algos UPGMA --datasets iris --metrics AARI -r 1 -q"
        command = f"{run} >/dev/null && {command}"
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    done = subprocess.run(
        ["bash", "-euc", command], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or " -o " in command


@pytest.mark.parametrize("command", SHOWN)
def test_each_option_of_a_command_that_is_only_shown_exists(command: str) -> None:
    words = shlex.split(command, comments=True)[1:]
    result = CliRunner().invoke(main, [*words, "--help"])
    assert result.exit_code == 0, result.stderr


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
