"""Seeds from names, never from the order of running.

data = H(base, dataset, repetition); noise = H(base, dataset, oracle, repetition); algorithm =
H(base, dataset, repetition). So all algorithms of a comparison see the same data, and all that
share an oracle the same noise.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache


@lru_cache(maxsize=1024)
def derive_seed(base: int, *names: str | int) -> int:
    """A seed of 63 bits.

    Parameters
    ----------
    base : int
        The seed of the whole comparison.
    names : str or int
        What the seed is for.
    """
    text = json.dumps([base, *names], separators=(",", ":"))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1
