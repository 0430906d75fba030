"""Recorded answers: what people said, in a file that is written answer by answer.

JSON Lines. The first line says what the answers are about: items, kind of question, algorithm,
parameters, seed. Each further line is an answer, with the items themselves, or takes back the last
one that stands. A line is on the disk before the next question is put.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.asking.questions import KINDS, QuestionKind, Texts
from hcbench.errors import DataError, NotApplicableError
from hcbench.oracle import UNSURE, Answers, Code, Questions

FORMAT = 1
_MARK = "hcbench answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What answers are about.

    Attributes
    ----------
    kind : str
        Of oracle.
    items : tuple of str
        In the order in which they are numbered.
    algorithm : str
        With its parameters; "" where answers are not those to one algorithm's questions.
    seed : int
        Of the algorithm.
    tree : str
        That is to be cut, as Newick; "" without one.
    """

    kind: str
    items: Texts
    algorithm: str = ""
    seed: int = 0
    tree: str = ""

    @property
    def digest(self) -> str:
        """16 hexadecimal digits of the items."""
        written = json.dumps(self.items, ensure_ascii=False).encode()
        return hashlib.blake2b(written, digest_size=8).hexdigest()

    def line(self, version: str) -> dict[str, Any]:
        """As it stands in a file."""
        return {
            _MARK: FORMAT,
            "kind": self.kind,
            "algorithm": self.algorithm,
            "seed": self.seed,
            "tree": self.tree,
            "digest": self.digest,
            "items": self.items,
            "hcbench": version,
            "time": now(),
        }

    def difference(self, other: Heading) -> str:
        """How answers about this would differ from those about another; "" if they do not."""
        if self.items != other.items:
            return f"other items: {_differing(self.items, other.items)}"
        for name in ("kind", "algorithm", "seed"):
            old, new = getattr(other, name), getattr(self, name)
            if old != new:
                return f"another {name}: {_or_none(old)}, not {_or_none(new)}"
        return "" if self.tree == other.tree else "another tree to be cut"


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: the items of the question as it was asked, and a code of `Oracle.ask`."""

    question: Texts
    code: int
    line: int


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """What a file of answers holds.

    Attributes
    ----------
    path : Path
    heading : Heading
    answers : tuple of Answered
        Those that stand, in order.
    undone : int
        How many were taken back.
    size, lines : int
        Bytes of the file that are whole lines, and their number; what follows was torn off in the
        middle.
    """

    path: Path
    heading: Heading
    answers: tuple[Answered, ...] = ()
    undone: int = 0
    size: int = 0
    lines: int = 0

    @staticmethod
    def read(path: str | Path) -> RecordedAnswers:
        """Read a file.

        Raises
        ------
        DataError
            If there is none, or it is not a file of answers.
        """
        path = Path(path).expanduser()
        try:
            data = path.read_bytes()
        except OSError as error:
            raise DataError.of_file("read", path, error) from error
        found = parse(path, data)
        if found is None:
            raise DataError(f"{path} holds no answers; hcbench ask writes such files")
        return found

    @property
    def kind(self) -> QuestionKind:
        """Of question."""
        return KINDS[self.heading.kind]

    def answers_about(self, names: Sequence[str]) -> Answers:
        """The file as an oracle about items of these names, in their own numbering.

        The t-th time that a question is asked, in whatever order of its items, it gets the t-th
        answer of the file, and after the last one the first again. Who was unsure gave no answer.

        Raises
        ------
        NotApplicableError
            If the file is about none of these items; and by the oracle, if a question was never
            answered.
        """
        known = set(self.heading.items)
        if not known & set(names):
            raise NotApplicableError(
                f"{self.path} has answers about {len(known)} other items, such as "
                f"{self.heading.items[0]!r}; these are {names[0]!r} and so on: items are matched "
                "by name"
            )
        heard: dict[Texts, list[int]] = {}
        for answer in self.answers:
            if answer.code != UNSURE:
                key, code = self.kind.canonical(answer.question, answer.code)
                heard.setdefault(key, []).append(code)
        return Answers(
            kind=self.heading.kind,
            n=len(names),
            arity=self.kind.arity,
            answer=_Replay(self, heard, tuple(names)),
        )


@dataclass(frozen=True, slots=True)
class _Replay:
    recorded: RecordedAnswers
    heard: Mapping[Texts, list[int]]
    names: Texts

    def __call__(self, questions: Questions, _keys: object, times: NDArray[np.int64]) -> Code:
        asked = zip(questions.tolist(), times, strict=True)
        return np.array([self._one(row, int(time)) for row, time in asked], dtype=np.int8)

    def _one(self, row: Sequence[int], time: int) -> int:
        kind, texts = self.recorded.kind, tuple(self.names[i] for i in row)
        key, arrangement = kind.ordered(texts)
        if key not in self.heard:
            raise NotApplicableError(
                f"{self.recorded.path} has no answer about {quoted(texts)}: nobody was asked"
            )
        codes = self.heard[key]
        return kind.unarranged(codes[time % len(codes)], arrangement)


@dataclass(slots=True)
class _Standing:
    """The answers that stand, as lines are read."""

    kind: QuestionKind
    items: frozenset[str]
    answers: list[Answered] = field(default_factory=list)
    undone: int = 0

    def add(self, line: Any, number: int) -> bool:
        """Take in a line; whether it says something."""
        if not isinstance(line, dict):
            return False
        if line.get("undo") is True:
            self.undone += 1
            return bool(self.answers) and bool(self.answers.pop())
        question = line.get("question")
        code = self.kind.read_code(line.get("answer"))
        if not isinstance(question, list) or len(question) != self.kind.arity or code is None:
            return False
        if not all(isinstance(item, str) and item in self.items for item in question):
            return False
        self.answers.append(Answered(tuple(question), code, number))
        return True


def parse(path: Path, data: bytes) -> RecordedAnswers | None:
    """What a file holds; None if there is nothing, not even a whole first line.

    What stands behind the last end of a line was being written when its writer was killed.
    """
    whole = data[: data.rfind(b"\n") + 1]
    lines = enumerate(whole.split(b"\n")[:-1], start=1)
    heading = _heading(path, next(lines, (1, b""))[1])
    if heading is None:
        if whole or (data and not data.startswith(b'{"hcbench'[: len(data)])):
            raise DataError(
                f"{path} is no file of answers, as hcbench ask writes them; take another"
            )
        return None
    standing = _Standing(KINDS[heading.kind], frozenset(heading.items))
    for number, line in lines:
        if not standing.add(_json(line), number):
            raise DataError(
                f"{path}, line {number} is no answer about items of its first line; drop the line, "
                "and those below it"
            )
    return RecordedAnswers(
        path,
        heading,
        tuple(standing.answers),
        standing.undone,
        size=len(whole),
        lines=whole.count(b"\n"),
    )


def _heading(path: Path, line: bytes) -> Heading | None:
    """The first line; None if it is none."""
    said = _json(line)
    if not isinstance(said, dict) or _MARK not in said:
        return None
    if said[_MARK] != FORMAT:
        raise DataError(
            f"{path} is of another version of hcbench, {said.get('hcbench')}; install that "
            "one, or begin anew with another file"
        )
    try:
        heading = Heading(
            kind=str(said["kind"]),
            items=tuple(map(str, said["items"])),
            algorithm=str(said["algorithm"]),
            seed=int(said["seed"]),
            tree=str(said["tree"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path}, line 1: {error} is missing or wrong") from error
    if heading.kind not in KINDS or said.get("digest") != heading.digest:
        raise DataError(
            f"{path}, line 1 was changed: its digest is not that of its items; undo the change"
        )
    return heading


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def quoted(texts: Sequence[str]) -> str:
    """Items in a message."""
    return ", ".join(repr(text) for text in texts)


def _or_none(value: str | int) -> str:
    return "none" if value == "" else str(value)


def _differing(new: Texts, old: Texts) -> str:
    extra = [text for text in old if text not in set(new)]
    missing = [text for text in new if text not in set(old)]
    parts = [_some("with", extra), _some("without", missing)]
    return ", ".join(filter(None, parts)) or "the same ones in another order"


def _some(word: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    return f"{word} {texts[0]!r}" + (f" and {len(texts) - 1} more" if len(texts) > 1 else "")


def now() -> str:
    """The time, for a line of a file."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
