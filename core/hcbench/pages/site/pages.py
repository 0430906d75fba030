"""The contents of the pages of a site other than reports.

A page has tables and figures in sections, as a report has, and the script of reports shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hcbench.model.text import slug
from hcbench.pages.report.figures import make_table
from hcbench.pages.report.sections import (
    Sections,
    average_cell,
    claims_table,
    make_leaderboards,
    metric_column,
)
from hcbench.pages.site.histories import REGRESSION_RULE
from hcbench.pages.site.performance import (
    benchmarks_table,
    draw_views,
    make_overview,
    steps_table,
)
from hcbench.pages.site.rationale import rationale
from hcbench.plan.presentation import split_label
from hcbench.results.overviews import count_verdicts, describe_numbers

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.pages.report import Contents
    from hcbench.pages.site.histories import History
    from hcbench.registry import Registry

Item = TypeVar("Item")
OTHER = {"algorithm": "dataset", "dataset": "algorithm"}
NOUNS = {"algorithm": "algorithm", "dataset": "data set", "suite": "suite"}
_FOLDERS = {"algorithm": "algorithms", "dataset": "datasets", "suite": "suites"}


class Page:
    """A page with sections.

    Attributes
    ----------
    path : str
        Relative to the top of the site.
    kind : {"index", "algorithm", "dataset", "suite", "performance"}
    title, lead : str
    facts : list of (str, str)
    parameters : list of (str, str, str)
        Name, default and meaning.
    sections : list of Heading
    why : str
        HTML on why a suite has its data and metrics.
    """

    def __init__(self, path: str, kind: str, title: str, lead: str = "") -> None:
        self.path, self.kind, self.title, self.lead = path, kind, title, lead
        self.facts: list[tuple[str, str]] = []
        self.parameters: list[tuple[str, str, str]] = []
        self.sections: list[Heading] = []
        self.why = ""
        self.contents = Sections(slug(title))

    @property
    def up(self) -> str:
        """The way from the page to the top of the site."""
        return "../" if "/" in self.path else ""

    def describe(self, spec: Any) -> None:
        """Add what the specification of a name says; nothing if no installed plugin has it."""
        if spec is None:
            return
        self.lead = spec.doc
        self.facts += [("paper", str(spec.paper))] if spec.paper else []
        self.parameters += [
            (p.name, "required" if p.required else str(p.default), p.doc) for p in spec.parameters
        ]

    def add(
        self,
        heading: Heading,
        views: Iterable[tuple[Sequence[str], Sequence[dict[str, Any]]]],
        controls: Sequence[str] = (),
    ) -> None:
        """Add a section; see `hcbench.pages.report.sections`."""
        self.contents.add(heading.id, controls, views)
        self.sections.append(heading)

    def add_table(self, title: str, table: Mapping[str, Any], lead: str = "") -> None:
        """Add a section with one table, unless it is empty."""
        if table["rows"]:
            block = self.contents.table(title.lower(), {**table, "page": 10})
            self.add(Heading(title.lower().replace(" ", "-"), title, lead), [((), [block])])

    def add_leaderboard(self, run: Contents, *, part: str = "") -> None:
        """Add the leaderboard of a run, also as a part of a larger section."""
        name = f"leaderboard-{slug(run.title)}"
        boards = {id(board): (metric, board) for metric, board in make_leaderboards(run.results)}
        views = [
            ((metric.label,), [self.contents.table(f"{run.title}, {metric.label}", board)])
            for metric, board in boards.values()
        ]
        info, verdicts = run.run, count_verdicts(run.results.judged)
        told = [f"Run {info.id} of {info.started:%Y-%m-%d}"]
        told += [f"claims: {verdicts}"] if verdicts else []
        told += [*describe_numbers(run.results, "★"), "a stronger shade is better"]
        heading = Heading(
            name,
            run.title if part else "Leaderboard",
            f"{'; '.join(told)}.",
            part=part,
            doc=run.results.suite.doc if part else "",
            href=f"{self.up}runs/{info.id}.html",
            page=page_of("suite", run.title),
        )
        self.add(heading, views, ("Metric",))


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a section: its id, title and lead.

    Attributes
    ----------
    id, title, lead : str
    part : str
        The larger section to which it belongs.
    doc : str
    href : str
        To the report of what it shows.
    page : str
        To the page of what it shows, from the home page.
    """

    id: str
    title: str
    lead: str = ""
    part: str = ""
    doc: str = ""
    href: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """The results of one algorithm on one data set in one run."""

    run: Contents
    group: Group


def make_pages(
    runs: Sequence[Contents],
    registry: Registry,
    *,
    title: str,
    hidden: str = "",
    histories: Sequence[History] = (),
) -> list[Page]:
    """All pages except reports, the index first.

    Parameters
    ----------
    runs : sequence of Contents
        The latest last.
    registry : Registry
        Documents the names that it has.
    title : str
        Of the site.
    hidden : str
        Which runs are not shown.
    histories : sequence of History
        Of asv's benchmarks.
    """
    suites = _grouped((run.title, run) for run in runs)
    rows = [
        Row(run, group)
        for run in runs
        for group in run.results.run_groups
        if group.checkpoint is None
    ]
    named = {
        kind: _grouped((split_label(getattr(row.group, kind))[0], row) for row in rows)
        for kind in OTHER
    }
    pages = [_index(runs, suites, named, title, hidden, histories)]
    pages += [_suite_page(name, suites, registry) for name in suites]
    pages += [
        _named_page(kind, name, of_name, registry)
        for kind in OTHER
        for name, of_name in named[kind].items()
    ]
    if histories:
        pages.append(_performance_page(histories))
    return pages


def search_entries(pages: Iterable[Page], runs: Iterable[Contents]) -> list[list[str]]:
    """The entries of the search: kind, title, path and further words of each page."""
    entries = [
        [NOUNS.get(page.kind, ""), page.title, page.path, page.lead]
        for page in pages
        if page.kind != "index"
    ]
    for run in runs:
        info = run.run
        words = f"{info.name} {info.note} {info.command} {info.started:%Y-%m-%d}"
        entries.append(["run", f"run {info.id} · {run.title}", f"runs/{info.id}.html", words])
    return entries


def page_of(kind: str, name: str) -> str:
    """The path of the page of an algorithm, data set or suite, from the top of the site."""
    return f"{_FOLDERS[kind]}/{slug(name)}.html"


def _grouped(items: Iterable[tuple[str, Item]]) -> dict[str, list[Item]]:
    groups: dict[str, list[Item]] = {}
    for name, item in items:
        groups.setdefault(name, []).append(item)
    return dict(sorted(groups.items(), key=lambda entry: entry[0].casefold()))


def _link(text: str | int, path: str) -> list[Any]:
    return [str(text), text, {"href": path}]


def _index(
    runs: Sequence[Contents],
    suites: Mapping[str, Sequence[Contents]],
    named: Mapping[str, Mapping[str, Sequence[Row]]],
    title: str,
    hidden: str,
    histories: Sequence[History],
) -> Page:
    page = Page("index.html", "index", title)
    latest = sorted((of_suite[-1] for of_suite in suites.values()), key=lambda run: -run.run.id)
    for run in latest:
        page.add_leaderboard(run, part="Leaderboards")
    page.add_table(
        "Verdicts", _verdicts_table(latest), "The claims of each suite in its latest run."
    )
    if histories:
        blocks = make_overview(page.contents, histories)
        page.add(Heading("performance", "Performance", href="performance.html"), [((), blocks)])
    page.add_table("Runs", _runs_table(runs, ""), hidden)
    for kind, of_kind in named.items():
        page.add_table(f"{NOUNS[kind].capitalize()}s", _names_table(kind, of_kind))
    return page


def _verdicts_table(runs: Sequence[Contents]) -> dict[str, Any]:
    tables = [(run, claims_table(run.results)) for run in runs if run.results.judged]
    header = [{"label": "suite", "filter": True}, *(tables[0][1]["columns"] if tables else ())]
    rows = [
        [_link(run.title, f"runs/{run.run.id}.html"), *row]
        for run, table in tables
        for row in table["rows"]
    ]
    return make_table("claim", header, rows)


def _runs_table(runs: Sequence[Contents], up: str) -> dict[str, Any]:
    """Runs, the latest first; columns without any text are omitted."""
    header: list[str | dict[str, Any]] = ["run", "name", "started", "suite", "cells", "failed"]
    header += ["verdicts", {"label": "note", "wide": True}, {"label": "command", "wide": True}]
    rows = [
        [
            _link(info.id, f"{up}runs/{info.id}.html"),
            info.name,
            f"{info.started:%Y-%m-%d %H:%M}",
            _link(run.title, f"{up}{page_of('suite', run.title)}"),
            sum(run.statuses.values()),
            sum(n for status, n in run.statuses.items() if status not in ("ok", "skipped")),
            count_verdicts(run.results.judged),
            info.note,
            info.command,
        ]
        for run in reversed(runs)
        for info in [run.run]
    ]
    return _without_empty_columns("run", header, rows)


def _without_empty_columns(
    noun: str, header: Sequence[str | dict[str, Any]], rows: Sequence[Sequence[Any]]
) -> dict[str, Any]:
    used = [i for i in range(len(header)) if any(row[i] not in (None, "") for row in rows)]
    return make_table(noun, [header[i] for i in used], [[row[i] for i in used] for row in rows])


def _names_table(kind: str, named: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    other = OTHER[kind]
    rows = [
        [
            _link(name, page_of(kind, name)),
            len({row.run.run.id for row in of_one}),
            len({split_label(getattr(row.group, other))[0] for row in of_one}),
            f"{max(row.run.run.started for row in of_one):%Y-%m-%d}",
        ]
        for name, of_one in named.items()
    ]
    return make_table(NOUNS[kind], (NOUNS[kind], "runs", f"{NOUNS[other]}s", "last"), rows)


def _suite_page(name: str, suites: Mapping[str, Sequence[Contents]], registry: Registry) -> Page:
    runs = suites[name]
    lead = next((run.results.suite.doc for run in reversed(runs) if run.results.suite.doc), "")
    page = Page(page_of("suite", name), "suite", name, lead)
    entry = _find_entry(registry.suites, name)
    if entry is not None:
        page.facts += [("paper", str(entry.spec.paper))] if entry.spec.paper else []
        page.why = rationale(entry, suites)
    page.add_leaderboard(runs[-1])
    if runs[-1].results.judged:
        page.add_table("Verdicts", claims_table(runs[-1].results))
    page.add_table("Runs", _runs_table(runs, "../"))
    return page


def _named_page(kind: str, name: str, rows: Sequence[Row], registry: Registry) -> Page:
    page = Page(page_of(kind, name), kind, name)
    entry = _find_entry(registry.algorithms if kind == "algorithm" else registry.datasets, name)
    page.describe(entry and entry.spec)
    page.add_table("Results", _results_table(rows, kind))
    return page


def _performance_page(histories: Sequence[History]) -> Page:
    page = Page("performance.html", "performance", "Performance")
    page.add(
        Heading("benchmarks", "Benchmarks"),
        draw_views(page.contents, histories),
        ("Quantity", "Benchmark"),
    )
    page.add_table("Regressions", steps_table(histories), REGRESSION_RULE)
    page.add_table("All benchmarks", benchmarks_table(histories))
    return page


def _results_table(rows: Sequence[Row], kind: str) -> dict[str, Any]:
    """All results of an algorithm or a data set, the latest first."""
    latest = sorted(rows, key=lambda row: -row.run.run.id)
    metrics = {m.label: m for row in reversed(latest) for m in row.run.results.metrics}
    other = OTHER[kind]
    header: list[str | dict[str, Any]] = ["run", "date"]
    header += [{"label": NOUNS[of], "filter": True} for of in (kind, other)]
    header += ["oracle", "budget", "done", *map(metric_column, metrics.values())]
    listed = []
    for row in latest:
        info, group = row.run.run, row.group
        measured = {m.label: average_cell(group, m) for m in row.run.results.metrics}
        label = getattr(group, other)
        done = int((group.outcomes.column("status") == "ok").sum())
        listed.append(
            [
                _link(info.id, f"../runs/{info.id}.html"),
                f"{info.started:%Y-%m-%d}",
                getattr(group, kind),
                _link(label, f"../{page_of(other, split_label(label)[0])}"),
                group.oracle,
                group.budget,
                f"{done} of {len(group.outcomes)}",
                *map(measured.get, metrics),
            ]
        )
    return _without_empty_columns("result", header, listed)


def _find_entry(catalogue: Any, name: str) -> Any:
    """The entry with a name, or None if no installed plugin has it."""
    return next((entry for entry in catalogue.entries if entry.spec.name == name), None)
