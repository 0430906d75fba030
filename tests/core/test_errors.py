"""Errors of reading and writing files: the file, the reason and the way out."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from hcbench import DataError
from hcbench.errors import StoreError, SuiteError


def message(doing, path, error):
    return str(DataError.of_file(doing, path, error))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("Iris.csv", "wine.csv", "iris.nwk"):
        Path(name).touch()
    Path("iris.csvs").mkdir()
    return tmp_path


MISSING = FileNotFoundError(errno.ENOENT, "No such file or directory")


@pytest.mark.parametrize(
    ("path", "way_out"),
    [
        ("./iriss.csv", "did you mean ./Iris.csv?"),
        ("iris.csv", "did you mean ./Iris.csv?"),
        ("./iris.cvs", "did you mean ./Iris.csv?"),
        ("./iris.nkw", "did you mean ./iris.nwk?"),
        ("~x/iris.csv", "there is no folder ~x"),
        ("plants.csv", "it is not in {folder}, which contains Iris.csv"),
        ("plants.npy", "it is not in {folder}"),
    ],
)
def test_a_missing_file_is_reported_with_similar_ones(
    folder: Path, path: str, way_out: str
) -> None:
    expected = f"cannot read {path}: No such file or directory; {way_out.format(folder=folder)}"
    given = path if path.startswith("./") else Path(path)
    assert message("read", given, MISSING) == expected


@pytest.mark.parametrize(
    ("doing", "error", "ending"),
    [
        ("read", IsADirectoryError(21, "Is a directory"), "; give a file in it, such as Iris.csv"),
        (
            "read",
            PermissionError(13, "Permission denied"),
            "; its owner can give you read permission with ",
        ),
        (
            "read",
            ValueError("not a zip file\n at all"),
            ": not a zip file; is it complete, and does its suffix",
        ),
        ("read", EOFError(), ": EOFError; is it complete"),
        ("write", IsADirectoryError(21, "Is a directory"), "; it is a folder: give a file in it"),
        ("write", MISSING, "; create the folder {parent} first"),
        (
            "write",
            PermissionError(13, "Permission denied"),
            "denied; give another path, with write permission",
        ),
        ("write", OSError(errno.ENOSPC, "No space left on device"), "; free some disk space, or "),
    ],
)
def test_each_reason_has_its_way_out(
    folder: Path, doing: str, error: Exception, ending: str
) -> None:
    text = message(doing, folder, error)
    assert text.startswith(f"cannot {doing} {folder}: ")
    assert ending.format(parent=folder.parent) in text
    assert "\n" not in text


def test_an_error_keeps_its_class() -> None:
    assert type(SuiteError.of_file("read", "x", MISSING)) is SuiteError
    assert type(StoreError.of_file("write", "x", MISSING)) is StoreError


def test_a_folder_that_cannot_be_listed_is_no_second_error(folder: Path) -> None:
    os.chmod("iris.csvs", 0)
    text = message("read", Path("iris.csvs/a.csv"), PermissionError(13, "Permission denied"))
    assert text.endswith("with chmod")
