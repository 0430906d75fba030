"""What the package of a suite says about why it has its data and metrics."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt

from hcbench.model.text import slug

if TYPE_CHECKING:
    from hcbench.registry.catalogue import Entry


def rationale(entry: Entry[Any], suites: Collection[str]) -> str:
    """The page on a suite as HTML, without its title; "" if its package has none.

    It is ``pages/NAME.md`` in the package, also of the suites ``NAME-...``. Its links to other such
    pages lead to those of the site, and those to further files become text. It may show PNG files
    beside it. HTML in it is shown as text.
    """
    source = entry.plugin.source
    if source is None or not source.is_dir():
        return ""
    # A page on standard is also one on standard-noise, unless that has its own.
    pages = []
    for path in source.glob("pages/*.md"):
        if f"{entry.spec.name}-".startswith(f"{path.stem}-"):
            pages.append(path)
    if not pages:
        return ""
    page = max(pages, key=lambda path: len(path.stem))
    text = re.sub(r"\A# .*\n", "", page.read_text(encoding="utf-8"))

    def embed(match: re.Match[str]) -> str:
        """A picture of the folder, in the page."""
        return f"]({_embedded(page.parent, match[1])})"

    def relink(match: re.Match[str]) -> str:
        """A link to the page of a suite in the site; other files are not there."""
        if match[2] not in suites:
            return match[1]
        return f"[{match[1]}]({slug(match[2])}.html)"

    text = re.sub(r"\]\(([^/)]+\.png)\)", embed, text)
    text = re.sub(r"\[([^]]*)\]\(([^)]+)\.md(?:#[^)]*)?\)", relink, text)
    page_html: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return page_html


def _embedded(folder: Path, name: str) -> str:
    """A picture as a data URL."""
    return f"data:image/png;base64,{b64encode((folder / name).read_bytes()).decode()}"
