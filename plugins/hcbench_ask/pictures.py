"""Items that are pictures: paths, relative to the folder of the items, and URLs."""

from __future__ import annotations

from os.path import expanduser  # accepts any text, such as an item's
from pathlib import Path

from hcbench import DataError

_ENDINGS = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff"))
_SCHEMES = ("http://", "https://", "file://")


def pictures_in(folder: Path) -> tuple[str, ...]:
    """The names of the pictures in a folder, sorted.

    Raises
    ------
    DataError
        If there are fewer than two, or the folder cannot be read.
    """
    try:
        files = [file for file in folder.iterdir() if not file.name.startswith(".")]
    except OSError as error:
        raise DataError.of_file("read", folder, error) from error
    names = sorted(file.name for file in files if file.suffix.lower() in _ENDINGS)
    if len(names) < 2:
        raise DataError(
            f"{folder} has {len(names)} pictures ({', '.join(sorted(_ENDINGS))}); at least 2 are "
            "needed"
        )
    return tuple(names)


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
