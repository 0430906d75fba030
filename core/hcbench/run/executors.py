"""Where cells run: in processes of this machine, or on the machines of a dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hcbench.errors import ParameterError, WorkerError
from hcbench.model.cost import Cost
from hcbench.model.trees import HeightKind, Partition, Tree
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.plan import Plan
from hcbench.registry.plugins import Plugins
from hcbench.run.environment import memory_limit, usable_cores
from hcbench.run.workers import Pool
from hcbench.run.workers.messages import read_data

if TYPE_CHECKING:
    from hcbench.run.dask_pool import Cluster, DaskPool

ExecutorName: TypeAlias = Literal["local", "dask"]
#: The machines that a run uses, from its beginning to its end.
Executor: TypeAlias = "ThisMachine | Cluster"
#: Takes jobs and returns reports; see `hcbench.run.workers.Pool`.
Jobs: TypeAlias = "Pool | DaskPool"
#: Modules that the fork server imports, once for all workers.
PRELOADED: tuple[str, ...] = (
    "scipy.cluster.hierarchy",
    "hcbench.run.cell",
    "hcbench.run.first_use",
)


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
        """The machines beside this one, which every run describes: none."""
        return {}

    def pool(self, cells: int) -> Pool:
        """At most ``cells`` workers."""
        return cell_pool(min(self.slots, cells))


def cell_pool(slots: int) -> Pool:
    """Isolated processes that run packed cells."""
    return Pool(slots, "hcbench.run.cell:run_packed", preload=PRELOADED, decode=read_outcome)


def read_outcome(pickled: bytes) -> object:
    """Read the message of a worker about a cell, which an algorithm may have written."""
    return read_data(pickled, _OUTCOMES)


_NUMPY = ("numpy", "numpy._core.numeric", "numpy._core.multiarray")
_NUMPY_1 = ("numpy.core.numeric", "numpy.core.multiarray")
_ARRAYS = ("dtype", "ndarray", "scalar", "_frombuffer", "_reconstruct")
_OUTCOMES = frozenset(
    [
        *((each.__module__, each.__name__) for each in (Outcome, ScoredPoint, Value, Cost)),
        *((each.__module__, each.__name__) for each in (Tree, Partition, HeightKind)),
        *((module, name) for module in (*_NUMPY, *_NUMPY_1) for name in _ARRAYS),
    ]
)


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
        Whose files are sent with the cells.
    jobs : int, optional
        The most cells at a time; by default one per core, or one per thread of a cluster.
    scheduler : str, optional
        The address of a dask scheduler; without one the cluster is in this process.
    files : sequence of Path
        The caller's own data, which are sent with the cells.

    Raises
    ------
    ParameterError
        If a scheduler is given to an executor that has none.
    WorkerError
        If dask is not installed, or the cluster cannot be used.
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
    """Check that an executor exists and takes a scheduler, if one is given.

    Raises
    ------
    ParameterError
        If there is no such executor, or it has no scheduler.
    """
    if name not in ("local", "dask"):
        raise ParameterError(f"no executor is called {name!r}; there are local and dask")
    if scheduler is not None and name != "dask":
        raise ParameterError(f"the scheduler {scheduler} needs the executor dask, not {name}")
