"""Errors and power of ``regress``, for many pairs of commits; nightly, with ``-m nightly``."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import pytest

from tests.core.simulated import at_most
from tests.plugins.regress.simulated_commits import count_verdicts

pytest.importorskip("asv")
pytestmark = [pytest.mark.nightly, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

BENCHMARKS = 291


@pytest.mark.parametrize("process_effect", [0.0, 0.2])
@pytest.mark.parametrize("noise", [0.02, 0.05, 0.1])
def test_identical_commits_have_no_false_alarm(
    tmp_path: Path, noise: float, process_effect: float
) -> None:
    counts = count_verdicts(
        [1.0] * BENCHMARKS, tmp_path, 20, noise=noise, process_effect=process_effect
    )
    assert sum(counts.false) == 0


@pytest.mark.parametrize(
    ("slower", "benchmarks", "runs"),
    [(1, 291, 200), (10, 291, 40), (291, 291, 5), (327, 327, 5), (328, 328, 5), (1000, 1000, 2)],
)
def test_any_number_of_slowdowns_of_20_percent_is_detected(
    tmp_path: Path, slower: int, benchmarks: int, runs: int
) -> None:
    ratios = [1.2] * slower + [1.0] * (benchmarks - slower)
    counts = count_verdicts(ratios, tmp_path, runs, noise=0.05)
    assert counts.slower == runs * slower
    assert counts.detected / counts.slower >= 0.95


@pytest.mark.parametrize("process_effect", [0.0, 0.2])
@pytest.mark.parametrize("others", [1.0, 1.1])
@pytest.mark.parametrize("slower", [0, 10, 50])
def test_at_most_5_percent_of_discoveries_are_within_the_tolerance(
    tmp_path: Path, slower: int, others: float, process_effect: float
) -> None:
    """The others are unchanged, or slower by exactly the tolerance, where most errors are."""
    runs = 100
    ratios = [1.5] * slower + [others] * (100 - slower)
    counts = count_verdicts(ratios, tmp_path, runs, noise=0.05, process_effect=process_effect)
    rate = statistics.fmean(counts.false_shares)
    if slower == 0:
        # The share is 0 or 1: whether there is any false alarm.
        assert rate <= at_most(0.05, runs)
    else:
        error = statistics.stdev(counts.false_shares) / math.sqrt(runs)
        assert rate <= 0.05 + 3 * error
