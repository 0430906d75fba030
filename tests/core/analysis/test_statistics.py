from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from hcbench.analysis.block_ranks import average_ranks
from hcbench.analysis.power_laws import log_log_slope
from hcbench.analysis.statistics import mean_and_std, paired_difference, summarise

NUMBERS = st.floats(-1e6, 1e6)


def test_summary_by_hand() -> None:
    found = summarise([1.0, 2.0, 3.0, 6.0])
    assert (found.mean, found.n) == (3.0, 4)
    assert found.std == pytest.approx(math.sqrt(14 / 3))  # squares 4 + 1 + 0 + 9, over n - 1
    assert found.standard_error == pytest.approx(math.sqrt(14 / 3) / 2)


@given(st.lists(NUMBERS, min_size=2, max_size=12))
def test_mean_and_spread_are_those_of_scipy(values: list[float]) -> None:
    found = summarise(values)
    if len(set(values)) == 1:
        assert (found.mean, found.std, found.standard_error) == (values[0], 0.0, 0.0)
        return
    assert found.mean == pytest.approx(np.mean(values), abs=1e-9)
    assert found.std == pytest.approx(stats.tstd(values))
    assert found.standard_error == pytest.approx(stats.sem(values))


def test_infinite_and_missing_numbers_are_not_hidden() -> None:
    assert summarise([1.0, math.inf]).mean == math.inf
    assert summarise([1.0, math.inf]).std is None
    assert math.isnan(summarise([1.0, math.nan]).mean or 0)
    assert mean_and_std([]) == (None, None)


def test_ranks_by_hand() -> None:
    table = [[0.9, 0.8, 0.8], [0.5, 0.7, 0.6]]
    ranks, n = average_ranks(table, "higher")
    assert ranks.tolist() == [(1 + 3) / 2, (2.5 + 1) / 2, (2.5 + 2) / 2]
    assert n == 2
    ranks, _ = average_ranks(table, "lower")
    assert ranks.tolist() == [(3 + 1) / 2, (1.5 + 3) / 2, (1.5 + 2) / 2]


def test_failures_share_the_worst_ranks_or_drop_their_blocks() -> None:
    nan = math.nan
    table = [[0.9, nan, nan], [0.1, 0.2, 0.3], [nan, nan, nan]]
    ranks, n = average_ranks(table, "higher")
    assert (ranks.tolist(), n) == ([(1 + 3) / 2, (2.5 + 2) / 2, (2.5 + 1) / 2], 2)
    ranks, n = average_ranks(table, "higher", failed="drop")
    assert (ranks.tolist(), n) == ([3.0, 2.0, 1.0], 1)
    ranks, n = average_ranks([[nan, nan]], "lower")
    assert n == 0
    assert np.isnan(ranks).all()


def test_an_infinite_cost_is_worse_than_any_but_better_than_a_failure() -> None:
    ranks, _ = average_ranks([[math.inf, 1.0, math.nan]], "lower")
    assert ranks.tolist() == [2.0, 1.0, 3.0]


@given(st.integers(2, 5).flatmap(lambda k: st.lists(st.lists(NUMBERS, min_size=k, max_size=k))))
def test_ranks_are_those_of_scipy(table: list[list[float]]) -> None:
    if table:
        ranks, n = average_ranks(table, "lower")
        expected = [sum(c) / len(table) for c in zip(*map(stats.rankdata, table), strict=True)]
        assert n == len(table)
        assert ranks.tolist() == pytest.approx(expected)


def test_a_paired_difference_by_hand() -> None:
    found = paired_difference({0: 3.0, 1: 5.0, 3: 1.0}, {0: 1.0, 1: 2.0, 2: 7.0})
    assert (found.mean, found.n) == (2.5, 2)  # 2 and 3
    assert found.standard_error == pytest.approx(0.5)
    # Student's t of one degree of freedom: 12.706 standard errors.
    assert (found.low, found.high) == pytest.approx((2.5 - 6.353, 2.5 + 6.353), abs=1e-3)
    assert paired_difference({0: 3.0}, {0: 1.0}).low is None  # a single repetition


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=9))
def test_a_paired_difference_is_the_one_of_the_t_test(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    found = paired_difference(dict(enumerate(first)), dict(enumerate(second)))
    if found.standard_error and found.standard_error > 1e-6 * abs(found.mean or 1):
        t = stats.ttest_rel(first, second).statistic
        assert (found.mean or 0.0) / found.standard_error == pytest.approx(t, rel=1e-6)


# ---- Rates ---------------------------------------------------------------------------------------


def test_the_slope_of_a_power_law_is_its_exponent() -> None:
    x = [2.0, 8.0, 32.0]
    slope, error = log_log_slope(x, [[3 * v**-0.5] * 2 for v in x])
    assert slope == pytest.approx(-0.5)
    assert error == pytest.approx(0, abs=1e-9)


def test_two_points_are_as_uncertain_as_their_means() -> None:
    # Means 2 and 4 with standard errors 1 and 1: relative 1/2 and 1/4, over log 2.
    slope, error = log_log_slope([1.0, 2.0], [[1.0, 3.0], [3.0, 5.0]])
    assert slope == pytest.approx(1.0)
    assert error == pytest.approx(math.hypot(0.5, 0.25) / math.log(2))


@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=6))
def test_without_scatter_slope_and_error_are_those_of_least_squares(means: list[float]) -> None:
    x = [2.0**i for i in range(len(means))]
    slope, error = log_log_slope(x, [[mean] * 3 for mean in means])
    line, covariance = np.polyfit(np.log(x), np.log(means), 1, cov=True)
    assert slope == pytest.approx(line[0], abs=1e-9)
    assert error == pytest.approx(math.sqrt(covariance[0, 0]), abs=1e-6)


def test_a_rate_of_single_numbers_has_an_error_only_from_three_points_on() -> None:
    assert log_log_slope([1.0, 2.0], [[1.0], [2.0]])[1] is None
    assert log_log_slope([1.0, 2.0, 4.0], [[1.0], [2.0], [5.0]])[1] is not None


def test_values_without_logarithm_have_no_rate() -> None:
    for wrong in [[0.0, 0.0], [-1.0], [], [math.inf]]:
        assert log_log_slope([1.0, 2.0], [wrong, [1.0]]) == (None, None)
