"""Files of recorded answers, written one answer at a time.

JSON Lines. The first line describes the session: items, kind of query, algorithm, parameters, seed.
Each further line is an answer, with the items themselves, or takes back the last answer that is
still valid. A line is on the disk before the next query is asked.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self, TypeAlias

from hcbench import NONE, QUERY_KINDS, UNSURE, DataError, QueryKind
from hcbench.model import check_regular, read_regular
from hcbench.oracle import Choice

#: The number of the format, which is in the first line of each file.
FORMAT = 1
#: The first key of a file, by which it is recognised.
_MARK = "hcbench answers"

Texts: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Description of the session to which answers belong.

    Attributes
    ----------
    kind : str
        Kind of oracle.
    items : tuple of str
        In the order of their numbers.
    algorithm : str
        With its parameters; "" if the answers are not for a single algorithm.
    seed : int
        Seed of the algorithm.
    tree : str
        The tree to be cut, as Newick; "" without one.
    plugin_kind : QueryKind, optional
        The kind, if it is not in `QUERY_KINDS` but a plugin's.
    """

    kind: str
    items: Texts
    algorithm: str = ""
    seed: int = 0
    tree: str = ""
    plugin_kind: QueryKind | None = None

    @property
    def query_kind(self) -> QueryKind:
        """The kind of queries."""
        return self.plugin_kind or QUERY_KINDS[self.kind]

    @property
    def digest(self) -> str:
        """16 hexadecimal digits of the items."""
        written = json.dumps(self.items, ensure_ascii=False).encode()
        return hashlib.blake2b(written, digest_size=8).hexdigest()

    def line(self) -> dict[str, Any]:
        """The first line of a file."""
        line: dict[str, Any] = {_MARK: FORMAT, "kind": self.kind}
        if self.plugin_kind is not None:
            line["question kind"] = asdict(self.plugin_kind)
        line["algorithm"] = self.algorithm
        line["seed"] = self.seed
        line["tree"] = self.tree
        line["digest"] = self.digest
        line["items"] = self.items
        line["hcbench"] = version("hcbench")
        line["time"] = _now()
        return line

    def difference(self, old: Header) -> str:
        """Describe how the header of a file differs from this one; "" if it does not."""
        if self.items != old.items:
            return f"other items: {_describe_difference(self.items, old.items)}"
        for name in ("kind", "algorithm", "seed"):
            old_value = getattr(old, name)
            value = getattr(self, name)
            if old_value != value:
                if old_value == "":
                    old_value = "none"
                return f"another {name}: {old_value}, not {value}"
        if self.plugin_kind != old.plugin_kind:
            return f"another question of the kind {self.kind}"
        if self.tree != old.tree:
            return "another tree to be cut"
        return ""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One answer: the items of the query as asked, a code of `Oracle.ask`, and its line.

    `early` answers were given while another query was deferred, before the algorithm asked.
    """

    query: Texts
    code: int
    line: int
    early: bool = False


@dataclass(slots=True)
class RecordedAnswers:
    """The content of a file of answers.

    Attributes
    ----------
    path : Path
    header : Header
    answers : list of RecordedAnswer
        The answers that were not taken back, in order.
    undone : int
        Number of answers that were taken back.
    size, lines : int
        Size in bytes and number of the complete lines. Anything after them was being written when
        the process was killed.
    """

    path: Path
    header: Header
    answers: list[RecordedAnswer] = field(default_factory=list)
    undone: int = 0
    size: int = 0
    lines: int = 0

    @staticmethod
    def read(path: str | Path) -> RecordedAnswers:
        """Read a file.

        Raises
        ------
        DataError
            If it does not exist, or is not a file of answers.
        """
        path = Path(path).expanduser()
        try:
            data = read_regular(path)
        except OSError as error:
            raise DataError.of_file("read", path, error) from error
        recorded = _parse(path, data)
        if recorded is None:
            raise DataError(f"{path} contains no answers; hcbench ask writes such files")
        return recorded

    @property
    def kind(self) -> QueryKind:
        """Kind of the queries."""
        return self.header.query_kind

    def codes(self) -> dict[Texts, list[int]]:
        """The answers to each query in `canonical` order, except unsure ones."""
        codes: dict[Texts, list[int]] = {}
        for answer in self.answers:
            if answer.code != UNSURE:
                query, order = self.kind.canonical(answer.query)
                codes.setdefault(query, []).append(self.kind.reorder(answer.code, order))
        return codes

    def _apply(self, line: Any, items: frozenset[str]) -> bool:
        """Apply one line; False if it is not valid."""
        self.lines += 1
        if not isinstance(line, dict):
            return False
        # Either the last answer is taken back,
        if line.get("undo") is True:
            if not self.answers:
                return False
            self.undone += 1
            self.answers.pop()
            return True
        # or this is an answer to a query about the items of the file.
        query = line.get("question")
        code = _decode(self.kind, line.get("answer"))
        if not isinstance(query, list) or len(query) != self.kind.arity or code is None:
            return False
        if not all(isinstance(item, str) and item in items for item in query):
            return False
        early = line.get("early") is True
        self.answers.append(RecordedAnswer(tuple(query), code, self.lines, early))
        return True


class AnswersFile:
    """A file to which answers are added; no other process can write to it meanwhile.

    Parameters
    ----------
    path : Path
        Created if it does not exist.
    header : Header
        Description of the session.

    Attributes
    ----------
    recorded : RecordedAnswers
        The content, kept up to date.

    Raises
    ------
    DataError
        If it cannot be written, if another process uses it, or if its answers are about other
        items, or belong to another algorithm or seed.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self.header = header
        # Opening a pipe would wait for somebody who reads it.
        if path.exists():
            check_regular(path)
        # Each line is appended by one system call, without a buffer that a crash could lose.
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise DataError.of_file("write", path, error) from error
        # Read after it is locked: no other process can add answers any more.
        try:
            self._lock()
            self.recorded = self._read_existing()
        except BaseException:
            os.close(self._file)
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DataError(
                f"{self.path} is in use by another session; end that one, or use another file with "
                "--answers FILE"
            ) from error
        except OSError as error:
            raise DataError(
                f"cannot lock {self.path}: {error.strerror}; use a file on another disk with "
                "--answers FILE"
            ) from error

    def _read_existing(self) -> RecordedAnswers:
        """The content, without an incomplete last line; replaces a header without answers."""
        recorded = _parse(self.path, self.path.read_bytes())
        # A file without answers belongs to no algorithm yet.
        if recorded is None or recorded.lines == 1:
            os.ftruncate(self._file, 0)
            self._write(self.header.line())
            _sync_folder(self.path)
            return RecordedAnswers(self.path, self.header, lines=1)
        difference = self.header.difference(recorded.header)
        if difference:
            raise DataError(
                f"{self.path} has answers about {difference}; use another file with --answers "
                "FILE, or the options with which it was made"
            )
        # What was being written when the process was killed is no line.
        os.ftruncate(self._file, recorded.size)
        return recorded

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def add(self, query: Texts, code: int, *, early: bool = False) -> None:
        """Store an answer."""
        line: dict[str, Any] = {"question": query, "answer": _encode(self.recorded.kind, code)}
        if early:
            line["early"] = True
        line["time"] = _now()
        self._write(line)
        self.recorded.lines += 1
        self.recorded.answers.append(RecordedAnswer(query, code, self.recorded.lines, early))

    def undo(self) -> None:
        """Take back the last answer, if there is one."""
        if self.recorded.answers:
            self._write({"undo": True, "time": _now()})
            self.recorded.lines += 1
            self.recorded.answers.pop()
            self.recorded.undone += 1

    def _write(self, line: Mapping[str, Any]) -> None:
        """Append a line, and wait until it is on the disk."""
        data = (json.dumps(line, ensure_ascii=False) + "\n").encode()
        self._check_in_place()
        try:
            # A call may write less than it was given.
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as error:
            raise DataError.of_file("write", self.path, error) from error

    def _check_in_place(self) -> None:
        """Refuse to write to a file that has been removed: its answers would be lost."""
        try:
            in_place = os.path.samestat(os.stat(self.path), os.fstat(self._file))
        except OSError:
            in_place = False
        if not in_place:
            raise DataError(
                f"{self.path} was removed or replaced during the session, and holds none of its "
                "answers; run the command again, or use another file with --answers FILE"
            )


def _sync_folder(path: Path) -> None:
    """Write the folder to the disk, so that a new file is not lost if the machine stops."""
    with suppress(OSError):  # not supported by all file systems; the file itself is on the disk
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _parse(path: Path, data: bytes) -> RecordedAnswers | None:
    """Parse the content of a file; None without a complete first line."""
    # Anything after the last newline was being written when the process was killed.
    complete = data[: data.rfind(b"\n") + 1]
    first, *lines = complete.split(b"\n")[:-1] or [b""]
    header = _read_header(path, first)
    if header is None:
        # Without a complete line, it may be the beginning of a header.
        if complete or (data and not data.startswith(b'{"hcbench'[: len(data)])):
            raise DataError(
                f"{path} was not written by hcbench ask; give a file of its answers, or save a "
                "table as .csv or .json"
            )
        return None
    # Line by line, as one that takes back an answer changes those before it.
    recorded = RecordedAnswers(path, header, size=len(complete), lines=1)
    items = frozenset(header.items)
    for line in lines:
        if not recorded._apply(_parse_json(line), items):
            raise DataError(
                f"{path}, line {recorded.lines} is not an answer about items of its first line; "
                "remove this line and those below it"
            )
    return recorded


def _read_header(path: Path, line: bytes) -> Header | None:
    """Read the header in the first line of a file; None if there is none."""
    read = _parse_json(line)
    if not isinstance(read, dict) or _MARK not in read:
        return None
    if read[_MARK] != FORMAT:
        raise DataError(
            f"{path} was written by another version of hcbench, {read.get('hcbench')}; install "
            "that version, or start again with another file"
        )
    try:
        plugin_kind = None
        if "question kind" in read:
            plugin_kind = _read_kind(read["question kind"])
        header = Header(
            kind=str(read["kind"]),
            items=tuple(map(str, read["items"])),
            algorithm=str(read["algorithm"]),
            seed=int(read["seed"]),
            tree=str(read["tree"]),
            plugin_kind=plugin_kind,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path}, line 1: {error} is missing or wrong") from error
    # Somebody may have edited the items, so that the answers are about other ones.
    has_kind = header.plugin_kind is not None or header.kind in QUERY_KINDS
    if not has_kind or read.get("digest") != header.digest:
        raise DataError(
            f"{path}, line 1 was changed: its digest does not match its items; undo the change"
        )
    return header


def _read_kind(written: Mapping[str, Any]) -> QueryKind:
    """A plugin's kind of queries, as it is written in a header."""
    parts = dict(written)
    parts["choices"] = tuple(Choice(**choice) for choice in parts["choices"])
    if parts["neither"] is not None:
        parts["neither"] = Choice(**parts["neither"])
    if parts["scale"] is not None:
        parts["scale"] = tuple(parts["scale"])
    return QueryKind(**parts)


def _parse_json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _decode(kind: QueryKind, written: object) -> int | None:
    """Convert an answer in a file to its code; None if it is not valid."""
    # True would be equal to 1.
    if isinstance(written, bool) or not isinstance(written, int | str):
        return None
    if written == _encode(kind, UNSURE):
        return UNSURE
    for choice in kind.offered(neither=True):
        if written == _encode(kind, choice.code):
            return choice.code
    return None


def _encode(kind: QueryKind, code: int) -> int | str:
    """Convert the code of an answer to the form in a file."""
    if code == UNSURE:
        return "unsure"
    if code == NONE and kind.name == "ordinal-queries":
        return "none"
    return code


def reordered(query: Texts, order: tuple[int, ...]) -> Texts:
    """The items of a query in another order."""
    return tuple(query[position] for position in order)


def quoted(texts: Sequence[str]) -> str:
    """Quote items for a message."""
    return ", ".join(repr(text) for text in texts)


def _describe_difference(new: Texts, old: Texts) -> str:
    new_texts = set(new)
    old_texts = set(old)
    extra = [text for text in old if text not in new_texts]
    missing = [text for text in new if text not in old_texts]
    parts = []
    if extra:
        parts.append(f"with {_abbreviate(extra)}")
    if missing:
        parts.append(f"without {_abbreviate(missing)}")
    return ", ".join(parts) or "the same ones in another order"


def _abbreviate(texts: Sequence[str]) -> str:
    """The first of some texts, quoted, and the number of the others."""
    if len(texts) == 1:
        return repr(texts[0])
    return f"{texts[0]!r} and {len(texts) - 1} more"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
