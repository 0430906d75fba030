"""Numbers that callers pass: those of numpy count as Python's, and anything else is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench.errors import HcbenchError, ParameterError
from hcbench.model.arguments import number_above, number_from, whole_number

X = np.random.default_rng(0).normal(size=(8, 2))
TREE = hcbench.fit("UPGMA", X)
LEVELS = hcbench.Problem(n=8, vectors=X, levels=np.array([[0, 1] * 4]).T)

#: Calls with a whole number that 2 is right for.
WHOLE: dict[str, Callable[[Any], object]] = {
    "k": lambda value: TREE.cut(value).labels.tolist(),
    "depth": lambda value: TREE.cut_depth(value).labels.tolist(),
    "cluster": lambda value: TREE.cut(4).members(value).tolist(),
    "seed": lambda value: hcbench.fit("Random", X, seed=value).to_newick(),
    "n": lambda value: hcbench.ask_oracle("pair-queries", bool, n=value).n,
    "items": lambda value: hcbench.Problem(n=value, vectors=X[:2]).n,
    "comparisons": lambda value: len(hcbench.Comparisons(value, [], [])),
    "min_items": lambda value: (
        hcbench.AlgorithmSpec(
            name="A", function="a:b", doc="", accepts=("vectors",), min_items=value
        ).name
    ),
    "budget": lambda value: hcbench.ask_oracle("pair-queries", bool, n=3, budget=value).n,
}
NO_WHOLE = ["3", 2.5, True, float("nan"), float("inf"), [1], {}]

SETTINGS = ("repetitions", "seed", "threads", "checkpoints", "n_jobs", "budget")


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_of_any_type_are_the_same(name: str) -> None:
    call = WHOLE[name]
    expected = call(2)
    for value in (np.int64(2), np.uint8(2), 2.0, np.float32(2)):
        assert call(value) == expected


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("value", NO_WHOLE, ids=repr)
def test_what_is_no_whole_number_is_told(name: str, value: object) -> None:
    if name == "budget" and value == "3":
        return  # as the command line writes it
    with pytest.raises(HcbenchError) as raised:
        WHOLE[name](value)
    assert repr(value) in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("value", [-1, "3", None, True, 2.5, [1], float("nan")], ids=repr)
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_a_comparison_are_told(name: str, value: Any, tmp_path: Path) -> None:
    allowed = {"checkpoints": ([1],), "budget": ([1], "3", None), "n_jobs": (None,)}
    if value in allowed.get(name, ()):
        return
    with pytest.raises(HcbenchError) as raised:
        hcbench.compare(["UPGMA"], X, **{name: value}, store=tmp_path / "store.sqlite")
    shown = value[0] if name in ("checkpoints", "budget") and isinstance(value, list) else value
    assert repr(shown) in str(raised.value)
    assert name.removesuffix("s") in str(raised.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": "3"}, "timeout must be a number above 0, got '3'"),
        ({"timeout": 0}, "timeout must be a number above 0, got 0"),
        ({"memory": float("nan")}, "memory must be a number above 0, got nan"),
        ({"n_jobs": -1}, "n_jobs must be a whole number from 1, got -1; None is one for each core"),
        ({"families": "raw"}, "families maps the name of a data set to its family"),
        ({"oracles": [1]}, "an oracle is a name, such as 'vectors'; got 1"),
        ({"oracles": None}, r"oracles are names, such as \['vectors'\]; got None"),
    ],
)
def test_other_settings_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(HcbenchError, match=message):
        hcbench.compare(["UPGMA"], X, **options)


def test_settings_of_numpy_find_the_same_results(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    first = hcbench.compare(["UPGMA"], X, repetitions=2, seed=1, checkpoints=5, store=store)
    again = hcbench.compare(
        ["UPGMA"],
        X,
        repetitions=np.int64(2),
        seed=np.int32(1),
        checkpoints=np.array([5]),
        timeout=np.float64(300),
        threads=np.int64(1),
        store=store,
    )
    assert [each.key for each in again.outcomes] == [each.key for each in first.outcomes]


def test_numbers_and_their_bounds() -> None:
    assert type(whole_number(np.int64(3), "n")) is int
    assert type(number_above(np.float32(0.5), "x")) is float
    assert number_from(0, "x") == 0.0
    for wrong in (0, -1, float("inf"), "1", True, None):
        with pytest.raises(ParameterError, match="x must be a number above 0"):
            number_above(wrong, "x")
    for wrong in (-0.1, float("nan"), float("inf"), None):
        with pytest.raises(ParameterError, match="x must be a number from 0"):
            number_from(wrong, "x")
    with pytest.raises(ParameterError, match=r"n must be a whole number, got 1\.5"):
        whole_number(1.5, "n")


@pytest.mark.parametrize("tolerance", ["3", -1, float("nan"), None], ids=repr)
def test_a_tolerance_is_a_number_from_0(tolerance: Any) -> None:
    for call in (
        TREE.collapse_ties,
        lambda tol: hcbench.AllComparisons.from_similarity(X @ X.T, tol),
    ):
        with pytest.raises(HcbenchError, match="must be a number from 0, got"):
            call(tolerance)


@pytest.mark.parametrize("height", ["3", float("nan"), None, [1]], ids=repr)
def test_a_height_is_a_number(height: Any) -> None:
    with pytest.raises(HcbenchError, match="the height of a cut must be a number, got"):
        TREE.cut_height(height)
