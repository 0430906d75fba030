"""Numbers that callers pass: what counts as one, and what is said of anything else.

Numbers of numpy and whole numbers such as 3.0 are taken and become Python's: they belong to keys
of results and to JSON. A boolean is a number for Python, and no count.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

from hcbench.errors import ParameterError
from hcbench.model.text import suggestion


def whole_number(value: Any, name: str, *, least: int | None = None) -> int:
    """A whole number, such as the number of repetitions.

    Parameters
    ----------
    value : Any
    name : str
        Of the parameter, for the error.
    least : int, optional
        The smallest number allowed.

    Raises
    ------
    ParameterError
        If it is none, or too small.
    """
    if _is_real(value) and math.isfinite(value) and value == int(value):
        number = int(value)
        if least is None or number >= least:
            return number
    from_least = "" if least is None else f" from {least}"
    raise ParameterError(f"{name} must be a whole number{from_least}, got {value!r}")


def number_above(value: Any, name: str, bound: float = 0.0) -> float:
    """A finite number above a bound, such as a limit in seconds.

    Raises
    ------
    ParameterError
        If it is none, or too small.
    """
    if _is_real(value) and bound < value < math.inf:
        return float(value)
    raise ParameterError(f"{name} must be a number above {bound:g}, got {value!r}")


def number_from(value: Any, name: str, least: float = 0.0) -> float:
    """A finite number that is at least so large, such as a tolerance.

    Raises
    ------
    ParameterError
        If it is none, or too small.
    """
    if _is_real(value) and least <= value < math.inf:
        return float(value)
    raise ParameterError(f"{name} must be a number from {least:g}, got {value!r}")


def probability(value: Any, name: str) -> float:
    """A number between 0 and 1, such as a level of significance; neither bound is one.

    Raises
    ------
    ParameterError
        If it is none.
    """
    if _is_real(value) and 0 < value < 1:
        return float(value)
    raise ParameterError(f"{name} must be a number between 0 and 1, such as 0.05, got {value!r}")


def one_of(value: Any, name: str, choices: Sequence[str]) -> None:
    """Check that a text is one of some choices.

    Raises
    ------
    ParameterError
        If it is none; with the closest of them.
    """
    if isinstance(value, str) and value in choices:
        return
    text = f"{name} must be one of {', '.join(choices)}; got {value!r}"
    close = suggestion(str(value), choices)
    if close:
        text += f"; {close}"
    raise ParameterError(text)


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
