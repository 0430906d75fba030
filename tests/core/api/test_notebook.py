"""DataFrames, Bunches and paths from Python, and what notebooks show."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import hcbench
from hcbench import DataError, HeightKind, Tree
from hcbench.api.data import as_problem
from hcbench.api.uses import named_datasets

FRAME = pd.DataFrame(
    {"x": [0.0, 0.1, 5.0, 5.2], "y": [1, 1, 2, 2], "kind": list("aabb")},
    index=["p", "q", "r", "s"],
)
NOTEBOOK = Path(__file__).parents[3] / "core" / "docs" / "tutorial.ipynb"


def test_a_frame_is_numbers_names_and_labels() -> None:
    for given in ((FRAME, "kind"), (FRAME, ["kind"]), (FRAME[["x", "y"]], FRAME["kind"])):
        problem = as_problem(given)
        assert problem.vectors.tolist() == [[0, 1], [0.1, 1], [5, 2], [5.2, 2]]
        assert problem.names == ("p", "q", "r", "s")
        assert problem.classes == (("a", "b"),)
        assert problem.levels is not None
        assert problem.levels.tolist() == [[0], [0], [1], [1]]


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_frames_of_other_libraries_are_one_data_set(library: str) -> None:
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    frame = make({"x": [1.0, 2.0], "kind": ["a", "b"]})
    problem = as_problem((frame, "kind"))
    assert problem.vectors.tolist() == [[1], [2]]
    assert problem.names is None
    with pytest.raises(DataError, match="must be numbers, and 'kind' are not"):
        hcbench.compare(["UPGMA"], frame)
    with pytest.raises(DataError, match="numbers are missing in 'y'"):
        as_problem(make({"x": [1.0, 2.0], "y": [None, 2]}))


def test_a_lazy_frame_is_to_be_collected() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": [1.0, 2.0], "y": [3.0, 2.0]}).lazy()
    with pytest.raises(DataError, match=r"give frame\.collect\(\)"):
        hcbench.fit("UPGMA", frame)
    assert hcbench.fit("UPGMA", frame.collect()).n == 2


def test_a_distance_matrix_of_scikit_bio_is_similarities_with_names() -> None:
    skbio = pytest.importorskip("skbio")
    distances = skbio.DistanceMatrix([[0, 1, 4], [1, 0, 3], [4, 3, 0]], ["x", "y", "z"])
    similarity = hcbench.similarity_of_distances(distances)
    assert similarity.index.tolist() == ["x", "y", "z"]
    assert similarity.to_numpy().tolist() == [[1, 0.75, 0], [0.75, 1, 0.25], [0, 0.25, 1]]
    tree = hcbench.fit("UPGMA", distances)
    assert tree.names == ("x", "y", "z")
    assert tree.to_newick(lengths=False) == "(z,(x,y));"
    truth = tree.in_order_of(["z", "y", "x"])
    assert as_problem((distances, truth)).truth.names == ("x", "y", "z")
    # Of what is compared with distances, the items are matched by name.
    expected = hcbench.score("dasgupta-normalised", tree, similarity)
    assert hcbench.score("dasgupta-normalised", truth, distances) == expected
    named = named_datasets(distances)
    assert [name for name, _ in named] == ["data1"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (FRAME, r"must be numbers, and 'kind' are not; .*\(frame, \['kind'\]\)"),
        ((FRAME, "species"), r"no column 'species'; it has 'x', 'y', 'kind'"),
        (FRAME[["x"]].replace(5.0, np.nan), r"numbers are missing in 'x'; .*dropna"),
    ],
)
def test_what_is_wrong_with_a_frame(given: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        as_problem(given)


def test_a_bunch_is_data_and_target() -> None:
    problem = as_problem(load_iris())
    assert problem.vectors.shape == (150, 4)
    assert problem.levels is not None
    assert problem.levels.shape == (150, 1)


def test_one_data_set_needs_no_list() -> None:
    X = np.ones((3, 2))
    for one in (X, FRAME, (X, [0, 0, 1]), load_iris(), hcbench.Problem(n=3, vectors=X)):
        ((name, data),) = named_datasets(one)
        assert (name, data is one) == ("data1", True)
    assert named_datasets(Path("plants.csv")) == ["./plants.csv"]
    assert named_datasets([Path("/data/plants.csv"), "iris"]) == ["/data/plants.csv", "iris"]
    assert [name for name, _ in named_datasets({"mine": X, "other": X})] == ["mine", "other"]
    assert len(named_datasets([X, X])) == 2
    with pytest.raises(DataError, match="datasets are names, files or data, got int: 5"):
        named_datasets(5)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_results_are_shown_drawn_and_reported(tmp_path: Path, capsys: Any) -> None:
    given = {"store": tmp_path / "s.sqlite", "repetitions": 1, "metrics": ["AARI"]}
    results = hcbench.compare(
        ["UPGMA", "Single"], {"<mine>": (FRAME, "kind")}, progress=True, **given
    )
    assert "2 of 2 cells\n" in capsys.readouterr().err
    html = results._repr_html_()
    table = ET.fromstring(html[html.index("<table>") : html.index("</table>") + len("</table>")])
    assert table.findtext("caption") == "<mine>"
    rows = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    assert [row[0] for row in rows] == ["algorithm", "UPGMA", "Single"]
    figure = results.plot("dendrogram", algorithm="single")
    assert figure._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(hcbench.HcbenchError, match="no cell is of Ward"):
        results.plot("dendrogram", algorithm="Ward")
    for choices, message in (
        ({"algorithm": "Ward"}, "no cell is of Ward; there are Single, UPGMA"),
        ({"algorithm": "single", "dataset": "min"}, "no cell is of min; there are <mine>"),
        ({"algorithm": "single", "budget": 5}, "no cell has the budget 5; there are None"),
        ({"algorithm": "single", "repetition": "0"}, "repetition must be a whole number from 0"),
        ({"algorithm": "single", "repetition": 7}, "no cell has a result in repetition 7"),
    ):
        with pytest.raises(hcbench.HcbenchError, match=message):
            results.tree(**choices)
    # The data were passed, so that they cannot be generated again.
    assert len(results.plot("tanglegram", algorithm="single").axes) >= 2
    results.report(tmp_path / "report.html")
    assert "Single" in (tmp_path / "report.html").read_text()


@pytest.mark.usefixtures("in_process")
def test_a_suite_is_run_by_name_and_file(tmp_path: Path) -> None:
    suite = tmp_path / "mine.toml"
    suite.write_text(
        'name = "mine"\nalgorithms = ["UPGMA"]\ndatasets = ["iris"]\nmetrics = ["AARI"]\n'
    )
    results = hcbench.run_suite(suite, repetitions=1, store=tmp_path / "s.sqlite")
    assert [outcome.status for outcome in results.outcomes] == ["ok"]
    with pytest.raises(hcbench.HcbenchError, match="no-suite"):
        hcbench.run_suite("no-suite")


@pytest.mark.parametrize("kind", [HeightKind.DISTANCE, HeightKind.AFFINITY])
def test_the_dendrogram_of_a_tree_has_its_root_on_the_left(kind: HeightKind) -> None:
    heights = [0, 0, 0, 1, 3] if kind is HeightKind.DISTANCE else [3, 3, 3, 2, 0]
    tree = Tree([3, 3, 4, 4, -1], heights, kind, names=["a&b", "c", "d"])
    svg = tree._repr_svg_()
    assert svg is not None
    drawn = ET.fromstring(svg)
    texts = list(drawn.iter("{http://www.w3.org/2000/svg}text"))
    assert sorted(text.text or "" for text in texts) == ["a&b", "c", "d"]
    assert {float(text.attrib["x"]) for text in texts} == {426.0}  # all leaves are right
    assert Tree.from_levels(np.zeros((201, 1), dtype=int))._repr_svg_() is None


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_the_cells_of_the_tutorial_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "s.sqlite"))
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            exec(compile(source, NOTEBOOK.name, "exec"), names)
            assert cell["outputs"] or "import" in source or "=" in source, source
    assert names["results"].algorithms
