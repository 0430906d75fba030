"""What a worker is asked, and what it answers: all that travels between the processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from hcbench.plan.outcome import Measured, Status
from hcbench.registry.plugins import import_file
from hcbench.registry.specs import Function, Params, load_function
from hcbench.run.workers.conditions import Conditions

if TYPE_CHECKING:
    from hcbench.oracle.scored import Cost


@dataclass(frozen=True, slots=True)
class Call:
    """A plugin's function with its parameters: all of a spec that travels to a worker."""

    function: Function
    params: Params

    def __call__(self, *args: Any) -> Any:
        """Call it."""
        return load_function(self.function)(*args, **self.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a worker is asked to do.

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
    budget : int or None
    checkpoints : tuple of int
    metrics : mapping of label to Call
    kept : tuple of Measured
        Results that are in the store already: they are judged, nothing is run.
    cost : Cost, optional
        Of the kept results.
    clock : callable
        Times the call and the oracle's answers.
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
    budget: int | None
    checkpoints: tuple[int, ...]
    metrics: Mapping[str, Call]
    kept: tuple[Measured, ...] = ()
    cost: Cost | None = None
    clock: Callable[[], float] = perf_counter


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a worker answers.

    Attributes
    ----------
    phase : str
        Where it failed, if that is not the phase announced last.
    notes : tuple of str
        What data set, oracle and algorithm have to say about the result.
    measured : tuple of Measured
        Before the metrics are computed: without values.
    conditions : Conditions
        Of the machine, when the call ended.
    """

    status: Status = "ok"
    reason: str = ""
    stopped: str = ""
    cost: Cost | None = None
    data_digest: str = ""
    traceback: str = ""
    phase: str = ""
    notes: tuple[str, ...] = ()
    measured: tuple[Measured, ...] = ()
    conditions: Conditions = field(default_factory=Conditions)


class Packed(NamedTuple):
    """A job as it travels.

    Attributes
    ----------
    files : tuple of str
        The plugin files to import before it is read.
    places : dict
        Where files of the main process are on the worker's machine, if that is another one.
    payload : bytes
        The job; the caller's own functions go by value.
    """

    files: tuple[str, ...]
    places: Mapping[str, str]
    payload: bytes


def pack_job(job: Job, files: Iterable[object]) -> bytes:
    """A job as it travels, with the plugin files to import before it is read."""
    import cloudpickle

    return pickle.dumps(Packed(tuple(map(str, files)), {}, cloudpickle.dumps(job)))


def relocate(packed: bytes, places: Mapping[str, str]) -> bytes:
    """A packed job for a machine where files of the main process are in other places."""
    if not places:
        return packed
    job: Packed = pickle.loads(packed)
    return pickle.dumps(job._replace(places=places))


_places: dict[str, str] = {}


def unpack_job(packed: bytes) -> Job:
    """Import the plugin files of a packed job, and read it."""
    import cloudpickle

    files, places, payload = pickle.loads(packed)
    _places.update(places)
    for file in files:
        import_file(Path(file), Path(place_of(file)))
    job: Job = cloudpickle.loads(payload)
    return job


def place_of(path: str) -> str:
    """Where a file of the main process is on this machine."""
    return _places.get(path, path)
