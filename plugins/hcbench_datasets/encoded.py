"""Texts in files: their suffix, decompressed, in the encoding that the file has."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hcbench import DataError
from hcbench.files import decode_text, with_line_feeds

#: What opens compressed files, by their last suffix.
OPEN: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
)
#: Text files whose cells may be separated by blanks; .vec is of fastText and word2vec.
_WITH_BLANKS = frozenset({".txt", ".data", ".vec", ".dat", ".out", ".tab", ".prn", ".asc", ""})


def suffix_of(path: Path) -> str:
    """The last suffix of a file but that of a compression, in lower case; "" if it has none."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in OPEN:
        suffixes.pop()
    if not suffixes:
        return ""
    return suffixes[-1]


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its suffix."""
    return path.suffix.lower() in OPEN


def may_have_blanks(path: Path) -> bool:
    """Whether blanks may separate the cells of a text, by the suffix of its file."""
    return suffix_of(path) in _WITH_BLANKS


def read_decompressed(path: Path) -> bytes:
    """The content of a file, decompressed by its suffix.

    Raises
    ------
    DataError
        If it cannot be read, or is damaged.
    """
    opener = OPEN.get(path.suffix.lower(), open)
    try:
        with opener(path, "rb") as stream:
            content: bytes = stream.read()
    except (OSError, EOFError, lzma.LZMAError) as error:
        # Errors of the system have a number, those of a damaged file have none.
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError.of_file("read", path, error) from error
        raise DataError(f"{path}: the file is damaged: {error}; compress it again") from error
    return content


def read_encoded(path: Path, encoding: str | None) -> tuple[str, str]:
    """The text of a file, and its encoding.

    Raises
    ------
    DataError
        If it cannot be read, or is no text in this encoding.
    """
    content = read_decompressed(path)
    text, encoding_of_file = decode_text(path, content, encoding, takes_encoding=True)
    return with_line_feeds(text), encoding_of_file
