"""What a worker needs to run a cell, and how that is sent to it.

A job is pickled once, by `pack_job`, and nothing of the caller's runs when it is unpickled: the
caller's own functions lie in it as bytes, and plugin files are only named. `PackedJob.open` imports
the files, and `Call.load` unpickles a function. So a worker can prepare a cell before it makes the
copy of itself in which that code runs.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from hcbench.registry.parameters import Params
from hcbench.registry.plugin_files import import_file, imported_digest, keep_importable
from hcbench.registry.specs import Function, load_function
from hcbench.registry.uses import Use

if TYPE_CHECKING:
    from hcbench.model.cost import Budget, Cost
    from hcbench.model.problem import Problem
    from hcbench.plan.outcome import ScoredPoint


@dataclass(frozen=True, slots=True)
class PackedFunction:
    """A function of the caller or of a plugin file, pickled by value.

    Attributes
    ----------
    content : bytes
    """

    content: bytes

    def load(self) -> Callable[..., Any]:
        """Return the function: the same object each time, as it may hold compiled kernels."""
        return _unpickle_function(self.content)


@lru_cache(maxsize=16)
def _unpickle_function(content: bytes) -> Callable[..., Any]:
    import cloudpickle

    function: Callable[..., Any] = cloudpickle.loads(content)
    return function


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """The data set of a caller's own data, which are in a file of the session.

    It is a class of core, so that the data are read like those of an installed data set, in a
    process that stays.

    Attributes
    ----------
    path : str
        For the main process.
    """

    path: str

    def __call__(self, _request: object) -> Problem:
        """Read the problem."""
        problem: Problem = pickle.loads(Path(place_of(self.path)).read_bytes())
        return problem


@dataclass(frozen=True, slots=True)
class FunctionOfSeed:
    """The data set of a caller's function of the seed, as `hcbench.compare` takes it.

    Attributes
    ----------
    function : callable
        ``function(seed) -> Problem``.
    """

    function: Callable[[int], Problem]

    def __call__(self, request: Any) -> Problem:
        """Call the function with the seed of a `DataRequest`."""
        return self.function(request.seed)


@dataclass(frozen=True, slots=True)
class Call:
    """A plugin's function with its parameters: all of a spec that a worker needs.

    Attributes
    ----------
    function : str, callable or PackedFunction
    params : mapping
    of_installed_plugin : bool
        Whether the spec is neither the caller's own nor of a plugin file, nor made of what is.
    plugin_files : tuple of str
        Plugin files of what the function may name, as a data set that is made of others does.

    Examples
    --------
    >>> call = Call("builtins:round", {"ndigits": 1})  # "module:function", or a function
    >>> call(2.71)
    2.7
    >>> call.is_installed
    True
    """

    function: Function | PackedFunction
    params: Params
    of_installed_plugin: bool = True
    plugin_files: tuple[str, ...] = ()

    @property
    def is_installed(self) -> bool:
        """Whether a process that has called it may do further cells.

        A function that is pickled by value may be anything, whoever declares it.
        """
        if isinstance(self.function, ProblemFile):
            return True
        return self.of_installed_plugin and isinstance(self.function, str)

    def load(self) -> Callable[..., Any]:
        """Import or unpickle the function.

        Raises
        ------
        PluginError
            If its module cannot be imported or has no such function.
        """
        if isinstance(self.function, PackedFunction):
            return self.function.load()
        return load_function(self.function)

    def __call__(self, *args: Any) -> Any:
        """Call it."""
        return self.load()(*args, **self.params)

    def packed(self) -> Call:
        """The same with the function as bytes, unless it is imported by its name."""
        if isinstance(self.function, str | ProblemFile | PackedFunction):
            return self
        import cloudpickle

        return replace(self, function=PackedFunction(cloudpickle.dumps(self.function)))


def call_of(use: Use[Any]) -> Call:
    """The function of a use with its parameters.

    Examples
    --------
    >>> registry = hcbench.load_registry()
    >>> (use,) = registry.use_datasets("planted[N0=2]")
    >>> call = call_of(use)
    >>> call.function, call.params["N0"]
    ('hcbench_datasets.planted:planted', 2)
    """
    return Call(
        use.spec.function,
        dict(use.params),
        of_installed_plugin=use.is_installed,
        plugin_files=use.plugin_files,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a worker needs to run a cell.

    Attributes
    ----------
    dataset, oracle, algorithm : Call
    data_key : str
        Names the data, so that a worker keeps them for the next cell.
    data_seed, noise_seed, algorithm_seed : int
    provides : frozenset of str
        What the data set declares to yield.
    hints : tuple of str
    returns : {"tree", "partition"}
    budget : int, str or None
    checkpoints : tuple of int
    metrics : mapping of label to Call
    live : bool
        Whether an answer of the oracle costs money or a person's time.
    takes_unsure : bool
        Whether the algorithm takes UNSURE for an answer.
    min_items : int
        The fewest items that it clusters.
    threads : int
        Of BLAS, OpenMP and numba, which the worker was started with; noted with the outcome.
    replies : Call, optional
        Opens the stored answers of a paid oracle; see `hcbench.run.replies.StoredReplies`.
    clock : callable
        Times the call and the oracle's answers; see `hcbench.run.times`.

    Examples
    --------
    >>> from hcbench.plan import make_plan
    >>> from hcbench.run import make_job, run_job
    >>> suite = hcbench.Suite(
    ...     name="tiny", algorithms=["Single"], datasets=["planted[N0=2,sigma=0]"], metrics=["AARI"]
    ... )
    >>> (cell, *_) = make_plan(suite, hcbench.load_registry()).cells
    >>> job = make_job(cell, ["AARI"])
    >>> job.returns, job.budget, job.threads
    ('tree', None, 1)
    >>> run_job(job).status
    'ok'
    """

    dataset: Call
    oracle: Call
    algorithm: Call
    data_key: str
    data_seed: int
    noise_seed: int
    algorithm_seed: int
    provides: frozenset[str]
    hints: tuple[str, ...]
    returns: str
    budget: Budget | None
    checkpoints: tuple[int, ...]
    metrics: Mapping[str, Call]
    live: bool = False
    takes_unsure: bool = False
    min_items: int = 1
    threads: int = 1
    replies: Call | None = None
    clock: Callable[[], float] = perf_counter

    @property
    def is_installed(self) -> bool:
        """Whether all code that it runs is of installed packages."""
        calls = self.calls_beside_algorithm
        calls.append(self.algorithm)
        return all(call.is_installed for call in calls)

    @property
    def calls_beside_algorithm(self) -> list[Call]:
        """The calls of its data set, its oracle and its metrics."""
        return [self.dataset, self.oracle] + list(self.metrics.values())

    def packed(self) -> Job:
        """The same with the caller's functions as bytes."""
        return replace(
            self,
            dataset=self.dataset.packed(),
            oracle=self.oracle.packed(),
            algorithm=self.algorithm.packed(),
            metrics={label: metric.packed() for label, metric in self.metrics.items()},
        )


@dataclass(frozen=True, slots=True)
class RescoreJob:
    """What a worker needs to compute more metrics of stored results, for which nothing is run.

    Attributes
    ----------
    job : Job
        Its data and its oracle are made again; its metrics are computed.
    cost : Cost
        Of the stored call.
    points : tuple of ScoredPoint
        Its results, without values.

    Examples
    --------
    >>> from hcbench.plan import make_plan
    >>> from hcbench.run import make_job, rescore_job, run_job
    >>> suite = hcbench.Suite(
    ...     name="tiny", algorithms=["Single"], datasets=["planted[N0=2,sigma=0]"], metrics=["AARI"]
    ... )
    >>> (cell, *_) = make_plan(suite, hcbench.load_registry()).cells
    >>> stored = run_job(make_job(cell, []))  # without metrics
    >>> job = RescoreJob(make_job(cell, ["AARI"]), stored.cost, stored.points)
    >>> rescore_job(job).points[-1].values["AARI"].value
    1.0
    """

    job: Job
    cost: Cost
    points: tuple[ScoredPoint, ...]

    @property
    def is_installed(self) -> bool:
        """Whether all code that it runs is of installed packages; the algorithm is not called."""
        return all(call.is_installed for call in self.job.calls_beside_algorithm)

    def packed(self) -> RescoreJob:
        """The same with the caller's functions as bytes."""
        return replace(self, job=self.job.packed())


@dataclass(frozen=True, slots=True)
class ImportJob:
    """A function of an installed plugin to import, which may compile kernels, ahead of its cells.

    Attributes
    ----------
    function : str
    """

    function: str

    @property
    def is_installed(self) -> bool:
        """Always: files are imported for their own cells."""
        return True

    def packed(self) -> ImportJob:
        """The same, as it has no function."""
        return self


AnyJob: TypeAlias = Job | RescoreJob | ImportJob


@dataclass(frozen=True, slots=True)
class PackedJob:
    """A job, or the call of an algorithm, as it is sent.

    Attributes
    ----------
    job : Job, RescoreJob, ImportJob or Call
        With the caller's functions as bytes.
    files : tuple of str
        Plugin files that these functions may be of.
    digests : mapping of path to str
        Of their code, as the main process has imported it.
    places : mapping of path to path
        Where files of the main process are on this machine, if it is another one.
    """

    job: AnyJob | Call
    files: tuple[str, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    def open(self) -> Any:
        """Import the plugin files, whose code runs, and return the job."""
        self.note_places()
        for file in self.files:
            place = Path(place_of(file))
            # A process of our own: functions of the file may import modules beside it later.
            keep_importable(place.parent)
            import_file(Path(file), place, self.digests.get(file, ""))
        return self.job

    def note_places(self) -> None:
        """Have `place_of` know where the files are."""
        _places.update(self.places)


def pack_job(job: AnyJob | Call, files: Iterable[object]) -> bytes:
    """Pickle a job, with the plugin files that its functions may be of.

    Examples
    --------
    An executor gets jobs as bytes, which it sends to another machine.

    >>> from hcbench.run import Call
    >>> packed = pack_job(Call("builtins:round", {"ndigits": 1}), files=[])
    >>> type(packed)
    <class 'bytes'>
    """
    names = tuple(str(file) for file in files)
    digests = {name: imported_digest(Path(name)) for name in names}
    # Plain pickle: the caller's own functions are bytes in it, which cloudpickle has written.
    return pickle.dumps(PackedJob(job.packed(), names, digests))


def unpack_job(packed: bytes) -> PackedJob:
    """Unpickle a packed job; nothing of the caller's runs."""
    job: PackedJob = pickle.loads(packed)
    return job


def relocate(packed: bytes, places: Mapping[str, str]) -> bytes:
    """A packed job for a machine where files of the main process are in other places."""
    return pickle.dumps(replace(unpack_job(packed), places=places))


_wrapped = itertools.count()


def wrap_job(packed: bytes, wrapper: str) -> bytes:
    """A packed job whose algorithm is called by another function, so that its code stays out.

    Parameters
    ----------
    packed : bytes
        As `pack_job` returns it.
    wrapper : str
        ``module:function``, called with what the algorithm would get, ``algorithm``, which can be
        pickled and called with the same, and ``number``, which is another one for each cell.
    """
    envelope = unpack_job(packed)
    job = envelope.job
    if isinstance(job, ImportJob):
        return pack_job(ImportJob(wrapper), ())
    if isinstance(job, RescoreJob):
        return packed  # which does not call the algorithm
    assert isinstance(job, Job)
    # The algorithm alone, with the plugin files that its code may be in, as bytes for its process.
    content = pickle.dumps(replace(envelope, job=job.algorithm))
    algorithm: Any = partial(call_packed, content)
    call = Call(wrapper, {"algorithm": algorithm, "number": next(_wrapped)})
    files = tuple(_files_for_others(job, envelope.files))
    return pickle.dumps(replace(envelope, job=replace(job, algorithm=call), files=files))


def _files_for_others(job: Job, files: Iterable[str]) -> list[str]:
    """The plugin files that a job needs for anything but its algorithm."""
    if all(call.is_installed for call in job.calls_beside_algorithm):
        return []
    # The name of a function need not say of which file it is: all may be needed.
    return list(files)


def call_packed(packed: bytes, *args: Any) -> Any:
    """Call a packed `Call`."""
    return unpack_job(packed).open()(*args)


def folders_of_code(packed: partial[Any]) -> list[Path]:
    """The folders of the plugin files that an algorithm, as `wrap_job` gives it, may be of.

    Examples
    --------
    >>> from functools import partial
    >>> from hcbench.run import Call, pack_job
    >>> packed = pack_job(Call("caterpillar:caterpillar", {}), ["plugins/caterpillar.py"])
    >>> [str(folder) for folder in folders_of_code(partial(print, packed))]
    ['plugins']
    """
    (content,) = packed.args
    return [Path(place_of(file)).parent for file in unpack_job(content).files]


_places: dict[str, str] = {}


def place_of(path: str) -> str:
    """Where a file of the main process is on this machine."""
    return _places.get(path, path)
