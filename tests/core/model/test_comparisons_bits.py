"""Comparisons as bits, against a matrix of booleans."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import Comparisons
from hcbench.errors import InvalidComparisonsError


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
        assert np.array_equal(made[:n_pairs, :n_pairs], expected)
        assert np.count_nonzero(made) == np.count_nonzero(expected)  # and no others


@pytest.mark.slow
@given(st.data())
def test_bits_are_the_matrix_of_preferences(data):
    """With repetitions and opposite answers, which cancel."""
    n = data.draw(st.integers(1, 13))  # 78 pairs: two words
    pairs = st.integers(0, max(0, n * (n - 1) // 2 - 1))
    few = data.draw(st.lists(pairs, min_size=1, max_size=8))
    compared = st.tuples(st.sampled_from(few), st.sampled_from(few)).filter(lambda p: p[0] != p[1])
    rows = data.draw(st.lists(compared, max_size=40)) if len(set(few)) > 1 else []
    check(Comparisons(n, [a for a, _ in rows], [b for _, b in rows]))


@given(st.lists(st.permutations(range(7)).map(lambda order: order[:3]), max_size=60))
def test_bits_of_triplets_are_the_matrix_of_preferences(rows):
    check(Comparisons.from_triplets(7, rows))


@pytest.mark.slow
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


def test_annotators_do_not_change_bits():
    crowd = Comparisons(5, [0, 0, 3, 7], [1, 1, 0, 2], annotator=[4, 0, 1, 0])
    check(crowd)
    assert crowd.annotator.tolist() == [4, 0, 1, 0]


def test_a_pickle_omits_only_the_bits():
    comparisons = Comparisons(9, [3, 0, 20], [1, 2, 30])
    before = pickle.dumps(comparisons)
    bits = comparisons.bits()
    assert pickle.dumps(comparisons) == before
    again = pickle.loads(before)
    assert again == comparisons
    np.testing.assert_array_equal(again.bits().won, bits.won)


def test_bits_are_used_from_one_comparison_in_256_entries():
    """12 items have 66 pairs, the matrix 4356 entries: 17.02 times 256."""
    answers = [np.arange(m) % 65 for m in (17, 18)]
    few, many = (Comparisons(12, a, a + 1) for a in answers)
    assert not few.is_dense
    assert many.is_dense


def test_bits_of_many_items_may_take_twice_the_memory_of_the_comparisons():
    """256 items: 32,640 pairs, 254 MiB. 257: 32,896 pairs, 258 MiB; 16,908,544 take up 129 MiB."""
    assert Comparisons.are_dense(256, 4_161_600)
    assert not Comparisons.are_dense(256, 4_161_599)
    assert Comparisons.are_dense(257, 16_908_544)
    assert not Comparisons.are_dense(257, 16_908_543)
    assert not Comparisons.are_dense(2000, 100_000_000)


def sides_of(comparisons: Comparisons) -> np.ndarray:
    """The bits above the diagonals, written naively, and anything on and below them."""
    n_pairs = comparisons.n * (comparisons.n - 1) // 2
    width = -(-n_pairs // 64)
    whole = np.random.default_rng(0).random((2, 64 * width, 64 * width)) < 0.5
    whole &= np.tri(64 * width, dtype=bool)
    whole[:, n_pairs:] = whole[:, :, n_pairs:] = False
    for closer, farther in zip(comparisons.closer, comparisons.farther, strict=True):
        whole[int(closer > farther), min(closer, farther), max(closer, farther)] = True
    return np.packbits(whole, axis=2, bitorder="little").view(np.uint64)


def held_as_bits(comparisons: Comparisons) -> Comparisons:
    return Comparisons.from_bits(comparisons.n, sides_of(comparisons))


@st.composite
def consistent(draw) -> Comparisons:
    """Sorted comparisons without contradictions."""
    n = draw(st.integers(1, 13))
    if n < 3:  # there is nothing to compare
        return Comparisons(n, [], [])
    pairs = st.integers(0, n * (n - 1) // 2 - 1)
    asked = draw(st.dictionaries(st.frozensets(pairs, min_size=2, max_size=2), st.booleans()))
    rows = [sorted(asked)[:: 1 if answer else -1] for asked, answer in asked.items()]
    return Comparisons(n, [a for a, _ in rows], [b for _, b in rows]).unique()


@given(consistent())
def test_the_list_made_of_bits_is_the_original(listed):
    """Each function gets a new set, without the list that another one made."""
    assert len(held_as_bits(listed)) == len(listed)
    check(held_as_bits(listed))
    assert held_as_bits(listed) == listed
    assert listed == held_as_bits(listed)
    assert held_as_bits(listed) == held_as_bits(listed)
    assert hash(held_as_bits(listed)) == hash(listed)
    assert held_as_bits(listed).closer.tolist() == listed.closer.tolist()
    assert held_as_bits(listed).farther.tolist() == listed.farther.tolist()
    for name in ("never_compared", "times_closer", "times_farther"):
        expected = getattr(listed, name)().tolist()
        assert getattr(held_as_bits(listed), name)().tolist() == expected
    assert held_as_bits(listed).only_triplets() == listed.only_triplets()
    assert held_as_bits(listed).quadruplets().tolist() == listed.quadruplets().tolist()
    assert held_as_bits(listed).contradictions() == held_as_bits(listed).duplicates() == 0
    some = np.arange(len(listed)) % 3 == 1
    assert held_as_bits(listed).select(some) == listed.select(some)
    items = np.arange(listed.n)[::-2]
    assert held_as_bits(listed).take(items) == listed.take(items)
    assert held_as_bits(listed).flip() == listed.flip().unique()
    assert (held_as_bits(listed) | listed.flip()) == (listed | listed.flip())
    assert len(held_as_bits(listed) - listed) == 0


@given(consistent())
def test_a_pickle_of_bits_is_that_of_the_list(listed):
    held = held_as_bits(listed)
    assert pickle.dumps(held) == pickle.dumps(listed)
    assert pickle.loads(pickle.dumps(held_as_bits(listed))) == held


def test_times_are_counted_with_repetitions_where_there_is_a_list():
    comparisons = Comparisons(4, [3, 3, 0, 1], [1, 1, 3, 3])
    assert comparisons.times_closer().tolist() == [1, 1, 0, 2, 0, 0]
    assert comparisons.times_farther().tolist() == [0, 2, 0, 2, 0, 0]


def test_no_list_is_made_if_bits_are_enough():
    listed = Comparisons(13, [7, 5, 0, 70, 3], [2, 9, 77, 1, 40]).unique()
    held = held_as_bits(listed)

    assert held.unique() is held
    assert len(held) == 5
    assert not held.is_dense
    assert held.flip().flip() == held
    for attribute in (held.bits, held.never_compared, held.times_closer, held.only_triplets):
        attribute()
    assert repr(held) == "Comparisons(n=13, m=5)"
    assert len(held.arrays()) == 2, "the bits of both answers"
    assert held.closer.size == 5
    assert len(held.arrays()) == 4, "the list, too"


@pytest.mark.parametrize("n", [12, 33, 46])
def test_opposite_bits_cancel_in_tiles_of_any_number(n):
    """Less than a tile of 512 pairs, one and a bit, two and a bit; the rest of the bits stay."""
    rng = np.random.default_rng(n)
    n_pairs = n * (n - 1) // 2
    one, two = rng.integers(n_pairs, size=(2, n_pairs))
    both = Comparisons(n, one[one != two], two[one != two])
    both += both.select(np.arange(0, len(both), 5)).flip()
    assert both.contradictions() > 0
    held = held_as_bits(both)
    expected_rows = np.argwhere(naive(both))
    assert held == Comparisons(n, *expected_rows.T).unique()
    assert held.closer.size == len(expected_rows) == len(held)


def test_the_list_of_bits_is_read_only_and_made_once():
    held = held_as_bits(Comparisons(4, [3, 0], [1, 2]))
    assert held.closer is held.closer
    for pairs in (held.closer, held.farther, held.bits().won):
        with pytest.raises(ValueError, match="read-only"):
            pairs[0] = 1


def test_invalid_bits_are_refused_in_one_line() -> None:
    for sides, message in [
        (np.zeros((2, 64, 2), np.uint64), r"of 4 items are an array \(2, 64, 1\).*\(2, 64, 2\)"),
        (np.zeros((2, 64, 1), np.int64), "of int64"),
        (np.full((2, 64, 1), 64, np.uint64), r"4 items have the pairs 0\.\.5"),
        (np.eye(1, 128, 6, np.uint64).reshape(2, 64, 1), r"4 items have the pairs 0\.\.5"),
    ]:
        with pytest.raises(InvalidComparisonsError, match=message):
            Comparisons.from_bits(4, sides)
