"""The encoding of text files: UTF-8, UTF-16, or that of Windows, as all readers here decode it."""

from __future__ import annotations

import warnings
from pathlib import Path

from hcbench.errors import DataError, ModelWarning

#: What a text in UTF-16 begins with; one without it cannot be told from a binary file.
_MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def decode_text(path: Path, content: bytes, encoding: str | None = None) -> tuple[str, str]:
    """The text of a file, and its encoding.

    UTF-8, with or without a byte order mark, and UTF-16 with one are recognised. Other text is
    read as Windows-1252, in which R and Excel write on Windows, with a `ModelWarning`.

    Parameters
    ----------
    path : Path
        For messages.
    content : bytes
        What the file has, decompressed.
    encoding : str, optional
        The encoding, if it is known.

    Returns
    -------
    text : str
    encoding : str
        The one that was found, or the one that was given.

    Raises
    ------
    DataError
        If the text is not in the encoding that was given, or the file is no text.
    """
    if encoding is not None:
        return _decode(path, content, encoding), encoding
    if content.startswith(_MARKS_OF_UTF16):
        return _decode(path, content, "utf-16"), "UTF-16"
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError as error:
        line = _line_of(content, error.start)
        if b"\0" in content:
            raise DataError(
                f"{path}, line {line}: byte {content[error.start]:#04x} is not UTF-8, and there "
                "are zero bytes: this is no text; is it the right file?"
            ) from error
        warnings.warn(
            f"{path.name} is not UTF-8 (line {line}), and is read as Windows-1252; if names look "
            "wrong, save it as UTF-8, or write encoding=... for a table",
            ModelWarning,
            stacklevel=2,
        )
    # Five bytes mean nothing in Windows-1252.
    return content.decode("cp1252", errors="replace"), "Windows-1252"


def _decode(path: Path, content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except LookupError:
        raise DataError(
            f"{path}: encoding={encoding!r} is unknown; write utf-8, latin-1, cp1252 or the like"
        ) from None
    except UnicodeDecodeError as error:
        line = _line_of(content, error.start)
        raise DataError(
            f"{path}, line {line}: byte {content[error.start]:#04x} is not {encoding}; "
            "save it as UTF-8, or name the right encoding"
        ) from error


def _line_of(content: bytes, position: int) -> int:
    """The number of the line of a byte, from 1."""
    return content[:position].count(b"\n") + 1
