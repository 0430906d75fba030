"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from hcbench.cli.completing import complete_runs
from hcbench.cli.loading import store_kernels
from hcbench.cli.option_types import (
    DATE,
    FOLDER,
    PATH,
    ExecutorName,
    ExecutorOption,
    IntegerRange,
    Names,
    Patterns,
    TolerantOption,
    read_budgets,
    read_counts,
    read_memory,
    read_part,
    read_time,
)
from hcbench.model.cost import Budget
from hcbench.registry.repeats import Repeats

#: A command, or what becomes one.
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def examples(*commands: str) -> str:
    """Examples below the options in the help of a command.

    Examples
    --------
    >>> import click
    >>> @click.command(epilog=examples("hcbench leaves tree.nwk"))
    ... def leaves():
    ...     pass
    >>> help_lines = leaves.get_help(click.Context(leaves)).splitlines()
    >>> [line.strip() for line in help_lines[-2:]]
    ['Examples:', 'hcbench leaves tree.nwk']
    """
    # click keeps the line breaks of a paragraph that begins with a backspace.
    lines = ["\b", "Examples:"]
    for command in commands:
        lines.append(f"  {command}")
    return "\n".join(lines)


def with_options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Give a command these options, in this order.

    Examples
    --------
    >>> import click
    >>> from hcbench.commands import QUIET, STORE
    >>> @click.command()
    ... @with_options(STORE, QUIET)
    ... def count(store, quiet):
    ...     print(store, quiet)
    >>> count(["--store", "results.sqlite", "-q"], standalone_mode=False)
    results.sqlite True
    """

    def decorate(function: F) -> F:
        # Decorators add options from the last to the first.
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _without_repeats(noun: str, entries: Sequence[T]) -> tuple[T, ...]:
    """The different entries of an option; a warning names those that are repeated."""
    repeats = Repeats()
    different = repeats.without(noun, entries)
    repeats.warn()
    return different


def _different_budgets(
    _context: click.Context, _option: click.Parameter, budgets: tuple[Budget, ...] | None
) -> tuple[Budget, ...] | None:
    """The budgets of a filter."""
    # None: the option is not used. The cells of all budgets are read then.
    if budgets is None:
        return None
    return _without_repeats("budgets", budgets)


def _read_families(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str] | None:
    """The families of data sets that are stated, by their names; None if there is none."""
    families = {}
    for text in texts:
        # A name may have "=" in brackets, a family has none.
        dataset, _, family = text.rpartition("=")
        if not dataset or not family or family.endswith("]"):
            raise click.BadParameter(f"write DATASET=FAMILY, such as ./raw.csv=cars; got {text!r}")
        families[dataset] = family
    return families or None


def names_option(
    option: str, doc: str, *, required: bool = False, filters: bool = False
) -> Callable[[F], F]:
    """An option of names, which can be repeated: the command gets all of them in one tuple.

    One that filters stored results accepts patterns.

    Examples
    --------
    >>> import click
    >>> @click.command()
    ... @names_option("--algos", "The algorithms.")
    ... def count(algorithms):
    ...     print(algorithms)
    >>> count(["--algos", "Single,UPGMA[metric=cosine]", "--algos", "Ward"], standalone_mode=False)
    ('Single', 'UPGMA[metric=cosine]', 'Ward')
    """
    kind = option.removeprefix("--")
    if option == "--algos":
        kind = "algorithms"
    value_type = Names(kind)
    if filters:
        value_type = Patterns(kind)

    def all_names(_context: Any, _option: Any, parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        # One part for each time that the option is written.
        names: tuple[str, ...] = sum(parts, ())
        if filters:
            return _without_repeats(kind, names)
        # Names of a plan are compared by what they mean, when it is made.
        return names

    return click.option(
        option,
        kind,
        cls=TolerantOption,
        type=value_type,
        multiple=True,
        required=required,
        callback=all_names,
        metavar="NAMES",
        help=doc,
    )


def _store_kernels_of(
    context: click.Context, _param: click.Parameter, plugin_files: tuple[Path, ...]
) -> tuple[Path, ...]:
    """Take the kernels of plugin files into account, before the files are imported."""
    if plugin_files:
        store_kernels(context, plugin_files)
    return plugin_files


PLUGIN = click.option(
    "--plugin",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A Python file with plugin hooks, for this command only. Repeatable.",
    callback=_store_kernels_of,
)
STORE = click.option(
    "--store",
    metavar="URL",
    help="Where results are kept: a file, or postgresql://user@host/database. By default "
    "HCBENCH_STORE, or a file in your data directory.",
)
JOBS = click.option(
    "-j",
    "--jobs",
    type=IntegerRange(min=1),
    metavar="N",
    help="Cells at a time; by default one per core, or one per thread of a cluster.",
)


def format_option(*choices: str) -> Callable[[F], F]:
    """The option of formats of output.

    Examples
    --------
    >>> import click
    >>> @click.command()
    ... @format_option("table", "json")
    ... def leaves(form):
    ...     print(form)
    >>> leaves(["--format", "json"], standalone_mode=False)
    json
    """
    return click.option(
        "--format", "form", type=click.Choice(choices), default="table", help="Output format."
    )


JSON_OR_TABLE = format_option("table", "json")
RESULTS_FORMAT = format_option("table", "json", "csv", "markdown", "latex")
QUIET = click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors.")
#: Entries of a suite, which `compare` and `run` change; without an option its entry stays.
SUITE_OPTIONS = (
    names_option("--algos", 'Algorithms, such as "4-AL,UPGMA[metric=cosine]"; "sk-*", "@linkage".'),
    names_option("--datasets", "Data sets, or your own files: ./mydata.csv"),
    names_option("--oracles", "Oracles; by default the first kind that each algorithm accepts."),
    names_option("--metrics", "Metrics, such as AARI,queries."),
    click.option(
        "-r",
        "--repetitions",
        cls=TolerantOption,
        type=IntegerRange(min=1),
        metavar="N",
        help="Repetitions, each with new data.",
    ),
    click.option(
        "--seed",
        type=IntegerRange(min=0),
        metavar="N",
        help="The base of all seeds: the same seed gives the same numbers.",
    ),
    click.option(
        "--budget",
        "budgets",
        type=read_budgets,
        metavar="N[,N...]",
        help="The most queries an algorithm may ask, or what the answers of a paid oracle may cost "
        "(5USD, 20000tokens); several budgets make a run each.",
    ),
    click.option(
        "--checkpoints",
        cls=TolerantOption,
        type=read_counts,
        metavar="N[,N...]",
        help="Numbers of queries after which the results of anytime algorithms are scored.",
    ),
    click.option(
        "--timeout",
        type=read_time,
        metavar="TIME",
        help="Wall time for one call of an algorithm, in seconds or as 90s, 10min, 1h, or none. By "
        "default that of the suite, or 300. Making its data and computing its metrics may each "
        "take twice as long, and at least 120 s.",
    ),
    click.option(
        "--memory",
        type=read_memory,
        metavar="SIZE",
        help="Memory for one call of an algorithm, in GiB or as 512MB, 2GiB; by default a share of "
        "the memory of the machine.",
    ),
    click.option(
        "--threads",
        type=IntegerRange(min=1),
        metavar="N",
        help="Threads of BLAS, OpenMP and numba in each cell, by default 1. Results with other "
        "numbers of threads are stored apart.",
    ),
    click.option(
        "--family",
        "families",
        multiple=True,
        callback=_read_families,
        metavar="DATASET=FAMILY",
        help="The source of a data set, such as ./raw.csv=cars for one of two files of the same "
        "cars. Average ranks and tests over data sets count a family once. Repeatable.",
    ),
)
REPLAY = click.option(
    "--replay",
    type=PATH,
    multiple=True,
    metavar="FILE",
    help="A file of answers that hcbench ask recorded, used as the oracle. Without --datasets, its "
    "items are the data set. Repeatable.",
)
#: How a plan is run; it decides no result.
RUN_OPTIONS = (
    JOBS,
    click.option(
        "--exclusive",
        is_flag=True,
        help="Run one cell at a time, for fair times. What is not timed, such as new metrics of "
        "stored results, runs before with all jobs.",
    ),
    click.option(
        "--executor",
        type=ExecutorName(),
        cls=ExecutorOption,
        default="local",
        help="Where cells run. local: on this machine.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="The scheduler of a cluster, such as tcp://host:8786.",
    ),
    STORE,
    click.option("--fresh", is_flag=True, help="Run everything, even what is stored."),
    click.option(
        "--shard",
        type=read_part,
        metavar="I/N",
        help="Run only the I-th of N parts of the cells; see hcbench results merge.",
    ),
    PLUGIN,
    RESULTS_FORMAT,
    click.option(
        "--dry-run",
        is_flag=True,
        help="Show which cells would run, are stored or are inapplicable; run nothing.",
    ),
    QUIET,
)
#: The figures of a suite, which only `run` has.
FIGURE_OPTIONS = (
    click.option(
        "--figures",
        type=FOLDER,
        metavar="DIR",
        help="Draw each figure of the suite to a file in this folder.",
    ),
    click.option(
        "--figure-format",
        type=click.Choice(["svg", "png", "pdf"]),
        default="svg",
        help="Format of the figures.",
    ),
)
_ALGOS = names_option(
    "--algos",
    "Only these algorithms, those that have such a part, or that match a pattern with * and ?.",
    filters=True,
)
#: Of a stored run.
CELL_FILTERS = (
    _ALGOS,
    names_option("--datasets", "Only data sets, likewise.", filters=True),
    names_option("--oracles", "Only oracles, likewise.", filters=True),
    click.option(
        "--budget",
        type=read_budgets,
        callback=_different_budgets,
        metavar="N[,N...]",
        help="Only cells with one of these budgets.",
    ),
)
ONLY_METRICS = names_option("--metrics", "Only these metrics.", filters=True)
#: Of a store.
RUN_FILTERS = (
    names_option("--suites", "Only runs of these suites, likewise.", filters=True),
    click.option(
        "--since",
        type=DATE,
        metavar="DATE",
        help="Only runs that started on a date such as 2026-01-31, or later.",
    ),
    _ALGOS,
)
#: By default the last run; see `Store.run` for what else it may be.
RUN = click.argument("run", required=False, shell_complete=complete_runs)
