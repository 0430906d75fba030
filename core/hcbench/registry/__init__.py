"""Everything that plugins register, found by name, and specs with all their parameters resolved.

`specs` and `suite` are what plugins declare, `hookspecs` the hooks that return it, and `plugins`
finds and loads them; `names` reads ``NAME[param=value]``, `fingerprint` tells when code changes.

The names in ``__all__`` are public: commands of plugins that choose what runs use them. An
`Interval` has the limits of a metric.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from hcbench.errors import (
    AmbiguousNameError,
    HcbenchError,
    ParameterError,
    SuiteError,
    UnknownNameError,
)
from hcbench.model.text import shell_command
from hcbench.registry.fingerprint import installation
from hcbench.registry.names import Name, format_name, parse_file, parse_name, split_alias
from hcbench.registry.plugins import Plugin, Plugins
from hcbench.registry.repeats import Repeats
from hcbench.registry.specs import (
    AlgorithmSpec,
    CommandSpec,
    DatasetSpec,
    ExecutorSpec,
    Interval,
    MetricSpec,
    OracleSpec,
    Parameter,
    Params,
    Spec,
    Value,
    unmet,
)
from hcbench.registry.suite import Suite
from hcbench.registry.uses import Use, different_uses, file_digest

__all__ = [
    "Entry",
    "Interval",
    "Plugin",
    "Registry",
    "Spec",
    "Use",
    "default_uses",
    "format_name",
    "installation",
    "make_use",
    "parse_name",
    "split_alias",
    "unmet",
]

_NAMED = 12  # names in a message where none is close
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
        self._by_alias: dict[str, list[Entry[T]]] = {}
        for entry in self.entries:
            for name in {entry.spec.name.casefold(), entry.full_name.casefold()}:
                self._by_name.setdefault(name, []).append(entry)
            for alias in {alias.casefold() for alias in getattr(entry.spec, "aliases", ())}:
                for name in (alias, f"{entry.plugin.distribution}:{alias}".casefold()):
                    self._by_alias.setdefault(name, []).append(entry)

    def find(self, name: str) -> Entry[T]:
        """The entry of a name, whose case does not matter.

        A former name is accepted with a FutureWarning that tells the new one.

        Raises
        ------
        UnknownNameError
            With the closest names.
        AmbiguousNameError
            If two packages register it.
        """
        found = self._by_name.get(name.casefold(), [])
        if not found and (found := self._by_alias.get(name.casefold(), [])):
            text = f"the {self.noun} {name} is called {found[0].spec.name} now; use that name"
            warnings.warn(text, FutureWarning, stacklevel=2)
        if len(found) > 1:
            options = " or ".join(entry.full_name for entry in found)
            raise AmbiguousNameError(f"two packages register {name}; write {options}")
        if not found:
            folded = name.casefold()
            names = {e.spec.name.casefold(): e.spec.name for e in self.entries}
            described = any(folded in e.spec.doc.casefold() for e in self.entries)
            close = sorted((n for n in names if folded in n), key=len)
            first = ", ".join([*names.values()][:_NAMED]) or "none"
            more = f", and {len(names) - _NAMED} more: hcbench list" if len(names) > _NAMED else ""
            hint = f"there are {first}{more}"
            if described and not close:
                hint = f"see {shell_command('hcbench', 'list', '--search', name)}"
            elif close := close or get_close_matches(folded, names, 3, 0.6):
                hint = f"did you mean {' or '.join(names[n] for n in close[:3])}?"
            if name.endswith(")"):
                hint = f"write {name.replace('(', '[', 1)[:-1]}]"
            raise UnknownNameError(f"no {self.noun} is called {name!r}; {hint}")
        return found[0]

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
            If there is none; with all tags.
        """
        folded = pattern.casefold()
        if not pattern.startswith("@"):
            return [e for e in self.entries if fnmatchcase(e.spec.name.casefold(), folded)]
        found = [e for e in self.entries if folded[1:] in map(str.casefold, tags_of(e.spec))]
        if not found:
            tags = ", ".join(sorted({tag for e in self.entries for tag in tags_of(e.spec)}))
            raise UnknownNameError(f"no {self.noun} has the tag {pattern[1:]!r}; tags are {tags}")
        return found


def tags_of(spec: Spec | Suite | CommandSpec) -> tuple[str, ...]:
    """The tags of a spec, and ``paper:KEY`` if it has a paper."""
    paper = getattr(spec, "paper", None)
    return (*getattr(spec, "tags", ()), *([f"paper:{paper.key}"] if paper else []))


S = TypeVar("S", bound=Spec)


def resolve_uses(catalogue: Catalogue[S], name: Name) -> list[Use[S]]:
    """The uses that one ``NAME[param=value]`` describes: several if a parameter is a grid.

    Raises
    ------
    ParameterError, DataError
        As `make_use` says.
    """
    entry = catalogue.find(name.base)
    return [make_use(entry.spec, entry.plugin, point) for point in _grid_points(entry.spec, name)]


def use_one(catalogue: Catalogue[S], text: str, params: Params) -> Use[S]:
    """The use that one ``NAME[param=value]`` describes; ``params`` take precedence.

    Raises
    ------
    ParameterError
        If the name is a grid, or as `make_use` says.
    """
    name = parse_name(text)
    entry = catalogue.find(name.base)
    first, *others = _grid_points(entry.spec, name)
    if others:
        varied = " and ".join(key for key in first if first[key] != others[-1][key])
        raise ParameterError(f"{text} means {1 + len(others)}, one for each {varied}; name one")
    return make_use(entry.spec, entry.plugin, {**first, **params})


def default_uses(catalogue: Catalogue[S]) -> list[Use[S]]:
    """All specs of a catalogue with their default parameters, without those that require one."""
    return [
        make_use(entry.spec, entry.plugin, {})
        for entry in catalogue.entries
        if not any(parameter.required for parameter in entry.spec.parameters)
    ]


def _grid_points(spec: Spec, name: Name) -> list[dict[str, Value]]:
    """The combinations of parameters that a name describes."""
    known = {p.name: p for p in spec.parameters}
    axes = [
        [(key, value) for value in _grid(known.get(key), written)]
        for key, written in name.params.items()
    ]
    return [dict(point) for point in itertools.product(*axes)]


def _grid(parameter: Parameter | None, written: Value) -> tuple[Value, ...]:
    """A list is a grid, unless the parameter itself is a list: then a list of lists is."""
    if not isinstance(written, tuple) or not written:
        return (written,)
    if parameter is not None and parameter.type == "list" and not isinstance(written[0], tuple):
        return (written,)
    return written


def _written(parameter: Parameter, value: Value) -> Value:
    """A value as it is written in a name: a list that would be read as a grid is nested."""
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
    digests = {}
    for name in spec.file_parameters:
        if params[name]:
            file = parse_file(str(params[name]))
            # Another tree of the same file is another input.
            digests[name] = format_name(file_digest(file.base), file.params)
    if isinstance(spec, DatasetSpec) and spec.suffixes and "path" in shown:
        base = str(shown.pop("path"))
    return Use(spec, plugin, params, format_name(base, shown), digests)


class Registry:
    """Everything that plugins register.

    Parameters
    ----------
    plugins : Plugins

    Raises
    ------
    PluginError
        If a hook of a plugin file that was asked for is broken.
    """

    def __init__(self, plugins: Plugins) -> None:
        self.plugins = plugins
        # All hooks are called before a catalogue is made: a plugin with a broken hook is in none.
        algorithms = _collect(plugins, "hcbench_algorithms", AlgorithmSpec)
        datasets = _collect(plugins, "hcbench_datasets", DatasetSpec)
        oracles = _collect(plugins, "hcbench_oracles", OracleSpec)
        metrics = [
            replace(entry, spec=spec)
            for entry in _collect(plugins, "hcbench_metrics", MetricSpec)
            for spec in entry.spec.split()
        ]
        suites = _collect(plugins, "hcbench_suites", Suite)
        commands = _collect(plugins, "hcbench_commands", CommandSpec)
        executors = _collect(plugins, "hcbench_executors", ExecutorSpec)
        plugins.check_files()
        self.algorithms = _catalogue(plugins, "algorithm", algorithms)
        self.datasets = _catalogue(plugins, "data set", datasets)
        self.oracles = _catalogue(plugins, "oracle", oracles)
        self.metrics = _catalogue(plugins, "metric", metrics)
        self.suites = _catalogue(plugins, "suite", suites)
        self.commands = _catalogue(plugins, "command", commands)
        self.executors = _catalogue(plugins, "executor", executors)

    def use_algorithms(self, text: str, /, **params: Value) -> list[Use[AlgorithmSpec]]:
        """The algorithms of one ``NAME[param=value]``: several if a parameter is a grid.

        ``*`` in a name stands for any text: ``sk-*`` is each algorithm whose name begins so, and
        ``@linkage`` is each with the tag ``linkage``.
        Further parameters may be given as keywords.
        """
        name = parse_name(text)
        for twice in params.keys() & name.params.keys():
            raise ParameterError(f"{twice} of {text} is given twice: leave one out")
        return self._uses("algorithms", replace(name, params={**name.params, **params}))

    def _uses(self, kind: str, name: Name) -> list[Use[Any]]:
        """The uses of a name or pattern, which may be of another kind by mistake."""
        own: Catalogue[Any] = getattr(self, kind)
        pattern = name.base
        begin = f"{pattern}.".casefold()
        if kind == "metrics" and any(e.spec.name.casefold().startswith(begin) for e in own.entries):
            pattern += ".*"  # all outputs of a metric
        if "*" in pattern or pattern.startswith("@"):
            each = [replace(name, base=e.full_name) for e in own.matching(pattern)] or [name]
            return [use for one in each for use in resolve_uses(own, one)]
        try:
            return resolve_uses(own, name)
        except UnknownNameError:
            for other in ("algorithms", "datasets", "oracles", "metrics"):
                catalogue: Catalogue[Any] = getattr(self, other)
                if any(name.base.casefold() == e.spec.name.casefold() for e in catalogue.entries):
                    raise UnknownNameError(
                        f"{name.base!r} is of the kind {catalogue.noun}: name it with "
                        f"--{other.replace('algorithms', 'algos')}"
                    ) from None
            raise

    def use_oracles(self, text: str) -> list[Use[OracleSpec]]:
        """The oracles of one ``NAME[param=value]``."""
        return self._uses("oracles", parse_name(text))

    def use_metrics(self, text: str) -> list[Use[MetricSpec]]:
        """The metrics of one ``NAME[param=value]``."""
        return self._uses("metrics", parse_name(text))

    def use_all_metrics(self, names: Iterable[str]) -> list[Use[MetricSpec]]:
        """The metrics of a list of names, each once; a warning tells which are repeated."""
        repeats = Repeats()
        named = [(name, self.use_metrics(name)) for name in names]
        uses = different_uses("metrics", named, repeats)
        repeats.warn()
        return uses

    def use_datasets(self, text: str) -> list[Use[DatasetSpec]]:
        """The data sets of one ``NAME[param=value]`` or file name.

        ``LABEL=NAME[param=value]`` is one that results and pages call LABEL.

        Raises
        ------
        ParameterError
            If a label stands for several data sets, or is the name of another one.
        """
        label, described = split_alias(text)
        if not label:
            return self._datasets(text)
        uses = self._datasets(described)
        if len(uses) > 1:
            raise ParameterError(
                f"{text}: {label} is the label of one data set, and this is a grid of {len(uses)}; "
                "label each of them"
            )
        if any(label.casefold() == entry.spec.name.casefold() for entry in self.datasets.entries):
            raise ParameterError(f"{text}: {label} is a data set itself; take another label")
        return [replace(uses[0], label=label)]

    def _datasets(self, text: str) -> list[Use[DatasetSpec]]:
        name = parse_name(text)
        path = Path(name.base)
        reader = self.reader_of(path)
        if reader is not None:  # ./data.csv[...] describes the data set that reads such files
            return self._uses(
                "datasets", Name(reader.full_name, {"path": name.base, **name.params})
            )
        try:
            if "/" in name.base:
                raise UnknownNameError(
                    f"{name.base} is no data set: save it as one of {self.file_endings}, or pass "
                    "its contents to hcbench.compare in Python"
                )
            return self._uses("datasets", name)
        except UnknownNameError as error:
            for file in sorted(path.parent.glob("*.*")):
                if file.stem == path.name and self.reader_of(file):
                    meant = f"{name.base}{file.suffix}"
                    raise UnknownNameError(f"{name.base} is no data set; write {meant}") from error
            raise

    def reader_of(self, path: Path) -> Entry[DatasetSpec] | None:
        """The data set that reads files with this ending."""
        ending = path.suffix.lower()
        return next((e for e in self.datasets.entries if ending in e.spec.suffixes), None)

    @property
    def file_endings(self) -> str:
        """The endings of all files that can be read, for messages."""
        return ", ".join(sorted({s for e in self.datasets.entries for s in e.spec.suffixes}))

    def find(self, name: str) -> list[Entry[Any]]:
        """All entries of that name, of any kind.

        Raises
        ------
        UnknownNameError
        """
        base = parse_name(name).base
        found: list[Entry[Any]] = []
        for catalogue in self.catalogues:
            with suppress(UnknownNameError):
                found.append(catalogue.find(base))
        if not found:
            everything = [entry for catalogue in self.catalogues for entry in catalogue.entries]
            Catalogue("algorithm, data set, oracle, metric or suite", everything).find(base)
        return found

    @property
    def catalogues(self) -> tuple[Catalogue[Any], ...]:
        """The catalogues of all that suites name, and of suites."""
        return (self.algorithms, self.datasets, self.oracles, self.metrics, self.suites)


@lru_cache(maxsize=1)
def _installed() -> Registry:
    return Registry(Plugins())


def load_registry(files: Sequence[str | Path] = ()) -> Registry:
    """Everything that is registered.

    Parameters
    ----------
    files : sequence of path
        Plugin files beside those that are installed.

    Returns
    -------
    Registry
        With ``algorithms``, ``datasets``, ``oracles``, ``metrics``, ``suites``, ``commands`` and
        ``executors``.

    Raises
    ------
    PluginError
        If one of ``files`` is broken; installed plugins that are broken are skipped.
    """
    return Registry(Plugins([Path(file) for file in files])) if files else _installed()


def find_commands(plugins: Plugins) -> Catalogue[CommandSpec]:
    """The commands that plugins add, without asking the plugins for anything else."""
    return _catalogue(plugins, "command", _collect(plugins, "hcbench_commands", CommandSpec))


def find_executors(plugins: Plugins) -> Catalogue[ExecutorSpec]:
    """The executors that plugins offer, without asking the plugins for anything else."""
    return _catalogue(plugins, "executor", _collect(plugins, "hcbench_executors", ExecutorSpec))


def _collect(plugins: Plugins, hook: str, kind: type[T]) -> list[Entry[T]]:
    entries: dict[str, Entry[T]] = {}
    for plugin, specs in plugins.registered(hook):
        for spec in specs:
            entry = Entry(spec, plugin)
            if not isinstance(spec, kind):
                plugins.refuse(plugin, f"{hook} must return {kind.__name__}s, got {spec!r}")
            elif entry.full_name.casefold() in entries:
                other = entries[entry.full_name.casefold()].plugin.name
                plugins.refuse(plugin, f"{spec.name} is registered by {other} already")
            else:
                entries[entry.full_name.casefold()] = entry
    return list(entries.values())


def _catalogue(plugins: Plugins, noun: str, entries: Sequence[Entry[T]]) -> Catalogue[T]:
    loaded = set(plugins.loaded)
    return Catalogue(noun, [entry for entry in entries if entry.plugin in loaded])


def find_suite(registry: Registry, name: str) -> Suite:
    """A registered suite, whose names mean what its own package registers, if others do, too.

    Raises
    ------
    SuiteError
        If there is none of that name.
    """
    try:
        entry = registry.suites.find(name)
    except HcbenchError as error:
        raise SuiteError(f"{error} (a TOML file is given as ./{name}.toml)") from error
    return _qualified(entry.spec, registry, entry.plugin.distribution)


def _qualified(suite: Suite, registry: Registry, distribution: str) -> Suite:
    """A suite in which names that several packages register are those of one of them."""
    lists: dict[str, Any] = {}
    for kind in ("algorithms", "datasets", "oracles", "metrics"):
        catalogue: Catalogue[Any] = getattr(registry, kind)
        names = getattr(suite, kind)
        lists[kind] = tuple(catalogue.qualify(name, distribution) for name in names)
    only = []
    for algorithm, dataset, *oracles in suite.only:
        row = [registry.algorithms.qualify(algorithm, distribution)]
        row.append(registry.datasets.qualify(dataset, distribution))
        for oracle in oracles:
            row.append(registry.oracles.qualify(oracle, distribution))
        only.append(tuple(row))
    return replace(suite, only=tuple(only), **lists)


def default_suite(registry: Registry, algorithms: Sequence[str]) -> Suite | None:
    """The registered suite with the defaults for these algorithms; None if there is none.

    If all of them return partitions it is that for partitions, else that for trees. Wrong names are
    left to `make_plan`, which reports all of them at once.
    """
    try:
        kinds = {use.spec.returns for name in algorithms for use in registry.use_algorithms(name)}
        return find_suite(registry, "compare-cuts" if kinds == {"partition"} else "compare")
    except HcbenchError:
        return None


def with_defaults(
    suite: Suite,
    registry: Registry,
    entries: Iterable[str] = ("algorithms", "datasets", "metrics"),
) -> Suite:
    """Fill these entries of a suite, where they are empty, from the suite of defaults."""
    defaults = default_suite(registry, suite.algorithms)
    if defaults is None:
        return suite
    missing = {name: getattr(defaults, name) for name in entries if not getattr(suite, name)}
    return replace(suite, **missing)
