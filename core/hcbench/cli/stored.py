"""Past runs, read from the store."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from hcbench.errors import StoreError

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.store import RunInfo, Store


def find_runs(
    store: Store,
    *,
    suites: tuple[str, ...],
    since: datetime | None,
    algos: tuple[str, ...],
) -> list[RunInfo]:
    """The runs that the options of `RUN_FILTERS` choose."""
    moment = None if since is None else since.astimezone()
    return store.runs(suite=suites or None, since=moment, algorithm=algos or None)


def read_run(
    store: Store,
    run: RunInfo,
    *,
    algos: Sequence[str] = (),
    datasets: Sequence[str] = (),
    oracles: Sequence[str] = (),
    budget: Sequence[int] | None = None,
    metrics: Sequence[str] = (),
    status: str | None = None,
    exactly: bool = False,
) -> Results:
    """The results of a stored run; filters remove its claims, which are about the whole run.

    Parameters
    ----------
    store : Store
    run : RunInfo
    algos, datasets, oracles : sequence of str
        Parts of labels, or patterns; all by default.
    budget : sequence of int, optional
    metrics : sequence of str
        The only ones shown; all by default.
    status : str, optional
    exactly : bool
        Whether a full label excludes longer labels that contain it.

    Raises
    ------
    StoreError
        If no cell matches.
    UsageError
        If a metric was not measured.
    """
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import Presentation

    filters = {"algorithm": algos, "dataset": datasets, "oracle": oracles, "status": status}
    used: dict[str, Any] = {name: value for name, value in filters.items() if value}
    kept = [o for o, _ in store.outcomes(run=run.id, **used) if not budget or o.budget in budget]
    for kind, labels in used.items() if exactly else ():
        full = {label.casefold() for label in labels}
        kept = [o for o in kept if getattr(o, kind).casefold() in full] or kept
    if not kept:
        raise StoreError(f"run {run.id} of {store.location} has no such cells")
    layout = Presentation.of_description(run.layout)
    if used or budget:
        layout = replace(layout, suite=replace(layout.suite, claims=()))
    results = Results.of_layout(layout, kept, store.sizes(run.id))
    return _only(results, metrics) if metrics else results


def _only(results: Results, wanted: Sequence[str]) -> Results:
    """The results with only these metrics."""
    by_name = {
        name: metric
        for metric in reversed(results.metrics)
        for name in (re.sub(r"\[.*", "", metric.label).casefold(), metric.label.casefold())
    }
    for name in wanted:
        if name.casefold() not in by_name:
            labels = ", ".join(metric.label for metric in results.metrics)
            raise click.UsageError(f"{name} was not measured; there are {labels}")
    return replace(results, metrics=tuple(by_name[name.casefold()] for name in wanted))
