"""Words and values of several words in compiled loops, against Python's integers."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numba import njit

from hcbench.compiled import (
    LANES,
    aligned_words,
    count_ones,
    count_zeros,
    load_words,
    no_words,
    store_words,
    sum_lanes,
)

WORD = st.integers(0, 2**64 - 1)
WORDS = st.lists(WORD, min_size=LANES, max_size=LANES)


@njit(cache=True)
def counted(word):
    return count_ones(word), count_zeros(word)


@njit(cache=True)
def combined(a, b, at):
    x, y = load_words(a, at), load_words(b, at)
    return (
        sum_lanes(x & y),
        sum_lanes(x ^ y),
        sum_lanes(x + y),
        sum_lanes(count_ones(x)),
        sum_lanes(no_words()),
    )


@given(WORD)
def test_bits_of_a_word_are_counted(word):
    ones, zeros = counted(np.uint64(word))
    assert ones == word.bit_count()
    assert zeros == (word & -word).bit_length() - 1 if word else 64


@njit(cache=True)
def written(a, word, by, at):
    out = np.zeros((3, at + LANES), np.uint64)
    x = load_words(a, 0)
    for row, words in enumerate((x << by, x >> by, (x | word) & word)):
        store_words(out[row], at, words)
    return out


def signed(value: int) -> int:
    """As 64 bits of two's complement."""
    return (value + 2**63) % 2**64 - 2**63


@pytest.mark.slow
@given(WORDS, WORDS, st.integers(0, 5))
def test_operations_on_values_are_those_of_integers(one, other, at):
    a, b = (np.array([0] * at + words, np.uint64) for words in (one, other))
    pairs = list(zip(one, other, strict=True))
    assert combined(a, b, at) == (
        signed(sum(x & y for x, y in pairs)),
        signed(sum(x ^ y for x, y in pairs)),
        signed(sum(x + y for x, y in pairs)),
        sum(x.bit_count() for x in one),
        0,
    )


@pytest.mark.slow
@given(WORDS, WORD, st.integers(0, 63), st.integers(0, 5))
def test_values_are_shifted_and_written(words, word, by, at):
    out = written(np.array(words, np.uint64), np.uint64(word), np.uint64(by), at)
    assert not out[:, :at].any()
    assert out[0, at:].tolist() == [(x << by) % 2**64 for x in words]
    assert out[1, at:].tolist() == [x >> by for x in words]
    assert out[2, at:].tolist() == [word] * LANES


def test_aligned_words_are_zeros_that_start_a_vector() -> None:
    for size in [0, 1, 8, 1000]:
        words = aligned_words(size)
        assert words.shape == (size,)
        assert not words.any()
        assert words.ctypes.data % (8 * LANES) == 0
