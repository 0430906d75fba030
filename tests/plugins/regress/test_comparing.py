"""Comparison of two commits: regressions, noise, and asv's files."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from click.testing import CliRunner, Result
from scipy.stats import t

from hcbench.analysis import summarise
from hcbench.asv import MeasuringProcess
from hcbench.cli import main
from hcbench.errors import DataError
from hcbench_regress.commits import (
    INSTALLED,
    accepted_between,
    find_commit,
    find_root,
    install,
    installed_distributions,
)
from hcbench_regress.measuring import PROCESSES, Key, Series, measure_in_turns
from hcbench_regress.records import Recorded, read_both, write_both
from hcbench_regress.verdicts import judge
from tests.plugins.regress.simulated_commits import BASE, HEAD, compare_commits, count_verdicts


def recorded(unit: str, base: float, head: float, **more: Any) -> Recorded:
    return Recorded(name="benchmark", unit=unit, base=base, head=head, **more)


def timed(ratio: float, seed: int, *, noise: float = 0.05, pairs: int = PROCESSES) -> Recorded:
    """Interleaved times: a drift that both of a pair share, and independent noise."""
    rng = np.random.default_rng(seed)
    machine = np.exp(rng.normal(scale=0.5, size=pairs))
    base, head = machine * np.exp(rng.normal(scale=noise, size=(2, pairs)))
    both = tuple(zip(base.tolist(), (ratio * head).tolist(), strict=True))
    return Recorded(
        name=f"b{seed}",
        unit="s",
        base=float(np.median(base)),
        head=float(np.median(ratio * head)),
        pairs=both,
    )


def verdict(row: Recorded, **settings: Any) -> str:
    (one,) = judge([row], **settings)
    return one.verdict


# ---- Verdicts ------------------------------------------------------------------------------------


def test_regressions_depend_on_the_kind_of_measurement() -> None:
    for unit, base, head, expected in [
        ("queries", 100, 100 + 1 / 3, "regression"),  # one more in one of three repetitions
        ("queries", 100, 99, "improvement"),
        ("queries", 100, 100, "same"),
        ("1 - quality", 0.2, 0.2 + 1e-6, "regression"),
        ("1 - quality", 0.2, 0.2 + 1e-12, "same"),
        ("1 - quality", 0.2, 0.1, "improvement"),
        ("value", 0.5, 0.6, "regression"),
        ("value", 0.6, 0.5, "regression"),
        ("value", math.inf, math.inf, "same"),
        ("bytes", 100 * 2**20, 120 * 2**20, "same"),
        ("bytes", 4096, 2**20, "same"),
        ("bytes", 100 * 2**20, 200 * 2**20, "regression"),
        ("bytes", 200 * 2**20, 100 * 2**20, "improvement"),
        ("ratio", 1.0, 2.0, "not judged"),
        ("s", 1.0, 1.4, "not judged"),  # without pairs
        ("s", 1.0, 1.9, "suspected"),
        ("s", 1.9, 1.0, "not judged"),
    ]:
        assert verdict(recorded(unit, base, head)) == expected


def test_a_failing_benchmark_is_always_reported() -> None:
    for before, now, expected in [
        ("", "failed", "regression"),
        ("", "n/a", "regression"),
        ("n/a", "failed", "regression"),
        ("", "missing", "removed"),
        ("missing", "", "new"),
        ("failed", "", "improvement"),
        ("failed", "failed", "n/a"),
        ("n/a", "n/a", "n/a"),
    ]:
        assert verdict(recorded("s", math.nan, math.nan, states=(before, now))) == expected


def test_measurements_of_different_versions_are_not_compared() -> None:
    assert verdict(recorded("queries", 1, 2, same_version=False)) == "not judged"


def test_only_a_declared_regression_is_accepted() -> None:
    rows = [
        replace(recorded("queries", 1, 2), name=f"registered.algorithm_{name}.track_queries(40)")
        for name in ("SL", "CL")
    ]
    judged = judge(rows, accepted=["algorithm_SL.track_*"])
    assert [one.verdict for one in judged] == ["accepted", "regression"]


@pytest.mark.slow
def test_unchanged_times_are_no_regression() -> None:
    for seed in range(20):
        rows = [timed(1.0, 1000 * seed + k, noise=0.2) for k in range(100)]
        assert {one.verdict for one in judge(rows)} == {"same"}


@pytest.mark.slow
def test_a_slower_algorithm_is_detected_among_many() -> None:
    for seed in range(20):
        rows = [timed(1.0, 1000 * seed + k) for k in range(100)] + [timed(1.3, seed)]
        *others, slow = judge(rows)
        assert {one.verdict for one in others} == {"same"}
        assert slow.verdict == "regression"
        assert slow.recorded.ratio == pytest.approx(1.3, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("slower", "benchmarks"), [(1, 291), (10, 291), (291, 291), (500, 500)])
def test_slower_times_are_detected_however_many_there_are(slower: int, benchmarks: int) -> None:
    """All of them measured by fresh processes, as if screening had excluded none."""
    rows = [timed(1.2, seed) for seed in range(slower)]
    rows += [timed(1.0, seed) for seed in range(slower, benchmarks)]
    verdicts = [one.verdict for one in judge(rows)]
    assert verdicts[:slower].count("regression") >= 0.95 * slower
    assert set(verdicts[slower:]) <= {"same"}


def test_the_false_discovery_rate_is_that_of_benjamini_and_hochberg() -> None:
    """Of 4 times the largest p-value may be 5 %, the others 1.25, 2.5 and 3.75 %."""

    def with_p_value(p: float) -> Recorded:
        # Logarithms around log 1.1 whose t statistic has this p-value with 9 degrees of freedom.
        deviations = np.tile([-1.0, 1.0], 5)
        standard_error = deviations.std(ddof=1) / math.sqrt(10)
        mean = math.log(1.1) + t.isf(p / 2, 9) * standard_error
        pairs = [(1.0, math.exp(mean + deviation)) for deviation in deviations]
        return recorded("s", 1.0, math.exp(mean), pairs=tuple(pairs))

    for p_values, different in [
        ((0.049,), 1),
        ((0.051,), 0),
        ((0.049, 0.049, 0.049, 0.049), 4),
        ((0.012, 0.03, 0.06, 0.06), 1),
        ((0.013, 0.03, 0.06, 0.06), 0),
        ((0.013, 0.024, 0.06, 0.06), 2),
        ((0.02, 0.03, 0.037, 0.06), 3),
    ]:
        verdicts = [one.verdict for one in judge([with_p_value(p) for p in p_values])]
        assert verdicts.count("regression") == different


def test_a_time_differs_alone_where_its_interval_excludes_the_tolerance() -> None:
    for seed in range(40):
        row = timed(1.13, seed)
        interval = summarise([math.log(head / base) for base, head in row.pairs])
        assert interval.low is not None
        excluded = math.exp(interval.low) > 1.1
        assert verdict(row) == ("regression" if excluded else "same")


@pytest.mark.slow
def test_identical_commits_have_no_false_alarm(tmp_path: Path) -> None:
    pytest.importorskip("asv")
    for process_effect in (0.0, 0.2):
        for noise in (0.02, 0.05, 0.1):
            folder = tmp_path / f"{noise}-{process_effect}"
            counts = count_verdicts(
                [1.0] * 50, folder, 2, noise=noise, process_effect=process_effect
            )
            assert counts.false == [0, 0]


@pytest.mark.slow
def test_slowdowns_of_20_percent_are_measured_again_and_detected(tmp_path: Path) -> None:
    pytest.importorskip("asv")
    judged = compare_commits([1.2] * 20 + [1.0] * 80, tmp_path, noise=0.05)
    verdicts = [one.verdict for one in judged]
    assert verdicts[:20].count("regression") >= 19
    assert set(verdicts[20:]) == {"same"}


def test_differences_within_the_tolerance_are_no_regression() -> None:
    assert verdict(timed(1.08, 0, noise=0.001)) == "same"
    assert verdict(timed(1.08, 0, noise=0.001), tolerance=0.05) == "regression"
    assert verdict(timed(0.7, 0)) == "improvement"


def test_a_few_pairs_are_not_enough() -> None:
    assert verdict(timed(3.0, 0, pairs=3)) == "same"


# ---- Turns ---------------------------------------------------------------------------------------


class FakeCheckout:
    """Returns values from a table; times drift."""

    def __init__(self, found: dict[tuple[str, int], dict[str, Any]], log: list[str], name: str):
        self.found, self.log, self.name = found, log, name

    def cases(self) -> list[tuple[str, int]]:
        return list(self.found)

    def measure(self, case: tuple[str, int], _repetition: int) -> dict[str, Any]:
        self.log.append(self.name)
        return self.found[case]

    def close(self) -> None:
        self.log.append("close")


def quantities(seconds: float, **others: Any) -> dict[str, Any]:
    return {"seconds": seconds, "peak_memory": 1, "queries": 5, "loss": 0.5, **others}


def in_turns(base: dict[Any, Any], head: dict[Any, Any], only: Iterable[str] = ()) -> Any:
    log: list[str] = []
    sides: list[Any] = [FakeCheckout(base, log, "base"), FakeCheckout(head, log, "head")]
    return measure_in_turns(*sides, only=only), log


def test_sides_take_turns_and_the_first_alternates() -> None:
    case = ("algorithm_X", 40)
    _, log = in_turns({case: quantities(1.0)}, {case: quantities(1.0)})
    assert log[:6] == ["base", "head", "head", "base", "base", "head"]


def test_possible_regressions_are_measured_again_in_new_processes() -> None:
    slow, same = ("algorithm_X", 40), ("algorithm_Y", 40)
    base = {slow: quantities(1.0), same: quantities(1.0)}
    found, log = in_turns(base, {**base, slow: quantities(1.5)})
    assert len(found["algorithm_X", 40, "seconds"].base) == PROCESSES
    assert len(found["algorithm_Y", 40, "seconds"].base) < 8  # too few to be a regression
    # Each process measures the case once, and the commit that comes first alternates.
    last = " ".join(log).split("close close")[-PROCESSES - 1 : -1]
    assert [each.split() for each in last] == PROCESSES // 2 * [["base", "head"], ["head", "base"]]


def test_benchmarks_of_only_one_side_are_reported() -> None:
    old, new, broken = ("algorithm_Old", 40), ("algorithm_New", 40), ("algorithm_B", 40)
    found, _ = in_turns(
        {old: quantities(1.0), broken: quantities(1.0)},
        {new: quantities(1.0), broken: {"failed": "ValueError: it hurts"}},
    )
    assert found["algorithm_Old", 40, "queries"].unable == ("", "missing")
    assert found["algorithm_New", 40, "queries"].unable == ("missing", "")
    assert found["algorithm_B", 40, "queries"].unable == ("", "failed")


def test_a_missing_value_is_not_applicable_and_no_regression() -> None:
    case = ("metric_X", 160)
    found, _ = in_turns(*2 * [{case: {"seconds": 1.0, "value": None}}])
    series = found["metric_X", 160, "value"]
    assert series == Series([], [], ("n/a", "n/a"))
    assert verdict(recorded("value", math.nan, math.nan, states=series.unable)) == "n/a"


def test_only_requested_benchmarks_are_measured() -> None:
    both = {("algorithm_X", 40): quantities(1.0), ("metric_X", 160): {"seconds": 1.0, "value": 1.0}}
    found, _ = in_turns(both, both, ["metric_*"])
    assert {name for name, _, _ in found} == {"metric_X"}


@pytest.mark.slow
def test_a_process_that_ends_is_reported_and_started_again(tmp_path: Path) -> None:
    others = set(psutil.Process().children())
    side = MeasuringProcess(folder=tmp_path)
    try:
        assert ("algorithm_Truth", 40) in side.cases()
        (process,) = set(psutil.Process().children()) - others
        process.kill()
        process.wait()
        assert side.measure(("algorithm_Truth", 40), 0)["failed"].startswith("its process ended")
        assert side.measure(("algorithm_Truth", 40), 0)["loss"] == 0
    finally:
        side.close()


@pytest.mark.slow
def test_a_commit_that_cannot_be_measured_is_reported_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"main \(aaaaaaaa\) cannot be measured: .*no-such"):
        MeasuringProcess(["no-such-package"], tmp_path, "main (aaaaaaaa)").cases()


# ---- asv's files ---------------------------------------------------------------------------------

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def found_of(head_queries: float = 5.0, head_seconds: float = 1.0) -> dict[Key, Series]:
    base = [1.0 + k / 1000 for k in range(PROCESSES)]
    return {
        ("algorithm_X", 40, "seconds"): Series(base, [head_seconds * b for b in base]),
        ("algorithm_X", 40, "queries"): Series([5.0, 6.0, 7.0], [head_queries, 6.0, 7.0]),
        ("algorithm_X", 80, "queries"): Series([9.0], [], ("", "failed")),
        ("oracle_Y", 40, "seconds_per_query"): Series([], [], ("n/a", "n/a")),
        ("algorithm_New", 40, "loss"): Series([], [0.5], ("missing", "")),
    }


def test_measurements_are_read_again_from_the_files_of_asv(tmp_path: Path) -> None:
    pytest.importorskip("asv")
    environment = write_both(tmp_path, BASE, HEAD, found_of())
    rows = {row.name: row for row in read_both(tmp_path, BASE, HEAD, environment)}
    seconds = rows["registered.algorithm_X.track_seconds(40)"]
    assert seconds.unit == "s"
    assert len(seconds.pairs) == PROCESSES
    assert seconds.pairs[3] == (1.003, 1.003)
    queries = rows["registered.algorithm_X.track_queries(40)"]
    assert (queries.base, queries.head, queries.unit) == (6, 6, "queries")
    assert rows["registered.algorithm_X.track_queries(80)"].states == ("", "failed")
    assert rows["registered.oracle_Y.track_seconds_per_query(40)"].states == ("n/a", "n/a")
    assert rows["registered.algorithm_New.track_loss(40)"].states == ("missing", "")


def test_a_single_call_with_high_memory_is_no_regression(tmp_path: Path) -> None:
    pytest.importorskip("asv")
    found = {("algorithm_X", 40, "peak_memory"): Series([9e7, 8e7, 4096.0], [4096.0] * 3)}
    (row,) = read_both(tmp_path, BASE, HEAD, write_both(tmp_path, BASE, HEAD, found))
    assert verdict(row) == "same"


def test_asv_itself_reads_them(tmp_path: Path) -> None:
    results = pytest.importorskip("asv.results")
    write_both(tmp_path, BASE, HEAD, found_of())
    read = {one.commit_hash: one for one in results.iter_results(str(tmp_path))}
    assert set(read) == {BASE.hash, HEAD.hash}
    name = "registered.algorithm_X.track_queries"
    params = read[BASE.hash].get_result_params(name)
    assert read[BASE.hash].get_result_value(name, params) == [6.0, 9.0]


def test_samples_of_two_runs_of_asv_are_not_paired(tmp_path: Path) -> None:
    pytest.importorskip("asv")
    write_both(tmp_path, BASE, HEAD, found_of(head_seconds=3.0))
    (path,) = tmp_path.glob(f"*/{HEAD.short}*.json")
    content = json.loads(path.read_text())
    place = content["result_columns"].index("started_at")
    for row in content["results"].values():
        row[place] += 1
    path.write_text(json.dumps(content))
    rows = {row.name: row for row in read_both(tmp_path, BASE, HEAD)}
    assert verdict(rows["registered.algorithm_X.track_seconds(40)"]) == "suspected"


def test_missing_results_are_reported_with_the_way_to_get_them(tmp_path: Path) -> None:
    pytest.importorskip("asv")
    with pytest.raises(DataError, match=r"no results of main and topic .*regress main topic --me"):
        read_both(tmp_path / "nowhere", BASE, HEAD)


def test_missing_asv_is_reported_with_its_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "asv.machine", None)
    with pytest.raises(DataError, match="pip install asv"):
        write_both(tmp_path, BASE, HEAD, found_of())


# ---- git, and the command ------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> None:
    named = ["-c", "user.name=N", "-c", "user.email=n@example.org"]
    subprocess.run(["git", *named, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "First")
    git(folder, "checkout", "--quiet", "-b", "topic")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "Second")
    monkeypatch.chdir(folder)
    return folder


def call(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "200", "HCBENCH_DEBUG": ""}).invoke(
        main, ["regress", *arguments]
    )


def results_in(repository: Path, **changes: float) -> None:
    pytest.importorskip("asv")
    commits = find_commit(repository, "main"), find_commit(repository, "topic")
    found = {key: series for key, series in found_of(**changes).items() if key[0] == "algorithm_X"}
    del found["algorithm_X", 80, "queries"]
    write_both(repository / ".asv" / "results", *commits, found)


def test_an_added_query_and_a_slower_algorithm_end_with_1(repository: Path) -> None:
    results_in(repository, head_queries=6.0, head_seconds=1.5)
    done = call("main", "topic", "--format", "markdown")
    assert done.exit_code == 1
    rows = [line for line in done.stdout.splitlines() if line.startswith("| **regression**")]
    assert [r"track\_queries(40)" in row or r"track\_seconds(40)" in row for row in rows] == [
        True
    ] * 2
    assert "2 regression" in done.stdout


def measure_separately(repository: Path, **changes: float) -> None:
    """Results as of two runs of asv: they have other starts."""
    results_in(repository, **changes)
    head = find_commit(repository, "topic").short
    (path,) = (repository / ".asv" / "results").glob(f"*/{head}*.json")
    content = json.loads(path.read_text())
    place = content["result_columns"].index("started_at")
    for row in content["results"].values():
        row[place] += 1
    path.write_text(json.dumps(content))


def test_a_call_that_asv_has_measured_as_much_slower_is_suspected(repository: Path) -> None:
    measure_separately(repository, head_seconds=1.9)
    done = call("main", "topic", "--format", "markdown")
    assert done.exit_code == 1
    assert "| **suspected** |" in done.stdout
    command = "hcbench regress main topic --measure --only algorithm_X"
    assert command in done.stdout.replace("\\", "")
    report = json.loads(call("main", "topic", "--format", "json").stdout)
    assert (report["regressions"], report["suspected"]) == (0, 1)
    accepted = call("main", "topic", "--accept", "algorithm_X.track_seconds*")
    assert accepted.exit_code == 0
    # Two runs of equal code may differ as much.
    measure_separately(repository, head_seconds=1.4)
    assert call("main", "topic").exit_code == 0


@pytest.mark.slow
def test_unchanged_code_ends_with_0_and_says_so(repository: Path) -> None:
    results_in(repository)
    done = call("main")
    assert done.exit_code == 0
    assert done.stdout == "2 benchmarks: 2 same\n"
    report = json.loads(call("main", "--format", "json").stdout)
    assert report["regressions"] == 0
    assert [one["pairs"] for one in report["benchmarks"]] == [3, PROCESSES]


def test_a_commit_message_declares_a_regression(repository: Path) -> None:
    message = "Third\n\nAccepted-Regression: algorithm_X.track_queries"
    git(repository, "commit", "--quiet", "--allow-empty", "-m", message)
    commits = find_commit(repository, "main"), find_commit(repository, "topic")
    assert accepted_between(repository, *commits) == ["algorithm_X.track_queries"]
    results_in(repository, head_queries=6.0)
    done = call("main", "topic")
    assert done.exit_code == 0
    assert "1 accepted" in done.stdout


def test_a_missing_commit_is_reported(repository: Path) -> None:
    done = call("nowhere")
    assert done.exit_code == 2
    assert done.stderr.startswith("hcbench: error: nowhere is no commit of ")


def test_outside_of_a_repository_there_is_nothing_to_compare(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a git repository"):
        find_root(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pip") is None, reason="commits are installed with pip")
def test_a_commit_that_cannot_be_installed_is_told_in_one_line(repository: Path) -> None:
    commit = find_commit(repository, "topic")
    with pytest.raises(DataError, match=r"topic cannot be installed: ERROR: .*setup\.py"):
        install(repository, commit, repository / ".asv" / "regress")
    assert not list((repository / ".asv" / "regress").iterdir())  # nothing partial remains


@pytest.mark.slow
def test_commits_are_installed_once_and_the_oldest_are_removed(repository: Path) -> None:
    (repository / "alone.py").write_text("VALUE = 1\n")
    (repository / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "alone"\nversion = "1"\n'
        '[tool.hatch.build.targets.wheel]\ninclude = ["alone.py"]\n'
    )
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "A package")
    commit, folder = find_commit(repository, "HEAD"), repository / ".asv" / "regress"
    for number in range(INSTALLED):
        (folder / f"{number:040}").mkdir(parents=True)
        os.utime(folder / f"{number:040}", (number, number))
    try:
        target = install(repository, commit, folder)
    except DataError as error:
        pytest.skip(f"hatchling cannot be had: {error}")
    assert (target / "alone.py").read_text() == "VALUE = 1\n"
    assert installed_distributions(target) == ["alone"]
    (target / "alone.py").write_text("VALUE = 2\n")
    assert (install(repository, commit, folder) / "alone.py").read_text() == "VALUE = 2\n"
    assert sorted(path.name for path in folder.iterdir())[0] == f"{1:040}"


def test_options_of_the_measurement_are_refused_without_it(repository: Path) -> None:
    done = call("main", "--only", "algorithm_*")
    assert done.exit_code == 2
    assert "--measure" in done.stderr
