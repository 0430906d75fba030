"""All comparisons that a ranking implies, without storing them."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hcbench import AllComparisons, Comparisons
from hcbench.errors import InvalidComparisonsError

similarities = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.integers(0, 6), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2).map(
        lambda w: (n, w)
    )
)


def naive(n: int, w: list) -> set:
    """(closer, farther) of every query that has an answer."""
    told = set()
    for a, b in combinations(range(len(w)), 2):
        if w[a] != w[b]:
            told.add((a, b) if w[a] > w[b] else (b, a))
    return told


def as_set(comparisons: Comparisons) -> set:
    return set(zip(comparisons.closer.tolist(), comparisons.farther.tolist(), strict=True))


@settings(deadline=None)  # the first call compiles
@given(similarities)
def test_it_represents_every_answer_of_the_similarities(drawn):
    n, w = drawn
    everything = AllComparisons.from_similarity(np.array(w, float))
    stored = everything.materialise()
    assert everything.n == stored.n == n
    assert as_set(stored) == naive(n, w)
    assert len(everything) == len(stored) == len(stored.unique())
    assert stored.unique() is stored  # already sorted
    assert everything.unique() is everything
    assert everything.contradictions() == stored.contradictions() == 0
    assert everything.never_compared().tolist() == stored.never_compared().tolist()
    assert as_set(everything.flip().materialise()) == {(b, a) for a, b in naive(n, w)}


@settings(deadline=None)  # the first call compiles
@given(similarities, st.permutations(range(6)), st.integers(1, 6))
def test_taking_items_is_the_same_before_and_after_storing(drawn, order, size):
    n, w = drawn
    items = [item for item in order if item < n][:size]
    everything = AllComparisons.from_similarity(np.array(w, float))
    assert everything.take(items).materialise() == everything.materialise().take(items).unique()


def test_a_matrix_and_its_condensed_pairs_are_ranked_alike():
    w = np.array([[9, 0.5, 0.1, 2], [0.5, 9, 2, 0.1], [0.1, 2, 9, 0.3], [2, 0.1, 0.3, 9]])
    everything = AllComparisons.from_similarity(w)
    assert everything.rank.tolist() == [2, 0, 3, 3, 0, 1]
    assert len(everything) == 15 - 2
    assert everything == AllComparisons.from_similarity(w[np.triu_indices(4, 1)])
    assert everything == AllComparisons(4, [2, 0, 3, 3, 0, 1])
    assert everything != AllComparisons.from_similarity(-w)
    assert everything != everything.materialise()
    assert len({everything, AllComparisons(4, everything.rank)}) == 1


def test_similarities_a_tolerance_apart_are_tied():
    w = [0.0, 1.0, 1.0 + 1e-13, 2.0, 2.0 + 5e-13, 3.0]
    assert len(AllComparisons.from_similarity(w)) == 15
    assert AllComparisons.from_similarity(w, 1e-12).rank.tolist() == [0, 1, 1, 2, 2, 3]
    assert AllComparisons.from_similarity(w, 1.5).never_compared().tolist() == [0, 1, 2, 3]


def test_it_is_read_only_and_survives_pickling():
    everything = AllComparisons.from_similarity([3.0, 1.0, 2.0])
    again = pickle.loads(pickle.dumps(everything))
    assert again == everything
    for one in (everything, again):
        with pytest.raises(ValueError, match="read-only"):
            one.rank[0] = 1
    assert repr(everything) == "AllComparisons(n=3, m=3)"


def test_a_ranking_too_large_to_store_is_reported():
    everything = AllComparisons.from_similarity(np.arange(300 * 299 / 2))
    assert len(everything) == 44850 * 44849 // 2
    with pytest.raises(InvalidComparisonsError, match="n=300 makes 1005738825 comparisons"):
        everything.materialise()


def test_invalid_rankings_are_refused() -> None:
    for n, rank, message in [
        (3, [0, 1], r"3 items have 3 pairs; rank must have shape \(3,\), got \(2,\)"),
        (3, [0.0, 1.0, 2.0], "integers, got float64"),
        (3, [0, 1, 3], "pair 2 has rank 3"),
        (3, [0, -1, 1], "pair 1 has rank -1"),
        (3, [0, 2, 2], "no pair has rank 1"),
        (0, [], "1 to 92682 items"),
    ]:
        with pytest.raises(InvalidComparisonsError, match=message):
            AllComparisons(n, rank)


def test_invalid_similarities_are_refused() -> None:
    for w, message in [
        ([[0, 1], [2, 0]], r"shape \(2, 2\), not symmetric"),
        ([1.0, 2.0], r"n\(n-1\)/2 pairs, got shape \(2,\)"),
        ([1.0, np.nan, 2.0], "finite"),
        ([[1.0, np.nan], [np.nan, 1.0]], "finite"),
        (["a", "b", "c"], "numbers, got <U1"),
    ]:
        with pytest.raises(InvalidComparisonsError, match=message):
            AllComparisons.from_similarity(w)
