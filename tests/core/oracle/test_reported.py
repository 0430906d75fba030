"""Numbers that algorithms report: checked, stored with the cell, and shown as columns."""

from __future__ import annotations

import csv
import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import hcbench
from hcbench.analysis.axes import find_metric
from hcbench.cli import main
from hcbench.errors import ParameterError
from hcbench.oracle import Answers, Oracle, Recorder
from hcbench.results.folder_reading import read_folder
from hcbench.results.folders import write_folder
from hcbench.results.overviews import make_tables
from hcbench.results.results import Results
from hcbench.store import Store
from hcbench.store.exchange import describe_run, import_run
from hcbench.store.merge import merge_stores
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


# ---- What a call that failed has cost ------------------------------------------------------------

ENERGY = "energy [J] (reported)"
STEPS = "steps (reported)"
# As a file, for workers and for the command line.
FAILING = """
from hcbench import AlgorithmSpec, hookimpl
from hcbench.errors import NotApplicableError


def chain(oracle, items, rng):
    oracle.report_cost("energy", 2, unit="J")
    oracle.report(steps=1)
    return [[0 if k == 0 else items.n + k - 1, k + 1] for k in range(items.n - 1)]


def raising(oracle, items, rng):
    oracle.report_cost("energy", 12.5, unit="J")
    oracle.report(steps=7)
    raise ValueError("no convergence")


def asking(oracle, items, rng):
    oracle.report_cost("energy", 3.5, unit="J")
    for _ in range(100):
        oracle.ask([[0, 1, 2, 3]])
    return chain(oracle, items, rng)


def labelling(oracle, items, rng):
    oracle.report_cost("energy", 4.5, unit="J")
    return [0] * items.n


@hookimpl
def hcbench_algorithms():
    specs = []
    for function in (chain, raising, labelling):
        name = function.__name__
        specs.append(AlgorithmSpec(name=name, function=function, doc="A.", accepts=("vectors",)))
    kinds = ("quadruplet-queries",)
    specs.append(AlgorithmSpec(name="asking", function=asking, doc="A.", accepts=kinds))
    return specs
"""
SPENT = {"chain": 2, "raising": 12.5, "asking": 3.5, "labelling": 4.5}


def run_failing(folder: Path, *arguments: str) -> Result:
    """Compare the four algorithms in workers."""
    (folder / "failing.py").write_text(FAILING)
    common = ["compare", "--plugin", str(folder / "failing.py"), "--budget", "20", "-r", "2"]
    algorithms = ["--algos", ",".join(SPENT), "--datasets", "iris[n=8]"]
    store = ["--store", str(folder / "s.sqlite")]
    return CliRunner().invoke(main, common + algorithms + store + list(arguments))


def spent(outcomes: Any) -> dict[str, float | None]:
    """What the algorithms have spent, by their names."""
    numbers = {}
    for outcome in outcomes:
        (point,) = outcome.points
        numbers[outcome.algorithm] = point.values[ENERGY].value
    return numbers


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of four algorithms, of which three fail."""
    folder = tmp_path_factory.mktemp("failed")
    done = run_failing(folder, "--metrics", "seconds,AARI", "--format", "json")
    assert done.exit_code == 1, done.output
    return folder


@pytest.fixture
def failed_results(failed: Path) -> Results:
    with Store(failed / "s.sqlite") as store:
        return Results.of_run(store, store.run())


def test_workers_send_what_a_failed_call_has_cost(failed_results: Results) -> None:
    outcomes = failed_results.outcomes
    assert {o.algorithm: o.status for o in outcomes} == {
        "chain": "ok",
        "raising": "error",
        "asking": "budget",
        "labelling": "error",
    }
    assert spent(outcomes) == SPENT
    for outcome in outcomes:
        if outcome.failed:
            (point,) = outcome.points
            assert point.values["AARI"].status == "skipped", "nothing is judged"


def test_it_is_shown_with_other_costs_of_the_cell_and_in_no_average(
    failed_results: Results,
) -> None:
    rows = {row["algorithm"]: row for row in failed_results.rows}
    assert {name: row["metrics"][ENERGY] for name, row in rows.items()} == SPENT
    assert rows["raising"]["metrics"][STEPS] == 7
    assert rows["asking"]["queries"] == 20, "as the queries of such a call are"
    assert rows["asking"]["metrics"][STEPS] is None
    for row in csv.DictReader(failed_results.to_csv().splitlines()):
        assert float(row[ENERGY]) == SPENT[row["algorithm"]]

    means = {}
    for summary in failed_results.summary:
        if summary["metric"] == ENERGY:
            means[summary["algorithm"]] = (summary["mean"], summary["n"], summary["failed"])
    assert means.pop("chain") == (2, 2, 0)
    assert set(means.values()) == {(None, 0, 2)}
    table = failed_results.table
    energy = table[table.metric == ENERGY]
    assert energy.has_value.tolist() == (energy.algorithm == "chain").tolist()
    assert energy.failed.tolist() == (energy.algorithm != "chain").tolist()
    (ranking,) = [r for r in failed_results.rankings if r.metric.label == ENERGY]
    assert ranking.competitors[0] == "chain", "which succeeded"
    assert "12.5" not in failed_results.to_markdown()


def test_a_cost_that_only_failed_calls_have_reported_needs_no_column(
    in_process: None, tmp_path: Path
) -> None:
    (tmp_path / "failing.py").write_text(FAILING)
    results = hcbench.compare(
        ["raising", "UPGMA"],
        {"line": VECTORS, "far": VECTORS * 9},
        metrics=["seconds"],
        repetitions=2,
        plugins=[tmp_path / "failing.py"],
        store=tmp_path / "s.sqlite",
    )
    assert [row["metrics"][ENERGY] for row in results.rows] == [12.5, None] * 4
    assert "energy" not in results.to_markdown()
    assert [metric.label for metric in results.metrics] == ["seconds"]
    assert ENERGY in results.to_csv().splitlines()[0]


def test_it_survives_export_import_folders_and_merging(failed: Path, tmp_path: Path) -> None:
    with Store(failed / "s.sqlite") as store, Store(tmp_path / "other.sqlite") as other:
        run = store.run()
        described = describe_run(store, run, trees=True)
        import_run(other, described, "the export")
        assert spent(other.cells(run=other.run().id)) == SPENT
        write_folder(described, tmp_path / "folder")
    with Store(tmp_path / "third.sqlite") as third:
        import_run(third, read_folder(tmp_path / "folder"), "the folder")
        assert spent(third.cells(run=third.run().id)) == SPENT
        again = describe_run(third, third.run(), trees=True)
        assert not write_folder(again, tmp_path / "folder").changed
        with Store(tmp_path / "other.sqlite") as other:
            merge_stores(third, [other])
        assert spent(third.cells()) == SPENT


def test_verifying_and_rescoring_accept_it(failed: Path, tmp_path: Path) -> None:
    shutil.copytree(failed, tmp_path, dirs_exist_ok=True)
    common = ["--plugin", str(tmp_path / "failing.py"), "--store", str(tmp_path / "s.sqlite")]
    runner = CliRunner()
    folder = str(tmp_path / "folder")
    exported = runner.invoke(
        main, ["results", "export", "--format", "folder", "-o", folder, *common[2:]]
    )
    assert exported.exit_code == 0, exported.output
    verified = runner.invoke(main, ["verify", folder, "--share", "1", *common[:2]])
    assert verified.exit_code == 0, verified.output
    assert "(reported)" not in verified.output, "no metric computes it"

    scored = runner.invoke(main, ["results", "rescore", "--metrics", "dasgupta", *common])
    assert scored.exit_code == 0, scored.output
    with Store(tmp_path / "s.sqlite") as store:
        outcomes = store.cells(run=store.run().id)
        tidy(store)
        assert spent(store.cells(run=store.run().id)) == SPENT
        cells = Results.of_run(store, store.run()).rows
    assert spent(outcomes) == SPENT
    assert {row["algorithm"]: row["metrics"]["dasgupta"] is None for row in cells} == {
        "chain": False,
        "raising": True,
        "asking": True,
        "labelling": True,
    }
    # A second run reuses the failures, with what they have cost.
    again = run_failing(tmp_path, "--metrics", "seconds,AARI", "--format", "json")
    rows = json.loads(again.stdout)["cells"]
    assert {row["algorithm"]: row["metrics"][ENERGY] for row in rows} == SPENT
    assert all(row["reused"] for row in rows)

    (key, *_) = [row["key"] for row in rows if row["algorithm"] == "raising"]
    shown = runner.invoke(main, ["rerun", key[:8], *common]).output
    (line,) = [line for line in shown.splitlines() if line.startswith(ENERGY)]
    assert line.split()[-4:] == ["12.500", "J", "12.500", "J"]
    assert "excluded" not in shown, "no metric computes it"
