"""Files are read in a process with limits: what would fill the memory or wait is an error."""

import os
import pty
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from hcbench.errors import DataError, ModelWarning
from hcbench.files import read_items, read_limited

SMALL = 600 << 20


def test_the_result_of_the_function_is_returned(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("abc")
    assert read_limited(path, Path.read_text, path) == "abc"


def test_errors_of_hcbench_and_warnings_are_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xff\0")
    with pytest.raises(DataError, match=r"x\.txt, line 1: byte 0xff is not UTF-8"):
        read_limited(path, read_items, path)
    with pytest.warns(ModelWarning, match="a note"):
        read_limited(path, warnings.warn, "a note", ModelWarning)


@pytest.mark.attack("files that fill the memory")
def test_more_memory_than_the_limit_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "small.bin"
    path.touch()
    with pytest.raises(DataError, match="takes more than 600 MiB of memory to read"):
        read_limited(path, eval, "len(bytes(1 << 30))", memory=SMALL)


@pytest.mark.attack("files that fill the memory")
def test_more_time_than_the_limit_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.touch()
    with pytest.raises(DataError, match="takes more than 2 seconds to read"):
        read_limited(path, time.sleep, 60, seconds=2)


@pytest.mark.attack("files that fill the memory")
def test_a_lost_process_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.touch()
    with pytest.raises(DataError, match="exit code -6"):
        read_limited(path, os.abort)


@pytest.mark.attack("keys")
def test_keys_do_not_reach_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCBENCH_LLM_KEY", "secret")
    path = tmp_path / "x.txt"
    path.touch()
    assert read_limited(path, os.getenv, "HCBENCH_LLM_KEY") is None


@pytest.mark.attack("code of the current folder")
def test_modules_of_the_current_folder_do_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pickle.py").write_text("open('PWNED', 'w')")
    path = tmp_path / "x.txt"
    path.write_text("abc")
    monkeypatch.chdir(tmp_path)
    assert read_limited(path, Path.read_text, path) == "abc"
    assert not (tmp_path / "PWNED").exists()


def test_a_large_file_may_take_memory_in_proportion(tmp_path):
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"")
    with large.open("wb") as stream:
        stream.truncate(400 << 20)  # without content on disk
    with pytest.raises(DataError, match="of memory"):
        read_limited(small, eval, "len(bytes(2 << 30))", memory=1 << 30)
    assert read_limited(large, eval, "len(bytes(2 << 30))", memory=1 << 30) == 2 << 30


def test_a_terminal_shows_what_is_read_after_a_second(tmp_path):
    path = tmp_path / "x"
    path.write_text("")
    code = (
        "import time; from pathlib import Path; from hcbench.files import read_limited;"
        f"read_limited(Path({str(path)!r}), time.sleep, 1.5)"
    )
    terminal, of_process = pty.openpty()
    subprocess.run([sys.executable, "-c", code], stderr=of_process, check=True)
    os.close(of_process)
    assert f"reading {path} ..." in os.read(terminal, 1000).decode()
    os.close(terminal)
    silent = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert silent.stderr == b""
