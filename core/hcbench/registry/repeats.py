"""Entries that a list has more than once: they count once, and the user is told so in one line."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from hcbench.errors import RepeatedEntryWarning

if TYPE_CHECKING:
    from hcbench.registry import Use

T = TypeVar("T")
U = TypeVar("U", bound="Use[Any]")


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
        lists = [f"{noun} {', '.join(texts)}" for noun, texts in self._texts.items()]
        warnings.warn(
            f"listed more than once, and used once: {'; '.join(lists)}",
            RepeatedEntryWarning,
            stacklevel=2,
        )


def different_uses(noun: str, named: Iterable[tuple[str, list[U]]], repeats: Repeats) -> list[U]:
    """The uses of names, each once, however its name is written.

    Two files with the same content are two uses.

    A name is repeated if all that it means was listed before, so grids may overlap. Of a pattern,
    such as ``sk-*``, only those are meant that no other name means, so these are no repetitions.

    Parameters
    ----------
    noun : str
        The list of the suite, in messages.
    named : iterable of (str, list of Use)
        Each name with its uses.
    repeats : Repeats
        Gets the names that are repeated.
    """
    different: dict[str, U] = {}
    name_of: dict[str, str] = {}
    patterns: set[str] = set()
    for name, uses in named:
        if len({use.spec.name for use in uses}) > 1:
            patterns.add(name)
        is_first = name not in name_of.values()
        adds_uses = False
        listed_as = ""  # the name before that means the last of the uses
        for use in uses:
            first = different.get(use.identity)
            if first is not None and not use.has_files_of(first):
                # Equal files of two names are two data sets, that are measured and shown apart.
                use = replace(use, apart=use.label)
            earlier = name_of.get(use.identity)
            if earlier is None:
                different[use.identity] = use
                name_of[use.identity] = name
                adds_uses = True
                continue
            listed_as = earlier
            if earlier == name and is_first:
                repeats.add(noun, use.label)  # inside one grid
        if adds_uses or not uses:
            continue
        # All that the name means was listed before.
        if listed_as == name:
            repeats.add(noun, name)
        elif not patterns & {listed_as, name}:
            repeats.add(noun, name, listed_as)
    return list(different.values())
