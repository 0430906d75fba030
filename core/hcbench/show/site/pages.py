"""The pages of a site but for the reports: what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hcbench.analysis.tables.overviews import count_verdicts
from hcbench.show.site.listing import (
    Listing,
    Row,
    base_of,
    column,
    page_of,
    results_listing,
    rows_of,
)

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.registry.specs import Spec
    from hcbench.registry.suite import Suite
    from hcbench.show.report import Contents
    from hcbench.store import RunInfo

OTHER = {"algorithm": "dataset", "dataset": "algorithm"}
TITLES = {"algorithm": "Algorithms", "dataset": "Data sets", "suite": "Suites", "run": "Runs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page with tables.

    Attributes
    ----------
    path : str
        From the top of the site.
    kind : {"index", "algorithm", "dataset", "suite"}
    title, lead : str
    facts : tuple of (str, str)
    parameters : tuple of (str, str, str)
        Name, default and meaning.
    listings : tuple of Listing
    """

    path: str
    kind: str
    title: str
    lead: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    parameters: tuple[tuple[str, str, str], ...] = ()
    listings: tuple[Listing, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """What lists say of a run."""

    info: RunInfo
    suite: str
    verdicts: str
    statuses: Mapping[str, int]
    doc: str = ""

    @classmethod
    def of(cls, contents: Contents) -> RunLine:
        """The line of a report."""
        return cls(
            info=contents.run,
            suite=contents.title,
            verdicts=count_verdicts(contents.results.judged),
            statuses=contents.statuses,
            doc=contents.results.suite.doc,
        )


@dataclass(slots=True)
class Catalogue:
    """What there is in a store, gathered run by run."""

    runs: list[RunLine] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def add(self, contents: Contents) -> None:
        """Take in one run."""
        self.runs.append(RunLine.of(contents))
        self.rows += rows_of(contents)

    def names(self, kind: str) -> dict[str, list[Row]]:
        """The algorithms, or data sets, each with its rows; by the alphabet."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(base_of(getattr(row.group, kind)), []).append(row)
        return dict(sorted(found.items(), key=lambda entry: entry[0].casefold()))

    def suites(self) -> dict[str, list[RunLine]]:
        """The suites, each with its runs."""
        found: dict[str, list[RunLine]] = {}
        for run in self.runs:
            found.setdefault(run.suite, []).append(run)
        return dict(sorted(found.items(), key=lambda entry: entry[0].casefold()))


def make_pages(catalogue: Catalogue, registry: Registry, location: str) -> list[Page]:
    """All pages but the reports, the index first.

    Parameters
    ----------
    catalogue : Catalogue
    registry : Registry
        Which says what the names mean, as far as it knows them.
    location : str
        Of the store.
    """
    return [
        _index(catalogue, location),
        *(_suite_page(name, runs, registry) for name, runs in catalogue.suites().items()),
        *(
            _named_page(kind, name, rows, registry)
            for kind in OTHER
            for name, rows in catalogue.names(kind).items()
        ),
    ]


def search_entries(pages: Iterable[Page], runs: Iterable[RunLine]) -> list[list[str]]:
    """What is searched: kind, title, path and further words of each page."""
    found = [
        [page.kind, page.title, page.path, page.lead] for page in pages if page.kind != "index"
    ]
    for run in runs:
        words = f"{run.info.command} {run.info.started:%Y-%m-%d}"
        found.append(["run", f"run {run.info.id} · {run.suite}", f"runs/{run.info.id}.html", words])
    return found


def _index(catalogue: Catalogue, location: str) -> Page:
    listings = [_runs_listing(catalogue.runs, "")]
    if catalogue.runs:
        suites = [
            [[name, page_of("suite", name)], len(runs), f"{runs[-1].info.started:%Y-%m-%d}"]
            for name, runs in catalogue.suites().items()
        ]
        columns = [column("suite", "link"), column("runs", "number"), column("last")]
        listings.append(Listing("Suites", "suite", columns, suites))
        listings += [_names_listing(kind, catalogue.names(kind)) for kind in OTHER]
    return Page(
        path="index.html",
        kind="index",
        title="hcbench",
        lead=f"What was measured, as it is kept in {location}.",
        listings=tuple(listings),
    )


def _names_listing(kind: str, named: Mapping[str, Sequence[Row]]) -> Listing:
    other = OTHER[kind]
    rows = [
        [
            [name, page_of(kind, name)],
            len({row.run for row in of_one}),
            len({base_of(getattr(row.group, other)) for row in of_one}),
            max(row.started for row in of_one),
        ]
        for name, of_one in named.items()
    ]
    columns = [
        column(TITLES[kind].lower().removesuffix("s"), "link"),
        column("runs", "number"),
        column(TITLES[other].lower(), "number"),
        column("last"),
    ]
    return Listing(TITLES[kind], TITLES[kind].lower().removesuffix("s"), columns, rows)


def _runs_listing(runs: Sequence[RunLine], up: str) -> Listing:
    """Runs, the latest first; with their verdicts, if there are any."""
    has_claims = any(run.verdicts for run in runs)
    columns = [column("run", "link"), column("started"), column("suite", "link")]
    columns += [column(label, "number") for label in ("cells", "failed")]
    columns += [column("verdicts")] * has_claims + [column("command")]
    rows: list[list[Any]] = []
    for run in reversed(runs):
        info = run.info
        row: list[Any] = [
            [info.id, f"{up}runs/{info.id}.html"],
            f"{info.started:%Y-%m-%d %H:%M}",
            [run.suite, f"{up}{page_of('suite', run.suite)}"],
            sum(run.statuses.values()),
            sum(n for status, n in run.statuses.items() if status not in ("ok", "skipped")),
        ]
        rows.append([*row, *([run.verdicts] * has_claims), info.command])
    return Listing("Runs", "run", columns, rows)


def _suite_page(name: str, runs: Sequence[RunLine], registry: Registry) -> Page:
    suite: Suite | None = next(
        (entry.spec for entry in registry.suites.entries if entry.spec.name == name), None
    )
    facts = (("paper", str(suite.paper)),) if suite is not None and suite.paper else ()
    return Page(
        path=page_of("suite", name),
        kind="suite",
        title=name,
        lead=next((run.doc for run in reversed(runs) if run.doc), ""),
        facts=facts,
        listings=(_runs_listing(runs, "../"),),
    )


def _named_page(kind: str, name: str, rows: Sequence[Row], registry: Registry) -> Page:
    entries = (registry.algorithms if kind == "algorithm" else registry.datasets).entries
    spec: Spec | None = next((entry.spec for entry in entries if entry.spec.name == name), None)
    facts, parameters, lead = [], [], ""
    if spec is not None:
        lead = spec.doc
        if spec.paper:
            facts.append(("paper", str(spec.paper)))
        for parameter in spec.parameters:
            default = "required" if parameter.required else str(parameter.default)
            parameters.append((parameter.name, default, parameter.doc))
    return Page(
        path=page_of(kind, name),
        kind=kind,
        title=name,
        lead=lead,
        facts=tuple(facts),
        parameters=tuple(parameters),
        listings=(results_listing(rows, OTHER[kind]),),
    )
