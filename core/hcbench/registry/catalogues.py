"""What is registered of one kind, found by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Generic, TypeVar

from hcbench.errors import AmbiguousNameError, UnknownNameError
from hcbench.registry.plugins import Plugin
from hcbench.registry.specs import CommandSpec, Spec
from hcbench.registry.suite import Suite

T = TypeVar("T", bound="Spec | Suite | CommandSpec")


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """A registered spec and its plugin."""

    spec: T
    plugin: Plugin

    @property
    def full_name(self) -> str:
        """``distribution:NAME``, which is always unique."""
        return f"{self.plugin.distribution}:{self.spec.name}"


class Catalogue(Generic[T]):
    """The registered specs of one kind.

    Parameters
    ----------
    noun : str
        The kind in messages: "algorithm", "data set", ...
    entries : sequence of Entry
    """

    def __init__(self, noun: str, entries: Sequence[Entry[T]]) -> None:
        self.noun = noun
        self.entries = sorted(entries, key=lambda e: (e.spec.name.casefold(), e.full_name))
        self._by_name: dict[str, list[Entry[T]]] = {}
        for entry in self.entries:
            for name in {entry.spec.name.casefold(), entry.full_name.casefold()}:
                self._by_name.setdefault(name, []).append(entry)

    def find(self, name: str) -> Entry[T]:
        """The entry of a name, whose case does not matter.

        Raises
        ------
        UnknownNameError
            With the closest names.
        AmbiguousNameError
            If two packages register it.
        """
        found = self._by_name.get(name.casefold(), [])
        if len(found) > 1:
            options = " or ".join(entry.full_name for entry in found)
            raise AmbiguousNameError(f"two packages register {name}; write {options}")
        if not found:
            raise UnknownNameError(self._unknown(name))
        return found[0]

    def _unknown(self, name: str) -> str:
        names = {e.spec.name.casefold(): e.spec.name for e in self.entries}
        close = [names[c] for c in get_close_matches(name.casefold(), names, 3, 0.5)]
        if close:
            return f"no {self.noun} is called {name!r}; did you mean {' or '.join(close)}?"
        known = ", ".join(names.values()) or "none"
        return f"no {self.noun} is called {name!r}; there are {known}"
