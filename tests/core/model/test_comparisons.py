"""Comparisons: encoding of pairs, validation, and operations on a set."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import Comparisons
from hcbench.errors import InvalidComparisonsError
from hcbench.model.comparisons.arrays import MAX_ITEMS, pair_index, pair_items


def test_pairs_are_numbered_as_scipy_numbers_them() -> None:
    for n in [2, 3, 7, 40]:
        i, j = np.triu_indices(n, 1)
        ids = np.arange(n * (n - 1) // 2)
        np.testing.assert_array_equal(pair_index(i, j, n), ids)
        np.testing.assert_array_equal(pair_index(j, i, n), ids)
        np.testing.assert_array_equal(pair_items(ids, n), (i, j))


def exact_index(i: int, j: int, n: int) -> int:
    return n * i - i * (i + 1) // 2 + j - i - 1


@pytest.mark.parametrize("dtype", [np.int64, np.uint32])
def test_items_of_pairs_in_any_order(dtype):
    """Pairs in the same row as the previous one, the next or an earlier one."""
    pairs = np.random.default_rng(0).permutation(40 * 39 // 2)
    i, j = np.triu_indices(40, 1)
    np.testing.assert_array_equal(pair_items(pairs.astype(dtype), 40), (i[pairs], j[pairs]))


@given(st.data())
def test_closed_form_is_exact_where_floating_point_is_not(data):
    """Up to the 9.2e18 pairs of pairs of 92,682 items, especially at the ends of rows."""
    n = data.draw(st.integers(2, MAX_ITEMS * (MAX_ITEMS - 1) // 2))
    i = data.draw(st.one_of(st.integers(0, n - 2), st.integers(0, min(n - 2, 3))))
    j = data.draw(st.sampled_from([i + 1, n - 1, (i + n) // 2]))
    pair = exact_index(i, j, n)
    assert pair_index(i, j, n).tolist() == [pair]
    assert [x.tolist() for x in pair_items([pair], n)] == [[i], [j]]


def test_pairs_that_do_not_exist_are_refused():
    for i, j in [(0, 5), (-1, 2), (3, 3)]:
        with pytest.raises(InvalidComparisonsError, match=rf"\({i}, {j}\)"):
            pair_index([0, i], [1, j], 5)
    for pair in (-1, 10):
        with pytest.raises(InvalidComparisonsError, match=r"0\.\.9"):
            pair_items([pair], 5)


rows_of_five = st.lists(
    st.permutations(range(5)).flatmap(
        lambda order: st.sampled_from([order[:4], [order[0], order[1], order[2], order[0]]])
    ),
    max_size=30,
)


def as_set(row) -> tuple:
    return frozenset(row[:2]), frozenset(row[2:])


@given(rows_of_five)
def test_quadruplets_survive_encoding(rows):
    comparisons = Comparisons.from_quadruplets(5, rows)
    assert len(comparisons) == len(rows)
    decoded = comparisons.quadruplets().tolist()
    assert [as_set(r) for r in decoded] == [as_set(r) for r in rows]
    assert all(row[0] < row[1] and row[2] < row[3] for row in decoded)
    assert pickle.loads(pickle.dumps(comparisons)) == comparisons


@given(rows_of_five)
def test_unique_keeps_each_comparison_once_and_both_of_opposites(rows):
    once = Comparisons.from_quadruplets(5, rows).unique()
    expected = Counter(as_set(r) for r in rows).keys()
    assert Counter(as_set(r) for r in once.quadruplets().tolist()) == Counter(expected)
    assert once.unique() is once  # it is already sorted
    opposite = {frozenset((a, b)) for a, b in expected if (b, a) in expected}
    assert once.contradictions() == len(opposite)
    assert Comparisons.from_quadruplets(5, rows).contradictions() == len(opposite)


@given(rows_of_five, st.permutations(range(5)), st.integers(1, 5))
def test_take_selects_items_and_renumbers_them(rows, order, size):
    items = order[:size]
    taken = Comparisons.from_quadruplets(5, rows).take(items)
    assert taken.n == size
    back = [as_set([items[x] for x in row]) for row in taken.quadruplets().tolist()]
    assert back == [as_set(row) for row in rows if set(row) <= set(items)]


def test_triplets_are_quadruplets_with_a_common_item():
    triplets = Comparisons.from_triplets(4, [[2, 0, 1], [3, 2, 0]])
    assert triplets == Comparisons.from_quadruplets(4, [[2, 0, 2, 1], [3, 2, 3, 0]])


def test_invalid_comparisons_are_refused_with_their_row() -> None:
    for rows, message in [
        ([[0, 1, 2, 3], [0, 1, 2, 4]], r"row 1 \[0, 1, 2, 4\]: items must be in 0\.\.3"),
        ([[0, 1, -1, 2]], r"row 0 .*: items must be in"),
        ([[0, 1, 2, 3], [1, 2, 3, 3]], "row 1 .*: an item is paired with itself"),
        ([[0, 1, 1, 0]], "row 0 .*: a pair is compared with itself"),
        ([[0, 1, 2]], r"shape \(m, 4\), got \(1, 3\)"),
        ([0, 1, 2, 3], r"shape \(m, 4\), got \(4,\)"),
        ([[0.0, 1.0, 2.0, 3.0]], "integers, got float64"),
        ([["a", "b", "c", "d"]], "integers, got <U1"),
    ]:
        with pytest.raises(InvalidComparisonsError, match=message):
            Comparisons.from_quadruplets(4, rows)


def test_errors_beyond_the_first_chunk_are_reported_with_their_row():
    rows = np.tile(np.array([0, 1, 2, 3], np.int8), (1_100_000, 1))
    rows[1_050_000, 0] = 9
    with pytest.raises(InvalidComparisonsError, match="row 1050000 "):
        Comparisons.from_quadruplets(4, rows)


def test_order_and_errors_are_detected_at_the_ends_of_chunks():
    """Pieces of 4096; 200 items have 19,900 pairs."""
    closer, farther = np.zeros(9000, np.uint32), np.arange(1, 9001, dtype=np.uint32)
    ordered = Comparisons(200, closer, farther)
    assert ordered.unique() is ordered
    for at in (4095, 4096, 8999):
        turned = farther.copy()
        turned[at - 1], turned[at] = farther[at], farther[at - 1]
        assert Comparisons(200, closer, turned).unique() == ordered
        repeated = farther.copy()
        repeated[at] = repeated[at - 1]
        assert len(Comparisons(200, closer, repeated).unique()) == 8999
        for pair, message in (
            (0, f"row {at} compares pair 0 with itself"),
            (19_900, rf"row {at}: farther is pair 19900, but 200 items have the pairs 0\.\.19899"),
        ):
            wrong = farther.copy()
            wrong[at] = pair
            with pytest.raises(InvalidComparisonsError, match=message):
                Comparisons(200, closer, wrong)


def test_invalid_pair_ids_are_refused() -> None:
    for closer, farther, message in [
        ([0, 1], [2], "closer has 2 pairs and farther 1"),
        ([0, 6], [1, 2], r"row 1: closer is pair 6, but 4 items have the pairs 0\.\.5"),
        ([0], [-1], "row 0: farther is pair -1"),
        ([1, 2], [0, 2], "row 1 compares pair 2 with itself"),
        ([[0]], [[1]], r"shape \(m,\)"),
        ([0.5], [1], "integers"),
    ]:
        with pytest.raises(InvalidComparisonsError, match=message):
            Comparisons(4, closer, farther)


def test_take_refuses_unknown_and_repeated_items():
    comparisons = Comparisons.from_quadruplets(4, [[0, 1, 2, 3]])
    with pytest.raises(InvalidComparisonsError, match=r"0\.\.3, got 4"):
        comparisons.take([0, 4])
    with pytest.raises(InvalidComparisonsError, match="distinct"):
        comparisons.take([0, 0])


def test_number_of_items_is_limited_by_32_bits():
    last = MAX_ITEMS * (MAX_ITEMS - 1) // 2 - 1
    largest = Comparisons(MAX_ITEMS, [last], [0])
    assert largest.quadruplets().tolist() == [[MAX_ITEMS - 2, MAX_ITEMS - 1, 0, 1]]
    assert largest.unique() == largest
    for n in (0, MAX_ITEMS + 1):
        with pytest.raises(InvalidComparisonsError, match="1 to 92682"):
            Comparisons(n, [], [])


def test_a_set_is_read_only_compact_and_leaves_the_callers_array_alone():
    closer = np.array([0, 1], np.uint32)
    comparisons = Comparisons(3, closer, [2, 2])
    with pytest.raises(ValueError, match="read-only"):
        comparisons.closer[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        pickle.loads(pickle.dumps(comparisons)).farther[0] = 1
    assert closer.flags.writeable
    assert comparisons.closer.nbytes + comparisons.farther.nbytes == 8 * len(comparisons)
    assert comparisons != Comparisons(3, [0, 1], [2, 0])
    assert comparisons != "another thing"
    assert len({comparisons, Comparisons(3, [0, 1], [2, 2])}) == 1
    assert repr(comparisons) == "Comparisons(n=3, m=2)"


def test_the_empty_set_is_a_set():
    for empty in (Comparisons(1, [], []), Comparisons.from_quadruplets(1, [])):
        assert len(empty) == len(empty.unique()) == empty.contradictions() == 0
        assert empty.quadruplets().shape == (0, 4)
        assert len(empty.take([0])) == 0
