"""The gallery: pages of ``core/docs/gallery``, whose commands are run and make the pictures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import rst
from contents import ROOT
from staging import linked

#: Commands of a page that take longer are stopped.
MAX_SECONDS = 600
_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


class GalleryError(Exception):
    """The commands of a page fail, or make no picture."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page of the gallery after its commands have run.

    Attributes
    ----------
    name, title : str
        Of the page.
    image : str
        The file of its first picture.
    """

    name: str
    title: str
    image: str


def gallery_pages() -> list[Path]:
    """The pages of the gallery in the repository."""
    return sorted((ROOT / "core" / "docs" / "gallery").glob("*.md"))


def write_gallery(docnames: Mapping[Path, str], source: Path) -> list[Picture]:
    """Run all pages, two at a time, and write them with their pictures and an index."""
    folder = source / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=2) as executor:
        runs = []
        for page in gallery_pages():
            text = linked(page.read_text(encoding="utf-8"), page, docnames, source)
            runs.append(executor.submit(run_page, page.stem, text, folder))
    pictures = [run.result() for run in runs]
    pictures.sort(key=lambda picture: picture.title)
    rst.write(
        folder / "index.rst",
        rst.title("Gallery"),
        "Pictures with the lines that make them. They are drawn whenever this site is built.",
        thumbnails(pictures),
        rst.contents([picture.name for picture in pictures], hidden=""),
    )
    return pictures


def thumbnails(pictures: Iterable[Picture], folder: str = "") -> str:
    """A grid of pictures, for a page beside whose folder theirs is."""
    return rst.block("container", "gallery", "\n\n".join(_thumbnail(p, folder) for p in pictures))


def run_page(name: str, text: str, folder: Path) -> Picture:
    """Run the commands of a page in a folder of its own, and write it with what they made."""
    title = text.partition("\n")[0].removeprefix("# ")
    images: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:

        def with_pictures(block: re.Match[str]) -> str:
            run_block(block[1], block[2], Path(scratch), name)
            made = sorted([*Path(scratch).glob("*.svg"), *Path(scratch).glob("*.html")])
            shown = [block[0]]
            for path in made:
                target = folder / f"{name}-{path.name}"
                shutil.move(path, target)
                shown.append(_shown(target.name, title))
                if target.suffix == ".svg":
                    images.append(target.name)
            return "\n".join(shown)

        text = _BLOCK.sub(with_pictures, text)
    if not images:
        raise GalleryError(f"{name}: its commands make no SVG file")
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return Picture(name, title, images[0])


def run_block(language: str, code: str, folder: Path, page: str) -> None:
    """Run a block of a page as a reader would, with a store of its own."""
    programs = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HCBENCH_STORE": str(folder / "store.sqlite"),
    }
    done = subprocess.run(
        [*programs[language], code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=MAX_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise GalleryError(f"{page}: {code}\n{done.stdout}{done.stderr}")


def _shown(name: str, title: str) -> str:
    """A picture, or a page in a frame, in Markdown."""
    if name.endswith(".svg"):
        return f"![{title}]({name})\n"
    frame = f'<iframe src="{name}" title="{title}" loading="lazy"></iframe>'
    alone = f'<p><a href="{name}">Open the page alone</a></p>'
    return f"```{{raw}} html\n{frame}\n{alone}\n```\n"


def _thumbnail(picture: Picture, folder: str) -> str:
    caption = rst.link(picture.title, f"gallery/{picture.name}")
    return rst.block(
        "figure",
        f"{folder}{picture.image}",
        caption,
        target=f"{folder}{picture.name}.html",
        alt=picture.title,
    )
