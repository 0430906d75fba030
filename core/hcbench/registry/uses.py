"""Specs with all their parameters resolved, as ``NAME[param=value]`` describes them."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from hcbench.errors import DataError, ParameterError
from hcbench.registry.catalogues import Catalogue
from hcbench.registry.fingerprint import core_fingerprint, installed_version
from hcbench.registry.names import Name, format_name, parse_name
from hcbench.registry.plugins import Plugin
from hcbench.registry.specs import DatasetSpec, OracleSpec, Parameter, Params, Spec, Value

S = TypeVar("S", bound=Spec)


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
    """

    spec: S
    plugin: Plugin
    params: Mapping[str, Value]
    label: str
    digests: Mapping[str, str]

    @cached_property
    def seed_name(self) -> str:
        """The name and parameters from which seeds are derived; files count by their content."""
        return json.dumps([self.spec.name, {**self.params, **self.digests}])

    @cached_property
    def parts(self) -> tuple[Use[Any], ...]:
        """The uses that are named in its parameters."""
        find = self.spec.parts if isinstance(self.spec, DatasetSpec) else None
        return () if find is None else tuple(find(self.params))

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """Versions of all code that decides its result: core, its plugin, and required packages."""
        required = {name: installed_version(name) for name in sorted(self.spec.requires)}
        own = {
            "hcbench core": core_fingerprint(),
            self.plugin.name: self.plugin.fingerprint,
            **required,
        }
        return own | {name: text for part in self.parts for name, text in part.fingerprints.items()}

    @cached_property
    def identity(self) -> str:
        """Its part of the key of a cell."""
        parts = [part.identity for part in self.parts]
        return json.dumps([self.plugin.distribution, self.fingerprints, self.seed_name, *parts])


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
        raise DataError.of_file("read", name, error) from error
