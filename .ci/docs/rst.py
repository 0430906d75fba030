"""The few elements of reStructuredText that the generated pages have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent

from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring

_DOCSTRINGS = Config(napoleon_use_param=False, napoleon_use_rtype=False)
_BAR = re.compile(r"(``.*?``)|\|", re.DOTALL)


def escape(text: str) -> str:
    """Plain text, in which no character has a meaning."""
    return re.sub(r"([\\`*_|])", r"\\\1", text)


def code(text: str) -> str:
    """A name or a value of a program, in a line of text."""
    return f"``{text}``"


def title(text: str, underline: str = "=") -> str:
    """A heading."""
    escaped = escape(text)
    return f"{escaped}\n{underline * len(escaped)}"


def link(text: str, docname: str) -> str:
    """A link to a page."""
    return f":doc:`{escape(text)} </{docname}>`"


def block(name: str, argument: str = "", content: str = "", **options: str) -> str:
    """A directive."""
    lines = [f".. {name}:: {argument}".rstrip()]
    lines += [f"   :{key.replace('_', '-')}: {value}".rstrip() for key, value in options.items()]
    return "\n".join(lines) + "\n\n" + indent(content, "   ")


def fields(facts: Mapping[str, str]) -> str:
    """A list of facts with their names."""
    return "\n".join(f":{name}: {text}" for name, text in facts.items())


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table whose cells are reStructuredText."""
    lines = []
    for row in [header, *rows]:
        first, *others = row
        lines.append(f"* - {first}")
        lines += [f"  - {cell}" for cell in others]
    return block("list-table", content="\n".join(lines), header_rows="1")


def contents(docnames: Iterable[str], **options: str) -> str:
    """A table of contents; an entry is a page, or a title and a page, ``TITLE <PAGE>``."""
    return block("toctree", content="\n".join(docnames), **options)


def docstring(text: str) -> str:
    """A docstring of numpy's style, in which bars are those of mathematics, as in ``|V|``."""
    plain_bars = _BAR.sub(lambda match: match[1] or r"\|", text)
    # Napoleon's own settings have what it reads of those of Sphinx.
    return str(NumpyDocstring(plain_bars, _DOCSTRINGS))  # type: ignore[arg-type]


def write(path: Path, *parts: str) -> None:
    """Write a page; empty parts are omitted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")
