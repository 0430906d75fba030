"""One model of a table, which the terminal, Markdown and LaTeX draw: blocks, entries, notes below.

What is said twice, but for its numbers, has one note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

NOTHING = "-"
BEST_TRUTH = "the truth with which this tree agrees best"
_NUMBER = re.compile(r"0x[0-9a-f]+|[-+]?\b(?:\d[\d.,]*(?:e[-+]?\d+)?|inf\b|nan\b)", re.IGNORECASE)
ARROWS = {"higher": " ↑", "lower": " ↓", "none": ""}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a table.

    Attributes
    ----------
    text : str
    bold : bool
        Whether it is the best of its column.
    marks : tuple of int
        Numbers of the notes that belong to it.
    faint : bool
        Whether it stands in the row of a reference line.
    """

    text: str
    bold: bool = False
    marks: tuple[int, ...] = ()
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A table.

    Attributes
    ----------
    title : str
    header : tuple of str
    numeric : tuple of bool
        Which columns hold numbers, and stand on the right.
    rows : tuple of tuple of Entry
    notes : tuple of str
        Note 1 is the first.
    names : int
        How many columns, at the left, tell rows apart; 0: those of text.
    """

    title: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()
    names: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is not there.

    Attributes
    ----------
    text : str
    share : str
        Of how many repetitions it is true, if not of all.
    alike : bool
        Whether it stands for others that differ in numbers only.
    """

    text: str
    share: str = ""
    alike: bool = False

    @property
    def cause(self) -> str:
        """What is the same where only numbers differ."""
        return self.share + blanked(self.text)


def blanked(text: str) -> str:
    """A text without its numbers."""
    return _NUMBER.sub("#", text)


@dataclass(slots=True)
class Notes:
    """The notes of a block: what is said twice, but for its numbers, has one number."""

    first: dict[str, Reason] = field(default_factory=dict)
    alike: set[str] = field(default_factory=set)

    def mark(self, reasons: Iterable[Reason]) -> tuple[int, ...]:
        """The numbers of some notes."""
        causes: dict[str, None] = {}
        for reason in reasons:
            causes[reason.cause] = None
            first = self.first.setdefault(reason.cause, reason)
            if reason.alike or reason.text != first.text:
                self.alike.add(reason.cause)
        places = {cause: number for number, cause in enumerate(self.first, start=1)}
        return tuple(sorted(places[cause] for cause in causes))

    @property
    def texts(self) -> tuple[str, ...]:
        """Note 1 is the first."""
        return tuple(
            f"{reason.share}{reason.text}{' (and alike)' if cause in self.alike else ''}"
            for cause, reason in self.first.items()
        )
