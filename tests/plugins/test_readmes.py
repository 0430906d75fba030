"""A page for each built-in plugin: every registered name, with its parameters, cost and paper."""

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
    return (PLUGINS / f"hcbench_{plugin}" / "README.md").read_text()


def is_named(word: str, text: str) -> bool:
    """Whether it stands in code, as a word of its own; a suite may be written ``-table3``."""
    codes = re.findall(r"`[^`\n]+`|^ {4}.*$|^hcbench .*$", text, re.MULTILINE)
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w])", code) for code in codes)


@pytest.mark.parametrize(("plugin", "spec"), ENTRIES, ids=[spec.name for _, spec in ENTRIES])
def test_a_name_and_its_parameters_are_in_the_readme_of_its_plugin(plugin: str, spec: Any) -> None:
    text = page(plugin)
    if isinstance(spec, Suite):
        names = (spec.name, f"-{spec.name.rpartition('-')[2]}")
        assert any(is_named(name, text) for name in names), spec.name
        return
    missing = [
        word for word in (spec.name, *(p.name for p in spec.parameters)) if not is_named(word, text)
    ]
    assert not missing, f"plugins/hcbench_{plugin}/README.md does not tell {', '.join(missing)}"


@pytest.mark.parametrize(("plugin", "spec"), ENTRIES, ids=[spec.name for _, spec in ENTRIES])
def test_the_paper_of_a_name_is_in_the_readme_of_its_plugin(plugin: str, spec: Any) -> None:
    paper = getattr(spec, "paper", None)
    if paper is None:
        return
    surname = paper.fields["author"].split(",")[0].strip()
    assert surname in page(plugin), f"{spec.name}: {paper}"


@pytest.mark.parametrize("plugin", sorted({plugin for plugin, _ in ENTRIES}))
def test_a_readme_tells_what_things_cost(plugin: str) -> None:
    assert "O(" in page(plugin)
