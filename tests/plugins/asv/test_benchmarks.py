"""Benchmarks of everything registered: complete, and with correct values."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
import hcbench.asv
from hcbench import DataRequest
from hcbench.api.uses import use_of_algorithm
from hcbench.errors import ParameterError, UnknownNameError
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.parameters import REQUIRED, Parameter
from hcbench_asv.benchmarks import _file, _following
from hcbench_asv.cases import Cases, find_cases, make_problem, required_values
from hcbench_asv.measuring import Measured, _timed

N = hcbench.asv.SIZES[0]


@pytest.fixture(scope="module")
def cases() -> Cases:
    return find_cases()


@pytest.fixture(scope="module")
def measured(cases: Cases) -> Measured:
    return Measured(cases)


# ---- Benchmarks ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_algorithm_oracle_and_metric_has_a_class_of_benchmarks() -> None:
    registry = hcbench.load_registry()
    counts = [
        len(registry.algorithms.entries),
        sum(not entry.spec.currency for entry in registry.oracles.entries),
        len(registry.metrics.entries),
    ]
    classes = hcbench.asv.registered()
    assert len(classes) == sum(counts)
    assert all(name.isidentifier() and name == of.__name__ for name, of in classes.items())
    assert {"algorithm_4_AL", "oracle_pair_queries", "metric_kendall_tau_b"} <= set(classes)
    assert tracks_of(classes["algorithm_SL"]) == {"seconds", "peak_memory", "queries", "loss"}
    assert tracks_of(classes["algorithm_UPGMA"]) == {"seconds", "peak_memory", "loss"}
    assert not any("llm" in name for name in classes), "each measurement would be paid"
    assert tracks_of(classes["oracle_person"]) == {"seconds"}  # n/a: a file is needed


def tracks_of(benchmarks: type) -> set[str]:
    return {name.removeprefix("track_") for name in dir(benchmarks) if name.startswith("track_")}


def test_every_case_runs_or_has_a_reason(cases: Cases) -> None:
    for case in cases.all:
        if case[0].startswith("algorithm_"):
            assert (case in cases.cells) != (case in cases.reasons)
    assert "file" in cases.reasons["oracle_recorded_pair", N]


def test_required_parameters_have_values_that_their_specs_allow(cases: Cases) -> None:
    assert cases.uses["algorithm_NoisyInsertion"].params["p"] == 0.75  # of (0.5, 1)


def test_a_required_value_is_the_first_choice_or_the_middle() -> None:
    for parameter, value in [
        (Parameter("a", REQUIRED, "", type="str", choices=("x", "y")), "x"),
        (Parameter("a", REQUIRED, "", type="bool"), False),
        (Parameter("a", REQUIRED, "", type="float"), 1.0),
        (Parameter("a", REQUIRED, "", type="int", interval="[2, inf)"), 3),
        (Parameter("a", REQUIRED, "", type="float", interval="(-inf, 0]"), -1.0),
        (Parameter("a", REQUIRED, "", type="int", interval="[1, 4]"), 3),
    ]:
        spec = MetricSpec(name="m", function=len, doc="", direction="none", parameters=(parameter,))
        assert required_values(spec) == {"a": value}
        assert spec.resolve({"a": value}) == {"a": value}  # type: ignore[dict-item]


def test_a_required_file_cannot_be_made_up() -> None:
    spec = MetricSpec(
        name="m",
        function=len,
        doc="",
        direction="none",
        parameters=(Parameter("file", REQUIRED, "", type="str"),),
    )
    with pytest.raises(ParameterError, match="m needs file, a str"):
        required_values(spec)


def test_a_package_has_its_own_registrations_only() -> None:
    assert len(hcbench.asv.registered("hcbench")) == len(hcbench.asv.registered())
    with pytest.raises(UnknownNameError, match="no-such-package registers no"):
        hcbench.asv.registered("no-such-package")


# ---- The data ------------------------------------------------------------------------------------


def test_heights_are_those_of_the_random_walk_and_labels_its_first_levels() -> None:
    problem = make_problem(DataRequest(seed=0), n=16)
    tree = problem.truth
    assert problem.levels is not None
    assert tree.height is not None
    assert tree.n_nodes == 31  # binary
    # Levels 1 to 3 add 1 each, those below 0.09; an item 0.25 of noise besides.
    joined = tree.height[tree.lca(np.zeros(4, np.int64), np.array([8, 4, 2, 1]))]
    np.testing.assert_allclose(joined, [0.0, 1.0, 2.0, 3.0])
    assert tree.height[0] == pytest.approx(3.09 + 0.25)
    for level, size in enumerate((8, 4, 2)):
        codes = problem.levels[:, level]
        assert [len(set(codes[i : i + size])) for i in range(0, 16, size)] == [1] * (16 // size)
        assert len(set(codes)) == 16 // size


@pytest.mark.slow
def test_mean_products_of_vectors_are_the_heights_of_common_ancestors() -> None:
    products = np.zeros((16, 16))
    for seed in range(400):
        vectors = make_problem(DataRequest(seed=seed), n=16).vectors
        assert isinstance(vectors, np.ndarray)
        products += vectors @ vectors.T / vectors.shape[1] / 400
    tree = make_problem(DataRequest(seed=0), n=16).truth
    assert tree.height is not None
    i, j = np.triu_indices(16, 1)
    # 8000 products of variance at most 2 * 3.34^2: four standard errors are 0.21.
    np.testing.assert_allclose(products[i, j], tree.height[tree.lca(i, j)], atol=0.21)


def test_the_data_provide_everything_except_comparisons() -> None:
    assert make_problem(DataRequest(seed=0), n=40).provides == {
        "vectors",
        "similarity",
        "truth",
        "levels",
        "heights",
        "tree",
    }


# ---- The numbers ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_queries_and_losses_are_those_of_the_algorithm(cases: Cases, measured: Measured) -> None:
    assert measured.measure(("algorithm_Bottom_up", N))["queries"] == math.comb(N, 3)
    (cell,) = (c for c in cases.cells["algorithm_UPGMA", N] if c.repetition == 1)
    problem = make_problem(DataRequest(seed=cell.data_seed), n=N)
    quality = hcbench.score("AARI", hcbench.fit("UPGMA", problem.vectors), problem)
    found = measured.measure(("algorithm_UPGMA", N), 1)
    assert found["loss"] == pytest.approx(1 - quality)
    assert found["queries"] is None  # vectors are not counted
    assert found["seconds"] > 0


def test_a_value_that_asv_cannot_show_is_missing(
    measured: Measured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = "metric_queries_to_reach", hcbench.asv.SIZES[-1]
    found = measured.measure(case)
    assert found["value"] is None  # infinity: the scored result does not reach the target
    measured_before(tmp_path, {case[0]: {str(case[1]): found}})
    monkeypatch.chdir(tmp_path)
    benchmark: Any = hcbench.asv.registered()["metric_queries_to_reach"]()
    benchmark.setup(case[1])
    assert math.isnan(benchmark.track_value(case[1]))  # n/a


def test_oracles_and_metrics_have_times_and_values(measured: Measured) -> None:
    largest = hcbench.asv.SIZES[-1]
    assert measured.measure(("metric_n_clusters", largest))["value"] == 8
    asked = measured.measure(("oracle_ordinal_queries", N))
    assert 0 < asked["seconds_per_query"] < 1
    assert measured.measure(("oracle_vectors", N))["seconds_per_query"] is None


def test_times_outside_of_asv_are_processor_times(measured: Measured) -> None:
    def doze(X: Any) -> Any:
        time.sleep(0.05)
        return hcbench.fit("UPGMA", X)

    case = ("algorithm_UPGMA", N)
    dozing = replace(measured.listed.cells[case][0], algorithm=use_of_algorithm(doze))
    cases = replace(measured.listed, cells={case: [dozing]})
    assert 0 < Measured(cases).measure(case)["seconds"] < 0.05


BURN = "import time\nwhile time.process_time() < .3: pass"


def run_program() -> None:
    subprocess.run([sys.executable, "-S", "-c", BURN], check=True)


@pytest.mark.slow
def test_the_time_of_a_program_that_an_algorithm_runs_is_the_algorithms(measured: Measured) -> None:
    def foreign(X: Any) -> Any:
        run_program()
        return hcbench.fit("UPGMA", X)

    case = ("algorithm_UPGMA", N)
    cell = replace(measured.listed.cells[case][0], algorithm=use_of_algorithm(foreign))
    cases = replace(measured.listed, cells={case: [cell]})
    assert 0.29 <= Measured(cases).measure(case)["seconds"] < 5


@pytest.mark.slow
def test_the_time_of_a_program_that_an_oracle_or_a_metric_runs_is_theirs() -> None:
    assert 0.29 <= _timed(run_program)[0] < 5


def test_inapplicable_benchmarks_have_a_reason(measured: Measured) -> None:
    assert "answers" in measured.measure(("oracle_person", N))["reason"]


def measured_before(folder: Path, measurements: dict[str, Any], data: str = "") -> None:
    """Leave in asv's cache folder what other benchmarks of everything have measured."""
    (folder / _file("measured", (), data)).write_text(json.dumps(measurements))


@pytest.mark.slow
def test_one_benchmark_measures_its_class_alone_and_others_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    classes: dict[str, Any] = hcbench.asv.registered()
    monkeypatch.chdir(tmp_path)
    benchmark = classes["algorithm_Bottom_up"]()
    benchmark.setup(N)
    assert benchmark.track_queries(N) == math.comb(N, 3)
    stored = _file("measured", (), "")
    assert list(json.loads(stored.read_text())) == ["algorithm_Bottom_up"]
    # The next ones of this class start no process, and those of another class start one.
    monkeypatch.setattr("hcbench_asv.benchmarks.MeasuringProcess", None)
    benchmark.setup(N)
    assert benchmark.track_loss(N) >= 0
    with pytest.raises(TypeError):
        classes["algorithm_Truth"]().setup(N)


def test_each_process_measures_as_many_classes_more_as_were_measured_before() -> None:
    cases = [(name, n) for n in (40, 80) for name in "abcdefgh"]
    assert _following("c", [], cases) == [("c", 40), ("c", 80)]
    assert _following("d", ["c"], cases) == [("d", 40), ("e", 40), ("d", 80), ("e", 80)]
    names = [name for name, n in _following("b", ["c", "d", "e"], cases) if n == 40]
    assert names == ["b", "f", "g", "h"]  # what is there is not measured again


def test_inapplicable_benchmarks_are_skipped_with_their_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark = hcbench.asv.registered()["oracle_person"]()
    measured_before(tmp_path, {"oracle_person": {str(N): {"reason": "person needs answers"}}})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotImplementedError, match="person needs answers"):
        benchmark.setup(N)


def test_a_failure_fails_in_asv_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark: Any = hcbench.asv.registered()["algorithm_UPGMA"]()
    measured_before(tmp_path, {"algorithm_UPGMA": {str(N): {"failed": "timeout: 60 s"}}})
    monkeypatch.chdir(tmp_path)
    benchmark.setup(N)
    with pytest.raises(RuntimeError, match="timeout: 60 s"):
        benchmark.track_seconds(N)


# ---- asv -----------------------------------------------------------------------------------------


def test_asv_discovers_them_by_names_that_do_not_shift(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index into a growing list would mix the histories of algorithms."""
    discovery = pytest.importorskip("asv_runner.discovery")
    get_benchmark_from_name = discovery.get_benchmark_from_name

    folder = tmp_path / "their_benchmarks"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "mine.py").write_text(
        "import hcbench.asv\nglobals().update(hcbench.asv.registered('hcbench'))\n"
    )
    monkeypatch.setattr(sys, "path", [*sys.path])
    found = get_benchmark_from_name(str(folder), "mine.algorithm_4_AL.track_queries-1")
    assert found.unit == "queries"
    assert found.params == [[repr(n) for n in hcbench.asv.SIZES]]
    assert found._current_params == (hcbench.asv.SIZES[1],)
    # One measurement serves all classes.
    other = get_benchmark_from_name(str(folder), "mine.metric_AARI.track_value-0")
    assert other.setup_cache_key == found.setup_cache_key


@pytest.mark.slow
def test_every_benchmark_has_a_name_a_unit_and_one_line_of_documentation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    discovery = pytest.importorskip("asv_runner.discovery")
    root = Path(__file__).parents[3]
    monkeypatch.setattr(sys, "path", [str(root), *sys.path])
    found = list(discovery.disc_benchmarks(str(root / "benchmarks")))
    assert {one.name.partition(".")[0] for one in found} == {
        path.stem for path in (root / "benchmarks").glob("*.py")
    } - {"__init__", "inputs", "limits"}
    shown = set()
    for one in found:
        page = one.name.partition(".")[0], one.pretty_name
        assert one.pretty_name, one.name
        assert page not in shown, one.name
        shown.add(page)
        assert one.unit not in ("", "unit"), one.name
        assert one.func.__doc__, one.name
        assert one.func.__doc__.endswith("."), one.name
        assert "\n" not in one.func.__doc__, one.name
    ratios = [f"{one.pretty_name} {one.params}" for one in found if one.unit == "ratio"]
    for peer in ("fastcluster", "higra", "numpy", "scikit-learn", "scikit-network", "scipy"):
        assert any(peer in name for name in ratios), peer


def test_with_a_cache_of_asv_plugins_are_not_loaded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    benchmark = hcbench.asv.registered()["algorithm_UPGMA"]()
    benchmark.setup_cache()
    monkeypatch.setattr("hcbench_asv.cases.find_cases", None)
    assert "algorithm_UPGMA" in hcbench.asv.registered()
    # What is listed for other packages or other data is not for these.
    with pytest.raises(TypeError):
        hcbench.asv.registered("hcbench")
    with pytest.raises(TypeError):
        hcbench.asv.registered(data="iris")


@pytest.mark.slow
def test_a_process_answers_line_by_line_whatever_else_is_printed() -> None:
    asked = ["algorithm_QuickClustering", N, 0], ["metric_n_clusters", hcbench.asv.SIZES[-1], 0]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "hcbench_asv"],
        input="".join(json.dumps(line) + "\n" for line in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    reported, first, second = map(json.loads, done.stdout.splitlines())
    assert reported["version"] == hcbench.asv.VERSION
    assert ["algorithm_QuickClustering", N] in reported["cases"]
    assert first["queries"] > 0
    assert second["value"] == 8


@pytest.mark.attack("keys")
def test_what_is_measured_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVIDER_API_KEY", "secret")
    monkeypatch.setenv("HCBENCH_DATA", "folder")
    environment = hcbench.asv.reproducible_environment()
    assert "PROVIDER_API_KEY" not in environment
    assert environment["HCBENCH_DATA"] == "folder"
