"""The kinds of queries: what an answer is, which queries are the same, and how a person is asked.

The same query can be asked in several ways, as its items may stand in any order. These ways are the
`QueryKind.orders`: permutations of its positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from types import MappingProxyType
from typing import Literal

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
    symmetry : {"unordered", "quadruplet"}
        Which queries are the same; see `Answers`.
    argument : str
        The argument of `hcbench.fit` that takes a function that answers it.
    text : str
        How a person is asked.
    choices : tuple of Choice
    neither : Choice, optional
        An answer that not all algorithms accept.
    """

    name: str
    arity: int
    symmetry: Literal["unordered", "quadruplet"]
    argument: str
    text: str
    choices: tuple[Choice, ...]
    neither: Choice | None = None

    @property
    def least(self) -> int:
        """The least number of items about which there is a query: two pairs may share one."""
        return min(self.arity, 3)

    @property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """The permutations of positions after which it is the same query."""
        if self.symmetry == "quadruplet":
            return _TWO_PAIRS
        return tuple(permutations(range(self.arity)))

    def offered(self, *, neither: bool) -> tuple[Choice, ...]:
        """All choices, with `neither` if there is one and it is wanted."""
        return self.choices + ((self.neither,) if neither and self.neither is not None else ())

    def reorder(self, code: int, order: tuple[int, ...]) -> int:
        """The answer to a query whose items were put into an order, from that to the query."""
        if self.name == "ordinal-queries" and code >= 0:
            return order.index(code)
        return self.restore(code, order)

    def restore(self, code: int, order: tuple[int, ...]) -> int:
        """The answer to a query, from that to it with its items in an order."""
        if self.name == "ordinal-queries" and code >= 0:
            return order[code]
        if self.name == "quadruplet-queries" and code != UNSURE and order[0] > 1:
            return -code
        return code


QUERY_KINDS: Mapping[str, QueryKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
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
        )
    }
)
"""The kinds of queries that hcbench knows, by the kind of oracle; plugins may have others."""
