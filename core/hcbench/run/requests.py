"""What a data set is asked for, and the calls of data sets and oracles.

Functions of an earlier form, ``function(seed, **params)`` of a data set and
``function(problem, seed, budget, **params)`` of an oracle, still work in this minor release.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hcbench.errors import DataError
from hcbench.oracle.requests import OracleRequest, takes_request, warn_of_arguments
from hcbench.registry import Registry, load_registry
from hcbench.registry.specs import DatasetSpec
from hcbench.registry.uses import Use
from hcbench.run.job import Call, call_of

if TYPE_CHECKING:
    from hcbench.model.problem import Problem


@dataclass(frozen=True, kw_only=True)
class DataRequest:
    """What a data set is asked for: ``function(request, **params) -> Problem``.

    Attributes
    ----------
    seed : int
        From which all random numbers of the data follow.
    plugin_files : tuple of str
        Plugin files of the run, whose data sets and algorithms can be named, too.

    Examples
    --------
    >>> def line(request, n=4):
    ...     rng = np.random.default_rng(request.seed)
    ...     return hcbench.Problem(n=n, vectors=rng.permutation(n)[:, np.newaxis])
    >>> request = DataRequest(seed=0)
    >>> line(request, n=6).vectors.shape
    (6, 1)
    >>> request.make("iris").n
    150
    """

    seed: int
    plugin_files: tuple[str, ...] = ()

    @cached_property
    def registry(self) -> Registry:
        """All that can be named, for data that are made of other data."""
        return load_registry(self.plugin_files)

    def make(self, name: str, seed: int = 0) -> Problem:
        """Make another data set, which `DatasetSpec.parts` must declare.

        Parameters
        ----------
        name : str
            The data set with its parameters.
        seed : int
            Of this data set.

        Raises
        ------
        DataError
            If the name means several data sets.
        """
        uses = self.registry.use_datasets(name)
        if len(uses) != 1:
            raise DataError(f"{name} means {len(uses)} data sets; name one")
        return make_data(uses[0], seed)


def make_data(use: Use[DatasetSpec], seed: int = 0) -> Problem:
    """Make the data of a data set, in this process and without checks.

    Parameters
    ----------
    use : Use
        Of `Registry.use_datasets`.
    seed : int

    Examples
    --------
    >>> (use,) = hcbench.load_registry().use_datasets("planted[N0=2]")
    >>> problem = make_data(use, seed=1)
    >>> problem.n, sorted(problem.provides)
    (16, ['heights', 'levels', 'similarity', 'truth'])
    """
    problem: Problem = call_dataset(call_of(use), seed)
    return problem


def call_dataset(call: Call, seed: int) -> Any:
    """Call the function of a data set."""
    function = call.load()
    if takes_request(function):
        request = DataRequest(seed=seed, plugin_files=call.plugin_files)
        return function(request, **call.params)
    warn_of_arguments(function, DataRequest)
    return function(seed, **call.params)


def call_oracle(call: Call, problem: Problem, seed: int, budget: int | None) -> Any:
    """Call the function of an oracle."""
    function = call.load()
    if takes_request(function):
        request = OracleRequest(problem=problem, seed=seed, budget=budget)
        return function(request, **call.params)
    warn_of_arguments(function, OracleRequest)
    return function(problem, seed, budget, **call.params)
