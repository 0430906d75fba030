"""The pages of each built-in plugin have every registered name, costs and papers.

Parameters are not required: ``hcbench info NAME`` prints them from the specs.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from hcbench import Suite, load_registry

PLUGINS = Path(__file__).parents[2] / "plugins"
ENTRIES = [
    (entry.plugin.entry_point, entry.spec)
    for catalogue in load_registry().catalogues
    for entry in catalogue.entries
    if entry.plugin.distribution == "hcbench"
]


def page(plugin: str) -> str:
    """The README, and the pages of papers and suites behind it."""
    folder = PLUGINS / f"hcbench_{plugin}"
    files = [folder / "README.md", *sorted((folder / "pages").glob("*.md"))]
    return "\n".join(file.read_text() for file in files)


def is_named(word: str, text: str) -> bool:
    """Whether code contains the word; a suite may be written ``-table3``."""
    codes = re.findall(r"`[^`\n]+`|^ {4}.*$|^hcbench .*$", text, re.MULTILINE)
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w])", code) for code in codes)


def missing(text: str, spec: Any) -> list[str]:
    """Missing parts of a spec: its name, an alias, or the author of its paper."""
    if isinstance(spec, Suite):
        names = (spec.name, f"-{spec.name.rpartition('-')[2]}")
        lacking = [] if any(is_named(name, text) for name in names) else [spec.name]
    else:
        names = (spec.name, *getattr(spec, "aliases", ()))
        lacking = [name for name in names if not is_named(name, text)]
    paper = getattr(spec, "paper", None)
    if paper is not None:
        surname = paper.fields["author"].split(",")[0].strip()
        lacking += [] if surname in text else [surname]
    return lacking


@pytest.mark.parametrize("plugin", sorted({plugin for plugin, _ in ENTRIES}))
def test_a_readme_names_what_its_plugin_registers_with_papers_and_costs(plugin: str) -> None:
    text = page(plugin)
    specs = [spec for name, spec in ENTRIES if name == plugin]
    assert {spec.name: lacking for spec in specs if (lacking := missing(text, spec))} == {}
    assert "O(" in text
