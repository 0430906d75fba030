"""The errors of recommendations, in 2,000 data sets each; nightly, with ``-m nightly``."""

from __future__ import annotations

import pytest

from tests.core.simulated import at_most
from tests.plugins.recommend.simulated_recommendations import (
    ITEMS,
    SUBSAMPLES,
    of_items,
    of_random_methods,
    recommend_often,
    true_means,
)

pytestmark = pytest.mark.nightly
SAMPLES = 2000


@pytest.mark.parametrize("n_metrics", [1, 3])
@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("subsamples", SUBSAMPLES)
def test_equal_methods_are_recommended_in_at_most_5_percent(
    subsamples: int, k: int, n_metrics: int
) -> None:
    shares = recommend_often(
        lambda rng: of_random_methods(rng, k, subsamples, n_metrics), k, SAMPLES
    )
    assert shares.uses <= at_most(0.05, SAMPLES)
    assert 1 - shares.holds_first <= at_most(0.05, SAMPLES)


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("n_metrics", [1, 3])
@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("subsamples", SUBSAMPLES)
def test_methods_that_are_equal_over_data_sets_are_recommended_in_at_most_5_percent(
    subsamples: int, k: int, n_metrics: int, items: str
) -> None:
    means = true_means(k)
    shares = recommend_often(
        lambda rng: of_items(rng, means, subsamples, n_metrics, items), k, SAMPLES
    )
    assert shares.uses <= at_most(0.05, SAMPLES)
    assert 1 - shares.holds_first <= at_most(0.05, SAMPLES)


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("subsamples", SUBSAMPLES)
def test_two_equal_methods_above_others_are_recommended_in_at_most_5_percent(
    subsamples: int, k: int, items: str
) -> None:
    means = true_means(k, 1.0)
    means[1] = 1.0
    shares = recommend_often(lambda rng: of_items(rng, means, subsamples, 1, items), k, SAMPLES)
    assert shares.uses <= at_most(0.05, SAMPLES)
    assert 1 - shares.holds_first <= at_most(0.05, SAMPLES)


@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("subsamples", [5, 10])
def test_a_better_method_is_recommended(subsamples: int, k: int) -> None:
    means = true_means(k, 1.0)
    shares = recommend_often(lambda rng: of_items(rng, means, subsamples, 1, "normal"), k, SAMPLES)
    assert shares.uses_first >= 0.9
    assert shares.uses == shares.uses_first
