"""The kinds of questions that are put to people: their words, their keys, and what they mean.

The same question can be put in several ways, as its items stand in any order. These ways are the
`QuestionKind.arrangements`: permutations of its positions that lead from each to every other one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from hcbench.oracle import ARITY, NONE, UNSURE

Texts: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that can be chosen: its key, its code (see `Oracle.ask`), its words."""

    key: str
    code: int
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionKind:
    """One kind of question.

    Attributes
    ----------
    kind : str
        Of oracle.
    text : str
        The question.
    choices : tuple of Choice
    neither : Choice, optional
        An answer that not all algorithms take.
    arrangements : tuple of tuple of int
        The permutations of positions after which it is the same question.
    pairs : bool
        Whether it is about pairs that stand together.
    least : int
        Items without which there is nothing to ask.
    """

    kind: str
    text: str
    choices: tuple[Choice, ...]
    neither: Choice | None = None
    arrangements: tuple[tuple[int, ...], ...]
    pairs: bool = False
    least: int

    @property
    def arity(self) -> int:
        """Items in a question."""
        return ARITY[self.kind]

    @property
    def codes(self) -> set[int]:
        """All answers, that of somebody who is unsure among them."""
        return {UNSURE, *(choice.code for choice in self.offered(neither=True))}

    def offered(self, *, neither: bool) -> tuple[Choice, ...]:
        """All choices, with that of neither if there is one and it is wanted."""
        return self.choices + ((self.neither,) if neither and self.neither is not None else ())

    def unarranged(self, code: int, arrangement: tuple[int, ...]) -> int:
        """The answer to a question, from that to it as arranged."""
        if self.kind == "ordinal-queries" and code >= 0:
            return arrangement[code]
        if self.kind == "quadruplet-queries" and code != UNSURE and arrangement[0] > 1:
            return -code
        return code

    def canonical(self, question: Texts, code: int) -> tuple[Texts, int]:
        """The same question and answer in an order that does not depend on who asks."""
        key, arrangement = self.ordered(question)
        return key, self.arranged_code(code, arrangement)

    def ordered(self, question: Texts) -> tuple[Texts, tuple[int, ...]]:
        """The same question in an order that does not depend on who asks, and how it got there."""
        return min((arranged(question, way), way) for way in self.arrangements)

    def arranged_code(self, code: int, arrangement: tuple[int, ...]) -> int:
        """The answer to a question as arranged, from that to it as asked."""
        if self.kind == "ordinal-queries" and code >= 0:
            return arrangement.index(code)
        return self.unarranged(code, arrangement)

    def read_code(self, written: object) -> int | None:
        """The code of an answer in a file; None if it is none."""
        if isinstance(written, bool) or not isinstance(written, int | str):
            return None
        return {self.write_code(code): code for code in self.codes}.get(written)

    def write_code(self, code: int) -> int | str:
        """An answer as it stands in a file."""
        if code == UNSURE:
            return "unsure"
        return "none" if code == NONE and self.kind == "ordinal-queries" else code


def arranged(question: Texts, arrangement: tuple[int, ...]) -> Texts:
    """The items of a question in another order."""
    return tuple(question[position] for position in arrangement)


KINDS: Mapping[str, QuestionKind] = MappingProxyType(
    {
        kind.kind: kind
        for kind in (
            QuestionKind(
                kind="ordinal-queries",
                text="Which one is the odd one out?",
                choices=(Choice("1", 0, ""), Choice("2", 1, ""), Choice("3", 2, "")),
                neither=Choice("n", NONE, "none: no two of them are closer than the others"),
                arrangements=(
                    (0, 1, 2),
                    (0, 2, 1),
                    (1, 0, 2),
                    (1, 2, 0),
                    (2, 0, 1),
                    (2, 1, 0),
                ),
                least=3,
            ),
            QuestionKind(
                kind="quadruplet-queries",
                text="Which pair is more alike?",
                choices=(Choice("1", 1, ""), Choice("2", -1, "")),
                neither=Choice("n", 0, "neither: one pair is as alike as the other"),
                arrangements=(
                    (0, 1, 2, 3),
                    (1, 0, 2, 3),
                    (0, 1, 3, 2),
                    (1, 0, 3, 2),
                    (2, 3, 0, 1),
                    (2, 3, 1, 0),
                    (3, 2, 0, 1),
                    (3, 2, 1, 0),
                ),
                pairs=True,
                least=3,
            ),
            QuestionKind(
                kind="pair-queries",
                text="Do these two belong together?",
                choices=(Choice("y", 1, "yes"), Choice("n", 0, "no")),
                arrangements=((0, 1), (1, 0)),
                least=2,
            ),
        )
    }
)
"""All kinds that a person can be asked, by the kind of oracle."""
