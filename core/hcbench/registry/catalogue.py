"""The registered specs of one kind, found by name, alias, pattern or tag."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Generic, TypeVar

from hcbench.errors import AmbiguousNameError, NameSyntaxError, UnknownNameError
from hcbench.model.text import shell_command
from hcbench.registry.command_specs import CommandSpec
from hcbench.registry.making import make_use
from hcbench.registry.names import parse_name, split_list
from hcbench.registry.parameters import Value
from hcbench.registry.plugins import Plugin, normalise_distribution
from hcbench.registry.specs import Spec
from hcbench.registry.suite import Suite
from hcbench.registry.uses import Lookup, Use

#: Names in a message where none is close.
_MOST_NAMES = 12
#: Of similar names; more would hide the right one.
_MOST_SUGGESTIONS = 3
T = TypeVar("T", bound="Spec | Suite | CommandSpec")
S = TypeVar("S", bound=Spec)


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """A registered spec and its plugin.

    Attributes
    ----------
    spec : Spec, Suite or CommandSpec
    plugin : Plugin
    registry : Registry, optional
        That has it. A data set that is made of others looks them up there.

    Examples
    --------
    >>> entry = hcbench.load_registry().algorithms.find("upgma")
    >>> entry.full_name
    'hcbench:UPGMA'
    >>> entry.spec.returns
    'tree'
    """

    spec: T
    plugin: Plugin
    registry: Lookup | None = field(default=None, repr=False, compare=False)

    @property
    def full_name(self) -> str:
        """``distribution:NAME``, which is always unique."""
        return f"{self.plugin.distribution}:{self.spec.name}"

    def use(self: Entry[S], options: Mapping[str, Value]) -> Use[S]:
        """The spec with values of some parameters; the others have their defaults.

        Raises
        ------
        ParameterError, DataError
            As `make_use` says.
        """
        return make_use(self.spec, self.plugin, options, self.registry)


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
        self.entries = sorted(entries, key=_sort_key)
        # Names in lower case, alone and behind their distribution. Two packages may register one.
        self._by_name: dict[str, list[Entry[T]]] = {}
        # Likewise aliases: their former names, and those that others use.
        self._by_alias: dict[str, list[Entry[T]]] = {}
        for entry in self.entries:
            _add_entry(self._by_name, entry.spec.name, entry)
            aliases: tuple[str, ...] = getattr(entry.spec, "aliases", ())
            # Two spellings of one alias are one entry, or it would be ambiguous with itself.
            for alias in dict.fromkeys(map(str.casefold, aliases)):
                _add_entry(self._by_alias, alias, entry)

    def find(self, name: str) -> Entry[T]:
        """The entry of a name, whose case does not matter.

        An alias is accepted with a warning that tells the registered name.

        Raises
        ------
        UnknownNameError
            With the closest names.
        AmbiguousNameError
            If two packages register it.
        """
        entries = self._by_name.get(_folded(name), [])
        if not entries:
            entries = self._by_alias.get(_folded(name), [])
            if entries:
                registered = entries[0].spec.name
                warnings.warn(
                    f"{name} is another name of the {self.noun} {registered}; results have the "
                    f"name {registered}",
                    stacklevel=2,
                )
        if not entries:
            raise UnknownNameError(f"no {self.noun} is called {name!r}; {self._hint(name)}")
        if len(entries) > 1:
            full_names = [entry.full_name for entry in entries]
            raise AmbiguousNameError(
                f"two packages register {name}; write {' or '.join(full_names)}"
            )
        return entries[0]

    def without_aliases(self, text: str) -> str:
        """Names, separated by commas, with registered names in place of aliases.

        What is no name stays as it is, such as a pattern.
        """
        try:
            names = split_list(text)
        except NameSyntaxError:
            # Whoever reads the names refuses them.
            return text
        registered = []
        has_alias = False
        for name in names:
            base, bracket, params = name.strip().partition("[")
            entries = self._by_alias.get(base.casefold(), [])
            if entries and base.casefold() not in self._by_name:
                base = entries[0].spec.name
                has_alias = True
            registered.append(f"{base}{bracket}{params}")
        if not has_alias:
            return text
        return ", ".join(registered)

    def _hint(self, name: str) -> str:
        """What to write instead of a name that is not registered."""
        hint = _hint_of_form(name)
        if hint:
            return hint
        folded = name.casefold()
        spelling = {}  # of each name in lower case
        for entry in self.entries:
            spelling[entry.spec.name.casefold()] = entry.spec.name
        close = [registered for registered in spelling if folded in registered]
        # The shortest is the closest to what was written.
        close.sort(key=len)
        if not close:
            # It may be a word for something that few are, such as divisive.
            tagged = [entry for entry in self.entries if _has_tag(entry, folded)]
            # A tag of many, such as "linkage", is no suggestion; `hcbench list` shows them.
            if len(tagged) <= _MOST_SUGGESTIONS:
                close = [entry.spec.name.casefold() for entry in tagged]
        if not close:
            if any(folded in entry.spec.doc.casefold() for entry in self.entries):
                return f"see {shell_command('hcbench', 'list', '--search', name)}"
            close = get_close_matches(folded, spelling, n=_MOST_SUGGESTIONS, cutoff=0.6)
        if close:
            suggestions = [spelling[registered] for registered in close[:_MOST_SUGGESTIONS]]
            return f"did you mean {' or '.join(suggestions)}?"
        first_names = list(spelling.values())[:_MOST_NAMES]
        hint = f"there are {', '.join(first_names) or 'none'}"
        n_more = len(spelling) - _MOST_NAMES
        if n_more > 0:
            hint += f", and {n_more} more: hcbench list"
        return hint

    def qualify(self, text: str, distribution: str) -> str:
        """A ``NAME[param=value]``, as ``distribution:NAME`` if others register the name, too."""
        base = parse_name(text).base
        entries = self._by_name.get(base.casefold(), [])
        registered_by = {entry.plugin.distribution for entry in entries}
        if len(registered_by) > 1 and distribution in registered_by:
            return f"{distribution}:{text}"
        return text

    def matching(self, pattern: str) -> list[Entry[T]]:
        """The entries whose name matches a pattern with ``*``, or that have the tag of ``@tag``.

        Raises
        ------
        UnknownNameError
            If no entry has the tag; with all tags.
        """
        folded = pattern.casefold()
        if not pattern.startswith("@"):
            matching = []
            for entry in self.entries:
                if fnmatchcase(entry.spec.name.casefold(), folded):
                    matching.append(entry)
            return matching
        tagged = []
        all_tags: set[str] = set()
        for entry in self.entries:
            tags = tags_of(entry.spec)
            all_tags.update(tags)
            if _has_tag(entry, folded[1:]):
                tagged.append(entry)
        if not tagged:
            tag_list = ", ".join(sorted(all_tags))
            raise UnknownNameError(
                f"no {self.noun} has the tag {pattern[1:]!r}; tags are {tag_list}"
            )
        return tagged

    def has(self, name: str) -> bool:
        """Whether a name, without its distribution, is registered now; its case does not matter."""
        folded = name.casefold()
        return any(folded == entry.spec.name.casefold() for entry in self.entries)


def _hint_of_form(name: str) -> str:
    """What to write instead of a text that cannot be a name; "" if it can."""
    if name.endswith(")"):
        corrected = name.replace("(", "[", 1).removesuffix(")")
        return f"write {corrected}]"
    if "," in name:
        listed = [part.strip() for part in name.split(",")]
        return f"several names are a list, {listed}"
    if name.endswith((".py", ".toml")):
        option = shell_command("--plugin", name)
        return f"load a plugin file with {option}, and write the name that it registers"
    return ""


def _has_tag(entry: Entry[T], folded_tag: str) -> bool:
    """Whether the spec of an entry has a tag, which is given in lower case."""
    folded_tags = [tag.casefold() for tag in tags_of(entry.spec)]
    return folded_tag in folded_tags


def _sort_key(entry: Entry[T]) -> tuple[str, str]:
    return entry.spec.name.casefold(), entry.full_name


def _add_entry(entries: dict[str, list[Entry[T]]], name: str, entry: Entry[T]) -> None:
    """Add an entry under a name, alone and behind its distribution."""
    entries.setdefault(name.casefold(), []).append(entry)
    entries.setdefault(_folded(f"{entry.plugin.distribution}:{name}"), []).append(entry)


def _folded(name: str) -> str:
    """A name in lower case; of the distribution before it, if there is one, the usual spelling."""
    distribution, colon, rest = name.rpartition(":")
    if not colon:
        return name.casefold()
    return f"{normalise_distribution(distribution)}:{rest.casefold()}"


def tags_of(spec: Spec | Suite | CommandSpec) -> tuple[str, ...]:
    """The tags of a spec, and ``paper:KEY`` if it has a paper."""
    tags: tuple[str, ...] = getattr(spec, "tags", ())
    paper = getattr(spec, "paper", None)
    if paper is not None:
        tags += (f"paper:{paper.key}",)
    return tags
