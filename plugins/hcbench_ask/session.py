"""A session with a person: an algorithm asks, the person answers, and every answer is stored.

The algorithm is run again from the start whenever a session is resumed or an answer is taken back:
with the same seed it asks the same queries as long as it gets the same answers.

A query that the person defers is replaced by one that the algorithm asks next if the deferred one
gets one of its possible answers. Its answer is marked as early, as the algorithm may not ask it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
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
    OracleSpec,
    ParameterError,
    Partition,
    Problem,
    QueryKind,
    Tree,
    ask_oracle,
    fit,
)
from hcbench.model import collect_notes
from hcbench.plan import derive_seed
from hcbench.registry import Use
from hcbench.run import Call
from hcbench_ask.answers_file import (
    AnswersFile,
    Header,
    RecordedAnswer,
    RecordedAnswers,
    Texts,
    quoted,
    reordered,
)

_MOST_PROBES = 1000
_TAKEN = ("u", "d", "z", "q", "?")  # keys that are no choices
_LATER = 3  # lines of the file until a deferred query comes back
_MOST_DEFERRED = 3  # at once, as each multiplies the continuations to be tried


class Undo(BaseException):
    """Raised if the person takes back the last answer, or the deferral after it."""


class Defer(BaseException):
    """Raised if the person wants to answer this query later."""


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
        Whether there is an answer, or a deferral after the last one, to take back.
    deferred : bool
        Whether the person deferred this query before.
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
    deferred: bool
    takes_neither: bool
    remaining: tuple[int, bool] | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SessionResult:
    """The result of a session, the answers on which it is based, and the algorithm's notes."""

    result: Tree | Partition
    recorded: RecordedAnswers
    notes: tuple[str, ...]


def kind_of(use: Use[AlgorithmSpec], oracles: Iterable[Use[OracleSpec]] = ()) -> QueryKind:
    """Kind of queries of an algorithm that a person can be asked.

    Parameters
    ----------
    use : Use
    oracles : iterable of Use
        Oracles, of which the first with a kind of its own that the algorithm accepts is taken.

    Raises
    ------
    ParameterError
        If there is none, or not every choice has a key.
    """
    for kind in use.spec.accepts:
        if kind in QUERY_KINDS:
            return QUERY_KINDS[kind]
        for oracle in oracles:
            if oracle.spec.kind == kind and oracle.spec.query_kind is not None:
                return _with_keys(Call(oracle.spec.query_kind, dict(oracle.params))())
    raise ParameterError(
        f"{use.label} accepts {', '.join(use.spec.accepts)}: a person cannot answer these; "
        f"use an algorithm that accepts {' or '.join(QUERY_KINDS)}"
    )


def _with_keys(kind: QueryKind) -> QueryKind:
    """A plugin's kind of queries, if one key answers each."""
    for choice in kind.offered(neither=True):
        if len(choice.key) != 1 or choice.key in _TAKEN:
            raise ParameterError(
                f"{kind.name}: the key of a choice is {choice.key!r}; a person answers by one key, "
                f"which is none of {', '.join(_TAKEN)}"
            )
    return kind


def takes_neither(use: Use[AlgorithmSpec], kind: QueryKind) -> bool:
    """Whether an algorithm accepts the answer that no choice is right.

    It is tried with the smallest number of items for which the algorithm makes a query.
    """
    if kind.neither is None:
        return False
    code = kind.neither.code
    oracle = ask_oracle(kind, lambda *_: code, n=kind.least, budget=_MOST_PROBES)
    try:
        with collect_notes():
            fit(use, oracle)
    except BudgetExceededError:
        return True
    except HcbenchError:
        return False
    return True


class _Pending(BaseException):
    """Raised in a continuation when a query is reached that has no answer."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts


class _Playback:
    """The recorded answers, in the order in which the algorithm needs them."""

    def __init__(self, recorded: RecordedAnswers) -> None:
        self._recorded = recorded
        self._next = 0
        self._early: list[RecordedAnswer] = []

    def take(self, texts: Texts) -> int | None:
        """The next answer to a query; None if it has none yet.

        Raises
        ------
        DataError
            If the next answer belongs to another query.
        """
        kind = self._recorded.kind
        at_end = self.is_used_up()
        for answer in self._early:
            query, order = kind.canonical(answer.query)
            own_query, own_order = kind.canonical(texts)
            if query == own_query:
                self._early.remove(answer)
                return kind.restore(kind.reorder(answer.code, order), own_order)
        if at_end:
            return None
        answer = self._recorded.answers[self._next]
        if answer.query != texts:
            raise DataError(
                f"{self._recorded.path}, line {answer.line} answers a question about "
                f"{quoted(answer.query)}, but the algorithm asks about {quoted(texts)}: its "
                "version differs; use another file with --answers FILE"
            )
        self._next += 1
        return answer.code

    def is_used_up(self) -> bool:
        """Make the next early answers available, and return whether no others are left."""
        answers = self._recorded.answers
        while self._next < len(answers) and answers[self._next].early:
            self._early.append(answers[self._next])
            self._next += 1
        return self._next == len(answers)


class Session:
    """Asks a person the queries of an algorithm.

    Parameters
    ----------
    use : Use
        The algorithm.
    file : AnswersFile
        File of the answers, including those of former sessions.
    person : callable
        Returns the answer to a `Query` as it is shown, or raises `Undo`, `Defer` or `Leave`.
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
        self._kind = file.header.query_kind
        self._items = file.header.items
        self._problem = Problem(n=len(self._items), names=self._items, tree=tree)
        self._takes_neither = takes_neither(use, self._kind)
        self._playback = _Playback(file.recorded)
        self._unsure: Counter[Texts] = Counter()
        self._shown: Texts = ()
        self._deferred: dict[Texts, int] = {}  # canonical queries: number of lines at that time

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
                if self._just_deferred:
                    self._deferred.popitem()
                else:
                    self._file.undo()
            except Defer:
                query, _ = self._kind.canonical(self._shown)
                self._deferred.pop(query, None)  # so that it is the last one
                self._deferred[query] = self._file.recorded.lines

    def _run_once(self) -> SessionResult:
        recorded = self._file.recorded
        self._playback = _Playback(recorded)
        self._unsure.clear()
        with collect_notes() as notes:
            result = self._fit(self._answer)
        if not self._playback.is_used_up():
            raise DataError(
                f"{self._file.path} has {len(recorded.answers)} answers, more than the algorithm "
                "asks for: its version differs; use another file with --answers FILE"
            )
        return SessionResult(result=result, recorded=recorded, notes=tuple(notes))

    def _fit(self, answer: Callable[..., int]) -> Tree | Partition:
        oracle = ask_oracle(self._kind, answer, n=len(self._items))
        return fit(self._use, self._problem, oracle=oracle, seed=self._file.header.seed)

    def _answer(self, *query: int) -> int:
        """Return the next recorded answer, or the person's."""
        texts = tuple(self._items[i] for i in query)
        code = self._playback.take(texts)
        if code is None:
            while other := self._instead_of(texts):
                self._file.add(other, self._ask(other), early=True)
            self._file.add(texts, self._ask(texts))
            self._deferred.pop(self._kind.canonical(texts)[0], None)
            code = self._playback.take(texts)
            assert code is not None
        self._unsure[texts] = self._unsure[texts] + 1 if code == UNSURE else 0
        return code

    @property
    def _just_deferred(self) -> bool:
        """Whether the last action was a deferral."""
        return self._file.recorded.lines in self._deferred.values()

    def _instead_of(self, texts: Texts) -> Texts | None:
        """The query to be asked before a deferred one; None if that is due, or was not deferred.

        The algorithm continues with each possible answer to the deferred queries; the query that
        most of these continuations ask next is the least likely to be superfluous.
        """
        lines = self._file.recorded.lines
        latest = [*self._deferred.items()][-_MOST_DEFERRED:]
        waiting = {query for query, line in latest if lines < line + _LATER}
        codes = [choice.code for choice in self._kind.offered(neither=self._takes_neither)]
        following: Counter[Texts] = Counter()
        assumed: list[dict[Texts, int]] = [{}]
        if self._kind.canonical(texts)[0] not in waiting:
            return None
        while assumed:
            assumption = assumed.pop()
            reached = self._next_query(assumption)
            query = self._kind.canonical(reached)[0] if reached else ()
            if query in waiting:
                assumed.extend({**assumption, query: code} for code in codes)
            elif reached:
                following[reached] += 1
        return following.most_common(1)[0][0] if following else None

    def _next_query(self, assumption: Mapping[Texts, int]) -> Texts:
        """The first query without an answer, if these are the answers to deferred ones.

        Empty if the algorithm ends before, or cannot continue.
        """
        playback = _Playback(self._file.recorded)

        def answer(*numbers: int) -> int:
            texts = tuple(self._items[i] for i in numbers)
            code = playback.take(texts)
            if code is not None:
                return code
            query, order = self._kind.canonical(texts)
            if query not in assumption:
                raise _Pending(texts)
            return self._kind.restore(assumption[query], order)

        try:
            self._fit(answer)
        except _Pending as pending:
            return pending.texts
        except HcbenchError:  # no tree agrees with the assumption
            pass
        return ()

    def _ask(self, texts: Texts) -> int:
        """Ask the person, with the items of the query in an order that depends on the seed."""
        self._shown = texts
        answers = self._file.recorded.answers
        seed = derive_seed(self._file.header.seed, "arrangement", str(len(answers)))
        rng = np.random.default_rng(seed)
        if self._kind.symmetry == "unordered" and len(texts) > 4:  # too many orders to list
            order = tuple(rng.permutation(len(texts)).tolist())
        else:
            orders = self._kind.orders
            order = orders[int(rng.integers(len(orders)))]
        query = Query(
            kind=self._kind,
            items=reordered(texts, order),
            answered=sum(answer.code != UNSURE for answer in answers),
            unsure=self._unsure[texts],
            may_be_unsure=self._unsure[texts] < Oracle.PATIENCE - 1,
            may_undo=bool(answers) or self._just_deferred,
            deferred=self._kind.canonical(texts)[0] in self._deferred,
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
        if any(answer.early for answer in answers):
            is_bound = False  # some answers may not be needed
        remaining = round(number) - len(codes)
        return (remaining, is_bound) if remaining > 0 else None


def header_of(
    use: Use[AlgorithmSpec],
    items: Texts,
    seed: int,
    tree: Tree | None = None,
    kind: QueryKind | None = None,
) -> Header:
    """Describe the session to which answers belong."""
    kind = kind or kind_of(use)
    return Header(
        kind=kind.name,
        own=None if kind.name in QUERY_KINDS else kind,
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
