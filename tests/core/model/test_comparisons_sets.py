"""Sets of comparisons: algebra, annotators, arrays of other packages, bad input."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import Comparisons
from hcbench.errors import InvalidComparisonsError

answers = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda ab: ab[0] != ab[1]), max_size=25
)


def of(pairs) -> Comparisons:
    """Comparisons of pair ids of four items."""
    return Comparisons(4, [a for a, _ in pairs], [b for _, b in pairs])


def listed(comparisons: Comparisons) -> list:
    return list(zip(comparisons.closer.tolist(), comparisons.farther.tolist(), strict=True))


@given(answers, answers)
def test_the_algebra_is_that_of_python_sets(first, second):
    one, two = of(first), of(second)
    for made, wanted in (
        (one | two, set(first) | set(second)),
        (one & two, set(first) & set(second)),
        (one - two, set(first) - set(second)),
    ):
        assert Counter(listed(made)) == Counter(wanted)
        assert made == made.unique()
    assert listed(one + two) == first + second


@given(answers)
def test_duplicates_and_contradictions_are_counted_and_preserved(rows):
    comparisons = of(rows)
    assert comparisons.duplicates() == len(rows) - len(set(rows))
    assert comparisons.contradictions() == sum((b, a) in rows for a, b in set(rows)) // 2
    assert len(comparisons) == len(rows)
    assert listed(comparisons.flip()) == [(b, a) for a, b in rows]


@given(answers)
def test_items_never_compared_are_those_in_no_row(rows):
    comparisons = of(rows)
    assert comparisons.never_compared().tolist() == sorted(
        set(range(4)) - set(comparisons.quadruplets().ravel().tolist())
    )


def test_sets_of_different_items_cannot_be_combined():
    one, other = of([(0, 1)]), Comparisons(5, [0], [1])
    for operation in ("__add__", "__or__", "__and__", "__sub__"):
        with pytest.raises(InvalidComparisonsError, match="of 4 and of 5 items"):
            getattr(one, operation)(other)


def test_rows_are_selected_by_position_or_mask():
    comparisons = of([(0, 1), (2, 1), (3, 4)])
    assert listed(comparisons.select([2, 0])) == [(3, 4), (0, 1)]
    assert listed(comparisons.select([False, True, False])) == [(2, 1)]
    assert len(comparisons.select([])) == 0


def test_annotators_stay_with_their_answers():
    rows = [[0, 1, 2, 3], [0, 2, 1, 3], [1, 2, 0, 3], [0, 1, 0, 2]]
    crowd = Comparisons.from_quadruplets(4, rows, annotator=[5, 0, 2, 5])
    assert crowd.annotator.dtype == np.int32
    assert crowd.flip().annotator.tolist() == [5, 0, 2, 5]
    assert crowd.select(crowd.annotator == 5).quadruplets().tolist() == [rows[0], rows[3]]
    assert crowd.take([2, 0, 1]).annotator.tolist() == [5]
    assert (crowd + crowd).annotator.tolist() == [5, 0, 2, 5] * 2
    assert crowd.unique().annotator is None
    without = Comparisons.from_quadruplets(4, rows)
    assert (crowd + without).annotator is None
    assert without.unique() == crowd.unique()
    assert crowd != without
    assert crowd != Comparisons.from_quadruplets(4, rows, annotator=[5, 0, 2, 4])
    again = pickle.loads(pickle.dumps(crowd))
    assert again == crowd
    for one in (crowd, again):
        with pytest.raises(ValueError, match="read-only"):
            one.annotator[0] = 1


def test_invalid_annotators_are_refused() -> None:
    for annotator, message in [
        ([0], r"annotator must have shape \(2,\), got \(1,\)"),
        ([0, -1], "row 1: annotator is -1"),
        ([0, 2**31], "row 1: annotator is 2147483648"),
        (["ann", "bob"], "integers, got <U3"),
    ]:
        with pytest.raises(InvalidComparisonsError, match=message):
            Comparisons(4, [0, 1], [2, 3], annotator)


def test_responses_reverse_repeat_or_drop_queries():
    """In the form of cblearn: True and False, or counts of answers."""
    rows = [[0, 1, 2], [1, 2, 3], [3, 0, 1]]
    turned = [[0, 1, 2], [1, 3, 2], [3, 0, 1]]
    for responses in ([True, False, True], [1, -1, 1], [1.0, -1.0, 1.0]):
        assert Comparisons.from_triplets(4, rows, responses).triplets().tolist() == turned
    counted = Comparisons.from_triplets(4, rows, [2, -1, 0], annotator=[7, 8, 9])
    assert counted.triplets().tolist() == [[0, 1, 2], [0, 1, 2], [1, 3, 2]]
    assert counted.annotator.tolist() == [7, 7, 8]
    flipped = Comparisons.from_quadruplets(4, [[0, 1, 2, 3]], [False])
    assert flipped.quadruplets().tolist() == [[2, 3, 0, 1]]
    for wrong, message in (([1, 1], r"shape \(3,\)"), ([0.5, 1, 1], "integers, got float64")):
        with pytest.raises(InvalidComparisonsError, match=message):
            Comparisons.from_triplets(4, rows, wrong)


@given(st.lists(st.permutations(range(5)).map(lambda order: order[:3]), max_size=20))
def test_triplets_survive_encoding(rows):
    comparisons = Comparisons.from_triplets(5, rows)
    assert comparisons.triplets().tolist() == rows
    assert comparisons.only_triplets() == comparisons


def test_non_triplets_are_reported_or_excluded():
    mixed = Comparisons.from_quadruplets(5, [[0, 1, 2, 1], [0, 1, 2, 3], [4, 3, 3, 0]])
    with pytest.raises(InvalidComparisonsError, match=r"row 1 \[0, 1, 2, 3\]: its pairs share no"):
        mixed.triplets()
    assert mixed.only_triplets().triplets().tolist() == [[1, 0, 2], [3, 4, 0]]


def comparisonhc_array(w: np.ndarray, known: np.ndarray) -> np.ndarray:
    """By the definition: 1 if w_ij > w_kl, -1 if w_ij < w_kl, 0 if unknown."""
    n = len(w)
    array = np.zeros((n,) * 4, np.int8)
    for i, j, k, l in np.ndindex(array.shape):  # noqa: E741
        if known[i, j, k, l]:
            array[i, j, k, l] = np.sign(w[i, j] - w[k, l])
    return array


def test_arrays_of_comparisonhc_in_and_out():
    rng = np.random.default_rng(0)
    w = rng.normal(size=(5, 5))
    w = w + w.T
    known = rng.random((5,) * 4) < 0.3
    for axes in ((1, 0, 2, 3), (0, 1, 3, 2), (2, 3, 0, 1)):
        known = known | known.transpose(axes)
    array = comparisonhc_array(w, known)  # with entries of an item and itself
    comparisons = Comparisons.from_array(array)
    i, j, k, l = comparisons.quadruplets().T  # noqa: E741
    assert (w[i, j] > w[k, l]).all()
    assert comparisons.contradictions() == comparisons.duplicates() == 0
    back = comparisons.to_array()
    items = np.indices(array.shape)
    real = (items[0] != items[1]) & (items[2] != items[3])
    np.testing.assert_array_equal(back, np.where(real, array, 0))
    assert Comparisons.from_array(back) == comparisons


def test_a_contradiction_is_unknown_in_an_array():
    assert not of([(0, 1), (0, 1), (1, 0)]).to_array().any()


def test_tensors_of_triplets_are_those_of_cblearn():
    tensor = np.zeros((4, 4, 4))
    tensor[0, 1, 2], tensor[3, 0, 1] = 1, -1
    wanted = Comparisons.from_triplets(4, [[0, 1, 2], [3, 1, 0]]).unique()
    assert Comparisons.from_array(tensor) == wanted

    class Sparse:
        """The attributes of `sparse.COO`."""

        ndim, shape = 3, (4, 4, 4)
        coords = np.array(np.nonzero(tensor))
        data = tensor[np.nonzero(tensor)]

    assert Comparisons.from_array(Sparse()) == wanted


def test_arrays_of_other_shapes_are_refused():
    with pytest.raises(InvalidComparisonsError, match=r"\(n, n, n, n\), got \(2, 2\)"):
        Comparisons.from_array(np.zeros((2, 2)))
    with pytest.raises(InvalidComparisonsError, match=r"got \(2, 2, 3\)"):
        Comparisons.from_array(np.zeros((2, 2, 3)))
    with pytest.raises(InvalidComparisonsError, match="of 300 items takes 8 GiB"):
        Comparisons(300, [0], [1]).to_array()
