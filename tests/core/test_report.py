"""The report: its content, and that no name can break out of its page."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from hcbench import Tree
from hcbench.cli import main
from hcbench.errors import StoreError
from hcbench.model.trees.facing import facing_orders
from hcbench.registry.claims import Claim
from hcbench.registry.suite import Suite
from hcbench.show.report import gather_contents, read_contents
from hcbench.show.report.axes import describe_axes
from hcbench.show.report.forest import MOST_LEAVES
from hcbench.show.report.page import json_block, render_report
from hcbench.store import Store
from tests.core.stored_runs import HOSTILE, keep_run, outcome
from tests.core.trees import trees


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.sqlite") as opened:
        yield opened


class Page(HTMLParser):
    """The elements of a page; an error if one is not closed."""

    VOID = frozenset({"meta", "link", "input", "br", "img"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = dict(attrs)
        self.tags.append((tag, about))
        if about.get("id"):
            assert about["id"] not in self.ids, f"two elements have the id {about['id']}"
            self.ids[str(about["id"])] = ""
        if tag == "script":
            self.scripts.append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif self.open and self.open[-1] != "style":
            self.text += data

    @property
    def data(self) -> Any:
        """The data of a report."""
        (place,) = [
            i
            for i, (_, about) in enumerate(t for t in self.tags if t[0] == "script")
            if about.get("id") == "data"
        ]
        return json.loads(self.scripts[place])


def page_of(store: Store, run: int) -> Page:
    return Page(render_report(read_contents(store, store.run(run))))


def a_value(x: float) -> dict[str, float | None]:
    return {"AARI": x, "queries": 100 * x, "seconds": x / 10}


# ---- Content -------------------------------------------------------------------------------------


def test_a_page_is_whole_html_and_needs_no_other_file(store: Store) -> None:
    cells = [outcome(a, d, r, values=a_value(0.5)) for a in "AB" for d in "xy" for r in range(2)]
    page = page_of(store, keep_run(store, cells))
    for tag, about in page.tags:
        assert tag != "link" or str(about["href"]).startswith("data:")
        assert not (tag == "script" and about.get("src"))
        assert tag not in ("img", "iframe")
    assert sum("plotly.js v" in script for script in page.scripts) == 1


def test_all_sections_can_be_reached_and_have_a_heading(store: Store) -> None:
    page = page_of(store, keep_run(store, [outcome("A", "x", values=a_value(0.5))]))
    targets = {str(about.get("href"))[1:] for tag, about in page.tags if tag == "a"}
    sections = {about["id"]: about for tag, about in page.tags if tag == "section"}
    assert set(sections) <= targets
    for about in sections.values():
        assert about["aria-labelledby"] in page.ids


def test_means_and_spread_by_hand(store: Store) -> None:
    cells = [outcome("A", "x", r, values=a_value(x)) for r, x in enumerate((0.2, 0.4))]
    groups = page_of(store, keep_run(store, cells)).data["groups"]
    assert groups["mean"][0] == [pytest.approx(0.3)]
    assert groups["std"][0] == [pytest.approx(math.sqrt(0.02))]
    assert groups["n"][0] == [2]
    assert groups["ok"] == [2]


def test_every_repetition_is_there_with_seed_key_and_reason(store: Store) -> None:
    cells = [
        outcome("A", "x", 0, values=a_value(0.25), seed=2**70),
        outcome("A", "x", 1, status="timeout", reason="after 3 s", key="cafe" * 8),
    ]
    data = page_of(store, keep_run(store, cells)).data
    said = [data["texts"][i] for i in data["cells"]["reason"]]
    assert said == ["", "after 3 s"]
    assert [data["texts"][i] for i in data["cells"]["status"]] == ["ok", "timeout"]
    assert data["texts"][data["cells"]["seed"][0]] == str(2**70)
    assert data["cells"]["key"][1] == "cafecafe"
    assert data["cells"]["values"][0] == [0.25, None]


def test_the_best_is_marked_only_if_it_is_better_than_another(store: Store) -> None:
    cells = [
        outcome("A", "x", values=a_value(0.5)),
        outcome("B", "x", values=a_value(0.25)),
        outcome("A", "y", values=a_value(0.5)),
        outcome("B", "y", values=a_value(0.5)),
    ]
    data = page_of(store, keep_run(store, cells)).data
    groups, labels = data["groups"], data["labels"]
    best = [
        (labels["algorithm"][groups["algorithm"][i]], labels["dataset"][groups["dataset"][i]])
        for i in groups["best"][0]
    ]
    assert best == [("A", "x")]


def test_nan_and_infinity_are_written_so_that_the_page_can_read_them(store: Store) -> None:
    cells = [
        outcome("A", "x", values={"AARI": math.nan, "queries": math.inf, "seconds": -math.inf})
    ]
    data = page_of(store, keep_run(store, cells)).data
    assert [column[0] for column in data["groups"]["mean"]] == ["NaN", "Infinity", "-Infinity"]
    assert [column[0] for column in data["cells"]["values"]] == ["NaN", "Infinity", "-Infinity"]


def test_verdicts_are_counted_and_shown(store: Store) -> None:
    claims = (
        Claim(claim="Half", algorithm="A", dataset="x", metric="AARI", paper="0.50"),
        Claim(claim="More", algorithm="A", dataset="x", metric="AARI", paper="0.90"),
    )
    cells = [outcome("A", "x", r, values=a_value(0.5)) for r in range(2)]
    page = page_of(store, keep_run(store, cells, suite=Suite(name="s", claims=claims)))
    assert [claim["verdict"] for claim in page.data["claims"]] == ["reproduced", "differs"]
    assert "1 reproduced" in page.text
    assert "1 differs" in page.text


def test_failures_are_shown_by_reason_with_a_command_to_rerun_one(store: Store) -> None:
    bad: dict[str, Any] = {"status": "error", "reason": "ValueError: no", "phase": "algorithm"}
    cells = [
        outcome("A", d, r, **bad, key=f"{r}{d}".encode().hex() * 8, traceback="Traceback: here")
        for d in "xy"
        for r in range(3)
    ]
    page = page_of(store, keep_run(store, cells))
    assert "6 cells of 1 algorithm on 2 data sets, in phase algorithm" in " ".join(
        page.text.split()
    )
    assert "ValueError: no" in page.text
    assert "Traceback: here" in page.text
    assert "hcbench rerun 30783078 --in-process --pdb" in page.text


def test_provenance_names_command_machine_and_versions(store: Store) -> None:
    run = keep_run(
        store, [outcome("A", "x", values=a_value(1))], command="hcbench compare --x '<a&b>'"
    )
    text = " ".join(page_of(store, run).text.split())
    for told in ("hcbench compare --x '<a&b>'", "Abacus <1>", "1.0 GiB", "3.11.7", "f00"):
        assert told in text


# ---- Special input -------------------------------------------------------------------------------


def test_names_with_html_stay_text(store: Store) -> None:
    suite = Suite(name=HOSTILE, doc=HOSTILE)
    cells = [
        outcome(HOSTILE, HOSTILE, values=a_value(0.5), oracle=HOSTILE, notes=(HOSTILE,)),
        outcome(f"B{HOSTILE}", HOSTILE, status="error", reason=HOSTILE, traceback=HOSTILE),
    ]
    page = page_of(store, keep_run(store, cells, suite=suite, command=HOSTILE))
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert len(page.scripts) == 4  # theme, data, plotly, ours
    assert page.data["labels"]["algorithm"][0] == HOSTILE
    assert HOSTILE in page.text


@given(st.text() | st.sampled_from(["</script>", "<!--", "<script", "]]>", "\u2028"]))
def test_no_text_can_end_the_data_of_a_page(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    block = json_block([text, {text: text}])
    assert not set("<>&\u2028\u2029") & set(block)
    assert json.loads(block) == [text, {text: text}]


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [outcome("A", "x", r, status="crash", reason="signal 9") for r in range(2)],
        [outcome("A", "x", status="skipped", reason="cannot be", key="", oracle="")],
        [outcome("A", "x", values=a_value(0.5))],
        [outcome("A", d, values={"AARI": None, "queries": None, "seconds": 1.0}) for d in "xy"],
        [outcome(a, "x", r, values=a_value(0.5)) for a in "AB" for r in range(3)],
    ],
    ids=["nothing", "failures", "skipped", "one cell", "not applicable", "one data set"],
)
def test_every_run_has_a_report(store: Store, cells: list[Any]) -> None:
    page = page_of(store, keep_run(store, cells))
    assert page.data["ranks"]["views"] or page.data["ranks"]["reason"]
    assert page.data["growth"]["views"] or page.data["growth"]["reason"]
    assert len(page.data["cells"]["group"]) == len(cells)


def test_fifty_algorithms_on_fifty_data_sets(store: Store) -> None:
    rng = np.random.default_rng(0)
    cells = [
        outcome(f"algorithm {a}", f"data[n={d}]", values=a_value(float(rng.uniform())))
        for a in range(50)
        for d in range(50)
    ]
    data = page_of(store, keep_run(store, cells)).data
    assert len(data["groups"]["mean"][0]) == 2500
    (ranking,) = data["ranks"]["views"]
    assert (len(ranking["competitors"]), len(ranking["pairs"])) == (50, 1225)


# ---- Axes ----------------------------------------------------------------------------------------


def test_axes_are_parameters_that_distinguish_labels(store: Store) -> None:
    datasets = ["p[d=1,q=1]", "p[d=2,q=1]", "p[d=1,q=5]", "other[d=9]"]
    parameters = {"algorithms": {"A": {"k": 1}, "B": {"k": 2}}}
    cells = [outcome(a, d, values=a_value(1)) for a in "AB" for d in datasets]
    run = store.run(keep_run(store, cells, parameters=parameters))
    axes = {axis["id"]: axis for axis in describe_axes(read_contents(store, run).results)}
    assert set(axes) == {"dataset.d", "dataset.q"}  # k differs with the name
    d = axes["dataset.d"]
    assert d["rests"] == ["p[q=1]", "p[q=5]", "other"]
    assert d["places"] == [[1, 0], [2, 0], [1, 1], [9, 2]]
    assert axes["dataset.q"]["places"][3] is None


# ---- Trees ---------------------------------------------------------------------------------------


@given(trees(max_leaves=9), trees(min_leaves=9, max_leaves=9))
def test_facing_orders_are_orders_in_which_the_trees_can_be_drawn(a: Tree, b: Tree) -> None:
    b = b.restrict(np.arange(a.n))
    for tree, order in zip((a, b), facing_orders(a, b), strict=True):
        assert sorted(order.tolist()) == list(range(tree.n))
        place = np.argsort(order)
        for node in range(tree.n_nodes):
            at = np.sort(place[tree.leaves(node)])
            assert (np.diff(at) == 1).all()


def test_a_tree_that_refines_the_other_is_drawn_without_a_crossing() -> None:
    fine = Tree([4, 4, 5, 5, 6, 6, -1])
    coarse = Tree([4, 4, 5, 5, 6, 6, -1]).relabel([3, 2, 1, 0])
    x, y = facing_orders(fine, coarse)
    assert x.tolist() == y.tolist()


@pytest.mark.usefixtures("in_process")
def test_trees_are_shown_with_the_truth_of_their_data(tmp_path: Path) -> None:
    env = {"HCBENCH_STORE": str(tmp_path / "s.sqlite"), "COLUMNS": "100", "HCBENCH_DEBUG": ""}
    asked = ["compare", "--algos", "UPGMA,Random", "--datasets", "planted[N0=3]", "-r", "1", "-j1"]
    assert CliRunner(env=env).invoke(main, [*asked, "-q", "--metrics", "AARI"]).exit_code == 0
    with Store(tmp_path / "s.sqlite") as store:
        forest = gather_contents(store, store.run(1)).data["forest"]
        assert gather_contents(store, store.run(1), trees=1).data["forest"]["leftOut"] == [
            "1 of 2 trees are not shown; --trees 2 shows all"
        ]
    (data,) = forest["datasets"].values()
    assert data["n"] == 24
    assert [len(set(level)) for level in data["levels"]] == [2, 4, 8]
    upgma, random = forest["trees"]
    for tree in (upgma, random):
        m = len(tree["tree"]["parent"])
        parent = [i + step if step > 0 else -1 for i, step in enumerate(tree["tree"]["parent"])]
        Tree(parent)  # a valid tree
        assert parent[m - 1] == -1
        assert sorted(tree["order"]) == list(range(24))
        assert (min(tree["tree"]["height"]), max(tree["tree"]["height"])) == (0, 1)


def test_a_large_tree_is_drawn_with_some_of_its_leaves(store: Store) -> None:
    n = MOST_LEAVES + 10
    comb = Tree([n, n, *range(n + 1, 2 * n - 1), *range(n + 1, 2 * n - 1), -1])
    run = keep_run(store, [outcome("A", "x", values=a_value(1), result=comb)])
    forest = gather_contents(store, store.run(run)).data["forest"]
    (tree,) = forest["trees"]
    assert len(tree["order"]) == MOST_LEAVES
    (data,) = forest["datasets"].values()
    assert "cannot be generated again" in data["reason"]


# ---- Finding a run, and the command --------------------------------------------------------------


def test_runs_are_found_by_number_suite_or_as_the_last(store: Store) -> None:
    with pytest.raises(StoreError, match="no runs"):
        store.run()
    for name in ("one", "two", "one", "three"):
        keep_run(store, [outcome("A", "x", values=a_value(1))], suite=Suite(name=name))
    assert store.run().id == 4
    assert store.run("2").id == 2
    assert store.run("ONE").id == 3
    with pytest.raises(StoreError, match="no run of a suite 'four'; there are runs of one, two"):
        store.run("four")
    with pytest.raises(StoreError, match="no run 9"):
        store.run(9)


def invoke(*args: str, store: Path) -> Any:
    env = {"HCBENCH_STORE": str(store), "COLUMNS": "100", "HCBENCH_DEBUG": ""}
    return CliRunner(env=env).invoke(main, list(args))


def test_the_command_writes_one_file(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        keep_run(store, [outcome("A", "x", values=a_value(1))])
    out = tmp_path / "new" / "r.html"
    done = invoke("report", "-o", str(out), store=tmp_path / "s.sqlite")
    assert done.exit_code == 0
    assert re.fullmatch(r"hcbench: run 1 is in .*r\.html, \d\.\d MiB\n", done.stderr)
    assert [path.name for path in out.parent.iterdir()] == ["r.html"]
    Page(out.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("report", "9"), 3, "has no run 9"),
        (("report", "nothing"), 3, "no run of a suite 'nothing'"),
        (("report", "-o", "/dev/null/x.html"), 2, "cannot write /dev/null/x.html"),
    ],
)
def test_errors_are_reported_in_one_line(
    args: tuple[str, ...], code: int, message: str, tmp_path: Path
) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        keep_run(store, [outcome("A", "x", values=a_value(1))])
    done = invoke(*args, store=tmp_path / "s.sqlite")
    assert (done.exit_code, done.stderr.count("\n")) == (code, 1)
    assert message in done.stderr


def test_an_empty_store_has_no_report(tmp_path: Path) -> None:
    done = invoke("report", store=tmp_path / "none.sqlite")
    assert done.exit_code == 3
    assert "there are no runs" in done.stderr
