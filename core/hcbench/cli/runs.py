"""Stored runs, as options choose them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hcbench.errors import StoreError

if TYPE_CHECKING:
    from hcbench.analysis.notes import Note
    from hcbench.plan.columns import Outcomes
    from hcbench.results.results import Results
    from hcbench.store import RunInfo, Store

#: An error names at most this number of labels.


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
        The store that has the run.
    run : RunInfo
        The run whose cells are read.
    algorithms, datasets, oracles : sequence of str
        Labels, parts of labels, or patterns; all by default. A label that is given in full selects
        no longer one that contains it.
    budget : sequence of int, optional
        Only cells with one of these budgets are read.
    metrics : sequence of str
        The results have only these metrics; all by default.
    status : str, optional
        Only cells that ended in this way are read.
    sizes : bool
        Whether the numbers of items are read even if no claim needs them.

    Returns
    -------
    Results

    Raises
    ------
    StoreError
        If a filter chooses no cell.
    UsageError
        If a metric was not measured.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(
    ...     ["Single", "UPGMA"], X, store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> from hcbench.commands import open_store
    >>> with open_store("results.sqlite") as store:
    ...     of_average = read_run(store, store.run(), algorithms=["UPGMA"])
    >>> of_average.algorithms
    ['UPGMA']
    """
    from hcbench.plan.presentation import Presentation
    from hcbench.results.results import Results

    layout = Presentation.of_description(run.layout)

    def read_cells(**label_filters: Any) -> Outcomes:
        """The cells of the run, under the labels that it shows."""
        if layout.renamed:
            # What this run reused is stored under earlier labels, for instance of a file with
            # another name. The store cannot find these cells by the labels that are shown.
            return store.cells(run=run.id).renamed(layout.renamed)
        return store.cells(run=run.id, **label_filters)

    label_filters = _label_filters(algorithms, datasets, oracles, status)
    filters: dict[str, Sequence[Any]] = dict(label_filters)
    if budget:
        filters["budget"] = budget

    location = f"run {run.id} of {store.location}"
    cells, unmatched = _filter_cells(read_cells(**label_filters), filters)
    if unmatched:
        raise _no_such_cells(location, read_cells(), unmatched)
    if not cells:
        raise StoreError(f"{location} has no cells")
    # A claim is about all repetitions and data sets that it names: of a part it says nothing.
    if filters:
        layout = replace(layout, suite=replace(layout.suite, claims=()))
    numbers_of_items: Mapping[str, int] = {}
    if sizes or layout.suite.claims:
        numbers_of_items = store.sizes(run.id)
    results = Results.of_layout(layout, cells, numbers_of_items)
    results = replace(results, remarks=results.remarks + _remarks_on(store, run))
    return _with_metrics(results, metrics)


def _label_filters(
    algorithms: Sequence[str], datasets: Sequence[str], oracles: Sequence[str], status: str | None
) -> dict[str, Sequence[str]]:
    """The filters that are used, by the columns of the store."""
    filters: dict[str, Sequence[str]] = {}
    if algorithms:
        filters["algorithm"] = algorithms
    if datasets:
        filters["dataset"] = datasets
    if oracles:
        filters["oracle"] = oracles
    if status:
        filters["status"] = [status]
    return filters


def _remarks_on(store: Store, run: RunInfo) -> tuple[Note, ...]:
    """What the store knows of a run beside its cells."""
    from hcbench.analysis.notes import Note
    from hcbench.cli.loading import notes_on_kernels

    remarks = notes_on_kernels(store, run.id)
    if run.note:
        remarks += (Note(kind="annotation", text=run.note),)
    return remarks


def _filter_cells(
    cells: Outcomes, filters: Mapping[str, Sequence[Any]]
) -> tuple[Outcomes, list[tuple[str, Any]]]:
    """The cells that pass all filters, and the column and value of each that selects none."""
    # Each filter sees only the cells that passed those before it.
    unmatched = []
    for column, values in filters.items():
        labels: set[Any] = set()
        for value in values:
            labels_of_value = _matching_labels(cells, column, value)
            if not labels_of_value:
                unmatched.append((column, value))
            labels |= labels_of_value
        cells = cells.where(column, labels)
    return cells, unmatched


def _matching_labels(cells: Outcomes, column: str, value: Any) -> set[Any]:
    """The labels of a column that a filter selects: the full label, or else all that match."""
    from hcbench.store.conditions import labels_like

    labels = set(cells.column(column).tolist())
    folded_value = str(value).casefold()
    full_labels = set()
    for label in labels:
        if str(label).casefold() == folded_value:
            full_labels.add(label)
    # A budget is a number: 10 is no part of 100.
    if full_labels or column == "budget":
        return full_labels
    return set(labels_like(labels, value))


def _no_such_cells(
    location: str, all_cells: Outcomes, unmatched: Sequence[tuple[str, Any]]
) -> StoreError:
    """The error for filters that select no cell; it names labels of the run."""
    # Filters that select cells alone, but none together with others, are not named if one selects
    # none at all: that one is the mistake.
    mistaken = []
    for column, value in unmatched:
        if not _matching_labels(all_cells, column, value):
            mistaken.append((column, value))
    if not mistaken:
        mistaken = list(unmatched)
    filter_texts = [f"{column} {value}" for column, value in mistaken]
    # What there is instead is shown of the first mistake only, to stay in one line.
    first_column = mistaken[0][0]
    return StoreError(
        f"{location} has no such cells ({', '.join(filter_texts)}); there are "
        f"{all_cells.listed(first_column)}"
    )


def _with_metrics(results: Results, names: Sequence[str]) -> Results:
    """The results with only these metrics; without names, with all of them."""
    if not names:
        return results
    metrics_by_name = {}
    # Of metrics that differ in parameters, the name without these means the first.
    for metric in reversed(results.metrics):
        name_without_parameters = re.sub(r"\[.*", "", metric.label)
        metrics_by_name[name_without_parameters.casefold()] = metric
        metrics_by_name[metric.label.casefold()] = metric
    metrics = []
    for name in names:
        if name.casefold() not in metrics_by_name:
            labels = [metric.label for metric in results.metrics]
            raise click.UsageError(f"{name} was not measured; there are {', '.join(labels)}")
        metrics.append(metrics_by_name[name.casefold()])
    return replace(results, metrics=tuple(metrics), reported_by_failures=())
