"""Shards: a partition of the cells, the same on every machine."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from hcbench.cli import main
from hcbench.errors import ParameterError
from hcbench.plan.plan import Inapplicable, Plan, Shard, make_plan, take_shard
from hcbench.plan.presentation import Presentation
from hcbench.registry import load_registry
from hcbench.registry.suite import Suite
from hcbench.store import Store

pytestmark = pytest.mark.usefixtures("in_process")

PLUGIN = Path(__file__).parents[2] / "misbehaving.py"


def plan_of(algorithms: int, datasets: int, repetitions: int) -> Plan:
    grid = f"planted[N0=[{','.join(str(5 + k) for k in range(datasets))}]]"
    suite = Suite(
        name="s",
        algorithms=("UPGMA", "Random", "4-AL", "HDBSCAN")[:algorithms],
        datasets=(grid,),
        repetitions=repetitions,
    )
    return make_plan(suite, load_registry())


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5), st.integers(1, 9))
def test_every_cell_is_in_one_shard_and_shards_are_of_one_size(
    algorithms: int, datasets: int, repetitions: int, count: int
) -> None:
    plan = plan_of(algorithms, datasets, repetitions)
    shards = [take_shard(plan, number, count) for number in range(1, count + 1)]
    assert Counter(c.key for s in shards for c in s.cells) == Counter(c.key for c in plan.cells)
    sizes = [len(shard.cells) for shard in shards]
    assert max(sizes) - min(sizes) <= 1
    places = {cell.key: place for place, cell in enumerate(plan.cells)}
    for shard in shards:
        own = [places[cell.key] for cell in shard.cells]
        assert own == sorted(own), "in the order of the plan"
    assert len({shard.shard.plan for shard in shards if shard.shard is not None}) == 1


def test_shards_hold_whole_repetitions_where_there_are_enough() -> None:
    for number in (1, 2, 3):
        shard = take_shard(plan_of(3, 2, 6), number, 3)
        assert {cell.repetition for cell in shard.cells} == {2 * number - 2, 2 * number - 1}
        assert len({(c.algorithm.label, c.dataset.label) for c in shard.cells}) == 6


def test_cells_that_share_data_are_in_few_shards() -> None:
    plan = plan_of(4, 3, 1)  # one repetition: three data sets for three shards
    for number in (1, 2, 3):
        assert len({cell.data_seed for cell in take_shard(plan, number, 3).cells}) == 1


def test_another_plan_is_another_plan() -> None:
    digests = {
        shard.plan
        for plan in (plan_of(2, 1, 2), plan_of(3, 1, 2), plan_of(2, 1, 3))
        if (shard := take_shard(plan, 1, 2).shard) is not None
    }
    assert len(digests) == 3


def test_inapplicable_combinations_are_in_the_first_shard() -> None:
    left_out = [Inapplicable("A", "b", "", "it cannot be")]
    plan = replace(plan_of(4, 1, 2), inapplicable=left_out)
    whole = Presentation.of_plan(plan)
    assert len(whole.oracles) > 1
    for number in (1, 2, 3):
        shard = take_shard(plan, number, 3)
        assert shard.inapplicable == (left_out if number == 1 else [])
        keys = "".join(sorted(cell.key for cell in plan.cells)).encode()
        digest = hashlib.blake2b(keys, digest_size=16).hexdigest()
        assert shard.shard == Shard((number,), 3, digest)
        assert shard.full_plan is plan
        layout = Presentation.of_plan(shard)
        assert replace(layout, shard=None) == whole
        assert Presentation.of_description(layout.describe()).shard == shard.shard


@pytest.mark.parametrize("number", [0, 4, -1])
def test_shard_numbers_out_of_range_are_refused(number: int) -> None:
    with pytest.raises(ParameterError, match=r"they are 1 to 3"):
        take_shard(plan_of(1, 1, 1), number, 3)


def test_a_shard_says_which_it_is() -> None:
    assert str(Shard((2,), 4)) == "shard 2 of 4"
    assert str(Shard((1, 3), 4)) == "shards 1, 3 of 4"
    assert str(Shard((1, 2), 2)) == "all 2 shards"


# ---- On the command line -------------------------------------------------------------------------

COMPARE = [
    *("compare", "--plugin", str(PLUGIN), "--algos", "draws,good,raises"),
    *("--datasets", "numbers", "--metrics", "leaves,depth", "-r", "3", "-j", "1"),
]


def hcbench(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "a/b", "1/2/3", "-1/3", "1.5/2", "/"])
def test_invalid_shards_are_refused(text: str, tmp_path: Path) -> None:
    code, out, err = hcbench(*COMPARE, "--store", tmp_path / "s", "--shard", text)
    assert (code, out) == (2, "")
    assert "write 1/4, 2/4, 3/4 or 4/4" in err or "is not a part" in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_merged_shards_show_what_one_run_of_the_whole_shows(tmp_path: Path) -> None:
    stores = [tmp_path / f"{number}.sqlite" for number in (1, 2, 3, 4)]
    for number, store in enumerate(stores, 1):
        _, out, err = hcbench(*COMPARE, "--store", store, "--shard", f"{number}/4")
        assert f"this is shard {number} of 4" in out + err
    assert hcbench(*COMPARE, "--store", tmp_path / "whole")[0] == 1
    target = tmp_path / "all"
    code, _, err = hcbench("results", "merge", *stores, "-o", target)
    assert code == 0
    assert "run 1 has all 4 shards" in err
    merged, whole = (
        hcbench("results", "show", "--store", store, "--format", "csv")[1]
        for store in (target, tmp_path / "whole")
    )
    assert without_times(merged) == without_times(whole)
    _, _, err = hcbench(*COMPARE, "--store", target)
    assert "9 of them stored before" in err, "nothing is left to do"
    with Store(target) as opened:
        assert len(opened.outcomes()) == 9
    part = hcbench("results", "show", "--store", stores[1])
    assert "this is shard 2 of 4 of its plan; merge all shards" in part[1]


def without_times(table: str) -> list[list[str]]:
    rows = [line.split(",") for line in table.splitlines()]
    header = rows[0]
    wanted = ("algorithm", "dataset", "repetition", "status", "leaves", "depth", "key", "reason")
    return [[row[header.index(name)] for name in wanted] for row in rows]


def test_dry_run_shows_the_shard_alone(tmp_path: Path) -> None:
    code, out, _ = hcbench(*COMPARE, "--store", tmp_path / "s", "--shard", "1/2", "--dry-run")
    assert code == 0
    assert "shard 1 of 2" in out
    assert "4 cells, 0 stored" in out
    assert not (tmp_path / "s").exists()


@pytest.mark.slow
def test_shards_without_a_cell_are_runs_too(tmp_path: Path) -> None:
    command = [*COMPARE, "-r", "1", "--store"]
    for number in (1, 2, 3, 4, 5):
        code, _, err = hcbench(*command, tmp_path / str(number), "--shard", f"{number}/5")
        assert code in (0, 1), err
    code, _, err = hcbench(
        "results", "merge", *(tmp_path / n for n in "12345"), "-o", tmp_path / "a"
    )
    assert "run 1 has all 5 shards" in err
    with Store(tmp_path / "a") as store:
        assert store.run(1).cells == 3


@pytest.mark.slow
def test_shards_of_different_plans_remain_separate_runs(tmp_path: Path) -> None:
    hcbench(*COMPARE, "--store", tmp_path / "a", "--shard", "1/2")
    hcbench(*COMPARE, "--seed", "9", "--store", tmp_path / "b", "--shard", "2/2")
    code, _, err = hcbench("results", "merge", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "c")
    assert code == 0
    assert "shards of different plans: they stay runs of their own (1, 2)" in err


@pytest.mark.slow
@pytest.mark.parametrize("command", ["merge", "import"])
def test_errors_of_merging_and_importing_are_one_line(tmp_path: Path, command: str) -> None:
    (tmp_path / "notes.txt").write_text("my notes\n" * 200)
    for source in ("notes.txt", "missing", "."):
        code, out, err = hcbench("results", command, tmp_path / source, "--store", tmp_path / "t")
        assert code in (2, 3)
        assert (out, err.count("\n")) == ("", 1)
        assert "defect" not in err
    assert not (tmp_path / "t").exists()
