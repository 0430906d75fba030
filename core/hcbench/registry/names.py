"""``NAME[param=value,...]``: how users write what to compare.

Values are in TOML syntax, bare words are strings, a list is a grid, names nest.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hcbench.errors import NameSyntaxError
from hcbench.registry.specs import Value

_OPEN, _CLOSE, _QUOTES = "[{", "]}", "\"'"
_DEEPEST = 50  # brackets inside each other, and parts of a key
_LONG_KEY = re.compile(rf"(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{_DEEPEST}}}")
_BARE = re.compile(r"[A-Za-z0-9_./:+-]+(\[.*\])?")


@dataclass(frozen=True, slots=True)
class Name:
    """A name with its parameters; a list in the text is a tuple here."""

    text: str
    base: str
    params: Mapping[str, Value]


def split_list(text: str) -> list[str]:
    """Split at the commas outside of brackets and quotes.

    Raises
    ------
    NameSyntaxError
        If a bracket or quote is not closed.
    """
    parts, start, depth, quote, escaped = [], 0, 0, "", False
    for position, char in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped = quote == '"' and char == "\\"
            quote = "" if char == quote else quote
        elif char in _QUOTES:
            quote = char
        elif char in _OPEN:
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
    if depth or quote:
        raise NameSyntaxError(
            f"{text!r}: {quote or 'a bracket'} is not closed; write "
            "NAME[param=value], in quotes for the shell"
        )
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def parse_name(text: str) -> Name:
    """Read one name with its parameters.

    Raises
    ------
    NameSyntaxError
        If it is not of the form ``NAME`` or ``NAME[param=value,...]``.
    """
    text = text.strip()
    if not text.isascii() and text.encode(errors="replace").decode() != text:
        raise NameSyntaxError(f"{text!r} is no Unicode text; write it in UTF-8")
    base, bracket, inside = text.partition("[")
    base = base.strip().strip(_QUOTES)
    if not base:
        raise NameSyntaxError(f"{text!r} has no name; write NAME or NAME[param=value]")
    if not bracket:
        return Name(text, base, {})
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
    return Name(text, base, params)


def parse_value(text: str) -> Value:
    """Read one value: TOML, else a list of values, else a bare word.

    Raises
    ------
    NameSyntaxError
        If it is none of these.
    """
    try:
        value = read_toml(f"value = {text}")["value"]
    except ValueError:
        if text.startswith("[") and text.endswith("]"):
            return tuple(parse_value(part) for part in split_list(text[1:-1]))
        if not _BARE.fullmatch(text):
            raise NameSyntaxError(f"{text!r:.80} is no value; put quotes around words") from None
        return text
    return _plain(value, text)


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
    if isinstance(value, list):
        return tuple(_plain(item, text) for item in value)
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            raise NameSyntaxError("nan is no value of a parameter")
        return value
    return text  # a date or a table, which no parameter is


def format_value(value: Value) -> str:
    """Write a value as `parse_value` reads it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ",".join(format_value(item) for item in value) + "]"
    if isinstance(value, str):
        try:
            return value if parse_value(value) == value else json.dumps(value, ensure_ascii=False)
        except NameSyntaxError:
            return json.dumps(value, ensure_ascii=False)
    return repr(value)


def format_name(base: str, params: Mapping[str, Value]) -> str:
    """Write a name with parameters as `parse_name` reads it."""
    if not params:
        return base
    return f"{base}[{','.join(f'{k}={format_value(v)}' for k, v in params.items())}]"
