"""The encoding of text files: UTF-8, UTF-16, or that of Windows, as all readers here decode it."""

from __future__ import annotations

import warnings
from pathlib import Path

from hcbench.errors import DataError, ModelWarning

#: What a text in UTF-16 begins with.
_MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: Bytes of the shortest file that is looked at for UTF-16 without a mark.
_LEAST_UTF16 = 16


def decode_text(
    path: Path, content: bytes, encoding: str | None = None, *, takes_encoding: bool = False
) -> tuple[str, str]:
    r"""The text of a file, and its encoding.

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
    takes_encoding : bool
        Whether the user can write encoding=... for such a file.

    Returns
    -------
    text : str
    encoding : str
        The one that was found, or the one that was given.

    Raises
    ------
    DataError
        If the text is not in the encoding that was given, or the file is no text.

    Examples
    --------
    >>> from pathlib import Path
    >>> decode_text(Path("names.csv"), "Zoë".encode("utf-16"))
    ('Zoë', 'UTF-16')
    >>> decode_text(Path("names.csv"), b"Zo\xeb", encoding="latin-1")
    ('Zoë', 'latin-1')
    """
    if encoding is not None:
        return _decode(path, content, encoding), encoding
    if content.startswith(_MARKS_OF_UTF16):
        return _decode(path, content, "utf-16"), "UTF-16"
    option = ""
    if takes_encoding:
        option = ", or write encoding=..."
    try:
        text = content.decode("utf-8-sig")
        if _is_unmarked_utf16(content):
            option = option.replace("...", "utf-16-le")
            raise DataError(
                f"{path}: there are zero bytes: this is no text, or UTF-16 without a mark; save it "
                f"as UTF-8{option}"
            )
        return text, "UTF-8"
    except UnicodeDecodeError as error:
        line = _line_of(content, error.start)
        if b"\0" in content:
            raise DataError(
                f"{path}, line {line}: byte {content[error.start]:#04x} is not UTF-8, and there "
                "are zero bytes: this is no text; is it the right file?"
            ) from error
        warnings.warn(
            f"{path.name} is not UTF-8 (line {line}), and is read as Windows-1252; if names look "
            f"wrong, save it as UTF-8{option}",
            ModelWarning,
            stacklevel=2,
        )
    # Five bytes mean nothing in Windows-1252.
    text = content.decode("cp1252", errors="replace")
    return text, "Windows-1252"


def with_line_feeds(text: str) -> str:
    r"""The text of a table with line feeds, if its lines end like those of old Macs.

    These end with a carriage return alone. In a tree it may be part of a name.

    Examples
    --------
    >>> with_line_feeds("cat,3\rdog,5\r")
    'cat,3\ndog,5\n'
    """
    if "\n" in text:
        return text
    return text.replace("\r", "\n")


def _is_unmarked_utf16(content: bytes) -> bool:
    """Whether every other byte is mostly zero, as of Latin letters in UTF-16.

    A single zero byte may be part of a name.
    """
    if len(content) < _LEAST_UTF16:
        return False
    zeros = max(content[::2].count(0), content[1::2].count(0))
    return zeros > len(content) / 4


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
