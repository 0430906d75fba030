"""Simulations of the statistics that are shown: coverage, and false differences.

The tests draw few samples; each night tests/core/analysis/test_simulations.py draws 2,000.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.analysis.differences import paired_differences
from hcbench.analysis.results import Results
from hcbench.analysis.statistics import summarise
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench_results.differences import find_differences

Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]

#: Distributions by name, with their means.
DISTRIBUTIONS: Mapping[str, tuple[Draw, float]] = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "beta(18, 2)": (lambda rng, shape: rng.beta(18, 2, size=shape), 0.9),
}
#: As above, and a distribution of which most values are nearly 1.
EQUAL = {**DISTRIBUTIONS, "beta(2, .2)": (lambda rng, shape: rng.beta(2, 0.2, size=shape), 2 / 2.2)}
REPETITIONS = (3, 5, 10, 30)


def coverage_of(name: str, n: int, samples: int) -> tuple[float, float]:
    """How often the interval covers the mean, and two standard errors of that share."""
    draw, mean = DISTRIBUTIONS[name]
    covered = 0
    for values in draw(np.random.default_rng(n), (samples, n)):
        summary = summarise(values.tolist())
        assert summary.low is not None
        assert summary.high is not None
        covered += summary.low <= mean <= summary.high
    return covered / samples, 2 * math.sqrt(0.95 * 0.05 / samples)


def results_of(table: NDArray[np.float64], seed: int = 0) -> Results:
    """Results of algorithms on one generator, from their values (algorithms, repetitions)."""
    outcomes = [
        Outcome(
            key=f"{seed}/{algorithm}/{repetition}",
            algorithm=f"A{algorithm}",
            dataset="d",
            oracle="o",
            repetition=repetition,
            seed=seed,
            data_digest=f"{seed}/{repetition}",
            points=(ScoredPoint(values={"score": Value(float(value))}),),
        )
        for algorithm, row in enumerate(table)
        for repetition, value in enumerate(row)
    ]
    return Results(outcomes, (MetricInfo("score", "higher"),))


def false_best(name: str, n: int, k: int, samples: int) -> float:
    """How often at least one of k equal algorithms is said to differ from the best."""
    draw, _ = EQUAL[name]
    false = 0
    for table in draw(np.random.default_rng(100 * n + k), (samples, k, n)):
        pairs = paired_differences(results_of(table), "score")
        false += any(pair.differs for pair in pairs)
    return false / samples


def false_changes(name: str, n: int, k: int, samples: int) -> float:
    """How often at least one of k means is marked that differ by the seed of the run only."""
    draw, _ = EQUAL[name]
    false = 0
    for tables in draw(np.random.default_rng(100 * n + k), (samples, 2, k, n)):
        before, after = results_of(tables[0], 0), results_of(tables[1], 1)
        false += any(change.marked for change in find_differences(before, after))
    return false / samples


def at_most(level: float, samples: int) -> float:
    """What a share of a true probability `level` exceeds in one of 740 simulations."""
    return level + 3 * math.sqrt(level * (1 - level) / samples)
