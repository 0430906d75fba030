"""The cross product: every combination is a cell or is left out with its reason."""

from dataclasses import replace
from pathlib import Path

import pytest

from hcbench import Suite
from hcbench.errors import ParameterError, SuiteError, UnknownNameError
from hcbench.plan import Plan, make_plan
from hcbench.plugins import Plugins
from hcbench.registry import Registry
from hcbench.suite import Claim, read_suite

REGISTRY = Registry(Plugins([Path(__file__).parent.parent / "misbehaving.py"]))
SUITE = Suite(
    name="test",
    algorithms=("UPGMA", "4-AL"),
    datasets=("planted", "numbers"),
    metrics=("AARI",),
    repetitions=2,
)


def plan_of(**changes: object) -> Plan:
    return make_plan(replace(SUITE, **changes), REGISTRY)  # type: ignore[arg-type]


def triples(plan: Plan) -> set[tuple[str, str, str]]:
    return {(c.algorithm.label, c.dataset.label, c.oracle.label) for c in plan.cells}


def test_an_algorithm_gets_the_first_kind_it_accepts_that_the_data_provide() -> None:
    assert triples(plan_of()) == {
        ("UPGMA", "planted", "similarities"),
        ("4-AL", "planted", "quadruplet-set"),
        ("UPGMA", "numbers", "vectors"),
        ("4-AL", "numbers", "quadruplet-set"),
    }
    assert len(plan_of().cells) == 8


def test_a_requested_oracle_is_used_by_those_that_accept_it_and_the_rest_keep_their_own() -> None:
    plan = plan_of(oracles=("quadruplet-set[p=[0.05,0.1]]", "similarities"))
    assert triples(plan) == {
        ("UPGMA", "planted", "similarities"),
        ("UPGMA", "numbers", "similarities"),
        *(
            ("4-AL", data, f"quadruplet-set[p={p}]")
            for data in ("planted", "numbers")
            for p in (0.05, 0.1)
        ),
    }


def test_what_cannot_be_is_left_out_with_the_reason() -> None:
    plan = plan_of(algorithms=("good", "asker"), oracles=("vectors",), datasets=("planted",))
    assert not plan.cells
    reasons = {left.algorithm: left.reason for left in plan.left_out}
    assert reasons["good"] == "vectors needs vectors, which planted does not provide"
    assert reasons["asker"] == (
        "asker accepts quadruplet-queries; planted provides heights, levels, similarity, truth"
    )


def test_a_hint_needs_a_truth() -> None:
    plan = make_plan(Suite(name="t", algorithms=("4-AL[init=3]",), datasets=("iris",)), REGISTRY)
    assert plan.cells
    assert plan.cells[0].algorithm.spec.hints_of(plan.cells[0].algorithm.params) == ("clusters",)


def test_a_list_is_a_grid_and_what_is_asked_for_twice_is_one_cell() -> None:
    plan = plan_of(
        algorithms=("UPGMA[metric=[cosine,euclidean]]", "upgma[metric=euclidean]"),
        datasets=("numbers[n=[5,6]]",),
        repetitions=1,
    )
    assert {c.algorithm.label for c in plan.cells} == {"UPGMA", "UPGMA[metric=cosine]"}
    assert len(plan.cells) == 4


def test_all_algorithms_see_the_same_data_and_all_users_of_an_oracle_the_same_noise() -> None:
    plan = plan_of(algorithms=("4-AL", "4-AL[init=3]", "UPGMA"), datasets=("planted",))
    first = [c for c in plan.cells if c.repetition == 0]
    assert len({c.data_seed for c in first}) == 1
    assert len({c.algorithm_seed for c in first}) == 1
    noise = {c.oracle.label: set() for c in first}  # type: ignore[var-annotated]
    for cell in first:
        noise[cell.oracle.label].add(cell.noise_seed)
    assert all(len(seeds) == 1 for seeds in noise.values())
    assert noise["similarities"] != noise["quadruplet-set"]
    second = next(c for c in plan.cells if c.repetition == 1)
    assert second.data_seed not in {c.data_seed for c in first}


def test_seeds_and_keys_do_not_depend_on_what_else_is_in_the_plan() -> None:
    alone = plan_of(algorithms=("UPGMA",), datasets=("numbers",), metrics=())
    among = plan_of(repetitions=3)
    keys = {(c.algorithm.label, c.dataset.label, c.repetition): c.key for c in among.cells}
    for cell in alone.cells:
        assert keys["UPGMA", "numbers", cell.repetition] == cell.key


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"budgets": (10,)},
        {"checkpoints": (10,)},
        {"algorithms": ("UPGMA[metric=cosine]", "4-AL")},
    ],
)
def test_whatever_decides_the_result_changes_the_key(change: dict[str, object]) -> None:
    assert plan_of(**change).cells[0].key != plan_of().cells[0].key


def test_limits_and_metrics_do_not_change_the_key() -> None:
    other = plan_of(timeout=1.0, memory=1.0, metrics=("seconds",))
    assert [c.key for c in other.cells] == [c.key for c in plan_of().cells]


def test_the_content_of_a_file_is_in_the_key_and_its_place_is_not(tmp_path: Path) -> None:
    keys = []
    for name, text in (
        ("a.csv", "x,y\n1,2\n3,4\n"),
        ("b.csv", "x,y\n1,2\n3,4\n"),
        ("a.csv", "x,y\n1,2\n3,5\n"),
    ):
        (tmp_path / name).write_text(text)
        keys.append(plan_of(datasets=(str(tmp_path / name),), algorithms=("UPGMA",)).cells[0].key)
    assert keys[0] == keys[1] != keys[2]


def test_cells_of_one_data_set_stand_together_and_repetitions_interleave_algorithms() -> None:
    order = [(c.dataset.label, c.repetition, c.algorithm.label) for c in plan_of().cells]
    assert order == [
        (data, repetition, algorithm)
        for data in ("planted", "numbers")
        for repetition in (0, 1)
        for algorithm in ("UPGMA", "4-AL")
    ]


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(SuiteError, match="names no algorithms"):
        plan_of(algorithms=())
    with pytest.raises(UnknownNameError, match="did you mean planted"):
        plan_of(datasets=("plantd",))
    with pytest.raises(ParameterError, match="no parameter 'metrik'"):
        plan_of(algorithms=("UPGMA[metrik=cosine]",))


TOML = """
doc = "A small one."
algorithms = ["UPGMA"]
datasets = ["./data.csv[labels=['y']]", "planted"]
metrics = ["AARI"]
repetitions = 3
budgets = [10, 20]

[[claims]]
claim = "Table 1"
algorithm = "UPGMA"
dataset = "planted"
metric = "AARI"
paper = "0.860"
"""


def test_a_suite_file_is_read_and_its_files_are_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    suite = read_suite(path)
    assert suite.name == "mine"
    assert suite.datasets == (f"{tmp_path}/data.csv[labels=['y']]", "planted")
    assert suite.budgets == (10, 20)
    assert suite.claims[0].rounding == pytest.approx(0.0005)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("algorithms = 'UPGMA'", "algorithms must be a list of str"),
        ("algorithms = [1]", "algorithms must be a list of str"),
        ("repetitions = 0", "repetitions must be positive, got 0"),
        ("repetitions = 'three'", "repetitions has the wrong type"),
        ("algos = ['UPGMA']", "unknown entry 'algos'"),
        ("budgets = [-1]", "budget cannot be negative"),
        ("= 3", "is no TOML"),
        ("[[claims]]\nclaim = 'x'", "incomplete claim"),
        ("[[claims]]\nvalue = 3", "no entry 'value'"),
    ],
)
def test_a_wrong_suite_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(SuiteError, match=message):
        read_suite(path)


def test_a_missing_suite_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="No such file"):
        read_suite(tmp_path / "none.toml")


def test_a_claim_has_a_printed_value_or_a_rival() -> None:
    with pytest.raises(SuiteError, match="either paper or better_than"):
        Claim(claim="c", algorithm="a", dataset="d", metric="m")
    with pytest.raises(SuiteError, match="printed number"):
        Claim(claim="c", algorithm="a", dataset="d", metric="m", paper="high")
