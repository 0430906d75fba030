"""Stored runs, as options choose them."""

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
    store: Store, *, suites: Sequence[str], since: datetime | None, algorithms: Sequence[str]
) -> list[RunInfo]:
    """The runs that the options of `RUN_FILTERS` choose."""
    moment = None if since is None else since.astimezone()
    return store.runs(suite=suites or None, since=moment, algorithm=algorithms or None)


def read_run(
    store: Store,
    run: RunInfo,
    *,
    algorithms: Sequence[str] = (),
    datasets: Sequence[str] = (),
    oracles: Sequence[str] = (),
    budget: Sequence[int] | None = None,
    metrics: Sequence[str] = (),
    status: str | None = None,
    exactly: bool = False,
    sizes: bool = True,
) -> Results:
    """The results of a stored run; filters remove its claims, which are about the whole run.

    Parameters
    ----------
    store : Store
    run : RunInfo
    algorithms, datasets, oracles : sequence of str
        Parts of labels, or patterns; all by default.
    budget : sequence of int, optional
    metrics : sequence of str
        The only ones shown; all by default.
    status : str, optional
    exactly : bool
        Whether a full label excludes longer labels that contain it.
    sizes : bool
        Whether the numbers of items are read even if no claim needs them.

    Raises
    ------
    StoreError
        If no cell matches.
    UsageError
        If a metric was not measured.
    """
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import Presentation

    filters = {"algorithm": algorithms, "dataset": datasets, "oracle": oracles, "status": status}
    used: dict[str, Any] = {name: value for name, value in filters.items() if value}
    kept = store.cells(run=run.id, **used)
    kept = kept.where("budget", budget) if budget else kept
    for kind, labels in used.items() if exactly else ():
        full = {label.casefold() for label in labels}
        there = {label for label in kept.column(kind).tolist() if label.casefold() in full}
        kept = kept.where(kind, there) or kept
    if not kept:
        wanted = {**used, "budget": budget} if budget else used
        said = "; ".join(
            f"{name} {value if isinstance(value, str) else ', '.join(map(str, value))}"
            for name, value in wanted.items()
        )
        algorithms = sorted({*store.cells(run=run.id).column("algorithm").tolist()})
        raise StoreError(
            f"run {run.id} of {store.location} has no such cells ({said}); its algorithms are "
            f"{', '.join(algorithms[:8])}{' and others' * (len(algorithms) > 8)}"
        )
    layout = Presentation.of_description(run.layout)
    if used or budget:
        layout = replace(layout, suite=replace(layout.suite, claims=()))
    needs_sizes = sizes or layout.suite.claims
    found = Results.of_layout(layout, kept, store.sizes(run.id) if needs_sizes else {})
    return _only(found, metrics) if metrics else found


def _only(found: Results, wanted: Sequence[str]) -> Results:
    """The results with only these metrics."""
    by_name = {
        name: metric
        for metric in reversed(found.metrics)
        for name in (re.sub(r"\[.*", "", metric.label).casefold(), metric.label.casefold())
    }
    for name in wanted:
        if name.casefold() not in by_name:
            labels = ", ".join(metric.label for metric in found.metrics)
            raise click.UsageError(f"{name} was not measured; there are {labels}")
    return replace(found, metrics=tuple(by_name[name.casefold()] for name in wanted))
