"""The goals of the statistics, in 2,000 samples each; nightly, with ``-m nightly``."""

from __future__ import annotations

import pytest

from tests.core.pages.simulated_histories import constant_series, false_marks, found_share
from tests.core.simulated import (
    DISTRIBUTIONS,
    EQUAL,
    FAMILIES,
    MISSES,
    REPETITIONS,
    at_most,
    coverage_of,
    false_best,
    false_changes,
    false_ranks,
)

pytestmark = pytest.mark.nightly
SAMPLES = 2000


@pytest.mark.parametrize("n", REPETITIONS)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_intervals_of_means_cover_the_mean(name: str, n: int) -> None:
    """In 95 % for normal values; skew takes up to 2.7 % from Student's t at n = 5."""
    coverage = coverage_of(name, n, SAMPLES)
    assert 1 - coverage <= at_most(MISSES[name], SAMPLES)
    assert coverage <= at_most(0.95, SAMPLES)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize("n", [2, 3, 5, 10, 30])
@pytest.mark.parametrize("name", EQUAL)
def test_equal_algorithms_differ_in_at_most_5_percent(name: str, n: int, k: int) -> None:
    assert false_best(name, n, k, SAMPLES) <= at_most(0.05, SAMPLES)


@pytest.mark.parametrize("k", [1, 5, 20])
@pytest.mark.parametrize("n", [2, 3, 5, 10])
@pytest.mark.parametrize("name", EQUAL)
def test_runs_of_two_seeds_differ_in_at_most_5_percent(name: str, n: int, k: int) -> None:
    assert false_changes(name, n, k, SAMPLES) <= at_most(0.05, SAMPLES)


def test_sites_mark_at_most_1_of_20000_values_of_identical_commits() -> None:
    """400 benchmarks at 50 commits, ten times."""
    marks = sum(false_marks(history) for history in constant_series(10 * 400))
    assert marks <= 10


def test_sites_mark_a_step_of_20_percent_within_3_commits() -> None:
    """In 95 %, at a noise of 5 % and a history of 50 commits."""
    assert 1 - found_share(SAMPLES, commits=3) <= at_most(0.05, SAMPLES)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("design", FAMILIES)
def test_equal_algorithms_differ_over_families_in_at_most_5_percent(design: str, k: int) -> None:
    """Copies, parts and parameters of one source count once."""
    anywhere, of_pairs = false_ranks(design, k, SAMPLES)
    assert anywhere <= at_most(0.05, SAMPLES)
    assert of_pairs <= at_most(0.05, SAMPLES)
