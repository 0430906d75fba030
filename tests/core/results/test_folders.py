"""A run as a folder of text files: stable, apart for each method, the same when imported."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hcbench.cli import main
from hcbench.errors import DataError, StoreError
from hcbench.results.folder_reading import read_folder
from hcbench.store import Store
from hcbench.store.exchange import import_run

STORED = Path(__file__).parents[1] / "store" / "schemas" / "schema_3.sqlite"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a run of two algorithms, and one with a failure and a reused cell."""
    path = tmp_path / "stored.sqlite"
    shutil.copyfile(STORED, path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HCBENCH_STORE", str(path))
    return path


def hcb(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result


def files_of(folder: str) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def shown(run: str, store: str) -> str:
    return hcb("results", "show", run, "--store", store).stdout


def test_there_is_a_file_for_each_algorithm_and_data_set() -> None:
    result = hcb("results", "export", "1", "--format", "folder", "-o", "out")
    assert "2 files written to out, 0 as before" in result.stderr
    files = files_of("out")
    assert sorted(Path(name).parts[1] for name in files) == ["4-AL", "UPGMA"]
    for content in files.values():
        text = content.decode()
        assert text.endswith("}\n")
        assert len(json.loads(text)["cells"]) == 2
        assert max(map(len, text.splitlines())) < 3000
        assert '"host"' not in text, "the name of the machine is private"


def test_an_export_is_the_same_each_time() -> None:
    hcb("results", "export", "1", "--format", "folder", "-o", "out")
    before = files_of("out")
    assert (
        "0 files written to out, 2 as before"
        in hcb("results", "export", "1", "--format", "folder", "-o", "out").stderr
    )
    assert files_of("out") == before
    hcb("results", "import", "out", "--store", "other.sqlite")
    hcb("results", "export", "--format", "folder", "-o", "again", "--store", "other.sqlite")
    assert {
        name.replace("again", "out"): text for name, text in files_of("again").items()
    } == before


def test_a_new_method_changes_only_its_own_files() -> None:
    hcb("results", "export", "1", "--format", "folder", "-o", "out")
    before = files_of("out")
    hcb("results", "export", "2", "--format", "folder", "-o", "new")
    shutil.copytree("new/InsertionClustering", "out/InsertionClustering")
    after = files_of("out")
    assert {name: after[name] for name in before} == before
    hcb("results", "import", "out", "--store", "other.sqlite")
    text = shown("1", "other.sqlite")
    for algorithm in ("UPGMA", "4-AL", "InsertionClustering"):
        assert algorithm in text


@pytest.mark.slow
def test_a_run_with_another_method_and_data_set_has_the_same_files_of_the_others() -> None:
    def measure(algorithms: str, datasets: str) -> dict[str, bytes]:
        """The files of a comparison, which reuses what is stored."""
        chosen = ["--algos", algorithms, "--datasets", datasets, "-r", "1", "--metrics", "AARI"]
        hcb("compare", *chosen)
        hcb("results", "export", "--format", "folder", "-o", "out")
        return files_of("out")

    before = measure("UPGMA,4-AL", "iris[n=12]")
    # Others have other tags, parameters, oracles, families and hints.
    after = measure("UPGMA,4-AL,Truth,sk-birch", "iris[n=12],planted[N0=2]")
    assert len(after) == 8
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("run", ["1", "2"])
def test_an_imported_folder_shows_the_same_values(run: str) -> None:
    hcb("results", "export", run, "--format", "folder", "-o", "out", "--trees")
    hcb("results", "import", "out", "--store", "other.sqlite")
    with Store("stored.sqlite") as stored, Store("other.sqlite") as imported:
        expected = [outcome for outcome, _ in stored.outcomes(run=int(run))]
        outcomes = [outcome for outcome, _ in imported.outcomes(run=1)]
    for before in expected:
        (after,) = [outcome for outcome in outcomes if outcome.key == before.key]
        assert after.points == before.points
        assert after.cost == before.cost
        assert (after.status, after.reason, after.seed) == (
            before.status,
            before.reason,
            before.seed,
        )


def test_importing_twice_adds_nothing() -> None:
    hcb("results", "export", "1", "--format", "folder", "-o", "out")
    hcb("results", "import", "out", "--store", "other.sqlite")
    result = hcb("results", "import", "out", "--store", "other.sqlite")
    assert "0 new cells, 4 known" in result.stderr
    with Store("other.sqlite") as store:
        assert len(store.runs()) == 1


@pytest.mark.slow
def test_files_of_several_schemas_are_one_run() -> None:
    hcb("results", "export", "2", "--format", "folder", "--trees", "-o", "out")
    hcb("results", "import", "out", "--store", "one.sqlite")
    # The tables of cells and of their values are the same in schema 3.
    file = sorted(Path("out").rglob("*.json"))[0]
    text = file.read_text()
    file.write_text(text.replace('"hcbench schema": 4', '"hcbench schema": 3'))
    assert file.read_text() != text
    hcb("results", "import", "out", "--store", "both.sqlite")
    with Store("one.sqlite") as one, Store("both.sqlite") as both:
        (run,) = both.runs()
        assert run.cells == one.run().cells
        expected = {}
        for outcome, row in zip(one.cells(run=1), one.cells(run=1).column("row"), strict=True):
            results = [point.result for point in one.results_of(row)]
            expected[outcome.key] = (outcome, results)
        for outcome, row in zip(both.cells(run=1), both.cells(run=1).column("row"), strict=True):
            results = [point.result for point in both.results_of(row)]
            assert (outcome, results) == expected.pop(outcome.key)
        assert not expected
    assert shown("1", "both.sqlite") == shown("1", "one.sqlite")
    # One of a later hcbench is refused, whatever the others are.
    file.write_text(text.replace('"hcbench schema": 4', '"hcbench schema": 99'))
    refused = hcb("results", "import", "out", "--store", "both.sqlite", code=3)
    assert "by a later version of hcbench (schema 99" in refused.stderr
    file.write_text(text.replace('"hcbench results": 1', '"hcbench results": 2'))
    refused = hcb("results", "import", "out", "--store", "both.sqlite", code=2)
    assert "by a later version of hcbench (format 2, this one knows 1)" in refused.stderr


def test_cells_of_several_machines_keep_theirs() -> None:
    hcb("results", "export", "1", "--format", "folder", "-o", "out")
    (file,) = Path("out/UPGMA").iterdir()
    file.write_text(file.read_text().replace('"cores": 2', '"cores": 64'))
    hcb("results", "import", "out", "--store", "other.sqlite")
    hcb("results", "import", "out", "--store", "other.sqlite")
    with Store("other.sqlite") as store:
        (run,) = store.runs()
        assert run.cells == 4
        cores = {
            (outcome.algorithm, info.environment["machine"]["cores"])
            for outcome, info in store.outcomes(run=run.id)
        }
    assert cores == {("UPGMA", 64), ("4-AL", 2)}


def test_labels_that_no_file_can_have_are_kept(store: Path) -> None:
    hcb("results", "export", "1", "--format", "folder", "-o", "out")
    for file in Path("out/UPGMA").iterdir():
        text = file.read_text().replace('"UPGMA"', json.dumps("../../évil <b>"))
        file.write_text(text)
    hcb("results", "import", "out", "--store", "other.sqlite")
    hcb("results", "export", "--format", "folder", "-o", "again", "--store", "other.sqlite")
    assert not list(Path().glob("évil*"))
    names = sorted(path.name for path in Path("again").iterdir())
    assert len(names) == 2
    assert names[1].startswith("vil_b")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "is not JSON"),
        (lambda _: "[]", "is not of hcbench results export"),
        (lambda text: text.replace('"hcbench results": 1', '"hcbench results": 9'), "format 9"),
        (lambda text: text.replace('"cells"', '"cell"'), "is damaged: KeyError"),
        (
            lambda text: text.replace('"description": 0', '"description": 7'),
            "is damaged: IndexError",
        ),
    ],
)
def test_a_damaged_file_is_named(change: Callable[[str], str], message: str) -> None:
    hcb("results", "export", "1", "--format", "folder", "-o", "out")
    (file,) = Path("out/UPGMA").iterdir()
    file.write_text(change(file.read_text()))
    with pytest.raises(DataError, match=message) as caught:
        read_folder(Path("out"))
    assert str(file) in str(caught.value)


def test_rows_of_strangers_are_checked() -> None:
    hcb("results", "export", "1", "--format", "folder", "-o", "out")
    (file,) = Path("out/UPGMA").iterdir()
    file.write_text(file.read_text().replace('"repetition": 0', '"repetition": "x"'))
    with Store(":memory:") as store, pytest.raises(StoreError, match=r"cells\.repetition"):
        import_run(store, read_folder(Path("out")), "out")


def test_metrics_of_different_code_are_not_mixed() -> None:
    hcb("results", "export", "1", "--format", "folder", "-o", "out")
    (file,) = Path("out/UPGMA").iterdir()
    content = json.loads(file.read_text())
    content["presentation"]["metrics"][0]["key"] = "another"
    file.write_text(json.dumps(content))
    with pytest.raises(DataError, match="computed by another version of its code"):
        read_folder(Path("out"))


def test_what_is_no_folder_of_results_is_refused() -> None:
    Path("empty").mkdir()
    assert "has no results" in hcb("results", "import", "empty", code=2).stderr
    assert "needs -o FOLDER" in hcb("results", "export", "--format", "folder", code=2).stderr
    Path("file").write_text("")
    result = hcb("results", "export", "--format", "folder", "-o", "file", code=2)
    assert "file is a file; give a folder" in result.stderr
