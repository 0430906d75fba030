"""``hcbench plot``: figures of stored runs, and errors."""

from __future__ import annotations

import math
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from matplotlib.collections import LineCollection

from hcbench import Tree
from hcbench.analysis.ranks import ranking
from hcbench.cli import main
from hcbench.cli.plot import KINDS as ON_COMMAND_LINE
from hcbench.errors import HcbenchError
from hcbench.figures import FigureView
from hcbench.figures.dendrograms import dendrogram
from hcbench.figures.draw_charts import draw_ranks
from hcbench.figures.drawing import KINDS, Choices, describe_kinds, draw
from hcbench.figures.palette import looks_of
from hcbench.figures.tree_plots import class_labels, draw_tanglegram
from hcbench.model.cost import Cost
from hcbench.model.problem import Problem
from hcbench.model.trees.layout import layout
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench.results.results import Results
from hcbench.store import Store
from tests.core.planned import planned
from tests.inline import cells_in_this_process

PLUGIN = """
import numpy as np

import hcbench


def points(seed, *, n):
    rng = np.random.default_rng(seed)
    levels = np.repeat(np.arange(2), n // 2)[:, None]
    return hcbench.Problem(n=n, vectors=rng.normal(size=(n, 2)) + levels, levels=levels)


def comb(oracle, items, rng, *, flip):
    n = items.n
    order = range(n)[::-1] if flip else range(n)
    first, *rest = order
    last, merges = first, []
    for k, item in enumerate(rest):
        merges.append([last, item])
        last = n + k
    return merges


def fail(oracle, items, rng):
    raise ValueError("no")


def first(scored):
    return abs(float(scored.problem.vectors[0, 0]))


@hcbench.hookimpl
def hcbench_datasets():
    return [hcbench.DatasetSpec(name="points", function=points, doc="",
        parameters=(hcbench.Parameter("n", 6, "Items."),),
        provides=("vectors", "levels", "truth"))]


@hcbench.hookimpl
def hcbench_algorithms():
    flip = (hcbench.Parameter("flip", False, "Backwards."),)
    return [hcbench.AlgorithmSpec(name="comb", function=comb, doc="", accepts=("vectors",),
                parameters=flip),
            hcbench.AlgorithmSpec(name="fails", function=fail, doc="", accepts=("vectors",))]


@hcbench.hookimpl
def hcbench_metrics():
    return [hcbench.MetricSpec(name="first", function=first, doc="First.", direction="lower")]
"""
AARI = MetricInfo("AARI", "higher")


def call(*args: str, folder: Path, store: str = "s.sqlite") -> Result:
    env = {"HCBENCH_STORE": str(folder / store), "COLUMNS": "200", "HCBENCH_DEBUG": ""}
    return CliRunner(env=env).invoke(main, [*args, "--plugin", str(folder / "mine.py")])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of failures only, followed by a complete one."""
    made = tmp_path_factory.mktemp("plot")
    (made / "mine.py").write_text(PLUGIN)
    metrics = ("--metrics", "first,seconds", "-q", "-j", "1", "-r", "2")
    algos = "comb[flip=[false,true]],fails"
    with cells_in_this_process():
        call("compare", "--algos", "fails", "--datasets", "points", *metrics, folder=made)
        call("compare", "--algos", algos, "--datasets", "points[n=[6,12]]", *metrics, folder=made)
    return made


# ---- The command ---------------------------------------------------------------------------------


def test_the_kinds_on_the_command_line_are_those_that_are_drawn() -> None:
    assert tuple(KINDS) == ON_COMMAND_LINE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "begins"),
    [
        (("ranks", "-o", "a.svg"), b"<?xml"),
        (("profile", "--failed", "drop", "--algo", "comb*", "-o", "a.pdf"), b"%PDF"),
        (("tradeoff", "-o", "a.png"), b"\x89PNG"),
        (("curve", "2", "--x", "dataset.n", "--metric", "FIRST", "-o", "a.PNG"), b"\x89PNG"),
        (("scaling", "-o", "a.svg"), b"<?xml"),
        (("dendrogram", "--algo", "comb", "--dataset", "*12*", "-o", "a.svg"), b"<?xml"),
        (("tanglegram", "--algo", "*true*", "--dataset", "*12*", "-o", "a.svg"), b"<?xml"),
    ],
)
def test_each_kind_is_written_in_the_format_of_its_suffix(
    args: tuple[str, ...], begins: bytes, folder: Path, tmp_path: Path
) -> None:
    *rest, name = args
    done = call("plot", *rest, str(tmp_path / name), folder=folder)
    assert (done.exit_code, done.stdout) == (0, ""), done.stderr
    assert f"{args[0]} is in" in done.stderr
    assert "run 2:" in done.stderr
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.slow
def test_without_a_kind_it_lists_what_can_be_drawn(folder: Path) -> None:
    done = call("plot", folder=folder)
    assert done.exit_code == 0
    assert "(choose the horizontal axis, x: dataset.n or n)" in done.stdout
    assert "--metric  first, seconds\n--x       dataset.n, n\n" in done.stdout
    failed = call("plot", "1", folder=folder)
    assert failed.exit_code == 0
    assert "(there are no two algorithms to compare by first)" in failed.stdout
    assert "(no cell has a result)" in failed.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("ranks", "-o", "a.txt"), "a.txt: the name ends in .svg or .png or .pdf, not in .txt"),
        (("ranks", "-o", "no/such/a.svg"), "cannot write no/such/a.svg: No such file"),
        (("ranks", "--metric", "AARI"), "AARI was not measured; there are first, seconds"),
        (("curve",), "choose the horizontal axis, x: dataset.n or n"),
        (("curve", "--x", "delta"), "delta does not vary in these results; what varies: dataset.n"),
        (("tradeoff", "--against", "queries"), "nothing has both first and queries"),
        (("dendrogram",), "choose a tree by its algorithm, dataset, oracle or budget: comb"),
        (("dendrogram", "--algo", "fails"), "no cell has a result in repetition 0"),
        (("dendrogram", "--repetition", "7"), "no cell has a result in repetition 7"),
        (("ranks", "--budget", "5"), "has no such cells (budget 5); there are None"),
        (("ranks", "--dataset", "nowhere"), "has no such cells (dataset nowhere); there are "),
        (("ranks", "--algo", "comb,Foo"), "has no such cells (algorithm Foo); there are "),
        (("ranks", "1"), "there are no two algorithms to compare by first"),
        (("ranks", "9"), "has no run 9; the last is 2"),
        (("scaling", "1"), "the number of items is the same"),
        (
            ("tanglegram", "--algo", "*true*", "--dataset", "*12*", "--truth", "x"),
            "has no truth 'x'; there are labels",
        ),
        (("pie",), "'pie' is not one of"),
    ],
)
def test_drawing_errors_are_one_line(
    args: tuple[str, ...], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = call("plot", *args, folder=folder)
    assert done.exit_code != 0
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(folder.glob("*.svg"))


def test_an_empty_store_has_nothing_to_draw(folder: Path) -> None:
    done = call("plot", "ranks", folder=folder, store="empty.sqlite")
    assert done.exit_code == 3
    assert "there are no runs" in done.stderr


def test_damaged_results_have_no_size(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "s.sqlite", tmp_path / "s.sqlite")
    shutil.copy(folder / "mine.py", tmp_path / "mine.py")
    with Store(tmp_path / "s.sqlite") as store:
        assert set(store.sizes(2).values()) == {6, 12}
        assert store.sizes(1) == {}
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as connection, connection:
        connection.execute("update points set result = 'x'")
    done = call("plot", "2", folder=tmp_path)
    assert done.exit_code == 0
    assert "--x       dataset.n\n" in done.stdout


@pytest.mark.slow
def test_a_full_label_selects_only_that_tree(folder: Path, tmp_path: Path) -> None:
    """Although it is contained in another label."""
    args = ("plot", "dendrogram", "--algo", "comb", "--dataset", "points[n=12]")
    done = call(*args, "-o", str(tmp_path / "a.svg"), folder=folder)
    assert done.exit_code == 0, done.stderr
    several = call(
        "plot", "dendrogram", "--algo", "com", "--dataset", "points[n=12]", folder=folder
    )
    assert "comb on points[n=12] through vectors; comb[flip=true] on" in several.stderr


# ---- Content of the figures ----------------------------------------------------------------------


def results(table: Any, repetitions: int = 2, **more: Any) -> Results:
    """Algorithms A, B, ... with these values on data sets of one, two, ... hundred items."""
    outcomes, sizes = [], {}
    for d, row in enumerate(table):
        for a, value in enumerate(row):
            for r in range(repetitions):
                values = {"AARI": Value(float(value) + r / 100)}
                sizes[f"{d}"] = 100 * (d + 1)
                outcomes.append(
                    Outcome(
                        key=f"{a}/{d}/{r}",
                        algorithm=f"alg{a}",
                        dataset=f"data[N={d + 1}]",
                        oracle="v",
                        repetition=r,
                        seed=0,
                        cost=Cost(seconds=1e-4 * (d + 1) ** (a + 1), queries=10 * (a + 1)),
                        data_digest=f"{d}",
                        points=(ScoredPoint(queries=10 * (a + 1), values=values),),
                    )
                )
    return Results(outcomes, (AARI,), sizes=sizes, **planned(outcomes), **more)


def view_of(found: Results) -> FigureView:
    return FigureView(found, None, None)  # type: ignore[arg-type]


def texts(figure: Any) -> str:
    import matplotlib.text

    return "\n".join(item.get_text() for item in figure.findobj(matplotlib.text.Text))


def test_the_diagram_has_each_name_with_its_rank_and_the_critical_difference() -> None:
    families = {f"data[N={d}]": f"family {d}" for d in range(1, 10)}
    found = results([[0.1, 0.5, 0.9]] * 9, families=families)
    ranked = ranking(found, "AARI", test="nemenyi")
    figure = draw_ranks(ranked, found)
    said = texts(figure)
    assert "alg2  1.00" in said
    assert "alg1  2.00" in said
    assert "3.00  alg0" in said
    assert "CD = 1.10" in said  # 2.343 sqrt(12 / 54)
    assert "Nemenyi's test" in said
    assert "signed-rank" not in said
    (ax,) = figure.axes
    bars = [line for line in ax.lines if line.get_linewidth() == 3.0]
    assert len(bars) == len(ranked.cliques) == 2  # 1 to 2, and 2 to 3
    assert ranked.worse_than_best == ("alg0",)
    chosen = ranking(found, "AARI")  # as in tables: all differ by signed-rank tests
    agreeing = draw_ranks(chosen, found)
    assert chosen.worse_than_best == ("alg1", "alg0")
    assert not [line for line in agreeing.axes[0].lines if line.get_linewidth() == 3.0]
    assert "CD" not in texts(agreeing)
    assert "Nemenyi" not in texts(agreeing)


def test_curves_have_the_colours_of_their_algorithms_and_bands() -> None:
    found = results([[0.1, 0.5], [0.2, 0.6]])
    figure = draw("curve", view_of(found), Choices(x="dataset.N"))
    (ax,) = figure.axes
    looks = looks_of(found)
    drawn = {line.get_color(): list(line.get_ydata()) for line in ax.lines}  # type: ignore[arg-type]
    assert drawn[looks["alg0"].colour] == pytest.approx([0.105, 0.205])
    assert len(ax.collections) == 2  # a band each
    assert "95 % interval" in texts(figure)


def test_scaling_writes_the_exponents() -> None:
    found = results([[0.1, 0.5]] * 4)
    figure = draw("scaling", view_of(found))
    assert "alg0: 1.00 [1.00, 1.00]" in texts(figure)
    assert "alg1: 2.00 [2.00, 2.00]" in texts(figure)
    assert figure.axes[0].get_xscale() == figure.axes[0].get_yscale() == "log"


def test_the_front_is_marked() -> None:
    found = results([[0.5, 0.4, 0.9]])
    figure = draw("tradeoff", view_of(found))
    points = [line for line in figure.axes[0].lines if line.get_marker() not in ("None", "")]
    ringed = {
        float(x)
        for p in points
        if p.get_markeredgecolor() == "black" and p.get_color() != "black"
        for x in p.get_xdata()  # type: ignore[union-attr]
    }
    assert ringed == {10.0, 30.0}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ranks", "profile", "tradeoff", "curve", "scaling"])
def test_one_repetition_nan_and_infinite_values_are_drawn(kind: str, tmp_path: Path) -> None:
    table = [[0.1, math.nan, 0.3], [math.inf, 0.2, 0.1], [0.2, 0.3, -math.inf], [0.1, 0.2, 0.3]]
    found = results(table, repetitions=1)
    figure = draw(kind, view_of(found), Choices(x="n" if kind in ("curve", "scaling") else ""))
    figure.savefig(tmp_path / "a.png")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ranks", "scaling"])
def test_fifty_algorithms_on_fifty_data_sets(kind: str, tmp_path: Path) -> None:
    table = np.random.default_rng(0).normal(size=(50, 50))
    found = results(table, repetitions=1)
    figure = draw(kind, view_of(found), Choices(x="n" if kind == "scaling" else ""))
    figure.savefig(tmp_path / "a.png")
    assert all(f"alg{a}" in texts(figure) for a in range(50))


def test_too_few_algorithms_are_reported() -> None:
    alone = describe_kinds(results([[0.1]] * 3), Choices(x="n"))
    assert "no two algorithms" in alone["ranks"]
    assert (alone["curve"], alone["scaling"], alone["tradeoff"]) == ("", "", "")
    nothing = describe_kinds(Results([], (), sizes={}))
    assert all(nothing.values())
    with pytest.raises(HcbenchError, match="no figure 'pie'; there are ranks"):
        draw("pie", view_of(results([[0.1]])))


# ---- Trees ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_tanglegram_joins_each_item_to_itself(folder: Path) -> None:
    with Store(folder / "s.sqlite") as store:
        from hcbench.commands import read_run
        from hcbench.registry import load_registry

        info = store.run(2)
        found = read_run(store, info, algorithms=["*true*"], datasets=["*12*"])
        view = FigureView(found, store, load_registry([folder / "mine.py"]))
        figure = draw_tanglegram(view)
        tree = view.tree(found.algorithms[0], found.datasets[0], 0)
    left, middle, right = figure.axes
    (lines,) = [c for c in middle.collections if isinstance(c, LineCollection)]
    names = [[int(t.get_text()) for t in ax.get_yticklabels()] for ax in (left, right)]
    assert len(lines.get_segments()) == tree.n == 12
    for item, ((_, a), (_, b)) in enumerate(lines.get_segments()):
        assert (names[0][int(a)], names[1][int(b)]) == (item, item)
    assert left.get_xlim()[0] > left.get_xlim()[1]  # its root is on the left, the other's right
    assert right.get_xlim()[0] < right.get_xlim()[1]


def test_an_order_moves_the_leaves_and_their_names() -> None:
    tree = Tree.from_parents([4, 4, 5, 5, 6, 6, -1])
    order = np.array([3, 2, 0, 1])
    along, _ = layout(tree.parent, order, tree.height)
    assert along.tolist() == [2.0, 3.0, 1.0, 0.0, 2.5, 0.5, 1.5]
    ax = dendrogram(None, tree, order=order, names=True)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["3", "2", "0", "1"]


def test_classes_are_of_the_finest_level_with_enough_colours() -> None:
    levels = np.column_stack((np.arange(40) // 20, np.arange(40) // 5 % 4, np.arange(40)))
    labels, _ = class_labels(Problem(n=40, levels=levels))
    assert labels is not None
    assert len(set(labels)) == 8
    fine, _ = class_labels(Problem(n=40, levels=np.arange(40)[:, None]))
    assert len(set(fine or [])) == 40  # there is no coarser one
    assert class_labels(Problem(n=3, vectors=np.eye(3))) == (None, "")


def test_classes_have_their_names_and_a_truth_without_classes_its_own_clades() -> None:
    words = np.array([["rec", "car"], ["rec", "ball"], ["sci", "space"]])
    assert class_labels(Problem(n=3, levels=words)) == (["car", "ball", "space"], "")
    truth = Tree.from_newick("((a,b),(c,(d,e)));")
    problem = Problem(n=5, names=truth.names, truths={"newick": truth})
    clades = ["clade 2", "clade 2", "clade 1", "clade 1", "clade 1"]  # as they are drawn
    assert class_labels(problem) == (clades, "a cut through the true tree into 2 clades")
    wide = Tree.from_levels(np.arange(30)[:, None] // 3)
    labels, what = class_labels(Problem(n=30, truths={"newick": wide}))
    assert labels is not None
    assert what == "a cut through the true tree into 10 clades"
    assert [len({labels[i] for i in range(3 * k, 3 * k + 3)}) for k in range(10)] == [1] * 10
    assert labels[int(wide.leaf_order[0])] == "clade 1"


def test_data_that_cannot_be_generated_again_leave_a_tree_without_colours(folder: Path) -> None:
    with Store(folder / "s.sqlite") as store:
        from hcbench.commands import read_run
        from hcbench.registry import load_registry

        found = read_run(store, store.run(2), algorithms=["*true*"], datasets=["*12*"])
        view = FigureView(replace(found), store, load_registry([]))
        figure = draw("dendrogram", view)
        with pytest.raises(HcbenchError, match="cannot be generated again"):
            draw("tanglegram", view)
    assert "without names and colours" in texts(figure)
