"""Build the documentation: ``python .ci/docs/make.py FOLDER``, and open FOLDER/html/index.html.

The sources of Sphinx are written into FOLDER/source: the pages of the repository with links that
hold in the site, the pages that are generated from what is registered and from the docstrings, and
the gallery. A warning, a broken link or a public name without a docstring is an error. Nothing is
loaded from the network. With ``--published`` the pages have a choice of versions; see versions.py.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import rst
from catalogue import write_catalogue
from contents import FIRST_STEPS, HOME, ROOT, SECTIONS, Section, docname, pages_of
from gallery import Picture, gallery_pages, thumbnails, write_gallery
from leaderboard import FRAME, write_leaderboard
from reference import MODULES, undocumented, write_reference
from sphinx.cmd.build import main as sphinx_build
from staging import stage

#: Pictures of the gallery that the home page shows.
HOME_PICTURES = (
    "ranks",
    "curve-along-budgets",
    "figure-of-a-paper",
    "heat-map",
    "quality-against-time",
    "tanglegram-with-the-truth",
)

_HOME_ENDING = """
```{{eval-rst}}
{pictures}
```

```{{toctree}}
:hidden:

guide/index
results/index
gallery/index
papers/index
catalogue/index
reference/index
authors/index
plugins/index
```
"""


def main(folder: Path, *, is_published: bool = False) -> int:
    """Write the sources and build the site; return the exit code of Sphinx.

    Parameters
    ----------
    folder : Path
    is_published : bool
        Whether the site will be beside those of other versions, with a choice of them.
    """
    started = time.perf_counter()
    names = [name for module in MODULES for name in undocumented(importlib.import_module(module))]
    if names:
        sys.exit(f"no docstring: {', '.join(names)}")
    source = folder / "source"
    html = folder / "html"
    for old in (source, html):
        shutil.rmtree(old, ignore_errors=True)
    print(f"catalogue: {write_catalogue(source)} pages")
    print(f"reference: {write_reference(source)} pages")
    docnames = hand_written()
    pictures = write_gallery(docnames, source)
    print(f"gallery: {len(pictures)} pages, {time.perf_counter() - started:.0f} s so far")
    write_pages(docnames, pictures, source)
    options = ["--fail-on-warning", "--keep-going", "--quiet", "--jobs", "2", "--fresh-env"]
    settings = ["-c", str(ROOT / "core" / "docs"), "-d", str(folder / "doctrees")]
    if is_published:
        options += ["--tag", "published"]
    code = sphinx_build([*options, *settings, str(source), str(html)])
    # Pages that the gallery shows in frames are files of the site as they are.
    for page in (source / "gallery").glob("*.html"):
        shutil.copy(page, html / "gallery")
    write_leaderboard(html)
    print(f"{html}/index.html: {time.perf_counter() - started:.0f} s")
    return code


def hand_written() -> dict[Path, str]:
    """The pages of the repository, and their names in the site."""
    docnames = {HOME: "index"}
    for section in SECTIONS:
        for page in pages_of(section):
            docnames[page] = docname(section, page)
    for page in gallery_pages():
        docnames[page] = f"gallery/{page.stem}"
    return docnames


def write_pages(docnames: Mapping[Path, str], pictures: Sequence[Picture], source: Path) -> None:
    """Write the home page, the sections and their pages."""
    shown = [picture for picture in pictures if picture.name in HOME_PICTURES]
    ending = _HOME_ENDING.format(pictures=thumbnails(shown, "gallery/"))
    stage(HOME, docnames, source, ending)
    for section in SECTIONS:
        for page in pages_of(section):
            stage(page, docnames, source)
        write_section(section, source)


def write_section(section: Section, source: Path) -> None:
    """Write the first page of a section."""
    entries = []
    for page in pages_of(section):
        entry = f"/{docname(section, page)}"
        if page == FIRST_STEPS:  # its title is the name of the project
            entry = f"First steps <{entry}>"
        entries.append(entry)
    frame = ""
    if section.folder == "results":
        frame = rst.block("raw", "html", FRAME)
    rst.write(
        source / section.folder / "index.rst",
        rst.title(section.title),
        section.text,
        rst.contents(entries, maxdepth="1"),
        frame,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the documentation.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--published", action="store_true", help="with a choice of versions")
    arguments = parser.parse_args()
    sys.exit(main(arguments.folder.resolve(), is_published=arguments.published))
