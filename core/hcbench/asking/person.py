"""A person as an oracle outside of `hcbench ask`: questions in lines, at the terminal, if any."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from hcbench.asking.answers_file import AnswersFile
from hcbench.asking.questions import KINDS, Texts
from hcbench.asking.recorded import Heading, RecordedAnswers, quoted
from hcbench.errors import NotApplicableError
from hcbench.oracle import UNSURE, Answers, Code, Questions
from hcbench.registry.fingerprint import installed_version


def person_answers(kind: str, names: Sequence[str], path: str | Path) -> Answers:
    """The person at the terminal as an oracle, who is asked nothing twice.

    The t-th time that a question is asked it gets the t-th answer of a file, whoever gave it there;
    where that has none, the person's, who is asked on stderr and answers on stdin, by lines, and
    whose answer the file then has. Ctrl-C leaves. Algorithms without noise ask no question twice.

    Parameters
    ----------
    kind : str
        Of oracle: ordinal-queries, quadruplet-queries or pair-queries.
    names : sequence of str
        Of the items.
    path : str or path
        Of the file; made if there is none. `hcbench ask` has files of its own, of one algorithm.

    Raises
    ------
    DataError
        If the file cannot be read or written, or is about other items.
    NotApplicableError
        By the oracle, where an answer is needed and this process has no terminal.
    """
    return Answers(
        kind=kind,
        n=len(names),
        arity=KINDS[kind].arity,
        answer=_Person(Heading(kind=kind, items=tuple(names)), Path(path).expanduser()),
    )


class _Person:
    def __init__(self, heading: Heading, path: Path) -> None:
        self._heading = heading
        self._path = path
        self._kind = KINDS[heading.kind]
        self._heard: dict[Texts, list[int]] = {}
        self._given: Counter[Texts] = Counter()
        if path.exists():
            for answer in RecordedAnswers.read(path).answers:
                self._keep(answer.question, answer.code)

    def _keep(self, question: Texts, code: int) -> None:
        if code != UNSURE:
            key, canonical = self._kind.canonical(question, code)
            self._heard.setdefault(key, []).append(canonical)

    def __call__(self, questions: Questions, _keys: object, _times: object) -> Code:
        codes = [self._one(tuple(self._heading.items[i] for i in row)) for row in questions]
        return np.array(codes, dtype=np.int8)

    def _one(self, texts: Texts) -> int:
        key, arrangement = self._kind.ordered(texts)
        heard = self._heard.get(key, [])
        if self._given[key] >= len(heard):
            code = self._ask(texts)
            if code == UNSURE:
                return UNSURE
        else:
            code = self._kind.unarranged(heard[self._given[key]], arrangement)
        self._given[key] += 1
        return code

    def _ask(self, texts: Texts) -> int:
        if not has_terminal():
            raise NotApplicableError(
                f"nobody can be asked about {quoted(texts)} here: workers have no terminal; answer "
                f"by hcbench ask ITEMS, and compare with --replay FILE"
            )
        code = self._read(texts)
        with AnswersFile(self._path, self._heading, installed_version("hcbench")) as file:
            file.add(texts, code)
        self._keep(texts, code)
        return code

    def _read(self, texts: Texts) -> int:
        kind = self._kind
        codes: dict[str, int] = {c.key: c.code for c in kind.offered(neither=True)}
        codes["u"] = UNSURE
        shown = [" and ".join(texts[:2]), " and ".join(texts[2:])] if kind.pairs else list(texts)
        keys = [choice.key for choice in kind.choices if not choice.words]
        words = [f"{key}: {text}" for key, text in zip(keys, shown, strict=bool(keys))] or shown
        while True:
            sys.stderr.write(f"{kind.text}  {'  '.join(words)}  ({'/'.join(codes)}) ")
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:
                raise KeyboardInterrupt
            if line.strip().lower() in codes:
                return codes[line.strip().lower()]


def has_terminal() -> bool:
    """Whether this process may read from a terminal: one of another session may not."""
    with suppress(OSError, ValueError):
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp() and sys.stderr.isatty()
    return False
