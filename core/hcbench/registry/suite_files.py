"""Suites as TOML files, and as the plain values that are stored with a run.

msgspec checks each entry against the type that `Suite`, `Claim` or `Figure` declares for it. The
messages are written here: those of msgspec have neither the value nor what to write instead.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, replace
from functools import lru_cache
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from hcbench.errors import NameSyntaxError, ParameterError, SuiteError
from hcbench.model.regular_files import read_regular
from hcbench.model.text import suggestion
from hcbench.registry.figure import Figure
from hcbench.registry.names import (
    GIB,
    SECONDS,
    format_name,
    parse_name,
    read_toml,
    split_alias,
    split_list,
)
from hcbench.registry.parameters import Value
from hcbench.registry.references import Reference
from hcbench.registry.suite import Claim, Suite

T = TypeVar("T", Suite, Claim, Figure)

#: The entries of a suite that are lists of names.
_LISTS_OF_NAMES = ("algorithms", "datasets", "oracles", "metrics")
#: The fields of a claim that are names.
_NAMES_OF_CLAIM = (
    "algorithm",
    "better_than",
    "dataset",
    "than_dataset",
    "oracle",
    "than_oracle",
    "metric",
)
#: Entries that may have a unit, as a text.
_QUANTITIES = {"timeout": SECONDS, "memory": GIB}
#: Entries that are tables of their own, each under its head.
_TABLES = {"claims": Claim, "figures": Figure}
#: Fields of a suite that a file cannot state.
_NOT_IN_FILES = ("noun", "paper")
#: What a file may have where the class has another type.
_TYPES_IN_FILES: dict[str, Any] = {
    # 1e6 is a float in TOML; `Suite` checks that the number is whole.
    "budgets": tuple[int | float | str, ...],
    "checkpoints": tuple[int | float, ...],
    # A whole number stays one, so that it is shown as it was written.
    "timeout": int | float | None,
    "memory": int | float | None,
    # Of a figure; a callable cannot be written.
    "function": str,
    # The class checks the values, and its message names the wrong one.
    "families": dict[str, Any],
    "corrected": dict[str, Any],
}
#: The type of the range of an axis.
_LIMITS = tuple[float, float] | None
#: What the lists hold that do not hold names, in messages.
_ITEMS = {
    "budgets": "numbers of queries, such as 500, or amounts, such as '5USD'",
    "checkpoints": "numbers of queries, such as 500",
}
#: What to write for each type, in messages.
_ADVICE = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def read_suite(path: Path, paper: Reference | None = None) -> Suite:
    r"""Read a suite from a TOML file.

    Relative file names in it, also those in parameters, are resolved against its own folder.

    Parameters
    ----------
    path : Path
        The name of the suite is that of the file, unless the file states another.
    paper : Reference, optional
        The publication whose claims the suite has.

    Raises
    ------
    SuiteError
        If the file is missing, is not TOML, or has an unknown or wrong entry.

    Examples
    --------
    >>> from pathlib import Path
    >>> path = Path("linkage.toml")
    >>> _ = path.write_text('algorithms = ["UPGMA", "Ward"]\ndatasets = ["iris"]')
    >>> suite = read_suite(path)
    >>> suite.name, suite.algorithms
    ('linkage', ('UPGMA', 'Ward'))
    """
    try:
        entries = read_toml(read_regular(path).decode("utf-8-sig"))
    except OSError as error:
        read_error = SuiteError.of_file("read", path, error)
        if isinstance(error, FileNotFoundError) and "did you mean" not in str(read_error):
            # Other files in the folder are no suites, as a rule.
            raise SuiteError(
                f"cannot read {path}: {error.strerror}; hcbench list suites shows those that are "
                "registered, which are named without ./ and .toml"
            ) from error
        raise read_error from error
    except ValueError as error:
        raise SuiteError(f"suite {path} is not valid TOML: {error}") from error
    entries.setdefault("name", path.stem)
    suite = replace(_of_table(Suite, entries, str(path)), paper=paper)
    return _relative_to(Path(os.path.abspath(path)).parent, suite)


def describe_suite(suite: Suite) -> dict[str, Any]:
    """A suite in plain values, without its paper and without figures of callables."""
    figures = []
    for figure in suite.figures:
        # A function itself has no plain value, unlike its name.
        if isinstance(figure.function, str):
            figures.append(figure)
    described = asdict(replace(suite, figures=tuple(figures), paper=None))
    del described["paper"]
    if not suite.families:
        # Suites that were stored before families could be stated have none, too.
        del described["families"]
    return described


def rebuild_suite(described: Mapping[str, Any]) -> Suite:
    """The suite that `describe_suite` described, also after a round trip through JSON."""
    return _of_table(Suite, described, "the suite of a run")


# ---- The types of entries ------------------------------------------------------------------------


def _of_table(kind: type[T], entries: Mapping[str, Any], source: str) -> T:
    """A suite, or one of its claims or figures, of the entries of its TOML table.

    Raises
    ------
    SuiteError
        If an entry is unknown, missing or of the wrong type.
    """
    noun = kind.__name__.lower()
    owner = "" if kind is Suite else f" of a {noun}"
    types = _types_of(kind.__name__)
    values = {}
    for name, value in entries.items():
        if name not in types:
            raise _unknown_entry(name, owner, types, source)
        declared = _TYPES_IN_FILES.get(name, types[name])
        values[name] = _entry(f"{name}{owner}", value, declared, source)
    missing = []
    for entry in fields(kind):
        is_required = entry.default is MISSING and entry.default_factory is MISSING
        if is_required and entry.name not in entries:
            missing.append(entry.name)
    if missing:
        raise SuiteError(f"{source}: a {noun} needs {', '.join(missing)}; got {dict(entries)!r}")
    try:
        return kind(**values)
    except (ParameterError, SuiteError) as error:
        raise SuiteError(f"{source}: {error}") from error


@lru_cache(maxsize=3)
def _types_of(name: str) -> dict[str, Any]:
    """The declared types of the entries of a suite, a claim or a figure."""
    kinds: dict[str, Any] = {"Suite": Suite, "Claim": Claim, "Figure": Figure}
    types = get_type_hints(kinds[name])
    if name == "Suite":
        for excluded in _NOT_IN_FILES:
            del types[excluded]
    return types


def _unknown_entry(name: str, owner: str, types: Mapping[str, Any], source: str) -> SuiteError:
    hint = suggestion(name, types) or f"there are {', '.join(sorted(types))}"
    return SuiteError(f"{source}: unknown entry {name!r}{owner}; {hint}")


def _entry(name: str, value: Any, declared: Any, source: str) -> Any:
    """The value of an entry, if it is of the declared type."""
    if name == "only":
        return _restrictions(value, source)
    if name in _TABLES:
        return _tables(name, value, source)
    if name in _QUANTITIES and isinstance(value, str):
        try:
            return _QUANTITIES[name].read(value)
        except ParameterError as error:
            raise SuiteError(f"{source}: {name}: {error}") from error
    if _has_plain_type(value, declared):
        return tuple(value) if isinstance(value, list) else value
    import msgspec  # takes 40 ms, which suites of plugins save

    try:
        return msgspec.convert(value, declared)
    except msgspec.ValidationError as error:
        raise SuiteError(f"{source}: {_type_message(name, value, declared)}") from error


def _has_plain_type(value: Any, declared: Any) -> bool:
    """Whether a value is a text, number or list of texts as declared, which needs no conversion."""
    if declared == tuple[str, ...] and isinstance(value, list):
        return all(type(item) is str for item in value)
    if declared == _LIMITS and isinstance(value, list):
        return len(value) == 2 and all(type(item) is float for item in value)
    return type(value) is declared


def _type_message(name: str, value: Any, declared: Any) -> str:
    """That an entry has the wrong type, and what to write instead."""
    if name == "paper of a claim":
        return f"{name} has the wrong type: {value!r}: write the printed number as text"
    if get_origin(declared) is tuple:
        items = _ITEMS.get(name, "names in quotes")
        return f"{name} must be a list of {items}, got {value!r}"
    if name in _QUANTITIES:
        advice = _QUANTITIES[name].examples
    elif get_origin(declared) is dict:
        advice = "a table"
    else:
        types = get_args(declared) or (declared,)
        # None is an absent entry, as TOML has no null.
        advice = " or ".join([_ADVICE[kind] for kind in types if kind is not NoneType])
    return f"{name} has the wrong type: {value!r}; write {advice}"


def _tables(name: str, value: Any, source: str) -> tuple[Any, ...]:
    """The claims or the figures of a suite."""
    are_tables = isinstance(value, list | tuple)
    if not are_tables or not all(isinstance(table, Mapping) for table in value):
        raise SuiteError(f"{source}: {name} are tables, each under [[{name}]]")
    entries = [_of_table(_TABLES[name], table, source) for table in value]
    return tuple(entries)


def _restrictions(value: Any, source: str) -> tuple[tuple[str, ...], ...]:
    """Tuples of two or three names from the lists of TOML and JSON.

    They are checked here, as msgspec would say of a row only that its length is wrong.
    """
    rows = [value]
    if isinstance(value, list | tuple):
        rows = list(value)
    for row in rows:
        has_names = isinstance(row, list | tuple) and all(isinstance(name, str) for name in row)
        if not has_names or len(row) not in (2, 3):
            raise SuiteError(
                f"{source}: only must be a list of [algorithm, data set] or [algorithm, data set, "
                f"oracle], got {row!r}"
            )
    return tuple(map(tuple, rows))


# ---- Files in names ------------------------------------------------------------------------------


def _relative_to(folder: Path, suite: Suite) -> Suite:
    """A suite whose names of files are relative to a folder."""
    lists: dict[str, Any] = {}
    for entry in _LISTS_OF_NAMES:
        lists[entry] = _all_beside(folder, getattr(suite, entry))
    families = {}
    for name, family in suite.families.items():
        families[_beside(folder, name)] = family
    claims = []
    for claim in suite.claims:
        names: dict[str, Any] = {}
        for field_name in _NAMES_OF_CLAIM:
            names[field_name] = _list_beside(folder, getattr(claim, field_name))
        claims.append(replace(claim, **names))
    only = [_all_beside(folder, row) for row in suite.only]
    return replace(
        suite,
        **lists,
        only=tuple(only),
        families=families,
        claims=tuple(claims),
    )


def _all_beside(folder: Path, texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([_beside(folder, text) for text in texts])


def _list_beside(folder: Path, text: str) -> str:
    """The names of a claim, which are separated by commas."""
    try:
        parts = split_list(text)
    except NameSyntaxError:
        return text
    if len(parts) < 2 or (folder / text).is_file():
        return _beside(folder, text)
    return ", ".join(_all_beside(folder, tuple(parts)))


def _beside(folder: Path, text: str) -> str:
    """A name in which files, also those in parameters, are relative to a folder.

    A file name begins with ``./`` or ``../``, or has an ending and exists.
    """
    label, described = split_alias(text)
    if label:
        return f"{label}={_beside(folder, described)}"
    try:
        name = parse_name(text)
    except NameSyntaxError:
        # Empty, or refused where it is used.
        return text
    base = _file_of(folder, name.base)
    params = {}
    for key, value in name.params.items():
        params[key] = _files_in(folder, value)
    if params != name.params:
        return format_name(base, params)
    if base == name.base:
        return text
    # The parameters stay as they are written.
    _, bracket, parameters = text.partition("[")
    return f"{base}{bracket}{parameters}"


def _files_in(folder: Path, value: Value) -> Value:
    """The same for a value of a parameter, as names may be nested."""
    if isinstance(value, tuple):
        return tuple([_files_in(folder, item) for item in value])
    if not isinstance(value, str):
        return value
    if "[" in value:
        return _beside(folder, value)
    return _file_of(folder, value)


def _file_of(folder: Path, text: str) -> str:
    """A text as the name of a file relative to a folder, if it is the name of a file."""
    is_file = text.startswith(("./", "../"))
    if not is_file and "." in text and "\0" not in text:
        is_file = (folder / text).is_file()
    if not is_file:
        return text
    return os.path.normpath(folder / text)
