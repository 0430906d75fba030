"""Each check of data sets, and no other, detects a data set with that error."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from hcbench import DataNotAvailableError, DataRequest, DatasetSpec, Parameter, Problem, Tree
from tests.core.testing.checking import failed, passed, skipped


def clouds(request, *, n=20):
    """Two clouds of points.

    Parameters
    ----------
    request : DataRequest
    n : int
        Number of points.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    levels = np.arange(n)[:, None] % 2
    names = tuple(f"point {i}" for i in range(n))
    return Problem(n=n, names=names, vectors=rng.normal(size=(n, 2)) + 5 * levels, levels=levels)


CLOUDS = DatasetSpec(
    name="clouds",
    function=clouds,
    doc="Two clouds.",
    parameters=(Parameter("n", 20, "Number of points.", interval="[2, inf)"),),
    provides=("vectors", "levels", "truth"),
)


def wrong(change, **changes):
    def made(request, *, n=20):
        """Two clouds of points, with an error."""
        seed = request.seed
        problem = clouds(request, n=n)
        return replace(problem, **change(problem, seed))

    return replace(CLOUDS, function=made, **changes)


def by_process(problem, seed):
    return {"vectors": problem.vectors + os.getpid() * 1e-6}


def unseeded(problem, seed):
    return {"vectors": problem.vectors + np.random.default_rng().random()}


def always_the_same(problem, seed):
    return {"vectors": clouds(DataRequest(seed=0), n=problem.n).vectors}


def global_numbers(problem, seed):
    np.random.rand()  # noqa: NPY002
    return {}


def prints(problem, seed):
    print("drawing")  # noqa: T201
    return {}


def points(request, *, n=None):
    """A sample of 30 points, which are the same for all seeds.

    Parameters
    ----------
    request : DataRequest
    n : int, optional
        Number of points; by default all.
    """
    seed = request.seed
    levels = np.arange(30)[:, None] % 2
    vectors = np.random.default_rng(0).normal(size=(30, 2)) + 5 * levels
    chosen = np.arange(30)
    if n is not None:
        chosen = np.random.default_rng(seed).permutation(30)[:n]
    return Problem(n=chosen.size, vectors=vectors[chosen], levels=levels[chosen])


def has_n(params):
    return params["n"] is not None


POINTS = DatasetSpec(
    name="points",
    function=points,
    doc="Thirty points, or a sample.",
    parameters=(Parameter("n", None, "Number of points.", type="int", interval="[2, inf)"),),
    provides=("vectors", "levels", "truth"),
    random=has_n,
    dependent=has_n,
)


def another_truth(problem, seed):
    levels = (np.arange(problem.n) % 4 == 0)[:, None].astype(np.int64)
    return {"truths": {"t": Tree.from_levels(levels, names=problem.names)}}


def two_truths(problem, seed):
    return {"truths": {"t": problem.truth, "u": problem.truth}}


def class_by_class(problem, seed):
    levels = np.sort(problem.levels, axis=0)
    return {"levels": levels, "truths": {"t": Tree.from_levels(levels, names=problem.names)}}


def fewer(request, *, n=20):
    """Two clouds, one point less."""
    return clouds(request, n=n - 1)


def a_pair(request, *, n=20):
    """No problem."""
    problem = clouds(request, n=n)
    return problem.vectors, problem.levels


def not_finite(problem, seed):
    return {"vectors": np.full((problem.n, 2), np.nan)}


def absent(_request, *, n=20):
    """Two clouds that are not available."""
    raise DataNotAvailableError("clouds: no clouds.csv; get it from example.org")


@pytest.mark.slow
def test_a_valid_plugin_passes_all_checks():
    assert failed(CLOUDS) == {}
    assert set(skipped(CLOUDS)) == {"key"}  # it is the caller's own
    assert {"another_process", "independent", "random", "size", "truth"} <= passed(CLOUDS)
    assert failed(POINTS) == {}
    assert "independent" in skipped(POINTS)


@pytest.mark.slow
def test_datasets() -> None:
    for check, spec, sentence in [
        ("another_process", wrong(by_process), "other data for the same seed in another process"),
        ("random", wrong(always_the_same), "is declared random and yields the same data"),
        ("random", replace(CLOUDS, random=False), "is declared not random and yields other data"),
        (
            "provides",
            replace(CLOUDS, provides=("vectors",)),
            "yields levels, truth and does not declare it",
        ),
        ("size", replace(CLOUDS, function=fewer), "yields 19 items with n=20"),
        ("truth", wrong(another_truth), "levels of which 2 classes are clusters of no truth"),
        ("truth", wrong(two_truths), "declares the truths () and yields t, u, in this order"),
        (
            "truth",
            wrong(two_truths, truths=("u", "t")),
            "declares the truths (u, t) and yields t, u",
        ),
        (
            "item_order",
            wrong(class_by_class),
            "numbers its items in the order of the truth: neighbours share clusters of 10.5 items",
        ),
        (
            "independent",
            replace(POINTS, dependent=False),
            "of the same 24 items for two seeds; declare dependent=True",
        ),
        ("global_random_state", wrong(global_numbers), "uses a global generator"),
        ("nothing_printed", wrong(prints), "prints 'drawing'"),
        ("signature", replace(CLOUDS, parameters=()), "does not declare n"),
        ("documented", replace(CLOUDS, doc=""), "has no doc"),
    ]:
        found = failed(spec)
        assert set(found) == {check}
        assert sentence in found[check]


def test_missing_declared_fields_are_detected():
    """A cell would refuse it, too."""
    provides = ("vectors", "levels", "truth", "similarity")
    found = failed(replace(CLOUDS, provides=provides))
    assert set(found) == {"provides", "another_process"}
    assert "declares similarity and does not yield it" in found["provides"]


def test_unseeded_randomness_is_detected():
    found = failed(wrong(unseeded))
    assert set(found) == {"same_seed", "another_process", "global_random_state"}


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (replace(CLOUDS, function=a_pair), "returns tuple; a data set returns a Problem"),
        (wrong(not_finite), "holds NaN or infinite values"),
    ],
)
def test_no_problem_at_all(spec, sentence):
    assert sentence in failed(spec)["valid_problem"]


def test_missing_data_are_not_a_failure():
    spec = replace(CLOUDS, function=absent)
    assert failed(spec) == {}
    assert "get it from example.org" in skipped(spec)["same_seed"]
