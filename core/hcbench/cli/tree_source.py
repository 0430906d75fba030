"""The tree that a command is about: of a stored cell, of a new fit, or of a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from hcbench.cli import options
from hcbench.cli.loading import open_store
from hcbench.cli.option_types import IntegerRange, TolerantOption, read_time
from hcbench.cli.progress import watch_fit

if TYPE_CHECKING:
    from hcbench.api.trees import Fitted
    from hcbench.registry import Registry
    from hcbench.run.again import Watch

#: Options that select cells, or for a new fit name its oracle and its budget.
_FILTERS = ("algorithms", "datasets", "oracles", "budget")
#: Options that are fields of `Source`.
_PLACES = ("repetition", "checkpoint", "seed", "timeout")
#: Options that choose a cell of a stored run.
_OF_RUNS = ("algorithms", "datasets", "repetition", "checkpoint")


def refuse_options(names: Iterable[str], reason: str) -> None:
    """Refuse options of the current command that would have no effect.

    Parameters
    ----------
    names : iterable of str
        Of their parameters.
    reason : str
        What follows the name of the option in the message.

    Raises
    ------
    UsageError
        If one of them was given.
    """
    context = click.get_current_context()
    refused = set(names)
    for parameter in context.command.params:
        if parameter.name not in refused:
            continue
        # Defaults, and values of the environment, were not asked for.
        if context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[0]} {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the tree comes from.

    Attributes
    ----------
    words : tuple of str
        The arguments: none, RUN, TREE or ALGORITHM DATA.
    filters : dict
        Of a stored run.
    repetition, checkpoint, seed, timeout
        Options.
    """

    words: tuple[str, ...]
    filters: dict[str, Any]
    repetition: int
    checkpoint: int | None
    seed: int
    timeout: float

    @property
    def is_fit(self) -> bool:
        """Whether an algorithm is fitted to data."""
        return len(self.words) == 2

    @property
    def is_file(self) -> bool:
        """Whether the tree is read from a file."""
        from hcbench.files.trees import SUFFIXES
        from hcbench.registry.names import parse_file

        if len(self.words) != 1:
            return False
        # FILE[tree=3] is one tree of a file.
        path = Path(parse_file(self.words[0]).base)
        return path.suffix.lower() in SUFFIXES or path.is_file()

    def read(self, store: str | None, registry: Registry, *, quiet: bool = False) -> Fitted:
        """Fit, read or find the tree."""
        if self.is_fit:
            watch = None
            if not quiet:
                watch = watch_fit(self.words[0])
            return self._fit(registry, watch)
        if self.is_file:
            return self._read_file()
        self._check_is_no_algorithm(registry)
        return self._stored(store, registry)

    def _check_is_no_algorithm(self, registry: Registry) -> None:
        """Ask for the data, as the only argument is otherwise the name of a run."""
        from hcbench.registry.names import parse_name

        if self.words and registry.algorithms.has(parse_name(self.words[0]).base):
            raise click.UsageError(
                f"{self.words[0]} is an algorithm: name its data too, such as {self.words[0]} "
                f"./data.csv, or choose a cell of the last run with --algos {self.words[0]}"
            )

    def _fit(self, registry: Registry, watch: Watch | None) -> Fitted:
        from hcbench.api.trees import fit_data

        # The data are those of the argument, and of the first repetition.
        algorithm, dataset = self.words
        refuse_options(
            _OF_RUNS, f"is of a stored run; here {algorithm} is fitted to {dataset}: omit it"
        )
        return fit_data(
            registry,
            algorithm,
            dataset,
            oracle=self._only("oracles", ""),
            seed=self.seed,
            budget=self._only("budget", None),
            timeout=self.timeout,
            watch=watch,
        )

    def _only(self, name: str, default: Any) -> Any:
        """The only value of a filter; the default if there is none."""
        values = self.filters[name]
        if not values:
            return default
        if len(values) > 1:
            raise click.UsageError(f"--{name} has {len(values)} values; a fit takes one")
        return values[0]

    def _read_file(self) -> Fitted:
        from hcbench.api.trees import Fitted
        from hcbench.files.trees import TreeFile

        refuse_options(
            _FILTERS + _PLACES, f"is of a run or of a fit; {self.words[0]} is a file: omit it"
        )
        file = TreeFile.parse(self.words[0])
        return Fitted(result=file.read(), title=file.name)

    def _stored(self, store: str | None, registry: Registry) -> Fitted:
        from hcbench.api.trees import tree_of_cell
        from hcbench.cli.runs import read_run

        # By default the last run.
        run = None
        if self.words:
            run = self.words[0]
        with open_store(store) as opened:
            info = opened.run(run)
            results = read_run(opened, info, **self.filters)
            return tree_of_cell(
                results,
                opened,
                registry,
                repetition=self.repetition,
                checkpoint=self.checkpoint,
                timeout=self.timeout,
            )


#: The options of `Source`, of a stored run or of a new fit.
SOURCE_OPTIONS = (
    *options.CELL_FILTERS,
    click.option(
        "--repetition",
        cls=TolerantOption,
        type=IntegerRange(min=0),
        default=0,
        metavar="N",
        help="Of a stored run: the repetition.",
    ),
    click.option(
        "--checkpoint",
        cls=TolerantOption,
        type=IntegerRange(min=0),
        metavar="N",
        help="Of a stored run: the result after this many queries; by default the final one.",
    ),
    click.option(
        "--seed",
        type=IntegerRange(min=0),
        default=0,
        metavar="N",
        help="The base of all seeds: of a new fit, as of hcbench compare, and of resampling.",
    ),
    click.option(
        "--timeout",
        type=read_time,
        default="300s",
        metavar="TIME",
        help="Wall time for the call of the algorithm: seconds, or such as 90s, 10min, 1h; or "
        "none.",
    ),
)


def take_source(words: tuple[str, ...], choices: dict[str, Any]) -> Source:
    """The source of the arguments, and of the options that are its, which are removed.

    Raises
    ------
    UsageError
        If there are more than two arguments.
    """
    if len(words) > 2:
        raise click.UsageError("give RUN, TREE, or ALGORITHM DATA; put names with blanks in quotes")
    # What is removed here is not left for the caller to pass on.
    filters = {}
    for name in _FILTERS:
        filters[name] = choices.pop(name)
    places = {}
    for name in _PLACES:
        places[name] = choices.pop(name)
    return Source(words=words, filters=filters, **places)
