"""Ranks over blocks, tests, and profiles: against scipy, papers and naive versions."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special, stats

from hcbench.analysis.block_ranks import (
    find_cliques,
    friedman_test,
    nemenyi_critical_difference,
    rank_blocks,
)
from hcbench.analysis.performance_profiles import performance_profile
from hcbench.analysis.signed_ranks import holm_adjusted, least_blocks, signed_rank_test

#: Demšar 2006, table 6: AUC of C4.5, with m, with cf, with both, on 14 data sets.
C45 = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],  # printed as equal, ranked 2 and 3
        [0.957, 0.978, 0.946, 0.970],
    ]
)
NAN = math.nan
TABLES = st.tuples(st.integers(2, 8), st.integers(3, 5)).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 4), min_size=size[1], max_size=size[1]),
        min_size=size[0],
        max_size=size[0],
    )
)


# ---- Friedman ------------------------------------------------------------------------------------


def test_the_example_of_demsar() -> None:
    ranks = rank_blocks(C45, "higher").mean(axis=0)
    assert ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    found = friedman_test(C45, "higher")
    # The paper's 9.28 is without the correction for ties: two of two, one of two, one of four.
    ties = 1 - (3 * (2**3 - 2) + (4**3 - 4)) / (14 * (4**3 - 4))
    assert found.statistic == pytest.approx(9.28 / ties, abs=0.01)
    assert (found.n_blocks, found.n_competitors, found.degrees) == (14, 4, 3)
    chi2 = found.statistic or NAN
    assert found.f_statistic == pytest.approx(13 * chi2 / (14 * 3 - chi2))
    # The F distribution by the incomplete beta function, with 3 and 39 degrees of freedom.
    ratio = 39 / (39 + 3 * (found.f_statistic or NAN))
    assert found.f_p == pytest.approx(special.betainc(39 / 2, 3 / 2, ratio))
    limit = nemenyi_critical_difference(4, 14)
    assert limit.value == pytest.approx(1.25, abs=0.005)
    assert ranks.max() - ranks.min() == pytest.approx(1.179, abs=5e-4)


def test_the_critical_values_of_demsar() -> None:
    for k, q in list(
        enumerate((1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164), start=2)
    ):
        found = nemenyi_critical_difference(k, 20)
        assert found.q == pytest.approx(q, abs=0.0015)
        assert found.value == pytest.approx((found.q or NAN) * math.sqrt(k * (k + 1) / 120))


def test_a_critical_difference_needs_two_of_each() -> None:
    assert nemenyi_critical_difference(3, 1).value is None
    few = nemenyi_critical_difference(1, 5, alpha=0.1)
    assert few.reason == "it needs two of each, got 1 competitor in 5 blocks"
    assert (few.n_competitors, few.n_blocks, few.alpha) == (1, 5, 0.1)
    reason = nemenyi_critical_difference(3, 1).reason
    assert reason == "it needs two of each, got 3 competitors in 1 block"
    found = nemenyi_critical_difference(2, 2, alpha=0.1)
    # Two are compared by the normal distribution: q = 1.645; sqrt(2 * 3 / (6 * 2)) ranks of it.
    assert found.value == pytest.approx(1.6449 / math.sqrt(2), abs=1e-4)
    assert (found.n_competitors, found.n_blocks, found.alpha) == (2, 2, 0.1)


@given(TABLES)
def test_chi_square_is_that_of_scipy(table: list[list[int]]) -> None:
    found = friedman_test(table, "lower")
    if all(len(set(row)) == 1 for row in table):
        assert (found.p, found.reason) == (None, "all are tied in every block")
        return
    expected = stats.friedmanchisquare(*np.array(table, dtype=float).T)
    assert found.statistic == pytest.approx(expected.statistic)


def test_large_tables_have_the_p_value_of_scipy() -> None:
    table = np.random.default_rng(3).normal(size=(20, 6)) + np.arange(6) / 4
    found = friedman_test(table, "lower")
    assert found.method == "chi-square"
    assert found.p == pytest.approx(stats.friedmanchisquare(*table.T).pvalue)


def naive_p(table: list[list[int]]) -> float:
    """Enumerate all permutations within all blocks."""
    ranks = [stats.rankdata(row).tolist() for row in table]

    def spread(rows: Any) -> float:
        return sum(sum(column) ** 2 for column in zip(*rows, strict=True))

    found = spread(ranks)
    ways = [spread(w) for w in itertools.product(*(itertools.permutations(r) for r in ranks))]
    return sum(way >= found - 1e-9 for way in ways) / len(ways)


@settings(max_examples=20)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=4).filter(
        lambda table: any(len(set(row)) > 1 for row in table)
    )
)
def test_p_of_few_blocks_is_exact(table: list[list[int]]) -> None:
    found = friedman_test(table, "lower")
    assert found.method == "exact"
    assert found.p == pytest.approx(naive_p(table))


def test_p_by_hand() -> None:
    # Of 6^3 ways, the 6 in which the three blocks agree are as extreme.
    found = friedman_test([[1, 2, 3]] * 3, "lower")
    assert (found.statistic, found.p) == (pytest.approx(6.0), pytest.approx(6 / 6**3))
    assert found.f_statistic is None  # infinite
    # Sums of ranks 4, 9 and 11: 12 / (4 * 3 * 4) * (16 + 81 + 121) - 3 * 4 * 4 = 6.5.
    found = friedman_test([[1, 2, 3]] * 3 + [[1, 3, 2]], "lower")
    assert found.statistic == pytest.approx(6.5)
    assert found.f_statistic == pytest.approx(3 * 6.5 / (4 * 2 - 6.5))


def test_chi_square_is_used_for_more_than_ten_blocks_of_more_than_five() -> None:
    for n, k, method in ((10, 6, "permutations"), (11, 5, "permutations"), (11, 6, "chi-square")):
        table = np.random.default_rng(n).normal(size=(n, k))
        assert friedman_test(table, "lower").method == method


def test_random_permutations_are_near_the_exact_p_and_always_the_same() -> None:
    table = np.random.default_rng(5).integers(0, 9, (6, 3)).tolist()
    found = friedman_test(table, "lower")
    assert found.method == "permutations"
    assert found.p == pytest.approx(naive_p(table), abs=0.02)
    assert friedman_test(table, "lower") == found


def test_the_number_of_random_permutations_is_as_documented() -> None:
    # None of 6^12 ways is likely to agree as much: only the ranks themselves, 1 in 10,000.
    assert friedman_test([[1, 2, 3]] * 12, "lower").p == 1 / 10_000
    # All ways differ at least as much as equal sums of ranks.
    alike = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
    assert friedman_test(alike * 2, "lower").p == 1.0


def test_permutations_of_a_large_table_are_drawn_in_batches() -> None:
    # More numbers than are in memory at once; so many blocks follow the law of chi-square.
    table = np.random.default_rng(5).integers(0, 9, (1000, 3))
    found = friedman_test(table, "lower")
    assert found.method == "permutations"
    assert found.p == pytest.approx(stats.chi2.sf(found.statistic, 2), abs=0.02)


def test_tests_that_do_not_apply_have_a_reason() -> None:
    assert "two are compared" in friedman_test([[1, 2], [1, 2]], "lower").reason
    assert "there is 1" in friedman_test([[1, 2, 3]], "lower").reason
    assert "there are 0" in friedman_test([[1, NAN, 3]], "lower", failed="drop").reason
    assert friedman_test([[1.0]], "lower").degrees == 0


def test_failures_are_last_or_their_blocks_are_dropped() -> None:
    table = [[1.0, 2.0, NAN], [1.0, 2.0, 3.0], [NAN, NAN, NAN], [2.0, 1.0, 3.0]]
    as_worst = friedman_test(table, "lower")
    assert (as_worst.n_blocks, as_worst.failed) == (3, "worst")
    assert as_worst.statistic == friedman_test([[1, 2, 9], [1, 2, 3], [2, 1, 3]], "lower").statistic
    as_higher = friedman_test(table, "higher").statistic
    assert as_higher == friedman_test([[1, 2, 0], [1, 2, 3], [2, 1, 3]], "higher").statistic
    assert rank_blocks([None, 3.0, 4.0], "lower").tolist() == [[3.0, 1.0, 2.0]], "one block"
    dropped = friedman_test(table, "lower", failed="drop")
    assert (dropped.n_blocks, dropped.failed) == (2, "drop")


# ---- Cliques -------------------------------------------------------------------------------------


def test_cliques_by_hand() -> None:
    ranks = [1.0, 2.0, 2.5, 4.0]
    apart = np.abs(np.subtract.outer(ranks, ranks)) > 1.6
    assert find_cliques(ranks, apart) == ((0, 1, 2), (2, 3))
    assert find_cliques(ranks, np.ones((4, 4))) == ()
    assert find_cliques(ranks, np.zeros((4, 4))) == ((0, 1, 2, 3),)
    assert find_cliques([2.0] * 20, np.zeros((20, 20))) == (tuple(range(20)),), "ties in order"


@given(st.lists(st.integers(2, 12), min_size=2, max_size=8), st.randoms())
def test_cliques_are_the_longest_runs_without_a_different_pair(ranks: list[int], rng: Any) -> None:
    k = len(ranks)
    apart = np.zeros((k, k), dtype=bool)
    for i, j in itertools.combinations(range(k), 2):
        apart[i, j] = apart[j, i] = rng.random() < 0.3
    order = sorted(range(k), key=lambda i: ranks[i])
    runs = [
        tuple(order[i:j])
        for i, j in itertools.combinations(range(k + 1), 2)
        if j - i > 1 and not any(apart[a, b] for a in order[i:j] for b in order[i:j])
    ]
    longest = [run for run in runs if not any(set(run) < set(other) for other in runs)]
    assert set(find_cliques(ranks, apart)) == set(longest)


# ---- Pairs of algorithms -------------------------------------------------------------------------


def enumerated(differences: list[float]) -> float:
    """The two-sided p of signed ranks, by enumerating all signs."""
    moved = [d for d in differences if d]
    ranks = stats.rankdata(np.abs(moved))
    positive = sum(r for r, d in zip(ranks, moved, strict=True) if d > 0)
    away = abs(positive - ranks.sum() / 2)
    ways = [sum(w) for w in itertools.product(*((0.0, r) for r in ranks))]
    return sum(abs(way - ranks.sum() / 2) >= away - 1e-9 for way in ways) / len(ways)


def test_demsars_pair_with_ties_and_zeros() -> None:
    found = signed_rank_test(C45[:, 1], C45[:, 0], "higher")
    # Differences in thousandths: 5 -8 17 33 6 -5 7 0 63 0 22 47 9 21; the negative ones have the
    # ranks 5 and 1.5, as 5 and -5 are tied although their floats differ.
    assert (found.statistic, found.n_blocks, found.n_different) == (6.5, 14, 12)
    assert found.better == 10
    moved = [5, -8, 17, 33, 6, -5, 7, 0, 63, 0, 22, 47, 9, 21]
    assert found.p == pytest.approx(enumerated(list(map(float, moved))))


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_p_is_exact_with_ties(differences: list[int]) -> None:
    found = signed_rank_test(differences, np.zeros(len(differences)), "higher")
    assert (found.method, found.failed) == ("exact", "worst")
    if not any(differences):
        assert (found.p, found.statistic) == (1.0, 0.0)
    else:
        assert found.p == pytest.approx(enumerated(list(map(float, differences))))


@given(st.sets(st.integers(1, 60), min_size=1, max_size=30), st.randoms())
def test_p_without_ties_is_the_exact_one_of_scipy(sizes: set[int], rng: Any) -> None:
    differences = [float(s * rng.choice((-1, 1))) for s in sizes]
    found = signed_rank_test(differences, [0.0] * len(sizes), "lower")
    expected = stats.wilcoxon(differences, method="exact")
    assert found.p == pytest.approx(expected.pvalue)
    assert found.statistic == pytest.approx(expected.statistic)


def test_many_differences_have_the_approximation_of_scipy() -> None:
    one, other = np.random.default_rng(4).normal(size=(2, 150))
    found = signed_rank_test(one, other, "lower")
    assert found.method == "normal"
    expected = stats.wilcoxon(one, other, method="asymptotic")
    assert found.p == pytest.approx(expected.pvalue)
    assert found.statistic == pytest.approx(expected.statistic)
    assert signed_rank_test(one[:100], other[:100], "lower").method == "exact"
    assert signed_rank_test(one[:101], other[:101], "lower").method == "normal"


def test_a_failure_is_worse_than_any_number() -> None:
    one, other = [1.0, 2.0, 3.0, NAN], [NAN, NAN, 2.0, NAN]
    found = signed_rank_test(one, other, "higher")
    assert (found.n_blocks, found.n_different, found.better, found.statistic) == (4, 3, 3, 0.0)
    # The failures are the two largest differences, tied; against them stands the rank 1.
    assert signed_rank_test(one, [NAN, NAN, 4.0, NAN], "higher").statistic == 1.0
    dropped = signed_rank_test(one, other, "higher", failed="drop")
    assert (dropped.n_blocks, dropped.n_different) == (1, 1)
    assert dropped.failed == "drop"
    assert signed_rank_test([NAN], [1.0], "lower", failed="drop").reason == "there are no blocks"
    # The first fails once, by the largest difference, of rank 3; it is better by ranks 1 and 2.
    found = signed_rank_test([None, 2, 3], [5, 1, 1], "higher")
    assert (found.n_different, found.better, found.statistic) == (3, 2, 3.0)


def test_differences_are_ties_to_twelve_digits_of_the_numbers() -> None:
    for unit in (1.0, 1e-13):
        # 0.3 - 0.2 and 0.0 - 0.1 are tied although their floats differ: ranks 1.5, 1.5 and 3.
        first, second = [0.3 * unit, 0.0, NAN], [0.2 * unit, 0.1 * unit, 1.0]
        found = signed_rank_test(first, second, "higher")
        assert (found.statistic, found.n_different) == (1.5, 3)
    assert signed_rank_test([1, 2], [0, 0], "higher").n_different == 2


def test_equal_infinities_are_no_difference() -> None:
    found = signed_rank_test([math.inf, 1.0], [math.inf, 2.0], "lower")
    assert (found.n_blocks, found.n_different, found.better) == (2, 1, 1)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_its_definition(p: list[float]) -> None:
    order = sorted(range(len(p)), key=lambda i: p[i])
    expected = {
        i: min(1.0, max((len(p) - r) * p[order[r]] for r in range(place + 1)))
        for place, i in enumerate(order)
    }
    assert holm_adjusted(p).tolist() == pytest.approx([expected[i] for i in range(len(p))])


def test_with_how_many_blocks_a_difference_can_be_significant() -> None:
    assert (least_blocks(1), least_blocks(3)) == (6, 7)  # 2^-5 = 0.031; 3 * 2^-6 = 0.047
    assert (least_blocks(1, alpha=1.0), least_blocks(1, alpha=0.5)) == (1, 2)
    for n in (least_blocks(1) - 1, least_blocks(1)):
        p = signed_rank_test(np.arange(1.0, n + 1), np.zeros(n), "higher").p
        assert p is not None
        assert (p <= 0.05) == (n == least_blocks(1))


# ---- Profiles ------------------------------------------------------------------------------------


def test_ratios_by_hand() -> None:
    # Ratios: 1 2; 3 1; infinite for the failure; zeros are met by zeros alone.
    table = [[1.0, 2.0], [6.0, 2.0], [NAN, 5.0], [0.0, 4.0]]
    found = performance_profile(table, "lower")
    assert found.n_blocks == 4
    assert found.at(0.9) == [0.0, 0.0]
    assert found.at(1.0) == [0.5, 0.5]
    assert found.at(2.0) == [0.5, 0.75]
    assert found.at(1e9) == [0.75, 0.75]
    dropped = performance_profile(table, "lower", failed="drop")
    assert (dropped.n_blocks, dropped.at(3.0)) == (3, [1.0, pytest.approx(2 / 3)])
    assert found.by == "ratio"
    one_block = performance_profile([None, 2.0, 4.0], "lower")
    assert (one_block.n_blocks, one_block.at(1.5)) == (1, [0.0, 1.0, 0.0])
    assert performance_profile([], "lower").n_blocks == 0


def test_qualities_are_measured_by_their_difference_to_the_best() -> None:
    found = performance_profile([[0.9, 0.8], [-0.5, 0.5]], "higher", by="difference")
    assert found.at(0.0) == [0.5, 0.5]
    assert found.at(0.2) == [0.5, 1.0]
    with pytest.raises(ValueError, match="use differences"):
        performance_profile([[0.9, 0.8]], "higher")
    with pytest.raises(ValueError, match="use differences"):
        performance_profile([[-0.9, -0.8]], "higher")
    with pytest.raises(ValueError, match="use differences"):
        performance_profile([[-1.0, 2.0]], "lower")


@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0, math.inf, NAN]), min_size=3, max_size=3),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([1.0, 2.0, 6.0]),
)
def test_a_profile_follows_its_definition(table: list[list[float]], within: float) -> None:
    blocks = [row for row in table if not all(map(math.isnan, row))]
    share = [0, 0, 0]
    for row in blocks:
        best = min(value for value in row if not math.isnan(value))
        for i, value in enumerate(row):
            share[i] += bool(math.isfinite(value) and value <= within * best)
    found = performance_profile(table, "lower")
    assert found.at(within) == pytest.approx([s / max(len(blocks), 1) for s in share])
