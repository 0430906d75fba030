"""A static site of all runs of a store, which a web server or a browser alone can open.

`pages` has the contents of the pages, `listing` their tables and `slugs` their file names;
`folder` writes changed files and removes obsolete ones. Every run has a `hcbench.show.report`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from hcbench.errors import DamagedRunError
from hcbench.show.report import MOST_TREES, make_report, read_contents
from hcbench.show.report.page import environment, read_asset, shared_assets
from hcbench.show.site.folder import SiteFolder
from hcbench.show.site.pages import Catalogue, Page, make_pages, search_entries

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.show.report import Contents
    from hcbench.store import Store

__all__ = ["Built", "build_site"]
#: Scripts of reports that tables of the site also need.
_SHARED_SCRIPTS = ("elements.js", "state.js", "table.js")


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
    trees: int = MOST_TREES,
    told: Callable[[str], None] = lambda _: None,
) -> Built:
    """Create or update a site.

    Parameters
    ----------
    path : path
        A folder that is new, empty, or an earlier site.
    store : Store
        All its runs are shown.
    registry : Registry
        Documents algorithms, data sets and suites.
    trees : int
        The most trees of a report.
    told : callable
        Called with one line for each report that is written.

    Raises
    ------
    HcbenchError
        If the folder has other contents or cannot be written, or the store cannot be read.
    """
    folder = SiteFolder.open(Path(path).expanduser())
    before = dict(folder.known)
    catalogue = Catalogue()
    for info in store.runs():
        try:
            contents = read_contents(store, info)
        except DamagedRunError as error:
            told(f"run {info.id} is not shown: {error}")
            continue
        catalogue.add(contents)
        name, stamp = f"runs/{info.id}.html", _stamp(contents, trees)
        if not folder.holds(name, stamp):
            told(f"run {info.id}: {info.command}")
            text = make_report(store, info, registry=registry, trees=trees, assets="../assets")
            folder.write(name, text, stamp)
    pages = make_pages(catalogue, registry, store.location)
    for page in pages:
        folder.write(page.path, render_page(page))
    for name, text in _assets().items():
        folder.write(f"assets/{name}", text)
    entries = search_entries(pages, catalogue.runs)
    folder.write("assets/index.js", f"const SITE_PAGES = {json.dumps(entries)};\n")
    removed = folder.finish()
    written = sum(before.get(name) != stamp for name, stamp in folder.made.items())
    return Built(len(pages) + len(catalogue.runs), written, removed)


def render_page(page: Page) -> str:
    """A page with tables."""
    template = environment("site", "report").get_template("page.html.j2")
    up = "../" if "/" in page.path else ""
    data = [asdict(listing) for listing in page.listings if listing.table["rows"]]
    return template.render(page=page, up=up, data=data)


def _stamp(contents: Contents, trees: int) -> str:
    """A hash of all that a report depends on."""
    told = [contents.results.rows, str(contents.run), str(contents.failures), trees]
    state = hashlib.blake2b(json.dumps(told).encode(), digest_size=16)
    state.update(_look().encode())
    return state.hexdigest()


@lru_cache(1)
def _look() -> str:
    """A hash of the templates of reports."""
    folder = resources.files("hcbench.show.report").joinpath("templates")
    texts = sorted((f.name, f.read_text(encoding="utf-8")) for f in folder.iterdir())
    return hashlib.blake2b(json.dumps(texts).encode(), digest_size=16).hexdigest()


def _assets() -> dict[str, str]:
    own = resources.files("hcbench.show.site").joinpath("assets")
    lists = [read_asset(name) for name in _SHARED_SCRIPTS]
    lists += [own.joinpath("listing.js").read_text(encoding="utf-8")]
    return {
        **shared_assets(),
        "listing.js": '(() => {\n"use strict";\n' + "\n".join(lists) + "\n})();\n",
        "search.js": own.joinpath("search.js").read_text(encoding="utf-8"),
    }
