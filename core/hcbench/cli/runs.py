"""Stored runs, as options choose them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hcbench.errors import StoreError

if TYPE_CHECKING:
    from hcbench.plan.columns import Outcomes
    from hcbench.results.results import Results
    from hcbench.store import RunInfo, Store


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
    sizes: bool = True,
) -> Results:
    """The results of a stored run; filters remove its claims, which are about the whole run.

    Parameters
    ----------
    store : Store
    run : RunInfo
    algorithms, datasets, oracles : sequence of str
        Labels, parts of labels, or patterns; all by default. A full label chooses no longer one.
    budget : sequence of int, optional
    metrics : sequence of str
        The only ones shown; all by default.
    status : str, optional
    sizes : bool
        Whether the numbers of items are read even if no claim needs them.

    Raises
    ------
    StoreError
        If a filter chooses no cell.
    UsageError
        If a metric was not measured.
    """
    from hcbench.plan.presentation import Presentation
    from hcbench.results.results import Results

    filters = {"algorithm": algorithms, "dataset": datasets, "oracle": oracles, "status": status}
    used: dict[str, Any] = {kind: texts for kind, texts in filters.items() if texts}
    layout = Presentation.of_description(run.layout)

    def cells(**labels: Any) -> Outcomes:
        """The cells under the labels that this run shows."""
        if not layout.renamed:
            return store.cells(run=run.id, **labels)
        # What it reused is stored under earlier labels, for instance of a file with another name.
        return store.cells(run=run.id).renamed(layout.renamed)

    kept = cells(**used)
    used |= {"budget": budget} if budget else {}
    lacking = []
    for kind, given in used.items():
        texts = [given] if isinstance(given, str) else given
        chosen = {text: _matching(kept, kind, text) for text in texts}
        lacking += [(kind, text) for text, labels in chosen.items() if not labels]
        kept = kept.where(kind, set().union(*chosen.values()))
    if not kept and not lacking:
        raise StoreError(f"run {run.id} of {store.location} has no cells")
    if lacking:
        whole = cells()
        lacking = [one for one in lacking if not _matching(whole, *one)] or lacking
        labels = sorted({*map(str, whole.column(lacking[0][0]).tolist())})
        raise StoreError(
            f"run {run.id} of {store.location} has no such cells "
            f"({', '.join(f'{kind} {text}' for kind, text in lacking)}); there are "
            f"{', '.join(labels[:8])}{' and others' * (len(labels) > 8)}"
        )
    if used:
        layout = replace(layout, suite=replace(layout.suite, claims=()))
    numbers = store.sizes(run.id) if sizes or layout.suite.claims else {}
    return _only(Results.of_layout(layout, kept, numbers), metrics)


def _matching(cells: Outcomes, kind: str, text: Any) -> set[Any]:
    """What a filter chooses of a column."""
    from hcbench.store.store import labels_like

    labels = {*cells.column(kind).tolist()}
    full = {label for label in labels if str(label).casefold() == str(text).casefold()}
    return full if full or kind == "budget" else {*labels_like(labels, text)}


def _only(found: Results, wanted: Sequence[str]) -> Results:
    """The results with only these metrics; of none, with all."""
    by_name = {
        name: metric
        for metric in reversed(found.metrics)
        for name in (re.sub(r"\[.*", "", metric.label).casefold(), metric.label.casefold())
    }
    for name in wanted:
        if name.casefold() not in by_name:
            labels = ", ".join(metric.label for metric in found.metrics)
            raise click.UsageError(f"{name} was not measured; there are {labels}")
    chosen = tuple(by_name[name.casefold()] for name in wanted)
    return replace(found, metrics=chosen or found.metrics)
