"""Counting the bits of words of 64 bits in compiled loops.

LLVM recognises both as one instruction where the processor has it, also in loops over arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

_EVERY_SECOND = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)


@register_jitable
def count_ones(word: Any) -> Any:
    """``count_ones(word)``: how many bits of a uint64 are 1, a uint64.

    Bits are added in parallel, in fields of two, four and eight bits; the product sums the bytes.

    Examples
    --------
    >>> int(count_ones(np.uint64(0b1011)))
    3
    """
    word = word - ((word >> np.uint64(1)) & _EVERY_SECOND)
    word = (word & _PAIRS) + ((word >> np.uint64(2)) & _PAIRS)
    word = (word + (word >> np.uint64(4))) & _NIBBLES
    return (word * _BYTES) >> np.uint64(56)


@register_jitable
def count_zeros(word: Any) -> Any:
    """``count_zeros(word)``: how many bits of a uint64 are below the lowest 1; 64 if it is 0.

    Examples
    --------
    >>> int(count_zeros(np.uint64(0b1000)))
    3
    """
    return count_ones(~word & (word - np.uint64(1)))
