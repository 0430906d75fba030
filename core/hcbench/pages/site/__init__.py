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
#: The title of a site whose maker gives none.
TITLE = "Benchmarks"
#: The file that says that a folder is a site, with the stamps of its pages.
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
    commit_url: str = "",
    trees: int = MOST_TREES,
    announce: Callable[[str], None] = lambda _: None,
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
    commit_url : str
        What the address of a commit begins with, such as ``https://example.org/me/it/commit/``;
        "" for no links.
    trees : int
        The most trees of a report.
    announce : callable
        Called with one line for each report that is written.

    Raises
    ------
    HcbenchError
        If the folder has other contents or cannot be written, or the store or the results of asv
        cannot be read.
    """
    from hcbench.pages.site.feed import FEED, make_feed
    from hcbench.pages.site.histories import read_histories

    histories = []
    if asv is not None:
        histories = read_histories(asv)
    folder = SiteFolder.open(Path(path).expanduser())
    readable_runs = _read_runs(store, runs, announce)
    current_runs = choose_runs(readable_runs)
    for contents in current_runs:
        info = contents.run
        name = f"runs/{info.id}.html"
        # A report takes long to make, so that it is not made to find that nothing has changed.
        stamp = _stamp(contents, trees)
        if not folder.holds(name, stamp):
            announce(f"run {info.id}: {info.command}")
            text = make_report(store, contents, registry=registry, trees=trees, assets="../assets")
            folder.write(name, without_paths(text), stamp)
    hidden = ""
    n_hidden = len(readable_runs) - len(current_runs)
    if n_hidden:
        hidden = f"{n_hidden} runs without results or repeated by later ones are hidden."
    pages = make_pages(
        current_runs,
        registry,
        title=title,
        hidden=hidden,
        histories=histories,
        commit_url=commit_url,
    )
    main_sections = _main_sections(pages[0])
    for page in pages:
        folder.write(page.path, render_page(page, title, main_sections))
    if histories:
        folder.write(FEED, without_paths(make_feed(histories, title, commit_url)))
    _write_assets(folder, search_entries(pages, current_runs))
    n_removed = folder.finish()
    return Built(
        pages=len(pages) + len(current_runs),
        written=folder.count_changed(),
        removed=n_removed,
    )


def _read_runs(
    store: Store, runs: Sequence[RunInfo] | None, announce: Callable[[str], None]
) -> list[Contents]:
    """The runs that can be read; a damaged one does not hide the others."""
    readable_runs = []
    if runs is None:
        runs = store.runs()
    for info in runs:
        try:
            readable_runs.append(read_contents(store, info))
        except DamagedRunError as error:
            announce(f"run {info.id} is not shown: {error}")
    return readable_runs


def _main_sections(index: Page) -> list[tuple[str, str]]:
    """The entries of the menu of all pages; sections with parts are one entry, the first."""
    sections = []
    has_parts = False
    for section in index.sections:
        if section.part:
            has_parts = True
        else:
            sections.append((section.id, section.title))
    if has_parts:
        sections.insert(0, ("leaderboards", "Leaderboards"))
    return sections


def _write_assets(folder: SiteFolder, entries: list[list[str]]) -> None:
    """Write the scripts and styles of all pages, and the entries of the search."""
    for name, text in shared_assets().items():
        folder.write(f"assets/{name}", text)
    folder.write("assets/search.js", read_asset("search.js", "site"))
    # A script, since a page that is opened as a file cannot load JSON.
    index = without_paths(json.dumps(entries))
    folder.write("assets/index.js", f"const SITE_PAGES = {index};\n")


def choose_runs(runs: Sequence[Contents]) -> list[Contents]:
    """The runs with a result, without those whose measurements a later run of the suite has all."""
    measurements = list(map(_measurements, runs))
    current_runs = []
    for i, contents in enumerate(runs):
        if not measurements[i]:
            continue
        # A cell that was measured again has other seconds, so that its earlier run stays.
        is_repeated = False
        for j in range(i + 1, len(runs)):
            is_same_suite = runs[j].title == contents.title
            if is_same_suite and measurements[i] <= measurements[j]:
                is_repeated = True
                break
        if not is_repeated:
            current_runs.append(contents)
    return current_runs


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
    templates = []
    for file in folder.iterdir():
        templates.append(file.read_text(encoding="utf-8"))
    templates.sort()
    results = contents.results
    head = [str(contents.run), str(contents.failures), trees, templates]
    stamp = hashlib.blake2b(json.dumps(head).encode(), digest_size=16)
    # One column at a time, as a run may have a million cells.
    for name in _STAMPED:
        stamp.update(json.dumps(results.outcomes.column(name).tolist()).encode())
    metrics = list(COSTS.values())
    metrics += results.metrics
    for group in results.groups:
        for metric in metrics:
            values = group.values(metric)
            place = list(group.place.values())
            place += [metric.label, str(values.special_values)]
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
    previous_stamps : dict of str to str
        The files of the previous site, by which their contents are known.
    stamps : dict of str to str
        Those of the current site, as far as they are written.
    """

    path: Path
    previous_stamps: dict[str, str] = field(default_factory=dict)
    stamps: dict[str, str] = field(default_factory=dict)

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
            previous_stamps = {}
            for name, stamp in entries.items():
                previous_stamps[str(name)] = str(stamp)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise HcbenchError(
                f"{marker} cannot be read; remove it and the files of the site, or give another "
                "folder"
            ) from error
        return cls(path, previous_stamps)

    def holds(self, name: str, stamp: str) -> bool:
        """Whether a file exists with this stamp; if so, it is kept."""
        # Somebody may have removed the file.
        if self.previous_stamps.get(name) != stamp or not (self.path / name).is_file():
            return False
        self.stamps[name] = stamp
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
            self.stamps[name] = stamp
            # Recorded before it is written, so that an interrupted build can be continued.
            self._note(self.previous_stamps | self.stamps)
            write_whole(self.path / name, text)

    def count_changed(self) -> int:
        """How many files are new or have other contents than in the previous site."""
        n_changed = 0
        for name, stamp in self.stamps.items():
            if self.previous_stamps.get(name) != stamp:
                n_changed += 1
        return n_changed

    def finish(self) -> int:
        """Remove obsolete files; returns how many."""
        n_removed = 0
        for name in self.previous_stamps:
            # Pages of runs and names that the site has no more.
            if name not in self.stamps:
                self._remove(self.path / name)
                n_removed += 1
        self._note(self.stamps)
        return n_removed

    def _remove(self, file: Path) -> None:
        """Remove a file of the previous site, and its folder if it is empty then."""
        # Somebody could have edited the list of files.
        is_inside = file.resolve().is_relative_to(self.path.resolve())
        if not is_inside or file.name == MARKER:
            return
        file.unlink(missing_ok=True)
        with suppress(OSError):  # the folder is not empty
            file.parent.rmdir()

    def _note(self, stamps: dict[str, str]) -> None:
        """Write down which files are of the site."""
        text = json.dumps({"files": dict(sorted(stamps.items()))}, indent=1)
        write_whole(self.path / MARKER, text)
