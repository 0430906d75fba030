"""Data sets with several true hierarchies: each is scored, and the best is marked."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench import Problem, Results, Tree
from hcbench.analysis.tables import BEST_TRUTH
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo, Presentation
from hcbench.results.dataset_tables import dataset_block
from hcbench.run import make_data
from hcbench.store import Store

pytestmark = pytest.mark.usefixtures("in_process")

ROWS = ["name,x,side,part", "a,0,l,p", "b,1,l,p", "c,4,l,q", "d,20,r,s", "e,21,r,s", "f,25,r,t"]
TWO = "[names=name,labels=[side,part],truth='{}']"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plants.csv").write_text("\n".join(ROWS))
    (tmp_path / "mixed.nwk").write_text("((a,d),(b,e),(c,f));")
    return tmp_path


def test_each_truth_of_a_data_set_has_its_column_and_the_nearest_is_marked(folder: Path) -> None:
    data = f"{folder}/plants.csv" + TWO.format(folder / "mixed.nwk")
    results = hcbench.compare(
        algos=["UPGMA", "Truth"],
        datasets=[data],
        metrics=["AARI", "seconds"],
        repetitions=1,
        store=":memory:",
    )
    assert [m.label for m in results.metrics] == ["AARI", "AARI[truth=labels]", "seconds"]
    block = dataset_block(results, results.datasets[0])
    rows = {row[0].text: row for row in block.rows}
    marked = block.notes.index(BEST_TRUTH) + 1
    # UPGMA of these points is the tree of the labels; the first truth is the Newick file.
    assert rows["UPGMA"][2].text == "1.000"
    assert marked in rows["UPGMA"][2].marks
    assert marked not in rows["UPGMA"][1].marks
    assert marked in rows["Truth"][1].marks


def test_a_named_truth_is_the_only_one(folder: Path) -> None:
    data = f"{folder}/plants.csv" + TWO.format(folder / "mixed.nwk")
    results = hcbench.compare(
        algos=["UPGMA"],
        datasets=[data],
        metrics=["AARI[truth=labels]"],
        repetitions=1,
        store=":memory:",
    )
    assert [m.label for m in results.metrics] == ["AARI[truth=labels]"]


def test_a_data_set_without_that_truth_has_no_column_for_it(folder: Path) -> None:
    data = f"{folder}/plants.csv" + TWO.format(folder / "mixed.nwk")
    results = hcbench.compare(
        algos=["UPGMA"],
        datasets=[data, "planted[N0=2,L=1]"],
        metrics=["AARI"],
        repetitions=1,
        store=":memory:",
    )
    header = dataset_block(results, "planted[N0=2,L=1]").header
    assert [name for name in header if name.startswith("AARI")] == ["AARI ↑"]


@pytest.mark.slow
def test_a_single_truth_has_one_column_among_data_with_several(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "one.csv").write_text("x,y,kind\n0,0,a\n0,1,a\n5,5,b\n5,6,b\n9,9,c\n9,8,c\n")
    one = f"{tmp_path}/one.csv[labels=kind]"
    several = f"{folder}/plants.csv" + TWO.format(folder / "mixed.nwk")

    def slow(X: Any) -> Any:
        raise ValueError("broken")

    results = hcbench.compare(
        algos=["UPGMA", "Ward", slow],
        datasets=[one, several],
        metrics=["AARI"],
        repetitions=1,
        store=tmp_path / "s.sqlite",
    )
    label = next(name for name in results.datasets if "one.csv" in name)
    header = dataset_block(results, label).header
    assert [name for name in header if name.startswith("AARI")] == ["AARI ↑"]
    values = {row["algorithm"]: row["metrics"] for row in results.rows if row["dataset"] == label}
    assert values["UPGMA"] == {"AARI": 1.0, "AARI[truth=labels]": None}
    with Store(tmp_path / "s.sqlite") as store:
        run = store.run()
        layout = Presentation.of_description(json.loads(json.dumps(run.layout)))
        again = Results.of_layout(layout, [o for o, _ in store.outcomes(run=run.id)])
    measured = [row["metrics"] for row in results.rows]
    assert [row["metrics"] for row in again.rows] == measured


def test_the_callers_own_data_have_a_column_for_each_truth() -> None:
    truths = {"halves": Tree([4, 4, 5, 5, 6, 6, -1]), "crossed": Tree([4, 5, 4, 5, 6, 6, -1])}
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    results = hcbench.compare(
        algos=["UPGMA"],
        datasets={"own": Problem(n=4, vectors=X, truths=truths)},
        metrics=["exact-recovery"],
        repetitions=1,
        store=":memory:",
    )
    (row,) = results.rows
    assert row["metrics"] == {"exact-recovery": 1.0, "exact-recovery[truth=crossed]": 0.0}


@pytest.mark.slow
def test_declared_truths_are_the_actual_ones() -> None:
    with_truths = [
        use
        for entry in hcbench.load_registry().datasets.entries
        if not any(p.required for p in entry.spec.parameters)
        for use in hcbench.load_registry().use_datasets(entry.spec.name)
        if use.truths
    ]
    assert with_truths
    for use in with_truths:
        try:
            problem = make_data(use)
        except hcbench.DataNotAvailableError as error:
            pytest.skip(str(error))
        assert tuple(problem.truths) == use.truths


def test_a_metric_that_fails_for_one_truth_keeps_its_column() -> None:
    values = {"m": Value(None, "error", "broken"), "m[truth=b]": Value(0.5)}
    cell = Outcome(
        key="k",
        algorithm="A",
        dataset="D",
        oracle="O",
        repetition=0,
        seed=0,
        points=(ScoredPoint(values=values),),
    )
    metrics = tuple(MetricInfo(label, kind="m") for label in values)
    block = dataset_block(hcbench.Results([cell], metrics), "D")
    assert block.header[-2:] == ("m ↑", "m[truth=b] ↑")
    assert block.rows[0][-2].text == "error"
    assert "broken" in block.notes
