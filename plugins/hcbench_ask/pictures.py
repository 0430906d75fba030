"""Items that are pictures: paths, relative to the folder of the items, and URLs."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import expanduser, isfile  # accept any text, such as an item's
from pathlib import Path

from hcbench import DataError

_ENDINGS = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff"))
#: Of pictures that browsers show.
_SHOWN_BY_BROWSERS = _ENDINGS - {".tif", ".tiff"}
_SCHEMES = ("http://", "https://", "file://")


class Pictures:
    """The items that are pictures, as a page shows them.

    A page can be open to other machines, and a list of items may come from a stranger: only files
    in the folder of the items are sent, not those to which a link in it leads.

    Parameters
    ----------
    items : sequence of str
    folder : Path
        Folder to which the paths of pictures are relative.

    Attributes
    ----------
    files : dict of int to Path
        The files of the pictures that can be shown, by the number of the item.
    outside : list of str
        Items that are pictures outside of the folder; a page shows their names.
    """

    def __init__(self, items: Sequence[str], folder: Path) -> None:
        self.files: dict[int, Path] = {}
        self.outside: list[str] = []
        self._numbers: dict[str, int] = {}
        # Links are followed, to see where a file really is.
        root = folder.resolve()
        for number, text in enumerate(items):
            file = picture_file(text, folder)
            if file is None or not isfile(file):
                continue
            if not file.resolve().is_relative_to(root):
                self.outside.append(text)
            elif file.suffix.lower() in _SHOWN_BY_BROWSERS:
                self.files[number] = file
                self._numbers[text] = number

    def number_of(self, item: str) -> int | None:
        """The number of an item whose picture can be shown, else None."""
        return self._numbers.get(item)


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
    if file is None:
        return ""
    return file.as_uri()
