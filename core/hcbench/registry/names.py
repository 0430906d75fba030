"""``NAME[param=value,...]``: how users write what to compare.

Values are in TOML syntax, bare words are strings, a list is a grid, names nest. Times and amounts
of memory are written with their units.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from hcbench.errors import NameSyntaxError, ParameterError
from hcbench.model.numbers import read_number
from hcbench.registry.parameters import Params, Value

#: Commas between these separate no names.
_OPEN = "[{"
_CLOSE = "]}"
_QUOTES = "\"'"
#: The most brackets inside each other, and parts of a key.
_DEEPEST = 50
_LONG_KEY = re.compile(rf"(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{_DEEPEST}}}")
#: A name in quotes, with the bracket of its parameters if it has some.
_QUOTED = re.compile(r"""("(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')\s*+(\[|$)""")
#: Of the name of a file: what would end it, or begin its parameters or the next name.
_NEEDS_QUOTES = re.compile(r"[,\[\]{}\"'\x00-\x1f\x7f]|^\s|\s$")
#: A text that needs no quotes: a word, a path, or a name with parameters.
_BARE = re.compile(r"[\w./:+~-]+(\[.*\])?")


@dataclass(frozen=True, slots=True)
class Name:
    """A name with its parameters; a list in the text is a tuple here."""

    base: str
    params: Mapping[str, Value]


def split_list(text: str) -> list[str]:
    """Split at the commas outside of brackets and quotes.

    Raises
    ------
    NameSyntaxError
        If a bracket or quote is not closed.
    """
    parts = []
    start = 0  # of the present part
    depth = 0  # brackets that are open
    for position, char in _outside_of_quotes(text):
        if char in _OPEN:
            depth += 1
            if depth > _DEEPEST:
                raise NameSyntaxError(
                    f"{text[:20]!r}...: brackets are nested more than {_DEEPEST} deep"
                )
        elif char in _CLOSE:
            depth -= 1
            if depth < 0:
                raise NameSyntaxError(f"{text!r}: {char!r} at {position + 1} closes nothing")
        elif char == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    if depth:
        raise _not_closed(text, "a bracket")
    parts.append(text[start:].strip())
    # A comma at the end of a list separates nothing, as in TOML.
    return list(filter(None, parts))


def _outside_of_quotes(text: str) -> Iterator[tuple[int, str]]:
    """The characters outside of quotes, with their positions."""
    quote = ""  # the quote that is open; "" outside of quotes
    escaped = False  # behind a backslash, which escapes in double quotes only, as in TOML
    for position, char in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped = quote == '"' and char == "\\"
            if char == quote:
                quote = ""
        elif char in _QUOTES:
            quote = char
        else:
            yield position, char
    if quote:
        raise _not_closed(text, quote)


def _not_closed(text: str, mark: str) -> NameSyntaxError:
    advice = "write NAME[param=value], in quotes for the shell"
    return NameSyntaxError(f"{text!r}: {mark} is not closed; {advice}")


def parse_name(text: str) -> Name:
    """Read one name with its parameters.

    Raises
    ------
    NameSyntaxError
        If it is not of the form ``NAME`` or ``NAME[param=value,...]``.

    Examples
    --------
    >>> name = parse_name("shapes[n=20,noise=0.5]")
    >>> name.base
    'shapes'
    >>> name.params
    {'n': 20, 'noise': 0.5}
    """
    if not isinstance(text, str):
        raise NameSyntaxError(f"a name is a text, such as 'UPGMA'; got {text!r:.60}")
    text = text.strip()
    if not text.isascii() and text.encode(errors="replace").decode() != text:
        raise NameSyntaxError(f"{text!r} is no Unicode text; write it in UTF-8")
    base, bracket, inside = _split_base(text)
    if not base:
        raise NameSyntaxError(f"{text!r} has no name; write NAME or NAME[param=value]")
    if not bracket:
        return Name(base, {})
    if "]" not in inside:
        raise _not_closed(text, "a bracket")
    if not inside.endswith("]"):
        raise NameSyntaxError(f"{text!r}: write NAME[param=value], nothing after the bracket")
    params: dict[str, Value] = {}
    for part in split_list(inside[:-1]):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not key or not value.strip():
            raise NameSyntaxError(
                f"{text!r}: {part!r} is no param=value; write NAME[param=value,...]"
            )
        if key in params:
            raise NameSyntaxError(f"{text!r}: {key} is given twice; a list is a grid: {key}=[...]")
        params[key] = parse_value(value.strip())
    return Name(base, params)


#: A label that the user gives, before what it stands for; no path.
_ALIAS = re.compile(r"\s*([\w][\w .+-]*?)\s*=\s*(?=\S)(.*)", re.DOTALL)


def split_alias(text: str) -> tuple[str, str]:
    """The label of ``LABEL=NAME[param=value]``, "" if there is none, and the name.

    A file whose own name has a ``=`` in it is no label.

    Examples
    --------
    >>> split_alias("small=shapes[n=20]")
    ('small', 'shapes[n=20]')
    >>> split_alias("shapes[n=20]")
    ('', 'shapes[n=20]')
    """
    match = _ALIAS.fullmatch(text)
    if match is None or Path(text.partition("[")[0]).expanduser().exists():
        return "", text
    return match[1], match[2]


def _split_base(text: str) -> tuple[str, str, str]:
    """What comes before the first bracket, the bracket, and what follows."""
    quoted = _QUOTED.match(text)
    if quoted is None:
        base, bracket, inside = text.partition("[")
        return base.strip().strip(_QUOTES), bracket, inside
    # The name of a file may have brackets, commas and quotes in it.
    try:
        base = str(read_toml(f"value = {quoted[1]}")["value"])
    except ValueError:
        base = quoted[1].strip(_QUOTES)
    return base, quoted[2], text[quoted.end() :]


def parse_file(text: str) -> Name:
    """Read the name of a file, which may have parameters, such as ``FILE[tree=3]``.

    A file whose own name ends with a bracket is taken as it is.

    Raises
    ------
    NameSyntaxError
        If it is neither of the form ``FILE`` nor ``FILE[param=value,...]``.
    """
    if not text.endswith("]") or Path(text).expanduser().exists():
        return Name(text, {})
    return parse_name(text)


def parse_value(text: str) -> Value:
    """Read one value: TOML, else a list of values, else a bare word, or a text in braces.

    Raises
    ------
    NameSyntaxError
        If it is none of these.
    """
    try:
        value = read_toml(f"value = {text}")["value"]
    except ValueError:
        if text.startswith("[") and text.endswith("]"):
            return _parse_list(text)
        if text.startswith("{") and text.endswith("}") and split_list(text) == [text]:
            return text  # a plugin reads what is in braces
        if not _BARE.fullmatch(text):
            why = "is no value; put quotes around words, and commas between parameters"
            raise NameSyntaxError(f"{text!r:.80} {why}") from None
        return text
    return _plain(value, text)


def _parse_list(text: str) -> tuple[Value, ...]:
    """Read the values of a list, each for itself: words need no quotes in it."""
    values = [parse_value(part) for part in split_list(text[1:-1])]
    return tuple(values)


def read_toml(text: str) -> dict[str, Any]:
    """Read TOML, but no text that would take all memory or the whole stack.

    Raises
    ------
    ValueError
        If it is not TOML, or is nested too deeply.
    """
    if _LONG_KEY.search(text):
        raise ValueError(f"a key has more than {_DEEPEST} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("brackets are nested too deep") from None


def _plain(value: object, text: str) -> Value:
    """A value that TOML has read from a text, as a parameter has it."""
    if isinstance(value, list):
        return _parse_list(text)
    if isinstance(value, bool | str):
        return value
    if isinstance(value, float) and math.isnan(value):
        raise NameSyntaxError("nan is no value of a parameter")
    if isinstance(value, int | float):
        if read_number(text) is None:
            # TOML has more numbers than data have: 1_1 and 0x1A may be names of columns.
            return text
        return value
    # A date or a table, which no parameter is.
    return text


def format_value(value: Value) -> str:
    """Write a value as `parse_value` reads it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    if isinstance(value, tuple):
        return f"[{','.join(map(format_value, value))}]"
    if isinstance(value, str):
        if _is_bare(value):
            return value
        return _in_quotes(value)
    return repr(value)


def _is_bare(text: str) -> bool:
    """Whether a text is read as itself without quotes."""
    try:
        return parse_value(text) == text
    except NameSyntaxError:
        return False


def format_name(base: str, params: Mapping[str, Value]) -> str:
    """Write a name with parameters as `parse_name` reads it.

    Examples
    --------
    >>> format_name("shapes", {"n": 20, "noise": 0.5})
    'shapes[n=20,noise=0.5]'
    >>> format_name("UPGMA", {})
    'UPGMA'
    """
    if _NEEDS_QUOTES.search(base):
        base = _in_quotes(base)
    if not params:
        return base
    parts = []
    for key, value in params.items():
        parts.append(f"{key}={format_value(value)}")
    return f"{base}[{','.join(parts)}]"


def names_in_grid(text: str) -> list[str]:
    """The names of a grid, ``NAME[param=[1, 2]]``; without lists, the text itself."""
    try:
        grid = parse_name(text)
    except NameSyntaxError:
        return [text]
    # The parameters that are lists, and the values of each.
    varied: list[str] = []
    axes: list[list[Value]] = []
    for parameter, values in grid.params.items():
        if not isinstance(values, tuple):
            continue
        axis: list[Value] = []
        for value in values:
            # A list within a list is one value, also in labels.
            if isinstance(value, tuple):
                axis.append((value,))
            else:
                axis.append(value)
        varied.append(parameter)
        axes.append(axis)
    if not varied:
        return [text]
    names = []
    for combination in product(*axes):
        params = dict(grid.params)
        params.update(zip(varied, combination, strict=True))
        names.append(format_name(grid.base, params))
    return names


def _in_quotes(text: str) -> str:
    """A text as TOML and JSON write it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def same_name(written: str, label: str, parameters: Mapping[str, Params]) -> bool:
    """Whether a name, as a user writes it, describes what has this label.

    Case, quotes, the order of parameters and a distribution before the name do not matter, and
    default values may be written.

    Parameters
    ----------
    written, label : str
    parameters : mapping of label to parameters
        All parameters, defaults included, where they are known.
    """
    if written == label:
        return True
    try:
        written_base, written_params = _read(written)
        label_base, label_params = _read(label)
    except NameSyntaxError:
        return False
    if label_base not in (written_base, written_base.partition(":")[2]):
        return False
    # A label shows the parameters that are no defaults. All of them must be written, and what is
    # written beside them must be a default.
    all_params = _comparable(parameters.get(label, {})) | label_params
    return label_params.items() <= written_params.items() <= all_params.items()


def is_pattern(text: str) -> bool:
    """Whether a text describes several names by ``*``."""
    return "*" in text


def matches_pattern(pattern: str, name: str) -> bool:
    """Whether a name is one of those that a pattern describes.

    In the base of a pattern ``*`` stands for any text. Among its parameters it stands for all that
    are not written, as in ``cut-of[law=uniform, *]``. A pattern without brackets matches all
    parameters.

    Parameters
    ----------
    pattern, name : str
        Defaults of the name count only if they are written in it.
    """
    base, bracket, inside = _split_base(pattern.strip())
    parts = split_list(inside.removesuffix("]"))
    is_open = not bracket or "*" in parts
    param_texts = [part for part in parts if part != "*"]
    pattern_params: Mapping[str, str] = {}
    if param_texts:
        _, pattern_params = _read(f"NAME[{','.join(param_texts)}]")
    name_base, name_params = _read(name)
    if not fnmatchcase(name_base, base.casefold()):
        return False
    if is_open:
        return pattern_params.items() <= name_params.items()
    return pattern_params == name_params


def comparable_name(text: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """A name in a form that is equal for all ways to write it, apart from defaults."""
    base, params = _read(text)
    return base, frozenset(params.items())


@lru_cache(maxsize=4096)  # each claim is compared with all labels
def _read(text: str) -> tuple[str, dict[str, str]]:
    """The name and its parameters in comparable form."""
    name = parse_name(text)
    return name.base.casefold(), _comparable(name.params)


def _comparable(params: Mapping[str, Value]) -> dict[str, str]:
    texts = {}
    for key, value in params.items():
        texts[key] = _value_text(value)
    return texts


def _value_text(value: Value) -> str:
    """One text for all ways to write a value."""
    if isinstance(value, tuple):
        return f"[{','.join(map(_value_text, value))}]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(float(value))
    if isinstance(value, str) and "[" in value:
        try:
            nested = parse_name(value)
        except NameSyntaxError:
            return value.casefold()
        inner = sorted(_comparable(nested.params).items())
        return f"{nested.base}{inner}".casefold()
    return format_value(value).casefold()


def split_parameter(
    label: str, parameter: str, parameters: Mapping[str, Params]
) -> tuple[str, float | None]:
    """A label without one of its parameters, and its value if that is a number.

    Parameters
    ----------
    label, parameter : str
    parameters : mapping of label to parameters
        All parameters, defaults included, where they are known.
    """
    try:
        name = parse_name(label)
    except NameSyntaxError:
        return label, None
    remaining = dict(name.params)
    default = parameters.get(label, {}).get(parameter)
    value = remaining.pop(parameter, default)
    number = None
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value)
    return format_name(name.base, remaining), number


@dataclass(frozen=True, slots=True)
class Quantity:
    """A kind of quantity, such as a time, with its units.

    Attributes
    ----------
    name : str
    units : dict of str to float
        The factor of each unit, in lower case; "" is the default unit.
    examples : str
        For messages.
    """

    name: str
    units: dict[str, float]
    examples: str

    def read(self, text: str) -> float:
        """A positive number in the default unit.

        Raises
        ------
        ParameterError
            If the text is no positive number, or has an unknown unit.
        """
        parts = _PARTS.fullmatch(text.strip())
        assert parts is not None  # any text has these parts, perhaps empty
        amount = read_number(parts[1])
        factor = self.units.get(parts[2].casefold())
        value = math.nan
        if amount is not None and factor is not None:
            value = amount * factor
        if not 0 < value < math.inf:
            raise ParameterError(f"{text!r} is no {self.name} above 0; write {self.examples}")
        return value


#: A number and a unit.
_PARTS = re.compile(r"(.*?)\s*([a-z]*)", re.IGNORECASE | re.DOTALL)
#: Units of memory in GiB; 1 MB is 10^6 bytes, and 1 MiB is 2^20.
_UNITS_OF_MEMORY = {
    "": 1,
    "kib": 2**-20,
    "mib": 2**-10,
    "gib": 1.0,
    "tib": 1024.0,
    "b": 2**-30,
    "kb": 10**3 / 2**30,
    "mb": 10**6 / 2**30,
    "gb": 10**9 / 2**30,
    "tb": 10**12 / 2**30,
}

#: A number alone is in seconds.
SECONDS = Quantity(
    name="time",
    units={"": 1, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400},
    examples="300, 90s, 10min or 1h",
)
GIB = Quantity(
    name="memory",
    units=_UNITS_OF_MEMORY,
    examples="2, which are GiB, 512MB or 2GiB",
)
