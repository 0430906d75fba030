"""What is recommended for 50 tables with planted clusters; nightly, with ``-m nightly``."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plugins.recommend.planted_tables import KINDS, NEARLY, advise, simulate

pytestmark = pytest.mark.nightly


def test_the_first_is_nearly_the_best_and_noise_is_unstable():
    advices = simulate(50)
    for kind in ("separated normals", "nested normals", "gene modules"):
        stable = [one for one in advices if one.kind == kind and not one.is_unstable]
        assert len(stable) >= 7
        nearly = [one.aari >= one.best - NEARLY for one in stable]
        assert np.mean(nearly) >= 0.5
        assert np.mean([one.aari for one in stable]) > np.mean([one.mean for one in stable])
    noise = [one for one in advices if one.kind == "pure noise"]
    assert np.mean([one.is_unstable for one in noise]) >= 0.7


def test_hidden_modules_are_found_by_correlation():
    # Euclidean trees of the same table, which silhouettes prefer, have an AARI near 0.
    advice = advise(list(KINDS)[2], 2)
    assert "correlation" in advice.first or "cosine" in advice.first
    assert advice.aari > 0.9 > 0.1 > advice.by_silhouette
