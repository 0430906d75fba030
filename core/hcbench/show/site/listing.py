"""Tables of a site, as plain values that its script sorts, filters and pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hcbench.errors import NameSyntaxError
from hcbench.registry.names import parse_name
from hcbench.show.report.tables import average_cell, make_table, metric_column
from hcbench.show.site.slugs import slug

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.plan.presentation import MetricInfo
    from hcbench.show.report import Contents

FOLDERS = {"algorithm": "algorithms", "dataset": "datasets", "suite": "suites"}


@dataclass(frozen=True, slots=True)
class Listing:
    """A table.

    Attributes
    ----------
    title : str
    table : dict
        Of `hcbench.show.report.tables.make_table`.
    """

    title: str
    table: dict[str, Any]


def base_of(label: str) -> str:
    """The name in a label, without parameters; it has a page of its own."""
    try:
        return parse_name(label).base
    except NameSyntaxError:
        return label


def page_of(kind: str, name: str) -> str:
    """The path of the page of an algorithm, data set or suite, from the top of the site."""
    return f"{FOLDERS[kind]}/{slug(name)}.html"


def link(text: str | int, path: str) -> list[Any]:
    """A cell that links to a page."""
    return [str(text), text, {"href": path}]


@dataclass(frozen=True, slots=True)
class Row:
    """The results of one algorithm on one data set in one run."""

    run: int
    started: str
    group: Group
    metrics: tuple[MetricInfo, ...]


def rows_of(contents: Contents) -> list[Row]:
    """The rows of a run at the ends of calls, without skipped cells."""
    started = contents.run.started.strftime("%Y-%m-%d")
    return [
        Row(contents.run.id, started, group, contents.results.metrics)
        for group in contents.results.groups
        if group.checkpoint is None and any(o.status != "skipped" for o in group.outcomes)
    ]


def results_listing(rows: Sequence[Row], other: str) -> Listing:
    """All results of an algorithm or a data set, the latest first.

    Parameters
    ----------
    rows : sequence of Row
    other : {"algorithm", "dataset"}
        The kind that has links, which is not that of the page.
    """
    metrics = _metrics(rows)
    own = "dataset" if other == "algorithm" else "algorithm"
    words = {"algorithm": "algorithm", "dataset": "data set"}
    columns: list[str | dict[str, Any]] = [
        *("run", "date", words[own], words[other], "oracle", "budget", "done"),
        *map(metric_column, metrics.values()),
    ]
    listed = [
        [
            link(row.run, f"../runs/{row.run}.html"),
            row.started,
            getattr(row.group, own),
            _link(other, getattr(row.group, other)),
            row.group.oracle,
            row.group.budget,
            _done(row.group),
            *(_mean(row, label) for label in metrics),
        ]
        for row in sorted(rows, key=lambda row: -row.run)
    ]
    used = [i for i in range(len(columns)) if any(row[i] not in (None, "") for row in listed)]
    header, rows_shown = [columns[i] for i in used], [[row[i] for i in used] for row in listed]
    return Listing("Results", make_table("result", header, rows_shown))


def _link(kind: str, label: str) -> list[Any]:
    return link(label, f"../{page_of(kind, base_of(label))}")


def _done(group: Group) -> str:
    done = sum(outcome.status == "ok" for outcome in group.outcomes)
    return f"{done} of {len(group.outcomes)}"


def _metrics(rows: Iterable[Row]) -> dict[str, MetricInfo]:
    """All metrics of some runs, those of the latest run first."""
    metrics: dict[str, MetricInfo] = {}
    for row in sorted(rows, key=lambda row: -row.run):
        for metric in row.metrics:
            metrics.setdefault(metric.label, metric)
    return metrics


def _mean(row: Row, label: str) -> Any:
    metric = next((metric for metric in row.metrics if metric.label == label), None)
    if metric is None:
        return None
    return average_cell(row.group, metric)
