"""Where cells run: in processes of this machine, or on the machines of a dask cluster."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from hcbench.errors import ParameterError, WorkerError
from hcbench.plan.plan import Plan
from hcbench.registry.plugins import Plugins
from hcbench.run.cached import memory_limit
from hcbench.run.environment import usable_cores
from hcbench.run.workers import Limits, Pool, Report

ExecutorName: TypeAlias = Literal["local", "dask"]
PRELOADED = ("numpy", "scipy.cluster.hierarchy", "numba", "cloudpickle", "hcbench.run.cell")


class Jobs(Protocol):
    """What a run uses of a pool; see `hcbench.run.workers.Pool`."""

    @property
    def free(self) -> int:
        """How many jobs can be submitted now."""

    @property
    def room(self) -> int:
        """How many jobs can be submitted, counting those that would have to wait for another."""

    @property
    def running(self) -> list[tuple[object, str, float]]:
        """Tag, phase and seconds so far of each job on its way."""

    @property
    def workers(self) -> Collection[Hashable]:
        """Those that `taker` names and that are alive."""

    def taker(self, *, ahead: bool = False) -> Hashable:
        """Which worker a job goes to if it is submitted now; always the same if that is open."""

    def submit(self, tag: object, job: object, limits: Limits, *, ahead: bool = False) -> None:
        """Give a job to a worker; whatever becomes of it, `wait` reports under this tag."""

    def wait(self, timeout: float | None = None) -> list[Report]:
        """Return the reports that are there, waiting for the first."""


class Executor(Protocol):
    """The machines that a run uses, from its beginning to its end."""

    @property
    def slots(self) -> int:
        """How many cells run at a time."""

    def memory_share(self, plan: Plan) -> float:
        """GiB that a cell may take."""

    def describe(self) -> Mapping[str, Any]:
        """What is recorded of the machines with the run, beside this one's description."""

    def pool(self, cells: int) -> AbstractContextManager[Jobs]:
        """Workers for so many cells."""


@dataclass(frozen=True, slots=True)
class ThisMachine:
    """Isolated processes of this machine.

    Attributes
    ----------
    slots : int
        How many.
    """

    slots: int

    def memory_share(self, plan: Plan) -> float:
        """A share of this machine's memory, where the suite has no limit."""
        return memory_limit(plan, self.slots)

    def describe(self) -> dict[str, Any]:
        """Nothing but what every run has."""
        return {}

    def pool(self, cells: int) -> Pool:
        """Workers for so many cells."""
        return cell_pool(min(self.slots, cells))


def cell_pool(slots: int) -> Pool:
    """Isolated processes that run packed cells."""
    return Pool(slots, "hcbench.run.cell:run_packed", preload=PRELOADED)


def open_executor(
    name: ExecutorName,
    plan: Plan,
    plugins: Plugins,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    files: Sequence[Path] = (),
) -> AbstractContextManager[Executor]:
    """The machines for a run.

    Parameters
    ----------
    name : {"local", "dask"}
    plan : Plan
    plugins : Plugins
        Whose files travel with the cells.
    jobs : int, optional
        The most cells at a time; by default one a core, of a cluster one a thread.
    scheduler : str, optional
        The address of a dask scheduler; without one the cluster is in this process.
    files : sequence of Path
        The caller's own data, which travel too.

    Raises
    ------
    ParameterError
        If a scheduler is given to an executor that has none.
    WorkerError
        If dask is not installed, or the cluster cannot be had.
    """
    check_executor(name, scheduler)
    if name == "local":
        return nullcontext(ThisMachine(jobs or usable_cores()))
    try:
        from hcbench.run.dask_pool import Cluster, terms_of
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("dask", "distributed"):
            raise
        raise WorkerError(
            'the executor dask needs dask, which is not installed: pip install "hcbench[dask]"'
        ) from None
    return Cluster(terms_of(plan, [*plugins.files, *files]), scheduler, jobs)


def check_executor(name: str, scheduler: str | None) -> None:
    """Refuse what does not fit together.

    Raises
    ------
    ParameterError
        If there is no such executor, or it has no scheduler.
    """
    if name not in ("local", "dask"):
        raise ParameterError(f"no executor is called {name!r}; there are local and dask")
    if scheduler is not None and name != "dask":
        raise ParameterError(f"the scheduler {scheduler} needs the executor dask, not {name}")
