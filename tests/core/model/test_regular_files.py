"""Pipes, devices and links to them, as files that users name."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from hcbench import DataError
from hcbench.cli import main
from hcbench.model import check_regular, read_regular


@pytest.mark.attack("files that fill the memory")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    device = tmp_path / "zero.csv"
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(DataError, match="is a pipe or a device; save what it has"):
            check_regular(path)
    with pytest.raises(DataError, match="is a folder"):
        check_regular(tmp_path)
    with pytest.raises(DataError, match="No such file"):
        check_regular(tmp_path / "absent.csv")
    link = tmp_path / "link.csv"
    (tmp_path / "x.csv").write_text("a\n1\n")
    link.symlink_to(tmp_path / "x.csv")
    check_regular(link)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse.nwk"
    path.touch()
    os.truncate(path, 5 << 30)
    with pytest.raises(DataError, match=r"has 5\.0 GiB, and at most 4 GiB are read at once"):
        read_regular(path)


#: Every option and argument whose file is read as a whole. The device ends at once, so that a
#: command that reads it does not fill the memory of the tests.
COMMANDS = [
    "run ./null.toml",
    "results import null.json",
    "results import null.parquet",
    "compare --replay null.jsonl --algos Bottom-up",
    "compare --algos UPGMA --datasets ./null.csv",
    "compare --algos UPGMA --datasets ./null.npy",
    "compare --algos UPGMA --datasets ./plain.csv[truth=null.nwk]",
    "compare --algos 4-AL --datasets ./null.csv[comparisons=true]",
    "ask null.txt",
    "ask items.txt --answers null.jsonl",
    "ask items.txt --tree null.nwk --algo Bottom-up",
    "score null.nwk --truth null.csv",
    "inspect ./null.csv",
    "inspect ./null.npz",
    "tree UPGMA ./null.csv",
    "check ./null.toml",
    "compare --plugin ./null.toml --algos UPGMA",
    "compare --plugin ./null.py --algos UPGMA",
]


@pytest.mark.attack("files that fill the memory")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_reads_a_device(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for suffix in ("toml", "json", "parquet", "jsonl", "csv", "npy", "npz", "nwk", "txt", "py"):
        Path(f"null.{suffix}").symlink_to(os.devnull)
    Path("items.txt").write_text("a\nb\nc\nd\n")
    Path("plain.csv").write_text("name,x\na,1\nb,2\nc,3\nd,4\n")
    arguments = shlex.split(command)
    result = CliRunner().invoke(main, arguments, env={"HCBENCH_STORE": str(tmp_path / "s.db")})
    assert result.exit_code not in (0, 1), result.output
    assert "pipe or a device" in result.stderr or "there is no file" in result.stderr
