"""Text that may come from anywhere, made safe to display and for names of files."""

from __future__ import annotations

import hashlib
import re
import unicodedata

#: Ranges of control characters, and of those that change the writing direction.
_UNPRINTABLE_RANGES = (
    range(32),
    range(127, 160),
    range(0x202A, 0x202F),
    range(0x2066, 0x206A),
)


def _written_out() -> dict[int, str]:
    """What `printable` writes for each unprintable character, by its code."""
    texts = {}
    for codes in _UNPRINTABLE_RANGES:
        for code in codes:
            if chr(code) in "\n\t":
                continue  # these stay
            texts[code] = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    return texts


_WRITTEN_OUT = _written_out()


def printable(text: str) -> str:
    r"""Text in which control characters are written out, such as ``\x1b`` for an escape.

    A terminal would obey them, and in SVG they are not allowed. Names, labels and messages may
    contain them, since files, stores and plugins come from anywhere. Newlines and tabs stay.
    """
    return text.translate(_WRITTEN_OUT)


_MOST_LETTERS = 60  # characters of the name
_RESERVED = re.compile("con|prn|aux|nul|com[1-9]|lpt[1-9]")  # device names of Windows


def slug(name: str) -> str:
    """A name as part of a URL and a file name on any system.

    Letters, digits, ``-``, ``_`` and ``.`` stay, in lower case. If anything else was removed, a
    hash is appended, so that two names never share a file.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9_.-]+", "-", plain).strip("-.")[:_MOST_LETTERS].strip("-.")
    if words == name and _RESERVED.fullmatch(words.split(".")[0]) is None:
        return words
    digest = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=5).hexdigest()
    if not words:
        return digest
    return f"{words}-{digest}"
