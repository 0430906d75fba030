"""Simulated histories of benchmarks, as the site judges them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from hcbench.pages.site.histories import History, Measurement

NOISE = 0.05
STEP = 1.2
COMMITS = 50
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def as_history(values: list[float]) -> History:
    """The history of a time in seconds, measured each day."""
    measurements = []
    for i, value in enumerate(values):
        measurements.append(Measurement(f"c{i}", _FIRST + timedelta(days=i), value))
    return History("b.time_it", "", "s", "vm/env", tuple(measurements))


def constant_series(count: int, noise: float = NOISE, seed: int = 0) -> Iterator[History]:
    """Benchmarks at commits that change nothing."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield as_history(rng.normal(1, noise, COMMITS).tolist())


def false_marks(history: History) -> int:
    """The marks of a benchmark that has not changed, confirmed or not."""
    return len(history.regressions) + (history.to_be_confirmed is not None)


def found_share(
    count: int, commits: int, before: int = COMMITS - 3, noise: float = NOISE, seed: int = 0
) -> float:
    """The share of benchmarks in which a step is marked once it has so many commits.

    The mark may be one commit early or late.
    """
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(count):
        level = rng.normal(1, noise, before)
        later = STEP * rng.normal(1, noise, commits)
        history = as_history([*level.tolist(), *later.tolist()])
        positions = [history.measurements.index(step.at) for step in history.regressions]
        found += any(abs(position - before) <= 1 for position in positions)
    return found / count
