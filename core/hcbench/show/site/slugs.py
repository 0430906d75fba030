"""File names that depend only on the name of the page, so that links stay valid."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_MOST = 60  # characters of the name


def slug(name: str) -> str:
    """A name as part of a URL and a file name on any system.

    Letters, digits, ``-``, ``_`` and ``.`` stay, in lower case. If anything else was removed, a
    hash is appended, so that two names never share a file.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9_.-]+", "-", plain).strip("-.")[:_MOST].strip("-.")
    if words == name and words.split(".")[0] not in _RESERVED:
        return words
    digest = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=5).hexdigest()
    return f"{words}-{digest}" if words else digest


#: Device names of Windows.
_RESERVED = {
    *("con", "prn", "aux", "nul"),
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)),
}
