"""Times and amounts of memory as people write them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from hcbench.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a number with a unit tells.

    Attributes
    ----------
    name : str
    units : dict of str to float
        What each, in small letters, is of the one that is meant where none is written.
    examples : str
        How it may be written.
    """

    name: str
    units: dict[str, float]
    examples: str

    def read(self, text: str) -> float:
        """A number above 0, in the unit that is meant where none is written.

        Raises
        ------
        ParameterError
            If it is none, or of another unit.
        """
        number, unit = _PARTS.fullmatch(text.strip()).groups()  # type: ignore[union-attr]
        factor = self.units.get(unit.casefold())
        try:
            value = float(number) * (math.nan if factor is None else factor)
        except ValueError:
            value = math.nan
        if not 0 < value < math.inf:
            raise ParameterError(f"{text!r} is no {self.name} above 0; write {self.examples}")
        return value


_PARTS = re.compile(r"(.*?)\s*([a-z]*)", re.IGNORECASE | re.DOTALL)
_BINARY = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_DECIMAL = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}

SECONDS = Quantity(
    "time", {"": 1, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}, "300, 90s, 10min or 1h"
)
GIB = Quantity(
    "memory",
    {"": 1, **{unit: size / 2**30 for unit, size in (_BINARY | _DECIMAL).items()}},
    "2, which are GiB, 512MB or 2GiB",
)
