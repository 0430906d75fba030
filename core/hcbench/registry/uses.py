"""Specs with all their parameters resolved, as a plan uses them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from hcbench.errors import DataError, InvalidSpecError, NameSyntaxError, ParameterError
from hcbench.model.regular_files import check_regular
from hcbench.registry.fingerprint import (
    CORE_EDITION,
    core_edition,
    core_fingerprint,
    edition_text,
    installed_version,
    is_development,
)
from hcbench.registry.names import parse_name
from hcbench.registry.parameters import Value
from hcbench.registry.plugins import Plugin, Plugins
from hcbench.registry.repeats import Repeats
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, OracleSpec, Spec

S = TypeVar("S", bound=Spec)


class Lookup(Protocol):
    """Where the names of data sets and algorithms are looked up: a `Registry`."""

    plugins: Plugins

    def use_datasets(self, text: str, /) -> list[Use[DatasetSpec]]:
        """The data sets of a name."""

    def use_algorithms(self, text: str, /) -> list[Use[AlgorithmSpec]]:
        """The algorithms of a name."""


@dataclass(frozen=True)
class Use(Generic[S]):
    """A spec with all its parameters resolved.

    Attributes
    ----------
    spec : Spec
    plugin : Plugin
    params : mapping
        All parameters, defaults included.
    label : str
        The name with the parameters that differ from the defaults.
    digests : mapping of parameter to digest
        Of the files that the parameters name.
    apart : str
        What tells it from a use of other files with the same content in one plan; "" where there
        is none, so that a renamed file has the results of the old one.
    registry : Registry, optional
        In which the names in its parameters are looked up, if it is made of others.

    Examples
    --------
    >>> use = hcbench.load_registry().use_datasets("shapes[n=20]")[0]
    >>> use.label
    'shapes[n=20]'
    >>> use.params["n"], use.params["kind"]
    (20, 'blobs')
    """

    spec: S
    plugin: Plugin
    params: Mapping[str, Value]
    label: str
    digests: Mapping[str, str]
    apart: str = ""
    registry: Lookup | None = field(default=None, repr=False, compare=False)

    def has_files_of(self, use: Use[Any]) -> bool:
        """Whether its parameters name the same files as those of another use, by their places."""
        for name in self.digests:
            if _place_of(self.params[name]) != _place_of(use.params[name]):
                return False
        for part, other_part in zip(self.parts, use.parts, strict=True):
            if not part.has_files_of(other_part):
                return False
        return True

    @cached_property
    def seed_name(self) -> str:
        """The name and parameters from which seeds are derived; files count by their content."""
        params = {**self.params, **self.digests}
        for part in self.parts:
            if part.reads_files:
                # The text has the path of the file, which another machine does not have.
                for name, value in self.params.items():
                    if part.is_named_by(value):
                        params[name] = part.seed_name
        return json.dumps([self.spec.name, params])

    @property
    def reads_files(self) -> bool:
        """Whether its parameters name files, or those of one of its parts do."""
        return bool(self.digests) or any(part.reads_files for part in self.parts)

    def is_named_by(self, value: Value) -> bool:
        """Whether the value of a parameter is a name of this use: that of its spec, or its file."""
        if not isinstance(value, str):
            return False
        try:
            base = parse_name(value).base
        except NameSyntaxError:
            # Another text, such as a title.
            return False
        return base == self.spec.name or base == self.params.get("path")

    @cached_property
    def parts(self) -> tuple[Use[Any], ...]:
        """The uses that are named in its parameters.

        Raises
        ------
        ParameterError
            If a name means several.
        """
        if not isinstance(self.spec, DatasetSpec) or self.spec.parts is None:
            return ()
        if self.registry is None:
            raise InvalidSpecError(f"{self.label} is made of others, and there is no registry")
        names = self.spec.parts(self.params)
        parts: list[Use[Any]] = []
        for name in names.get("datasets", ()):
            parts.append(self._only_one(self.registry.use_datasets(name), name, "data sets"))
        for name in names.get("algorithms", ()):
            parts.append(self._only_one(self.registry.use_algorithms(name), name, "algorithms"))
        return tuple(parts)

    def _only_one(self, uses: Sequence[Use[Any]], name: str, kinds: str) -> Use[Any]:
        if len(uses) != 1:
            raise ParameterError(
                f"{self.spec.name}: {name} means {len(uses)} {kinds}; write a list of names instead"
            )
        return uses[0]

    @property
    def is_installed(self) -> bool:
        """Whether all code that it runs is of installed packages."""
        return self.plugin.is_installed and all(part.is_installed for part in self.parts)

    @property
    def plugin_files(self) -> tuple[str, ...]:
        """The plugin files in which the names in its parameters may be registered."""
        if self.registry is None or not self.parts:
            return ()
        return tuple([str(file) for file in self.registry.plugins.files])

    @cached_property
    def provides(self: Use[DatasetSpec]) -> frozenset[str]:
        """What a data set provides."""
        return self.spec.provides_with(self.params, self.parts)

    @cached_property
    def truths(self: Use[DatasetSpec]) -> tuple[str, ...]:
        """The names of the true hierarchies of a data set, where there are several."""
        return self.spec.truths_with(self.params, self.parts)

    @property
    def is_random(self) -> bool:
        """Whether its data, its answers or its result depend on random numbers."""
        if isinstance(self.spec, DatasetSpec):
            return self.spec.random_with(self.params, self.parts)
        if isinstance(self.spec, AlgorithmSpec | OracleSpec):
            return self.spec.random_with(self.params)
        return False

    @property
    def is_dependent(self: Use[DatasetSpec]) -> bool:
        """Whether repetitions of a data set share some of their items."""
        return self.spec.dependent_with(self.params, self.parts)

    @property
    def family(self: Use[DatasetSpec]) -> str:
        """The family that the spec of a data set declares; "" if it declares none."""
        return self.spec.family_with(self.params, self.parts)

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """What decides its result, for its key: editions, required packages and its data.

        Raises
        ------
        DataError
            If a file of data that its spec declares cannot be read.
        """
        # The order decides the key of a cell.
        fingerprints = {"hcbench core": core_edition()}
        name, edition = self._edition
        fingerprints[name] = edition
        fingerprints |= self._libraries_and_data()
        for part in self.parts:
            fingerprints |= part.fingerprints
        return fingerprints

    @property
    def _edition(self) -> tuple[str, str]:
        """What stands for the code of its plugin, and its name.

        That is the edition of its spec; of a spec without one, the version and the digest of its
        plugin. Built-in specs always have an edition, with a digest while hcbench is developed.
        """
        plugin = self.plugin
        if plugin.is_built_in:
            edition = edition_text(self.spec.edition or CORE_EDITION)
            if is_development():
                edition += f"+{plugin.digest}"
            return plugin.name, edition
        if self.spec.edition is None:
            return plugin.name, plugin.fingerprint
        return f"{plugin.name} {self.spec.name}", edition_text(self.spec.edition)

    @cached_property
    def code(self) -> dict[str, str]:
        """The versions and digests of the code that it runs, whatever its edition.

        They must be the same on all machines of a run.
        """
        code = {"hcbench core": core_fingerprint(), self.plugin.name: self.plugin.fingerprint}
        code |= self._libraries_and_data()
        for part in self.parts:
            code |= part.code
        return code

    def _libraries_and_data(self) -> dict[str, str]:
        """Versions of packages that its spec requires, and digests of data that it reads."""
        versions = {}
        for name in sorted(self.spec.requires):
            versions[name] = installed_version(name)
        digests = {}
        for name in self.spec.data_files:
            digest = file_digest(str(self.plugin.folder / name))
            digests[f"{self.plugin.distribution} {name}"] = digest
        return versions | digests

    @cached_property
    def identity(self) -> str:
        """Its part of the key of a cell."""
        # Their order decides the key of a cell.
        texts: list[Any] = [self.plugin.distribution, self.fingerprints, self.seed_name]
        for part in self.parts:
            texts.append(part.identity)
        if self.apart:
            texts.append(self.apart)
        return json.dumps(texts)


def _place_of(file_name: Value) -> Path:
    """The place of a file, whatever the folder is that a name begins in."""
    return Path(str(file_name)).expanduser().resolve()


def file_digest(name: str) -> str:
    """Of the content of a file, or of the names and contents of all files in a folder."""
    path = Path(name).expanduser()
    try:
        if path.is_dir():
            parts = []
            for file in sorted(_files_below(path)):
                parts.append((str(file.relative_to(path)), file_digest(str(file))))
            return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()
        if path.exists():
            check_regular(path)
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "blake2b").hexdigest()[:32]
    except OSError as error:
        raise DataError.of_file("read", name, error) from error


def _files_below(folder: Path) -> Iterator[Path]:
    """The files in a folder and below it, also in folders that are symbolic links."""
    visited: set[str] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        real_place = os.path.realpath(place)
        if real_place in visited:
            # A link to a folder above it: its folders are not entered again.
            folders.clear()
            continue
        visited.add(real_place)
        for name in names:
            path = Path(place, name)
            if path.is_file():
                yield path


def different_uses(
    noun: str, uses_of_names: Iterable[tuple[str, list[Use[S]]]], repeats: Repeats
) -> list[Use[S]]:
    """The uses of names, each once, however its name is written.

    Two files with the same content are two uses.

    A name is repeated if all that it means was listed before, so grids may overlap. Of a pattern,
    such as ``sk-*``, only those are meant that no other name means, so these are no repetitions.

    Parameters
    ----------
    noun : str
        The list of the suite, in messages.
    uses_of_names : iterable of (str, list of Use)
        Each name with its uses.
    repeats : Repeats
        Gets the names that are repeated.
    """
    # By identity: each use, and the name that meant it first.
    different: dict[str, Use[S]] = {}
    name_of: dict[str, str] = {}
    # The names that mean specs of several names.
    patterns: set[str] = set()
    for name, uses in uses_of_names:
        spec_names = {use.spec.name for use in uses}
        if len(spec_names) > 1:
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
