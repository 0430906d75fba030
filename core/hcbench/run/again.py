"""One cell that runs outside of a run: a stored one again, or a new one, in a worker."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from hcbench.plan.cell import Cell
from hcbench.plan.outcome import REPORTED
from hcbench.run.executors import CellPool
from hcbench.run.job import pack_job
from hcbench.run.record import outcome_of
from hcbench.run.rescore import installed_metrics, use_described
from hcbench.run.tasks import make_job
from hcbench.run.workers import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hcbench.plan.outcome import Outcome
    from hcbench.registry import Registry
    from hcbench.registry.uses import Use
    from hcbench.store import Store

Watch: TypeAlias = Callable[[str, float], None]
"""Called with the phase of a cell that runs, and its seconds so far."""

WATCH = 0.5  # seconds between two calls of it


def rebuild(
    stored: Outcome, description: Mapping[str, Any], registry: Registry
) -> tuple[Cell, list[str]]:
    """The cell of a stored row, and what has changed since.

    Parameters
    ----------
    stored : Outcome
        What is stored of the cell.
    description : mapping
        How to run it again, as `Store.cell` returns it.
    registry : Registry
        The installed plugins.

    Raises
    ------
    UnknownNameError
        If one of its plugins is not installed any more.
    """
    uses: dict[str, Any] = {}
    changes: list[str] = []
    for kind in ("algorithm", "dataset", "oracle"):
        described = description[kind]
        use = use_described(registry, kind, described)
        uses[kind] = use
        changes += _changes_since(use, described)
    # Each metric once, in the order of the points.
    labels: dict[str, None] = {}
    for point in stored.points:
        for label in point.values:
            # Reported numbers are of the algorithm, and no metric computes them.
            if not label.endswith(REPORTED):
                labels[label] = None
    metrics, missing = installed_metrics(labels, registry)
    cell = Cell(
        **uses,
        repetition=stored.repetition,
        seed=stored.seed,
        budget=stored.budget,
        checkpoints=tuple(description["checkpoints"]),
        metrics=tuple(metrics.values()),
        threads=description.get("threads", 1),
    )
    return cell, changes + missing


def _changes_since(use: Use[Any], described: Mapping[str, Any]) -> list[str]:
    """What has changed of an algorithm, a data set or an oracle since it was described."""
    changes = []
    before = described["editions"]
    for name, now in use.fingerprints.items():
        if before.get(name) != now:
            stored_with = before.get(name, "none")
            changes.append(
                f"{use.label}: {name} is {now or 'missing'} now; stored with {stored_with}"
            )
    for name, digest in described["digests"].items():
        if use.digests.get(name) != digest:
            changes.append(f"{use.label}: the file {use.params[name]} has changed since")
    return changes


def run_in_worker(
    cell: Cell,
    store: Store | None,
    registry: Registry,
    timeout: float,
    watch: Watch | None = None,
) -> Outcome:
    """Run a cell in a worker of its own, as a run does; nothing is stored but paid answers.

    Parameters
    ----------
    cell : Cell
    store : Store, optional
        Where the answers of paid oracles are.
    registry : Registry
        Its plugin files are loaded in the worker.
    timeout : float
        Wall time for the call of the algorithm, in seconds; infinity for no limit.
    watch : callable, optional
        Called with the phase and its seconds every `WATCH` seconds while the cell runs.
    """
    ((_, outcome),) = run_in_workers([cell], store, registry, timeout, jobs=1, watch=watch)
    return outcome


def run_in_workers(
    cells: Sequence[Cell],
    store: Store | None,
    registry: Registry,
    timeout: float,
    *,
    jobs: int,
    watch: Watch | None = None,
) -> Iterator[tuple[Cell, Outcome]]:
    """Run cells in workers, several at a time; yields each when it has ended.

    Parameters
    ----------
    cells : sequence of Cell
        They need the same number of threads.
    store, registry, timeout, watch
        See `run_in_worker`.
    jobs : int
        How many cells run at a time.
    """
    # A limit of a cell is finite, or there is none.
    limits = Limits.of_cell(None)
    if timeout < math.inf:
        limits = Limits.of_cell(timeout)
    files = registry.plugins.files
    secrets: set[str] = set()
    for cell in cells:
        secrets.update(cell.secrets)
    # Reversed, as the next one is taken from the end.
    waiting = list(reversed(cells))
    slots = min(jobs, len(cells))
    threads = max([cell.threads for cell in cells])
    with CellPool(slots, threads=threads, plugin_files=files, secrets=sorted(secrets)) as pool:
        n_running = 0
        while waiting or n_running:
            while waiting and n_running < slots:
                cell = waiting.pop()
                labels = [metric.label for metric in cell.metrics]
                pool.submit(cell, pack_job(make_job(cell, labels, store), files), limits)
                n_running += 1
            # Without somebody who watches, until a cell ends.
            timeout_of_wait = None
            if watch is not None:
                timeout_of_wait = WATCH
            reports = pool.wait(timeout_of_wait)
            if watch is not None:
                for _, phase, seconds in pool.running:
                    watch(phase, seconds)
            for report in reports:
                n_running -= 1
                tag = report.tag
                assert isinstance(tag, Cell)
                yield tag, outcome_of(tag, report)
