"""Everything that plugins register, found by name, and specs with all their parameters resolved.

`specs` and `suite` are what plugins declare, `hookspecs` the hooks that return it, and `plugins`
finds and loads them; `names` reads ``NAME[param=value]``, `fingerprint` tells when code changes.

The names in ``__all__`` are public: commands of plugins that choose what runs use them. An
`Interval` has the limits of a metric. `read_suite` reads the suite of a plugin from a TOML file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from hcbench.errors import (
    HcbenchError,
    ParameterError,
    SuiteError,
    UnknownNameError,
)
from hcbench.model.regular_files import check_regular
from hcbench.registry.catalogue import Catalogue, Entry
from hcbench.registry.command_specs import CommandSpec, ExecutorSpec
from hcbench.registry.fingerprint import installation
from hcbench.registry.making import make_use
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.names import Name, format_name, parse_name, split_alias
from hcbench.registry.parameters import Interval, Value
from hcbench.registry.plugins import Plugin, Plugins
from hcbench.registry.repeats import Repeats
from hcbench.registry.resolving import default_uses, resolve_uses
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, OracleSpec, Spec, unmet
from hcbench.registry.suite import Suite
from hcbench.registry.suite_files import read_suite
from hcbench.registry.uses import Use, different_uses

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
    "read_suite",
    "split_alias",
    "unmet",
]

T = TypeVar("T", bound="Spec | Suite | CommandSpec")

#: The kinds of what a suite names, as `Registry` has them, and the options that name them.
_OPTIONS = {
    "algorithms": "--algos",
    "datasets": "--datasets",
    "oracles": "--oracles",
    "metrics": "--metrics",
}


class Registry:
    """Everything that plugins register.

    Parameters
    ----------
    plugins : Plugins

    Raises
    ------
    PluginError
        If a hook of a plugin file that was asked for is broken.

    Examples
    --------
    >>> registry = hcbench.load_registry()
    >>> registry.metrics.find("ARI").spec.direction
    'higher'
    >>> [use.label for use in registry.use_datasets("shapes[n=[20, 40]]")]
    ['shapes[n=20]', 'shapes[n=40]']
    """

    def __init__(self, plugins: Plugins) -> None:
        self.plugins = plugins
        # All hooks are called before a catalogue is made: a plugin with a broken hook is in none.
        algorithms = _collect(plugins, "hcbench_algorithms", AlgorithmSpec, self)
        datasets = _collect(plugins, "hcbench_datasets", DatasetSpec, self)
        oracles = _collect(plugins, "hcbench_oracles", OracleSpec, self)
        metrics = []
        for entry in _collect(plugins, "hcbench_metrics", MetricSpec, self):
            # A metric with several outputs is an entry for each.
            for spec in entry.spec.split():
                metrics.append(replace(entry, spec=spec))
        suites = _collect(plugins, "hcbench_suites", Suite, self)
        commands = _collect(plugins, "hcbench_commands", CommandSpec, self)
        executors = _collect(plugins, "hcbench_executors", ExecutorSpec, self)
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
        for key in params:
            if key in name.params:
                raise ParameterError(f"{key} of {text} is given twice: leave one out")
        return self._uses("algorithms", replace(name, params={**name.params, **params}))

    def _uses(self, kind: str, name: Name) -> list[Use[Any]]:
        """The uses of a name or pattern, which may be of another kind by mistake."""
        catalogue: Catalogue[Any] = getattr(self, kind)
        pattern = name.base
        is_tag = pattern.startswith("@")
        if kind == "metrics" and not is_tag and catalogue.matching(f"{pattern}.*"):
            pattern += ".*"  # all outputs of a metric
        if is_tag or "*" in pattern:
            entries = catalogue.matching(pattern)
            if entries:
                uses = []
                for entry in entries:
                    one_name = replace(name, base=entry.full_name)
                    uses += resolve_uses(catalogue, one_name)
                return uses
        try:
            return resolve_uses(catalogue, name)
        except UnknownNameError:
            for other_kind, option in _OPTIONS.items():
                other_catalogue: Catalogue[Any] = getattr(self, other_kind)
                if other_catalogue.has(name.base):
                    raise UnknownNameError(
                        f"{name.base!r} is of the kind {other_catalogue.noun}: name it with "
                        f"{option}"
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
        uses_of_names = [(name, self.use_metrics(name)) for name in names]
        uses = different_uses("metrics", uses_of_names, repeats)
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
        if self.datasets.has(label):
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
                if not path.expanduser().exists():
                    # It says that the file is missing, and which one may be meant.
                    check_regular(path)
                raise UnknownNameError(
                    f"{name.base} is no data set: save it as one of {self.file_endings}, or pass "
                    "its contents to hcbench.compare in Python"
                )
            return self._uses("datasets", name)
        except UnknownNameError as error:
            for file in sorted(path.parent.glob("*.*")):
                if file.stem == path.name and file.suffix.lower() in self._endings:
                    meant = f"{name.base}{file.suffix}"
                    raise UnknownNameError(f"{name.base} is no data set; write {meant}") from error
            raise

    def reader_of(self, path: Path) -> Entry[DatasetSpec] | None:
        """The data set that reads files with this ending, and with the opening of this file."""
        ending = path.suffix.lower()
        # Without an ending it is the name of a data set, unless there is such a file.
        if ending:
            readers = []
            for entry in self.datasets.entries:
                if ending in entry.spec.suffixes:
                    readers.append(entry)
            # Those that tell their files by the content come first.
            readers.sort(key=lambda entry: not entry.spec.opening)
            for entry in readers:
                if _begins_with(path.expanduser(), entry.spec.opening):
                    return entry
        if not path.expanduser().is_file():
            return None
        # A file of a program such as outfile of PHYLIP; its reader says what else is not read.
        for entry in self.datasets.entries:
            if "" in entry.spec.suffixes:
                return entry
        return None

    @property
    def file_endings(self) -> str:
        """The endings of all files that can be read, for messages."""
        return ", ".join(sorted(self._endings))

    @property
    def _endings(self) -> set[str]:
        endings: set[str] = set()
        for entry in self.datasets.entries:
            endings.update(entry.spec.suffixes)
        endings.discard("")
        return endings

    def find(self, name: str) -> list[Entry[Any]]:
        """All entries of that name, of any kind.

        Raises
        ------
        UnknownNameError
        """
        base = parse_name(name).base
        entries: list[Entry[Any]] = []
        for catalogue in self.catalogues:
            with suppress(UnknownNameError):
                entries.append(catalogue.find(base))
        if not entries:
            all_entries: list[Entry[Any]] = []
            for catalogue in self.catalogues:
                all_entries += catalogue.entries
            # It raises the error, with the closest names of any kind.
            Catalogue("algorithm, data set, oracle, metric or suite", all_entries).find(base)
        return entries

    @property
    def catalogues(self) -> tuple[Catalogue[Any], ...]:
        """The catalogues of all that suites name, and of suites."""
        return (self.algorithms, self.datasets, self.oracles, self.metrics, self.suites)


def _begins_with(path: Path, opening: str) -> bool:
    """Whether a regular file begins with a text; True if any content will do."""
    if not opening:
        return True
    if not path.is_file():
        return False
    expected = opening.encode()
    try:
        with path.open("rb") as stream:
            return stream.read(len(expected)) == expected
    except OSError:
        return False  # the reader of the ending says why it cannot be read


@lru_cache(maxsize=1)
def _installed() -> Registry:
    return Registry(Plugins())


def load_registry(files: str | Path | Sequence[str | Path] = ()) -> Registry:
    """Everything that is registered.

    Parameters
    ----------
    files : path or sequence of path
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

    Examples
    --------
    >>> registry = load_registry()
    >>> registry.algorithms.find("upgma").spec.name
    'UPGMA'
    >>> [use.label for use in registry.use_oracles("quadruplet-set[p=[0.1,0.2]]")]
    ['quadruplet-set[p=0.1]', 'quadruplet-set[p=0.2]']
    >>> from pathlib import Path
    >>> _ = Path("my_suites.py").write_text('''
    ... import hcbench
    ...
    ... @hcbench.hookimpl
    ... def hcbench_suites():
    ...     return [hcbench.Suite(name="mine", algorithms=("UPGMA", "Ward"))]
    ... ''')
    >>> load_registry("my_suites.py").suites.find("mine").spec.algorithms
    ('UPGMA', 'Ward')
    """
    if not files:
        return _installed()
    if isinstance(files, str | Path):
        files = [files]
    paths = [Path(file) for file in files]
    return Registry(Plugins(paths))


def find_commands(plugins: Plugins) -> Catalogue[CommandSpec]:
    """The commands that plugins add, without asking the plugins for anything else."""
    return _catalogue(plugins, "command", _collect(plugins, "hcbench_commands", CommandSpec))


def find_executors(plugins: Plugins) -> Catalogue[ExecutorSpec]:
    """The executors that plugins offer, without asking the plugins for anything else."""
    return _catalogue(plugins, "executor", _collect(plugins, "hcbench_executors", ExecutorSpec))


def _collect(
    plugins: Plugins, hook: str, kind: type[T], registry: Registry | None = None
) -> list[Entry[T]]:
    """The specs that plugins return from a hook; a plugin with a wrong one is refused."""
    entries: dict[str, Entry[T]] = {}
    for plugin, specs in plugins.registered(hook):
        for spec in specs:
            if not isinstance(spec, kind):
                plugins.refuse(plugin, f"{hook} must return {kind.__name__}s, got {spec!r}")
                continue
            entry = Entry(spec, plugin, registry)
            full_name = entry.full_name.casefold()
            if full_name in entries:
                # Two entry points of one distribution register the name.
                first = entries[full_name].plugin.name
                plugins.refuse(plugin, f"{spec.name} is registered by {first} already")
                continue
            entries[full_name] = entry
    return list(entries.values())


def _catalogue(plugins: Plugins, noun: str, entries: Sequence[Entry[T]]) -> Catalogue[T]:
    """The catalogue of the entries whose plugins have not been refused."""
    # A plugin that failed in one hook registers nothing, also what other hooks returned.
    loaded = set(plugins.loaded)
    usable = [entry for entry in entries if entry.plugin in loaded]
    return Catalogue(noun, usable)


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
    for kind in _OPTIONS:
        catalogue: Catalogue[Any] = getattr(registry, kind)
        qualified = []
        for name in getattr(suite, kind):
            qualified.append(catalogue.qualify(name, distribution))
        lists[kind] = tuple(qualified)
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
        kinds = set()
        for name in algorithms:
            for use in registry.use_algorithms(name):
                kinds.add(use.spec.returns)
        suite_name = "compare"
        if kinds == {"partition"}:
            suite_name = "compare-cuts"
        return find_suite(registry, suite_name)
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
    missing: dict[str, Any] = {}
    for entry_name in entries:
        if not getattr(suite, entry_name):
            missing[entry_name] = getattr(defaults, entry_name)
    return replace(suite, **missing)
