"""What a run has left to do, and the job that a worker needs for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hcbench.plan.cell import Cell
from hcbench.registry import Use
from hcbench.run.job import Call, Job


def make_job(cell: Cell, metrics: Iterable[str]) -> Job:
    """What a worker needs to run a cell, and to compute those metrics that are applicable.

    Parameters
    ----------
    cell : Cell
    metrics : iterable of str
        Labels.
    """
    wanted = set(metrics)
    return Job(
        dataset=_call(cell.dataset),
        oracle=_call(cell.oracle),
        algorithm=_call(cell.algorithm),
        data_key=cell.data_key,
        data_seed=cell.data_seed,
        noise_seed=cell.noise_seed,
        algorithm_seed=cell.algorithm_seed,
        provides=cell.dataset.spec.provides_with(cell.dataset.params),
        hints=cell.algorithm.spec.hints_of(cell.algorithm.params),
        returns=cell.algorithm.spec.returns,
        budget=cell.budget,
        checkpoints=cell.checkpoints,
        metrics={
            m.label: _call(m)
            for m in cell.metrics
            if m.label in wanted and not cell.why_inapplicable(m)
        },
    )


def _call(use: Use[Any]) -> Call:
    return Call(use.spec.function, dict(use.params))
