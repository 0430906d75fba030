"""Where cells run: in processes of this machine, or where a plugin's executor runs them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from hcbench.errors import ParameterError
from hcbench.plan.outcome import Outcome
from hcbench.plan.plan import Plan
from hcbench.registry import find_executors
from hcbench.registry.kernel_cache import kernel_environment
from hcbench.registry.plugins import Plugins
from hcbench.registry.uses import Use
from hcbench.run.environment import fingerprints_of, memory_per_cell, usable_cores
from hcbench.run.job import relocate, wrap_job
from hcbench.run.options import LOCAL, RunOptions
from hcbench.run.workers import Limits, Pool, Report
from hcbench.run.workers.connections import ServerProcess
from hcbench.run.workers.encoding import EncodingError, OutcomeMessage, decode
from hcbench.run.workers.interpreter import named_secrets

#: Modules that the fork server imports, once for all workers.
PRELOADED: tuple[str, ...] = (
    "scipy.cluster.hierarchy",
    "hcbench.run.cell",
    "hcbench.run.first_use",
)


class JobPool(Protocol):
    """Takes jobs and returns reports; a context manager, closed with jobs that still run."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    @property
    def workers(self) -> Collection[Hashable]:
        """The names of the workers; jobs that share data go to the same one."""

    @property
    def running(self) -> Sequence[tuple[object, str, float]]:
        """Tag, phase and seconds so far of each job that runs."""

    def next_worker(self, *, ahead: bool = False) -> Any | None:
        """The worker that can begin a job, with `ahead` after others; None if there is none."""

    def submit(self, tag: object, job: bytes, limits: Limits, worker: Any) -> None:
        """Give a job to the next worker; the report on it has this tag."""

    def wait(self, timeout: float | None = None) -> list[Report]:
        """Return the reports so far, waiting for the first; empty after these seconds."""


class Executor(Protocol):
    """The machines that a run uses, from its beginning to its end."""

    @property
    def slots(self) -> int:
        """How many cells run at a time."""

    @property
    def memory(self) -> float:
        """Bytes available to a cell."""

    def describe(self) -> dict[str, Any]:
        """The machines beside this one, which every run describes."""

    def pool(self, cells: int) -> JobPool:
        """Workers for at most this many cells at a time."""


@dataclass(frozen=True, slots=True)
class ThisMachine:
    """Isolated processes of this machine.

    Attributes
    ----------
    slots : int
        How many.
    wrapper, threads, plugin_files, secrets
        See `CellPool`.

    Examples
    --------
    An executor that calls its own function instead of each algorithm:

    >>> machine = ThisMachine(slots=2, wrapper="mypackage.calling:call_enclosed")
    >>> machine.slots, machine.threads, machine.describe()
    (2, 1, {})
    """

    slots: int
    wrapper: str = ""
    threads: int = 1
    plugin_files: tuple[Path, ...] = ()
    secrets: tuple[str, ...] = ()

    @property
    def memory(self) -> float:
        """A share of this machine's memory."""
        return memory_per_cell(self.slots)

    def describe(self) -> dict[str, Any]:
        """No other machines."""
        return {}

    def pool(self, cells: int) -> CellPool:
        """At most ``cells`` workers."""
        slots = min(self.slots, cells)
        return CellPool(
            slots,
            wrapper=self.wrapper,
            threads=self.threads,
            plugin_files=self.plugin_files,
            secrets=self.secrets,
        )


class CellPool(Pool):
    """Isolated processes of this machine that run cells; a context manager.

    An executor of other machines gives each job that it was given, with its limits, to such a pool
    there: ``submit(tag, job, limits)``, then ``wait(timeout)`` until it returns the `Report`.

    Parameters
    ----------
    slots : int
        How many cells run at a time.
    places : mapping of path to path, optional
        Where files of the main process are on this machine, if it is another one.
    wrapper : str
        ``module:function`` that calls the algorithms instead of the worker, in another process; it
        gets their arguments, ``algorithm``, which can be pickled, and the ``number`` of the cell.
    threads : int
        Of BLAS, OpenMP and numba in each process.
    plugin_files : sequence of Path
        The plugin files of the run, as they are on this machine, whose kernels may be compiled.
    secrets : sequence of str
        Environment variables with secrets that the workers get, possibly with wildcards.

    Examples
    --------
    >>> class Elsewhere:
    ...     slots = 2  # cells at a time
    ...     def pool(self, cells):
    ...         return CellPool(min(self.slots, cells), threads=1)
    >>> with Elsewhere().pool(cells=0) as pool:  # no cell, and so no process
    ...     pool.wait(timeout=0)
    []

    Where there are cells, each job is submitted with its limits, and its report awaited:

    >>> from hcbench.run import Limits
    >>> def report_of(pool, job):
    ...     pool.submit("first", job, Limits(seconds=60))
    ...     reports = []
    ...     while not reports:
    ...         reports = pool.wait(timeout=1)
    ...     return reports[0]
    """

    def __init__(
        self,
        slots: int,
        places: Mapping[str, str] | None = None,
        wrapper: str = "",
        threads: int = 1,
        plugin_files: Sequence[Path] = (),
        secrets: Sequence[str] = (),
    ) -> None:
        self._places = places
        self._wrapper = wrapper
        super().__init__(
            slots,
            "hcbench.run.cell:start_job",
            preload=PRELOADED,
            decode=read_outcome,
            threads=threads,
            variables=kernel_environment(plugin_files) | named_secrets(secrets),
        )

    def submit(self, tag: object, job: object, limits: Limits, worker: int | None = None) -> None:
        """Give a cell to a worker; `wait` returns a report with this tag, however it ends."""
        assert isinstance(job, bytes)
        if self._wrapper:
            job = wrap_job(job, self._wrapper)
        if self._places:
            job = relocate(job, self._places)
        self.submit_packed(tag, job, limits, worker)

    @staticmethod
    def end_server() -> None:
        """End the process that starts workers; the next one imports the code as it is then."""
        ServerProcess.retire()


def read_outcome(content: bytes) -> Outcome | None:
    """Read the outcome of a cell from a worker, into which an algorithm may have written.

    Raises
    ------
    EncodingError
        If it is anything else than an outcome, or None of an import.
    """
    message: OutcomeMessage | None = decode(content, OutcomeMessage | None)
    if message is None:
        return None
    outcome = message.outcome
    from hcbench.model.trees import Partition, Tree  # once there are any

    for point in outcome.points:
        if not isinstance(point.result, Tree | Partition | None):
            raise EncodingError(f"the result of a cell is a {type(point.result).__name__}")
    return outcome


def open_executor(
    options: RunOptions, plan: Plan, plugins: Plugins
) -> AbstractContextManager[Executor]:
    """The machines for a run.

    Parameters
    ----------
    options : RunOptions
        Executor, scheduler, jobs and files.
    plan : Plan
    plugins : Plugins
        Their files are sent with the cells.

    Raises
    ------
    UnknownNameError
        If there is no such executor.
    ParameterError
        If a scheduler is given to the executor ``"local"``.
    HcbenchError
        If the cluster cannot be used.
    """
    threads = plan.suite.threads
    if options.executor == LOCAL:
        if options.scheduler is not None:
            raise ParameterError(
                f"the scheduler {options.scheduler} needs the executor of a cluster, not {LOCAL}"
            )
        # By default as many cells as have cores for all their threads.
        slots = options.jobs or max(1, usable_cores() // threads)
        return nullcontext(ThisMachine(slots, threads=threads, plugin_files=plugins.files))
    spec = find_executors(plugins).find(options.executor).spec
    files = _plugin_files(plan, plugins) + list(options.files)
    # The machines of a cluster need not have the files, so that their content is sent.
    contents = {}
    for file in files:
        contents[str(file)] = file.read_bytes()
    opened: AbstractContextManager[Executor] = spec.load()(
        jobs=options.jobs,
        scheduler=options.scheduler,
        threads=threads,
        fingerprints=fingerprints_of(plan),
        files=contents,
    )
    return opened


def _plugin_files(plan: Plan, plugins: Plugins) -> list[Path]:
    """Plugin files, the modules beside them that they import, and the data that they declare."""
    files: list[Path] = []
    for plugin in plugins.loaded:
        if plugin.file:
            files += plugin.code
    uses: list[Use[Any]] = list(plan.algorithms)
    uses += plan.datasets
    uses += plan.metrics
    for cell in plan.cells:
        uses.append(cell.oracle)
    # Each once, as cells share their oracles. Installed plugins have their data with them.
    file_uses = {}
    for use in uses:
        if use.plugin.file:
            file_uses[use.identity] = use
    for use in file_uses.values():
        for name in use.spec.data_files:
            path = use.plugin.folder / name
            if path.is_file():
                files.append(path)
            else:
                files += filter(Path.is_file, path.rglob("*"))
    return list(dict.fromkeys(files))
