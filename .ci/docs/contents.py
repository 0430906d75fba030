"""The table of contents of the pages that are written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRST_STEPS = ROOT / "README.md"
HOME = ROOT / "core" / "docs" / "index.md"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the site.

    Attributes
    ----------
    folder : str
        Its folder in the site.
    title, text : str
        What its first page says.
    pages : tuple of str
        Pages of the repository in their order. A pattern stands for pages that no section names.
    """

    folder: str
    title: str
    text: str
    pages: tuple[str, ...]


SECTIONS = (
    Section(
        "guide",
        "User guide",
        "From the first comparison to results that others can check.",
        (
            "README.md",
            "core/docs/tutorial.ipynb",
            "core/docs/data.md",
            "core/docs/comparing.md",
            "core/docs/reading.md",
            "core/docs/statistics.md",
            "core/docs/trees.md",
            "core/docs/python.md",
            "core/docs/commands.md",
            "core/docs/stores.md",
            "core/docs/paid.md",
            "core/docs/clusters.md",
            "core/docs/genes.md",
            "core/docs/survey.md",
            "core/docs/crowd.md",
            "core/docs/taxonomy.md",
            "core/docs/*.md",
            "CHANGELOG.md",
        ),
    ),
    Section(
        "results",
        "Results",
        "The leaderboards of the standard suites, what we learned from them, and how a method "
        "joins them.",
        ("benchmarks/results/README.md", "core/docs/joining.md"),
    ),
    Section(
        "authors",
        "Author guide",
        "Your own algorithms, data sets, oracles and metrics, and work on hcbench itself.",
        ("core/docs/plugins.md", "core/docs/performance.md", ".github/CONTRIBUTING.md"),
    ),
    Section(
        "papers",
        "Papers",
        "What of four papers comes out when it is run again, what differs and why, and what they "
        "leave out.",
        (
            "plugins/hcbench_quadruplets/pages/ghoshdastidar2019.md",
            "plugins/hcbench_ordinal/pages/emamjomeh2018.md",
            "plugins/hcbench_cuts/pages/gentile2019.md",
            "plugins/hcbench_vectors/pages/gray2023.md",
        ),
    ),
    Section(
        "plugins",
        "Plugins",
        "The plugins that come with hcbench: what they add, from which papers, at what cost.",
        ("plugins/*/README.md", "plugins/*/pages/*.md"),
    ),
)


def pages_of(section: Section) -> list[Path]:
    """The pages of a section, in their order."""
    named = {HOME}
    for other in SECTIONS:
        named.update(ROOT / page for page in other.pages)
    pages = []
    for page in section.pages:
        if "*" in page:
            pages.extend(sorted(set(ROOT.glob(page)) - named))
        else:
            pages.append(ROOT / page)
    return pages


def docname(section: Section, page: Path) -> str:
    """The name of a page in the site, without its suffix."""
    name = page.stem.lower()
    if page.name == "README.md":
        name = page.parent.name.removeprefix("hcbench_")
    if page == FIRST_STEPS:
        name = "first-steps"
    return f"{section.folder}/{name}"
