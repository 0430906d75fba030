"""Types of option values, and completion of names."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from hcbench.cli.loading import load_plugins
from hcbench.errors import HcbenchError, NameSyntaxError, ParameterError
from hcbench.registry.names import split_list

if TYPE_CHECKING:
    from hcbench.registry.quantities import Quantity

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


class Counts(ParamType):
    """Numbers of queries, separated by commas."""

    name = "counts"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Read each number; 1e6 and 1_000_000 are valid."""
        if not isinstance(value, str):
            return tuple(value)
        return tuple(self._count(part.strip(), param, ctx) for part in value.split(","))

    def _count(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = float(text.replace("_", ""))
        except ValueError:
            number = math.nan
        if not number >= 0 or number % 1:
            self.fail(
                f"{text!r} is not a number of queries; write for example 1000,5000", param, ctx
            )
        return int(number)


class Part(ParamType):
    """``i/n``: the i-th of n parts, from 1."""

    name = "part"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read it."""
        if isinstance(value, tuple):
            return value
        number, _, count = value.partition("/")
        if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
            self.fail(f"{value!r} is not a part; write 1/4, 2/4, 3/4 or 4/4", param, ctx)
        return int(number), int(count)


class Limit(ParamType):
    """A time or an amount of memory, with or without a unit; ``none`` if it is optional.

    Parameters
    ----------
    quantity : Quantity
    optional : bool
        Whether ``none`` is accepted; it reads as infinity.
    """

    name = "limit"

    def __init__(self, quantity: Quantity, *, optional: bool = False) -> None:
        self.quantity = quantity
        self.optional = optional

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read it."""
        if self.optional and str(value).casefold() in ("none", "inf"):
            return math.inf
        try:
            return self.quantity.read(str(value))
        except ParameterError as error:
            self.fail(f"{error}{', or none' if self.optional else ''}", param, ctx)
