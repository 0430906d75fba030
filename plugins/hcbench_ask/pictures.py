"""Items that are pictures: paths, relative to the folder of the file of items, and URLs."""

from __future__ import annotations

from os.path import expanduser  # accepts any text, such as an item's
from pathlib import Path

_ENDINGS = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff"))
_SCHEMES = ("http://", "https://", "file://")


def picture_file(text: str, folder: Path) -> Path | None:
    """The file of the picture if an item is a path of one, else None."""
    if text.startswith(_SCHEMES) or Path(text).suffix.lower() not in _ENDINGS:
        return None
    return (folder / expanduser(text)).absolute()


def address(text: str, folder: Path) -> str:
    """The URL of the picture if an item is a picture, else ""."""
    if text.startswith(_SCHEMES):
        return text
    file = picture_file(text, folder)
    return "" if file is None else file.as_uri()
