"""Export and import of runs; tidying; new metrics of old results."""

from __future__ import annotations

import csv
import json
import math
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import update

import hcbench as package
from hcbench import Results
from hcbench.cli import main
from hcbench.errors import DataError, StoreError
from hcbench.model.cost import Cost
from hcbench.plan.outcome import ScoredPoint, Value
from hcbench.results.exports import read_export
from hcbench.store import Store, schema
from hcbench.store.exchange import VERSION, describe_run, import_run
from hcbench.store.tidying import tidy
from tests.core.store.test_merge import contents, shown
from tests.core.store.test_store import TREE, begin, make_outcome, row_of, save

PLUGIN = Path(__file__).parents[2] / "misbehaving.py"
ODD = (
    ScoredPoint(checkpoint=5, queries=4, values={"AARI": Value(math.inf)}),
    ScoredPoint(result=TREE, values={"AARI": Value(math.nan), "seconds": Value(-math.inf)}),
)


def hcbench(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, done.stderr


def compare(store: Path, *algos: str, **options: Any) -> Results:
    wanted: dict[str, Any] = {"datasets": ["numbers"], "metrics": ["leaves"], "repetitions": 2}
    given = {**wanted, "plugins": [PLUGIN], "store": store, **options}
    return package.compare(list(algos), **given)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a run that reuses a cell, and has special values."""
    path = tmp_path / "store.sqlite"
    with Store(path) as opened:
        first = begin(opened)
        save(opened, first, [make_outcome(0)])
        opened.finish_run(first)
        run = begin(opened)
        notes = ("assumption \u00fc",)
        odd = make_outcome(1, points=ODD, notes=notes, log="l\n", traceback="t\n", seed=2**90)
        cannot = make_outcome(2, key="", status="skipped", reason="it cannot be", budget=None)
        save(opened, run, [odd, cannot])
        opened.link(run, [row_of(opened, make_outcome(0))])
        opened.finish_run(run)
    return path


# ---- Export and import ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "parquet"])
@pytest.mark.parametrize("trees", [True, False])
def test_what_was_exported_is_imported_without_loss(
    store: Path, tmp_path: Path, form: str, trees: bool
) -> None:
    file, target = tmp_path / "run", tmp_path / "new.sqlite"
    flags = ["--trees"] if trees else []
    options = ["--format", form, "-o", file, "--store", store]
    assert hcbench("results", "export", 2, *flags, *options)[0] == 0
    for _ in range(2):
        code, _, err = hcbench("results", "import", file, "--store", target)
        assert code == 0, err
    old, new = contents(store), contents(target)
    for name in ("cells", "metric_values", "run_cells"):
        assert len(new[name]) == len(old[name])
    with Store(target) as opened, Store(store) as original:
        runs = {run.suite: run for run in opened.runs()}
        assert len(opened.runs()) == 2, "and the run that measured what was reused"
        assert runs
        number = next(run.id for run in opened.runs() if run.cells == 3)
        assert opened.run(number).reused == 1
        key = make_outcome(1).key
        assert repr(opened.cell(key)) == repr(original.cell(key))
        results = opened.results_of(row_of(opened, make_outcome(1)))
        assert [point.result for point in results] == [None, TREE if trees else None]
    assert repr(shown(target, number)) == repr(shown(store, 2))


@pytest.mark.slow
def test_trees_come_with_a_later_import(store: Path, tmp_path: Path) -> None:
    bare, whole, target = tmp_path / "bare", tmp_path / "whole", tmp_path / "new"
    hcbench("results", "export", 2, "--format", "json", "-o", bare, "--store", store)
    hcbench("results", "export", 2, "--format", "json", "--trees", "-o", whole, "--store", store)
    hcbench("results", "import", bare, whole, bare, "--store", target)
    with Store(target) as opened:
        row = row_of(opened, make_outcome(0))
        assert [point.result for point in opened.results_of(row)] == [TREE, TREE]
        assert len(opened.outcomes()) == 3


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_files_have_what_is_shown_with_types(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    store = tmp_path / "store"
    results = compare(store, "good", "raises")
    hcbench("results", "export", "--format", "csv", "-o", tmp_path / "r.csv", "--store", store)
    hcbench("results", "export", "--format", "parquet", "-o", tmp_path / "r", "--store", store)
    table = parquet.read_table(tmp_path / "r")
    rows = list(csv.DictReader((tmp_path / "r.csv").read_text().splitlines()))
    assert table.num_rows == len(rows) == 4
    types = {field.name: str(field.type) for field in table.schema}
    assert set(types) == {*rows[0], "stored"}
    for name, kind in {
        "algorithm": "string",
        "repetition": "int64",
        "seconds": "double",
        "leaves": "double",
        "reused": "bool",
        "budget": "double",  # no cell had one
    }.items():
        assert types[name] == kind
    assert table.column("leaves").to_pylist() == [c["metrics"]["leaves"] for c in results.rows]


@pytest.mark.slow
def test_an_invalid_export_is_one_line(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    hcbench("results", "export", "--format", "csv", "-o", tmp_path / "csv", "--store", store)
    for content in (
        (tmp_path / "csv").read_bytes(),
        b"",
        b"\x00\xff",
        b"PAR1 and no more",
        b"[" * 100_000,
        b'{"stored": []}',
        b"null",
    ):
        file.write_bytes(content)
        code, out, err = hcbench("results", "import", file, "--store", tmp_path / "new")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "defect" not in err
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_export_reports_missing_packages(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = ["--store", store]
    code, _, err = hcbench("results", "export", "--format", "parquet", *where)
    assert code == 2
    assert "needs -o FILE" in err
    code, _, err = hcbench("results", "export", "--trees", *where)
    assert code == 2
    assert "json or parquet" in err
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = hcbench("results", "export", "--format", "parquet", "-o", "x.parquet", *where)
    assert code == 2
    assert "pip install 'hcbench[parquet]'" in err
    assert err.count("\n") == 1


def described(store: Path) -> dict[str, Any]:
    with Store(store) as opened:
        whole: dict[str, Any] = json.loads(
            json.dumps(describe_run(opened, opened.run(2), trees=True), allow_nan=False)
        )
    return whole


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update({VERSION: 99}),
        lambda d: d.update(runs=[]),
        lambda d: d.update(cells="all"),
        lambda d: d.pop("cells"),
        lambda d: d["cells"][0].update(run=77),
        lambda d: d["cells"][0].update(seconds="0.5"),
        lambda d: d["cells"][0].update(budget=2**70),
        lambda d: d["cells"][0].update(cell="__import__('os')"),
        lambda d: d["cells"][0].pop("status"),
        lambda d: d["cells"][0]["points"][0].update(result="no base64!"),
        lambda d: d["cells"][0]["points"][0].update(result=["a"]),
        lambda d: d["cells"][0]["points"][0]["values"][0].update(value="nan"),
        lambda d: d["cells"].append(d["cells"][0]),
        lambda d: d["runs"][0].update(started="yesterday"),
        lambda d: d["runs"][0].update(layout='{"suite": 1}'),
        lambda d: d["cells"][0].update(notes="[[1]]"),
        lambda d: d["cells"][0].update(reason="\ud800"),
    ],
)
def test_a_manipulated_description_is_refused(store: Path, tmp_path: Path, change: Any) -> None:
    whole = described(store)
    change(whole)
    with Store(tmp_path / "new") as target:
        with pytest.raises(StoreError) as caught:
            import_run(target, whole, "run.json")
        assert target.runs() == []
    assert "\n" not in str(caught.value)


def test_a_copy_does_not_change_when_the_original_ended(store: Path) -> None:
    copy = described(store)
    with Store(store) as opened:
        ended = opened.run(2).finished
        copy["runs"][0].update(finished="2001-01-01T00:00:00+00:00", interrupted=True)
        import_run(opened, copy, "run.json")
        assert (opened.run(2).finished, opened.run(2).interrupted) == (ended, False)


@pytest.mark.slow
def test_a_small_file_that_would_become_all_memory_is_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file, column = tmp_path / "run.parquet", pyarrow.array(["x" * 10**6] * 300)
    for dictionary in (True, False):  # 300 MB of one text
        table = pyarrow.table({"stored": column}).replace_schema_metadata(
            {"stored": '{"cells":[]}'}
        )
        parquet.write_table(table, file, compression="zstd", use_dictionary=dictionary)
        assert file.stat().st_size < 10**6
        with pytest.raises(DataError, match="not a Parquet file of hcbench results export"):
            read_export(file)


# ---- Tidying -------------------------------------------------------------------------------------


def test_tidying_removes_only_data_that_no_run_uses(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with Store(path) as store:
        for seconds in (1.0, 2.0, 3.0):
            run = begin(store)
            records = [make_outcome(n, cost=Cost(seconds=seconds)) for n in range(40)]
            save(store, run, records, fresh=True)
            store.finish_run(run)
        killed, empty = begin(store), begin(store)
        store.finish_run(empty, interrupted=True)
        nothing = tidy(store, dry_run=True)
        assert (nothing.runs, nothing.cells, nothing.values) == (1, 0, 0), "the empty one"
        guess = tidy(store, keep_runs=1, dry_run=True)
        assert len(store.runs()) == 5
        done = tidy(store, keep_runs=1)
        assert (done.runs, done.cells) == (guess.runs, guess.cells) == (3, 80)
        assert done.bytes > 0
        assert guess.bytes > 0
        assert [info.id for info in store.runs()] == [3, killed], "that may be on its way"
        assert {outcome.cost.seconds for outcome, _ in store.outcomes()} == {3.0}
        assert tidy(store).bytes == 0
    rows = contents(path)
    assert (len(rows["points"]), len(rows["metric_values"]), len(rows["run_cells"])) == (
        80,
        120,
        40,
    )


def test_runs_whose_results_are_reused_stay(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        runs = [begin(store) for _ in range(4)]
        save(store, runs[0], [make_outcome(0), make_outcome(1)])
        save(store, runs[1], [make_outcome(2)])
        store.link(runs[3], [row_of(store, make_outcome(0))])
        for run in runs:
            store.finish_run(run)
        done = tidy(store, keep_runs=1)
        assert (done.runs, done.cells, done.lent) == (2, 1, 1)
        assert [(run.id, run.cells) for run in store.runs()] == [(1, 2), (4, 1)]


def test_old_runs_are_selected_by_date_and_the_last_ones_stay(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        for number in range(4):
            run = begin(store)
            save(store, run, [make_outcome(number)])
            store.finish_run(run)
        old = (datetime.now(UTC) - timedelta(days=30)).isoformat(timespec="microseconds")
        with store.database.writing() as connection:
            connection.execute(update(schema.runs).where(schema.runs.c.id < 4).values(started=old))
        before = datetime.now(UTC) - timedelta(days=7)
        assert tidy(store, keep_runs=2, before=before).runs == 2
        assert tidy(store, before=before).runs == 1
        assert [run.id for run in store.runs()] == [4]


def test_values_of_old_versions_of_a_metric_go(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        layout = {"metrics": [{"label": "AARI", "key": "a2"}, {"label": "seconds", "key": "s1"}]}
        run = store.begin_run(command="c", suite="s", environment={}, layout=layout)
        old = make_outcome(0)
        save(store, run, [old], {"AARI": "a1", "seconds": "s1"})
        row = row_of(store, make_outcome(0))
        store.save_values(run, row, make_outcome(0).points, {"AARI": "a2"})
        store.finish_run(run)
        assert tidy(store).values == 2
        ((outcome, _),) = store.outcomes()
        assert outcome.points == tuple(
            replace(point, result=None) for point in make_outcome(0).points
        )


@pytest.mark.slow
def test_tidying_on_the_command_line(store: Path, tmp_path: Path) -> None:
    code, out, _ = hcbench("results", "gc", "--dry-run", "--keep-runs", "1", "--store", store)
    assert code == 0
    assert "0 runs, 0 cells, 0 values would be removed" in out
    assert "1 more runs stay, since others show what they measured" in out
    code, out, _ = hcbench("results", "gc", "--store", tmp_path / "missing")
    assert code == 0
    assert not (tmp_path / "missing").exists()
    assert hcbench("results", "gc", "--before", "yesterday", "--store", store)[0] == 2


# ---- New metrics of old results ------------------------------------------------------------------

GONE = """
    from hcbench import AlgorithmSpec, Tree, hookimpl

    def gone(oracle, items, rng):
        return Tree.from_parents([items.n] * items.n + [-1])

    @hookimpl
    def hcbench_algorithms():
        return [AlgorithmSpec(name="gone", function=gone, doc="d", accepts=("vectors",))]
"""


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_rescoring_computes_what_is_missing_and_runs_nothing(tmp_path: Path) -> None:
    store, plugin = tmp_path / "store", tmp_path / "gone.py"
    plugin.write_text(dedent(GONE))
    before = compare(store, "draws", "gone", "raises", plugins=[PLUGIN, plugin])
    where = ["--plugin", PLUGIN, "--store", store, "-j", 1]
    code, out, err = hcbench("results", "rescore", "--metrics", "depth", "--format", "json", *where)
    assert code == 0, err
    assert "gone:gone is not installed as it was, and is not needed" in out
    after = json.loads(out)["cells"]
    assert [c["metrics"]["leaves"] for c in after] == [c["metrics"]["leaves"] for c in before.rows]
    again = compare(tmp_path / "x", "draws", "gone", metrics=["depth"], plugins=[PLUGIN, plugin])
    expected = {(c["algorithm"], c["repetition"]): c["metrics"]["depth"] for c in again.rows}
    for cell, old in zip(after, before.rows, strict=True):
        assert cell["seconds"] == old["seconds"], "nothing was run"
        assert cell["reused"]
        assert cell["metrics"]["depth"] == expected.get((cell["algorithm"], cell["repetition"]))
    with Store(store) as opened:
        assert [run.cells for run in opened.runs()] == [6, 6]
        assert len(opened.outcomes()) == 6
    assert hcbench("results", "show", "--store", store)[1].count("depth ↓") == 1


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_rescoring_an_old_run_scores_its_own_results(tmp_path: Path) -> None:
    store = tmp_path / "store"
    first = compare(store, "draws")
    compare(store, "draws", fresh=True)
    where = ["--plugin", PLUGIN, "--store", store, "--format", "json", "-j", 1]
    code, out, err = hcbench("results", "rescore", 1, "--metrics", "depth", *where)
    assert code == 0, err
    assert [c["seconds"] for c in json.loads(out)["cells"]] == [c["seconds"] for c in first.rows]


DRIFTING = """
    from pathlib import Path
    import numpy as np
    from hcbench import DatasetSpec, Problem, hookimpl

    def drifting(seed):
        place = float(Path({place!r}).read_text())
        return Problem(n=9, vectors=np.random.default_rng(seed).normal(size=(9, 2)) + place)

    @hookimpl
    def hcbench_datasets():
        return [DatasetSpec(name="drifting", function=drifting, doc="d", provides=("vectors",))]
"""


@pytest.mark.slow
def test_rescoring_on_other_data_is_refused_and_nothing_is_run(tmp_path: Path) -> None:
    store, plugin, place = tmp_path / "store", tmp_path / "drifting.py", tmp_path / "place"
    plugin.write_text(dedent(DRIFTING.format(place=str(place))))
    place.write_text("0")
    both = [PLUGIN, plugin]
    before = compare(store, "draws", datasets=["drifting"], plugins=both, repetitions=1)
    place.write_text("1")
    options = ["--plugin", PLUGIN, "--plugin", plugin, "--store", store, "--format", "json"]
    code, out, _ = hcbench("results", "rescore", "--metrics", "depth", "-j", 1, *options)
    assert code == 1
    (cell,) = json.loads(out)["cells"]
    assert "the data set yields other data now" in cell["metric_reasons"]["depth"]
    assert cell["seconds"] == before.rows[0]["seconds"]


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_rescoring_errors_are_one_line(tmp_path: Path) -> None:
    store = tmp_path / "store"
    compare(store, "draws", repetitions=1)
    for arguments, message in (
        (("--metrics", "nonsense", "--plugin", PLUGIN), "no metric is called 'nonsense'"),
        (("--metrics", "AARI"), "for a plugin in a file, give --plugin FILE"),
        (("--metrics", "AARI", 7), "has no run 7"),
    ):
        code, out, err = hcbench("results", "rescore", *arguments, "--store", store)
        assert code in (2, 3)
        assert (out, err.count("\n")) == ("", 1)
        assert message in err
