"""Measurements of asv over commits: what is read, and what counts as a regression."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hcbench.errors import DataError
from hcbench_pages.site.histories import History, Measurement, overall_ratios, read_histories

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


def test_a_lasting_change_is_one_step_at_its_first_commit() -> None:
    assert steps(1.0, 1.0, 1.0, 2.0, 2.0, 2.1, 1.95) == [("c3", 1.0)]
    assert steps(1.0, 1.0, 2.0) == [("c2", 1.0)], "the last commit has none after it"
    assert steps(2.0, 2.0, 1.0, 1.0, 2.0, 2.0) == [("c2", 2.0), ("c4", 1.0)]


def test_only_steps_to_more_are_regressions() -> None:
    found = history(2.0, 2.0, 1.0, 1.0, 1.5, 1.5)
    assert [step.at.commit for step in found.regressions] == ["c4"]
    assert found.regressions[0].ratio == 1.5
    assert history(0.0, 0.0, 1.0, unit="queries").regressions[0].ratio == float("inf")


def test_a_slow_drift_is_found_against_the_median_of_five() -> None:
    # 1.05**3 = 1.158 is more than 1.1 times 1.05, the median before it; 1.05**2 is not.
    assert steps(*(1.05**i for i in range(12)))[0][0] == "c3"


def test_queries_are_exact() -> None:
    assert steps(1000, 1000, 1001, 1001, unit="queries") == [("c2", 1000)]
    assert steps(1000.0, 1000.0 * (1 + 1e-12), unit="queries") == []


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
