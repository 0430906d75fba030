"""Entries that a list has more than once: they count once, and the user is told so in one line."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TypeVar

from hcbench.errors import RepeatedEntryWarning

T = TypeVar("T")


class Repeats:
    """Collects the repeated entries of several lists, for one warning."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, None]] = {}

    def add(self, noun: str, written: str, first: str = "") -> None:
        """Note an entry that repeats another one.

        Parameters
        ----------
        noun : str
            What the list has, such as "budgets".
        written : str
            The entry.
        first : str
            The entry that it repeats, if that is written in another way.
        """
        text = f"{written} (the same as {first})" if first else written
        self._texts.setdefault(noun, {})[text] = None

    def without(
        self, noun: str, entries: Iterable[T], text_of: Callable[[T], str] = str
    ) -> tuple[T, ...]:
        """The different entries of a list, in their order; those that are repeated are noted.

        Parameters
        ----------
        noun : str
            What the list has, such as "budgets".
        entries : iterable
            Compared with ``==``.
        text_of : callable
            How an entry is written in the warning.
        """
        different: list[T] = []
        for entry in entries:
            if entry in different:
                self.add(noun, text_of(entry))
            else:
                different.append(entry)
        return tuple(different)

    def warn(self) -> None:
        """Tell of all that were noted, if there are any, with one `RepeatedEntryWarning`."""
        if not self._texts:
            return
        lists = []
        for noun, texts in self._texts.items():
            lists.append(f"{noun} {', '.join(texts)}")
        warnings.warn(
            f"listed more than once, and used once: {'; '.join(lists)}",
            RepeatedEntryWarning,
            stacklevel=2,
        )
