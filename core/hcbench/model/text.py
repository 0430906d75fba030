"""Text that may come from anywhere, made safe to display and for names of files."""

from __future__ import annotations

import hashlib
import re
import unicodedata

#: Control characters except newline and tab, and those that change the writing direction.
_UNPRINTABLE = {
    code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    for code in (*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    if chr(code) not in "\n\t"
}


def printable(text: str) -> str:
    r"""Text in which control characters are written out, such as ``\x1b`` for an escape.

    A terminal would obey them, and in SVG they are not allowed. Names, labels and messages may
    contain them, since files, stores and plugins come from anywhere. Newlines and tabs stay.
    """
    return text.translate(_UNPRINTABLE)


_MOST_LETTERS = 60  # characters of the name


def slug(name: str) -> str:
    """A name as part of a URL and a file name on any system.

    Letters, digits, ``-``, ``_`` and ``.`` stay, in lower case. If anything else was removed, a
    hash is appended, so that two names never share a file.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9_.-]+", "-", plain).strip("-.")[:_MOST_LETTERS].strip("-.")
    if words == name and words.split(".")[0] not in _RESERVED:
        return words
    digest = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=5).hexdigest()
    return f"{words}-{digest}" if words else digest


#: Device names of Windows.
_RESERVED = {
    *("con", "prn", "aux", "nul"),
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)),
}
