"""Times of cells that have not run: of the same combination, or by a power law in n."""

from __future__ import annotations

import math

import pytest

from hcbench.plan.cell import Cell
from hcbench.plan.plan import make_plan
from hcbench.plan.time_estimates import StoredTime, estimate_time, fit_power_laws
from hcbench.registry import load_registry, with_defaults
from hcbench.registry.suite import Suite


def stored(
    n: int | None, seconds: float, dataset: str = "", algorithm: str = "UPGMA"
) -> StoredTime:
    label = dataset or f"planted[n={n}]"
    return StoredTime(algorithm=algorithm, dataset=label, oracle="vectors", n=n, seconds=seconds)


def cells(*datasets: str) -> list[Cell]:
    registry = load_registry()
    suite = Suite(
        name="s",
        algorithms=("UPGMA",),
        datasets=datasets,
        oracles=("vectors",),
        repetitions=1,
    )
    return list(make_plan(with_defaults(suite, registry), registry).cells)


def test_three_sizes_give_a_power_law_by_hand() -> None:
    # 2e-6 n^2, exactly.
    times = [stored(n, 2e-6 * n * n) for n in (100, 200, 1000)]
    (law,) = fit_power_laws(times).values()
    assert law.exponent == pytest.approx(2.0)
    assert law(10_000) == pytest.approx(200.0)
    assert (law.smallest, law.largest) == (100, 1000)


def test_two_sizes_of_an_algorithm_are_too_few() -> None:
    times = [stored(100, 1.0), stored(100, 2.0, dataset="other"), stored(200, 4.0)]
    assert fit_power_laws(times) == {}
    assert fit_power_laws([*times, stored(None, 1.0, dataset="a tree")]) == {}
    assert fit_power_laws([*times, stored(400, 1.0, algorithm="Ward")]) == {}


def test_times_that_fall_with_n_are_not_extrapolated() -> None:
    times = [stored(10, 4.0), stored(100, 2.0), stored(1000, 1.0)]
    (law,) = fit_power_laws(times).values()
    # The geometric mean of 4, 2 and 1.
    assert law(10**9) == pytest.approx(2.0)


def test_a_time_of_zero_is_no_error() -> None:
    (law,) = fit_power_laws([stored(n, 0.0) for n in (2, 3, 4)]).values()
    assert 0 < law(100) < math.inf


def test_the_same_combination_counts_before_the_power_law() -> None:
    planned = cells("shapes[n=100]", "shapes[n=2000]", "shapes[n=300]", "iris", "zoo")
    times = [
        stored(100, 5.0, dataset="shapes[n=100]"),
        stored(200, 0.4, dataset="shapes[n=200]"),
        stored(1000, 10.0, dataset="shapes[n=1000]"),
    ]
    # Another algorithm tells how many items iris has; of zoo nothing is known.
    times.append(stored(150, 1.0, dataset="iris", algorithm="Ward"))
    (law,) = [law for labels, law in fit_power_laws(times).items() if labels[0] == "UPGMA"]
    estimate = estimate_time(planned, times)
    assert (estimate.n_same, estimate.n_by_size, estimate.n_unknown) == (1, 3, 1)
    assert estimate.seconds == pytest.approx(5.0 + law(2000) + law(300) + law(150))
    assert (estimate.smallest, estimate.largest, estimate.farthest) == (100, 1000, 2000)
