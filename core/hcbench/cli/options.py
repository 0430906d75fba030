"""Options that several commands share, the types of their values, and loading of plugins."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from hcbench.errors import HcbenchError, NameSyntaxError, ParameterError
from hcbench.model.cost import Budget, read_budget, read_written_count, split_budget
from hcbench.model.numbers import read_number, read_whole_number
from hcbench.registry.names import GIB, SECONDS, split_list
from hcbench.registry.repeats import Repeats

if TYPE_CHECKING:
    from hcbench.analysis.notes import Note
    from hcbench.registry import Registry
    from hcbench.registry.plugins import Plugins
    from hcbench.store import Store

#: The entry of `click.Context.meta` that says whether the process is that of the program.
IS_PROGRAM = "hcbench.is_program"
KINDS = ("algorithms", "datasets", "oracles", "metrics", "suites")


def load_plugins(files: Sequence[Path] = (), *, quiet: bool = False) -> Registry:
    """Load all plugins; a broken one that is merely installed is only a warning.

    Modules beside plugin files can be imported until the command ends.
    """
    from hcbench.cli.terminal import stdout_for_data
    from hcbench.registry import Registry
    from hcbench.registry.plugins import Plugins

    with stdout_for_data():
        registry = Registry(Plugins(files))
    context = click.get_current_context(silent=True)
    if context is not None:
        context.with_resource(registry.plugins.importable())
    if not quiet:
        warn_of_broken(registry.plugins)
    return registry


def open_store(location: str | None, *, read_only: bool = False) -> Store:
    """The store of an option; its libraries are imported when a command needs them."""
    from hcbench.store import Store

    return Store(location, read_only=read_only)


def warn_of_broken(plugins: Plugins) -> None:
    """Name the plugins that are not used, if there are any."""
    from hcbench.cli.terminal import tell

    if plugins.broken:
        names = ", ".join(broken.plugin.name for broken in plugins.broken)
        tell(f"warning: broken plugins are not used: {names} (see hcbench plugins)")


class IntegerRange(click.IntRange):
    """A whole number in a range, written with digits only: Python reads 1_0 as 10."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that a text is."""
        if isinstance(value, str) and read_whole_number(value) is None:
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return super().convert(value, param, ctx)


class NumberRange(click.FloatRange):
    """A number in a range, as `read_number` reads it."""

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
        if is_path and self.kinds in (("datasets",), ("suites",)):
            return [CompletionItem(incomplete, type="file")]
        head, comma, tail = incomplete.rpartition(",")
        with suppress(HcbenchError):  # plugins that cannot be loaded
            from hcbench.registry.catalogue import tags_of

            registry = load_plugins(ctx.params.get("plugin") or (), quiet=True)
            docs: dict[str, str] = {}
            for kind in self.kinds:
                for entry in getattr(registry, kind).entries:
                    if tail.startswith("@"):
                        docs.update({f"@{tag}": "" for tag in tags_of(entry.spec)})
                    else:
                        docs[entry.spec.name] = entry.spec.doc
            return [
                CompletionItem(f"{head}{comma}{name}", help=doc)
                for name, doc in sorted(docs.items())
                if name.casefold().startswith(tail.casefold())
            ]
        return []


class Patterns(Names):
    """Labels of stored cells, parts of them, or patterns with ``*`` and ``?``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Split at the commas between names; a text that is no list of names is one part."""
        try:
            return super().convert(value, param, ctx)
        except NameSyntaxError:
            return (value,)


class OneName(Names):
    """One name of some kinds; it is looked up later."""

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
        if value == "local":
            return value
        names = _executor_names()
        if value not in names:
            choices = ", ".join(repr(name) for name in names)
            self.fail(f"{value!r} is not one of {choices}.", param, ctx)
        return value

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """The names that begin so."""
        return [CompletionItem(name) for name in _executor_names() if name.startswith(incomplete)]


class ExecutorOption(click.Option):
    """Shows the executors in its help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option, and its help with a line for each executor."""
        docs = [f"{name}: {doc}" for name, doc in _registered_executors()]
        described = copy(self)
        described.help = " ".join([self.help or "", *docs])
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
    """

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Accept the other spellings, too."""
        super().add_to_parser(parser, ctx)
        declared: set[str] = set()
        for param in ctx.command.params:
            declared.update(param.opts)
        action = "append" if self.multiple else "store"
        for spellings in _SPELLINGS:
            if set(spellings).isdisjoint(self.opts):
                continue
            undeclared = [name for name in spellings if name not in declared]
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
        for spellings in _SPELLINGS:
            if f"--{kind}" in spellings:
                return spellings[-1].removeprefix("--")  # the last spelling is the plural
        return kind


def _registered_executors() -> list[tuple[str, str]]:
    """The executors of plugins, with their descriptions."""
    entries = load_plugins(quiet=True).executors.entries
    return [(entry.spec.name, entry.spec.doc) for entry in entries]


def _executor_names() -> list[str]:
    return ["local"] + [name for name, _ in _registered_executors()]


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
    """A time in seconds; infinity for ``none``."""
    if text.casefold() in ("none", "inf"):
        return math.inf
    try:
        return SECONDS.read(text)
    except ParameterError as error:
        raise click.BadParameter(f"{error}, or none") from error


F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def examples(*commands: str) -> str:
    """Examples below the options in the help of a command."""
    # click keeps the line breaks of a paragraph that begins with a backspace.
    lines = ["\b", "Examples:"]
    for command in commands:
        lines.append(f"  {command}")
    return "\n".join(lines)


def with_options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Give a command these options, in this order."""

    def decorate(function: F) -> F:
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
    return None if budgets is None else _without_repeats("budgets", budgets)


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
    """
    kind = "algorithms" if option == "--algos" else option.removeprefix("--")

    def all_names(_context: Any, _option: Any, parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        names: tuple[str, ...] = sum(parts, ())
        # Names of a plan are compared by what they mean, when it is made.
        return _without_repeats(kind, names) if filters else names

    return click.option(
        option,
        kind,
        cls=TolerantOption,
        type=Patterns(kind) if filters else Names(kind),
        multiple=True,
        required=required,
        callback=all_names,
        metavar="NAMES",
        help=doc,
    )


PATH = click.Path(path_type=Path)


def store_kernels(context: click.Context, plugin_files: Sequence[Path] = ()) -> None:
    """Have the program store kernels where those of the present code are.

    It must be called before numba is imported. The process of a caller is left as it is.
    """
    if context.meta.get(IS_PROGRAM):
        from hcbench.registry.kernel_cache import kernel_environment

        os.environ.update(kernel_environment(plugin_files))


def _store_kernels_of(
    context: click.Context, _param: click.Parameter, plugin_files: tuple[Path, ...]
) -> tuple[Path, ...]:
    """Take the kernels of plugin files into account, before the files are imported."""
    if plugin_files:
        store_kernels(context, plugin_files)
    return plugin_files


FILE = click.Path(dir_okay=False, path_type=Path)


class OutputFile(click.Path):
    """A file to be written, whose suffix says its format.

    A name without a suffix is accepted, as those of pipes and devices have none.

    Parameters
    ----------
    *suffixes : str
        Those of the formats that can be written, such as ``".csv"``.
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


FOLDER = click.Path(file_okay=False, path_type=Path)
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
    """The option of formats of output."""
    return click.option(
        "--format", "form", type=click.Choice(choices), default="table", help="Output format."
    )


JSON_OR_TABLE = format_option("table", "json")
RESULTS_FORMAT = format_option("table", "json", "csv", "markdown", "latex")
QUIET = click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors.")
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
DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])
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
RUN = click.argument("run", required=False)


def notes_on_kernels(store: Store, run: int | None = None) -> tuple[Note, ...]:
    """Whether cells of a run, by default the last, were measured with different BLAS kernels."""
    from hcbench.analysis.notes import Note

    kernels = sorted(store.blas_kernels(run))
    if len(kernels) < 2:
        return ()
    names = "; ".join(kernels)
    text = (
        f"cells of this run were measured with different BLAS kernels ({names}): their last digits "
        "may differ; --fresh measures all again"
    )
    return (Note(kind="kernels", text=text),)
