"""Measurements of asv over commits: what is read, and what counts as a regression."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hcbench.errors import DataError
from hcbench.files import EXACT_UNITS
from hcbench.pages.site.histories import History, Measurement, overall_ratios, read_histories
from tests.core.pages.simulated_histories import constant_series, false_marks, found_share

COLUMNS = ["result", "params", "version", "started_at", "duration"]


def history(*values: float, unit: str = "s") -> History:
    measured = (
        Measurement(f"c{i}", datetime.fromtimestamp(i, UTC), v) for i, v in enumerate(values)
    )
    return History("b.time_it", "", unit, "vm/env", tuple(measured))


def steps(*values: float, unit: str = "s") -> list[tuple[str, float]]:
    return [(step.at.commit, step.before) for step in history(*values, unit=unit).steps]


def write_results(folder: Path, commits: list[dict[str, Any]]) -> Path:
    """A results folder as asv writes it; the later a commit, the larger its date."""
    place = folder / "results" / "vm"
    place.mkdir(parents=True)
    (place / "machine.json").write_text("{}")
    described = {
        "b.time_it": {"unit": "seconds", "param_names": ["n", "k"]},
        "b.track_queries": {"unit": "queries", "param_names": []},
        "version": 2,
    }
    (folder / "results" / "benchmarks.json").write_text(json.dumps(described))
    for i, results in enumerate(commits):
        about = {"commit_hash": f"{i:040}", "date": 1000 * (i + 1), "env_name": "py"}
        file = {**about, "result_columns": COLUMNS, "results": results, "version": 2}
        (place / f"{9 - i:08}-py.json").write_text(json.dumps(file))
    return folder / "results"


# ---- Steps ---------------------------------------------------------------------------------------


def test_noise_and_single_outliers_are_no_steps() -> None:
    assert steps(1.0, 1.05, 0.96, 1.08, 1.0) == []
    assert steps(1.0, 1.0, 3.0, 1.0, 1.0) == []
    assert steps(1.0) == []


def test_an_outlier_and_an_ordinary_value_at_the_end_are_no_step() -> None:
    level = [1.0, 1.02, 0.99, 1.01, 0.98, 1.0, 1.03, 0.97, 1.01, 1.0]
    assert steps(*level, 3.0, 1.02) == []
    assert steps(*level, 3.0, 1.02, 0.99) == []


def test_an_outlier_long_ago_does_not_hide_a_step() -> None:
    level = [1.0, 1.02, 0.99, 1.01, 0.98, 3.0, 1.03, 0.97, 1.01, 1.0, 1.0, 0.98]
    assert steps(*level, 1.5, 1.48, 1.52) == [("c12", 1.0)]


def test_a_lasting_change_is_one_step_at_its_first_commit() -> None:
    assert steps(1.0, 1.0, 1.0, 2.0, 2.0, 2.1, 1.95) == [("c3", 1.0)]
    assert steps(2.0, 2.0, 1.0, 1.0, 2.0, 2.0) == [("c2", 2.0), ("c4", 1.0)]


def test_few_noisy_values_decide_nothing_that_many_decide() -> None:
    # 4 before and 5 after: t = 4.5 with 7 degrees of freedom, p = .003; twice as many, p = 4e-6.
    assert steps(0.95, 1.05, 0.95, 1.05, 1.25, 1.1, 1.25, 1.1, 1.2) == []
    before = [0.95, 1.05] * 8
    after = [1.25, 1.1] * 5
    assert [commit for commit, _ in steps(*before, *after)] == ["c16"]


def test_a_short_history_has_a_change_that_noise_does_not_explain() -> None:
    """A loop of .4 s in place of .1 s at the third of five commits, as it was measured.

    The t test has 3 degrees of freedom only: t = 19 is no change where 1 of 25,000 may be false.
    """
    assert steps(0.353, 0.331, 0.669, 0.680, 0.639) == [("c2", pytest.approx(0.342))]
    assert steps(0.669, 0.680, 0.353, 0.331, 0.34) == [("c2", pytest.approx(0.6745))]
    assert steps(0.353, 0.331, 0.669, 0.680) == [], "two values are not enough"
    assert steps(0.353, 0.331, 0.529, 0.680, 0.639) == [], "less than 1.5 times .353"
    assert steps(-0.353, -0.331, -0.669, -0.680, -0.639) == [], "no ratios"


def test_a_value_that_only_the_newest_commit_has_is_to_be_confirmed() -> None:
    found = history(1.0, 1.01, 0.99, 1.0, 1.02, 2.0)
    assert found.regressions == ()
    step = found.to_be_confirmed
    assert step is not None
    assert (step.at.commit, step.before, step.after, step.ratio) == ("c5", 1.0, 2.0, 2.0)
    # The next commit confirms it, or does not.
    found = history(1.0, 1.01, 0.99, 1.0, 1.02, 2.0, 2.02)
    assert [step.at.commit for step in found.regressions] == ["c5"]
    assert found.to_be_confirmed is None
    found = history(1.0, 1.01, 0.99, 1.0, 1.02, 2.0, 1.0)
    assert found.steps == ()
    assert history(1.0, 1.01, 0.99, 1.0, 1.02, 0.5).to_be_confirmed is None, "it became faster"


def test_only_steps_to_more_are_regressions() -> None:
    found = history(2.0, 2.0, 1.0, 1.0, 1.5, 1.5)
    assert [step.at.commit for step in found.regressions] == ["c4"]
    assert found.regressions[0].ratio == 1.5
    assert history(0.0, 0.0, 1.0, unit="queries").regressions[0].ratio is None


def test_changes_of_less_than_10_percent_are_not_marked_without_noise_either() -> None:
    assert steps(*[1e8] * 9, *[1.09e8] * 9, unit="bytes") == []
    assert steps(*[1e8] * 9, *[1.11e8] * 9, unit="bytes") == [("c9", 1e8)]


def test_a_few_pages_of_memory_are_no_step() -> None:
    """Memory is measured in pages, of which a process has some more now and then."""
    assert steps(*[0.0] * 9, *[4096.0] * 9, unit="bytes") == []
    assert steps(*[0.0] * 9, *[65536.0] * 9, unit="bytes") == []
    assert steps(*[0.0] * 9, *[1e6] * 9, unit="bytes") == [("c9", 0.0)]
    assert steps(*[0.0] * 9, *[4096.0] * 9, unit="queries") == [("c9", 0.0)], "exact"


def test_a_short_rise_is_marked_until_later_commits_undo_it() -> None:
    level = [1.0, 1.02, 0.99, 1.01, 0.98, 1.0, 1.03, 0.97, 1.01, 1.0]
    rise = [*level, 2.0, 2.02]
    assert [step.at.commit for step in history(*rise).regressions] == ["c10"]
    assert history(*rise, *level).steps == ()
    # One of five commits has been a regression, and has been mended.
    lasting = [*level, 2.0, 2.02, 2.01, 2.0, 1.99]
    assert [step.at.commit for step in history(*lasting, *level).regressions] == ["c10"]


def test_a_slow_drift_is_found() -> None:
    assert history(*(1.02**i for i in range(40))).regressions


def test_negative_values_and_zeros_have_steps() -> None:
    assert steps(-2.0, -2.0, -2.0, -1.0, -1.0, unit="points") == [("c3", -2.0)]
    assert steps(0.0, 0.0, 0.0, 1.0, 1.0, unit="points") == [("c3", 0.0)]


@pytest.mark.parametrize("unit", EXACT_UNITS)
def test_any_rise_of_exact_values_is_a_regression_also_at_the_newest_commit(unit: str) -> None:
    found = history(1000, 1000, 1001, 1000, 1000, 1001, unit=unit)
    assert [(s.at.commit, s.before, s.after) for s in found.regressions] == [
        ("c2", 1000, 1001),
        ("c5", 1000, 1001),
    ]
    assert found.to_be_confirmed is None
    assert steps(1000.0, 1000.0 * (1 + 1e-12), unit=unit) == []
    assert steps(7.0, 8.0, unit=unit) == [("c1", 7.0)]


@pytest.mark.slow
def test_identical_commits_are_not_marked_and_a_step_of_20_percent_is_found() -> None:
    assert sum(false_marks(series) for series in constant_series(400)) <= 1
    assert sum(false_marks(series) for series in constant_series(400, noise=0.1)) <= 2
    assert found_share(150, commits=3) >= 0.9


def test_the_overall_ratio_chains_geometric_means_of_what_both_commits_have() -> None:
    added = History("b", "", "s", "", history(9.0, 3.0, 6.0).measurements[1:])
    found = overall_ratios([history(1.0, 2.0, 2.0), history(4.0, 2.0, 2.0), history(5.0), added])
    assert [(m.commit, m.value) for m in found] == [
        ("c0", 1.0),
        ("c1", pytest.approx(1.0)),  # 2 and 1/2
        ("c2", pytest.approx(2 ** (1 / 3))),  # 1, 1 and 2
    ]
    assert overall_ratios([history(1.0)]) == []
    assert [m.value for m in overall_ratios([history(0.0, 1.0)])] == [1.0, 1.0]


# ---- Reading -------------------------------------------------------------------------------------


def test_series_are_read_in_the_order_of_the_commits(tmp_path: Path) -> None:
    grid = [["10", "20"], ["1", "2"]]
    folder = write_results(
        tmp_path,
        [
            {"b.time_it": [[1.0, 2.0, None, 4.0], grid, "v1"], "b.track_queries": [[7], [], "v"]},
            {"b.time_it": [[1.5, 2.5, 3.5, float("nan")], grid, "v1"], "b.time_new": [None, []]},
        ],
    )
    found = {(h.name, h.parameters): h for h in read_histories(folder)}
    assert list(found) == [
        *(("b.time_it", f"n={n}, k={k}") for n in (10, 20) for k in (1, 2)),
        ("b.track_queries", ""),
    ]
    first = found["b.time_it", "n=10, k=1"]
    assert (first.unit, first.quantity, first.environment) == ("s", "time", "vm/py")
    assert [(m.commit, m.value) for m in first.measurements] == [
        (f"{0:040}", 1.0),
        (f"{1:040}", 1.5),
    ]
    assert [m.value for m in found["b.time_it", "n=20, k=1"].measurements] == [3.5]
    assert [m.value for m in found["b.time_it", "n=20, k=2"].measurements] == [4.0]
    assert found["b.track_queries", ""].quantity == "queries"


def test_another_version_of_a_benchmark_is_another_series(tmp_path: Path) -> None:
    folder = write_results(
        tmp_path, [{"b.time_it": [[1.0], [], "v1"]}, {"b.time_it": [[9.0], [], "v2"]}]
    )
    assert [len(h.measurements) for h in read_histories(folder)] == [1, 1]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"results": {"b": 3}, "date": 1}'])
def test_what_is_no_result_of_asv_is_told(text: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no results of asv"):
        read_histories(tmp_path)
    (tmp_path / "vm").mkdir()
    (tmp_path / "vm" / "x.json").write_text(text)
    with pytest.raises(DataError, match=r"x\.json is no result file of asv"):
        read_histories(tmp_path)
