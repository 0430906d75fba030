from __future__ import annotations

import math
import os
import resource
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sqlalchemy import func, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from hcbench.errors import StoreError
from hcbench.model.cost import Cost
from hcbench.model.trees import HeightKind, Partition, Tree
from hcbench.plan.columns import Outcomes
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.store import Store, schema
from hcbench.store.codec import decode_result, encode_result
from tests.core.forks import Fork
from tests.core.trees import trees

KEYS = {"AARI": "a1", "seconds": "s1"}
TREE = Tree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 2, 3], HeightKind.DISTANCE)


def make_outcome(number: int = 0, **changes: Any) -> Outcome:
    outcome = Outcome(
        key=f"{number:032x}",
        algorithm="UPGMA[metric=cosine]",
        dataset="planted",
        oracle="vectors",
        repetition=number,
        seed=2**70,
        budget=100,
        cost=Cost(
            seconds=0.25,
            oracle_seconds=0.125,
            peak_bytes=2**40,
            queries=7,
            distinct_queries=6,
            rounds=2,
        ),
        data_digest="d",
        points=(
            ScoredPoint(checkpoint=5, queries=4, result=TREE, values={"AARI": Value(0.5)}),
            ScoredPoint(
                queries=7, result=TREE, values={"AARI": Value(0.75), "seconds": Value(0.25)}
            ),
        ),
    )
    return replace(outcome, **changes)


def save(
    store: Store,
    run: int,
    outcomes: Sequence[Outcome],
    metric_keys: Mapping[str, str] = KEYS,
    *,
    fresh: bool = False,
) -> None:
    """Save outcomes with a description of their cells, and with limits."""
    cell = {"algorithm": {"name": "hcbench:UPGMA", "params": {"k": math.inf}}, "data_seed": 9}
    store.save(
        run,
        outcomes,
        metric_keys,
        descriptions={outcome.key: cell for outcome in outcomes if outcome.key},
        limits={"timeout": 10.0, "memory": 2.0},
        fresh=fresh,
    )


def begin(store: Store) -> int:
    return store.begin_run(command="compare", suite="s", environment={"commit": "c"})


def row_of(store: Store, outcome: Outcome) -> int:
    """Row of the last stored version of a cell."""
    (row,) = store.find([outcome.key]).column("row")
    return int(row)


def lacking(found: Outcomes, metric_keys: Mapping[str, str] = KEYS) -> list[tuple[str, ...]]:
    """The metrics that each cell lacks."""
    lacks = (found.lacks(label) for label in metric_keys)
    return [tuple(compress(metric_keys, each)) for each in zip(*lacks, strict=True)]


def read(store: Store, outcome: Outcome, metric_keys: Mapping[str, str] = KEYS) -> Outcome:
    """Read the last stored version of a cell."""
    (read,) = store.find([outcome.key], metric_keys)
    return read


def bare(outcome: Outcome) -> Outcome:
    """The outcome as `read` returns it: without results, and marked as stored."""
    points = tuple(replace(point, result=None) for point in outcome.points)
    return replace(outcome, points=points, reused=True, traceback="", log="")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "results.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


# ---- Results as bytes ----------------------------------------------------------------------------


@given(trees(), st.booleans(), st.data())
def test_trees_come_back_as_they_were(tree: Tree, named: bool, data: st.DataObject) -> None:
    names = [f"leaf {i} \u00fc\ud800" for i in range(tree.n)] if named else None
    numbers = st.floats(allow_nan=True, allow_infinity=True)
    linkage = data.draw(st.lists(numbers, min_size=tree.n_nodes, max_size=tree.n_nodes))
    whole = Tree(tree.parent, tree.height, tree.kind, names, linkage)
    back = decode_result(encode_result(whole))
    assert isinstance(back, Tree)
    assert back == whole
    assert back.linkage is not None
    assert back.linkage.tobytes() == np.array(linkage, dtype=float).tobytes()


def test_a_tree_without_linkage_and_with_infinite_heights_comes_back() -> None:
    tree = Tree([2, 2, -1], [0.0, -0.0, math.inf], HeightKind.AFFINITY, ["a", "b"])
    back = decode_result(encode_result(tree))
    assert isinstance(back, Tree)
    assert back == tree
    assert back.linkage is None
    assert back.height is not None
    assert math.copysign(1, back.height[1]) == -1


@given(st.lists(st.integers(0, 5), min_size=1))
def test_partitions_come_back_as_they_were(labels: list[int]) -> None:
    assert decode_result(encode_result(Partition(labels))) == Partition(labels)


def test_a_tree_is_stored_in_32_bits_per_id_and_compressed() -> None:
    n = 2000
    parent = np.concatenate((np.arange(n, 2 * n - 1), np.arange(n, 2 * n - 1), [-1]))
    caterpillar = Tree([*np.sort(parent[:-1]).tolist(), -1])
    assert len(encode_result(caterpillar)) < 4 * caterpillar.n_nodes


def test_damaged_bytes_are_reported() -> None:
    packed = encode_result(TREE)
    for damaged in (b"", packed[:-5], b"?" + packed[1:]):
        with pytest.raises(StoreError, match="damaged"):
            decode_result(damaged)


# ---- Cells ---------------------------------------------------------------------------------------


def test_saved_cells_are_found(store: Store, path: Path) -> None:
    notes = ("3 % negative \udcff", "alpha < 0; not so")
    outcome = make_outcome(traceback="Traceback", log="printed\n", notes=notes)
    save(store, begin(store), [outcome])
    with Store(path) as other:
        stored = other.find([outcome.key, "unknown"], {"AARI": "a1"})
        found = read(other, outcome, {"AARI": "a1"})
        assert other.results_of(*stored.column("row")) == tuple(
            replace(point, values={}) for point in outcome.points
        )
        whole, cell = other.cell(outcome.key)
    wanted = tuple(
        replace(p, result=None, values={"AARI": p.values["AARI"]}) for p in outcome.points
    )
    texts = ("3 % negative \\udcff", notes[1])
    assert found == replace(bare(outcome), points=wanted, notes=texts)
    assert whole.notes == texts
    assert [*zip(stored.column("timeout"), stored.column("memory"), strict=True)] == [(10.0, 2.0)]
    assert lacking(stored, {"AARI": "a1"}) == [()]
    assert (whole.traceback, whole.log) == ("Traceback", "printed\n")
    assert cell["algorithm"]["params"]["k"] == math.inf


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.none() | st.floats().map(lambda x: x + 0.0),  # SQLite has no -0.0
            st.sampled_from(["ok", "skipped", "error"]),
            st.text(max_size=5),
        ),
        max_size=3,
    )
)
def test_values_come_back_as_they_were(drawn: list[tuple[Any, Any, str]]) -> None:
    values = {f"m{i}": Value(n, s if n is None else "ok", r) for i, (n, s, r) in enumerate(drawn)}
    keys = {label: f"key of {label}" for label in values}
    outcome = make_outcome(points=(ScoredPoint(values=values),))
    with Store(":memory:") as store:
        save(store, begin(store), [outcome], keys)
        back = read(store, outcome, keys).points[0].values
        assert not any(store.find([outcome.key], keys).lacks(label)[0] for label in keys)
    written = {k: repr(replace(v, reason=text(v.reason))) for k, v in values.items()}
    assert {k: repr(v) for k, v in back.items()} == written  # NaN equals NaN


def text(written: str) -> str:
    return written.encode(errors="backslashreplace").decode().replace("\0", "\\0")


def test_numbers_of_numpy_are_numbers_in_the_file(store: Store, path: Path) -> None:
    measured = (ScoredPoint(queries=np.int64(3), values={"AARI": Value(np.float64(0.5))}),)
    outcome = make_outcome(cost=Cost(queries=np.int64(3), seconds=np.float64(0.5)), points=measured)
    save(store, begin(store), [outcome])
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT queries, seconds FROM cells").fetchone() == (3, 0.5)
        assert raw.execute("SELECT value FROM metric_values").fetchone() == (0.5,)
    raw.close()


def test_a_run_that_saves_a_cell_again_replaces_all_of_it(store: Store) -> None:
    run = begin(store)
    save(store, run, [make_outcome()])
    failure = make_outcome(
        status="timeout", reason="over 10 s", phase="algorithm", points=(ScoredPoint(),)
    )
    save(store, run, [failure])
    assert read(store, failure) == bare(failure)
    assert lacking(store.find([failure.key], KEYS)) == [("AARI", "seconds")]
    assert store.run(run).cells == 1


def test_two_runs_that_measure_one_cell_at_once_keep_the_values_of_both(store: Store) -> None:
    outcome = make_outcome()

    def with_value(label: str, value: Value) -> Outcome:
        measured = tuple(replace(p, values={label: value}) for p in outcome.points)
        return replace(outcome, points=measured)

    first, second, third = begin(store), begin(store), begin(store)
    save(store, first, [with_value("AARI", Value(0.5))])
    save(store, second, [with_value("seconds", Value(None, "error", "killed", final=False))])
    assert lacking(store.find([outcome.key], KEYS)) == [("seconds",)]
    save(store, third, [with_value("seconds", Value(0.25))])
    save(store, third, [with_value("AARI", Value(0.9))])  # the first one remains
    found = store.find([outcome.key], KEYS)
    assert (found.column("row").tolist(), lacking(found)) == ([1], [()])
    assert read(store, outcome).points[1].values == {"AARI": Value(0.5), "seconds": Value(0.25)}
    assert [(run.cells, run.reused) for run in store.runs()] == [(1, 0), (1, 1), (1, 1)]


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "crash", "reason": "signal 11", "points": (ScoredPoint(),)},
        {"data_digest": "other"},
        {"points": (ScoredPoint(queries=7, result=Partition([0, 0, 1, 1])),)},
    ],
)
def test_two_runs_that_disagree_are_both_kept(store: Store, changes: dict[str, Any]) -> None:
    first, second = begin(store), begin(store)
    save(store, first, [make_outcome()])
    save(store, second, [make_outcome(**changes)])
    assert row_of(store, make_outcome()) == 2
    ((first_outcome, info),) = store.outcomes(run=first)
    assert info.id == first
    assert first_outcome == replace(bare(make_outcome()), reused=False)


def test_a_fresh_cell_does_not_replace_the_old_one(store: Store) -> None:
    old, new = (
        make_outcome(cost=Cost(seconds=1.0)),
        make_outcome(cost=Cost(seconds=2.0), points=(ScoredPoint(),)),
    )
    first, second, third = begin(store), begin(store), begin(store)
    save(store, first, [old])
    old_row = row_of(store, old)
    save(store, second, [new], fresh=True)
    new_row = row_of(store, new)
    store.link(third, [new_row])

    def shown(run: int | None) -> list[tuple[float | None, int, bool]]:
        return [(o.cost.seconds, info.id, o.reused) for o, info in store.outcomes(run=run)]

    assert shown(first) == [(1.0, first, False)]
    assert shown(second) == [(2.0, second, False)]
    assert shown(third) == [(2.0, second, True)]
    assert shown(None) == [(2.0, second, False)]  # each cell once, with the latest measurement
    assert [(run.cells, run.reused) for run in store.runs()] == [(1, 0), (1, 0), (1, 1)]
    assert read(store, old) == bare(new)
    assert store.cell(old.key[:31])[0].cost.seconds == 2.0
    assert [point.result for point in store.results_of(old_row)] == [TREE, TREE]
    assert [point.result for point in store.results_of(new_row)] == [None]
    later = make_outcome(cost=Cost(seconds=3.0), points=(ScoredPoint(),))
    save(store, second, [later])  # replaces the latest only
    assert shown(first) == [(1.0, first, False)]
    assert shown(second) == [(3.0, second, False)]


def test_one_saving_has_new_and_old_cells_in_the_order_given(store: Store) -> None:
    run = begin(store)
    save(store, run, [make_outcome(1)])
    save(store, run, [make_outcome(i, cost=Cost(seconds=9.0)) for i in (2, 1, 0)])
    save(store, run, [])
    found = store.find([make_outcome(i).key for i in range(3)], KEYS)
    assert {*found.column("row")} == {1, 2, 3}
    assert all(outcome.cost.seconds == 9.0 for outcome in found)
    assert lacking(found) == [("seconds",)] * 3


def test_texts_that_databases_cannot_store_are_escaped(store: Store) -> None:
    outcome = make_outcome(status="error", reason="file \udcff\0", log="\ud800")
    save(store, begin(store), [outcome])
    assert store.cell(outcome.key)[0].reason == "file \\udcff\\0"


def test_inapplicable_combinations_are_stored_with_their_run(store: Store) -> None:
    first, second = begin(store), begin(store)
    reasons = {first: "needs vectors", second: "needs truth"}
    for run, reason in reasons.items():
        skipped = [
            Outcome(
                key="",
                algorithm="HDBSCAN",
                dataset="d",
                oracle="",
                repetition=repetition,
                seed=0,
                status="skipped",
                reason=reason,
            )
            for repetition in range(2)
        ]
        save(store, run, skipped)
    for run, reason in reasons.items():
        assert [(o.key, o.reason, i.id) for o, i in store.outcomes(run=run)] == [
            ("", reason, run)
        ] * 2


def test_stored_times_are_means_of_ok_cells_with_the_same_labels(store: Store) -> None:
    slow = replace(make_outcome().cost, seconds=0.75)
    changes = ({}, {"cost": slow}, {"cost": slow, "dataset": "iris"}, {"status": "timeout"})
    save(store, begin(store), [make_outcome(i, **c) for i, c in enumerate(changes)])
    seconds = {(time.algorithm, time.dataset): time.seconds for time in store.stored_times()}
    algorithm = "UPGMA[metric=cosine]"
    assert seconds == {(algorithm, "planted"): 0.5, (algorithm, "iris"): 0.75}


def test_inapplicable_combinations_are_stored_once_and_belong_to_each_run(store: Store) -> None:
    skipped = make_outcome(key="", status="skipped", reason="needs vectors", points=())
    runs = [begin(store), begin(store)]
    for run in runs:
        save(store, run, [skipped])
    assert [(info.cells, info.reused) for info in store.runs()] == [(1, 0), (1, 0)]
    for run in runs:
        assert [o.reason for o, _ in store.outcomes(run=run)] == ["needs vectors"]
    assert [info.id for _, info in store.outcomes()] == [runs[0]]


# ---- Metrics -------------------------------------------------------------------------------------


def test_a_metric_of_another_version_is_missing_until_its_values_are_saved(store: Store) -> None:
    run, outcome = begin(store), make_outcome()
    save(store, run, [outcome])
    newer = {"AARI": "a2", "seconds": "s1"}
    found = store.find([outcome.key], newer)
    assert lacking(found, newer) == [("AARI", "seconds")]  # seconds has no value at the checkpoint
    fresh = tuple(replace(p, values={"AARI": Value(0.9)}) for p in outcome.points)
    later = begin(store)
    store.save_values(later, row_of(store, outcome), fresh, {"AARI": "a2"})
    assert lacking(store.find([outcome.key], newer), newer) == [("seconds",)]
    new, old = read(store, outcome, newer), read(store, outcome, KEYS)
    assert [p.values["AARI"].value for p in new.points] == [0.9, 0.9]
    assert [p.values["AARI"].value for p in old.points] == [0.5, 0.75]
    ((latest, info),) = store.outcomes(run=later)
    assert latest.points[1].values == {"AARI": Value(0.9), "seconds": Value(0.25)}
    assert (info.id, latest.reused) == (run, True)  # the cell itself is of the first run


def test_a_run_shows_the_values_of_its_metrics(store: Store) -> None:
    def begin_with(**keys: str) -> int:
        layout = {"metrics": [{"label": label, "key": key} for label, key in keys.items()]}
        return store.begin_run(command="", suite="", environment={}, layout=layout)

    outcome = make_outcome()
    first, second = begin_with(AARI="a1"), begin_with(AARI="a2", seconds="s1")
    save(store, first, [outcome])
    row = row_of(store, outcome)
    fresh = tuple(replace(p, values={"AARI": Value(0.9)}) for p in outcome.points)
    store.save_values(second, row, fresh, {"AARI": "a2"})
    (old,), (new,) = store.outcomes(run=first), store.outcomes(run=second)
    assert old[0].points[1].values == {"AARI": Value(0.75)}
    assert new[0].points[1].values == {"AARI": Value(0.9), "seconds": Value(0.25)}


def test_save_values_leaves_other_values_alone(store: Store) -> None:
    outcome = make_outcome()
    save(store, begin(store), [outcome])
    changed = tuple(replace(p, values=dict.fromkeys(KEYS, Value(9.0))) for p in outcome.points)
    store.save_values(begin(store), row_of(store, outcome), changed, {"seconds": "s1"})
    end = read(store, outcome).points[-1]
    assert (end.values["AARI"], end.values["seconds"]) == (Value(0.75), Value(9.0))


# ---- Runs ----------------------------------------------------------------------------------------


def test_a_run_knows_its_cells(store: Store) -> None:
    first = begin(store)
    save(store, first, [make_outcome(i) for i in range(3)])
    store.finish_run(first)
    second = begin(store)
    store.link(second, [row_of(store, make_outcome(i)) for i in range(2)])
    failed = make_outcome(7, status="crash", reason="signal 11", points=(ScoredPoint(),))
    save(store, second, [failed])
    store.finish_run(second, interrupted=True)
    killed = begin(store)
    one, two, three = store.runs()
    assert (one.cells, one.reused, one.failed, one.interrupted) == (3, 0, 0, False)
    assert (two.cells, two.reused, two.failed, two.interrupted) == (3, 2, 1, True)
    assert (three.id, three.cells, three.finished) == (killed, 0, None)
    assert one.finished is not None
    assert one.started <= one.finished
    assert (one.command, one.suite, dict(one.environment)) == ("compare", "s", {"commit": "c"})
    assert [o.reused for o, _ in store.outcomes(run=second)] == [True, True, False]
    with pytest.raises(StoreError, match=f"no run 77; the last is {killed}"):
        store.run(77)


def test_outcomes_are_filtered_by_parts_and_patterns(store: Store) -> None:
    run = begin(store)
    for number, name in enumerate(["UPGMA[metric=cosine]", "4-AL", "Ärger"]):
        outcome = make_outcome(number, algorithm=name, status="ok" if number else "timeout")
        save(store, run, [outcome])

    def found(**filters: Any) -> list[str]:
        return [outcome.algorithm for outcome, _ in store.outcomes(**filters)]

    assert found() == ["UPGMA[metric=cosine]", "4-AL", "Ärger"]
    assert found(algorithm="upgma[METRIC") == ["UPGMA[metric=cosine]"]
    assert found(algorithm="?-a*") == ["4-AL"]
    assert found(algorithm="ärg") == ["Ärger"]
    assert found(algorithm="_", dataset="planted") == []
    assert found(status="timeout", oracle="vec") == ["UPGMA[metric=cosine]"]
    assert found(limit=2) == ["4-AL", "Ärger"]
    assert found(run=run, limit=1) == ["Ärger"]
    with pytest.raises(StoreError, match="no run 9"):
        found(run=9)


def test_a_cell_is_found_by_the_beginning_of_its_key(store: Store) -> None:
    keys = ["abc" + "0" * 29, "abd" + "0" * 29]
    save(store, begin(store), [make_outcome(key=key) for key in keys])
    assert store.cell("ABC")[0].key == keys[0]
    with pytest.raises(StoreError, match=r"several cells begin with 'ab': abc00000, abd00000$"):
        store.cell("ab")
    for unknown in ("f", "", "%", "ab%"):
        with pytest.raises(StoreError, match="has no cell"):
            store.cell(unknown)


@pytest.mark.slow
def test_many_keys_are_found_in_parts(store: Store) -> None:
    run = begin(store)
    outcomes = [make_outcome(i, points=(ScoredPoint(),)) for i in range(2000)]
    save(store, run, outcomes)
    keys = [o.key for o in outcomes]
    rows = store.find(keys).column("row").tolist()
    gone = rows[-1] + 1  # another process has removed it
    assert sorted(store.link(begin(store), [*rows, gone])) == rows
    assert [o.key for o in store.find(keys[::-1], KEYS)] == keys[::-1]
    assert [o.key for o, _ in store.outcomes()] == [o.key for o in outcomes]


# ---- Paths and URLs ------------------------------------------------------------------------------


def test_reading_creates_nothing(store: Store, path: Path) -> None:
    assert store.runs() == []
    assert not store.find(["x"], KEYS)
    assert not path.parent.exists()
    begin(store)
    assert path.exists()


def test_the_default_place_is_the_environment_or_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "named.sqlite"))
    with Store() as store:
        assert store.location == str(tmp_path / "named.sqlite")
    monkeypatch.delenv("HCBENCH_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with Store() as store:
        assert store.location.startswith(str(tmp_path))
        assert store.location.endswith("hcbench/results.sqlite")


def test_a_sqlite_url_is_a_path(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/a.sqlite") as store:
        begin(store)
        assert store.location == f"{tmp_path}/a.sqlite"


@pytest.mark.slow
def test_a_store_that_is_deleted_or_moved_while_it_is_open_is_written_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "folder" / "a.sqlite"

    def delete() -> None:
        shutil.rmtree(path.parent)

    def move() -> None:
        path.rename(path.with_name("moved.sqlite"))

    def replace_it() -> None:
        (tmp_path / "other").write_bytes(b"")
        (tmp_path / "other").replace(path)

    for number, (change, name) in enumerate(
        [(delete, "a.sqlite"), (move, "a.sqlite"), (replace_it, "a-2.sqlite")]
    ):
        shutil.rmtree(path.parent, ignore_errors=True)
        with Store(path) as store:
            run = begin(store)
            save(store, run, [make_outcome(0)])
            change()
            save(store, run, [make_outcome(1)])
            save(store, run, [make_outcome(2)])
            store.finish_run(run)
            new = path.with_name(name)
            assert store.location == str(new)
        assert capfd.readouterr().err == (
            f"hcbench: {path} was deleted or moved while it was open; all that it held is now in "
            f"{new}\n"
        )
        with Store(new) as again:
            assert len(again.outcomes(run=run)) == 3, number
            assert again.run(run).finished
        assert not list(tmp_path.rglob("*.unfinished"))


def test_a_store_replaced_by_another_process_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Store(path) as store:
        run = begin(store)
        path.unlink()  # but not its log, which the other store overwrites
        with Store(path) as other:
            begin(other)
        with pytest.raises(StoreError, match="another process writes a store in its place"):
            save(store, run, [make_outcome(1)])
    with Store(path) as other:
        assert len(other.runs()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["a.sqlite"]


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    with Store(path) as store:
        begin(store)
        assert len(store.runs()) == 1


def test_an_invalid_url_is_refused() -> None:
    for url, message in [
        ("mysql://server/base", "a store cannot be kept in 'mysql'; give a path, sqlite:///"),
        ("foo://x", "a store cannot be kept in 'foo'"),
        ("postgresql://server:port/base", "is not the URL of a store"),
        ("postgresql+nodriver://server/base", "no driver 'nodriver'"),
        ("a\0b", "is not the name of a file"),
    ]:
        with pytest.raises(StoreError, match=message):
            Store(url)


def test_a_malformed_url_is_reported_without_its_password() -> None:
    for url in (
        "postgresql://me:secret@host:port/db",
        "postgresql://me:sec@secret@host/db",
        "postgresql://me:sec ret/secret@host:1:2/db",
        "postgresql:/me:sec ret/secret@host/db",
        "postgresql//me:secret@host/db",
        "postgresql://me:secret",
        "postgresql://host:port/db?user=me&password=secret",
    ):
        with pytest.raises(StoreError, match="is not the URL of a store") as caught:
            Store(url)
        assert "secret" not in str(caught.value)
        assert "***" in str(caught.value)
        assert caught.value.__suppress_context__


def test_a_missing_driver_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"needs the package psycopg: pip install") as caught:
        Store("postgresql://user:secret@localhost/base")
    assert "secret" not in str(caught.value)


# ---- Errors --------------------------------------------------------------------------------------


def assert_one_line(caught: pytest.ExceptionInfo[StoreError], path: Path) -> None:
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert "sqlalche" not in message
    assert "--store" in message


@pytest.fixture
def filled(path: Path) -> Path:
    with Store(path) as store:
        save(store, begin(store), [make_outcome(i) for i in range(200)])
    return path


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder; give a file"):
        Store(tmp_path)


def test_other_files_than_databases_are_refused_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n" * 200)
    with pytest.raises(StoreError, match="no SQLite database") as caught:
        Store(path)
    assert_one_line(caught, path)
    assert path.read_text() == "my notes\n" * 200


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE bookmarks (url TEXT)")
    raw.close()
    with pytest.raises(StoreError, match="not a store of hcbench") as caught:
        Store(path)
    assert_one_line(caught, path)


@pytest.mark.parametrize("damage", ["pages", "cut"])
def test_a_corrupt_file_is_malformed(filled: Path, damage: str) -> None:
    content = bytearray(filled.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    else:
        content[4096:] = os.urandom(len(content) - 4096)
    filled.write_bytes(content)
    with pytest.raises(StoreError, match=r"malformed; .*recover") as caught, Store(filled) as store:
        store.outcomes()
    assert_one_line(caught, filled)


def test_another_schema_version_is_refused(filled: Path) -> None:
    with sqlite3.connect(filled) as raw:
        raw.execute("UPDATE meta SET value = '99' WHERE name = 'hcbench schema'")
    raw.close()
    message = r"was written by hcbench \S+ \(schema 99, this one knows 4\): pip install 'hcbench>="
    with pytest.raises(StoreError, match=message) as caught:
        Store(filled)
    assert_one_line(caught, filled)


def test_a_full_disk_is_reported_and_nothing_partial_is_stored(filled: Path) -> None:
    with Store(filled) as store:
        run = begin(store)
        with store.database.engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        big = make_outcome(1000, log=os.urandom(200_000).hex())
        with pytest.raises(StoreError, match="the disk is full; make room") as caught:
            save(store, run, [make_outcome(999), big])
        assert_one_line(caught, filled)
        assert not store.find([make_outcome(999).key], KEYS)
        assert len(store.outcomes()) == 200


def fill(told: TextIO, path: Path) -> None:
    """Save large cells in files of at most 1 MB; tell how many, and the error."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    with Store(path) as store:
        run = begin(store)
        for number in range(100):
            try:
                big = make_outcome(number, log=os.urandom(50_000).hex())
                save(store, run, [big])
            except StoreError as error:
                print(number, error, file=told)
                break


@pytest.mark.slow
def test_a_file_that_may_not_grow_is_a_full_disk(path: Path) -> None:
    saved, _, message = Fork(fill, path).wait().strip().partition(" ")
    assert "full; make room" in message
    assert 0 < int(saved) < 20
    with Store(path) as store:
        assert len(store.outcomes()) == int(saved)


def test_a_locked_store_is_reported(filled: Path) -> None:
    raw = sqlite3.connect(filled, isolation_level=None)
    raw.execute("BEGIN IMMEDIATE")
    with Store(filled) as store:
        store.database.outside_transactions(["PRAGMA busy_timeout = 100"])  # ms
        assert len(store.outcomes()) == 200  # readers do not wait
        with pytest.raises(StoreError, match="another process has locked it") as caught:
            begin(store)
        assert_one_line(caught, filled)
        raw.execute("ROLLBACK")
        begin(store)
    raw.close()


def test_a_number_beyond_64_bits_is_reported(store: Store) -> None:
    with pytest.raises(StoreError, match="more than 64 bits"):
        save(store, begin(store), [make_outcome(repetition=2**64)])


def test_an_unknown_run_or_cell_is_refused_in_one_line(store: Store) -> None:
    run = begin(store)
    measured = make_outcome().points
    with pytest.raises(StoreError, match="FOREIGN KEY") as caught:
        store.save_values(run, 999_999_999, measured, {"AARI": "a1"})
    assert "\n" not in str(caught.value)


def as_ordinary_user(function: Callable[[], str]) -> str:
    """Call a function as an ordinary user, since root ignores file permissions."""
    if os.getuid() != 0:
        return function()

    def call(told: TextIO) -> None:
        os.setgid(65534)
        os.setuid(65534)
        try:
            told.write(function())
        except BaseException as error:
            told.write(repr(error))

    return Fork(call).wait()


@pytest.fixture
def reachable(filled: Path, open_folder: Path) -> Path:
    """A filled store whose folders all users may enter."""
    return shutil.copytree(filled.parent, open_folder / "folder") / filled.name


def read_and_write(path: Path) -> str:
    with Store(path) as store:
        count = len(store.outcomes())
        try:
            begin(store)
        except StoreError as error:
            return f"{count} {error}"
    return f"{count} written"


@pytest.mark.slow
@pytest.mark.parametrize("read_only", ["file", "folder"])
def test_a_store_that_cannot_be_written_can_be_read(reachable: Path, read_only: str) -> None:
    (reachable if read_only == "file" else reachable.parent).chmod(
        0o444 if read_only == "file" else 0o555
    )
    answer = as_ordinary_user(lambda: read_and_write(reachable))
    assert answer.startswith(f"200 {reachable} cannot be written; change its permissions")
    assert "--store" in answer
    reachable.parent.chmod(0o755)


@pytest.mark.slow
def test_a_store_in_use_can_be_read_by_those_who_cannot_write_it(reachable: Path) -> None:
    with Store(reachable) as writer:
        save(writer, begin(writer), [make_outcome(999)])
        for file in reachable.parent.iterdir():
            file.chmod(0o444)
        reachable.parent.chmod(0o555)
        answer = as_ordinary_user(lambda: read_and_write(reachable))
        reachable.parent.chmod(0o755)
    assert answer.startswith("201 ")


def test_a_store_that_cannot_be_read_or_created_is_reported(reachable: Path) -> None:
    def try_all() -> str:
        return "\n".join(map(refusal, [reachable, reachable.parent / "new" / "a.sqlite"]))

    reachable.chmod(0o000)
    reachable.parent.chmod(0o555)
    answers = as_ordinary_user(try_all).splitlines()
    reachable.parent.chmod(0o755)
    assert len(answers) == 2
    for answer in answers:
        assert str(reachable.parent) in answer
        assert "permissions or give another place with --store" in answer


def refusal(path: Path) -> str:
    try:
        with Store(path) as store:
            begin(store)
    except StoreError as error:
        return str(error)
    return "written"


# ---- Several processes ---------------------------------------------------------------------------


def write(told: TextIO, path: Path | str, first: int, count: int) -> None:
    """Save cells one by one, and tell their numbers."""
    with Store(path) as store:
        run = begin(store)
        for number in range(first, first + count):
            save(store, run, [make_outcome(number)])
            print(number, file=told)
        store.finish_run(run)


@pytest.mark.slow
def test_two_processes_on_one_new_file_lose_nothing(path: Path) -> None:
    writers = [Fork(write, path, first, 150) for first in (0, 1000)]
    for writer in writers:
        assert len(writer.wait().splitlines()) == 150
    with Store(path) as store:
        assert [run.cells for run in store.runs()] == [150, 150]
        numbers = {outcome.repetition for outcome, _ in store.outcomes()}
        assert numbers == {*range(150), *range(1000, 1150)}


@pytest.mark.slow
def test_two_processes_that_measure_the_same_cells_keep_each_once(path: Path) -> None:
    for writer in [Fork(write, path, 0, 100) for _ in range(2)]:
        writer.wait()
    with Store(path) as store:
        assert [run.cells for run in store.runs()] == [100, 100]
        with store.database.reading() as connection:
            assert (
                connection.execute(select(func.count()).select_from(schema.cells)).scalar() == 100
            )


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_whole_cells_only(path: Path) -> None:
    writer = Fork(write, path, 0, 100_000)
    seen = [int(writer.told.readline()) for _ in range(20)]
    time.sleep(0.05)
    os.kill(writer.pid, signal.SIGKILL)
    seen += [int(line) for line in writer.end().splitlines(keepends=True) if line.endswith("\n")]
    with Store(path) as store:
        found = store.outcomes()
        keys = {"AARI": "a1"}
        assert {outcome.repetition for outcome, _ in found} >= set(seen)  # all reported
        for outcome, info in found:
            assert info.finished is None
            assert lacking(store.find([outcome.key], keys), keys) == [()]
            row = row_of(store, outcome)
            assert [point.result for point in store.results_of(row)] == [TREE, TREE]
        begin(store)


# ---- PostgreSQL ----------------------------------------------------------------------------------


def test_tables_and_insertions_are_sql_that_postgresql_knows() -> None:
    dialect = postgresql.dialect()
    for table in schema.metadata.sorted_tables:
        created = str(CreateTable(table).compile(dialect=dialect))
        assert "ROWID" not in created
        insertion = str(schema.upsert_into(table, "postgresql").compile(dialect=dialect))
        assert "ON CONFLICT" in insertion
