"""The bias of branch support, in 100 planted trees; nightly, with ``-m nightly``."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.api.planted_branches import simulate

pytestmark = pytest.mark.nightly


def test_support_of_95_percent_by_features_is_sure_and_by_items_is_too_large():
    branches = simulate(100)
    by_features = branches.support["features"]
    assert branches.is_true[by_features >= 0.95].mean() >= 0.95
    # Subsamples share items, so that also wrong branches are found again.
    by_items = branches.support["items"]
    assert branches.is_true.mean() < by_items.mean()
    assert np.mean(by_items) > np.mean(by_features)
