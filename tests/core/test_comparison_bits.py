"""Comparisons as bits, beside the matrix of bools that one would write down."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hcbench import Comparisons
from hcbench.comparisons.bits import are_worth_while


def naive(comparisons: Comparisons) -> np.ndarray:
    """Whether pair a is preferred to pair b, and b not to a: (M, M)."""
    n_pairs = comparisons.n * (comparisons.n - 1) // 2
    preferred = np.zeros((n_pairs, n_pairs), bool)
    preferred[comparisons.closer, comparisons.farther] = True
    return preferred & ~preferred.T


def spelled_out(words: np.ndarray) -> np.ndarray:
    """The bits of each row, lowest first."""
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").view(bool)


def check(comparisons: Comparisons) -> None:
    wanted, bits = naive(comparisons), comparisons.bits()
    n_pairs = len(wanted)
    width = -(-n_pairs // 64)
    for words, expected in ((bits.won, wanted), (bits.lost, wanted.T)):
        assert words.shape == (64 * width, width)
        assert words.flags.c_contiguous
        made = spelled_out(words)
        np.testing.assert_array_equal(made[:n_pairs, :n_pairs], expected)
        assert np.count_nonzero(made) == np.count_nonzero(expected)  # and none beside


@settings(deadline=None)  # the first call compiles
@given(st.data())
def test_bits_are_the_matrix_of_preferences(data):
    """With repetitions and opposite answers, which cancel."""
    n = data.draw(st.integers(1, 13))  # 78 pairs: two words
    pairs = st.integers(0, max(0, n * (n - 1) // 2 - 1))
    few = data.draw(st.lists(pairs, min_size=1, max_size=8))
    compared = st.tuples(st.sampled_from(few), st.sampled_from(few)).filter(lambda p: p[0] != p[1])
    rows = data.draw(st.lists(compared, max_size=40)) if len(set(few)) > 1 else []
    check(Comparisons(n, [a for a, _ in rows], [b for _, b in rows]))


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.permutations(range(7)).map(lambda order: order[:3]), max_size=60))
def test_so_are_those_of_triplets(rows):
    check(Comparisons.from_triplets(7, rows))


@pytest.mark.parametrize(
    ("n", "part"), [(2, 0.5), (12, 0.5), (32, 0.5), (33, 0.5), (46, 0.1), (128, 0.01)]
)
def test_bits_are_mirrored_in_tiles_of_any_number(n, part):
    """From 1 pair to 8128: less than a tile of 512 pairs, some and a bit, and 127 whole words."""
    rng = np.random.default_rng(n)
    n_pairs = n * (n - 1) // 2
    one, two = rng.integers(n_pairs, size=(2, int(part * n_pairs**2)))
    different = one != two
    comparisons = Comparisons(n, one[different], two[different])
    assert n == 2 or comparisons.contradictions() > 0
    check(comparisons)


def test_bits_are_made_once_and_are_read_only():
    comparisons = Comparisons(4, [3, 0], [1, 2])
    bits = comparisons.bits()
    assert comparisons.bits() is bits
    for words in (bits.won, bits.lost):
        with pytest.raises(ValueError, match="read-only"):
            words[0, 0] = 1
    turned = comparisons.flip().bits()
    np.testing.assert_array_equal(turned.won, bits.lost)
    np.testing.assert_array_equal(turned.lost, bits.won)


def test_who_answered_makes_no_difference_to_bits():
    crowd = Comparisons(5, [0, 0, 3, 7], [1, 1, 0, 2], annotator=[4, 0, 1, 0])
    check(crowd)
    assert crowd.annotator.tolist() == [4, 0, 1, 0]


def test_a_pickle_forgets_the_bits_and_nothing_else():
    comparisons = Comparisons(9, [3, 0, 20], [1, 2, 30])
    before = pickle.dumps(comparisons)
    bits = comparisons.bits()
    assert pickle.dumps(comparisons) == before
    again = pickle.loads(before)
    assert again == comparisons
    np.testing.assert_array_equal(again.bits().won, bits.won)


def test_bits_are_worth_while_from_one_comparison_in_256_entries_on():
    """12 items have 66 pairs, the matrix 4356 entries: 17.02 times 256."""
    answers = [np.arange(m) % 65 for m in (17, 18)]
    few, many = (Comparisons(12, a, a + 1) for a in answers)
    assert not few.is_dense
    assert many.is_dense


def test_bits_of_many_items_must_be_smaller_than_the_comparisons():
    """256 items: 32,640 pairs, 254 MiB. 257: 32,896 pairs, 258 MiB, which 33,817,088 take up."""
    assert are_worth_while(256, 4_161_600)
    assert not are_worth_while(256, 4_161_599)
    assert are_worth_while(257, 33_817_088)
    assert not are_worth_while(257, 33_817_087)
    assert not are_worth_while(2000, 100_000_000)
