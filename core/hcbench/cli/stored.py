"""Past runs, read from the store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from hcbench.errors import StoreError

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.store import RunInfo, Store


def place_of(store: str | None) -> str | None:
    """The store that is given after the command, or before it."""
    parent = click.get_current_context().parent
    return store or (parent.params.get("store") if parent is not None else None)


def read_run(
    store: Store,
    run: RunInfo,
    *,
    algorithm: str | None = None,
    dataset: str | None = None,
    oracle: str | None = None,
    status: str | None = None,
) -> Results:
    """The results of a stored run; filters remove its claims, which are about the whole run.

    Parameters
    ----------
    store : Store
    run : RunInfo
    algorithm, dataset, oracle, status : str, optional
        As those of `Store.outcomes`.

    Raises
    ------
    StoreError
        If no cell matches.
    """
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import Presentation

    found = store.outcomes(
        run=run.id, algorithm=algorithm, dataset=dataset, oracle=oracle, status=status
    )
    if not found:
        raise StoreError(f"run {run.id} of {store.location} has no such cells")
    layout = Presentation.of_description(run.layout)
    if algorithm or dataset or oracle or status:
        layout = replace(layout, suite=replace(layout.suite, claims=()))
    sizes = store.sizes(run.id)
    return Results.of_layout(layout, [outcome for outcome, _ in found], sizes)
