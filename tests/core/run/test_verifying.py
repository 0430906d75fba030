"""A random share of results is run again: what was changed or invented is found."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import hcbench
from hcbench.cli import main
from hcbench.registry import Registry, load_registry
from hcbench.results.folder_reading import read_folder
from hcbench.run.verifying import Verification, verify_run
from hcbench.store import Store
from hcbench.store.exchange import import_run

CELLS = 24


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results of two algorithms, 24 cells."""
    folder = tmp_path_factory.mktemp("measured")
    return export(folder, ["UPGMA", "4-AL"], repetitions=CELLS // 2)


def export(
    folder: Path,
    algorithms: list[str],
    datasets: Sequence[str] = ("iris[n=16]",),
    *,
    repetitions: int = 1,
    plugins: Sequence[Path] = (),
) -> Path:
    """Measure algorithms, and export the results as a folder."""
    store = str(folder / "store.sqlite")
    hcbench.compare(
        algorithms,
        list(datasets),
        metrics=["AARI", "dasgupta", "seconds"],
        repetitions=repetitions,
        plugins=list(plugins),
        store=store,
    )
    done = CliRunner().invoke(
        main,
        ["results", "export", "--format", "folder", "-o", str(folder / "out"), "--store", store],
    )
    assert done.exit_code == 0, done.output
    return folder / "out"


@pytest.fixture
def results(measured: Path, tmp_path: Path) -> Path:
    """A copy, which a test may change."""
    copy = tmp_path / "results"
    shutil.copytree(measured, copy)
    return copy


def verify(
    folder: Path, *, share: float = 1.0, seed: int = 0, registry: Registry | None = None
) -> Verification:
    with Store(":memory:") as store:
        import_run(store, read_folder(folder), str(folder))
        (run,) = store.runs()
        registry = registry or load_registry()
        return verify_run(store, run.id, registry, share=share, seed=seed, timeout=60.0, jobs=2)


def change(
    folder: Path, algorithm: str, change_cells: Callable[[list[dict[str, Any]]], None]
) -> None:
    """Change the cells of the file of an algorithm."""
    (file,) = (folder / algorithm).iterdir()
    content = json.loads(file.read_text())
    change_cells(content["cells"])
    file.write_text(json.dumps(content))


def test_honest_results_are_met_to_the_bit(results: Path) -> None:
    verification = verify(results)
    assert verification.is_met
    assert (verification.cells, verification.run_again) == (CELLS, CELLS)
    assert {number.agreement for number in verification.compared} == {"equal"}
    names = {number.name for number in verification.compared}
    assert {"status", "data", "AARI", "dasgupta", "queries"} <= names
    assert "seconds" not in names, "times are compared by their order"
    assert verification.time_rank_correlation is not None


@pytest.mark.slow
def test_a_changed_value_is_found_when_its_cell_is_run_again(results: Path) -> None:
    keys = []

    def tamper(cells: list[dict[str, Any]]) -> None:
        cells[3]["points"][0]["values"]["AARI"] -= 0.01
        keys.append(cells[3]["key"])

    change(results, "4-AL", tamper)
    found = 0
    trials = 24
    for seed in range(trials):
        verification = verify(results, share=0.25, seed=seed)
        assert verification.run_again == CELLS // 4
        was_run = keys[0] in {number.cell for number in verification.compared}
        assert verification.is_met != was_run
        found += was_run
    # Binomial with p = .25: outside of this with a probability below .002 for any fixed seeds.
    assert 1 <= found <= 13


def test_a_swapped_seed_is_found_without_running_its_cell(results: Path) -> None:
    def swap(cells: list[dict[str, Any]]) -> None:
        cells[0]["data_seed"], cells[1]["data_seed"] = (
            cells[1]["data_seed"],
            cells[0]["data_seed"],
        )

    change(results, "UPGMA", swap)
    verification = verify(results, share=0.01)
    assert len(verification.faults) == 2
    assert all("its data seed is" in fault for fault in verification.faults)
    assert not verification.is_met


def test_an_invented_row_contradicts_its_key(results: Path) -> None:
    def invent(cells: list[dict[str, Any]]) -> None:
        invented = json.loads(json.dumps(cells[0]))
        invented["key"] = "0" * 32
        invented["points"][0]["values"]["AARI"] = 1.0
        cells.append(invented)

    change(results, "UPGMA", invent)
    verification = verify(results, share=0.01)
    (fault,) = verification.faults
    assert "its key is 00000000, and follows from what it has run as" in fault


def test_an_invented_row_with_the_right_key_is_found_when_it_is_run_again(results: Path) -> None:
    def invent(cells: list[dict[str, Any]]) -> None:
        for cell in cells:
            cell["points"][0]["values"]["AARI"] = 1.0

    change(results, "4-AL", invent)
    different = [n for n in verify(results).compared if n.agreement == "different"]
    assert {(number.algorithm, number.name) for number in different} == {("4-AL", "AARI")}


@pytest.mark.parametrize("name", ["MyMethod", "Ward", "UPGMA[metric=cosine]"])
def test_results_under_the_name_of_another_method_are_found(results: Path, name: str) -> None:
    """Each number can be met, and is not that of the method that is praised."""
    (file,) = (results / "UPGMA").iterdir()
    file.write_text(file.read_text().replace('"UPGMA"', json.dumps(name)))
    verification = verify(results, share=0.01)
    assert len(verification.faults) == CELLS // 2
    assert f"its algorithm is called {name}, and what it has run is UPGMA" in verification.faults[0]
    assert not verification.is_met


def test_a_name_that_was_given_to_data_is_told_and_no_fault(results: Path) -> None:
    for file in results.rglob("*.json"):
        file.write_text(file.read_text().replace('"iris[n=16]"', '"flowers"'))
    verification = verify(results, share=0.2)
    assert verification.changes == ["flowers is a name that was given to iris[n=16]"]
    assert verification.is_met


def test_a_library_that_is_another_one_now_is_told_once(tmp_path: Path) -> None:
    folder = export(tmp_path, ["UPGMA", "WPGMA", "Single", "Complete", "Median"])
    for file in folder.rglob("*.json"):
        text = re.sub(r'("scipy": )"[^"]+"', r'\1"0.1"', file.read_text())
        file.write_text(text)
    verification = verify(folder)
    assert verification.is_met
    (change,) = [change for change in verification.changes if "scipy" in change]
    assert re.fullmatch(r"\w+, \w+, \w+ and 2 more: scipy is \S+ now; stored with 0\.1", change)


def test_numbers_that_an_algorithm_reports_are_no_metrics_that_are_missing(tmp_path: Path) -> None:
    folder = export(tmp_path, ["HDBSCAN"])
    (file,) = (folder / "HDBSCAN").iterdir()
    assert "clusters (reported)" in file.read_text()
    verification = verify(folder)
    assert verification.is_met
    assert verification.changes == []
    assert "AARI" in {number.name for number in verification.compared}


def test_rounding_is_told_from_a_difference(results: Path) -> None:
    def round_values(cells: list[dict[str, Any]]) -> None:
        values = cells[0]["points"][0]["values"]
        values["dasgupta"] = values["dasgupta"] * (1 + 1e-12)

    change(results, "UPGMA", round_values)
    verification = verify(results)
    assert verification.is_met
    assert [n.name for n in verification.compared if n.agreement == "rounding"] == ["dasgupta"]


def test_what_cannot_be_run_again_is_counted_with_its_reason(results: Path) -> None:
    def limit(cells: list[dict[str, Any]]) -> None:
        cells[0]["status"] = "timeout"

    change(results, "UPGMA", limit)
    (file,) = (results / "4-AL").iterdir()
    file.write_text(file.read_text().replace("hcbench:4-AL", "their-package:4-ALL"))
    verification = verify(results)
    assert verification.run_again == CELLS // 2 - 1
    reasons = list(verification.excluded.items())
    assert ("the status timeout depends on the machine", 1) in reasons
    (other,) = [
        reason for reason in reasons if reason[0] != "the status timeout depends on the machine"
    ]
    assert "4-ALL" in other[0]
    assert other[1] == CELLS // 2


PLUGIN = """
from pathlib import Path

import numpy as np
from hcbench import DataNotAvailableError, DatasetSpec, Problem, hookimpl


def here(request):
    if not Path(__file__).with_suffix(".data").exists():
        raise DataNotAvailableError("here: no file here.data")
    return Problem(n=6, vectors=np.eye(6), levels=np.arange(6)[:, None] % 2)


@hookimpl
def hcbench_datasets():
    provides = ("vectors", "levels", "truth")
    return [DatasetSpec(name="here", function=here, doc="A file.", provides=provides)]
"""


def test_data_that_are_not_here_are_no_difference(tmp_path: Path) -> None:
    plugin = tmp_path / "their_data.py"
    plugin.write_text(PLUGIN)
    plugin.with_suffix(".data").touch()
    folder = export(tmp_path, ["UPGMA"], ["iris[n=16]", "here"], plugins=[plugin])
    registry = load_registry([plugin])
    assert verify(folder, registry=registry).run_again == 2
    plugin.with_suffix(".data").unlink()
    verification = verify(folder, registry=registry)
    assert verification.run_again == 1
    assert verification.is_met
    assert verification.excluded == {"here: no file here.data": 1}


def test_libraries_that_are_not_here_are_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = export(tmp_path, ["UPGMA", "fast-plscan"])
    assert verify(folder).run_again == 2
    monkeypatch.setattr(
        "hcbench.run.verifying.installation",
        lambda requires: "pip install fast-plscan" if "fast-plscan" in requires else "",
    )
    verification = verify(folder)
    assert verification.run_again == 1
    assert verification.is_met
    assert verification.excluded == {
        "fast-plscan needs what is not installed: pip install fast-plscan": 1
    }


def hcb(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["verify", *arguments])


def test_the_key_of_a_cell_that_reports_numbers_is_checked(tmp_path: Path) -> None:
    store = str(tmp_path / "store.sqlite")
    hcbench.compare(["HDBSCAN"], ["iris[n=30]"], metrics=["AARI"], repetitions=1, store=store)
    export = ["results", "export", "--format", "folder", "--store", store]
    CliRunner().invoke(main, [*export, "-o", str(tmp_path / "out")])

    def rename(cells: list[dict[str, Any]]) -> None:
        (cell,) = cells
        assert "clusters (reported)" in str(cell["points"])
        cell["key"] = "f" * 32

    change(tmp_path / "out", "HDBSCAN", rename)
    (fault,) = verify(tmp_path / "out").faults
    assert "its key is ffffffff, and follows from what it has run as" in fault


def test_the_command_repeats_itself_and_exits_by_what_it_found(results: Path) -> None:
    done = hcb(str(results), "--share", "0.1")
    assert done.exit_code == 0, done.output
    assert f"3 of {CELLS} cells run again" in done.stdout
    seed = re.search(r"--seed (\d+)", done.stderr)
    assert seed is not None
    plugin = results.parent / "plugin file.py"
    plugin.write_text("")
    quiet = hcb(str(results), "--share", "0.1", "-q", "--plugin", str(plugin))
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    loud = hcb(str(results), "--share", "0.1", "--plugin", str(plugin))
    assert f"--plugin '{plugin}'\n" in loud.stderr
    again = hcb(str(results), "--share", "0.1", "--seed", seed[1], "--format", "json")
    described = json.loads(again.stdout)
    (verification,) = described
    assert (verification["run_again"], verification["met"]) == (3, True)

    def tamper(cells: list[dict[str, Any]]) -> None:
        for cell in cells:
            cell["queries"] = 1

    change(results, "4-AL", tamper)
    done = hcb(str(results), "--share", "1")
    assert done.exit_code == 1
    assert re.search(r"4-AL .*queries\s+1\s+\d+", done.stdout)


def test_a_share_of_nothing_is_refused(results: Path) -> None:
    assert hcb(str(results), "--share", "0").exit_code == 2
