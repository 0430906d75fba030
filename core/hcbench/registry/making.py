"""Uses: specs with all their parameters, made from the values of some."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from hcbench.registry.names import format_name, parse_file
from hcbench.registry.parameters import Parameter, Params, Value
from hcbench.registry.plugins import Plugin
from hcbench.registry.specs import DatasetSpec, Spec
from hcbench.registry.uses import Lookup, Use, file_digest

S = TypeVar("S", bound=Spec)


def make_use(
    spec: S, plugin: Plugin, options: Mapping[str, Value], registry: Lookup | None = None
) -> Use[S]:
    """Resolve the parameters of a spec.

    Parameters
    ----------
    spec : Spec
    plugin : Plugin
        It registers the spec.
    options : mapping of str to value
        Values of some parameters; the others have their defaults.
    registry : Registry, optional
        For a data set that is made of others, which are looked up in it.

    Raises
    ------
    ParameterError
        If one is unknown, missing, of the wrong type or out of range.
    DataError
        If a parameter names a file that cannot be read.

    Examples
    --------
    >>> entry = hcbench.load_registry().datasets.find("shapes")
    >>> use = make_use(entry.spec, entry.plugin, {"n": 20, "kind": "blobs"})
    >>> use.label
    'shapes[n=20]'
    """
    params = spec.resolve(options)
    # A label has only the parameters that are not the defaults.
    label_params = {}
    for parameter in spec.parameters:
        value = params[parameter.name]
        if value != parameter.default:
            label_params[parameter.name] = _as_written(parameter, value)
    digests = {}
    for name in spec.file_parameters:
        if params[name]:
            file = parse_file(str(params[name]))
            # Another tree of the same file is another input.
            digests[name] = format_name(file_digest(file.base), file.params)
    if isinstance(spec, DatasetSpec):
        digests.update(_digests_of_optional_files(spec, params))
    base = spec.name
    if isinstance(spec, DatasetSpec) and spec.suffixes and "path" in label_params:
        # A data set that is read from a file is called by the name of the file.
        base = str(label_params.pop("path"))
    label = format_name(base, label_params)
    return Use(spec, plugin, params, label, digests, registry=registry)


def _digests_of_optional_files(spec: DatasetSpec, params: Params) -> dict[str, str]:
    """The digests of values that name files, by their parameters."""
    digests = {}
    for name in spec.optional_files:
        value = params[name]
        values = [value]
        if isinstance(value, tuple):
            values = list(value)
        file_digests = []
        for text in values:
            # What names no file is something else, such as a column.
            if text and Path(str(text)).expanduser().is_file():
                file_digests.append(file_digest(str(text)))
        if file_digests:
            digests[name] = ",".join(file_digests)
    return digests


def values_of_grid(parameter: Parameter | None, value: Value) -> tuple[Value, ...]:
    """A list is a grid, unless the parameter itself is a list: then a list of lists is."""
    if not isinstance(value, tuple) or not value:
        return (value,)
    if parameter is not None and parameter.type == "list" and not isinstance(value[0], tuple):
        return (value,)
    return value


def _as_written(parameter: Parameter, value: Value) -> Value:
    """A value as it is written in a name: a list that would be read as a grid is nested."""
    if values_of_grid(parameter, value) == (value,):
        return value
    return (value,)
