"""A static site over all runs of a store: files that any server serves, and a browser alone opens.

`pages` says what stands on them, `listing` makes their tables, `slugs` their names; `folder`
writes what has changed and removes what is gone. Every run has its `hcbench.show.report`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from hcbench.show.report import MOST_TREES, gather_contents, read_contents
from hcbench.show.report.page import environment, read_asset, render_report, shared_assets
from hcbench.show.site.folder import SiteFolder
from hcbench.show.site.pages import Catalogue, Page, make_pages, search_entries

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.show.report import Contents
    from hcbench.store import Store

__all__ = ["Built", "build_site"]
#: Parts of a report that lists are made with, too.
_SHARED_SCRIPTS = ("numbers.js", "elements.js", "table.js")


@dataclass(frozen=True, slots=True)
class Built:
    """What was done.

    Attributes
    ----------
    pages : int
        How many the site has.
    written, removed : int
        How many files were written, and how many that belong no longer to it were removed.
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
    """Make a site, or bring it up to date.

    Parameters
    ----------
    path : path
        A folder that is new, empty, or a site.
    store : Store
        All of whose runs are shown.
    registry : Registry
        Which says what names mean.
    trees : int
        How many trees a report shows at most.
    told : callable
        Is told what is being done, in a line.

    Raises
    ------
    HcbenchError
        If the folder holds something else or cannot be written, or the store cannot be read.
    """
    folder = SiteFolder.open(Path(path).expanduser())
    before = dict(folder.known)
    catalogue = Catalogue()
    for info in store.runs():
        contents = read_contents(store, info)
        catalogue.add(contents)
        name, stamp = f"runs/{info.id}.html", _stamp(contents, trees)
        if not folder.holds(name, stamp):
            told(f"run {info.id}: {info.command}")
            full = gather_contents(store, info, registry, trees)
            folder.write(name, render_report(full, "../assets"), stamp)
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
    data = [listing.describe() for listing in page.listings]
    return template.render(page=page, up=up, data=data)


def _stamp(contents: Contents, trees: int) -> str:
    """What tells whether a report is up to date: all that it says, and how."""
    told = [contents.data, str(contents.run), [str(f) for f in contents.failures], trees]
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
