"""The report: its content, and that no name can break out of its page."""

from __future__ import annotations

import json
import math
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from hcbench import Tree
from hcbench.analysis.tradeoffs import tradeoff
from hcbench.cli import main
from hcbench.errors import StoreError
from hcbench.model.trees import facing_orders
from hcbench.pages.report import make_report, read_contents
from hcbench.pages.report.charts import shortened
from hcbench.pages.report.figures import legend_entry, make_legend, make_panels
from hcbench.pages.report.page import json_block, render_report
from hcbench.pages.report.sections import describe_page
from hcbench.pages.report.tree_data import MOST_LEAVES
from hcbench.plan.presentation import MetricInfo
from hcbench.registry.suite import Claim, Suite
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
        if tag == "script" and self.tags[-1][1].get("type") == "application/zlib":
            self.scripts[-1] = zlib.decompress(b64decode(self.scripts[-1])).decode()

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
    contents = read_contents(store, store.run(run))
    return Page(render_report(contents, describe_page(contents)))


def column_of(table: dict[str, Any], label: str) -> list[Any]:
    """The cells of a column."""
    (place,) = [i for i, column in enumerate(table["columns"]) if column["label"] == label]
    return [row[place] for row in table["rows"]]


def check_figures(page: Page) -> int:
    """Let plotly check each figure at each width; return their number."""
    for figure in page.data["figures"].values():
        # Before plotly 7, its script knows #rrggbbaa, but not its package.
        opaque = re.sub(r'(#[0-9A-Fa-f]{6})[0-9A-Fa-f]{2}"', r'\1"', json.dumps(figure["data"]))
        traces = go.Figure(json.loads(opaque))
        for _, layout in figure["layouts"]:
            traces.update_layout(layout)
    return len(page.data["figures"])


def a_value(x: float) -> dict[str, float | None]:
    return {"AARI": x, "queries": 100 * x, "seconds": x / 10}


def test_long_titles_of_axes_lose_their_parameters() -> None:
    assert shortened("triplet-agreement[count=resolved-in-truth] ↑") == "triplet-agreement[…] ↑"
    assert shortened("peak-memory [MB] ↓") == "peak-memory [MB] ↓"


# ---- Content -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_page_is_whole_html_and_needs_no_other_file(store: Store) -> None:
    cells = [outcome(a, d, r, values=a_value(0.5)) for a in "AB" for d in "xy" for r in range(2)]
    page = page_of(store, keep_run(store, cells))
    for tag, about in page.tags:
        assert tag != "link" or str(about["href"]).startswith("data:")
        assert not (tag == "script" and about.get("src"))
        assert tag not in ("img", "iframe")
    assert sum("plotly.js v" in script for script in page.scripts) == 1
    assert check_figures(page) == 4  # quality against queries and time, curves, ranks


def test_a_page_may_not_load_anything_from_a_network(store: Store) -> None:
    page = page_of(store, keep_run(store, [outcome("A", "x", values=a_value(0.5))]))
    (policy,) = [a["content"] for _, a in page.tags if "Security-Policy" in a.get("http-equiv", "")]
    rules = dict(rule.split(" ", 1) for rule in str(policy).split("; "))
    assert rules.pop("default-src") == "'none'"
    assert not [source for sources in rules.values() for source in sources.split() if "/" in source]
    assert "*" not in str(policy)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "drawn"), [(7, 7), (12, 10)])
def test_data_sets_without_a_figure_of_quality_and_cost_are_counted(
    store: Store, count: int, drawn: int
) -> None:
    # A hundred algorithms on each data set, and at most a thousand points.
    names = [f"A{i}" for i in range(100)]
    cells = [outcome(a, f"d{k}", values=a_value(0.5)) for k in range(count) for a in names]
    figures = page_of(store, keep_run(store, cells)).data["figures"]
    captions = [f["caption"] for name, f in figures.items() if name.startswith("AARI against que")]
    assert len(captions) == drawn
    note = f"Only the first {drawn} of {count} data sets have a figure."
    assert [note in caption for caption in captions] == [drawn < count] * drawn


def test_all_sections_can_be_reached_and_have_a_heading(store: Store) -> None:
    page = page_of(store, keep_run(store, [outcome("A", "x", values=a_value(0.5))]))
    targets = {str(about.get("href"))[1:] for tag, about in page.tags if tag == "a"}
    sections = {about["id"]: about for tag, about in page.tags if tag == "section"}
    assert set(sections) <= targets
    for about in sections.values():
        assert about["aria-labelledby"] in page.ids


def test_means_and_spread_by_hand(store: Store) -> None:
    cells = [outcome("A", "x", r, values=a_value(x)) for r, x in enumerate((0.2, 0.4))]
    table = page_of(store, keep_run(store, cells)).data["tables"]["means"]
    assert column_of(table, "AARI ↑") == [["0.300 ± 0.141", 0.3]]
    assert column_of(table, "AARI std") == [pytest.approx(math.sqrt(0.02))]
    assert column_of(table, "AARI n") == [2]
    assert column_of(table, "done") == [["2 of 2", 1.0]]


def test_every_repetition_is_there_with_seed_key_and_reason(store: Store) -> None:
    cells = [
        outcome("A", "x", 0, values=a_value(0.25), seed=2**70),
        outcome("A", "x", 1, status="timeout", reason="after 3 s", key="cafe" * 8),
    ]
    table = page_of(store, keep_run(store, cells)).data["tables"]["cells"]
    failed = ["timeout", "timeout", {"badge": "bad", "note": "after 3 s"}]
    assert column_of(table, "status") == ["ok", failed]
    assert column_of(table, "seed")[0] == str(2**70)
    assert column_of(table, "cell")[1] == "cafecafe"
    assert column_of(table, "AARI ↑") == [["0.250", 0.25], None]


def test_of_very_many_repetitions_the_first_and_the_failures_are_there(
    store: Store,
) -> None:
    cells = [outcome(name, "x", r, values=a_value(0.25)) for name in "AB" for r in range(5)]
    cells[4] = outcome("A", "x", 4, status="timeout", reason="after 3 s")
    contents = read_contents(store, store.run(keep_run(store, cells)))
    data = describe_page(contents, most_rows=6)
    assert column_of(data["tables"]["cells"], "repetition") == [0, 1, 2, 4, 0, 1, 2]
    [(_, [note, _])] = [view for view in data["sections"]["rows"]["views"] if len(view[1]) == 2]
    assert "3 more are in the store" in note["lines"][0]


def test_the_leaderboard_has_a_column_for_each_data_set(store: Store) -> None:
    cells = [
        outcome("A", "x", values=a_value(0.5)),
        outcome("B", "x", values=a_value(0.25)),
        outcome("A", "y", values=a_value(0.5)),
        outcome("B", "y", values=a_value(0.75)),
    ]
    table = page_of(store, keep_run(store, cells)).data["tables"]["leaderboard AARI"]
    assert column_of(table, "algorithm") == ["A", "B"]
    assert column_of(table, "mean rank") == [["1.50", 1.5]] * 2
    first, second = column_of(table, "x")
    assert first == ["0.500", 0.5, {"heat": 0.5, "best": True}]
    assert second == ["0.250", 0.25, {"heat": 0.25}]
    assert [cell[2].get("best", False) for cell in column_of(table, "y")] == [False, True]


@pytest.mark.slow
def test_the_metric_that_a_suite_names_first_leads(store: Store) -> None:
    cells = [outcome("A", name, values=a_value(0.5)) for name in "xy"]
    for first, order in (("seconds", ["seconds", "AARI", "queries"]), ("AARI", None)):
        run = keep_run(store, cells, suite=Suite(name="costs", metrics=(first, "AARI")))
        views = page_of(store, run).data["sections"]["leaderboard"]["views"]
        shown = list(dict.fromkeys(keys[0] for keys, _ in views))
        assert shown == (order or ["AARI", "queries", "seconds"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counted", "order"), [(2, ["queries", "seconds"]), (1, ["seconds", "queries"])]
)
def test_costs_that_fewer_than_half_of_the_algorithms_have_are_last(
    store: Store, counted: int, order: list[str]
) -> None:
    cells = [
        outcome(name, dataset, values=a_value(0.5) | ({} if place < counted else {"queries": None}))
        for place, name in enumerate("ABCD")
        for dataset in "xy"
    ]
    views = page_of(store, keep_run(store, cells)).data["sections"]["leaderboard"]["views"]
    assert list(dict.fromkeys(keys[0] for keys, _ in views)) == ["AARI", *order]


def test_on_one_data_set_the_leaderboard_has_a_column_for_each_metric(store: Store) -> None:
    cells = [outcome(a, "x", values=a_value(v)) for a, v in (("A", 0.5), ("B", 1.0), ("C", 0.25))]
    data = page_of(store, keep_run(store, cells)).data
    table = data["tables"]["leaderboard"]
    labels = [column["label"] for column in table["columns"]]
    assert labels == ["algorithm", "AARI ↑", "queries ↓", "seconds ↓"]
    # Of costs the shade is the logarithm of the ratio to the best: 25, 50 and 100 queries.
    assert [cell[2]["heat"] for cell in column_of(table, "queries ↓")] == [0.5, 0.0, 1.0]


def test_nearly_equal_costs_have_nearly_equal_shades(store: Store) -> None:
    cells = [
        outcome(a, "x", values={"AARI": 0.5, "queries": q}) for a, q in (("A", 100), ("B", 101))
    ]
    table = page_of(store, keep_run(store, cells)).data["tables"]["leaderboard"]
    assert [cell[2]["heat"] for cell in column_of(table, "queries ↓")] == [1.0, 0.99]


def test_variants_of_an_algorithm_are_one_family_with_the_range_of_their_values(
    store: Store,
) -> None:
    names = [f"A[k={k}]" for k in range(4)]
    cells = [outcome(a, "x", values=a_value(0.2 * i)) for i, a in enumerate(names)]
    cells.append(outcome("B", "x", values=a_value(1.0)))
    run = keep_run(store, cells)
    table = page_of(store, run).data["tables"]["leaderboard"]
    assert table["kinds"] == ["family", *["variant"] * 4, ""]
    assert column_of(table, "algorithm") == ["A (4 variants)", *names, "B"]
    assert column_of(table, "AARI ↑")[0] == ["0.000 to 0.600", 0]


def test_references_are_last_and_not_ranked(store: Store) -> None:
    cells = [
        outcome(a, d, values=a_value(v))
        for a, v in (("Truth", 1.0), ("A", 0.5), ("B", 0.25))
        for d in "xy"
    ]
    run = keep_run(store, cells, references=("Truth",))
    table = page_of(store, run).data["tables"]["leaderboard AARI"]
    assert table["kinds"] == ["", "", "reference"]
    assert column_of(table, "algorithm") == ["A", "B", "Truth"]
    assert column_of(table, "mean rank") == [["1.00", 1], ["2.00", 2], None]


def test_average_ranks_by_all_metrics_are_side_by_side(store: Store) -> None:
    # By AARI A is 1st, 2nd and 1st; by the other metric B is always better.
    quality = {("A", "x"): 0.9, ("A", "y"): 0.2, ("A", "z"): 0.9}
    cells = []
    for dataset in "xyz":
        for algorithm in "AB":
            values = {"AARI": quality.get((algorithm, dataset), 0.5), "kendall-tau-b": 0.5}
            if algorithm == "B":
                values["kendall-tau-b"] = 0.75
            cells.append(outcome(algorithm, dataset, values=values))
    cells.append(outcome("Truth", "x", values={"AARI": 1.0}))
    metrics = [MetricInfo(label=label, key=label) for label in ("AARI", "kendall-tau-b")]
    run = keep_run(store, cells, metrics=metrics, references=("Truth",))
    data = page_of(store, run).data
    table = data["tables"]["average ranks"]
    assert [column["label"] for column in table["columns"]] == ["algorithm", *metrics_of(table)]
    assert metrics_of(table) == ["AARI", "kendall-tau-b"]
    assert column_of(table, "algorithm") == ["A", "B", "Truth"]
    shown = [cell and cell[:2] for cell in column_of(table, "AARI")]
    assert shown == [["1.33", 1.333333], ["1.67", 1.666667], ["", None]]
    assert [cell[0] for cell in column_of(table, "kendall-tau-b")] == ["2.00", "1.00", ""]
    assert data["sections"]["leaderboard"]["views"][-1][0][0] == "average ranks by all metrics"


def metrics_of(table: dict[str, Any]) -> list[str]:
    return [column["label"] for column in table["columns"] if column.get("best")]


def test_a_leaderboard_has_families_of_data_sets_and_tags_of_algorithms(store: Store) -> None:
    cells = [
        outcome(a, d, values=a_value(0.5)) for a in ("A", "B") for d in ("x[n=1]", "x[n=2]", "y")
    ]
    run = keep_run(store, cells, tags={"A": ("linkage", "fast")})
    table = page_of(store, run).data["tables"]["leaderboard AARI"]
    families = [column.get("family") for column in table["columns"]]
    assert [family for family in families if family] == ["x", "x", "y"]
    assert column_of(table, "tag") == [
        ["linkage, fast", None, {"parts": ["linkage", "fast"]}],
        ["", None, {"parts": []}],
    ]
    (tag,) = [column for column in table["columns"] if column["label"] == "tag"]
    assert tag["hidden"]


def test_nan_and_infinity_are_written_so_that_the_page_can_read_them(store: Store) -> None:
    cells = [
        outcome("A", "x", values={"AARI": math.nan, "queries": math.inf, "seconds": -math.inf})
    ]
    table = page_of(store, keep_run(store, cells)).data["tables"]["cells"]
    assert table["rows"][0][-3:] == [["nan", None], ["inf", None], ["-inf", None]]


def test_figures_show_the_intervals_and_fronts_of_the_views(store: Store) -> None:
    cells = [
        outcome(a, "x", r, values=a_value(v + 0.1 * r))
        for a, v in (("A", 0.3), ("B", 0.6))
        for r in range(5)
    ]
    contents = read_contents(store, store.run(keep_run(store, cells)))
    view = tradeoff(contents.results, "AARI", "queries")
    figure = describe_page(contents)["figures"]["AARI against queries"]
    (panel,) = view.panels
    drawn = {trace["name"]: trace for trace in figure["data"] if "name" in trace}
    for point in panel.points:
        trace = drawn[point.name]
        assert list(trace["y"]) == [point.y.mean]
        assert point.y.mean + trace["error_y"]["array"][0] == pytest.approx(point.y.high)
        assert point.y.mean - trace["error_y"]["arrayminus"][0] == pytest.approx(point.y.low)
    front = next(trace for trace in figure["data"] if trace.get("hoverinfo") == "skip")
    (expected,) = panel.fronts
    assert list(front["x"]) == [panel.points[i].x.mean for i in expected]


def test_room_is_kept_for_as_many_rows_as_a_legend_has() -> None:
    short, long = "UPGMA", "sk-bisecting-kmeans[n_clusters=50]"  # 95 and 298 pixels with symbols
    heights = [
        make_legend(names, 480)[1] for names in ([short] * 4, [short] * 5, [short, long] * 2)
    ]
    assert heights == [35, 56, 56], "rows of 21 pixels: one, two and two"
    long = f"Name, oracle {'x' * 50}"
    assert make_legend([short, long], 480)[1] == 71, "a row, and one of two lines"
    assert legend_entry(long) == f"Name, oracle<br>{'x' * 50}"
    assert make_legend([short], 480) == ({}, 0), "one line needs no legend"


def test_titles_of_panels_that_differ_at_their_end_can_be_told_apart() -> None:
    titles = [f"planted[N0=8,sigma={sigma},delta=0.15]" for sigma in (0.05, 0.2)]
    for layout in make_panels(titles, ["UPGMA"], [({}, {})] * 2):
        told = [annotation["text"] for annotation in layout["annotations"]]
        assert "sigma=0.05" in told[0]
        assert "sigma=0.2" in told[1]
        assert layout["margin"]["t"] >= 14 + 16 * (told[0].count("<br>") + 1)


def test_sections_without_content_and_their_links_are_absent(store: Store) -> None:
    page = page_of(store, keep_run(store, [outcome("A", "x", values={"AARI": 0.5})]))
    links = [about["href"] for tag, about in page.tags if tag == "a"]
    assert links == ["#main", "#leaderboard", "#rows", "#provenance"]
    assert not any("plotly.js v" in script for script in page.scripts)  # there is no figure
    assert "plotly" not in page.ids


@pytest.mark.slow
def test_title_note_papers_and_licences_are_told(tmp_path: Path) -> None:
    env = {"HCBENCH_STORE": str(tmp_path / "s.sqlite"), "COLUMNS": "100", "HCBENCH_DEBUG": ""}
    asked = ["compare", "--algos", "UPGMA", "--datasets", "iris", "-r", "1", "-j1", "-q"]
    assert CliRunner(env=env).invoke(main, [*asked, "--metrics", "AARI"]).exit_code == 0
    with Store(tmp_path / "s.sqlite") as store:
        (digest,) = {outcome.data_digest for outcome, _ in store.outcomes(run=1)}
        text = " ".join(Page(make_report(store, store.run(1))).text.split())
    assert re.search(r"BLAS ?(openblas|mkl|blis|flexiblas)", text)
    assert "@article{sokal1958" in text
    assert "Sokal & Michener 1958" in text
    assert "CC BY 4.0" in text
    assert digest in text
    assert re.search(r"UPGMA\s*hcbench:vectors\s*scipy \d", text)


def test_verdicts_are_counted_and_shown(store: Store) -> None:
    claims = (
        Claim(claim="Half", algorithm="A", dataset="x", metric="AARI", paper="0.5"),
        Claim(claim="More", algorithm="A", dataset="x", metric="AARI", paper="0.90"),
    )
    cells = [outcome("A", "x", r, values=a_value(0.49 + r / 1e4)) for r in range(3)]
    page = page_of(store, keep_run(store, cells, suite=Suite(name="s", claims=claims)))
    verdicts = [cell[0] for cell in column_of(page.data["tables"]["claims"], "verdict")]
    assert verdicts == ["reproduced", "differs"]
    assert "reproduced 1" in page.text
    assert "differs 1" in page.text


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


@pytest.mark.slow
def test_names_with_html_stay_text(store: Store) -> None:
    suite = Suite(name=HOSTILE, doc=HOSTILE)
    cells = [
        outcome(HOSTILE, HOSTILE, values=a_value(0.5), oracle=HOSTILE, notes=(HOSTILE,)),
        outcome(f"B{HOSTILE}", HOSTILE, status="error", reason=HOSTILE, traceback=HOSTILE),
    ]
    page = page_of(store, keep_run(store, cells, suite=suite, command=HOSTILE))
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert len(page.scripts) == 4  # theme, data, plotly, ours
    assert page.data["tables"]["leaderboard"]["rows"][0][0] == HOSTILE
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
    ran = [cell for cell in cells if cell.status != "skipped"]
    assert ("leaderboard" in page.data["sections"]) == bool(ran)
    if ran:
        assert len(page.data["tables"]["cells"]["rows"]) == len(ran)


@pytest.mark.slow
def test_fifty_algorithms_on_twenty_data_sets(store: Store) -> None:
    rng = np.random.default_rng(0)
    cells = [
        outcome(f"algorithm {a}", f"data{d}", values=a_value(float(rng.uniform())))
        for a in range(50)
        for d in range(20)
    ]
    tables = page_of(store, keep_run(store, cells)).data["tables"]
    board = tables["leaderboard AARI"]
    assert (len(board["columns"]), len(board["rows"])) == (22, 50)
    assert len(tables["pairs AARI"]["rows"]) == 1225


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


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_trees_are_shown_with_the_truth_of_their_data(tmp_path: Path) -> None:
    env = {"HCBENCH_STORE": str(tmp_path / "s.sqlite"), "COLUMNS": "100", "HCBENCH_DEBUG": ""}
    asked = ["compare", "--algos", "UPGMA,Random", "--datasets", "planted[N0=3]", "-r", "1", "-j1"]
    assert CliRunner(env=env).invoke(main, [*asked, "-q", "--metrics", "AARI"]).exit_code == 0
    with Store(tmp_path / "s.sqlite") as store:
        page = Page(make_report(store, store.run(1)))
        less = Page(make_report(store, store.run(1), trees=1))
    assert "1 of 2 trees are not shown; --trees 2 shows all." in str(less.data["sections"]["trees"])
    assert check_figures(page) == 2
    figures = page.data["figures"]
    upgma, random = (figures[name] for name in figures if name.startswith("tree "))
    for figure in (upgma, random):
        levels = [f"level {level} ({2**level} classes)" for level in (1, 2, 3)]
        assert list(figure["choices"]["Colours"]) == levels
        views = ["truth and result", "result", "truth", "result and data"]
        assert list(figure["choices"]["View"]) == views
        places = column_of(figure["table"], "place in the result")
        assert sorted(places) == list(range(24))
        assert len(set(column_of(figure["table"], "class at level 3"))) == 8
        (of_level,) = {len(level["traces"]) for level in figure["choices"]["Colours"].values()}
        # The heat map of the data has no classes.
        assert of_level == len(figure["data"]) - 1


def test_a_large_tree_is_drawn_with_some_of_its_leaves(store: Store) -> None:
    n = MOST_LEAVES + 10
    comb = Tree([n, n, *range(n + 1, 2 * n - 1), *range(n + 1, 2 * n - 1), -1])
    run = keep_run(store, [outcome("A", "x", values=a_value(1), result=comb)])
    figure = Page(make_report(store, store.run(run))).data["figures"]["tree of A on x"]
    assert len(figure["table"]["rows"]) == MOST_LEAVES
    assert f"{MOST_LEAVES} of its {n} leaves" in figure["caption"]
    assert "cannot be generated again" in figure["caption"]


# ---- Finding a run, and the command --------------------------------------------------------------


def test_runs_are_found_by_number_suite_or_as_the_last(store: Store) -> None:
    with pytest.raises(StoreError, match="no runs"):
        store.run()
    for name in ("one", "two", "one", "three"):
        keep_run(store, [outcome("A", "x", values=a_value(1))], suite=Suite(name=name))
    assert store.run().id == 4
    assert store.run("2").id == 2
    assert store.run("ONE").id == 3
    with pytest.raises(StoreError, match="nor of a suite 'four'; there are runs of one, two"):
        store.run("four")
    with pytest.raises(StoreError, match="no run 9"):
        store.run(9)


def invoke(*args: str, store: Path) -> Any:
    env = {"HCBENCH_STORE": str(store), "COLUMNS": "100", "HCBENCH_DEBUG": ""}
    return CliRunner(env=env).invoke(main, list(args))


@pytest.mark.slow
def test_the_command_writes_one_file(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        keep_run(store, [outcome("A", "x", values=a_value(1))])
    out = tmp_path / "new" / "r.html"
    done = invoke("report", "-o", str(out), store=tmp_path / "s.sqlite")
    assert done.exit_code == 0
    assert re.fullmatch(r"hcbench: run 1 is in .*r\.html, \d\.\d MiB\n", done.stderr)
    assert [path.name for path in out.parent.iterdir()] == ["r.html"]
    Page(out.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("report", "9"), 3, "has no run 9"),
        (("report", "nothing"), 3, "nor of a suite 'nothing'"),
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
