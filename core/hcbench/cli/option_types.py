"""The types of the values of options, how their texts are read, and how options are spelt."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from hcbench.cli.completing import complete_names
from hcbench.cli.loading import load_plugins
from hcbench.errors import HcbenchError, NameSyntaxError, ParameterError
from hcbench.model.cost import Budget, read_budget, read_written_count, split_budget
from hcbench.model.numbers import read_number, read_whole_number
from hcbench.registry.names import GIB, SECONDS, split_list

#: The kinds of names, as options and arguments have them.
KINDS = ("algorithms", "datasets", "oracles", "metrics", "suites")

#: Whether a path exists is checked when it is used, with a message that says for what.
PATH = click.Path(path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])


class IntegerRange(click.IntRange):
    """A whole number in a range, written with digits only: Python reads 1_0 as 10.

    Examples
    --------
    >>> import click
    >>> @click.command()
    ... @click.option("--repeats", type=IntegerRange(min=1), default=3)
    ... def measure(repeats):
    ...     print(repeats)
    >>> measure(["--repeats", "5"], standalone_mode=False)
    5
    >>> measure(["--repeats", "1_0"], standalone_mode=False)
    Traceback (most recent call last):
        ...
    click.exceptions.BadParameter: '1_0' is not a valid integer.
    """

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that a text is."""
        if isinstance(value, str) and read_whole_number(value) is None:
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return super().convert(value, param, ctx)


class NumberRange(click.FloatRange):
    """A number in a range, as `read_number` reads it.

    Examples
    --------
    >>> import click
    >>> @click.command()
    ... @click.option("--tolerance", type=NumberRange(min=0), default=0.1)
    ... def regress(tolerance):
    ...     print(tolerance)
    >>> regress(["--tolerance", "0.25"], standalone_mode=False)
    0.25
    >>> regress(["--tolerance", "nan"], standalone_mode=False)
    Traceback (most recent call last):
        ...
    click.exceptions.BadParameter: 'nan' is not a valid number.
    """

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that a text is."""
        if isinstance(value, str) and read_number(value) is None:
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return super().convert(value, param, ctx)


class Names(click.ParamType):  # type: ignore[type-arg]  # generic in new versions only
    """``NAME[param=value],NAME``, with completion of the last name.

    Parameters
    ----------
    kinds : str
        The kinds of names: some of `KINDS`.
    """

    name = "names"

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Split at the commas between names."""
        # Commas in brackets separate parameters, not names.
        names = tuple(split_list(value))
        if not names:
            self.fail("no name is given", param, ctx)
        return names

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Complete the name after the last comma; a data set or a suite may also be a file."""
        is_path = "/" in incomplete or incomplete.startswith((".", "~"))
        has_brackets = "[" in incomplete
        if is_path and not has_brackets and self.kinds in (("datasets",), ("suites",)):
            return [CompletionItem(incomplete, type="file")]
        # A plugin that cannot be loaded, or a file that cannot be read, completes nothing.
        with suppress(HcbenchError, OSError):
            registry = load_plugins(ctx.params.get("plugin") or (), quiet=True)
            return complete_names(registry, self.kinds, incomplete)
        return []


class Patterns(Names):
    """Labels of stored cells, parts of them, or patterns with ``*`` and ``?``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Split at the commas between names; a text that is no list of names is one part."""
        try:
            return super().convert(value, param, ctx)
        except NameSyntaxError:
            # Such as a part of a label with one bracket: "UPGMA[metric".
            return (value,)


class OneName(Names):
    """One name of some kinds; it is looked up later.

    Examples
    --------
    A shell that completes arguments offers the registered names.

    >>> import click
    >>> @click.command()
    ... @click.argument("metric", type=OneName("metrics"))
    ... def describe(metric):
    ...     print(metric)
    >>> describe(["cluster-size[which=median]"], standalone_mode=False)
    cluster-size[which=median]
    """

    name = "name"

    def convert(self, value: Any, *_: Any) -> Any:
        """Return it unchanged."""
        return value


class ExecutorName(click.ParamType):  # type: ignore[type-arg]  # generic in new versions only
    """``local``, or the executor of a plugin.

    `click.Choice` has its names when it is made; here plugins are loaded only to show or check
    names.
    """

    name = "executor"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """The names, as `click.Choice` shows them."""
        return f"[{'|'.join(_executor_names())}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check the name."""
        # The usual one needs no plugin.
        if value == "local":
            return value
        names = _executor_names()
        if value not in names:
            choices = ", ".join(map(repr, names))
            self.fail(f"{value!r} is not one of {choices}.", param, ctx)
        return value

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """The names that begin so."""
        items = []
        for name in _executor_names():
            if name.startswith(incomplete):
                items.append(CompletionItem(name))
        return items


class ExecutorOption(click.Option):
    """Shows the executors in its help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option, and its help with a line for each executor."""
        texts = [self.help or ""]
        for name, doc in _registered_executors():
            texts.append(f"{name}: {doc}")
        # A copy, as the option lives as long as the process, and the plugins may change.
        described = copy(self)
        described.help = " ".join(texts)
        return click.Option.get_help_record(described, ctx)


#: Spellings of options that mean the same.
_SPELLINGS = (
    ("--algo", "--algos", "--algorithm", "--algorithms"),
    ("--checkpoint", "--checkpoints"),
    ("--dataset", "--datasets"),
    ("--metric", "--metrics"),
    ("--oracle", "--oracles"),
    ("--repetition", "--repetitions"),
    ("--suite", "--suites"),
)


class TolerantOption(click.Option):
    """An option that is accepted in the singular and in the plural.

    Help shows the name that is declared. A spelling that another option of the command has is left
    to that one.

    Examples
    --------
    >>> import click
    >>> @click.command()
    ... @click.option("--metrics", cls=TolerantOption)
    ... def show(metrics):
    ...     print(metrics)
    >>> show(["--metric", "AARI"], standalone_mode=False)
    AARI
    """

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Accept the other spellings, too."""
        super().add_to_parser(parser, ctx)
        declared: set[str] = set()
        for param in ctx.command.params:
            declared.update(param.opts)
        # These are argparse's words, which click's parser uses.
        action = "store"
        if self.multiple:
            action = "append"
        for spellings in _SPELLINGS:
            if set(spellings).isdisjoint(self.opts):
                continue
            undeclared = []
            for name in spellings:
                if name not in declared:
                    undeclared.append(name)
            if undeclared:
                parser.add_option(
                    obj=self, opts=undeclared, dest=self.name, action=action, nargs=self.nargs
                )


class KindChoice(click.Choice):  # type: ignore[type-arg]
    """One of `KINDS`, which may be singular; ``algos`` are the algorithms."""

    def __init__(self) -> None:
        super().__init__(KINDS)

    def normalize_choice(self, choice: Any, ctx: click.Context | None) -> str:
        """The plural of a kind."""
        kind = super().normalize_choice(choice, ctx)
        # Kinds are spelt as the options are, without the hyphens.
        for spellings in _SPELLINGS:
            if f"--{kind}" in spellings:
                return spellings[-1].removeprefix("--")  # the last spelling is the plural
        return kind


def _registered_executors() -> list[tuple[str, str]]:
    """The executors of plugins, with their descriptions."""
    entries = load_plugins(quiet=True).executors.entries
    return [(entry.spec.name, entry.spec.doc) for entry in entries]


def _executor_names() -> list[str]:
    names = ["local"]
    for name, _ in _registered_executors():
        names.append(name)
    return names


def read_counts(text: str) -> tuple[int, ...]:
    """Numbers of queries, separated by commas; 1e6 is valid."""
    counts = []
    for part in text.split(","):
        count = read_written_count(part)
        if count is None:
            raise click.BadParameter(
                f"{part.strip()!r} is not a number of queries; write for example 1000,5000"
            )
        counts.append(count)
    return tuple(counts)


def read_budgets(text: str) -> tuple[Budget, ...]:
    """Numbers of queries, or amounts of money or tokens, separated by commas."""
    budgets: list[Budget] = []
    for part in text.split(","):
        try:
            is_amount = _is_amount(part)
        except ParameterError as error:
            raise click.BadParameter(str(error)) from error
        if is_amount:
            budgets.append(read_budget(part))
        else:
            budgets.extend(read_counts(part))
    return tuple(budgets)


def _is_amount(text: str) -> bool:
    """Whether a budget is an amount of something, such as 5USD, and no number of queries."""
    # An amount ends in its unit: USD, EUR, tokens.
    if not text.strip()[-1:].isalpha():
        return False
    number, _ = split_budget(text)
    return math.isfinite(float(number))  # not "inf", which ends in a letter, too


def read_part(text: str) -> tuple[int, int]:
    """``i/n``: the i-th of n parts, from 1."""
    before, _, after = text.partition("/")
    number = read_whole_number(before)
    count = read_whole_number(after)
    if number is None or count is None or not 1 <= number <= count:
        raise click.BadParameter(f"{text!r} is not a part; write 1/4, 2/4, 3/4 or 4/4")
    return number, count


def read_memory(text: str) -> float:
    """An amount of memory in GiB."""
    try:
        return GIB.read(text)
    except ParameterError as error:
        raise click.BadParameter(str(error)) from error


def read_time(text: str) -> float:
    """A time in seconds; infinity for ``none``.

    Examples
    --------
    >>> read_time("90s"), read_time("10min"), read_time("none")
    (90.0, 600.0, inf)

    As the type of an option:

    >>> import click
    >>> @click.command()
    ... @click.option("--timeout", type=read_time)
    ... def measure(timeout):
    ...     print(timeout)
    >>> measure(["--timeout", "1h"], standalone_mode=False)
    3600.0
    """
    # No limit; None would mean that the option is not used.
    if text.casefold() in ("none", "inf"):
        return math.inf
    try:
        return SECONDS.read(text)
    except ParameterError as error:
        raise click.BadParameter(f"{error}, or none") from error


class OutputFile(click.Path):
    """A file to be written, whose suffix says its format.

    A name without a suffix is accepted, as those of pipes and devices have none.

    Parameters
    ----------
    *suffixes : str
        Those of the formats that can be written, such as ``".csv"``.

    Examples
    --------
    >>> import click
    >>> @click.command()
    ... @click.option("--report", type=OutputFile(".html", ".htm"))
    ... def recommend(report):
    ...     print(report.suffix)
    >>> recommend(["--report", "page.html"], standalone_mode=False)
    .html
    >>> recommend(["--report", "page.pdf"], standalone_mode=False)
    Traceback (most recent call last):
        ...
    click.exceptions.BadParameter: page.pdf: the name ends in .html or .htm, not in .pdf
    """

    def __init__(self, *suffixes: str) -> None:
        super().__init__(dir_okay=False, path_type=Path)
        self.suffixes = suffixes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, if its suffix is one of those."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        suffix = path.suffix
        if suffix and suffix.lower() not in self.suffixes:
            endings = " or ".join(self.suffixes)
            self.fail(f"{path}: the name ends in {endings}, not in {suffix}", param, ctx)
        return path
