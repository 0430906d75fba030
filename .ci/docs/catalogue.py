"""A page for everything that the built-in plugins register, from what ``hcbench info`` says.

Each page has a picture, or says why it has none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import rst
from pictures import picture_of

from hcbench import load_registry
from hcbench.cli.describing import describe, summarise, value_text
from hcbench.errors import PluginError
from hcbench.registry.specs import AlgorithmSpec, OracleSpec
from hcbench.registry.suite import Suite

#: Kinds of the registry, with titles, and with what an index shows beside name and summary.
KINDS = {
    "algorithms": ("Algorithms", "accepts"),
    "datasets": ("Data sets", "provides"),
    "oracles": ("Oracles", "kind"),
    "metrics": ("Metrics", "direction"),
    "suites": ("Suites", "datasets"),
}
TEXTS = {
    "algorithms": "What builds a tree or a partition, and from which kind of answers.",
    "datasets": "Public data, simulated data with a true hierarchy, and readers of your own files.",
    "oracles": "What answers an algorithm: vectors, similarities, comparisons, people, models.",
    "metrics": "Qualities of trees and partitions, and costs of a call.",
    "suites": "Comparisons that are ready to run: standard ones, and those of papers.",
}

#: Facts that a page shows elsewhere than in the list of facts.
_APART = ("name", "doc", "paper", "plugin", "example", "parameters", "unavailable")


#: Draws a spec of a kind into a folder.
Drawer: TypeAlias = Callable[[str, Any, Path], str]


@dataclass(frozen=True, slots=True)
class Item:
    """Something that is registered.

    Attributes
    ----------
    kind : str
        Of `KINDS`.
    entry : Entry
        The entry of the registry.
    """

    kind: str
    entry: Any

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.entry.spec.name)

    @property
    def page(self) -> str:
        """The name of its page in the site."""
        return f"catalogue/{self.kind}/{self.name}"


def registered() -> list[Item]:
    """What the built-in plugins register, by kind and name."""
    registry = load_registry()
    items = []
    for kind in KINDS:
        entries = getattr(registry, kind).entries
        for entry in sorted(entries, key=lambda entry: entry.spec.name.casefold()):
            if entry.plugin.distribution == "hcbench":
                items.append(Item(kind, entry))
    return items


def write_catalogue(source: Path, picture: Drawer = picture_of) -> int:
    """Write a page for each item and an index for each kind; return the number of pages.

    Parameters
    ----------
    source : Path
        The folder of sources of Sphinx.
    picture : callable
        Draws an item into the folder of its page; returns the picture, or why there is none, as
        reStructuredText.
    """
    items = registered()
    pages = {(item.kind, item.name.casefold()): item.page for item in items}
    links = links_of(items, pages)
    for item in items:
        page = source / f"{item.page}.rst"
        drawn = picture(item.kind, item.entry.spec, page.parent)
        rst.write(page, *parts_of(item, pages, links[item.page], drawn))
    for kind in KINDS:
        write_index(kind, [item for item in items if item.kind == kind], source)
    rst.write(
        source / "catalogue" / "index.rst",
        rst.title("Catalogue"),
        "Everything that comes with hcbench, by name. ``hcbench list`` and ``hcbench info NAME`` "
        "print the same.",
        rst.table(
            ("kind", "number", "about"),
            [
                (
                    rst.link(KINDS[kind][0], f"catalogue/{kind}/index"),
                    str(sum(item.kind == kind for item in items)),
                    TEXTS[kind],
                )
                for kind in KINDS
            ],
        ),
        rst.contents([f"{kind}/index" for kind in KINDS], hidden=""),
    )
    return len(items) + len(KINDS) + 1


def write_index(kind: str, items: Sequence[Item], source: Path) -> None:
    """Write the page of a kind: a line on each item."""
    heading, fact = KINDS[kind]
    rows = []
    for item in items:
        summary = summarise(item.entry)
        text = rst.escape(str(summary["doc"]))
        rows.append((rst.link(item.name, item.page), text, rst.escape(value_text(summary[fact]))))
    rst.write(
        source / "catalogue" / kind / "index.rst",
        rst.title(heading),
        TEXTS[kind],
        rst.table(("name", "summary", fact), rows),
        rst.contents([f"/{item.page}" for item in items], hidden=""),
    )


def parts_of(
    item: Item,
    pages: Mapping[tuple[str, str], str],
    links: Mapping[str, Sequence[str]],
    picture: str,
) -> list[str]:
    """The page of an item."""
    spec = item.entry.spec
    description = describe(item.entry)
    plugin = item.entry.plugin.entry_point
    facts = facts_of(item, description, pages)
    for name, targets in links.items():
        facts[name] = ", ".join(targets)
    facts["plugin"] = rst.link(plugin, f"plugins/{plugin}")
    if getattr(spec, "requires", ()):
        facts["requires"] = ", ".join(map(rst.code, spec.requires))
    parts = [
        rst.title(item.name),
        rst.escape(spec.doc),
        rst.block("code-block", "sh", description["example"]),
        picture,
        rst.fields(facts),
    ]
    if description.get("parameters"):
        parts += [rst.title("Parameters", "-"), *map(_parameter, description["parameters"])]
    details = details_of(spec)
    if details:
        parts += [rst.title("Definition", "-"), details]
    if isinstance(spec, Suite) and spec.claims:
        parts += [rst.title("Claims", "-"), *_claims(spec)]
    if spec.paper:
        bibtex = rst.block("code-block", "bibtex", spec.paper.bibtex)
        parts += [rst.title("Paper", "-"), rst.escape(f"{spec.paper}."), bibtex]
    return parts


def facts_of(
    item: Item, description: Mapping[str, Any], pages: Mapping[tuple[str, str], str]
) -> dict[str, str]:
    """The facts that hold, as in ``hcbench info``, with links to what they name."""
    facts = {}
    for name, value in description.items():
        if name in _APART or value in (None, "", [], ()):
            continue
        if isinstance(item.entry.spec, Suite) and name in KINDS:
            facts[name] = ", ".join(_linked(use, name, pages) for use in value)
        else:
            facts[name] = rst.escape(value_text(value))
    return facts


def links_of(
    items: Sequence[Item], pages: Mapping[tuple[str, str], str]
) -> dict[str, dict[str, list[str]]]:
    """For each page of an item, links to suites that use it, and to what can be paired with it."""
    links: dict[str, dict[str, list[str]]] = {item.page: {} for item in items}
    for item in items:
        spec = item.entry.spec
        if isinstance(spec, Suite):
            for kind in ("algorithms", "datasets", "oracles", "metrics"):
                used = {pages.get((kind, _name_in(use))) for use in getattr(spec, kind)}
                for page in used - {None}:
                    suites = links[str(page)].setdefault("suites", [])
                    suites.append(rst.link(spec.name, item.page))
        if isinstance(spec, AlgorithmSpec):
            for other in items:
                if (
                    isinstance(other.entry.spec, OracleSpec)
                    and other.entry.spec.kind in spec.accepts
                ):
                    oracles = links[item.page].setdefault("oracles", [])
                    oracles.append(rst.link(other.name, other.page))
                    algorithms = links[other.page].setdefault("algorithms", [])
                    algorithms.append(rst.link(item.name, item.page))
    return links


def details_of(spec: Any) -> str:
    """The docstring of its function: formula, sources, time and memory; "" without one."""
    if isinstance(spec, Suite):
        return ""
    try:
        function = inspect.unwrap(spec.load())
    except PluginError:  # its library is not installed
        return ""
    # Other callables have the docstring of their class.
    if not inspect.isfunction(function):
        return ""
    return rst.docstring(inspect.getdoc(function) or "")


def _name_in(use: str) -> str:
    """The registered name in ``LABEL=NAME[param=value]``."""
    return use.partition("[")[0].rpartition("=")[2].strip().casefold()


def _linked(use: str, kind: str, pages: Mapping[tuple[str, str], str]) -> str:
    page = pages.get((kind, _name_in(use)))
    if page is None:
        return rst.code(use)
    return rst.link(use, page)


def _parameter(parameter: Mapping[str, str]) -> str:
    """A parameter with its meaning, its default and the values that it can take."""
    default = "It is required"
    if parameter["default"] != "required":
        default = f"Default: {rst.code(parameter['default'])}"
    values = rst.escape(parameter["values"])
    name = rst.code(parameter["name"])
    return f"{name}\n   {rst.escape(parameter['doc'])} {default}; values: {values}."


def _claims(suite: Suite) -> list[str]:
    """What the suite's paper says and the suite measures."""
    texts = dict.fromkeys(claim.claim for claim in suite.claims)
    number = f"{len(suite.claims)} statements and printed values are measured:"
    return [number, "\n".join(f"- {rst.escape(text)}" for text in texts)]
