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

#: Queries after which an algorithm has shown that it goes on after an answer.
_MOST_PROBES = 1000
_ACTION_KEYS = ("u", "d", "z", "q", "?")  # unsure, defer, undo, quit, help: no choices
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
        if len(choice.key) != 1 or choice.key in _ACTION_KEYS:
            raise ParameterError(
                f"{kind.name}: the key of a choice is {choice.key!r}; a person answers by one key, "
                f"which is none of {', '.join(_ACTION_KEYS)}"
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
    except BudgetExceededError:  # it goes on asking
        return True
    except HcbenchError:  # it refuses the answer
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
        # The first answer that was not given to the algorithm yet; those before it were, or are
        # early and wait for their query.
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
        # An early answer may be to the query with its items in another order.
        query, order = kind.canonical(texts)
        for answer in self._early:
            early_query, early_order = kind.canonical(answer.query)
            if early_query == query:
                self._early.remove(answer)
                return kind.restore(kind.reorder(answer.code, early_order), order)
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
        # State of one run of the algorithm: the answers that it has not got yet, and how often in a
        # row each query got none.
        self._playback = _Playback(file.recorded)
        self._unsure: Counter[Texts] = Counter()
        # State of the session.
        self._shown: Texts = ()  # the query before the person
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
                # The last action is taken back: a deferral, or else an answer.
                if self._just_deferred:
                    self._deferred.popitem()
                else:
                    self._file.undo()
            except Defer:
                query, _ = self._kind.canonical(self._shown)
                self._deferred.pop(query, None)  # so that it is the last one
                self._deferred[query] = self._file.recorded.lines

    def _run_once(self) -> SessionResult:
        # From the start: the recorded answers come first, then those of the person.
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
            # Not recorded, so the person is asked; before it, perhaps another query.
            while early := self._instead_of(texts):
                self._file.add(early, self._ask(early), early=True)
            self._file.add(texts, self._ask(texts))
            self._deferred.pop(self._kind.canonical(texts)[0], None)
            code = self._playback.take(texts)
            assert code is not None
        if code == UNSURE:
            self._unsure[texts] += 1
        else:
            self._unsure[texts] = 0
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
        waiting = self._waiting()
        if self._kind.canonical(texts)[0] not in waiting:
            return None
        choices = self._kind.offered(neither=self._takes_neither)
        # How many continuations ask each query next.
        following: Counter[Texts] = Counter()
        # Answers to deferred queries with which the algorithm is still to be continued.
        assumptions: list[dict[Texts, int]] = [{}]
        while assumptions:
            assumption = assumptions.pop()
            next_query = self._next_query(assumption)
            if not next_query:
                continue
            query, _ = self._kind.canonical(next_query)
            if query not in waiting:
                following[next_query] += 1
                continue
            for choice in choices:
                assumptions.append({**assumption, query: choice.code})
        if not following:
            return None
        most_frequent, _ = following.most_common(1)[0]
        return most_frequent

    def _waiting(self) -> set[Texts]:
        """The deferred queries, in canonical order, that are not due yet."""
        lines = self._file.recorded.lines
        latest = list(self._deferred.items())[-_MOST_DEFERRED:]
        waiting = set()
        for query, line in latest:
            if lines < line + _LATER:
                waiting.add(query)
        return waiting

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
        order = self._arrangement(len(texts), len(answers))
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

    def _arrangement(self, n_items: int, n_answers: int) -> tuple[int, ...]:
        """The order in which the items of a query are shown, drawn anew after each answer."""
        seed = derive_seed(self._file.header.seed, "arrangement", str(n_answers))
        rng = np.random.default_rng(seed)
        if self._kind.symmetry == "unordered" and n_items > 4:  # too many orders to list
            return tuple(rng.permutation(n_items).tolist())
        orders = self._kind.orders
        return orders[int(rng.integers(len(orders)))]

    def _remaining(self) -> tuple[int, bool] | None:
        """Remaining number of the queries that the algorithm expects to make."""
        expected = self._use.spec.expected_queries(len(self._items), self._use.params)
        if not expected:
            return None
        number, is_bound = expected
        answers = self._file.recorded.answers
        codes = [answer.code for answer in answers if answer.code != UNSURE]
        # The algorithm's number is a bound for binary trees without superfluous answers only.
        neither = self._kind.neither
        if neither is not None and neither.code in codes:
            is_bound = False
        if any(answer.early for answer in answers):
            is_bound = False
        remaining = round(number) - len(codes)
        if remaining <= 0:
            return None
        return remaining, is_bound


def header_of(
    use: Use[AlgorithmSpec],
    items: Texts,
    seed: int,
    tree: Tree | None = None,
    kind: QueryKind | None = None,
) -> Header:
    """Describe the session to which answers belong."""
    kind = kind or kind_of(use)
    plugin_kind = None
    if kind.name not in QUERY_KINDS:
        plugin_kind = kind
    newick = ""
    if tree is not None:
        newick = tree.to_newick(lengths=False)
    return Header(
        kind=kind.name,
        plugin_kind=plugin_kind,
        items=items,
        algorithm=use.label,
        seed=seed,
        tree=newick,
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
    # A list of items has neither data nor a truth; a tree to be cut can be given.
    needs = set(use.spec.needs)
    if use.spec.hints_of(use.params) or needs - {"tree"}:
        raise NotApplicableError(f"{use.label} needs the truth or data, but only items are given")
    if "tree" in needs and tree is None:
        raise NotApplicableError(f"{use.label} cuts a tree: give one with --tree FILE")
    if tree is not None and "tree" not in needs:
        raise ParameterError(f"{use.label} builds a tree and does not cut one: omit --tree")
