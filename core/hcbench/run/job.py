"""What a worker needs to run a cell, and how that is sent to it."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hcbench.registry.plugins import import_file, keep_importable, module_of
from hcbench.registry.specs import Function, Params, load_function

if TYPE_CHECKING:
    from hcbench.model.cost import Budget, Cost
    from hcbench.plan.outcome import ScoredPoint


@dataclass(frozen=True, slots=True)
class Call:
    """A plugin's function with its parameters: all of a spec that a worker needs."""

    function: Function
    params: Params

    def __call__(self, *args: Any) -> Any:
        """Call it."""
        return load_function(self.function)(*args, **self.params)


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
    gpu : bool
        Whether it needs a GPU.
    threads : int
        Of BLAS, OpenMP and numba.
    replies : Call, optional
        Opens the stored answers of a paid oracle; see `hcbench.run.replies.StoredReplies`.
    clock : callable
        Times the call and the oracle's answers; see `hcbench.run.times`.
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
    gpu: bool = False
    threads: int = 1
    replies: Call | None = None
    clock: Callable[[], float] = perf_counter


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
    """

    job: Job
    cost: Cost
    points: tuple[ScoredPoint, ...]


@dataclass(frozen=True, slots=True)
class ImportJob:
    """A plugin's function to import, which may compile kernels, before a cell needs it.

    Attributes
    ----------
    function : str
    """

    function: str


def pack_job(job: Job | RescoreJob | ImportJob | Call, files: Iterable[object]) -> bytes:
    """Pickle a job, with the plugin files to import before it is unpickled.

    The caller's own functions go by value.
    """
    import cloudpickle

    return pickle.dumps((tuple(map(str, files)), {}, cloudpickle.dumps(job)))


def relocate(packed: bytes, places: Mapping[str, str]) -> bytes:
    """A packed job for a machine where files of the main process are in other places."""
    files, _, job = pickle.loads(packed)
    return pickle.dumps((files, places, job))


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
    files, _, pickled = pickle.loads(packed)
    job = pickle.loads(pickled)
    if isinstance(job, ImportJob):
        return pack_job(ImportJob(wrapper), ())
    cell = job.job if isinstance(job, RescoreJob) else job
    needed = [str(call.function) for call in (cell.dataset, cell.oracle, *cell.metrics.values())]
    own = [f for f in files if any(n.startswith(f"{module_of(Path(f))}:") for n in needed)]
    algorithm: Any = partial(call_packed, pack_job(cell.algorithm, files))
    call = Call(wrapper, {"algorithm": algorithm, "number": next(_wrapped)})
    cell = replace(cell, algorithm=call)
    return pack_job(replace(job, job=cell) if isinstance(job, RescoreJob) else cell, own)


def call_packed(packed: bytes, *args: Any) -> Any:
    """Call a packed `Call`."""
    call: Any = unpack_job(packed)
    return call(*args)


_places: dict[str, str] = {}


def unpack_job(packed: bytes) -> Job | RescoreJob | ImportJob:
    """Import the plugin files of a packed job, and unpickle it."""
    import cloudpickle

    files, places, pickled = pickle.loads(packed)
    _places.update(places)
    for file in files:
        place = Path(place_of(file))
        # This is a process of our own: functions of the file may import modules beside it later.
        keep_importable(place.parent)
        import_file(Path(file), place)
    job: Job | RescoreJob | ImportJob = cloudpickle.loads(pickled)
    return job


def place_of(path: str) -> str:
    """Where a file of the main process is on this machine."""
    return _places.get(path, path)
