"""Simulations of the statistics that are shown: coverage, and false differences.

The tests draw few samples; each night tests/core/analysis/test_simulations.py draws 2,000.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.analysis.differences import paired_differences
from hcbench.analysis.statistics import summarise
from hcbench.claims.looks import next_looks
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench.registry.suite import Claim, Suite
from hcbench.results.changes import find_differences
from hcbench.results.results import Results

Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]

#: Distributions by name, with their means.
DISTRIBUTIONS: Mapping[str, tuple[Draw, float]] = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "beta(18, 2)": (lambda rng, shape: rng.beta(18, 2, size=shape), 0.9),
}
#: As above, and a distribution of which most values are nearly 1.
EQUAL = {**DISTRIBUTIONS, "beta(2, .2)": (lambda rng, shape: rng.beta(2, 0.2, size=shape), 2 / 2.2)}
REPETITIONS = (3, 5, 10, 30)


#: How often Student's t misses the mean, at the number of repetitions where it does most often; of
#: beta(18, 2) in 200,000 samples of 5. For normal values it is exact.
MISSES = {"normal": 0.05, "beta(18, 2)": 0.077}


def coverage_of(name: str, n: int, samples: int) -> float:
    """How often the interval covers the mean."""
    draw, mean = DISTRIBUTIONS[name]
    covered = 0
    for values in draw(np.random.default_rng(n), (samples, n)):
        summary = summarise(values.tolist())
        assert summary.low is not None
        assert summary.high is not None
        covered += summary.low <= mean <= summary.high
    return covered / samples


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


#: Designs with families of data sets, by name: the number of data sets of each family, that of
#: repetitions, whether these have new data, and the standard deviations of what an algorithm gains
#: by chance on a family, on a data set, and in a repetition.
FAMILIES: Mapping[str, tuple[tuple[int, ...], int, bool, tuple[float, float, float]]] = {
    "twelve sizes of one data set": ((12,), 1, False, (1.0, 0.3, 0.1)),
    "one table in three preprocessings": ((3,), 1, False, (1.0, 0.3, 0.1)),
    "a grid of one generator, one repetition": ((12,), 1, True, (1.0, 0.3, 1.0)),
    "a grid of one generator, 8 repetitions": ((12,), 8, True, (0.0, 0.0, 1.0)),
    "8 families of 1 to 12 data sets": ((1, 1, 1, 2, 3, 4, 12, 12), 1, False, (1.0, 0.5, 0.1)),
    "12 families of 1 or 2 data sets": ((1, 2) * 6, 2, True, (1.0, 1.0, 1.0)),
}


def results_of_families(
    design: str, k: int, rng: np.random.Generator, *, count_families: bool = True
) -> Results:
    """Results of k algorithms that are equal on average over families.

    Parameters
    ----------
    design : str
        One of `FAMILIES`.
    k : int
    rng : Generator
    count_families : bool
        Whether families are known; otherwise each data set is its own.
    """
    sizes, repetitions, has_new_data, (of_family, of_dataset, of_repetition) = FAMILIES[design]
    outcomes = []
    families = {}
    for family, size in enumerate(sizes):
        gains = of_family * rng.normal(size=k)
        for variant in range(size):
            dataset = f"f{family}[v={variant}]"
            families[dataset] = f"f{family}" if count_families else dataset
            gains_here = gains + of_dataset * rng.normal(size=k)
            for repetition in range(repetitions):
                values = gains_here + of_repetition * rng.normal(size=k)
                digest = f"{dataset}/{repetition if has_new_data else 0}"
                outcomes += [
                    Outcome(
                        key=f"{dataset}/{algorithm}/{repetition}",
                        algorithm=f"A{algorithm}",
                        dataset=dataset,
                        oracle="o",
                        repetition=repetition,
                        seed=0,
                        data_digest=digest,
                        points=(ScoredPoint(values={"score": Value(float(value))}),),
                    )
                    for algorithm, value in enumerate(values)
                ]
    return Results(outcomes, (MetricInfo("score", "higher"),), families=families)


def false_ranks(
    design: str, k: int, samples: int, *, count_families: bool = True
) -> tuple[float, float]:
    """How often equal algorithms are said to differ: by the global test, and any two of them."""
    rng = np.random.default_rng(k)
    anywhere = 0
    of_pairs = 0
    for _ in range(samples):
        results = results_of_families(design, k, rng, count_families=count_families)
        (ranking,) = results.rankings
        anywhere += ranking.differs_anywhere
        of_pairs += any(pair.differs for pair in ranking.pairs)
    return anywhere / samples, of_pairs / samples


def at_most(level: float, samples: int) -> float:
    """What a share of a true probability `level` exceeds in one of 740 simulations."""
    return level + 3 * math.sqrt(level * (1 - level) / samples)


#: Distributions of the values of a claim: draws, the mean, and the interval of the metric.
JUDGED: Mapping[str, tuple[Draw, float, str]] = {
    "normal": (*DISTRIBUTIONS["normal"], "(-inf, inf)"),
    "beta(18, 2)": (*DISTRIBUTIONS["beta(18, 2)"], "[0, 1]"),
    "0 or 1, p = .9": (lambda rng, shape: (rng.random(shape) < 0.9) * 1.0, 0.9, "{0, 1}"),
}
_MOST_REPETITIONS = 200


def words_while_adding(
    values: NDArray[np.float64], planned: int, interval: str, **fields: Any
) -> Iterator[tuple[int, str]]:
    """The verdicts on a claim while repetitions are added, with their number, at each look."""
    suite = Suite(
        name="s",
        repetitions=planned,
        claims=(Claim(claim="c", algorithm="A0", dataset="d", metric="score", **fields),),
    )
    metric = MetricInfo("score", "higher", interval=interval)
    everything = results_of(values[np.newaxis, :]).outcomes
    for look in next_looks(planned, 1, most=len(values)):
        results = Results(everything[: look.repetitions], (metric,), suite)
        (verdict,) = results.judged
        yield look.repetitions, verdict.verdict


def false_while_adding(name: str, planned: int, relation: str, samples: int) -> float:
    """How often a claim has a false verdict at any number of repetitions up to 200.

    The claim names the true mean: "=" and ">=" hold, and are false if they differ; ">" does not
    hold, and is false if it is reproduced.
    """
    draw, mean, interval = JUDGED[name]
    wrong = "reproduced" if relation == ">" else "differs"
    false = 0
    for values in draw(np.random.default_rng(planned), (samples, _MOST_REPETITIONS)):
        verdicts = words_while_adding(
            values, planned, interval, paper=f"{mean:.9f}", relation=relation
        )
        false += any(word == wrong for _, word in verdicts)
    return false / samples
