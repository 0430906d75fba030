"""Times and amounts of memory with their units."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from hcbench.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Quantity:
    """A kind of quantity, such as a time, with its units.

    Attributes
    ----------
    name : str
    units : dict of str to float
        The factor of each unit, in lower case; "" is the default unit.
    examples : str
        For messages.
    """

    name: str
    units: dict[str, float]
    examples: str

    def read(self, text: str) -> float:
        """A positive number in the default unit.

        Raises
        ------
        ParameterError
            If the text is no positive number, or has an unknown unit.
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
