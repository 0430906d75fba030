"""All comparisons that a ranking implies, without storing them."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import AllComparisons, Comparisons
from hcbench.errors import InvalidComparisonsError

similarities = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.integers(0, 6), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2).map(
        lambda w: (n, w)
    )
)


def naive(n: int, w: list) -> set:
    """(closer, farther) of every query that has an answer."""
    answers = set()
    for a, b in combinations(range(len(w)), 2):
        if w[a] != w[b]:
            answers.add((a, b) if w[a] > w[b] else (b, a))
    return answers


def as_set(comparisons: Comparisons) -> set:
    return set(zip(comparisons.closer.tolist(), comparisons.farther.tolist(), strict=True))


@given(similarities)
def test_it_represents_every_answer_of_the_similarities(drawn):
    n, w = drawn
    all_comparisons = AllComparisons.from_similarity(np.array(w, float))
    stored = all_comparisons.materialise()
    assert all_comparisons.n == stored.n == n
    assert as_set(stored) == naive(n, w)
    assert len(all_comparisons) == len(stored) == len(stored.unique())
    assert stored.unique() is stored  # already sorted
    assert all_comparisons.unique() is all_comparisons
    assert all_comparisons.contradictions() == stored.contradictions() == 0
    assert all_comparisons.never_compared().tolist() == stored.never_compared().tolist()
    assert as_set(all_comparisons.flip().materialise()) == {(b, a) for a, b in naive(n, w)}


@given(similarities, st.permutations(range(6)), st.integers(1, 6))
def test_taking_items_is_the_same_before_and_after_storing(drawn, order, size):
    n, w = drawn
    items = [item for item in order if item < n][:size]
    all_comparisons = AllComparisons.from_similarity(np.array(w, float))
    assert (
        all_comparisons.take(items).materialise()
        == all_comparisons.materialise().take(items).unique()
    )


def test_a_matrix_and_its_condensed_pairs_are_ranked_alike():
    w = np.array([[9, 0.5, 0.1, 2], [0.5, 9, 2, 0.1], [0.1, 2, 9, 0.3], [2, 0.1, 0.3, 9]])
    all_comparisons = AllComparisons.from_similarity(w)
    assert all_comparisons.rank.tolist() == [2, 0, 3, 3, 0, 1]
    assert len(all_comparisons) == 15 - 2
    assert all_comparisons == AllComparisons.from_similarity(w[np.triu_indices(4, 1)])
    assert all_comparisons == AllComparisons(4, [2, 0, 3, 3, 0, 1])
    assert all_comparisons != AllComparisons.from_similarity(-w)
    assert all_comparisons != all_comparisons.materialise()
    assert len({all_comparisons, AllComparisons(4, all_comparisons.rank)}) == 1


def test_similarities_a_tolerance_apart_are_tied():
    w = [0.0, 1.0, 1.0 + 1e-13, 2.0, 2.0 + 5e-13, 3.0]
    assert len(AllComparisons.from_similarity(w)) == 15
    assert AllComparisons.from_similarity(w, 1e-12).rank.tolist() == [0, 1, 1, 2, 2, 3]
    assert AllComparisons.from_similarity(w, 1.5).never_compared().tolist() == [0, 1, 2, 3]


def test_it_is_read_only_and_survives_pickling():
    all_comparisons = AllComparisons.from_similarity([3.0, 1.0, 2.0])
    again = pickle.loads(pickle.dumps(all_comparisons))
    assert again == all_comparisons
    for one in (all_comparisons, again):
        with pytest.raises(ValueError, match="read-only"):
            one.rank[0] = 1
    assert repr(all_comparisons) == "AllComparisons(n=3, m=3)"


def test_a_ranking_too_large_to_store_is_reported():
    all_comparisons = AllComparisons.from_similarity(np.arange(300 * 299 / 2))
    assert len(all_comparisons) == 44850 * 44849 // 2
    with pytest.raises(InvalidComparisonsError, match="n=300 makes 1005738825 comparisons"):
        all_comparisons.materialise()


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


def test_similarities_that_are_symmetric_up_to_rounding_are_ranked():
    vectors = np.random.default_rng(0).normal(size=(9, 4))
    similarity = np.corrcoef(vectors)
    assert not np.array_equal(similarity, similarity.T)
    made = AllComparisons.from_similarity(similarity)
    assert made == AllComparisons.from_similarity((similarity + similarity.T) / 2)
