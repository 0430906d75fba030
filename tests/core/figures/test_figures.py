"""Figures: arguments of their functions, drawings, and failures."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from hcbench import HeightKind, Tree, figures, load_registry
from hcbench.cli import main
from hcbench.errors import DataError, DataNotAvailableError, HcbenchError
from hcbench.figures import FigureView, draw_figures
from hcbench.figures.dendrograms import MIXED
from hcbench.model.trees.layout import layout
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench.results.results import Results
from hcbench.store import Store
from tests.core.trees import trees
from tests.inline import cells_in_this_process

pytestmark = pytest.mark.usefixtures("in_process")

PLUGIN = """
import warnings

import numpy as np

import hcbench
from hcbench import figures


def points(seed, *, p, fixed):
    warnings.warn("the data are made up", hcbench.ModelWarning)
    rng = np.random.default_rng(seed)
    levels = np.repeat([0, 1], 3)[:, None]
    return hcbench.Problem(n=6, vectors=rng.normal(size=(6, p)), levels=levels)


def comb(oracle, items, rng):
    n = items.n
    warnings.warn(f"{n} items are few", hcbench.ModelWarning)
    return [[0, 1], *([n + k, k + 2] for k in range(n - 2))]


def fail(oracle, items, rng):
    raise ValueError("no")


def first(scored):
    return abs(float(scored.problem.vectors[0, 0]))


def curve(view):
    random = lambda run: "fixed" not in run["dataset"]
    return figures.curves(view, x="p", metric="first", where=random).figure


def tree(view):
    problem = view.problem("points[p=3]", 1)
    kept = view.tree("comb", "points[p=3]", 1)
    return figures.dendrogram(None, kept, classes=problem.levels[:, 0]).figure


def lost(view):
    return view.tree("fails", "points")


def broken(view):
    raise TypeError("a mistake")


def nothing(view):
    return None


FIGURES = tuple(
    hcbench.Figure(name=f.__name__, doc=f"The {f.__name__}.", function=f)
    for f in (curve, tree, lost, broken, nothing)
)


@hcbench.hookimpl
def hcbench_datasets():
    p, fixed = hcbench.Parameter("p", 2, "Dimension."), hcbench.Parameter("fixed", False, "Same.")
    return [hcbench.DatasetSpec(name="points", function=points, doc="", parameters=(p, fixed),
        provides=("vectors", "levels", "truth"), random=lambda params: not params["fixed"],
        licence="CC0", paper=hcbench.Reference("doe2020", "misc",
            {"author": "Doe, Jane", "title": "Points", "year": "2020"}))]


@hcbench.hookimpl
def hcbench_algorithms():
    return [hcbench.AlgorithmSpec(name=name, function=f, doc=name, accepts=("vectors",))
            for name, f in (("comb", comb), ("fails", fail))]


@hcbench.hookimpl
def hcbench_metrics():
    return [hcbench.MetricSpec(name="first", function=first, doc="First.", direction="lower")]


@hcbench.hookimpl
def hcbench_suites():
    return [hcbench.Suite(name="drawn", algorithms=("comb", "fails"), metrics=("first",),
        datasets=("points[p=[2,3]]", "points[fixed=true]"), repetitions=2, figures=FIGURES)]
"""


def call(*args: str, folder: Path) -> Result:
    env = {"HCBENCH_STORE": str(folder / "s.sqlite"), "COLUMNS": "100", "HCBENCH_DEBUG": ""}
    return CliRunner(env=env).invoke(main, [*args, "--plugin", str(folder / "mine.py")])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("figures")
    (made / "mine.py").write_text(PLUGIN)
    return made


@pytest.fixture(scope="module")
def drawn(folder: Path) -> Result:
    with cells_in_this_process():
        return call("run", "drawn", f"--figures={folder / 'out'}", folder=folder)


# ---- Figures of a suite --------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_draws_its_figures_and_reports_failed_ones(drawn: Result, folder: Path) -> None:
    assert sorted(file.name for file in (folder / "out").iterdir()) == ["curve.svg", "tree.svg"]
    told = [line for line in drawn.stderr.splitlines() if re.search("figure |figures are", line)]
    assert told[:3] == [
        "hcbench: figure lost is not drawn: fails on points has no tree: error: ValueError: no",
        "hcbench: figure broken is not drawn: TypeError: a mistake",
        "hcbench: figure nothing is not drawn: its function must return a matplotlib figure, "
        "got NoneType",
    ]
    assert told[3].startswith("hcbench: 2 of 5 figures are in ")
    assert drawn.exit_code == 1


@pytest.mark.slow
def test_stored_trees_and_formats(drawn: Result, folder: Path) -> None:
    assert drawn.exit_code == 1
    for form, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")):
        out = folder / form
        again = call("run", "drawn", f"--figures={out}", f"--figure-format={form}", folder=folder)
        assert "2 of 5 figures" in again.stderr
        assert "12 of them stored" in again.stderr
        assert (out / f"tree.{form}").read_bytes().startswith(magic)
    for name in ("curve.svg", "tree.svg"):
        one, other = ((folder / out / name).read_bytes() for out in ("out", "svg"))
        assert one == other, "the same drawing is the same file"
        assert b"<text" not in one, "letters are shapes: no font is missing anywhere"


def test_without_matplotlib_no_cell_runs_for_figures(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused = call("run", "drawn", f"--figures={tmp_path / 'out'}", folder=folder)
    assert refused.exit_code == 2
    assert 'need matplotlib, which is not installed: pip install "hcbench[figures]"' in (
        refused.stderr
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_suite_lists_its_figures_before_anything_runs(folder: Path) -> None:
    shown = call("run", "drawn", "--dry-run", folder=folder).stdout
    assert "figure curve: The curve.\nfigure tree: The tree.\n" in shown
    assert (
        "figures      curve, tree, lost, broken, nothing"
        in call("info", "drawn", folder=folder).stdout
    )
    refused = call("run", "compare", f"--figures={folder / 'none'}", folder=folder)
    assert refused.exit_code == 3
    assert "suite compare has no figures; omit --figures" in refused.stderr
    assert not (folder / "none").exists()
    refused = call("run", "drawn", f"--figures={folder / 'mine.py' / 'x'}", folder=folder)
    assert refused.exit_code == 2
    assert "Not a directory; give another path" in refused.stderr


def test_a_data_set_is_shown_with_its_licence_and_paper(folder: Path) -> None:
    shown = call("info", "points", folder=folder).stdout
    assert "licence   CC0" in shown
    assert "Doe 2020, Points (hcbench cite points)" in shown


def test_notes_of_data_and_algorithm_are_below_the_table(drawn: Result) -> None:
    assert "the data are made up\n" in drawn.stdout
    assert "6 items are few\n" in drawn.stdout


@pytest.fixture
def view(drawn: Result, folder: Path) -> Any:
    assert drawn.exit_code == 1
    from hcbench.plan.presentation import Presentation

    registry = load_registry([folder / "mine.py"])
    with Store(folder / "s.sqlite") as store:
        run = store.runs()[0]
        found = store.outcomes(run=run.id)
        layout = Presentation.of_description(run.layout)
        yield FigureView(Results.of_layout(layout, [o for o, _ in found]), store, registry)


def test_data_are_generated_again_as_they_were(view: FigureView) -> None:
    first = {
        (row["dataset"], row["repetition"]): row["metrics"]["first"]
        for row in view.results.rows
        if row["algorithm"] == "comb"
    }
    for (dataset, repetition), value in first.items():
        vectors: Any = view.problem(dataset, repetition).vectors
        assert abs(vectors[0, 0]) == value
    fixed = [value for (dataset, _), value in first.items() if "fixed" in dataset]
    assert fixed[0] == fixed[1]
    assert view.problem("points[p=2]") is view.problem("points"), "a default may be written"


def test_missing_trees_and_data_are_reported(view: FigureView) -> None:
    assert view.tree("comb", "points[p=3]", 1).n == 6
    for missing in (("comb", "other"), ("comb", "points", 7), ("UPGMA", "points")):
        with pytest.raises(DataNotAvailableError, match="was not run on"):
            view.tree(*missing)  # type: ignore[arg-type]
    with pytest.raises(DataNotAvailableError, match="has no tree: error: ValueError: no"):
        view.tree("fails", "points")
    with pytest.raises(DataNotAvailableError, match="has no stored tree"):
        view.tree("comb", "points", checkpoint=3)
    with pytest.raises(DataNotAvailableError, match="was not in the comparison"):
        view.problem("iris")
    changed = [replace(outcome, data_digest="other") for outcome in view.results.outcomes]
    other = replace(view, results=replace(view.results, outcomes=changed), _problems={})
    with pytest.raises(DataNotAvailableError, match="now yields other data"):
        other.problem("points")


def test_a_file_of_this_machine_is_not_shown_because_a_run_names_it(
    view: FigureView, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("name,x\nsecret,secret\nb,2\n")
    label = f"file[path={secret}]"
    for digest, reason in (("", "not known to be the data of the run"), ("d", "cannot be read")):
        (own, *_) = view.results.outcomes
        results = replace(
            view.results,
            outcomes=[replace(own, dataset=label, data_digest=digest, key="k")],
        )
        with pytest.raises(DataNotAvailableError, match=reason) as caught:
            replace(view, results=results, _problems={}).problem(label, own.repetition)
        assert "secret'" not in str(caught.value)


def test_data_of_the_caller_cannot_be_generated_again(tmp_path: Path) -> None:
    import hcbench

    figure = hcbench.Figure(name="own", doc="", function=lambda view: view.problem("mine"))
    store = tmp_path / "s.sqlite"
    results = hcbench.compare(["UPGMA"], {"mine": np.eye(4)}, repetitions=1, store=store, n_jobs=1)
    (drawn,) = draw_figures(results, tmp_path / "out", figures=[figure], store=store)
    assert (drawn.path, drawn.failed) == (None, False)
    assert drawn.reason.startswith("mine cannot be generated again: ")
    with pytest.raises(HcbenchError, match="figures are written as svg, png, pdf; got 'gif'"):
        draw_figures(results, tmp_path, format="gif")  # type: ignore[arg-type]


@pytest.mark.slow
def test_drawing_has_no_global_state() -> None:
    code = (
        "import sys, hcbench; hcbench.figures.new_figure();"
        "assert 'matplotlib.pyplot' not in sys.modules;"
        "import matplotlib; assert matplotlib.rcParams['font.size'] == 10"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- Curves --------------------------------------------------------------------------------------


def measured(p: float, values: list[float], algorithm: str = "A", oracle: str = "o") -> Any:
    return [
        Outcome(
            key=f"{algorithm}{p}{oracle}{r}",
            algorithm=algorithm,
            dataset=f"d[p={p}]",
            oracle=oracle,
            repetition=r,
            seed=0,
            points=(ScoredPoint(values={"error": Value(value)}),),
        )
        for r, value in enumerate(values)
    ]


def results(outcomes: list[Outcome], **changes: Any) -> Results:
    return Results(outcomes, (MetricInfo("error", "lower", "s"),), **changes)


def test_a_curve_is_mean_and_interval_along_a_parameter() -> None:
    outcomes = [
        *measured(100, [1.0, 1.5, 1.8, 2.2, 2.5, 3.0]),
        *measured(2, [5.0, 5.0]),
        *measured(2, [0.5], "B"),
    ]
    ax = figures.curves(results(outcomes, references=("B",)), x="p", metric="ERROR")
    one, reference = ax.containers
    data: Any = one[0].get_xydata()
    assert data.tolist() == [[2, 5], [100, 2]]
    bars = one[2][0].get_segments()
    assert bars[1].tolist() == [[100, 1], [100, 3]]  # of 6, the least and the greatest
    assert bars[0].tolist() == [[2, 5], [2, 5]]  # two values have no interval of the median
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["A", "B"]
    assert reference[0].get_linestyle() == "--"
    assert (ax.get_xlabel(), ax.get_xscale()) == ("p", "log")
    assert ax.get_ylabel() == "error\nmedian and 95 % interval"
    assert ax.yaxis.get_major_formatter()(0.002) == "2 ms"
    wide = figures.curves(results(outcomes), x="dataset.p", metric="error", log_x=False)
    assert wide.get_xscale() == "linear"


def test_the_bars_of_a_curve_are_the_intervals_of_the_tables() -> None:
    outcomes = [*measured(1, [0.1, 0.2, 0.6]), *measured(2, [0.3, 0.3, 0.9])]
    found = Results(outcomes, (MetricInfo("error", "lower"),))
    ax = figures.curves(found, x="p", metric="error")
    bars = ax.containers[0][2][0].get_segments()
    ends = [(row["low"], row["high"]) for row in found.summary]
    np.testing.assert_allclose([bar[:, 1] for bar in bars], ends)
    assert ax.get_ylabel() == "error\nmean and 95 % interval"


def test_a_curve_along_a_parameter_of_the_oracle_or_of_the_algorithm() -> None:
    outcomes = [
        *measured(2, [1.0], "A[k=1]", "o[q=0.1]"),
        *measured(2, [2.0], "A[k=2]", "o[q=0.2]"),
    ]
    for x, label in (("k", "A"), ("algorithm.k", "A")):
        ax = figures.curves(results(outcomes), x=x, metric="error")
        assert ax.containers[0].get_label() == label
        assert len(ax.containers) == 1
    by_oracle = figures.curves(
        results(outcomes), x="q", metric="error", group=("oracle", "dataset")
    )
    assert by_oracle.containers[0].get_label() == "o / d[p=2]"


def test_runs_at_one_point_must_be_distinguished() -> None:
    outcomes = [*measured(2, [1.0], oracle="o"), *measured(2, [2.0], oracle="w")]
    with pytest.raises(HcbenchError, match="two runs have p = 2 on one line"):
        figures.curves(results(outcomes), x="p", metric="error")
    ax = figures.curves(results(outcomes), x="p", metric="error", group=("algorithm", "oracle"))
    assert len(ax.containers) == 2
    ax = figures.curves(
        results(outcomes), x="p", metric="error", where=lambda run: run["oracle"] == "w"
    )
    assert ax.containers[0][0].get_ydata().tolist() == [2.0]


def test_invalid_curves_are_reported() -> None:
    for x, metric in (("k", "error"), ("p", "AARI"), ("budget", "error"), ("checkpoint", "error")):
        with pytest.raises(DataNotAvailableError):
            figures.curves(results(measured(2, [1.0])), x=x, metric=metric)
    with pytest.raises(HcbenchError, match="x is a parameter of algorithm, dataset or oracle"):
        figures.curves(results(measured(2, [1.0])), x="metric.k", metric="error")
    with pytest.raises(HcbenchError, match="the parameter p is ambiguous"):
        figures.curves(results(measured(2, [1.0], "A[p=1]")), x="p", metric="error")


# ---- Dendrograms ---------------------------------------------------------------------------------


def lines_of(ax: Any) -> Any:
    (lines,) = (c for c in ax.collections if type(c) is LineCollection and c.get_zorder() > 0)
    return lines


@given(trees())
def test_leaves_are_side_by_side_and_parents_above_their_children(tree: Tree) -> None:
    along, height = layout(tree.parent, tree.leaf_order, tree.height)
    assert sorted(along[: tree.n]) == list(range(tree.n))
    assert np.isfinite(height).all()
    for node in range(tree.n, tree.n_nodes):
        leaves = along[tree.leaves(node)]
        assert np.ptp(leaves) == leaves.size - 1, "branches never cross"
        children = along[tree.children(node)]
        assert along[node] == (children.min() + children.max()) / 2
    if tree.height is None:
        above = tree.parent[:-1]
        assert (height[above] > height[:-1]).all()
    else:
        finite = np.isfinite(tree.height)
        assert (height[finite] == tree.height[finite]).all()


@pytest.mark.slow
@settings(max_examples=15)
@given(trees())
def test_every_tree_can_be_drawn(tree: Tree) -> None:
    for orientation in ("top", "left"):
        figure, ax = figures.new_figure(3, 2)
        figures.dendrogram(ax, tree, classes=np.arange(tree.n) % 3, orientation=orientation)  # type: ignore[arg-type]
        lines = lines_of(ax)
        assert len(lines.get_segments()) == tree.n_nodes - 1 + tree.n_nodes - tree.n
        figure.draw_without_rendering()


@pytest.mark.parametrize("kind", [HeightKind.DISTANCE, HeightKind.AFFINITY])
def test_the_root_is_on_top_whatever_heights_mean(kind: HeightKind) -> None:
    height = [0, 0, 0, 1, 2] if kind is HeightKind.DISTANCE else [5, 4, 3, 2, 1]
    tree = Tree([3, 3, 4, 4, -1], height, kind, names=["a", "b$", "c"])
    ax = figures.dendrogram(None, tree)
    bottom, top = ax.get_ylim()
    share = [(h - bottom) / (top - bottom) for h in height]
    assert share[4] > share[3] > max(share[:3]) > 0
    assert share[4] < 1
    assert ax.get_ylabel() == kind.value
    assert [text.get_text() for text in ax.get_xticklabels()] == ["c", "a", r"b\$"]


def test_names_and_pure_branches_have_the_colour_of_their_class() -> None:
    tree = Tree([4, 4, 5, 5, 6, 6, -1])
    colours = {"x": "#ff0000", "y": "#00ff00"}
    ax = figures.dendrogram(None, tree, classes=["x", "x", "x", "y"], colours=colours)
    stems = [to_hex(colour) for colour in lines_of(ax).get_colors()]
    red, green = "#ff0000", "#00ff00"
    assert stems == [red, red, red, green, red, MIXED, red, MIXED, MIXED]
    assert [to_hex(text.get_color()) for text in ax.get_xticklabels()] == [red, red, red, green]
    with pytest.raises(DataError, match="3 classes for 4 leaves"):
        figures.dendrogram(None, tree, classes=[0, 1, 2])


@pytest.mark.slow
def test_names_are_written_where_there_is_room() -> None:
    many = Tree.from_levels(np.arange(300)[:, None] // 10)
    assert len(figures.dendrogram(None, many).get_xticklabels()) == 300
    _, small = figures.new_figure(4, 3)
    assert not figures.dendrogram(small, many).get_xticklabels()
    _, forced = figures.new_figure(4, 3)
    assert figures.dendrogram(forced, many, names=True).get_xticklabels()


def test_a_long_chain_needs_no_recursion() -> None:
    n = 20_000
    parent = np.concatenate(([n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]))
    tree = Tree(parent)
    along, height = layout(tree.parent, tree.leaf_order, tree.height)
    assert height[-1] == n - 1
    assert along.size == 2 * n - 1


def test_the_first_colours_are_distinct_and_then_repeat() -> None:
    names = [f"class {i:02}" for i in range(20)]
    found = figures.class_colours(names)
    assert len(set(list(found.values())[:16])) == 16
    assert found["class 16"] == found["class 00"]
    assert figures.class_colours(names[::-1]) == found, "whatever the order of the items is"
