"""The kinds of queries, the answers of an oracle plugin, and the arguments of a metric.

The same query can be asked in several ways, as its items may stand in any order. These ways are the
`QueryKind.orders`: permutations of its positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import InvalidQueryError, NotApplicableError
from hcbench.model.cost import Cost
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import AnswerMatrix, Tree
from hcbench.oracle._kernels import ORDERED, QUADRUPLET, UNORDERED

Item = TypeVar("Item", int, str)

#: Of ordinal queries: no pair is closer than the others.
NONE = -1
#: Of a person: no answer; the query is asked again, and counted again.
UNSURE = -2

_TWO_PAIRS = (
    (0, 1, 2, 3),
    (1, 0, 2, 3),
    (0, 1, 3, 2),
    (1, 0, 3, 2),
    (2, 3, 0, 1),
    (2, 3, 1, 0),
    (3, 2, 0, 1),
    (3, 2, 1, 0),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that a person can choose: its key, its code (see `Oracle.ask`), its text.

    The text is empty where the items of the query are themselves the choices.

    Examples
    --------
    >>> kind = hcbench.QUERY_KINDS["pair-queries"]
    >>> kind.choices
    (Choice(key='y', code=1, text='yes'), Choice(key='n', code=0, text='no'))
    """

    key: str
    code: int
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryKind:
    """One kind of query.

    Attributes
    ----------
    name : str
        The kind of oracle that answers it.
    arity : int
        Number of items in a query.
    symmetry : {"unordered", "quadruplet", "ordered"}
        Which queries are the same; see `Answers`.
    argument : str
        The argument of `hcbench.fit` that takes a function that answers it.
    text : str
        The question that a person is asked.
    choices : tuple of Choice
        The answers that a person can choose. They have no texts if the answer to an unordered
        query is the position of an item.
    neither : Choice, optional
        An answer that not all algorithms accept.
    scale : (float, float), optional
        The least and the largest answer, if answers are numbers such as ratings; NaN is then no
        answer. The choices are those that a person has.

    Raises
    ------
    InvalidQueryError
        If UNSURE is a number of the scale.

    Examples
    --------
    >>> from hcbench.oracle import Choice
    >>> kind = QueryKind(
    ...     name="same-author",
    ...     arity=2,
    ...     symmetry="unordered",
    ...     argument="same_author",
    ...     text="Are these two by the same author?",
    ...     choices=(Choice("y", 1, "yes"), Choice("n", 0, "no")),
    ... )
    >>> oracle = hcbench.ask_oracle(kind, lambda i, j: (i < 2) == (j < 2), n=4)
    >>> oracle.ask([[0, 1], [1, 2]]).tolist()
    [1, 0]
    >>> kind.canonical((3, 1))
    ((1, 3), (1, 0))
    """

    name: str
    arity: int
    symmetry: Literal["unordered", "quadruplet", "ordered"]
    argument: str
    text: str
    choices: tuple[Choice, ...]
    neither: Choice | None = None
    scale: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.scale and self.scale[0] <= UNSURE <= self.scale[1]:
            raise InvalidQueryError(
                f"{self.name}: the scale from {self.scale[0]:g} to {self.scale[1]:g} contains "
                f"{UNSURE}, which is UNSURE; take another, such as from 0 to 1"
            )

    @property
    def least(self) -> int:
        """The least number of items about which there is a query: two pairs may share one."""
        return 3 if self.symmetry == "quadruplet" else self.arity

    @property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """The permutations of positions after which it is the same query."""
        if self.symmetry == "quadruplet":
            return _TWO_PAIRS
        if self.symmetry == "ordered":
            return (tuple(range(self.arity)),)
        return tuple(permutations(range(self.arity)))

    @property
    def is_position(self) -> bool:
        """Whether an answer is the position of an item, as of the odd one out."""
        return self.symmetry == "unordered" and not any(choice.text for choice in self.choices)

    def canonical(self, query: Sequence[Item]) -> tuple[tuple[Item, ...], tuple[int, ...]]:
        """The items of a query in the first of its orders, and that order.

        Examples
        --------
        >>> hcbench.QUERY_KINDS["quadruplet-queries"].canonical((3, 2, 1, 0))
        ((0, 1, 2, 3), (3, 2, 1, 0))
        """
        if self.symmetry == "unordered":
            # Of many items there are too many orders to try them all.
            order = tuple(sorted(range(len(query)), key=query.__getitem__))
            return _in_order(query, order), order
        # All orders mean the same query; the least one names it.
        return min([(_in_order(query, order), order) for order in self.orders])

    def offered(self, *, neither: bool) -> tuple[Choice, ...]:
        """All choices, with the attribute `neither` if there is one and the parameter is true.

        Examples
        --------
        >>> kind = hcbench.QUERY_KINDS["quadruplet-queries"]
        >>> [choice.code for choice in kind.offered(neither=True)]
        [1, -1, 0]
        """
        if neither and self.neither is not None:
            return self.choices + (self.neither,)
        return self.choices

    def reorder(self, code: int, order: tuple[int, ...]) -> int:
        """The answer to a query whose items were put into an order, from that to the query."""
        if self.is_position and code >= 0:
            return order.index(code)
        return self.restore(code, order)

    def restore(self, code: int, order: tuple[int, ...]) -> int:
        """The answer to a query, from that to it with its items in an order."""
        if self.is_position and code >= 0:
            return order[code]
        if self.symmetry == "quadruplet" and code != UNSURE and order[0] > 1:
            return -code
        return code


def _in_order(query: Sequence[Item], order: tuple[int, ...]) -> tuple[Item, ...]:
    return tuple(query[position] for position in order)


_KINDS = (
    QueryKind(
        name="ordinal-queries",
        arity=3,
        symmetry="unordered",
        argument="ordinal",
        text="Which one is the odd one out?",
        choices=(Choice("1", 0), Choice("2", 1), Choice("3", 2)),
        neither=Choice("n", NONE, "none: no two of them are closer than the others"),
    ),
    QueryKind(
        name="quadruplet-queries",
        arity=4,
        symmetry="quadruplet",
        argument="quadruplet",
        text="Which pair is more alike?",
        choices=(Choice("1", 1), Choice("2", -1)),
        neither=Choice("n", 0, "neither: one pair is as alike as the other"),
    ),
    QueryKind(
        name="pair-queries",
        arity=2,
        symmetry="unordered",
        argument="same_cluster",
        text="Do these two belong together?",
        choices=(Choice("y", 1, "yes"), Choice("n", 0, "no")),
    ),
    QueryKind(
        name="rating-queries",
        arity=2,
        symmetry="unordered",
        argument="rating",
        text="How alike are these two, from 0 (not at all) to 9 (the same)?",
        choices=tuple(Choice(str(code), code, f"{code} of 9") for code in range(10)),
        scale=(0.0, 9.0),
    ),
)

QUERY_KINDS: Mapping[str, QueryKind] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""The kinds of queries that hcbench knows, by the kind of oracle; plugins may have others."""


Queries: TypeAlias = NDArray[np.int64]
Code: TypeAlias = NDArray[Any]  # int8, or float64 for kinds with a scale

#: What an oracle tells of an answer: how sure it is, in [0, 1], and the number of who gave it.
DETAILS = np.dtype([("confidence", np.float64), ("annotator", np.int64)])
#: NaN and -1 where it does not.
NO_DETAILS = np.array((np.nan, -1), DETAILS)

_SYMMETRY_CODES = {"unordered": UNORDERED, "quadruplet": QUADRUPLET, "ordered": ORDERED}


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one query of a batch, and what it costs.

    Attributes
    ----------
    row : int
        The number of the query in its batch, from 0.
    code : int or float
        The code of the answer; see `Oracle.ask`.
    price : float
        What the answer costs, in the currency of the oracle.
    tokens : float
        How many tokens the query and its answer have.
    seconds : float
        How long the answer took, in s.
    confidence : float
        How sure the oracle is, in [0, 1]; NaN if it does not tell.
    annotator : int
        The number, from 0, of who gave the answer; -1 if there is one alone, or it is not known.

    Examples
    --------
    >>> def replies(request):
    ...     for row, (i, j) in enumerate(request.queries.tolist()):
    ...         yield Reply(row, code=int(i + j == 3), price=0.25)
    >>> answers = hcbench.Answers(kind="pair-queries", n=4, arity=2, replies=replies)
    >>> oracle = hcbench.Oracle(answers)
    >>> oracle.ask([[0, 3], [0, 1]]).tolist()
    [1, 0]
    >>> oracle.ledger.expenses
    {'price': 0.5, 'tokens': 0.0, 'latency': 0.0, 'saved': 0.0}
    """

    row: int
    code: float
    price: float = 0.0
    tokens: float = 0.0
    seconds: float = 0.0
    confidence: float = np.nan
    annotator: int = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """The answers of an oracle plugin, before core counts them.

    Attributes
    ----------
    kind : str
        The kind of oracle.
    n : int
        Number of items.
    data : object
        What is read, of kinds that are read whole: vectors, a similarity matrix, Comparisons.
    size : int, optional
        The number of answers in ``data``; None if they are not countable.
    arity : int
        The number of items in a query, of kinds that are queried; at most 4 if compiled.
    query_kind : QueryKind, optional
        The kind of queries, if it is not one of `QUERY_KINDS`: answers are checked against it.
    answer : callable, optional
        ``answer(request) -> (m,) int8``, or float64 for kinds with a scale, with the queries of an
        `AnswerRequest`. Their keys and times, together with the noise seed, determine a noisy
        answer (`hcbench.compiled.uniform`). A
        structured array with the field ``code`` and ``confidence``, ``annotator`` or both tells
        what `Oracle.details` are.
    replies : callable, optional
        For oracles that are paid, instead of ``answer``: it takes the same and yields a `Reply` for
        each query as it arrives, in any order. No query comes twice with the same count, and its
        items are in the first of `QueryKind.orders`; an answer that is stored is not asked for.
    source : str
        What decides these answers besides the items and the query, such as a model and a prompt.
        Answers are stored under it; by default under all parameters of the oracle and its seed.
    compiled : numba function, optional
        ``answer(floats, ints, i, j, k, l, key, time) -> int64`` for compiled loops,
        `hcbench.compiled.WITH_ITSELF` for queries that pair an item with itself, which are
        invalid. It replaces ``answer``.
    floats, ints : arrays, optional
        The data of the compiled function.
    timed : bool
        Whether an answer depends on how often its query was made before, as with independent noise
        for each repetition. If not, times may be given as 0, and counting is cheaper.
    symmetry : {"unordered", "quadruplet", "ordered"}, optional
        Which queries are the same: those with the same set of items; with the same two unordered
        pairs, in either order; with the same items in the same order. By default that of the kind;
        of an unknown kind "quadruplet" for an arity of 4, else "unordered".
    draw : callable, optional
        ``draw(start, m) -> (m, 2) int64``: the pairs of items numbered start .. start + m - 1 in a
        stream that depends only on the seed. By default, for queries about two items, all ordered
        pairs of different items are equally likely, and the seed is 0.
    matrix : AnswerMatrix, optional
        The answers about all pairs of items, for metrics; algorithms do not see it.

    Raises
    ------
    InvalidQueryError
        If the arity is negative, or answers are compiled to queries about more than 4 items or with
        numbers.

    Examples
    --------
    >>> def have_same_parity(request):
    ...     i, j = request.queries.T
    ...     return (i % 2 == j % 2).astype(np.int8)
    >>> answers = Answers(kind="pair-queries", n=4, arity=2, answer=have_same_parity)
    >>> oracle = hcbench.Oracle(answers, budget=10)
    >>> oracle.ask([[0, 2], [0, 1]]).tolist()
    [1, 0]
    >>> oracle.ledger.queries
    2
    """

    kind: str
    n: int
    data: Any = None
    size: int | None = None
    arity: int = 0
    query_kind: QueryKind | None = None
    answer: Callable[..., Code] | None = None
    replies: Callable[..., Iterator[Reply]] | None = None
    source: str = ""
    compiled: Any = None
    floats: NDArray[np.float64] | None = None
    ints: NDArray[np.int64] | None = None
    timed: bool = True
    symmetry: Literal["unordered", "quadruplet", "ordered"] | None = None
    draw: Callable[[int, int], Queries] | None = None
    matrix: AnswerMatrix | None = None

    def __post_init__(self) -> None:
        kind = self.query_kind or QUERY_KINDS.get(self.kind)
        object.__setattr__(self, "query_kind", kind)
        if self.arity < 0:
            raise InvalidQueryError(f"{self.kind} cannot have an arity of {self.arity}")
        if self.compiled is not None and (self.arity > 4 or (kind and kind.scale)):
            raise InvalidQueryError(
                f"{self.kind}: compiled answers are codes to queries about 1 to 4 items; give "
                "answer= instead"
            )

    @property
    def symmetry_code(self) -> int:
        """As `hcbench.compiled.query_key` takes it."""
        if self.symmetry is not None:
            return _SYMMETRY_CODES[self.symmetry]
        if self.query_kind is not None:
            return _SYMMETRY_CODES[self.query_kind.symmetry]
        return QUADRUPLET if self.arity == 4 else UNORDERED

    @property
    def can_draw(self) -> bool:
        """Whether pairs can be drawn."""
        return self.draw is not None or (self.arity == 2 and self.n > 1)


@dataclass(frozen=True, slots=True)
class Point:
    """The result of an algorithm after at most ``queries`` queries.

    Examples
    --------
    >>> oracle = hcbench.ask_oracle("pair-queries", lambda i, j: i % 2 == j % 2, n=4)
    >>> recorder = hcbench.oracle.Recorder(oracle)
    >>> answers = oracle.ask([[0, 1], [0, 2]])
    >>> oracle.record(hcbench.Partition([0, 1, 0, 1]))
    >>> recorder.trace
    (Point(queries=2, result=Partition(n=4, n_clusters=2)),)
    """

    queries: int
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scored:
    """The argument of a metric.

    Attributes
    ----------
    problem : Problem
        The problem, with the truth.
    result : Tree or Partition
        The final result, or the result at this checkpoint.
    cost : Cost
        The cost of the whole call; at a checkpoint, the queries up to it.
    trace : tuple of Point
        The results at the checkpoints and at the end, in the order of queries.
    make_answers : callable, optional
        Makes the answers of the oracle that the algorithm used.

    Examples
    --------
    >>> def largest_share(scored):
    ...     return scored.tree.cut(2).sizes.max() / scored.problem.n
    >>> data = [[0.0], [1.0], [2.0], [9.0]]
    >>> results = hcbench.compare(
    ...     ["UPGMA"], data, metrics=[largest_share], repetitions=1, progress=False
    ... )
    >>> results.rows[0]["metrics"]
    {'largest_share': 0.75}
    """

    problem: Problem
    result: Result
    cost: Cost
    trace: tuple[Point, ...] = ()
    make_answers: Callable[[], Answers] | None = None
    _computed: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def compute_once(self, function: Callable[..., Any], params: Mapping[str, Any]) -> Any:
        """The value of ``function(self, **params)``, which is kept for the next call.

        Several metrics may need the same numbers.

        Parameters
        ----------
        function : callable
        params : mapping of str to hashable values

        Examples
        --------
        >>> from hcbench.model import Cost
        >>> def depths(scored):
        ...     print("computed")
        ...     return scored.tree.depths.tolist()
        >>> tree = hcbench.Tree.from_newick("((0,1),2);")
        >>> scored = Scored(problem=hcbench.Problem(n=3), result=tree, cost=Cost(seconds=0.0))
        >>> scored.compute_once(depths, {})
        computed
        [2, 2, 1, 1, 0]
        >>> scored.compute_once(depths, {})
        [2, 2, 1, 1, 0]
        """
        # Parameters by name, whatever their order in the call.
        key = (function, tuple(sorted(params.items())))
        if key not in self._computed:
            self._computed[key] = function(self, **params)
        return self._computed[key]

    @property
    def answers(self) -> Answers | None:
        """The answers of the oracle, to compare a result with; None if there was none.

        They are made again on demand, from the seed that was used for the algorithm.
        """
        if self.make_answers is None:
            return None
        return self.make_answers()

    @property
    def answer_matrix(self) -> AnswerMatrix:
        """The answers of the oracle about all pairs of items.

        Raises
        ------
        NotApplicableError
            If there was no oracle, or one without such answers, as a person.
        """
        answers = self.answers
        if answers is None or answers.matrix is None:
            raise NotApplicableError(
                "no oracle was asked that tells its answers about all pairs of items"
            )
        return answers.matrix

    @property
    def tree(self) -> Tree:
        """The result, if it is a tree.

        Raises
        ------
        NotApplicableError
            If the result is a partition.
        """
        if isinstance(self.result, Tree):
            return self.result
        raise NotApplicableError("the result is a partition, not a hierarchy")
