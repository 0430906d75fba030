"""A static site of the runs of a store, which a web server or a browser alone can open.

`pages` has the contents of the pages, and `performance` those about asv's benchmarks, whose
`histories` it shows. Every run has a `hcbench.pages.report`, whose script shows all pages. Only
changed files are written; files that are not of the site are never touched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from hcbench.analysis.groups import COSTS
from hcbench.errors import DamagedRunError, HcbenchError
from hcbench.pages import MOST_TREES
from hcbench.pages.report import make_report, read_contents
from hcbench.pages.report.page import environment, read_asset, shared_assets, write_whole
from hcbench.pages.report.places import without_paths
from hcbench.pages.site.pages import NOUNS, Page, make_pages, search_entries

if TYPE_CHECKING:
    from hcbench.pages.report import Contents
    from hcbench.registry import Registry
    from hcbench.store.rows import RunInfo
    from hcbench.store.store import Store

__all__ = ["TITLE", "Built", "build_site"]
TITLE = "Benchmarks"
MARKER = ".hcbench-site.json"


@dataclass(frozen=True, slots=True)
class Built:
    """A summary of what `build_site` did.

    Attributes
    ----------
    pages : int
        Number of pages of the site.
    written, removed : int
        Numbers of files that were written, and of obsolete files that were removed.
    """

    pages: int
    written: int
    removed: int


def build_site(
    path: str | Path,
    store: Store,
    registry: Registry,
    *,
    runs: Sequence[RunInfo] | None = None,
    title: str = TITLE,
    asv: Path | None = None,
    trees: int = MOST_TREES,
    told: Callable[[str], None] = lambda _: None,
) -> Built:
    """Create or update a site.

    Parameters
    ----------
    path : path
        A folder that is new, empty, or an earlier site.
    store : Store
    registry : Registry
        Documents algorithms, data sets and suites.
    runs : sequence of RunInfo, optional
        Those to show; by default all. Runs without a result are not shown, nor runs whose
        measurements a later one of the same suite reuses all.
    title : str
    asv : Path, optional
        A results folder of asv, for the performance over commits.
    trees : int
        The most trees of a report.
    told : callable
        Called with one line for each report that is written.

    Raises
    ------
    HcbenchError
        If the folder has other contents or cannot be written, or the store or the results of asv
        cannot be read.
    """
    from hcbench.pages.site.histories import read_histories

    histories = read_histories(asv) if asv is not None else []
    folder = SiteFolder.open(Path(path).expanduser())
    before = dict(folder.known)
    found = []
    for info in store.runs() if runs is None else runs:
        try:
            found.append(read_contents(store, info))
        except DamagedRunError as error:
            told(f"run {info.id} is not shown: {error}")
    shown = choose_runs(found)
    hidden = f"{len(found) - len(shown)} runs without results or repeated by later ones are hidden."
    for contents in shown:
        info = contents.run
        name, stamp = f"runs/{info.id}.html", _stamp(contents, trees)
        if not folder.holds(name, stamp):
            told(f"run {info.id}: {info.command}")
            text = make_report(store, contents, registry=registry, trees=trees, assets="../assets")
            folder.write(name, without_paths(text), stamp)
    pages = make_pages(
        shown,
        registry,
        title=title,
        hidden=hidden if len(shown) < len(found) else "",
        histories=histories,
    )
    contents_of_site = [
        (section.id, section.title) for section in pages[0].sections if not section.part
    ]
    if any(section.part for section in pages[0].sections):
        contents_of_site.insert(0, ("leaderboards", "Leaderboards"))
    for page in pages:
        folder.write(page.path, render_page(page, title, contents_of_site))
    for name, text in {**shared_assets(), "search.js": read_asset("search.js", "site")}.items():
        folder.write(f"assets/{name}", text)
    entries = json.dumps(search_entries(pages, shown))
    folder.write("assets/index.js", f"const SITE_PAGES = {without_paths(entries)};\n")
    removed = folder.finish()
    written = sum(before.get(name) != stamp for name, stamp in folder.made.items())
    return Built(len(pages) + len(shown), written, removed)


def choose_runs(found: Sequence[Contents]) -> list[Contents]:
    """The runs with a result, without those whose measurements a later run of the suite has all."""
    measurements = [_measurements(contents) for contents in found]
    chosen = []
    for i, contents in enumerate(found):
        if not measurements[i]:
            continue
        is_repeated = False
        for j in range(i + 1, len(found)):
            is_same_suite = found[j].title == contents.title
            if is_same_suite and measurements[i] <= measurements[j]:
                is_repeated = True
                break
        if not is_repeated:
            chosen.append(contents)
    return chosen


def _measurements(contents: Contents) -> set[tuple[str, float]]:
    """The results of a run: the key of each cell, and how long it took when it was measured."""
    ok = contents.results.outcomes.where("status", {"ok"})
    keys = ok.column("key").tolist()
    seconds = ok.column("seconds").tolist()
    return set(zip(keys, seconds, strict=True))


def render_page(page: Page, title: str, contents: Sequence[tuple[str, str]]) -> str:
    """A page with tables and figures, in a site with this title and these main sections."""
    template = environment("site", "report").get_template("page.html.j2")
    return without_paths(template.render(page=page, title=title, contents=contents, nouns=NOUNS))


#: The columns of outcomes on which a report depends, besides values and costs.
_STAMPED = (
    "key",
    "algorithm",
    "dataset",
    "oracle",
    "repetition",
    "seed",
    "budget",
    "status",
    "reason",
    "stopped",
    "notes",
    "load",
    "host",
    "reused",
    "data_digest",
)


def _stamp(contents: Contents, trees: int) -> str:
    """A hash of all that a report depends on, also of the templates."""
    folder = resources.files("hcbench.pages.report").joinpath("templates")
    templates = sorted(file.read_text(encoding="utf-8") for file in folder.iterdir())
    results = contents.results
    head = [str(contents.run), str(contents.failures), trees, templates]
    stamp = hashlib.blake2b(json.dumps(head).encode(), digest_size=16)
    # One column at a time, as a run may have a million cells.
    for name in _STAMPED:
        stamp.update(json.dumps(results.outcomes.column(name).tolist()).encode())
    metrics = [*COSTS.values(), *results.metrics]
    for group in results.groups:
        for metric in metrics:
            values = group.values(metric)
            place = [*group.place.values(), metric.label, str(values.special_values)]
            stamp.update(json.dumps(place).encode())
            stamp.update(values.numbers.tobytes())
    return stamp.hexdigest()


# ---- The folder ----------------------------------------------------------------------------------


@dataclass(slots=True)
class SiteFolder:
    """A folder that is being created or updated.

    Attributes
    ----------
    path : Path
    known : dict of file to stamp
        Files of the previous site.
    made : dict of file to stamp
        Files of the current site.
    """

    path: Path
    known: dict[str, str] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> SiteFolder:
        """A folder that is new, empty, or an earlier site.

        Raises
        ------
        HcbenchError
            If it is a file or has other contents.
        """
        if path.exists() and not path.is_dir():
            raise HcbenchError(f"{path} is a file; give a folder for the site")
        marker = path / MARKER
        if not marker.is_file():
            if path.is_dir() and any(path.iterdir()):
                raise HcbenchError(
                    f"{path} contains files and is not a site of hcbench; give an empty or new "
                    "folder"
                )
            return cls(path)
        try:
            entries = json.loads(marker.read_text(encoding="utf-8"))["files"]
            known = {str(name): str(stamp) for name, stamp in entries.items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise HcbenchError(
                f"{marker} cannot be read; remove it and the files of the site, or give another "
                "folder"
            ) from error
        return cls(path, known)

    def holds(self, name: str, stamp: str) -> bool:
        """Whether a file exists with this stamp; if so, it is kept."""
        if self.known.get(name) != stamp or not (self.path / name).is_file():
            return False
        self.made[name] = stamp
        return True

    def write(self, name: str, text: str, stamp: str = "") -> None:
        """Write a file, unless it exists with this text or this stamp.

        Raises
        ------
        HcbenchError
            If it cannot be written.
        """
        stamp = stamp or hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        if not self.holds(name, stamp):
            self.made[name] = stamp
            # Recorded before it is written, so that an interrupted build can be continued.
            self._note({**self.known, **self.made})
            write_whole(self.path / name, text)

    def finish(self) -> int:
        """Remove obsolete files; returns how many."""
        stale = [name for name in self.known if name not in self.made]
        for name in stale:
            target = self.path / name
            inside = target.resolve().is_relative_to(self.path.resolve())
            if inside and target.name != MARKER:  # the marker could have been edited
                target.unlink(missing_ok=True)
                with suppress(OSError):  # the folder is not empty
                    target.parent.rmdir()
        self._note(self.made)
        return len(stale)

    def _note(self, files: dict[str, str]) -> None:
        write_whole(
            self.path / MARKER, json.dumps({"files": dict(sorted(files.items()))}, indent=1)
        )
