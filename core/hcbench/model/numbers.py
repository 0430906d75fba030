"""How a number is written: one definition for tables, lists, labels and the command line.

Python's `float` reads more: ``1_1`` as 11, ``٣`` as 3, ``007`` as 7 and ``infinity`` as a number.
In the data of users these are names, codes and words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

#: Not an international telephone number, and without leading zeros unless it has a point, as
#: numbers of a fixed width such as 007.50 have; 007 is a code.
_WRITTEN = (
    r"(?!\+\d{8,}(?![\d.eE]))[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|0\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?"
)
_NUMBER = re.compile(_WRITTEN, re.ASCII)
_LINES_OF_NUMBERS = re.compile(rf"(?:{_WRITTEN}\n)*+", re.ASCII)
#: As pandas, numpy and R write infinite numbers.
_INFINITE = {
    "inf": math.inf,
    "+inf": math.inf,
    "-inf": -math.inf,
    "Inf": math.inf,
    "+Inf": math.inf,
    "-Inf": -math.inf,
}
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d{0,99})", re.ASCII)
#: A well of a plate (2E10), a gene or a hash: programs write the sign or a point, 2e+10 or 2.0E10.
_CODE = re.compile(r"\d+[eE]\d+", re.ASCII)


def read_number(text: str) -> float | None:
    """The number that a text is, or None if it is not written as one.

    A number has digits 0 to 9, perhaps a sign, a decimal point and an exponent. Not numbers are
    ``1_1``, ``0x1A``, ``007``, ``1,234``, ``+4930123456``, ``TRUE``, ``nan`` and ``infinity``.

    Examples
    --------
    >>> read_number("2.5e3")
    2500.0
    >>> read_number("1,234") is None
    True
    """
    text = text.strip()
    if _NUMBER.fullmatch(text) is None:
        return _INFINITE.get(text)
    return float(text)


def read_numbers(texts: Sequence[str]) -> list[float] | None:
    """The numbers that stripped texts are, None if one is not written as a number.

    Examples
    --------
    >>> read_numbers(["1", "2.5"])
    [1.0, 2.5]
    >>> read_numbers(["1", "cat"]) is None
    True
    """
    # All at once, which is much faster; a text with a newline in it would count as two.
    lines = "\n".join(texts) + "\n"
    if texts and _LINES_OF_NUMBERS.fullmatch(lines) and lines.count("\n") == len(texts):
        return [float(text) for text in texts]
    numbers = []
    for text in texts:
        number = read_number(text)
        if number is None:
            return None
        numbers.append(number)
    return numbers


def read_whole_number(text: str) -> int | None:
    """The whole number that a text is, or None if it is not written as one."""
    text = text.strip()
    if _WHOLE.fullmatch(text) is None or _NUMBER.fullmatch(text) is None:
        return None
    return int(text)


def are_codes(texts: Sequence[str]) -> bool:
    """Whether all texts are written like ``2E10``: names of wells, genes or hashes, not numbers.

    Examples
    --------
    >>> are_codes(["2E10", "11E3"])
    True
    >>> are_codes(["2.5", "10"])
    False
    """
    return len(texts) > 0 and all(_CODE.fullmatch(text) for text in texts)


def number_text(number: float) -> str:
    """A number as a text with all of its digits: 10000001, not 1e+07, and 3, not 3.0.

    Examples
    --------
    >>> number_text(10000001.0)
    '10000001'
    >>> number_text(0.25)
    '0.25'
    """
    if math.isfinite(number) and number == int(number) and abs(number) < 1e16:
        return str(int(number))
    return repr(float(number))


def same_number_text(text: str) -> str:
    """One text for all ways to write a number, exactly: 3 for 3, 3.0 and +3.

    Raises
    ------
    ValueError
        If it is not a number.
    """
    number = read_number(text)
    if number is None:
        raise ValueError(f"{text!r} is not a number")
    if math.isinf(number):
        return number_text(number)
    exact = Decimal(text.strip())
    if exact == exact.to_integral_value() and abs(exact) < Decimal(10) ** 30:
        return str(int(exact))
    return number_text(number)
