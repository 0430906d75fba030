"""Numbers that algorithms report: checked, stored with the cell, and shown as columns."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench.analysis.axes import find_metric
from hcbench.errors import ParameterError
from hcbench.oracle import Answers, Oracle, Recorder
from hcbench.results.overviews import make_tables
from hcbench.results.results import Results
from hcbench.store import Store
from hcbench.store.exchange import describe_run, import_run
from hcbench.store.tidying import tidy

VECTORS = np.arange(6.0)[:, None]


def caterpillar(n: int) -> Any:
    return [[0 if k == 0 else n + k - 1, k + 1] for k in range(n - 1)]


def counting(oracle: Any, items: Any, rng: Any) -> Any:
    oracle.read()
    oracle.report(iterations=12, objective=0.25)
    oracle.report(objective=np.float32(0.5))
    return caterpillar(items.n)


def silent(oracle: Any, items: Any, rng: Any) -> Any:
    return caterpillar(items.n)


def spec_of(function: Any) -> hcbench.AlgorithmSpec:
    name = function.__name__
    return hcbench.AlgorithmSpec(name=name, function=function, doc="A test.", accepts=("vectors",))


ALGORITHMS = [spec_of(function) for function in (counting, silent)]


def metered(oracle: Any, items: Any, rng: Any) -> Any:
    oracle.report_cost("energy", 1.5, unit="J")
    oracle.report_cost("energy", rng.uniform(2, 3), unit="J")
    oracle.report_cost("GPU memory", 2**20, unit="bytes")
    return caterpillar(items.n)


def frugal(oracle: Any, items: Any, rng: Any) -> Any:
    oracle.report_cost("energy", 1, unit="J")
    return caterpillar(items.n)


@pytest.fixture
def results(in_process: None, tmp_path: Path) -> Results:
    return hcbench.compare(
        ALGORITHMS, {"line": VECTORS}, repetitions=2, store=tmp_path / "s.sqlite"
    )


@pytest.mark.parametrize(
    ("numbers", "problem"),
    [
        ({"loss": math.nan}, "loss cannot be reported: nan is no finite number"),
        ({"loss": math.inf}, "inf is no finite number"),
        ({"loss": "low"}, "'low' is no finite number"),
        ({"loss": 1j}, "no finite number"),
        ({"x" * 31: 1.0}, "at most 30 characters"),
        ({"two\nlines": 1.0}, "at most 30 characters"),
        ({f"x{k}": k for k in range(20)}, "at most 20 numbers, not 21"),
    ],
)
def test_a_number_that_is_not_finite_or_has_a_long_name_is_refused(
    numbers: dict[str, Any], problem: str
) -> None:
    oracle = Oracle(Answers(kind="vectors", n=3))
    oracle.report(loss=1)
    with pytest.raises(ParameterError, match=problem):
        oracle.report(**numbers)
    assert Recorder(oracle).reported == {"loss": 1.0}


@pytest.mark.slow
def test_reported_numbers_are_columns_beside_the_metrics(results: Any, tmp_path: Path) -> None:
    of = {row["algorithm"]: row["metrics"] for row in results.rows}
    assert of["counting"]["iterations (reported)"] == 12
    assert of["counting"]["objective (reported)"] == 0.5, "the last one stated"
    assert of["silent"]["iterations (reported)"] is None
    with (tmp_path / "r.csv").open("w") as file:
        file.write(results.to_csv())
    with (tmp_path / "r.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["objective (reported)"] for row in rows] == ["0.5", "", "0.5", ""]
    table = results.table
    chosen = table[(table.metric == "iterations (reported)") & table.has_value]
    assert chosen.value.tolist() == [12, 12]
    header, line = (
        [cell.strip() for cell in text.split("|")]
        for text in results.to_markdown().splitlines()
        if "objective" in text or text.startswith("| counting")
    )
    assert line[header.index("iterations (reported)")] == "12.000"
    assert all("(reported)" not in ranking.metric.label for ranking in results.rankings)
    titles = [block.title for block in make_tables(results, most=0)]
    assert not any("(reported)" in title for title in titles), "a table of one algorithm's numbers"


@pytest.mark.slow
def test_they_are_stored_exported_imported_and_not_tidied_away(
    results: Any, tmp_path: Path
) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        run = store.run()
        tidy(store)
        described = describe_run(store, run)
        stored = dict.fromkeys(o.algorithm for o, _ in store.outcomes(run=run.id))
        for outcome, _ in store.outcomes(run=run.id):
            stored[outcome.algorithm] = outcome.points[-1].values.get("objective (reported)")
    assert stored["counting"].value == 0.5
    assert stored["silent"] is None
    with Store(tmp_path / "other.sqlite") as other:
        import_run(other, described, "the export")
        again = Results.of_run(other, other.run())
        assert "iterations (reported)" in [metric.label for metric in again.metrics]
        (summary,) = [
            row
            for row in again.summary
            if row["algorithm"] == "counting" and row["metric"] == "iterations (reported)"
        ]
        assert (summary["mean"], summary["n"]) == (12, 2)


@pytest.mark.slow
def test_a_run_that_reuses_or_rescores_cells_shows_what_they_reported(
    in_process: None, tmp_path: Path
) -> None:
    groups = [0, 1, 2, 3, 4, 5, 100, 101, 102, 103, 104, 105, 300]
    table = tmp_path / "groups.csv"
    table.write_text("x,class\n" + "".join(f"{x},{x // 100}\n" for x in groups))
    for metrics in (["AARI"], ["AARI"], ["AARI", "kendall-tau-b"]):
        results = hcbench.compare(
            ["HDBSCAN[min_cluster_size=3]"],
            [str(table)],
            metrics=metrics,
            repetitions=1,
            store=tmp_path / "s.sqlite",
        )
        (row,) = results.rows
        reported = {k: v for k, v in row["metrics"].items() if k not in metrics}
        assert reported == {"clusters (reported)": 2, "noise (reported)": 1}
    assert row["reused"]


# ---- Costs without a column of their own ---------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "amount", "unit", "problem"),
    [
        ("energy", -1.0, "J", "is no cost: it is negative"),
        ("energy", math.nan, "J", "nan is no finite number"),
        ("energy", 1.0, "", "'' is no unit"),
        ("energy", 1.0, "J]", "'J\\]' is no unit"),
        ("energy [J]", 1.0, "J", "'energy \\[J\\]' is no name of a cost"),
        ("", 1.0, "J", "'' is no name of a cost"),
        ("x" * 30, 1.0, "J", "at most 30 characters"),
    ],
)
def test_a_cost_is_a_name_an_amount_and_a_unit(
    name: str, amount: float, unit: str, problem: str
) -> None:
    oracle = Oracle(Answers(kind="vectors", n=3))
    oracle.report_cost("energy", 1, unit="J")
    with pytest.raises(ParameterError, match=problem):
        oracle.report_cost(name, amount, unit=unit)
    assert Recorder(oracle).reported == {"energy [J]": 1.0}


@pytest.mark.slow
def test_a_new_cost_is_stored_ranked_and_drawn_as_others(in_process: None, tmp_path: Path) -> None:
    results = hcbench.compare(
        [spec_of(metered), spec_of(frugal)],
        {"line": VECTORS, "far": VECTORS * 9, "wide": VECTORS**2},
        metrics=["seconds"],
        repetitions=3,
        store=tmp_path / "s.sqlite",
    )
    infos = {metric.label: metric for metric in results.metrics}
    energy = infos["energy [J] (reported)"]
    assert (energy.direction, energy.unit, energy.cost) == ("lower", "J", True)
    assert infos["GPU memory [bytes] (reported)"].unit == "bytes"
    assert find_metric(results, "energy") is energy
    assert find_metric(results, "energy [J] (reported)") is energy
    # Less is better, and a suite that judges costs ranks by it.
    (ranking,) = [ranking for ranking in results.rankings if ranking.metric is energy]
    assert ranking.competitors[0] == "frugal"
    # Energy varies with the machine, also of an algorithm that uses no random numbers.
    assert not any(group.is_exact(energy) for group in results.groups)
    text = results.to_csv()
    assert "energy [J] (reported)" in text
    with Store(tmp_path / "s.sqlite") as store:
        described = describe_run(store, store.run())
    with Store(tmp_path / "other.sqlite") as other:
        import_run(other, described, "the export")
        again = Results.of_run(other, other.run())
    assert energy in again.metrics
    assert [row["metrics"] for row in again.rows] == [row["metrics"] for row in results.rows]
