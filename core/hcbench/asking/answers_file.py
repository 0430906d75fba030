"""A file of answers that grows, one at a time: see `hcbench.asking.recorded` for what it holds."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from hcbench.asking.questions import KINDS, Texts
from hcbench.asking.recorded import Answered, Heading, RecordedAnswers, now, parse
from hcbench.errors import DataError


class AnswersFile:
    """A file of answers that grows; nobody else can write to it meanwhile.

    Parameters
    ----------
    path : Path
        Made if there is none.
    heading : Heading
        What the answers are about.
    version : str
        Of hcbench.

    Raises
    ------
    DataError
        If it cannot be written, if somebody else is at it, or if it has answers about other items,
        to another algorithm, or of another seed.
    """

    def __init__(self, path: Path, heading: Heading, version: str) -> None:
        self.path = path
        self.heading = heading
        self._lines = 0
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise DataError.of_file("write", path, error) from error
        try:
            self._lock()
            self.recorded = self._begin(version)
        except BaseException:
            os.close(self._file)
            raise

    def _lock(self) -> None:
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DataError(
                f"{self.path} is in use by another session; end that one, or take another file by "
                "--answers FILE"
            ) from error
        except OSError as error:
            raise DataError(
                f"cannot lock {self.path}: {error.strerror}; take a file on another disk by "
                "--answers FILE"
            ) from error

    def _begin(self, version: str) -> RecordedAnswers:
        """What is there; the torn end of a line is dropped, and a heading without answers."""
        recorded = parse(self.path, self.path.read_bytes())
        if recorded is None or recorded.lines == 1:
            os.ftruncate(self._file, 0)
            self._write(self.heading.line(version))
            _sync_folder(self.path)
            return RecordedAnswers(self.path, self.heading)
        difference = self.heading.difference(recorded.heading)
        if difference:
            raise DataError(
                f"{self.path} has answers about {difference}; take another file by --answers FILE, "
                "or what it was made with"
            )
        os.ftruncate(self._file, recorded.size)
        self._lines = recorded.lines
        return recorded

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def add(self, question: Texts, code: int) -> Answered:
        """Keep an answer."""
        written = KINDS[self.heading.kind].write_code(code)
        self._write({"question": question, "answer": written, "time": now()})
        return Answered(question, code, self._lines)

    def undo(self) -> None:
        """Take the last answer back that stands."""
        self._write({"undo": True, "time": now()})

    def _write(self, line: Mapping[str, Any]) -> None:
        """Append a line, and wait until it is on the disk."""
        data = (json.dumps(line, ensure_ascii=False) + "\n").encode()
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as error:
            raise DataError.of_file("write", self.path, error) from error
        self._lines += 1


def _sync_folder(path: Path) -> None:
    """So that a new file is found again after the machine stops."""
    with suppress(OSError):  # not all file systems can, and the file itself is on the disk
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
