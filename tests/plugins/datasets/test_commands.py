"""What inspect and errors print is pasted into a shell, whatever names a file has."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hcbench import DataError, load_registry
from hcbench.cli import main
from hcbench.registry import format_name
from hcbench.run import make_data

ODD = [
    "$(touch PWNED)",
    "`touch PWNED`",
    "cost $USD",
    "D'Albertis' python",
    'a "q" b',
    "two  blanks",
    "a; touch PWNED",
    "[x]=1",
    "two\nlines",
]


def paste(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in ``sh``, in a folder in which nothing else may appear."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    env["HCBENCH_STORE"] = str(folder / "store.sqlite")
    ran = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert not (folder / "PWNED").exists()
    return ran


def quoted_cells(*cells: str) -> str:
    """A row of a CSV file."""
    escaped = [cell.replace('"', '""') for cell in cells]
    return ",".join(f'"{cell}"' for cell in escaped) + "\n"


def write_items(folder: Path, odd: str) -> Path:
    """A file with an odd name, whose columns of names, labels and numbers are odd, too."""
    path = folder / f"{odd.replace('/', '-')}.csv"
    header = quoted_cells(f"name {odd}", f"class {odd}", f"id {odd}", "x")
    rows = [quoted_cells(f"p{i}", "ab"[i % 2], f"{i:04}x", str(i * i)) for i in range(8)]
    path.write_text(header + "".join(rows))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD)
def test_the_command_of_inspect_runs_as_it_is_printed(odd, tmp_path, monkeypatch):
    path = write_items(tmp_path, odd)
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(main, ["inspect", path.name], catch_exceptions=False)
    command = shown.stdout.splitlines()[-1]
    assert command.startswith("hcbench compare ")
    ran = paste(f"{command} --dry-run", tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD)
def test_the_name_that_an_error_advises_is_one_word_for_the_shell(odd, tmp_path, monkeypatch):
    path = write_items(tmp_path, odd)
    monkeypatch.chdir(tmp_path)
    (use,) = load_registry().use_datasets(format_name(f"./{path.name}", {}))
    with pytest.raises(DataError) as caught:
        make_data(use, 0)
    advice = str(caught.value).rpartition(" or write ")[2]
    ran = paste(f"hcbench compare --algos SL --dry-run --datasets {advice}", tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_the_next_step_of_example_is_one_word_for_the_shell(tmp_path):
    folder = tmp_path / "my $(touch PWNED) data"
    shown = CliRunner().invoke(main, ["example", "plants", "-o", str(folder)])
    command = shown.stdout.splitlines()[-1].removeprefix("next: ")
    assert shlex.split(command) == ["hcbench", "inspect", str(folder / "plants.csv")]
