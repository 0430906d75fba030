"""Counts of the bits of words in compiled loops, against Python's integers."""

import numpy as np
from hypothesis import given, strategies as st
from numba import njit

from hcbench.compiled import count_ones, count_zeros


@njit(cache=True)
def counted(word):
    return count_ones(word), count_zeros(word)


@given(st.integers(0, 2**64 - 1))
def test_bits_of_a_word_are_counted(word):
    ones, zeros = counted(np.uint64(word))
    assert ones == word.bit_count()
    assert zeros == ((word & -word).bit_length() - 1 if word else 64)
