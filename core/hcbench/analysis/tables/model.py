"""The classes of a table, which terminals, Markdown and LaTeX show: blocks, entries and footnotes.

Texts that differ only in their numbers share a footnote.
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
    """An entry of a table.

    Attributes
    ----------
    text : str
    bold : bool
        Whether it is the best of its column.
    marks : tuple of int
        Numbers of its footnotes.
    faint : bool
        Whether it is in the row of a reference line.
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
        Which columns have numbers, and are aligned right.
    rows : tuple of tuple of Entry
    notes : tuple of str
        Footnotes, from number 1.
    names : int
        Number of columns, from the left, that identify rows; 0 for those of text.
    """

    title: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()
    names: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a value is missing, or a remark on it.

    Attributes
    ----------
    text : str
    share : str
        How many repetitions it applies to, if not all.
    alike : bool
        Whether it represents others that differ only in numbers.
    """

    text: str
    share: str = ""
    alike: bool = False

    @property
    def cause(self) -> str:
        """The text without numbers, equal for texts that differ only in numbers."""
        return self.share + blanked(self.text)


def blanked(text: str) -> str:
    """A text without its numbers."""
    return _NUMBER.sub("#", text)


@dataclass(slots=True)
class Notes:
    """The footnotes of a block; texts that differ only in numbers share one."""

    first: dict[str, Reason] = field(default_factory=dict)
    alike: set[str] = field(default_factory=set)

    def mark(self, reasons: Iterable[Reason]) -> tuple[int, ...]:
        """The numbers of the footnotes of some reasons."""
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
        """The footnotes, from number 1."""
        return tuple(
            f"{reason.share}{reason.text}{' (and alike)' if cause in self.alike else ''}"
            for cause, reason in self.first.items()
        )
