"""A session with a person: an algorithm asks, the person answers, and every answer is stored.

The algorithm is run again from the start whenever a session is resumed or an answer is taken back:
with the same seed it asks the same queries as long as it gets the same answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hcbench import (
    QUERY_KINDS,
    UNSURE,
    AlgorithmSpec,
    BudgetExceededError,
    DataError,
    HcbenchError,
    NotApplicableError,
    Oracle,
    ParameterError,
    Partition,
    Problem,
    QueryKind,
    Tree,
    Use,
    ask_oracle,
    collect_notes,
    derive_seed,
    fit,
)
from hcbench_ask.answers_file import AnswersFile, Header, RecordedAnswers, Texts, quoted, reordered

_MOST_PROBES = 1000


class Undo(BaseException):
    """Raised if the person takes back the last answer."""


class Leave(BaseException):
    """Raised if the person leaves; the session can be resumed later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query as shown to the person.

    Attributes
    ----------
    kind : QueryKind
    items : tuple of str
        In the order in which they are shown.
    answered : int
        Number of previous queries with an answer.
    unsure : int
        Number of consecutive times that this query got no answer.
    may_be_unsure : bool
        Whether it can be asked once more.
    may_undo : bool
        Whether there is an answer to take back.
    takes_neither : bool
        Whether the algorithm accepts the answer ``kind.neither``.
    remaining : (int, bool), optional
        Number of remaining queries, and whether it is a bound; None if unknown.
    """

    kind: QueryKind
    items: Texts
    answered: int
    unsure: int
    may_be_unsure: bool
    may_undo: bool
    takes_neither: bool
    remaining: tuple[int, bool] | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SessionResult:
    """The result of a session, the answers on which it is based, and the algorithm's notes."""

    result: Tree | Partition
    recorded: RecordedAnswers
    notes: tuple[str, ...]


def kind_of(use: Use[AlgorithmSpec]) -> QueryKind:
    """Kind of queries of an algorithm that a person can be asked.

    Raises
    ------
    ParameterError
        If there is none.
    """
    for kind in use.spec.accepts:
        if kind in QUERY_KINDS:
            return QUERY_KINDS[kind]
    raise ParameterError(
        f"{use.label} accepts {', '.join(use.spec.accepts)}: a person cannot answer these; "
        f"use an algorithm that accepts {' or '.join(QUERY_KINDS)}"
    )


def takes_neither(use: Use[AlgorithmSpec]) -> bool:
    """Whether an algorithm accepts the answer that no choice is right.

    It is tried with the smallest number of items for which the algorithm makes a query.
    """
    kind = kind_of(use)
    if kind.neither is None:
        return False
    code = kind.neither.code
    oracle = ask_oracle(kind.name, lambda *_: code, n=kind.least, budget=_MOST_PROBES)
    try:
        with collect_notes():
            fit(use, oracle)
    except BudgetExceededError:
        return True
    except HcbenchError:
        return False
    return True


class Session:
    """Asks a person the queries of an algorithm.

    Parameters
    ----------
    use : Use
        The algorithm.
    file : AnswersFile
        File of the answers, including those of former sessions.
    person : callable
        Returns the answer to a `Query` as it is shown, or raises `Undo` or `Leave`.
    tree : Tree, optional
        Tree to be cut.
    """

    def __init__(
        self,
        use: Use[AlgorithmSpec],
        file: AnswersFile,
        person: Callable[[Query], int],
        tree: Tree | None = None,
    ) -> None:
        self._use = use
        self._file = file
        self._person = person
        self._kind = kind_of(use)
        self._items = file.header.items
        self._problem = Problem(n=len(self._items), names=self._items, tree=tree)
        self._takes_neither = takes_neither(use)
        self._asked = 0
        self._unsure: Counter[Texts] = Counter()

    def run(self) -> SessionResult:
        """Ask until the algorithm returns a result.

        Raises
        ------
        Leave
            If the person leaves before.
        DataError
            If the recorded answers do not belong to the algorithm's queries.
        """
        while True:
            try:
                return self._run_once()
            except Undo:
                self._file.undo()

    def _run_once(self) -> SessionResult:
        self._asked = 0
        self._unsure.clear()
        oracle = ask_oracle(self._kind.name, self._answer, n=len(self._items))
        with collect_notes() as notes:
            result = fit(self._use, self._problem, oracle=oracle, seed=self._file.header.seed)
        recorded = self._file.recorded
        if self._asked < len(recorded.answers):
            raise DataError(
                f"{self._file.path} has {len(recorded.answers)} answers, but the algorithm asks "
                f"for {self._asked}: its version differs; use another file with --answers FILE"
            )
        return SessionResult(result=result, recorded=recorded, notes=tuple(notes))

    def _answer(self, *query: int) -> int:
        """Return the next recorded answer, or the person's."""
        texts = tuple(self._items[i] for i in query)
        answers = self._file.recorded.answers
        if self._asked == len(answers):
            self._file.add(texts, self._ask(texts))
        answer = answers[self._asked]
        if answer.query != texts:
            raise DataError(
                f"{self._file.path}, line {answer.line} answers a question about "
                f"{quoted(answer.query)}, but the algorithm asks about {quoted(texts)}: its "
                "version differs; use another file with --answers FILE"
            )
        self._asked += 1
        self._unsure[texts] = self._unsure[texts] + 1 if answer.code == UNSURE else 0
        return answer.code

    def _ask(self, texts: Texts) -> int:
        """Ask the person, with the items of the query in an order that depends on the seed."""
        answers = self._file.recorded.answers
        seed = derive_seed(self._file.header.seed, "arrangement", str(len(answers)))
        orders = self._kind.orders
        order = orders[int(np.random.default_rng(seed).integers(len(orders)))]
        query = Query(
            kind=self._kind,
            items=reordered(texts, order),
            answered=sum(answer.code != UNSURE for answer in answers),
            unsure=self._unsure[texts],
            may_be_unsure=self._unsure[texts] < Oracle.PATIENCE - 1,
            may_undo=bool(answers),
            takes_neither=self._takes_neither,
            remaining=self._remaining(),
        )
        return self._kind.restore(self._person(query), order)

    def _remaining(self) -> tuple[int, bool] | None:
        """Remaining number of the queries that the algorithm expects to make."""
        expected = self._use.spec.expected_queries(len(self._items), self._use.params)
        if not expected:
            return None
        number, is_bound = expected
        answers = self._file.recorded.answers
        codes = [answer.code for answer in answers if answer.code != UNSURE]
        neither = self._kind.neither
        if neither is not None and neither.code in codes:
            is_bound = False  # the bounds are for binary trees
        remaining = round(number) - len(codes)
        return (remaining, is_bound) if remaining > 0 else None


def header_of(use: Use[AlgorithmSpec], items: Texts, seed: int, tree: Tree | None = None) -> Header:
    """Describe the session to which answers belong."""
    return Header(
        kind=kind_of(use).name,
        items=items,
        algorithm=use.label,
        seed=seed,
        tree="" if tree is None else tree.to_newick(lengths=False),
    )


def check_needs(use: Use[AlgorithmSpec], tree: Tree | None) -> None:
    """Refuse an algorithm that needs more than a list of items.

    Raises
    ------
    NotApplicableError
        If it needs anything besides a tree to be cut; or a tree, and none is given.
    ParameterError
        If a tree is given that it does not need.
    """
    needs = set(use.spec.needs)
    if use.spec.hints_of(use.params) or needs - {"tree"}:
        raise NotApplicableError(f"{use.label} needs the truth or data, but only items are given")
    if "tree" in needs and tree is None:
        raise NotApplicableError(f"{use.label} cuts a tree: give one with --tree FILE")
    if tree is not None and "tree" not in needs:
        raise ParameterError(f"{use.label} builds a tree and does not cut one: omit --tree")
