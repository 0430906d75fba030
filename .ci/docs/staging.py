"""Pages of the repository as sources of the site: their links lead to other pages of the site."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
_FENCED = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)
#: Formats of outputs that a page shows, the preferred first.
_SHOWN = ("text/html", "image/svg+xml", "image/png", "text/plain")


class StagingError(Exception):
    """A page has a link to a file that is not there."""


def stage(page: Path, docnames: Mapping[Path, str], source: Path, ending: str = "") -> None:
    """Write a page below `source`.

    Parameters
    ----------
    page : Path
        Markdown, or a notebook.
    docnames : mapping of Path to str
        All pages of the repository, and their names in the site.
    source : Path
        The folder of sources of Sphinx.
    ending : str
        Text that is added to the page.
    """
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        text = notebook_text(json.loads(text))
    staged = source / f"{docnames[page]}.md"
    staged.parent.mkdir(parents=True, exist_ok=True)
    staged.write_text(linked(text, page, docnames, source) + ending, encoding="utf-8")


def linked(text: str, page: Path, docnames: Mapping[Path, str], source: Path) -> str:
    """The text of a page whose links lead to where pages and files are in the site."""
    folder = (source / docnames[page]).parent

    def with_new_target(match: re.Match[str]) -> str:
        target, heading = match.groups(default="")
        if ":" in target:
            return match[0]
        path = Path(os.path.normpath(page.parent / target))
        if path in docnames:
            new = source / f"{docnames[path]}.md"
        elif path.is_file():
            new = source / "files" / path.name
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, new)
        else:
            raise StagingError(f"{page}: no file {target}")
        return f"]({os.path.relpath(new, folder)}{heading})"

    parts = _FENCED.split(text)
    for i, part in enumerate(parts):
        if not part.startswith("```"):
            parts[i] = _LINK.sub(with_new_target, part)
    return "".join(parts)


def notebook_text(notebook: Mapping[str, Any]) -> str:
    """The cells of a notebook with their stored outputs, as Markdown."""
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        parts += [_output_text(output) for output in cell["outputs"]]
    return "\n\n".join(part for part in parts if part) + "\n"


def _output_text(output: Mapping[str, Any]) -> str:
    """An output of a cell; "" if it is empty."""
    if output["output_type"] == "stream":
        data = {"text/plain": output["text"]}
    else:
        data = output["data"]
    form = next(form for form in _SHOWN if form in data)
    text = "".join(data[form]).strip()
    if not text:
        return ""
    if form == "image/png":
        text = f'<img alt="output" src="data:image/png;base64,{"".join(text.split())}">'
    if form == "text/plain":
        return f"```text\n{text}\n```"
    return f'```{{raw}} html\n<div class="output">{text}</div>\n```'
