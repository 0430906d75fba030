"""Uses of what callers bring from Python: algorithms, data sets and metrics of their own."""

from __future__ import annotations

import inspect
import pickle
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MethodType
from typing import Any, TypeAlias

import numpy as np

from hcbench.api.data import as_problem, is_data
from hcbench.errors import DataError, ParameterError
from hcbench.model.problem import Problem
from hcbench.oracle import Oracle
from hcbench.registry.making import make_use
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.plugins import CALLER, Plugin
from hcbench.registry.repeats import Repeats
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, Need, Spec
from hcbench.registry.uses import Use
from hcbench.run.job import FunctionOfSeed, ProblemFile

CallerFunction: TypeAlias = Callable[..., Any]
_DOC = "The caller's own."


# ---- Lists of names and objects ------------------------------------------------------------------


def split_names(
    noun: str, items: Iterable[Any], make: Callable[[Any], Use[Any]], repeats: Repeats
) -> tuple[tuple[str, ...], list[Use[Any]]]:
    """Split a list into its names, and uses made of its other objects.

    Parameters
    ----------
    noun : str
        The entries of the list in messages, such as "algorithms".
    items : iterable
        Names and objects of the caller, or a single one.
    make : callable
        Makes a use of an object that is not a name.
    repeats : Repeats
        Receives the objects that occur more than once and count once. Repeated names are found
        when the plan is made, which compares what they mean.

    Returns
    -------
    names : tuple of str
    uses : list of Use
    """
    names: list[str] = []
    objects: list[Any] = []
    uses: list[Use[Any]] = []
    for item in _listed(items):
        if isinstance(item, str):
            names.append(item)
            continue
        earlier = _position_of(item, objects)
        if earlier is not None:
            # `objects` and `uses` have the same positions.
            repeats.add(noun, uses[earlier].label)
            continue
        objects.append(item)
        uses.append(make(item))
    return tuple(names), uses


def _listed(items: Any) -> list[Any]:
    """A list, also of a single item, in which each number of a metric is an entry."""
    if isinstance(items, str) or callable(items) or not isinstance(items, Iterable):
        items = [items]
    listed: list[Any] = []
    for item in items:
        if isinstance(item, MetricSpec):
            listed.extend(item.split())
        else:
            listed.append(item)
    return listed


def _position_of(item: Any, objects: list[Any]) -> int | None:
    """The position of an object in a list; None if it is not there."""
    for position, earlier in enumerate(objects):
        if _is_same(earlier, item):
            return position
    return None


def _is_same(first: Any, second: Any) -> bool:
    """Whether two objects of a caller are one function, one spec, or data under one name."""
    if first is second:
        return True
    if isinstance(first, tuple) and isinstance(second, tuple):
        # A name and data. Arrays are compared by identity: their equality is an array.
        return bool(first[0] == second[0]) and first[1] is second[1]
    # Each access to a method makes a new object; specs are equal if all their fields are.
    if isinstance(first, Spec | MethodType):
        return bool(first == second)
    return False


# ---- Algorithms and metrics ----------------------------------------------------------------------


def use_of_algorithm(item: AlgorithmSpec | CallerFunction) -> Use[AlgorithmSpec]:
    """Make a use of a spec, or of a function of the vectors."""
    if isinstance(item, AlgorithmSpec):
        return _session_use(item)
    name = _name_of(item, "an algorithm is a name, a function or an AlgorithmSpec")
    function = partial(call_with_vectors, item, takes_rng(item))
    return _session_use(AlgorithmSpec(name=name, function=function, doc=_DOC, accepts=("vectors",)))


def use_of_metric(item: MetricSpec | CallerFunction) -> Use[MetricSpec]:
    """Make a use of a spec, or of a function of what is scored."""
    if isinstance(item, MetricSpec):
        return _session_use(item)
    name = _name_of(item, "a metric is a name, a function or a MetricSpec")
    spec = MetricSpec(name=name, function=item, doc=_DOC, direction="higher", result="any")
    return _session_use(spec)


def _session_use(spec: Any, version: str | None = None) -> Use[Any]:
    """A use of a spec of this session; without a version, stored results are not reused."""
    # A version that never occurred: nobody knows whether the caller's code is what it was.
    plugin = Plugin(distribution=CALLER, entry_point="session", version=version or uuid.uuid4().hex)
    return make_use(spec, plugin, {})


def _name_of(function: Any, expected: str) -> str:
    """The name of a function in tables, without what has a meaning in ``NAME[param=value]``."""
    if not callable(function):
        raise ParameterError(f"{expected}: {function!r}")
    # A partial has no name; that of its function tells most.
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[\[\]=,:\s<>]", "", name)


def call_with_vectors(
    function: CallerFunction, with_rng: bool, oracle: Oracle, _given: Any, rng: np.random.Generator
) -> Any:
    """An algorithm that calls a function with the vectors alone.

    It is sent to workers with its first two arguments, and so is public.
    """
    vectors = oracle.read()
    if with_rng:
        return function(vectors, rng=rng)
    return function(vectors)


def takes_rng(function: CallerFunction) -> bool:
    """Whether a callable of the caller takes ``rng``, and leaves it to hcbench.

    A wrapper that takes any keywords takes those of the function that it wraps
    (`functools.wraps`). A function of C without a signature takes none, as nothing can be known.
    """
    if isinstance(function, partial) and "rng" in function.keywords:
        # The caller has bound a generator of his own.
        return False
    if not _has_keyword_rng(_parameters_of(function, follow_wrapped=True)):
        return False
    outer = _parameters_of(function, follow_wrapped=False)
    # A wrapper in C, such as a function that numba compiles, has no signature but the inner one.
    if not outer or _has_keyword_rng(outer):
        return True
    # The wrapper has a signature without rng: it passes it on only by **keywords.
    kinds = [parameter.kind for parameter in outer.values()]
    return inspect.Parameter.VAR_KEYWORD in kinds


def _parameters_of(
    function: CallerFunction, *, follow_wrapped: bool
) -> Mapping[str, inspect.Parameter]:
    """The parameters of a callable; none if it has no signature."""
    try:
        return inspect.signature(function, follow_wrapped=follow_wrapped).parameters
    except (TypeError, ValueError):
        return {}


def _has_keyword_rng(parameters: Mapping[str, inspect.Parameter]) -> bool:
    """Whether ``rng`` is among parameters that may be passed by name."""
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return "rng" in parameters and parameters["rng"].kind in by_name


# ---- Data sets -----------------------------------------------------------------------------------


def named_datasets(datasets: Any) -> list[Any]:
    """The entries of an argument ``datasets``.

    Parameters
    ----------
    datasets : str, path, data, iterable or mapping

    Returns
    -------
    list of str or (str, data)
        Names of data sets and files as they are; data of the caller as pairs with their name.

    Raises
    ------
    DataError
        If it is neither data nor several of them.
    """
    # A Bunch of scikit-learn is a mapping, too.
    if isinstance(datasets, Mapping) and not is_data(datasets):
        return list(datasets.items())
    if is_data(datasets):
        datasets = [datasets]
    elif not isinstance(datasets, Iterable):
        raise DataError(
            f"datasets are names, files or data, got {type(datasets).__name__}: {datasets!r:.40}"
        )
    entries: list[Any] = []
    for number, item in enumerate(datasets, start=1):
        if isinstance(item, Path):
            entries.append(_name_of_file(item))
        elif isinstance(item, str):
            entries.append(item)
        else:
            entries.append((getattr(item, "__name__", f"data{number}"), item))
    return entries


def _name_of_file(path: Path) -> str:
    """A path as names of data sets have it: with a slash, which says that it is a file."""
    text = str(path)
    if "/" in text:
        return text
    return f"./{text}"


@dataclass(frozen=True)
class SessionData:
    """The data that a caller passes to a comparison.

    Attributes
    ----------
    folder : Path
        Data are written to this folder, so that only their paths are sent to the workers.
    problems : dict of str to Problem
        The problems of `use_of_dataset` by their digests.
    """

    folder: Path
    problems: dict[str, Problem] = field(default_factory=dict)

    def use_of_dataset(self, named_data: tuple[str, Any]) -> Use[DatasetSpec]:
        """Make a use of a name with a spec, a function of the seed, or data."""
        name, data = named_data
        if isinstance(data, DatasetSpec):
            return _session_use(data)
        # A function is called here and not in a worker: nothing is planned before this is known.
        if callable(data):
            problem = data(0)
        else:
            problem = as_problem(data)
        if not isinstance(problem, Problem):
            raise DataError(f"{name}(seed) must return a Problem, got {type(problem).__name__}")
        # None for a function: what it returns may change, and so results are not reused.
        digest = None
        function: FunctionOfSeed | ProblemFile
        if callable(data):
            function = FunctionOfSeed(data)
        else:
            path = self.folder / f"{uuid.uuid4().hex}.pickle"
            path.write_bytes(pickle.dumps(problem, protocol=5))
            function = ProblemFile(str(path))
            # Equal data have one version, and so one key: stored results are reused.
            digest = problem.digest()
            self.problems[digest] = problem
        spec = DatasetSpec(
            name=name,
            function=function,
            doc=_DOC,
            # A problem knows the names of its data, so that none is misspelt.
            provides=tuple(map(Need, problem.provides)),
            truths=tuple(problem.truths),
            random=callable(data),
        )
        return _session_use(spec, digest)


def without_same_data(uses: Iterable[Use[DatasetSpec]], repeats: Repeats) -> list[Use[DatasetSpec]]:
    """The data sets of a list without names, in which equal data count once."""
    by_digest: dict[str, Use[DatasetSpec]] = {}
    for use in uses:
        digest = use.plugin.version
        if digest in by_digest:
            repeats.add("datasets", use.label, by_digest[digest].label)
        else:
            by_digest[digest] = use
    return list(by_digest.values())
