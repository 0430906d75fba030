"""Metrics of several numbers: each is a metric of its own, in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench import MetricSpec, Output, Problem, Scored, Tree
from hcbench.errors import InvalidSpecError
from hcbench.model import Cost

CALLS: list[float] = []
NAMES = (
    Output(name="low", doc="The least.", direction="lower", interval="[0, inf)"),
    Output(name="high", doc="The most.", unit="s"),
)


def extremes(scored: Scored, factor: float = 1.0) -> dict[str, float]:
    """Two numbers."""
    CALLS.append(factor)
    return {"low": factor, "high": factor * scored.result.n}


def spec(**changes: Any) -> MetricSpec:
    values: dict[str, Any] = {
        "name": "extremes",
        "function": extremes,
        "doc": "Two numbers.",
        "direction": "higher",
        "parameters": (hcbench.Parameter("factor", 1.0, "Of both."),),
        "outputs": NAMES,
    }
    return MetricSpec(**{**values, **changes})


def test_each_output_has_what_it_declares_and_the_rest_of_the_metric() -> None:
    low, high = spec().split()
    assert (low.name, low.doc, low.direction, low.interval) == (
        *("extremes.low", "The least.", "lower", "[0, inf)"),
    )
    assert (high.name, high.direction, high.unit, high.interval) == (
        *("extremes.high", "higher", "s", "(-inf, inf)"),
    )
    assert spec(outputs=()).split() == [spec(outputs=())]
    with pytest.raises(InvalidSpecError, match="an output is declared twice"):
        spec(outputs=NAMES[:1] * 2)


def test_the_numbers_of_one_result_are_computed_once() -> None:
    CALLS.clear()
    low, high = (part.load() for part in spec().split())
    scored = Scored(problem=Problem(n=2), result=Tree([2, 2, -1]), cost=Cost())
    assert (low(scored), high(scored)) == (1, 2)
    assert (low(scored, factor=3.0), high(scored, factor=3.0)) == (3, 6)
    other = Scored(problem=Problem(n=3), result=Tree([3, 3, 3, -1]), cost=Cost())
    assert (low(other), high(other)) == (1, 3)
    assert CALLS == [1, 3, 1]


def test_a_number_that_is_missing_is_named() -> None:
    (part,) = spec(function=lambda _: {"low": 1.0}, outputs=NAMES[1:]).split()
    scored = Scored(problem=Problem(n=2), result=Tree([2, 2, -1]), cost=Cost())
    with pytest.raises(InvalidSpecError, match=r"returned no high, but \{'low': 1.0\}"):
        part.load()(scored)


@pytest.mark.slow
def test_the_name_stands_for_all_columns(in_process: None, tmp_path: Path) -> None:
    plugin = tmp_path / "two.py"
    plugin.write_text(
        "from tests.core.registry.test_outputs import spec\n"
        "from hcbench import hookimpl\n"
        "@hookimpl\n"
        "def hcbench_metrics():\n"
        "    return [spec()]\n"
    )
    registry = hcbench.load_registry([plugin])
    every = ["extremes.high", "extremes.low"]
    assert [use.label for use in registry.use_metrics("extremes")] == every
    assert [use.label for use in registry.use_metrics("EXTREMES[factor=2]")] == [
        f"{name}[factor=2.0]" for name in every
    ]
    assert [use.label for use in registry.use_metrics("extremes.low")] == ["extremes.low"]
    points = {"line": np.arange(4.0)[:, None]}
    results = hcbench.compare(
        ["Random"], points, metrics=[spec()], repetitions=1, store=tmp_path / "s.sqlite"
    )
    (row,) = results.rows
    assert row["metrics"] == {"extremes.low": 1, "extremes.high": 4}
    assert [(m.label, m.direction, m.unit) for m in results.metrics] == [
        ("extremes.low", "lower", ""),
        ("extremes.high", "higher", "s"),
    ]
