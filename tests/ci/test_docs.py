"""The pages that `.ci/docs` generates for the documentation."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hcbench import DataNotAvailableError, load_registry
from tests.core import public_api

ROOT = Path(__file__).parents[2]
NAMES = (
    "catalogue",
    "contents",
    "drawing",
    "drawing_data",
    "drawing_metrics",
    "drawing_oracles",
    "drawing_algorithms",
    "gallery",
    "leaderboard",
    "make",
    "pictures",
    "reference",
    "rst",
    "staging",
)


@pytest.fixture(scope="module")
def docs() -> Iterator[dict[str, ModuleType]]:
    """The modules of `.ci/docs`, which its scripts import from their own folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / ".ci" / "docs")
        yield {name: importlib.import_module(name) for name in NAMES}
    for name in NAMES:
        del sys.modules[name]


TOY = '''
"""A module with `LISTED`."""

import dataclasses

__all__ = ["BARE", "LISTED", "NOTED", "Bare", "Documented", "Inherited", "bare", "documented"]

BARE = 1
LISTED = 2
NOTED = 3
"""A constant with a docstring."""


@dataclasses.dataclass
class Bare:
    size: int


class Documented:
    """A class."""

    def bare(self): ...

    def documented(self):
        """A method."""

    @property
    def bare_property(self): ...

    def _private(self): ...


class Inherited(Documented):
    def bare(self): ...


def bare(): ...


def documented():
    """A function."""
'''


def test_a_public_name_without_a_docstring_is_found(
    docs: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hcbench_toy.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    toy = importlib.import_module("hcbench_toy")
    assert docs["reference"].undocumented(toy) == [
        "hcbench_toy.BARE",
        "hcbench_toy.Bare",
        "hcbench_toy.Documented.bare",
        "hcbench_toy.Documented.bare_property",
        "hcbench_toy.Inherited",
        "hcbench_toy.Inherited.bare",
        "hcbench_toy.bare",
    ]


def test_the_build_stops_at_a_public_name_without_a_docstring(
    docs: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docs["make"], "undocumented", lambda module: [f"{module.__name__}.bare"])
    with pytest.raises(SystemExit, match=r"no docstring: hcbench\.bare, hcbench\.analysis\.bare"):
        docs["make"].main(tmp_path)
    assert not list(tmp_path.iterdir())


def test_every_public_module_has_a_page(docs: dict[str, ModuleType]) -> None:
    names = [f"hcbench.{name}" for name in public_api.MODULES]
    assert sorted(docs["reference"].MODULES) == sorted(["hcbench", *names])


@pytest.mark.slow
def test_every_public_name_is_in_the_reference(docs: dict[str, ModuleType], tmp_path: Path) -> None:
    docs["reference"].write_reference(tmp_path)
    for name in docs["reference"].MODULES:
        page = (tmp_path / "reference" / name / "index.rst").read_text()
        module = importlib.import_module(name)
        plain = page.replace("\\_", "_")
        for public in module.__all__:
            if not isinstance(getattr(module, public), ModuleType):
                assert f":doc:`{public} <" in plain or f"py:data:: {public}\n" in plain
    page = (tmp_path / "reference" / "hcbench" / "Tree.rst").read_text()
    assert ".. autoclass:: hcbench.Tree" in page


@pytest.mark.slow
def test_everything_that_is_registered_has_a_page(
    docs: dict[str, ModuleType], tmp_path: Path
) -> None:
    docs["catalogue"].write_catalogue(tmp_path, lambda kind, spec, _: f"drawn {kind} {spec.name}")
    catalogue = tmp_path / "catalogue"
    registry = load_registry()
    for kind in docs["catalogue"].KINDS:
        index = (catalogue / kind / "index.rst").read_text()
        for entry in getattr(registry, kind).entries:
            if entry.plugin.distribution != "hcbench":
                continue
            spec: Any = entry.spec
            assert f"</catalogue/{kind}/{spec.name}>`" in index
            page = (catalogue / kind / f"{spec.name}.rst").read_text()
            assert "hcbench compare" in page or "hcbench run" in page
            assert f"\ndrawn {kind} {spec.name}\n" in page
            for parameter in getattr(spec, "parameters", ()):
                assert f"\n``{parameter.name}``\n" in page
            if spec.paper:
                assert f"{{{spec.paper.key}," in page
    upgma = (catalogue / "algorithms" / "UPGMA.rst").read_text()
    assert "Default: ``euclidean``" in upgma
    assert "</catalogue/suites/standard-vectors>`" in upgma, "suites that use it"
    assert "O(n^2 p) time" in upgma, "the docstring of its function"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("algorithms", "UPGMA", "the tree that UPGMA finds"),
        ("algorithms", "WDP", "the tree of UPGMA, coloured by the clusters into which WDP cuts it"),
        ("algorithms", "InsertionClustering", "The oracle is ordinal-queries."),
        ("datasets", "iris", "iris: 150 items; their first two principal components"),
        ("datasets", "planted", "planted: 240 items; the true tree, and the similarities"),
        ("datasets", "random-tree", "random-tree: 100 items; the true tree."),
        ("oracles", "quadruplet-queries", "The share of wrong answers"),
        ("oracles", "triplet-set", "The share of wrong answers"),
        ("oracles", "rating-queries", "The ratings of all 1,770 pairs"),
        ("metrics", "AARI", "AARI of the true tree of 60 items"),
        ("metrics", "excess-risk", "excess-risk of the true clusters of 60 items"),
    ],
)
def test_what_is_registered_has_a_picture(
    docs: dict[str, ModuleType], tmp_path: Path, kind: str, name: str, text: str
) -> None:
    spec = getattr(load_registry(), kind).find(name).spec
    block = docs["pictures"].picture_of(kind, spec, tmp_path)
    assert block.startswith(f".. figure:: {name}.svg\n")
    assert text in block
    assert (tmp_path / f"{name}.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("kind", "name", "reason"),
    [
        ("metrics", "seconds", "a cost of a call"),
        ("metrics", "n-clusters", "does not depend on which item has which place"),
        ("datasets", "file", "whatever is in your file"),
        ("oracles", "person", "those of a person or a paid model"),
        ("oracles", "vectors", "it gives the data as they are"),
        ("suites", "standard-vectors", "</results/results>"),
        (
            "suites",
            "ghoshdastidar2019-figure2",
            "``hcbench run ghoshdastidar2019-figure2 --figures",
        ),
        ("suites", "gray2023-table1", "</papers/gray2023>"),
    ],
)
def test_a_page_without_a_picture_says_why(
    docs: dict[str, ModuleType], tmp_path: Path, kind: str, name: str, reason: str
) -> None:
    spec = getattr(load_registry(), kind).find(name).spec
    text = docs["pictures"].picture_of(kind, spec, tmp_path)
    assert reason in text
    assert "figure::" not in text
    assert not list(tmp_path.iterdir())


def test_data_that_are_absent_have_no_picture(
    docs: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(spec: object) -> None:
        raise DataNotAvailableError("no file in /home/of/somebody")

    monkeypatch.setitem(docs["pictures"]._DRAW, "datasets", absent)
    drawing = docs["pictures"].draw("datasets", None)
    assert drawing.figure is None
    assert "the data were not there" in drawing.text
    assert "somebody" not in drawing.text


def test_every_page_of_the_repository_is_in_the_site(docs: dict[str, ModuleType]) -> None:
    pages = docs["make"].hand_written()
    for folder, pattern in (("core/docs", "**/*.md"), ("plugins", "*/README.md")):
        for page in (ROOT / folder).glob(pattern):
            assert page in pages, page
    assert len(set(pages.values())) == len(pages)


@pytest.mark.slow
def test_the_leaderboards_are_made_from_the_results(
    docs: dict[str, ModuleType], tmp_path: Path
) -> None:
    results = tmp_path / "results"
    for name in ("UPGMA", "Ward"):
        source = ROOT / "benchmarks" / "results" / "standard-vectors" / name
        shutil.copytree(source, results / "standard-vectors" / name)
    docs["leaderboard"].write_leaderboard(tmp_path, results)
    page = (tmp_path / "leaderboard" / "suites" / "standard-vectors.html").read_text()
    assert "Ward" in page
    assert "UPGMA" in page
    # The page with the frame is beside this folder.
    source = tmp_path / "source"
    (section,) = [section for section in docs["make"].SECTIONS if section.folder == "results"]
    docs["make"].write_section(section, source)
    frame = re.search(r'iframe src="([^"]+)"', (source / "results" / "index.rst").read_text())
    assert frame is not None
    assert (tmp_path / "results" / frame[1]).resolve().is_file()


def test_links_lead_to_pages_and_files_of_the_site(
    docs: dict[str, ModuleType], tmp_path: Path
) -> None:
    repository, source = tmp_path / "repository", tmp_path / "source"
    page, other = repository / "docs" / "page.md", repository / "plugin" / "README.md"
    for path in (page, other, repository / "file.yml"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    docnames = {page: "guide/page", other: "plugins/other"}
    text = (
        "[a](../plugin/README.md#costs) [b](../file.yml) [c](#here) [d](https://e.org/f)\n\n"
        "```text\n[g](nowhere.md)\n```\n"
    )
    page.write_text(text)
    docs["staging"].stage(page, docnames, source)
    assert (source / "guide" / "page.md").read_text() == text.replace(
        "../plugin/README.md", "../plugins/other.md"
    ).replace("../file.yml", "../files/file.yml")
    assert (source / "files" / "file.yml").exists()
    page.write_text("[h](nowhere.md)")
    with pytest.raises(docs["staging"].StagingError, match=r"no file nowhere\.md"):
        docs["staging"].stage(page, docnames, source)


def test_a_notebook_is_shown_with_its_stored_outputs(docs: dict[str, ModuleType]) -> None:
    output = {"output_type": "execute_result", "data": {"text/plain": "2", "text/html": "<b>2</b>"}}
    stream = {"output_type": "stream", "name": "stdout", "text": ["3\n"]}
    cells = [
        {"cell_type": "markdown", "source": ["# A title\n", "Text."]},
        {"cell_type": "code", "source": ["1 + 1"], "outputs": [output, stream]},
    ]
    text = docs["staging"].notebook_text({"cells": cells})
    assert text == (
        "# A title\nText.\n\n```python\n1 + 1\n```\n\n"
        '```{raw} html\n<div class="output"><b>2</b></div>\n```\n\n```text\n3\n```\n'
    )


def test_a_page_of_the_gallery_shows_what_its_commands_make(
    docs: dict[str, ModuleType], tmp_path: Path
) -> None:
    text = (
        "# A title\n\n```sh\necho '<svg/>' > one.svg; echo 1 > data.txt\n```\n\n"
        "```python\nopen('two.svg', 'w').write(open('data.txt').read())\n```\n"
    )
    picture = docs["gallery"].run_page("page", text, tmp_path)
    assert (picture.title, picture.image) == ("A title", "page-one.svg")
    written = (tmp_path / "page.md").read_text()
    assert written.index("![A title](page-one.svg)") < written.index("```python")
    assert written.endswith("![A title](page-two.svg)\n")
    assert (tmp_path / "page-two.svg").read_text() == "1\n"


@pytest.mark.parametrize(
    ("code", "message"), [("echo why >&2; false", "why"), ("true", "make no SVG file")]
)
def test_a_page_of_the_gallery_whose_commands_fail_is_an_error(
    docs: dict[str, ModuleType], tmp_path: Path, code: str, message: str
) -> None:
    with pytest.raises(docs["gallery"].GalleryError, match=message):
        docs["gallery"].run_page("page", f"# A title\n\n```sh\n{code}\n```\n", tmp_path)
