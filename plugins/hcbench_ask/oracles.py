"""Oracles of people's answers: recorded ones, and those of the person at the terminal."""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    QUERY_KINDS,
    UNSURE,
    AnswerRequest,
    Answers,
    DataError,
    DataRequest,
    NotApplicableError,
    OracleRequest,
    Problem,
    Tree,
)
from hcbench.errors import NewickWarning
from hcbench.files import TreeFile
from hcbench_ask.answers_file import (
    AnswersFile,
    Header,
    RecordedAnswers,
    Texts,
    quoted,
)
from hcbench_ask.outline import visible


def _recorded(kind: str, request: OracleRequest, *, file: str) -> Answers:
    """Give the recorded answers of a person.

    Items are matched by name, items without names by their numbers. The t-th time that a query is
    asked, it gets the t-th of the recorded answers to it, and after the last one the first again.

    Raises
    ------
    DataError
        If the file cannot be read.
    NotApplicableError
        If its answers are to another kind of query, or about other items; raised by the oracle, if
        a query was never answered.
    """
    problem = request.problem
    recorded = RecordedAnswers.read(file)
    if recorded.header.kind != kind:
        raise NotApplicableError(f"{file} has answers to {recorded.header.kind}, not to {kind}")
    return replay(recorded, _names(problem))


recorded_ordinal = partial(_recorded, "ordinal-queries")
recorded_quadruplet = partial(_recorded, "quadruplet-queries")
recorded_pair = partial(_recorded, "pair-queries")
recorded_rating = partial(_recorded, "rating-queries")


def oracle_of(path: str) -> tuple[str, dict[str, Any]]:
    """Name the oracle that gives the answers of a file, and its parameters.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    header = RecordedAnswers.read(path).header
    if header.plugin_kind is not None:
        raise DataError(
            f"{path} has answers to {header.kind}, a kind of a plugin, which no oracle of hcbench "
            "replays; in Python, hcbench_ask.oracles.replay makes one of them"
        )
    kind = header.kind
    return f"recorded-{kind.removesuffix('-queries')}", {"file": path}


def replay(recorded: RecordedAnswers, names: Sequence[str]) -> Answers:
    """Make an oracle of recorded answers, about items of these names in their own numbering.

    Raises
    ------
    NotApplicableError
        If the answers are about other items; raised by the oracle, if a query was never answered.
    """
    items = recorded.header.items
    # Some of the items may be missing: their queries are then never asked.
    if not set(items) & set(names):
        raise NotApplicableError(
            f"{recorded.path} has answers about {len(items)} other items, such as {items[0]!r}; "
            f"these are {names[0]!r} and so on: items are matched by name"
        )
    return Answers(
        kind=recorded.kind.name,
        n=len(names),
        arity=recorded.kind.arity,
        query_kind=recorded.kind,
        answer=_Replay(recorded, recorded.codes(), tuple(names)),
    )


@dataclass(frozen=True, slots=True)
class _Replay:
    recorded: RecordedAnswers
    codes: Mapping[Texts, list[int]]
    names: Texts

    def __call__(self, request: AnswerRequest) -> NDArray[np.int8]:
        codes = []
        for query, time in zip(request.queries.tolist(), request.times.tolist(), strict=True):
            codes.append(self._answer(query, time))
        return np.array(codes, dtype=np.int8)

    def _answer(self, items: Sequence[int], time: int) -> int:
        texts = tuple(self.names[i] for i in items)
        query, order = self.recorded.kind.canonical(texts)
        codes = self.codes.get(query)
        if codes is None:
            raise NotApplicableError(
                f"{self.recorded.path} has no answer about {quoted(texts)}: nobody answered this"
            )
        return self.recorded.kind.restore(codes[time % len(codes)], order)


def person(request: OracleRequest, *, answers: str) -> Answers:
    """Ask the person at the terminal which of three items is the odd one out.

    Raises
    ------
    DataError
        If the file cannot be read or written.
    NotApplicableError
        Raised by the oracle, if the file has no answer and there is no terminal, as in a worker.
    """
    problem = request.problem
    return person_answers("ordinal-queries", _names(problem), answers)


def person_answers(kind: str, names: Sequence[str], path: str | Path) -> Answers:
    """Make an oracle of the person at the terminal, who is asked nothing twice.

    The t-th time that a query is asked it gets the t-th answer of a file, from any session; if the
    file has none, the person is asked on stderr and answers on stdin, one line per query, and the
    answer is added to the file. Ctrl-C ends the run. Algorithms without noise ask no query twice.

    Parameters
    ----------
    kind : str
        Kind of oracle: a key of `QUERY_KINDS`.
    names : sequence of str
        Names of the items.
    path : str or path
        The file; created if it does not exist. Files of `hcbench ask` are separate, as each belongs
        to one algorithm.

    Raises
    ------
    DataError
        If the file cannot be read or written, or is about other items.
    NotApplicableError
        Raised by the oracle, if an answer is needed and this process has no terminal.
    """
    header = Header(kind=kind, items=tuple(names))
    return Answers(
        kind=kind,
        n=len(names),
        arity=QUERY_KINDS[kind].arity,
        answer=_Person(header, Path(path).expanduser()),
    )


class _Person:
    def __init__(self, header: Header, path: Path) -> None:
        self._header = header
        self._path = path
        self._kind = QUERY_KINDS[header.kind]
        # Answers to each query in canonical order, and how many of them were used.
        self._codes: dict[Texts, list[int]] = {}
        if path.exists():
            self._codes = RecordedAnswers.read(path).codes()
        self._n_used: Counter[Texts] = Counter()

    def __call__(self, request: AnswerRequest) -> NDArray[np.int8]:
        items = self._header.items
        codes = []
        for query in request.queries:
            texts = tuple(items[i] for i in query)
            codes.append(self._answer(texts))
        return np.array(codes, dtype=np.int8)

    def _answer(self, texts: Texts) -> int:
        query, order = self._kind.canonical(texts)
        codes = self._codes.setdefault(query, [])
        # All stored answers were used, so the person is asked, and the answer is stored, too.
        if self._n_used[query] == len(codes):
            code = self._ask(texts)
            if code == UNSURE:
                return UNSURE
            codes.append(self._kind.reorder(code, order))
        code = codes[self._n_used[query]]
        self._n_used[query] += 1
        return self._kind.restore(code, order)

    def _ask(self, texts: Texts) -> int:
        # A worker would wait for ever.
        if not has_terminal():
            raise NotApplicableError(
                f"no answer about {quoted(texts)}: workers have no terminal to ask a person; "
                "answer with hcbench ask ITEMS, and compare with --replay FILE"
            )
        code = self._read(texts)
        # Opened for each answer, so that several oracles may share the file.
        with AnswersFile(self._path, self._header) as file:
            file.add(texts, code)
        return code

    def _read(self, texts: Texts) -> int:
        kind = self._kind
        codes = {choice.key: choice.code for choice in kind.offered(neither=True)}
        codes["u"] = UNSURE
        prompt = f"{kind.text}  {self._objects(texts)}  ({'/'.join(codes)}) "
        while True:
            sys.stderr.write(prompt)
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:  # the end of stdin, as after Ctrl-D
                raise KeyboardInterrupt
            key = line.strip().lower()
            if key in codes:
                return codes[key]

    def _objects(self, texts: Texts) -> str:
        """The items of a query, or its pairs of items, with the keys that choose them."""
        objects = [visible(text) for text in texts]
        if self._kind.symmetry == "quadruplet":
            objects = [" and ".join(objects[:2]), " and ".join(objects[2:])]
        keys = [choice.key for choice in self._kind.choices if not choice.text]
        if not keys:
            return "  ".join(objects)
        with_keys = []
        for key, text in zip(keys, objects, strict=True):
            with_keys.append(f"{key}: {text}")
        return "  ".join(with_keys)


def has_terminal() -> bool:
    """Whether this process may read from a terminal; one in another session may not."""
    with suppress(OSError, ValueError):
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp() and sys.stderr.isatty()
    return False


def recorded_items(
    _request: DataRequest, *, path: str, truth: str | None = None, tree: str | None = None
) -> Problem:
    """The items of a file of answers, with the truth and the tree of other files, if any.

    Raises
    ------
    DataError
        If a file cannot be read, or the leaves of a tree are not the items.
    """
    names = RecordedAnswers.read(path).header.items
    truths = {}
    if truth is not None:
        truths["newick"] = read_shape(truth, names)
    tree_to_cut = None
    if tree is not None:
        tree_to_cut = read_shape(tree, names)
    return Problem(n=len(names), names=names, truths=truths, tree=tree_to_cut)


def read_shape(file: str, names: Sequence[str]) -> Tree:
    """Read a tree of which only the shape is used: branch lengths need not be heights.

    The file is written as ``FILE`` or ``FILE[tree=3]``.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewickWarning)
        return TreeFile.parse(file).read(names)


def _names(problem: Problem) -> tuple[str, ...]:
    return problem.names or tuple(map(str, range(problem.n)))
