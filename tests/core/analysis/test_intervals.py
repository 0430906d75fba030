"""Intervals of averages, and their coverage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from hcbench.analysis.differences import paired_differences
from hcbench.analysis.intervals import UNBOUNDED, estimate_mean, limits_of_median
from hcbench.analysis.simultaneous import (
    best_quantile,
    limits_among,
    limits_below_best,
    paired_estimate,
)
from hcbench.analysis.statistics import summarise
from tests.core.simulated import (
    DISTRIBUTIONS,
    MISSES,
    REPETITIONS,
    at_most,
    coverage_of,
    false_best,
    false_changes,
    results_of,
)

NUMBERS = st.floats(-1e6, 1e6)


@given(st.lists(NUMBERS, min_size=2, max_size=40, unique=True))
def test_the_interval_of_a_mean_is_that_of_the_t_test(values: list[float]) -> None:
    found = summarise(values)
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-6)
    lower, upper = estimate_mean(values).limits("lower"), estimate_mean(values).limits("upper")
    below = stats.ttest_1samp(values, 0.0, alternative="greater").confidence_interval(0.95)
    above = stats.ttest_1samp(values, 0.0, alternative="less").confidence_interval(0.95)
    assert (lower.low, lower.high) == (pytest.approx(below.low, rel=1e-6), math.inf)
    assert (upper.low, upper.high) == (-math.inf, pytest.approx(above.high, rel=1e-6))


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=40))
def test_the_interval_of_a_share_is_exact(values: list[float]) -> None:
    found = summarise(values, support=(0.0, 1.0))
    expected = stats.binomtest(int(sum(values)), len(values)).proportion_ci(0.95, "exact")
    assert (found.low, found.high) == pytest.approx(expected)


@given(st.lists(NUMBERS, min_size=6, max_size=40, unique=True))
def test_the_interval_of_a_median_is_that_of_the_sign_test(values: list[float]) -> None:
    found = summarise(values, "median")
    expected = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    ordered = sorted(values)
    places = [ordered.index(x) for x in (found.low, found.high)]
    # That of scipy is one place wider at one end.
    both = [ordered.index(x) for x in (expected.low, expected.high)]
    assert both[0] <= places[0] <= both[0] + 1
    assert both[1] - 1 <= places[1] <= both[1]
    below = stats.binom.cdf(places[0], len(values), 0.5)
    assert below <= 0.025
    assert places[1] == len(values) - 1 - places[0]
    assert stats.binom.cdf(places[0] + 1, len(values), 0.5) > 0.025


def test_there_is_no_interval_where_none_is_honest() -> None:
    for values, of, note in [
        ([0.3], "mean", "one random value has no interval"),
        ([0.1] * 3, "mean", "3 equal values exclude a jump of probability above 0.63"),
        ([1.0, math.inf], "mean", "there is no finite mean"),
        ([1.0, 2.0, 3.0, 4.0, 5.0], "median", "fewer than 6 values have no interval of the median"),
        ([1.0] * 6, "median", "6 equal values exclude a jump of probability above 0.39"),
        ([], "mean", "no values"),
    ]:
        found = summarise(values, of)
        assert (found.low, found.high, found.note) == (None, None, note)


def test_values_that_use_no_random_numbers_are_certain() -> None:
    for values in ([0.1] * 3, [0.1]):
        for of in ("mean", "median"):
            found = summarise(values, of, deterministic=True)
            assert (found.average, found.low, found.high, found.note) == (0.1, 0.1, 0.1, "")
    varying = summarise([1.0, 2.0, 4.0], deterministic=True)
    assert varying.low == summarise([1.0, 2.0, 4.0]).low


@given(st.integers(2, 60), st.floats(0, 1))
def test_equal_bounded_values_have_the_interval_of_the_unseen(n: int, value: float) -> None:
    """The mean is at most that of the values and of the other end with the greatest probability."""
    found = summarise([value] * n, support=(0.0, 1.0))
    unseen = 1 - 0.025 ** (1 / n)
    assert found.low == pytest.approx((1 - unseen) * value)
    assert found.high == pytest.approx((1 - unseen) * value + unseen)


def test_values_that_agree_up_to_rounding_are_equal() -> None:
    first = {r: 0.1 * (r + 1) + 0.2 for r in range(4)}
    second = {r: 0.1 * (r + 1) for r in range(4)}
    assert len({first[r] - second[r] for r in range(4)}) > 1
    assert paired_estimate(first, second).law == "equal"
    third = {r: (0.1 + 0.2) * (r + 1) for r in range(4)}
    fourth = {r: 0.3 * (r + 1) for r in range(4)}
    assert third != fourth
    same = paired_estimate(third, fourth, deterministic=True)
    assert (same.law, same.mean) == ("deterministic", 0.0)


# ---- Coverage ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", REPETITIONS)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_intervals_of_means_cover_the_mean(name: str, n: int) -> None:
    coverage = coverage_of(name, n, samples=400)
    assert 1 - coverage <= at_most(MISSES[name], 400)
    assert coverage <= at_most(0.95, 400)


def test_equal_values_of_a_rare_jump_are_covered() -> None:
    """The metric is 1 with probability .9, else 0, or unbounded with the same values."""
    rng = np.random.default_rng(0)
    for support in ((0.0, 1.0), UNBOUNDED):
        missed = 0
        for _ in range(400):
            values = (rng.random(5) < 0.9).astype(float)
            limits = estimate_mean(values, support).limits()
            missed += not limits.low <= 0.9 <= limits.high
        assert missed / 400 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 400)


# ---- The best against others ---------------------------------------------------------------------


def test_the_best_of_two_is_compared_by_the_t_test() -> None:
    assert best_quantile(5, 2) == pytest.approx(stats.t.ppf(0.975, 4))


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 5, 10])
def test_the_quantile_of_many_repetitions_is_near_that_of_a_known_variance(k: int) -> None:
    # Then the largest difference is the studentized range, over the square root of 2.
    known = stats.studentized_range.ppf(0.95, k, np.inf) / math.sqrt(2)
    assert known < best_quantile(50, k) < 1.12 * known


@pytest.mark.parametrize("n", [2, 3, 5, 10, 30])
def test_the_quantile_lies_between_one_comparison_and_all_pairs(n: int) -> None:
    for k in (3, 5, 10):
        pairs = k * (k - 1) / 2
        assert stats.t.ppf(0.975, n - 1) < best_quantile(n, k) < stats.t.isf(0.025 / pairs, n - 1)


def test_intervals_of_many_differences_are_wider() -> None:
    estimate = estimate_mean([1.0, 2.0, 4.0])
    assert limits_among(estimate, 1) == estimate.limits()
    many = limits_among(estimate, 20)
    margin = stats.t.isf(0.025 / 20, 2) * stats.sem([1.0, 2.0, 4.0])
    assert (many.low, many.high) == pytest.approx((7 / 3 - margin, 7 / 3 + margin))
    two = limits_below_best(estimate, 2)
    assert (two.low, two.high) == pytest.approx((estimate.limits().low, estimate.limits().high))


def test_equal_differences_of_bounded_values_allow_for_all_pairs() -> None:
    found = limits_below_best(estimate_mean([0.5] * 60, (-1.0, 1.0)), 3)
    unseen = 1 - (0.025 / 3) ** (1 / 60)
    assert found.low == pytest.approx(0.5 - unseen * 1.5)
    assert found.excludes_zero


def test_a_median_of_deterministic_values_is_that_value() -> None:
    limits: Any = limits_of_median([2.0, 2.0], deterministic=True)
    assert (limits.low, limits.high) == (2.0, 2.0)


# ---- False differences ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(2, 5), (3, 2), (5, 5), (10, 10)])
def test_equal_algorithms_seldom_differ(n: int, k: int) -> None:
    assert false_best("normal", n, k, samples=200) <= at_most(0.05, 200)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(2, 5), (5, 10)])
def test_runs_of_two_seeds_seldom_differ(n: int, k: int) -> None:
    assert false_changes("normal", n, k, samples=200) <= at_most(0.05, 200)


def test_a_clear_difference_is_found() -> None:
    table = np.random.default_rng(0).normal(size=(5, 10)) + np.array([[0, 0, 0, 0, 5.0]]).T
    pairs = paired_differences(results_of(table), "score")
    assert [pair.differs for pair in pairs] == [True] * 4
