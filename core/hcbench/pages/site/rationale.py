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
    found = [p for p in source.glob("pages/*.md") if f"{entry.spec.name}-".startswith(f"{p.stem}-")]
    if not found:
        return ""
    page = max(found, key=lambda path: len(path.stem))
    text = re.sub(r"\A# .*\n", "", page.read_text(encoding="utf-8"))
    text = re.sub(
        r"\]\(([^/)]+\.png)\)", lambda match: f"]({_embedded(page.parent, match[1])})", text
    )
    text = re.sub(
        r"\[([^]]*)\]\(([^)]+)\.md(?:#[^)]*)?\)",
        lambda match: f"[{match[1]}]({slug(match[2])}.html)" if match[2] in suites else match[1],
        text,
    )
    shown: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return shown


def _embedded(folder: Path, name: str) -> str:
    """A picture as a data URL."""
    return f"data:image/png;base64,{b64encode((folder / name).read_bytes()).decode()}"
