"""Types of option values, and completion of names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from hcbench.cli.loading import load_plugins
from hcbench.errors import HcbenchError, NameSyntaxError, ParameterError
from hcbench.registry.names import GIB, SECONDS, Quantity, split_list

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # generic in new versions only


class Names(ParamType):
    """``NAME[param=value],NAME``, with completion of the last name.

    Parameters
    ----------
    kinds : str
        The kinds of names: some of `KINDS`.
    """

    name = "names"

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Split at the commas between names."""
        names = tuple(split_list(value)) if isinstance(value, str) else tuple(value)
        if not names:
            self.fail("no name is given", param, ctx)
        return names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the name after the last comma."""
        del param
        if self.kinds == ("datasets",) and incomplete.startswith((".", "/", "~")):
            return [CompletionItem(incomplete, type="file")]
        head, comma, tail = incomplete.rpartition(",")
        return [
            CompletionItem(f"{head}{comma}{name}", help=doc)
            for name, doc in registered(self.kinds, ctx)
            if name.casefold().startswith(tail.casefold())
        ]


class Patterns(Names):
    """Labels of stored cells, parts of them, or patterns with ``*`` and ``?``."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Split at the commas between names; a text that is no list of names is one part."""
        try:
            return super().convert(value, param, ctx)
        except NameSyntaxError:
            return (value,)


class OneName(Names):
    """One name of some kinds; it is looked up later."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return it unchanged."""
        del param, ctx
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete names; a suite may also be a file."""
        if self.kinds == ("suites",) and ("/" in incomplete or incomplete.startswith(".")):
            return [CompletionItem(incomplete, type="file")]
        return super().shell_complete(ctx, param, incomplete)


def registered(kinds: Iterable[str], ctx: click.Context) -> list[tuple[str, str]]:
    """Names and their descriptions, sorted; empty if plugins cannot be loaded."""
    with suppress(HcbenchError):
        registry = load_plugins(ctx.params.get("plugin") or (), quiet=True)
        entries = [entry for kind in kinds for entry in getattr(registry, kind).entries]
        return sorted((entry.spec.name, entry.spec.doc) for entry in entries)
    return []


class Parsed(ParamType):
    """A text that a function reads, whose ParameterError says what is wrong.

    Parameters
    ----------
    name : str
        Of what it reads.
    read : callable
    """

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read it."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ParameterError as error:
            self.fail(str(error), param, ctx)


def read_counts(text: str) -> tuple[int, ...]:
    """Numbers of queries, separated by commas; 1e6 and 1_000_000 are valid."""
    return tuple(_read_count(part.strip()) for part in text.split(","))


def _read_count(text: str) -> int:
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        number = math.nan
    if not number >= 0 or number % 1:
        raise ParameterError(f"{text!r} is not a number of queries; write for example 1000,5000")
    return int(number)


def read_part(text: str) -> tuple[int, int]:
    """``i/n``: the i-th of n parts, from 1."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ParameterError(f"{text!r} is not a part; write 1/4, 2/4, 3/4 or 4/4")
    return int(number), int(count)


def read_optional(quantity: Quantity, text: str) -> float:
    """A time or an amount of memory; infinity for ``none``."""
    if text.casefold() in ("none", "inf"):
        return math.inf
    try:
        return quantity.read(text)
    except ParameterError as error:
        raise ParameterError(f"{error}, or none") from None


COUNTS = Parsed("counts", read_counts)
PART = Parsed("part", read_part)
MEMORY = Parsed("limit", GIB.read)
TIME_OR_NONE = Parsed("limit", partial(read_optional, SECONDS))
