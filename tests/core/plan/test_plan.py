"""The cross product: every combination is a cell or is excluded with its reason."""

import hashlib
import json
from dataclasses import replace
from importlib.metadata import Distribution
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from hcbench import AlgorithmSpec, Parameter, Suite, load_registry
from hcbench.api.uses import SessionData, use_of_algorithm
from hcbench.errors import (
    DataError,
    ParameterError,
    RepeatedEntryWarning,
    SuiteError,
    UnknownNameError,
)
from hcbench.plan import derive_seed
from hcbench.plan.plan import Inapplicable, Plan, make_plan, metric_keys
from hcbench.plan.presentation import Presentation
from hcbench.registry import Registry, fingerprint
from hcbench.registry.figure import Figure
from hcbench.registry.fingerprint import fingerprint_of
from hcbench.registry.plugins import Plugins
from hcbench.registry.suite import Claim
from hcbench.registry.suite_files import describe_suite, rebuild_suite
from hcbench.registry.uses import Use

REGISTRY = Registry(Plugins([Path(__file__).parents[2] / "misbehaving.py"]))
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


def test_a_requested_oracle_is_used_by_algorithms_that_accept_it() -> None:
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


def test_inapplicable_combinations_are_excluded_with_the_reason() -> None:
    plan = plan_of(algorithms=("good", "asker"), oracles=("vectors",), datasets=("car",))
    assert not plan.cells
    reasons = {left.algorithm: left.reason for left in plan.inapplicable}
    assert reasons["good"] == "vectors needs vectors, which car does not provide"
    assert reasons["asker"] == (
        "asker accepts quadruplet-queries; car provides comparisons, levels, truth"
    )


def test_an_oracle_without_its_library_is_inapplicable_with_the_command(tmp_path: Path) -> None:
    file = tmp_path / "absent.py"
    file.write_text(
        "from hcbench import OracleSpec, hookimpl\n"
        "@hookimpl\n"
        "def hcbench_oracles():\n"
        "    yield OracleSpec(name='absent', function='absent:f', doc='', kind='ordinal-queries',\n"
        "                     needs=(), requires=('scipy', 'no-such-thing'))\n"
    )
    suite = Suite(name="", algorithms=("Bottom-up",), datasets=("iris",), oracles=("absent",))
    plan = make_plan(suite, load_registry([file]))
    assert not plan.cells
    reasons = [(each.oracle, each.reason) for each in plan.inapplicable]
    assert reasons == [("absent", "absent needs what is not installed: pip install no-such-thing")]


def test_an_inapplicable_oracle_is_excluded_if_another_applies() -> None:
    plan = plan_of(
        algorithms=("UPGMA",), datasets=("planted", "iris"), oracles=("vectors", "similarities")
    )
    assert triples(plan) == {
        ("UPGMA", "planted", "similarities"),
        ("UPGMA", "iris", "vectors"),
        ("UPGMA", "iris", "similarities"),
    }
    assert plan.inapplicable == [
        Inapplicable(
            algorithm="UPGMA",
            dataset="planted",
            oracle="vectors",
            reason="vectors needs vectors, which planted does not provide",
        )
    ]


SAME = """
    from hcbench import AlgorithmSpec, DatasetSpec, MetricSpec, OracleSpec, Parameter, hookimpl

    @hookimpl
    def hcbench_algorithms():
        k = Parameter("k", 1, "")
        kinds = ("vectors",)
        return [AlgorithmSpec(name="X", function="a:b", doc="", accepts=kinds, parameters=(k,))]

    @hookimpl
    def hcbench_datasets():
        return [DatasetSpec(name="X", function="a:b", doc="", provides=("vectors",))]

    @hookimpl
    def hcbench_oracles():
        return [OracleSpec(name="X", function="a:b", doc="", kind="vectors", needs=("vectors",))]

    @hookimpl
    def hcbench_metrics():
        return [MetricSpec(name="X", function="a:b", doc="", direction="lower")]
"""


def test_equal_labels_are_replaced_by_full_names(tmp_path: Path) -> None:
    files = [tmp_path / "pa.py", tmp_path / "pb.py"]
    for file in files:
        file.write_text(dedent(SAME))
    registry = Registry(Plugins(files))
    both = ("pa:X", "pb:X")
    suite = Suite(
        name="t",
        algorithms=("pa:X[k=2]", "pb:X[k=2]", "pb:X"),
        datasets=both,
        oracles=both,
        metrics=both,
        repetitions=1,
    )
    plan = make_plan(suite, registry)
    assert [a.label for a in plan.algorithms] == ["pa:X[k=2]", "pb:X[k=2]", "X"]
    assert [d.label for d in plan.datasets] == [m.label for m in plan.metrics] == ["pa:X", "pb:X"]
    assert {c.oracle.label for c in plan.cells} == {"pa:X", "pb:X"}
    assert len(set(metric_keys(plan).values())) == 2
    layout = Presentation.of_plan(plan)
    assert layout.parameters["algorithms"]["pb:X[k=2]"] == {"k": 2}
    assert layout.parameters["metrics"] == {"pa:X": {}, "pb:X": {}}
    alone = make_plan(replace(suite, algorithms=("pb:X",), datasets=("pb:X",)), registry).cells[0]
    among = [c for c in plan.cells if c.algorithm.label == "X" and c.dataset.label == "pb:X"]
    assert (alone.dataset.label, alone.key) == ("X", among[0].key)
    assert (alone.data_seed, alone.noise_seed) == (among[0].data_seed, among[0].noise_seed)


def test_functions_of_one_name_are_numbered() -> None:
    own = [use_of_algorithm(lambda X: X) for _ in range(3)]
    suite = Suite(name="t", algorithms=("UPGMA",), datasets=("iris",), repetitions=1)
    plan = make_plan(suite, REGISTRY, algorithms=[*own, callers_upgma()])
    labels = [a.label for a in plan.algorithms]
    assert labels == ["hcbench:UPGMA", "lambda", "lambda#2", "lambda#3", "caller:UPGMA"]
    assert [a.identity for a in plan.algorithms[1:4]] == [use.identity for use in own]


def callers_upgma() -> Use[AlgorithmSpec]:
    spec = AlgorithmSpec(name="UPGMA", function="a:b", doc="", accepts=("vectors",))
    return use_of_algorithm(spec)


def test_a_hint_needs_a_truth(tmp_path: Path) -> None:
    plan = make_plan(Suite(name="t", algorithms=("4-AL[init=3]",), datasets=("iris",)), REGISTRY)
    assert plan.cells
    assert plan.cells[0].algorithm.spec.hints_of(plan.cells[0].algorithm.params) == ("clusters",)
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,4\n")
    file = str(tmp_path / "a.csv")
    plan = plan_of(algorithms=("4-AL[init=3]",), datasets=(file,))
    assert not plan.cells
    label = plan.datasets[0].label
    reason = f"4-AL[init=3] needs truth, which {label} does not provide"
    assert plan.inapplicable == [Inapplicable("4-AL[init=3]", label, "", reason)]


def test_data_as_a_hint_are_needed_and_told() -> None:
    def both(oracle: Any, items: Any, rng: Any) -> None: ...

    spec = AlgorithmSpec(
        name="Both", function=both, doc="", accepts=("ordinal-queries",), hints=("vectors",)
    )
    own = use_of_algorithm(spec)
    plan = make_plan(Suite(name="t", datasets=("car", "iris")), REGISTRY, algorithms=[own])
    reason = "Both needs vectors, which car does not provide"
    assert plan.inapplicable == [Inapplicable("Both", "car", "", reason)]
    assert {cell.dataset.label for cell in plan.cells} == {"iris"}
    presentation = Presentation.of_plan(plan)
    assert presentation.received_data == {"Both": "the vectors of the items"}
    assert "Both" not in presentation.received_truth


def test_a_list_is_a_grid_and_duplicates_are_one_cell() -> None:
    with pytest.warns(RepeatedEntryWarning):
        plan = plan_of(
            algorithms=("UPGMA[metric=[cosine,euclidean]]", "upgma[metric=euclidean]"),
            datasets=("numbers[n=[5,6]]",),
            repetitions=1,
        )
    assert {c.algorithm.label for c in plan.cells} == {"UPGMA", "UPGMA[metric=cosine]"}
    assert len(plan.cells) == 4


def test_equal_files_are_two_data_sets_and_one_file_is_one(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x,y\n1,2\n3,4\n")
    first, second = f"{tmp_path}/a.csv", f"{tmp_path}/b.csv"
    plan = plan_of(algorithms=("UPGMA",), datasets=(first, second), repetitions=1)
    assert [cell.dataset.label for cell in plan.cells] == [first, second]
    assert len({cell.key for cell in plan.cells}) == 2
    # The first has the key that it has alone, also under another name.
    for file in (first, second):
        alone = plan_of(algorithms=("UPGMA",), datasets=(file,), repetitions=1)
        assert [cell.key for cell in alone.cells] == [plan.cells[0].key]
    with pytest.warns(RepeatedEntryWarning):
        plan = plan_of(
            algorithms=("UPGMA",), datasets=(first, f"{tmp_path}/./a.csv"), repetitions=1
        )
    assert len(plan.cells) == 1


CLAIM = Claim(claim="it", algorithm="UPGMA", dataset="iris", metric="AARI", paper="0.8")
FIGURE = Figure(name="one", doc="It.", function="a.b:c")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"budgets": (500, 500)}, "budgets 500"),
        ({"budgets": (500, 500.0, "500")}, "budgets 500"),
        ({"budgets": ("5e2", "500.0", 500)}, "budgets 500"),
        ({"checkpoints": (9, 3, 9)}, "checkpoints 9"),
        ({"checkpoints": (9, 3, 9.0)}, "checkpoints 9"),
        ({"algorithms": ("4-AL", "4-AL", "4-AL")}, "algorithms 4-AL"),
        ({"algorithms": ("4-AL", "4-al")}, "algorithms 4-al (the same as 4-AL)"),
        (
            {"algorithms": ("4-AL", "hcbench:4-AL[init=1]")},
            "algorithms hcbench:4-AL[init=1] (the same as 4-AL)",
        ),
        ({"algorithms": ("UPGMA[metric=[cosine,cosine]]",)}, "algorithms UPGMA[metric=cosine]"),
        ({"datasets": ("numbers", "numbers[n=[8,9,9]]")}, "datasets numbers[n=9]"),
        (
            {"oracles": ("quadruplet-set[p=0.1]", "quadruplet-set[p=0.10]")},
            "oracles quadruplet-set[p=0.10] (the same as quadruplet-set[p=0.1])",
        ),
        ({"metrics": ("AARI", "aari")}, "metrics aari (the same as AARI)"),
        ({"claims": (CLAIM, CLAIM)}, "claims it"),
        ({"figures": (FIGURE, FIGURE)}, "figures one"),
        ({"only": (("UPGMA", "numbers"), ("UPGMA", "numbers"))}, "only UPGMA, numbers"),
        (
            {"algorithms": ("4-AL", "4-AL"), "budgets": (5, 5)},
            "algorithms 4-AL; budgets 5",
        ),
    ],
)
def test_an_entry_that_is_listed_twice_counts_once_and_is_told(
    changes: dict[str, Any], told: str
) -> None:
    with pytest.warns(RepeatedEntryWarning) as warned:
        plan = plan_of(**changes)
    (warning,) = warned
    assert str(warning.message) == f"listed more than once, and used once: {told}"
    keys = [cell.key for cell in plan.cells]
    assert len(set(keys)) == len(keys)
    metrics = [metric.label for metric in plan.metrics]
    for lists in (plan.suite.budgets, plan.suite.checkpoints, plan.suite.only, metrics):
        assert len(set(lists)) == len(lists)
    assert len(plan.suite.claims) == len(changes.get("claims", ())) // 2
    assert len(plan.suite.figures) == len(changes.get("figures", ())) // 2


def test_a_name_that_a_pattern_covers_is_not_told() -> None:
    names = tuple(cell.algorithm.label for cell in plan_of(algorithms=("*-AL", "4-AL")).cells)
    assert "4-AL" in names
    with pytest.warns(RepeatedEntryWarning, match=r"once: algorithms \*-AL$"):
        twice = plan_of(algorithms=("*-AL", "4-AL", "*-AL"))
    assert tuple(cell.algorithm.label for cell in twice.cells) == names


def test_a_metric_that_is_listed_twice_for_stored_results_or_trees_is_told() -> None:
    with pytest.warns(RepeatedEntryWarning, match=r"once: metrics aari \(the same as AARI\)$"):
        uses = REGISTRY.use_all_metrics(("AARI", "aari", "queries"))
    assert [use.label for use in uses] == ["AARI", "queries"]


def test_a_stored_suite_with_an_entry_twice_is_read() -> None:
    """As runs of earlier versions have; what they list twice is not told again."""
    suite = Suite(name="old", budgets=(500, 500), checkpoints=(9, 9), claims=(CLAIM, CLAIM))
    assert rebuild_suite(json.loads(json.dumps(describe_suite(suite)))) == suite


def test_a_list_that_is_itself_a_value_keeps_what_it_repeats() -> None:
    (use,) = REGISTRY.use_algorithms("WDP[prior=[[0.5,0.5]]]")
    assert use.params["prior"] == (0.5, 0.5)


def test_a_label_with_a_list_value_is_not_a_grid() -> None:
    (use,) = REGISTRY.use_algorithms("WDP[prior=[[0.25,0.5]]]")
    assert use.params["prior"] == (0.25, 0.5)
    assert use.label == "WDP[prior=[[0.25,0.5]]]"
    assert len(REGISTRY.use_algorithms("WDP[prior=[0.25,0.5]]")) == 2


def test_a_paired_algorithm_runs_only_on_its_data() -> None:
    plan = plan_of(
        algorithms=("UPGMA[metric=[cosine,euclidean]]", "Ward"),
        datasets=("numbers[n=[5,6]]",),
        only=(("UPGMA[metric=cosine]", "numbers[n=5]"), ("upgma[metric=cosine]", "planted")),
        repetitions=1,
    )
    assert [(a, d) for a, d, _ in sorted(triples(plan))] == [
        ("UPGMA", "numbers[n=5]"),
        ("UPGMA", "numbers[n=6]"),
        ("UPGMA[metric=cosine]", "numbers[n=5]"),
        ("Ward", "numbers[n=5]"),
        ("Ward", "numbers[n=6]"),
    ]
    assert not plan.inapplicable


def test_a_pair_may_be_restricted_to_an_oracle() -> None:
    given = {"algorithms": ("4-AL",), "datasets": ("planted", "numbers"), "repetitions": 1}
    sets = tuple(f"quadruplet-set[p={p}]" for p in (0.1, 0.2))
    only = (("4-AL", "planted", sets[0]), ("4-AL", "numbers"))
    through = {(d, o) for _, d, o in triples(plan_of(**given, oracles=sets, only=only))}
    assert through == {("planted", sets[0]), *(("numbers", o) for o in sets)}
    others = ("quadruplet-set[p=0.3]",)
    asked = {(d, o) for _, d, o in triples(plan_of(**given, oracles=others, only=only))}
    assert asked == {("planted", others[0]), ("numbers", others[0])}


def test_pairs_are_stored_with_the_suite_of_a_run() -> None:
    suite = replace(SUITE, only=(("UPGMA", "planted"), ("4-AL", "numbers", "quadruplet-set")))
    assert rebuild_suite(json.loads(json.dumps(describe_suite(suite)))) == suite


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


def test_everything_that_determines_the_result_changes_the_key() -> None:
    for change in [
        {"algorithms": ("4-AL",), "seed": 1},
        {"algorithms": ("4-AL",), "threads": 2},
        {"algorithms": ("4-AL",), "budgets": (10,)},
        {"algorithms": ("4-AL",), "checkpoints": (10,)},
        {"algorithms": ("4-AL[init=3]",)},
        {"algorithms": ("4-AL",), "oracles": ("quadruplet-set[noise=0.1]",)},
    ]:
        assert plan_of(**change).cells[0].key != plan_of(algorithms=("4-AL",)).cells[0].key


def test_a_key_is_the_hash_of_everything_that_determines_the_result() -> None:
    """However it is computed, so that stored results are found again."""
    several = {"budgets": (5, 7), "checkpoints": (3, 1), "repetitions": 11, "seed": 2**80}
    cells = plan_of(algorithms=("4-AL", "UPGMA"), **several).cells
    assert len({cell.key for cell in cells}) == len(cells) == 2 * (2 * 11 + 11)
    for cell in cells:
        identities = [cell.algorithm.identity, cell.dataset.identity, cell.oracle.identity]
        decisive = [*identities, cell.repetition, cell.seed, cell.budget, cell.checkpoints]
        written = json.dumps(decisive).encode()
        assert cell.key == hashlib.blake2b(written, digest_size=16).hexdigest()


def test_a_seed_is_the_hash_of_names(tmp_path: Path) -> None:
    """The first 63 of 64 bits, so that it fits in an integer of numpy."""

    def seed(*names: object) -> int:
        written = "[" + ",".join(map(json.dumps, names)) + "]"
        return int(hashlib.blake2b(written.encode(), digest_size=8).hexdigest(), 16) // 2

    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,4\n")
    file = str(tmp_path / "a.csv")
    plan = plan_of(datasets=("planted", file), oracles=("quadruplet-set[noise=0.1]",), seed=7)
    assert {c.repetition for c in plan.cells} == {0, 1}
    for cell in plan.cells:
        data, oracle, repetition = cell.dataset.seed_name, cell.oracle.seed_name, cell.repetition
        fixed = cell.dataset.spec.name == "file"
        assert cell.data_seed == seed(7, "data", data, 0 if fixed else repetition)
        assert cell.noise_seed == seed(7, "noise", data, oracle, repetition)
        assert cell.algorithm_seed == seed(7, "algorithm", data, repetition)
        assert cell.data_key == f"{cell.dataset.identity}/{cell.data_seed}"
        assert json.loads(data)[:1] == [cell.dataset.spec.name]


def test_the_description_of_a_cell_reproduces_it() -> None:
    (cell, *_) = plan_of(
        algorithms=("4-AL[init=3]",), datasets=("planted",), checkpoints=(9, 3), repetitions=1
    ).cells
    assert cell.labels == ("4-AL[init=3]", "planted", "quadruplet-set")
    described = cell.describe()
    for kind, name in (("algorithm", "4-AL"), ("dataset", "planted"), ("oracle", "quadruplet-set")):
        use = getattr(cell, kind)
        assert described.pop(kind) == {
            "name": f"hcbench:{name}",
            "params": use.params,
            "editions": use.fingerprints,
            "digests": {},
        }
    assert described == {
        "checkpoints": [3, 9],
        "threads": 1,
        "hints": ["clusters"],
        "data_seed": cell.data_seed,
        "noise_seed": cell.noise_seed,
        "algorithm_seed": cell.algorithm_seed,
    }


def test_a_metric_that_cannot_score_a_cell_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,4\n")
    plan = plan_of(
        algorithms=("UPGMA",),
        datasets=("planted", str(tmp_path / "a.csv")),
        metrics=("AARI", "n-clusters", "seconds"),
        repetitions=1,
    )
    planted, file = plan.cells
    assert planted.metrics == plan.metrics
    no_partition = "judges a partition; the result is a tree"
    assert [planted.why_inapplicable(m) for m in plan.metrics] == ["", no_partition, ""]
    assert file.why_inapplicable(plan.metrics[0]) == (
        "needs truth or levels, which the data set does not provide"
    )
    key = hashlib.blake2b(plan.metrics[0].identity.encode(), digest_size=16).hexdigest()
    assert metric_keys(plan)["AARI"] == key


def test_the_oracle_with_the_name_of_its_kind_comes_first() -> None:
    assert triples(plan_of(algorithms=("asker",), datasets=("numbers",))) == {
        ("asker", "numbers", "quadruplet-queries")  # first-is-closer is of this kind as well
    }


def test_budgets_are_ignored_without_counted_queries() -> None:
    plan = plan_of(budgets=(10, 20), checkpoints=(5,), datasets=("numbers",), repetitions=1)
    assert [(c.algorithm.label, c.budget, c.checkpoints) for c in plan.cells] == [
        ("UPGMA", None, ()),
        ("4-AL", 10, (5,)),
        ("4-AL", 20, (5,)),
    ]


def test_an_oracle_that_no_algorithm_accepts_is_refused() -> None:
    with pytest.raises(ParameterError, match="no algorithm accepts quadruplet-set: UPGMA accepts"):
        plan_of(algorithms=("UPGMA",), oracles=("quadruplet-set",))


def test_core_and_what_a_spec_requires_are_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def keys() -> tuple[str, ...]:
        """Keys of a cell that requires scipy, of one without requirements, and of a metric."""
        plan = plan_of(datasets=("planted",))
        return plan.cells[0].key, plan.cells[1].key, metric_keys(plan)["AARI"]

    before = keys()
    assert keys() == before
    monkeypatch.setattr("hcbench.registry.uses.installed_version", lambda name: f"other {name}")
    changed = keys()
    assert (changed[0] != before[0], changed[1:]) == (True, before[1:])
    monkeypatch.undo()
    monkeypatch.setattr("hcbench.registry.uses.core_edition", lambda: "another")
    assert not set(keys()) & set(before)


def test_seeds_are_hashes_of_the_names_and_the_same_everywhere() -> None:
    text = b'[7,"data","iris",3]'
    digest = hashlib.blake2b(text, digest_size=8).digest()
    assert derive_seed(7, "data", "iris", 3) == int.from_bytes(digest, "big") // 2


def test_the_declared_memory_is_that_of_the_number_of_items() -> None:
    spec = AlgorithmSpec(
        name="Big",
        function="x:y",
        doc="Big.",
        accepts=("vectors",),
        parameters=(Parameter("width", 2, "Of a row."),),
        memory=lambda n, *, width: n * width,
    )
    (cell,) = plan_of(algorithms=("UPGMA",), datasets=("numbers",), repetitions=1).cells
    big = replace(cell.algorithm, spec=spec, params={"width": 3})
    assert replace(cell, algorithm=big).expected_bytes == 3 * cell.dataset.params["n"]
    undeclared = replace(big, spec=replace(spec, memory=None))
    assert replace(cell, algorithm=undeclared).expected_bytes is None
    (wine,) = plan_of(algorithms=("UPGMA",), datasets=("wine",), repetitions=1).cells
    assert replace(wine, algorithm=big).expected_bytes is None, "its size is not known before"


class Installed(Distribution):
    """Release 1.2 of a distribution, with the origin that pip records."""

    def __init__(self, origin: str | None) -> None:
        self.origin = origin

    def read_text(self, filename: str) -> str | None:
        if filename == "direct_url.json":
            return self.origin
        return "Name: hcbench\nVersion: 1.2\n"

    def locate_file(self, path: object) -> Path:
        raise NotImplementedError


def test_the_fingerprint_of_core_follows_the_code_of_its_result_modules(
    tmp_path: Path,
) -> None:
    (tmp_path / "model/trees").mkdir(parents=True)
    code = "def f():\n    return 1\n"
    names = ("cli.py", "errors.py", "model/trees/tree.py")
    for name in names:
        (tmp_path / name).write_text(code)
    release = Installed(None)
    assert fingerprint_of(release, tmp_path) == "1.2", "a release is identified by its version"
    editable = Installed('{"dir_info": {"editable": true}, "url": "file:///hcbench"}')

    def fingerprint_after(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return fingerprint_of(editable, tmp_path)

    before = fingerprint_of(editable, tmp_path)
    assert before.startswith("1.2+")
    assert fingerprint_of(None, tmp_path) == before.replace("1.2", "0")
    changed = [fingerprint_after(name, code.replace("1", "2")) for name in names]
    assert changed[0] == before
    assert len(set(changed)) == 3
    commented = code.replace("1", "2  # why")
    assert fingerprint_after("errors.py", commented) != changed[-1], "its bytes have changed"
    before = fingerprint_of(editable, tmp_path)
    (tmp_path / "files").mkdir()
    assert fingerprint_after("files/trees.py", code) != before, (
        "what reads files decides results, too"
    )


def test_only_installations_marked_as_editable_are_editable() -> None:
    for text, editable in [
        (None, False),
        ('{"url": "https://example.org/hcbench.whl"}', False),
        ('{"dir_info": {}, "url": "file:///hcbench"}', False),
        ('{"dir_info": {"editable": true}, "url": "file:///hcbench"}', True),
    ]:
        assert fingerprint.is_editable(Installed(text)) is editable


def test_a_distribution_that_is_not_installed_has_no_version() -> None:
    assert fingerprint.installed_version("no-such-distribution") == ""
    assert fingerprint.installed_version("scipy")


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


def test_cells_are_grouped_by_data_set_and_repetitions_interleave_algorithms() -> None:
    order = [(c.dataset.label, c.repetition, c.algorithm.label) for c in plan_of().cells]
    assert order == [
        (data, repetition, algorithm)
        for data in ("planted", "numbers")
        for repetition in (0, 1)
        for algorithm in ("UPGMA", "4-AL")
    ]


def test_several_names_in_one_text_are_told_to_be_a_list() -> None:
    with pytest.raises(UnknownNameError, match=r"a list, \['Single', 'UPGMA'\]"):
        load_registry().use_algorithms("Single,UPGMA")


def test_a_plugin_file_in_place_of_a_name_is_told_how_to_load_it() -> None:
    with pytest.raises(UnknownNameError, match=r"with --plugin \./r\.toml, and write the name"):
        load_registry().use_algorithms("./r.toml")


def test_an_empty_comparison_is_an_error() -> None:
    with pytest.raises(SuiteError, match="names no algorithms"):
        plan_of(algorithms=())
    with pytest.raises(UnknownNameError, match="did you mean planted"):
        plan_of(datasets=("plantd",))
    with pytest.raises(ParameterError, match="no parameter 'metrik'"):
        plan_of(algorithms=("UPGMA[metrik=cosine]",))


def test_all_wrong_names_are_reported_at_once() -> None:
    names = {"datasets": ("plantd",), "metrics": ("ARII",), "oracles": ("quadruplet-st",)}
    with pytest.raises(ParameterError) as raised:
        plan_of(algorithms=("UPGMA[metrik=cosine]", "UPGMB", "UPGMB"), **names)
    told = str(raised.value)
    each = ("no parameter 'metrik'", "'UPGMB'", "'plantd'", "'ARII'", "'quadruplet-st'")
    assert sorted(told.index(name) for name in each) == [told.index(name) for name in each]
    assert told.count("'UPGMB'") == 1
    with pytest.raises(UnknownNameError, match=r"'plantd'; did you mean planted\?; no metric is"):
        plan_of(**names)


def test_a_claim_has_a_printed_value_or_a_rival() -> None:
    with pytest.raises(SuiteError, match="give paper, or what to compare with"):
        Claim(claim="c", algorithm="a", dataset="d", metric="m")
    for paper in ("high", "nan", "inf"):
        with pytest.raises(SuiteError, match="printed number"):
            Claim(claim="c", algorithm="a", dataset="d", metric="m", paper=paper)


def test_a_callers_data_set_must_make_problems(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"mine\(seed\) must return a Problem, got int"):
        SessionData(tmp_path).use_of_dataset(("mine", lambda seed: seed))
