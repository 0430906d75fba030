"""Names of files that never change: a link to a page holds as long as its name does."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_MOST = 60  # letters of the name


def slug(name: str) -> str:
    """A name as part of a URL and a file name on any system.

    Letters, digits, ``-``, ``_`` and ``.`` stay, in lower case; what else there is, is told by a
    hash behind it, so that two names never share a file.

    Parameters
    ----------
    name : str
        Of any length, with any signs.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9_.-]+", "-", plain).strip("-.")[:_MOST].strip("-.")
    if words == name and words.split(".")[0] not in _RESERVED:
        return words
    digest = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=5).hexdigest()
    return f"{words}-{digest}" if words else digest


#: What Windows takes for devices.
_RESERVED = {
    *("con", "prn", "aux", "nul"),
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)),
}
