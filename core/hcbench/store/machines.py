"""The BLAS libraries of the machines on which runs were measured."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import sqlalchemy as sa

from hcbench.store.conditions import among
from hcbench.store.rows import from_json
from hcbench.store.schema import cells, run_cells, runs


def blas_kernels(connection: sa.Connection, run: int | None = None) -> set[str]:
    """The BLAS libraries, with their kernels, by which the cells of a run were measured.

    By default of the last run.
    """
    kernels_by_run = {}
    for number, text in connection.execute(sa.select(runs.c.id, runs.c.environment)):
        kernels_by_run[number] = _blas_of(from_json(text))
    if run is None:
        run = max(kernels_by_run, default=0)
    kernels = set(kernels_by_run.get(run, set()))

    # Cells of the run may have been measured by earlier runs, on other machines.
    other_runs = []
    for number, names in kernels_by_run.items():
        if names - kernels:
            other_runs.append(number)
    if not other_runs:
        return kernels
    measured_by = sa.select(cells.c.run).join(run_cells, run_cells.c.cell == cells.c.id)
    measured_by = measured_by.where(
        run_cells.c.run == run, among(connection, cells.c.run, other_runs)
    )
    for number in connection.execute(measured_by.distinct()).scalars():
        kernels |= kernels_by_run[number]
    return kernels


def _blas_of(environment: Any) -> set[str]:
    """Of all machines of a run; none of a damaged one."""
    # A damaged environment has other types.
    with suppress(AttributeError, TypeError):
        machines = [environment.get("machine", {})]
        machines += environment.get("workers", ())
        names = set()
        for machine in machines:
            if machine.get("blas"):
                names.add(str(machine["blas"]))
        return names
    return set()
