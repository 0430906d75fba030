"""What there is to compare: the specs of all plugins, found by the names people type."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from hcbench.editions import core_edition, installed_version
from hcbench.errors import (
    AmbiguousNameError,
    DataError,
    HcbenchError,
    ParameterError,
    SuiteError,
    UnknownNameError,
)
from hcbench.names import Name, format_name, parse_name
from hcbench.plugins import Plugin, Plugins
from hcbench.specs import (
    AlgorithmSpec,
    DatasetSpec,
    MetricSpec,
    OracleSpec,
    Parameter,
    Params,
    Spec,
    Value,
)
from hcbench.suite import Suite

S = TypeVar("S", bound=Spec)
T = TypeVar("T", bound="Spec | Suite")


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """Something registered, and by which plugin."""

    spec: T
    plugin: Plugin

    @property
    def full_name(self) -> str:
        """``distribution:NAME``, which is always unique."""
        return f"{self.plugin.distribution}:{self.spec.name}"


@dataclass(frozen=True)
class Use(Generic[S]):
    """A spec with all its parameters resolved.

    Attributes
    ----------
    spec : Spec
    plugin : Plugin
    params : mapping
        All of them, defaults included.
    label : str
        The name with the parameters that differ from the defaults.
    digests : mapping of parameter to digest
        Of the files that the parameters name.
    """

    spec: S
    plugin: Plugin
    params: Mapping[str, Value]
    label: str
    digests: Mapping[str, str]

    @cached_property
    def seed_name(self) -> str:
        """What seeds are derived from: name and parameters, files by their content."""
        return json.dumps([self.spec.name, {**self.params, **self.digests}])

    @cached_property
    def parts(self) -> tuple[Use[Any], ...]:
        """What the names in its parameters mean."""
        find = self.spec.parts if isinstance(self.spec, DatasetSpec) else None
        return () if find is None else tuple(find(self.params))

    @cached_property
    def editions(self) -> dict[str, str]:
        """Of all code that decides what it does: core, its plugin, and what it requires."""
        required = {name: installed_version(name) for name in sorted(self.spec.requires)}
        own = {"hcbench core": core_edition(), self.plugin.name: self.plugin.edition, **required}
        return own | {name: text for part in self.parts for name, text in part.editions.items()}

    @cached_property
    def identity(self) -> str:
        """What a key of a cell is made of."""
        parts = [part.identity for part in self.parts]
        return json.dumps([self.plugin.distribution, self.editions, self.seed_name, *parts])


class Catalogue(Generic[T]):
    """The registered specs of one kind.

    Parameters
    ----------
    noun : str
        What they are, for messages: "algorithm", "data set", ...
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
        """The entry of a name, matched without regard to case.

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


class Registry:
    """All that is registered.

    Parameters
    ----------
    plugins : Plugins

    Raises
    ------
    PluginError
        If a hook of a plugin file is broken: it was asked for.
    """

    def __init__(self, plugins: Plugins) -> None:
        self.plugins = plugins
        # All hooks are called before a catalogue is made: a plugin that breaks in the last of them
        # has nothing in any.
        algorithms = self._collect("hcbench_algorithms", AlgorithmSpec)
        datasets = self._collect("hcbench_datasets", DatasetSpec)
        oracles = self._collect("hcbench_oracles", OracleSpec)
        metrics = self._collect("hcbench_metrics", MetricSpec)
        suites = self._collect("hcbench_suites", Suite)
        plugins.check_files()
        self.algorithms = self._catalogue("algorithm", algorithms)
        self.datasets = self._catalogue("data set", datasets)
        self.oracles = self._catalogue("oracle", oracles)
        self.metrics = self._catalogue("metric", metrics)
        self.suites = self._catalogue("suite", suites)

    def _collect(self, hook: str, kind: type[T]) -> list[Entry[T]]:
        entries: dict[str, Entry[T]] = {}
        for plugin, specs in self.plugins.registered(hook):
            for spec in specs:
                entry = Entry(spec, plugin)
                if not isinstance(spec, kind):
                    self.plugins.refuse(
                        plugin, f"{hook} must return {kind.__name__}s, got {spec!r}"
                    )
                elif entry.full_name.casefold() in entries:
                    other = entries[entry.full_name.casefold()].plugin.name
                    self.plugins.refuse(plugin, f"{spec.name} is registered by {other} already")
                else:
                    entries[entry.full_name.casefold()] = entry
        return list(entries.values())

    def _catalogue(self, noun: str, entries: Sequence[Entry[T]]) -> Catalogue[T]:
        loaded = set(self.plugins.loaded)
        return Catalogue(noun, [entry for entry in entries if entry.plugin in loaded])

    def use_algorithms(self, text: str) -> list[Use[AlgorithmSpec]]:
        """The algorithms of one ``NAME[param=value]``: several if a parameter is a grid."""
        return _resolve(self.algorithms, parse_name(text))

    def use_oracles(self, text: str) -> list[Use[OracleSpec]]:
        """The oracles of one ``NAME[param=value]``."""
        return _resolve(self.oracles, parse_name(text))

    def use_metrics(self, text: str) -> list[Use[MetricSpec]]:
        """The metrics of one ``NAME[param=value]``."""
        return _resolve(self.metrics, parse_name(text))

    def use_datasets(self, text: str) -> list[Use[DatasetSpec]]:
        """The data sets of one ``NAME[param=value]`` or file name."""
        return _resolve(self.datasets, self._as_file(parse_name(text)))

    def _as_file(self, name: Name) -> Name:
        """``./data.csv[...]`` means the data set that reads this kind of file."""
        path = Path(name.base)
        readers = [e for e in self.datasets.entries if path.suffix.lower() in e.spec.suffixes]
        if readers and path.suffix:
            return Name(name.text, readers[0].full_name, {"path": name.base, **name.params})
        if "/" in name.base:
            endings = sorted({s for e in self.datasets.entries for s in e.spec.suffixes})
            raise DataError(f"{name.base}: files end in {', '.join(endings)}")
        return name

    def find(self, name: str) -> list[tuple[str, Entry[Any]]]:
        """Everything of that name, of whatever kind.

        Raises
        ------
        UnknownNameError
        """
        base = parse_name(name).base
        found: list[tuple[str, Entry[Any]]] = []
        for catalogue in self.catalogues:
            try:
                found.append((catalogue.noun, catalogue.find(base)))
            except UnknownNameError:
                continue
        if not found:
            everything: Catalogue[Any] = Catalogue(
                "plugin's work", [e for c in self.catalogues for e in c.entries]
            )
            everything.noun = "algorithm, data set, oracle, metric or suite"
            return [("", everything.find(base))]
        return found

    @property
    def catalogues(self) -> tuple[Catalogue[Any], ...]:
        """All kinds, in the order of the flow of a cell."""
        return (self.algorithms, self.datasets, self.oracles, self.metrics, self.suites)


def _resolve(catalogue: Catalogue[S], name: Name) -> list[Use[S]]:
    entry = catalogue.find(name.base)
    known = {p.name: p for p in entry.spec.parameters}
    axes = [
        [(key, value) for value in _grid(known.get(key), written)]
        for key, written in name.params.items()
    ]
    return [make_use(entry.spec, entry.plugin, dict(point)) for point in itertools.product(*axes)]


def use_one(catalogue: Catalogue[S], text: str, params: Params) -> Use[S]:
    """What one ``NAME[param=value]`` means; ``params`` go before those of the name.

    Raises
    ------
    ParameterError
        If the name is a grid, or as `make_use` says.
    """
    name = parse_name(text)
    entry = catalogue.find(name.base)
    known = {p.name: p for p in entry.spec.parameters}
    given: dict[str, Value] = {}
    for key, written in name.params.items():
        values = _grid(known.get(key), written)
        if len(values) > 1:
            raise ParameterError(f"{text} means {len(values)}, one for each {key}; name one")
        given[key] = values[0]
    return make_use(entry.spec, entry.plugin, {**given, **params})


def _grid(parameter: Parameter | None, written: Value) -> tuple[Value, ...]:
    """A list is a grid, unless the parameter itself is a list: then a list of lists is."""
    if not isinstance(written, tuple) or not written:
        return (written,)
    if parameter is not None and parameter.type == "list" and not isinstance(written[0], tuple):
        return (written,)
    return written


def _written(parameter: Parameter, value: Value) -> Value:
    """A value as names hold it: a list that would be read as a grid is one of one list."""
    return value if _grid(parameter, value) == (value,) else (value,)


def make_use(spec: S, plugin: Plugin, given: Mapping[str, Value]) -> Use[S]:
    """Resolve the parameters of a spec.

    Raises
    ------
    ParameterError
        If one is unknown, missing, of the wrong type or out of range.
    DataError
        If a parameter names a file that cannot be read.
    """
    params = spec.resolve(given)
    shown = {
        p.name: _written(p, params[p.name]) for p in spec.parameters if params[p.name] != p.default
    }
    base = spec.name
    digests: dict[str, str] = {}
    if isinstance(spec, DatasetSpec | OracleSpec):
        digests = {n: _file_digest(str(params[n])) for n in spec.files if params[n]}
    if isinstance(spec, DatasetSpec) and spec.suffixes and "path" in shown:
        base = str(shown.pop("path"))
    return Use(spec, plugin, params, format_name(base, shown), digests)


def _file_digest(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()[:32]
    except OSError as error:
        raise DataError(f"cannot read {name}: {error.strerror}") from error


@lru_cache(maxsize=1)
def _installed() -> Registry:
    return Registry(Plugins())


def load_registry(files: Sequence[str | Path] = ()) -> Registry:
    """All that is registered.

    Parameters
    ----------
    files : sequence of path
        Plugin files beside those that are installed.

    Returns
    -------
    Registry
        With ``algorithms``, ``datasets``, ``oracles``, ``metrics`` and ``suites``.

    Raises
    ------
    PluginError
        If one of ``files`` is broken; a broken plugin that is merely installed stops nothing.
    """
    return Registry(Plugins([Path(file) for file in files])) if files else _installed()


def find_suite(registry: Registry, name: str) -> Suite:
    """A registered suite.

    Raises
    ------
    SuiteError
        If there is none of that name.
    """
    try:
        return registry.suites.find(name).spec
    except HcbenchError as error:
        raise SuiteError(f"{error}; or give a TOML file, such as ./{name}.toml") from error


DEFAULTS = {"tree": "compare", "partition": "compare-cuts"}
"""The suites that tell what to compare where nobody says it, for each kind of result."""


def default_suite(registry: Registry, algorithms: Sequence[str]) -> Suite | None:
    """The registered suite with the defaults for these algorithms; None if there is none.

    Where all return partitions it is that for partitions, else that for trees.
    """
    kinds = {use.spec.returns for name in algorithms for use in registry.use_algorithms(name)}
    try:
        return find_suite(registry, DEFAULTS["partition" if kinds == {"partition"} else "tree"])
    except SuiteError:
        return None


def with_defaults(
    suite: Suite,
    registry: Registry,
    *,
    algorithms: bool = True,
    datasets: bool = True,
    metrics: bool = True,
) -> Suite:
    """Fill what a suite leaves open from the registered suite of defaults.

    The flags say whether an empty list is open, or the caller brings something of their own.
    """
    defaults = default_suite(registry, suite.algorithms)
    if defaults is None:
        return suite
    open_lists = {"algorithms": algorithms, "datasets": datasets, "metrics": metrics}
    missing = {
        name: getattr(defaults, name)
        for name, is_open in open_lists.items()
        if is_open and not getattr(suite, name)
    }
    return replace(suite, **missing)
