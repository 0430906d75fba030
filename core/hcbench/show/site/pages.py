"""The contents of the pages of a site other than reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from hcbench.analysis.tables.overviews import count_verdicts
from hcbench.show.report.tables import make_table
from hcbench.show.site.listing import (
    Listing,
    Row,
    base_of,
    link,
    page_of,
    results_listing,
    rows_of,
)

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.show.report import Contents
    from hcbench.store import RunInfo

Item = TypeVar("Item")
OTHER = {"algorithm": "dataset", "dataset": "algorithm"}
TITLES = {"algorithm": "Algorithms", "dataset": "Data sets", "suite": "Suites", "run": "Runs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page with tables.

    Attributes
    ----------
    path : str
        Relative to the top of the site.
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
    """A run as it is listed."""

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
    """The runs of a store and their results."""

    runs: list[RunLine] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def add(self, contents: Contents) -> None:
        """Add a run."""
        self.runs.append(RunLine.of(contents))
        self.rows += rows_of(contents)

    def names(self, kind: str) -> dict[str, list[Row]]:
        """The algorithms or data sets with their rows, in alphabetical order."""
        return _grouped((base_of(getattr(row.group, kind)), row) for row in self.rows)

    def suites(self) -> dict[str, list[RunLine]]:
        """The suites with their runs, in alphabetical order."""
        return _grouped((run.suite, run) for run in self.runs)


def _grouped(items: Iterable[tuple[str, Item]]) -> dict[str, list[Item]]:
    groups: dict[str, list[Item]] = {}
    for name, item in items:
        groups.setdefault(name, []).append(item)
    return dict(sorted(groups.items(), key=lambda entry: entry[0].casefold()))


def make_pages(catalogue: Catalogue, registry: Registry, location: str) -> list[Page]:
    """All pages except reports, the index first.

    Parameters
    ----------
    catalogue : Catalogue
    registry : Registry
        Documents the names that it has.
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
    """The entries of the search: kind, title, path and further words of each page."""
    entries = [
        [page.kind, page.title, page.path, page.lead] for page in pages if page.kind != "index"
    ]
    for run in runs:
        words = f"{run.info.command} {run.info.started:%Y-%m-%d}"
        entries.append(
            ["run", f"run {run.info.id} · {run.suite}", f"runs/{run.info.id}.html", words]
        )
    return entries


def _index(catalogue: Catalogue, location: str) -> Page:
    listings = [_runs_listing(catalogue.runs, "")]
    if catalogue.runs:
        suites = [
            [link(name, page_of("suite", name)), len(runs), f"{runs[-1].info.started:%Y-%m-%d}"]
            for name, runs in catalogue.suites().items()
        ]
        table = make_table("suite", ("suite", "runs", "last"), suites)
        listings.append(Listing("Suites", table))
        listings += [_names_listing(kind, catalogue.names(kind)) for kind in OTHER]
    return Page(
        path="index.html",
        kind="index",
        title="hcbench",
        lead=f"Results stored in {location}.",
        listings=tuple(listings),
    )


def _names_listing(kind: str, named: Mapping[str, Sequence[Row]]) -> Listing:
    other = OTHER[kind]
    rows = [
        [
            link(name, page_of(kind, name)),
            len({row.run for row in of_one}),
            len({base_of(getattr(row.group, other)) for row in of_one}),
            max(row.started for row in of_one),
        ]
        for name, of_one in named.items()
    ]
    noun = TITLES[kind].lower().removesuffix("s")
    header = (noun, "runs", TITLES[other].lower(), "last")
    return Listing(TITLES[kind], make_table(noun, header, rows))


def _runs_listing(runs: Sequence[RunLine], up: str) -> Listing:
    """Runs, the latest first, with their verdicts if there are any."""
    has_claims = any(run.verdicts for run in runs)
    header: list[str | dict[str, Any]] = ["run", "started", "suite", "cells", "failed"]
    header += ["verdicts"] * has_claims + [{"label": "command", "wide": True}]
    rows: list[list[Any]] = []
    for run in reversed(runs):
        info = run.info
        row: list[Any] = [
            link(info.id, f"{up}runs/{info.id}.html"),
            f"{info.started:%Y-%m-%d %H:%M}",
            link(run.suite, f"{up}{page_of('suite', run.suite)}"),
            sum(run.statuses.values()),
            sum(n for status, n in run.statuses.items() if status not in ("ok", "skipped")),
        ]
        rows.append([*row, *([run.verdicts] * has_claims), info.command])
    return Listing("Runs", make_table("run", header, rows))


def _suite_page(name: str, runs: Sequence[RunLine], registry: Registry) -> Page:
    suite = _find_spec(registry.suites, name)
    return Page(
        path=page_of("suite", name),
        kind="suite",
        title=name,
        lead=next((run.doc for run in reversed(runs) if run.doc), ""),
        facts=(("paper", str(suite.paper)),) if suite and suite.paper else (),
        listings=(_runs_listing(runs, "../"),),
    )


def _named_page(kind: str, name: str, rows: Sequence[Row], registry: Registry) -> Page:
    spec = _find_spec(registry.algorithms if kind == "algorithm" else registry.datasets, name)
    return Page(
        path=page_of(kind, name),
        kind=kind,
        title=name,
        lead=spec.doc if spec else "",
        facts=(("paper", str(spec.paper)),) if spec and spec.paper else (),
        parameters=tuple(
            (p.name, "required" if p.required else str(p.default), p.doc)
            for p in (spec.parameters if spec else ())
        ),
        listings=(results_listing(rows, OTHER[kind]),),
    )


def _find_spec(catalogue: Any, name: str) -> Any:
    """The specification with a name, or None if no installed plugin has it."""
    return next((entry.spec for entry in catalogue.entries if entry.spec.name == name), None)
