"""Merging stores: complete, without duplicates, and idempotent."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import event, select

from hcbench.cli import main
from hcbench.errors import StoreError
from hcbench.model.cost import Cost
from hcbench.plan.outcome import ScoredPoint, Value
from hcbench.store import Store, schema
from hcbench.store.merge import Merged, merge_stores
from tests.core.store.test_store import KEYS, TREE, begin, make_outcome, row_of, save

LAYOUT = {"suite": {"name": "s"}, "metrics": [], "renamed": {}}


def merge(target: Path, *sources: Path) -> list[Merged]:
    opened = [Store(source, read_only=True) for source in sources]
    with Store(target) as store:
        try:
            return merge_stores(store, opened)
        finally:
            for source in opened:
                source.close()


def filled(path: Path, numbers: Sequence[int], **changes: Any) -> Path:
    """Create a store with one run of these cells."""
    with Store(path) as store:
        run = begin(store)
        save(store, run, [make_outcome(n, **changes) for n in numbers])
        store.finish_run(run)
    return path


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    with Store(path) as store, store.database.reading() as connection:
        return {
            table.name: [tuple(r) for r in connection.execute(select(table))]
            for table in schema.metadata.sorted_tables
        }


def shown(path: Path, run: int) -> list[Any]:
    """The data of `results show`."""
    with Store(path) as store:
        return [replace(outcome, reused=False) for outcome, _ in store.outcomes(run=run)]


def count_rows(path: Path) -> tuple[int, ...]:
    rows = contents(path)
    return tuple(len(rows[name]) for name in ("runs", "cells", "points", "metric_values"))


@pytest.mark.slow
def test_a_merge_contains_both_stores_and_runs_show_the_same(tmp_path: Path) -> None:
    a = filled(tmp_path / "a", range(3))
    b = filled(tmp_path / "b", range(2, 6), cost=Cost(seconds=7.0))
    done = merge(tmp_path / "all", a, b)
    assert [(m.runs, m.cells, m.stored, m.repeated) for m in done] == [(1, 3, 0, 0), (1, 4, 0, 1)]
    assert shown(tmp_path / "all", 1) == shown(a, 1)
    assert shown(tmp_path / "all", 2) == shown(b, 1)
    with Store(tmp_path / "all") as store:
        assert store.cell(make_outcome(2).key)[0].cost.seconds == 7.0, "named last is the latest"
        results = store.results_of(row_of(store, make_outcome(5)))
    assert [point.result for point in results] == [TREE, TREE]


def test_a_run_with_a_budget_of_money_is_merged(tmp_path: Path) -> None:
    a = filled(tmp_path / "a", range(2), budget="5USD")
    filled(tmp_path / "b", range(3), budget=1000)
    merge(tmp_path / "all", a, tmp_path / "b")
    assert {outcome.budget for outcome in shown(tmp_path / "all", 1)} == {"5USD"}
    assert {outcome.budget for outcome in shown(tmp_path / "all", 2)} == {1000}


@pytest.mark.slow
def test_merging_again_in_whatever_order_adds_nothing(tmp_path: Path) -> None:
    for name, numbers in {"a": (0, 1), "b": (1, 2), "c": (3,)}.items():
        filled(tmp_path / name, numbers)
    merge(tmp_path / "all", *(tmp_path / name for name in "abc"))
    before = contents(tmp_path / "all")
    for name in "aabbccacba":  # each one after each
        (done,) = merge(tmp_path / "all", tmp_path / name)
        assert (done.runs, done.cells, done.values) == (0, 0, 0)
    assert contents(tmp_path / "all") == before


@pytest.mark.slow
def test_a_continued_copy_adds_new_cells(tmp_path: Path) -> None:
    a = filled(tmp_path / "a", range(3))
    copy = tmp_path / "copy"
    copy.write_bytes(a.read_bytes())
    with Store(copy) as store:
        run = begin(store)
        store.link(run, [row_of(store, make_outcome(0))])
        save(store, run, [make_outcome(9)])
        save(store, run, [make_outcome(1, cost=Cost(seconds=3.0))], fresh=True)
    merge(a, copy)
    assert count_rows(a) == (2, 5, 10, 15)
    assert shown(a, 1) == shown(copy, 1)
    assert shown(a, 2) == shown(copy, 2)
    with Store(a) as store:
        assert store.run(2).reused == 1


def test_merging_adds_values_of_metrics_and_lost_results(
    tmp_path: Path,
) -> None:
    lost = Value(None, "error", "killed", final=False)
    measured = (ScoredPoint(queries=7, result=TREE, values={"AARI": lost}),)
    a = filled(tmp_path / "a", [0], points=measured)
    b = tmp_path / "b"
    b.write_bytes(a.read_bytes())
    with Store(b) as store:
        found = (ScoredPoint(values={"AARI": Value(math.inf), "seconds": Value(math.nan)}),)
        store.save_values(1, row_of(store, make_outcome(0)), found, KEYS)
    assert merge(a, b)[0].values == 2
    with Store(a) as store:
        (outcome, _), *_ = store.outcomes()
    assert outcome.points[0].values["AARI"] == Value(math.inf)
    assert math.isnan(outcome.points[0].values["seconds"].value or 0)
    assert merge(b, a)[0].values == 0


def test_other_values_of_one_measurement_are_counted_and_named(tmp_path: Path) -> None:
    first = filled(tmp_path / "first", [0, 1, 2])
    changed = tmp_path / "changed"
    shutil.copy(first, changed)
    raw = sqlite3.connect(changed)
    # Of the second cell, whose row has this id.
    ((cell, key),) = raw.execute("SELECT id, key FROM cells WHERE repetition = 1").fetchall()
    statement = "UPDATE metric_values SET value = value + 1 WHERE cell = ? AND value IS NOT NULL"
    n_changed = raw.execute(statement, [cell]).rowcount
    raw.commit()
    raw.close()
    assert n_changed > 0
    before = contents(first)
    (merged,) = merge(first, changed)
    assert (merged.differing, merged.example) == (n_changed, key)
    assert (merged.cells, merged.values) == (0, 0)
    assert contents(first)["metric_values"] == before["metric_values"], "its own are kept"
    done = CliRunner().invoke(main, ["results", "merge", str(changed), "-o", str(first)])
    assert done.exit_code == 0, done.output
    assert f"other values for {n_changed} metrics of cells" in done.stderr
    assert key in done.stderr
    (merged,) = merge(tmp_path / "new", first)
    assert (merged.differing, merged.example) == (0, "")


@pytest.mark.attack("hostile stores")
def test_a_store_keeps_its_own_paid_answers_and_counts_those_that_differ(tmp_path: Path) -> None:
    """A stranger's store must not replace what was paid for."""
    query, repeated, new = ((0, 1, 2), 0), ((0, 1, 2), 1), ((0, 1, 3), 0)
    own = (1.0, 0.5, 10.0, 1.5, 0.9, 7)
    with Store(tmp_path / "own") as store:
        begin(store)
        store.save_reply("source", query, own)
        store.save_reply("source", repeated, own)
    with Store(tmp_path / "theirs") as store:
        begin(store)
        store.save_reply("source", query, (2.0, *own[1:]))
        store.save_reply("source", repeated, own)
        store.save_reply("source", new, own)
    (merged,) = merge(tmp_path / "own", tmp_path / "theirs")
    assert (merged.answers, merged.differing_answers) == (1, 1)
    with Store(tmp_path / "own") as store:
        assert store.replies("source") == {query: own, repeated: own, new: own}
    command = ["results", "merge", str(tmp_path / "theirs"), "-o", str(tmp_path / "own")]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "other replies for 1 queries to paid oracles" in done.stderr


def test_a_source_is_not_changed(tmp_path: Path) -> None:
    a = filled(tmp_path / "a", range(3))
    before = hashlib.sha256(a.read_bytes()).digest()
    merge(tmp_path / "all", a)
    assert hashlib.sha256(a.read_bytes()).digest() == before
    with Store(a, read_only=True) as store, pytest.raises(StoreError, match="cannot be written"):
        begin(store)


def test_merge_errors_are_reported_and_leave_the_target_unchanged(tmp_path: Path) -> None:
    a = filled(tmp_path / "a", range(3))
    before = contents(a)
    with pytest.raises(StoreError, match="cannot be merged into itself"):
        merge(a, tmp_path / "." / "a")
    with pytest.raises(StoreError, match=r"missing.sqlite holds no results: there is no store"):
        merge(a, tmp_path / "missing.sqlite")
    assert not (tmp_path / "missing.sqlite").exists()
    newer = filled(tmp_path / "newer", [7])
    with sqlite3.connect(newer) as raw:
        raw.execute("UPDATE meta SET value = '99'")
    raw.close()
    with pytest.raises(StoreError, match=r"was written by hcbench .* pip install"):
        merge(a, newer)
    assert contents(a) == before


@pytest.mark.slow
def test_a_merge_that_is_interrupted_leaves_the_target_as_it_was(tmp_path: Path) -> None:
    target, source = filled(tmp_path / "all", [0]), filled(tmp_path / "a", range(1200))
    before = contents(target)
    with Store(target) as store, Store(source, read_only=True) as opened:
        count = itertools.count()

        def interrupt(*_: Any) -> None:
            if next(count) == 20:
                raise KeyboardInterrupt

        event.listen(store.database.engine, "before_cursor_execute", interrupt)
        with pytest.raises(KeyboardInterrupt):
            merge_stores(store, [opened])
    assert contents(target) == before
    assert merge(target, source)[0].cells == 1200


# ---- Shards --------------------------------------------------------------------------------------


def shard(
    path: Path,
    number: int,
    numbers: Sequence[int],
    *,
    plan: str = "p",
    finish: bool = True,
    fresh: bool = False,
    layout: dict[str, Any] | None = None,
    **changes: Any,
) -> Path:
    """A store with a run of one of three shards."""
    described = {
        **LAYOUT,
        **(layout or {}),
        "shard": {"numbers": [number], "count": 3, "plan": plan},
    }
    with Store(path) as store:
        run = store.begin_run(
            command=f"hcbench run x --shard {number}/3 --store {path} -j 2",
            suite="s",
            environment={"machine": str(number)},
            layout=described,
        )
        save(store, run, [make_outcome(n, **changes) for n in numbers], fresh=fresh)
        if finish:
            store.finish_run(run)
    return path


@pytest.mark.slow
def test_shards_of_one_plan_become_one_run_that_shows_the_whole(tmp_path: Path) -> None:
    parts = [shard(tmp_path / str(i), i, range(10 * i, 10 * i + 4)) for i in (1, 2, 3)]
    for order in itertools.permutations(parts):
        target = tmp_path / "".join(path.name for path in order) / "all"
        merge(target, *order[:2])
        merge(target, *order[1:])  # one of them twice
        with Store(target) as store:
            (run,) = store.runs()
            assert [o.repetition for o, _ in store.outcomes(run=1)] == [
                10 * int(path.name) + k for path in order for k in range(4)
            ]
        assert (run.cells, run.reused) == (12, 0)
        assert run.layout["shard"]["numbers"] == [1, 2, 3]
        assert run.command == "hcbench run x -j 2"
        assert run.finished is not None
        machines = [part["environment"]["machine"] for part in run.environment["shards"].values()]
        assert machines == ["1", "2", "3"]


@pytest.mark.slow
def test_merged_shards_are_merged_with_merged_shards(tmp_path: Path) -> None:
    parts = [shard(tmp_path / str(i), i, [i]) for i in (1, 2, 3)]
    merge(tmp_path / "ab", *parts[:2])
    merge(tmp_path / "bc", *parts[1:])
    merge(tmp_path / "all", tmp_path / "ab", tmp_path / "bc")
    before = contents(tmp_path / "all")
    with Store(tmp_path / "all") as store:
        (run,) = store.runs()
        assert (run.cells, len(store.outcomes())) == (3, 3)
    merge(tmp_path / "all", *parts)
    assert contents(tmp_path / "all") == before


@pytest.mark.slow
def test_a_shard_that_was_interrupted_and_resumed_counts_once(tmp_path: Path) -> None:
    one, two = shard(tmp_path / "1", 1, [1, 2], finish=False), shard(tmp_path / "2", 2, [7])
    target = tmp_path / "all"
    merge(target, one, two)
    with Store(target) as store:
        assert store.run(1).finished is None, "a part of it has no end"
    with Store(one) as store:
        reused = row_of(store, make_outcome(1))
    shard(one, 1, [2, 3], fresh=True, cost=Cost(seconds=9.0))
    with Store(one) as store:
        store.link(2, [reused])
    merge(target, one)
    with Store(target) as store:
        (run,) = store.runs()
        seconds = {o.repetition: o.cost.seconds for o, _ in store.outcomes(run=1)}
    assert run.finished is not None
    assert seconds == {1: 0.25, 2: 9.0, 3: 9.0, 7: 0.25}, "of each cell the latest, once"


@pytest.mark.parametrize(
    "other", [{"plan": "q"}, {"layout": {"suite": {"name": "s", "timeout": 9}}}]
)
def test_shards_of_other_plans_are_not_joined(tmp_path: Path, other: dict[str, Any]) -> None:
    one, two = shard(tmp_path / "1", 1, [1]), shard(tmp_path / "2", 2, [2], **other)
    merge(tmp_path / "all", one, two)
    with Store(tmp_path / "all") as store:
        assert [run.layout["shard"]["numbers"] for run in store.runs()] == [[1], [2]]


# ---- Invalid stores ------------------------------------------------------------------------------


@pytest.mark.attack("hostile stores")
@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE cells SET budget = 'many'", "cells.budget is no budget: 'many'"),
        ("UPDATE cells SET cell = 'import os'", "cells.cell is no mapping in JSON"),
        ("UPDATE cells SET notes = '{}'", "cells.notes is no list of texts in JSON"),
        ("UPDATE cells SET status = 'fine'", "cells.status is no status of a cell: 'fine'"),
        ("UPDATE cells SET seed = '1e999'", "cells.seed is no seed: '1e999'"),
        ("UPDATE cells SET algorithm = x'00'", "cells.algorithm cannot be b"),
        ("UPDATE runs SET layout = '[]'", "runs.layout is no mapping in JSON"),
        (f"UPDATE runs SET environment = '{'[' * 100_000}'", "runs.environment is no mapping in"),
        ("UPDATE metric_values SET value = 'x'", "metric_values.value cannot be 'x'"),
        ("UPDATE points SET result = 'x'", "points.result cannot be 'x'"),
        ("PRAGMA foreign_keys = OFF; UPDATE cells SET run = 77", "it has no run 77"),
    ],
)
def test_an_inconsistent_store_is_refused(tmp_path: Path, statement: str, message: str) -> None:
    target, source = filled(tmp_path / "all", [0]), filled(tmp_path / "a", [1])
    raw = sqlite3.connect(source)
    raw.executescript(statement)
    raw.close()
    before = contents(target)
    with pytest.raises(StoreError, match="is damaged") as caught:
        merge(target, source)
    assert message in str(caught.value)
    assert contents(target) == before


@pytest.mark.parametrize(
    "written",
    [
        {"numbers": [], "count": 3, "plan": "p"},
        {"numbers": [9], "count": 3, "plan": "p"},
        {"numbers": "all", "count": 3, "plan": "p"},
        "os.system",
        [1],
    ],
)
def test_a_run_with_an_invalid_shard_is_an_ordinary_run(tmp_path: Path, written: Any) -> None:
    source = shard(tmp_path / "1", 1, [1])
    layout = json.dumps({**LAYOUT, "shard": written})
    with sqlite3.connect(source) as raw:
        raw.execute("UPDATE runs SET layout = ?", (layout,))
    raw.close()
    merge(tmp_path / "all", source, shard(tmp_path / "2", 2, [2]))
    with Store(tmp_path / "all") as store:
        assert len(store.runs()) == 2
