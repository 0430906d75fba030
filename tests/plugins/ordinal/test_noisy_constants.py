"""Repetitions of noisy insertion, against sums of binomial probabilities and by hand."""

from fractions import Fraction
from math import comb, exp, log, log2

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench.errors import ParameterError
from hcbench_ordinal import bounds, noisy_constants as constants


def most_are_wrong(k: int, p: Fraction) -> Fraction:
    """Probability that at most half of k answers are correct."""
    return sum(comb(k, r) * p**r * (1 - p) ** (k - r) for r in range(k // 2 + 1))


@pytest.mark.parametrize(("p", "hoeffding", "exact"), [(0.7, 23, 5), (0.8, 13, 3), (0.9, 11, 3)])
def test_repetitions_of_vertex_queries_by_hand(p, hoeffding, exact):
    assert constants.vertex_repetitions(p, "hoeffding") == hoeffding
    assert constants.vertex_repetitions(p, "binomial") == exact


@pytest.mark.slow
@given(st.integers(52, 99))
def test_two_majorities_are_correct_as_often_as_one_answer_lemma_5_3(percent):
    p = Fraction(percent, 100)
    for rule in ("hoeffding", "binomial"):
        k = constants.vertex_repetitions(float(p), rule)
        assert k % 2 == 1
        assert (1 - most_are_wrong(k, p)) ** 2 >= p


@pytest.mark.slow
@given(st.integers(55, 99), st.integers(1, 6))
def test_fewer_repetitions_are_not_enough(percent, digits):
    p, failure = Fraction(percent, 100), Fraction(1, 10**digits) * Fraction(173, 101)
    k = constants.majority_exactly(float(p), float(failure))
    assert most_are_wrong(k, p) <= failure
    assert k == 1 or most_are_wrong(k - 2, p) > failure
    k = constants.majority_by_hoeffding(float(p), 1 - float(failure))
    bound = [exp(-((2 * float(p) - 1) ** 2) * x / 2) for x in (k, k - 2)]
    assert bound[0] <= float(failure)
    assert k == 1 or bound[1] > float(failure)


def test_repetitions_may_be_given_as_an_odd_number():
    assert constants.vertex_repetitions(0.7, 7) == 7
    with pytest.raises(ParameterError, match=r"odd.*got 4"):
        constants.vertex_repetitions(0.7, 4)


def test_a_lead_is_the_first_whose_odds_suffice():
    # r = 0.8/0.2 = 4: 4^5 = 1024 < 2/0.001 = 2000 <= 4^6.
    assert constants.lead_of_majority(0.8, 0.001) == 6


def test_capacity_of_a_channel():
    assert bounds.capacity(0.75) == pytest.approx(0.75 * log2(3) - 1, rel=1e-12)


def test_weight_rounds_follow_lemma_5_of_stoc_2016():
    # C = 1 + .75 log2 .75 + .25 log2 .25 = .75 log2 3 - 1, L = log2 3, lambda = C / (2 L).
    c = 0.75 * log2(3) - 1
    by_confidence, by_size = log(20) / (2 * (c / (2 * log2(3))) ** 2), 62 / (c / 2)
    assert by_size > by_confidence
    rounds = [bounds.weight_rounds(0.75, 0.05, 0.5, vertices) for vertices in (3, 2**62)]
    assert rounds == [np.ceil(by_confidence), np.ceil(by_size)]


@pytest.mark.parametrize("p", [0.5, 0.3, 0.50001, 1.0, 1.5])
def test_answers_must_be_informative(p):
    with pytest.raises(ParameterError, match=f"got {p}"):
        constants.check_right_answers(p)
