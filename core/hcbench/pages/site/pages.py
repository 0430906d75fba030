"""The contents of the pages of a site other than reports.

A page has tables and figures in sections, as a report has, and the script of reports shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hcbench.model.text import slug
from hcbench.pages.report.figures import make_table
from hcbench.pages.report.leaderboards import make_rankboard
from hcbench.pages.report.sections import ALL_RANKS, Sections, make_leaderboards
from hcbench.pages.report.tables import average_cell, claims_table, leaderboard_table, metric_column
from hcbench.pages.site.histories import REGRESSION_RULE
from hcbench.pages.site.performance import (
    benchmarks_table,
    draw_views,
    make_overview,
    steps_table,
)
from hcbench.pages.site.rationale import rationale
from hcbench.plan.presentation import split_label
from hcbench.results.overviews import describe_numbers
from hcbench.results.verdict_tables import count_verdicts

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.pages.report import Contents
    from hcbench.pages.site.histories import History
    from hcbench.registry import Registry
    from hcbench.registry.catalogue import Catalogue

Item = TypeVar("Item")
#: Kinds that have pages of their own, each with the kind that its table of results lists.
OPPOSITE = {"algorithm": "dataset", "dataset": "algorithm"}
#: The kinds in texts, and the folders of their pages.
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
        self.path = path
        self.kind = kind
        self.title = title
        self.lead = lead
        self.facts: list[tuple[str, str]] = []
        self.parameters: list[tuple[str, str, str]] = []
        self.sections: list[Heading] = []
        self.why = ""
        self.contents = Sections(slug(title))

    @property
    def up(self) -> str:
        """The way from the page to the top of the site."""
        if "/" in self.path:
            return "../"
        return ""

    def describe(self, spec: Any) -> None:
        """Add what the specification of a name says."""
        self.lead = spec.doc
        self.cite(spec)
        for parameter in spec.parameters:
            default = str(parameter.default)
            if parameter.required:
                default = "required"
            self.parameters.append((parameter.name, default, parameter.doc))

    def cite(self, spec: Any) -> None:
        """Add the paper of a specification or of a suite, if it names one."""
        if spec.paper:
            self.facts.append(("paper", str(spec.paper)))

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
        if not table["rows"]:
            return
        block = self.contents.table(title.lower(), {**table, "page": 10})
        heading = Heading(title.lower().replace(" ", "-"), title, lead)
        self.add(heading, [((), [block])])

    def add_leaderboard(self, run: Contents, *, part: str = "") -> None:
        """Add the leaderboard of a run, also as a part of a larger section."""
        # On one data set all metrics share one board, which is shown once.
        # By identity: where several metrics share a board, the last of them names it.
        boards = {}
        for metric, board in make_leaderboards(run.results):
            boards[id(board)] = (metric, board)
        views = []
        for metric, board in boards.values():
            table = self.contents.table(f"{run.title}, {metric.label}", board)
            views.append(((metric.label,), [table]))
        rankboard = make_rankboard(run.results)
        if rankboard is not None:
            table = self.contents.table(f"{run.title}, ranks", leaderboard_table(rankboard))
            views.append(((ALL_RANKS,), [table]))
        title = "Leaderboard"
        doc = ""
        if part:
            # Several suites are in one section.
            title = run.title
            doc = run.results.suite.doc
        heading = Heading(
            f"leaderboard-{slug(run.title)}",
            title,
            _legend(run),
            part=part,
            doc=doc,
            href=f"{self.up}runs/{run.run.id}.html",
            page=page_of("suite", run.title),
        )
        self.add(heading, views, ("Metric",))


def _legend(run: Contents) -> str:
    """What stands above the leaderboard of a run: its date, verdicts, and what the numbers are."""
    sentences = [f"Run {run.run.id} of {run.run.started:%Y-%m-%d}"]
    verdicts = count_verdicts(run.results.judged)
    if verdicts:
        sentences.append(f"claims: {verdicts}")
    sentences += describe_numbers(run.results, "★")
    sentences.append("a stronger shade is better")
    return f"{'; '.join(sentences)}."


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
    commit_url: str = "",
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
    commit_url : str
        What the address of a commit begins with; "" for no links.
    """
    titled_runs = []
    rows = []
    for run in runs:
        titled_runs.append((run.title, run))
        for group in run.results.run_groups:
            # Groups at a checkpoint are earlier states of the same calls.
            if group.checkpoint is None:
                rows.append(Row(run, group))
    suites = _grouped(titled_runs)
    rows_by_name = {}
    for kind in OPPOSITE:
        named_rows = [(_base_name(row, kind), row) for row in rows]
        rows_by_name[kind] = _grouped(named_rows)
    pages = [_index(runs, suites, rows_by_name, title, hidden, histories, commit_url)]
    for name in suites:
        pages.append(_suite_page(name, suites, registry))
    for kind in OPPOSITE:
        for name, rows_of_name in rows_by_name[kind].items():
            pages.append(_named_page(kind, name, rows_of_name, registry))
    if histories:
        pages.append(_performance_page(histories, commit_url))
    return pages


def search_entries(pages: Iterable[Page], runs: Iterable[Contents]) -> list[list[str]]:
    """The entries of the search: kind, title, path and further words of each page."""
    entries = []
    for page in pages:
        if page.kind != "index":
            entries.append([NOUNS.get(page.kind, ""), page.title, page.path, page.lead])
    for run in runs:
        info = run.run
        words = f"{info.name} {info.note} {info.command} {info.started:%Y-%m-%d}"
        entries.append(["run", f"run {info.id} · {run.title}", f"runs/{info.id}.html", words])
    return entries


def page_of(kind: str, name: str) -> str:
    """The path of the page of an algorithm, data set or suite, from the top of the site."""
    return f"{_FOLDERS[kind]}/{slug(name)}.html"


def _base_name(row: Row, kind: str) -> str:
    """The name of a row's algorithm or data set without its parameters."""
    name, _ = split_label(getattr(row.group, kind))
    return name


def _grouped(items: Iterable[tuple[str, Item]]) -> dict[str, list[Item]]:
    """The items of each name, in the order of the names."""
    groups: dict[str, list[Item]] = {}
    for name, item in items:
        groups.setdefault(name, []).append(item)
    return dict(sorted(groups.items(), key=lambda entry: entry[0].casefold()))


def _link(text: str | int, path: str) -> list[Any]:
    """A cell of a table: what it shows, what it is sorted by, and where it leads."""
    return [str(text), text, {"href": path}]


def _index(
    runs: Sequence[Contents],
    suites: Mapping[str, Sequence[Contents]],
    rows_by_name: Mapping[str, Mapping[str, Sequence[Row]]],
    title: str,
    hidden: str,
    histories: Sequence[History],
    commit_url: str,
) -> Page:
    page = Page("index.html", "index", title)
    # Of each suite its last run; the suite that ran last is first on the page.
    latest = [runs_of_suite[-1] for runs_of_suite in suites.values()]
    latest.sort(key=lambda run: run.run.id, reverse=True)
    for run in latest:
        page.add_leaderboard(run, part="Leaderboards")
    page.add_table(
        "Verdicts", _verdicts_table(latest), "The claims of each suite in its latest run."
    )
    if histories:
        blocks = make_overview(page.contents, histories, commit_url)
        page.add(Heading("performance", "Performance", href="performance.html"), [((), blocks)])
    page.add_table("Runs", _runs_table(runs, ""), hidden)
    for kind, rows_of_kind in rows_by_name.items():
        page.add_table(f"{NOUNS[kind].capitalize()}s", _names_table(kind, rows_of_kind))
    return page


def _verdicts_table(runs: Sequence[Contents]) -> dict[str, Any]:
    """The tables of claims of several runs below each other, with a column for the suite."""
    header: list[str | dict[str, Any]] = []
    rows: list[list[Any]] = []
    kinds: list[str] = []
    for run in runs:
        if not run.results.judged:
            continue
        table = claims_table(run.results)
        # All tables of claims have the same columns. That of the claim is first, as a family is
        # opened there.
        if not header:
            header += table["columns"]
            header.insert(1, {"label": "suite", "filter": True})
        suite = _link(run.title, f"runs/{run.run.id}.html")
        for row in table["rows"]:
            rows.append(row[:1] + [suite] + row[1:])
        kinds += table["kinds"]
    return {**make_table("claim", header, rows), "kinds": kinds}


def _runs_table(runs: Sequence[Contents], up: str) -> dict[str, Any]:
    """Runs, the latest first; columns without any text are omitted."""
    header: list[str | dict[str, Any]] = [
        "run",
        "name",
        "started",
        "suite",
        "cells",
        "failed",
        "verdicts",
        {"label": "note", "wide": True},
        {"label": "command", "wide": True},
    ]
    rows = []
    for run in reversed(runs):
        info = run.run
        n_cells = sum(run.statuses.values())
        n_without_failure = run.statuses.get("ok", 0) + run.statuses.get("skipped", 0)
        row = [
            _link(info.id, f"{up}runs/{info.id}.html"),
            info.name,
            f"{info.started:%Y-%m-%d %H:%M}",
            _link(run.title, f"{up}{page_of('suite', run.title)}"),
            n_cells,
            n_cells - n_without_failure,
            count_verdicts(run.results.judged),
            info.note,
            info.command,
        ]
        rows.append(row)
    return _without_empty_columns("run", header, rows)


def _without_empty_columns(
    noun: str, header: Sequence[str | dict[str, Any]], rows: Sequence[Sequence[Any]]
) -> dict[str, Any]:
    """The table of those columns that have an entry in any row."""
    kept_columns = []
    for column in range(len(header)):
        for row in rows:
            # 0 is an entry.
            if row[column] not in (None, ""):
                kept_columns.append(column)
                break
    kept_header = [header[column] for column in kept_columns]
    kept_rows = []
    for row in rows:
        kept_row = [row[column] for column in kept_columns]
        kept_rows.append(kept_row)
    return make_table(noun, kept_header, kept_rows)


def _names_table(kind: str, rows_by_name: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Algorithms or data sets, with how often and on how much each was run."""
    opposite = OPPOSITE[kind]
    header = (NOUNS[kind], "runs", f"{NOUNS[opposite]}s", "last")
    table_rows = []
    for name, rows in rows_by_name.items():
        run_ids = set()
        opposite_names = set()
        starts = []
        for row in rows:
            run_ids.add(row.run.run.id)
            opposite_names.add(_base_name(row, opposite))
            starts.append(row.run.run.started)
        last = max(starts)
        table_rows.append(
            [
                _link(name, page_of(kind, name)),
                len(run_ids),
                len(opposite_names),
                f"{last:%Y-%m-%d}",
            ]
        )
    return make_table(NOUNS[kind], header, table_rows)


def _suite_page(name: str, suites: Mapping[str, Sequence[Contents]], registry: Registry) -> Page:
    runs = suites[name]
    # The latest run whose suite has a description; a suite from a command line has none.
    lead = ""
    for run in runs:
        lead = run.results.suite.doc or lead
    page = Page(page_of("suite", name), "suite", name, lead)
    entry = _find_entry(registry.suites, name)
    if entry is not None:
        page.cite(entry.spec)
        page.why = rationale(entry, suites)
    page.add_leaderboard(runs[-1])
    if runs[-1].results.judged:
        page.add_table("Verdicts", claims_table(runs[-1].results))
    page.add_table("Runs", _runs_table(runs, "../"))
    return page


def _named_page(kind: str, name: str, rows: Sequence[Row], registry: Registry) -> Page:
    page = Page(page_of(kind, name), kind, name)
    catalogue: Catalogue[Any] = registry.datasets
    if kind == "algorithm":
        catalogue = registry.algorithms
    entry = _find_entry(catalogue, name)
    if entry is not None:
        page.describe(entry.spec)
    page.add_table("Results", _results_table(rows, kind))
    return page


def _performance_page(histories: Sequence[History], commit_url: str) -> Page:
    page = Page("performance.html", "performance", "Performance")
    page.add(
        Heading("benchmarks", "Benchmarks"),
        draw_views(page.contents, histories),
        ("Quantity", "Benchmark"),
    )
    page.add_table("Regressions", steps_table(histories, commit_url), REGRESSION_RULE)
    page.add_table("All benchmarks", benchmarks_table(histories))
    return page


def _results_table(rows: Sequence[Row], kind: str) -> dict[str, Any]:
    """All results of an algorithm or a data set, the latest first."""
    latest = sorted(rows, key=lambda row: row.run.run.id, reverse=True)
    # A metric has the description of the latest run, which is set last.
    metrics = {}
    for row in reversed(latest):
        for metric in row.run.results.metrics:
            metrics[metric.label] = metric
    opposite = OPPOSITE[kind]
    header: list[str | dict[str, Any]] = [
        "run",
        "date",
        {"label": NOUNS[kind], "filter": True},
        {"label": NOUNS[opposite], "filter": True},
        "oracle",
        "budget",
        "done",
    ]
    for metric in metrics.values():
        header.append(metric_column(metric))
    table_rows = []
    for row in latest:
        cells = {}
        for metric in row.run.results.metrics:
            cells[metric.label] = average_cell(row.group, metric)
        table_row = _describe_row(row, kind)
        # Runs may have different metrics; a cell is empty where a run has not measured one.
        for label in metrics:
            table_row.append(cells.get(label))
        table_rows.append(table_row)
    return _without_empty_columns("result", header, table_rows)


def _describe_row(row: Row, kind: str) -> list[Any]:
    """The cells of a row of results before its metrics."""
    info = row.run.run
    group = row.group
    opposite = OPPOSITE[kind]
    opposite_page = page_of(opposite, _base_name(row, opposite))
    n_done = int((group.outcomes.column("status") == "ok").sum())
    return [
        _link(info.id, f"../runs/{info.id}.html"),
        f"{info.started:%Y-%m-%d}",
        getattr(group, kind),
        _link(getattr(group, opposite), f"../{opposite_page}"),
        group.oracle,
        group.budget,
        f"{n_done} of {len(group.outcomes)}",
    ]


def _find_entry(catalogue: Any, name: str) -> Any:
    """The entry with a name, or None if no installed plugin has it."""
    for entry in catalogue.entries:
        if entry.spec.name == name:
            return entry
    return None
