"""Everything that plugins register."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from hcbench.errors import DataError, ParameterError, UnknownNameError
from hcbench.registry.catalogues import Catalogue, Entry, T
from hcbench.registry.names import Name, parse_name
from hcbench.registry.plugins import Plugins
from hcbench.registry.specs import (
    AlgorithmSpec,
    CommandSpec,
    DatasetSpec,
    MetricSpec,
    OracleSpec,
    Value,
)
from hcbench.registry.suite import Suite
from hcbench.registry.uses import Use, resolve_uses


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
        metrics = _collect(plugins, "hcbench_metrics", MetricSpec)
        suites = _collect(plugins, "hcbench_suites", Suite)
        commands = _collect(plugins, "hcbench_commands", CommandSpec)
        plugins.check_files()
        self.algorithms = _catalogue(plugins, "algorithm", algorithms)
        self.datasets = _catalogue(plugins, "data set", datasets)
        self.oracles = _catalogue(plugins, "oracle", oracles)
        self.metrics = _catalogue(plugins, "metric", metrics)
        self.suites = _catalogue(plugins, "suite", suites)
        self.commands = _catalogue(plugins, "command", commands)

    def use_algorithms(self, text: str, /, **params: Value) -> list[Use[AlgorithmSpec]]:
        """The algorithms of one ``NAME[param=value]``: several if a parameter is a grid.

        Further parameters may be given as keywords.
        """
        name = parse_name(text)
        for twice in params.keys() & name.params.keys():
            raise ParameterError(f"{twice} of {text} is given twice: leave one out")
        return resolve_uses(self.algorithms, replace(name, params={**name.params, **params}))

    def use_oracles(self, text: str) -> list[Use[OracleSpec]]:
        """The oracles of one ``NAME[param=value]``."""
        return resolve_uses(self.oracles, parse_name(text))

    def use_metrics(self, text: str) -> list[Use[MetricSpec]]:
        """The metrics of one ``NAME[param=value]``."""
        return resolve_uses(self.metrics, parse_name(text))

    def use_datasets(self, text: str) -> list[Use[DatasetSpec]]:
        """The data sets of one ``NAME[param=value]`` or file name."""
        return resolve_uses(self.datasets, self._as_file(parse_name(text)))

    def _as_file(self, name: Name) -> Name:
        """``./data.csv[...]`` describes the data set that reads such files."""
        reader = self.reader_of(Path(name.base))
        if reader is not None:
            return Name(name.text, reader.full_name, {"path": name.base, **name.params})
        if "/" in name.base:
            raise DataError(
                f"{name.base} is no data set: give a file that ends in {self.file_endings}"
            )
        return name

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
        With ``algorithms``, ``datasets``, ``oracles``, ``metrics``, ``suites`` and ``commands``.

    Raises
    ------
    PluginError
        If one of ``files`` is broken; installed plugins that are broken are skipped.
    """
    return Registry(Plugins([Path(file) for file in files])) if files else _installed()


def find_commands(plugins: Plugins) -> Catalogue[CommandSpec]:
    """The commands that plugins add, without asking the plugins for anything else."""
    return _catalogue(plugins, "command", _collect(plugins, "hcbench_commands", CommandSpec))


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
