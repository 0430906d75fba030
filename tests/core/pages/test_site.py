"""The site: its pages and links, updates, and files that it never changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from hcbench import load_registry
from hcbench.cli import main
from hcbench.errors import HcbenchError
from hcbench.pages.report.places import without_paths
from hcbench.pages.site import MARKER, Built, build_site
from hcbench.pages.site.pages import slug
from hcbench.registry.suite import Claim, Suite
from hcbench.store import Store
from tests.core.pages.test_histories import write_results
from tests.core.pages.test_report import Page, a_value
from tests.core.stored_runs import HOSTILE, keep_run, outcome


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.sqlite") as opened:
        yield opened


def build(folder: Path, store: Store, **options: Any) -> Built:
    return build_site(folder, store, load_registry(), trees=0, **options)


def data_of(page: Path) -> dict[str, Any]:
    """What the script of a page shows."""
    found = Page(page.read_text()).scripts
    data: dict[str, Any] = json.loads(next(script for script in found if script))
    return data


def two_runs(store: Store) -> None:
    keep_run(store, [outcome("UPGMA", "iris", values=a_value(0.5))])
    cells = [outcome(a, "wine[n=9]", values=a_value(0.25)) for a in ("UPGMA[metric=cosine]", "B")]
    keep_run(store, cells, suite=Suite(name="Mine", doc="All of it."))


def files(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


@pytest.mark.slow
def test_there_is_a_page_for_each_run_suite_algorithm_and_data_set(
    tmp_path: Path, store: Store
) -> None:
    two_runs(store)
    built = build(tmp_path / "site", store)
    pages = {name for name in files(tmp_path / "site") if name.endswith(".html")}
    assert {re.sub(r"-[0-9a-f]{10}\.", ".", page) for page in pages} == {
        "index.html",
        "runs/1.html",
        "runs/2.html",
        "suites/compare.html",
        "suites/mine.html",
        "algorithms/upgma.html",
        "algorithms/b.html",
        "datasets/iris.html",
        "datasets/wine.html",
    }
    assert built.pages == len(pages)


@pytest.mark.slow
def test_every_link_leads_to_a_file(tmp_path: Path, store: Store) -> None:
    two_runs(store)
    site = tmp_path / "site"
    build(site, store)
    for name in files(site):
        if not name.endswith(".html"):
            continue
        page = Page((site / name).read_text())
        links = [about.get("href") or about.get("src") for _, about in page.tags]
        links += [about.get("data-src") for _, about in page.tags]
        for script in page.scripts:
            links += re.findall(r'"([\w./-]+\.html)"', script)
        for link in links:
            if link and not link.startswith(("#", "data:", "https://doi.org/")):
                assert (site / name).parent.joinpath(link.partition("#")[0]).is_file(), link
    entries = json.loads((site / "assets/index.js").read_text().partition("= ")[2].rstrip(";\n"))
    assert all((site / path).is_file() for _, _, path, _ in entries)
    assert len(entries) == len([f for f in files(site) if f.endswith(".html")]) - 1


@pytest.mark.slow
def test_the_page_of_an_algorithm_has_its_runs_and_its_spec(tmp_path: Path, store: Store) -> None:
    two_runs(store)
    build(tmp_path / "site", store)
    (path,) = (tmp_path / "site" / "algorithms").glob("upgma-*.html")
    page = Page(path.read_text())
    rows = data_of(path)["tables"]["results"]["rows"]
    assert [row[0][0] for row in rows] == ["2", "1"]
    assert rows[0][2] == "UPGMA[metric=cosine]"
    assert "Average linkage" in page.text
    assert "euclidean" in page.text  # a default


@pytest.mark.slow
def test_the_page_of_a_suite_says_why_if_its_package_does(tmp_path: Path, store: Store) -> None:
    two_runs(store)
    for name in ("standard-scaling", "standard-vectors-full", "standard-vectors"):
        keep_run(store, [outcome("UPGMA", "iris", values=a_value(0.5))], suite=Suite(name=name))
    build(tmp_path / "site", store)
    folder = tmp_path / "site" / "suites"
    pages = {path.stem: path.read_text() for path in folder.glob("[cs]*.html")}
    assert [name for name, page in pages.items() if 'id="why"' not in page] == ["compare"]
    for page in (pages["standard-vectors"], pages["standard-vectors-full"]):
        assert "<td><code>zoo</code></td>" in page
        assert '<a href="standard-scaling.html">scaling</a>' in page
    assert 'src="data:image/png;base64,' in pages["standard-scaling"]
    assert ".md" not in pages["standard-scaling"], "a link to a page that the site has not is text"


@pytest.mark.slow
def test_an_unchanged_site_is_not_written_again(tmp_path: Path, store: Store) -> None:
    two_runs(store)
    site = tmp_path / "site"
    assert build(site, store).written == len(files(site)) - 1
    before = {name: (site / name).stat().st_mtime_ns for name in files(site) if name != MARKER}
    assert build(site, store).written == 0
    assert before == {n: (site / n).stat().st_mtime_ns for n in files(site) if n != MARKER}


@pytest.mark.slow
def test_another_run_changes_only_what_it_belongs_to(tmp_path: Path, store: Store) -> None:
    two_runs(store)
    site = tmp_path / "site"
    build(site, store)
    modified = (site / "runs/1.html").stat().st_mtime_ns
    keep_run(store, [outcome("B", "iris", 1, values=a_value(0.75))])
    build(site, store)
    assert (site / "runs/3.html").is_file()
    assert (site / "runs/1.html").stat().st_mtime_ns == modified


@pytest.mark.slow
def test_removed_runs_lose_their_pages_and_files_of_the_user_stay(
    tmp_path: Path, store: Store
) -> None:
    two_runs(store)
    site = tmp_path / "site"
    build(site, store)
    (site / "CNAME").write_text("bench.example.org")
    (site / "runs" / "notes.html").write_text("mine")
    (site / "runs" / "1.html").unlink()  # a removed page is written again
    with Store(tmp_path / "other.sqlite") as other:
        keep_run(other, [outcome("C", "iris", values=a_value(0.5))])
        build(site, other)
    assert (site / "CNAME").read_text() == "bench.example.org"
    assert (site / "runs" / "notes.html").read_text() == "mine"
    assert (site / "runs" / "1.html").is_file()
    assert not (site / "runs" / "2.html").exists()
    assert not list((site / "algorithms").glob("upgma*"))


def test_a_folder_with_other_files_is_refused_and_left_as_it_was(
    tmp_path: Path, store: Store
) -> None:
    site = tmp_path / "home"
    site.mkdir()
    (site / "thesis.tex").write_text("x")
    with pytest.raises(HcbenchError, match="contains files and is not a site of hcbench"):
        build(site, store)
    assert files(site) == {"thesis.tex"}
    with pytest.raises(HcbenchError, match="is a file"):
        build(site / "thesis.tex", store)


@pytest.mark.parametrize("text", ["", "[]", '{"files": 3}', "{"])
def test_an_invalid_marker_is_an_error(text: str, tmp_path: Path, store: Store) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / MARKER).write_text(text)
    with pytest.raises(HcbenchError, match="cannot be read"):
        build(site, store)


def test_a_marker_that_names_files_elsewhere_removes_nothing(tmp_path: Path, store: Store) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / "thesis.tex").write_text("x")
    names = {"../thesis.tex": "", str(tmp_path / "thesis.tex"): ""}
    (site / MARKER).write_text(json.dumps({"files": names}))
    build(site, store)
    assert (tmp_path / "thesis.tex").read_text() == "x"


def test_an_empty_store_and_a_run_of_failures_have_a_site(tmp_path: Path, store: Store) -> None:
    build(tmp_path / "site", store)
    assert "Nothing is stored yet" in Page((tmp_path / "site" / "index.html").read_text()).text
    keep_run(store, [outcome("A", "x", status="crash", reason="signal 9")])
    assert build(tmp_path / "site", store).pages == 1


# ---- The home page -------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_home_page_has_the_leaderboard_and_verdicts_of_each_suite(
    tmp_path: Path, store: Store
) -> None:
    claim = Claim(claim="B is good", algorithm="B", dataset="iris", metric="AARI", paper="0.9")
    suite = Suite(name="judged", claims=(claim,), doc="A suite with a claim.")
    keep_run(store, [outcome("A", "iris", values=a_value(0.1))], suite=suite)
    rivals = [outcome(a, d, values=a_value(v)) for d in ("iris", "wine") for a, v in SCORES]
    keep_run(store, rivals, suite=suite)
    build(tmp_path / "site", store, title="My <site>")
    index = tmp_path / "site" / "index.html"
    page, data = Page(index.read_text()), data_of(index)
    assert "My <site>" in page.text
    assert "A suite with a claim." in page.text
    assert '<a href="suites/judged.html">judged</a>' in index.read_text()
    assert "★ is the best; a stronger shade is better" in page.text
    metric, blocks = data["sections"]["leaderboard-judged"]["views"][0]
    assert metric == ["AARI"]
    board = data["tables"][blocks[0]["table"]]
    assert [column["label"] for column in board["columns"]] == [
        *("algorithm", "mean rank", "iris", "wine")
    ]
    assert [(row[0], row[1][0]) for row in board["rows"]] == [("B", "1.00"), ("A", "2.00")]
    (verdict,) = data["tables"]["verdicts"]["rows"]
    assert verdict[1][2]["href"] == "runs/2.html", "of the latest run"
    assert verdict[0] == "B is good"


SCORES = (("A", 0.25), ("B", 0.75))


@pytest.mark.slow
def test_runs_without_results_and_repeated_runs_are_hidden(tmp_path: Path, store: Store) -> None:
    keep_run(store, [outcome("A", "iris", status="crash", reason="signal 9")])
    first = keep_run(store, [outcome("A", "iris", values=a_value(0.5))])
    again = keep_run(store, [outcome("B", "iris", values=a_value(0.5))])
    rows = store.find([outcome("A", "iris", values=a_value(0.5)).key])
    store.link(again, rows.column("row").tolist())
    keep_run(store, [outcome("A", "iris", values=a_value(0.5))], suite=Suite(name="other"))
    build(tmp_path / "site", store)
    assert {path.name for path in (tmp_path / "site" / "runs").iterdir()} == {"3.html", "4.html"}
    assert "2 runs without results or repeated by later ones" in (
        Page((tmp_path / "site" / "index.html").read_text()).text
    )
    build(tmp_path / "site", store, runs=[store.run(first)])
    assert {path.name for path in (tmp_path / "site" / "runs").iterdir()} == {"2.html"}


@pytest.mark.slow
def test_no_page_has_a_path_of_this_machine(tmp_path: Path, store: Store) -> None:
    file = tmp_path / "private" / "mine.csv"
    command = f"hcbench compare --datasets {file} --store ~/secret/s.sqlite"
    label = f"file[path={file}]"
    failed = outcome("B", label, status="error", reason=f"{file}: no", traceback=f'File "{file}"')
    keep_run(store, [outcome("A", label, values=a_value(0.5)), failed], command=command)
    build(tmp_path / "site", store)
    for name in files(tmp_path / "site"):
        if not name.startswith("assets/") or name == "assets/index.js":
            text = (tmp_path / "site" / name).read_text()
            assert str(tmp_path) not in text, name
            assert "secret" not in text, name
    assert "file[path=…/mine.csv]" in (tmp_path / "site" / "runs" / "1.html").read_text()


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("in /home/me/a.csv:", "in …/a.csv:"),
        ("path=~/data/x.npz]", "path=…/x.npz]"),
        ('"/tmp/results/"', '"…/"'),
        ("https://doi.org/10.1/x and //host/x/y", "https://doi.org/10.1/x and //host/x/y"),
        ("</section><br/>", "</section><br/>"),
        ("../assets/x.js ./a/b queries/s 1/2/3", "../assets/x.js ./a/b queries/s 1/2/3"),
        (
            "data:image/svg+xml;base64,/9j/4AAQ/x+/ab/c=",
            "data:image/svg+xml;base64,/9j/4AAQ/x+/ab/c=",
        ),
    ],
)
def test_paths_are_told_from_urls_tags_and_images(text: str, public: str) -> None:
    assert without_paths(text) == public


# ---- Performance over commits --------------------------------------------------------------------


@pytest.mark.slow
def test_the_performance_over_commits_is_on_the_home_page_and_one_of_its_own(
    tmp_path: Path, store: Store
) -> None:
    two_runs(store)
    times = [1.0, 1.0, 1.02, 0.98, 2.0, 2.1, 2.0]
    results = write_results(
        tmp_path, [{"b.time_it": [[t], []], "b.track_queries": [[7], []]} for t in times]
    )
    build(tmp_path / "site", store, asv=results)
    home = data_of(tmp_path / "site" / "index.html")
    (regression,) = home["tables"]["regressions"]["rows"]
    assert [regression[i] for i in (0, 1, 4)] == ["time", "b.time_it", f"{4:040}"[:8]]
    assert [cell[0] for cell in regression[6:9]] == ["1.00 s", "2.00 s", "2.00"]
    assert regression[9] == "confirmed"
    traces = {trace["name"]: trace for trace in home["figures"]["performance"]["data"]}
    assert traces["time"]["y"] == pytest.approx(times)
    assert traces["queries"]["y"] == [1, 1, 1, 1, 1, 1, 1]
    assert traces["regression"]["y"] == [2]
    page = data_of(tmp_path / "site" / "performance.html")
    assert [values for values, _ in page["sections"]["benchmarks"]["views"]] == [
        ["time", "b.time_it"],
        ["queries", "b.track_queries"],
    ]
    assert len(page["tables"]["all benchmarks"]["rows"]) == 2


@pytest.mark.slow
def test_what_only_the_newest_commit_shows_is_to_be_confirmed(tmp_path: Path, store: Store) -> None:
    two_runs(store)
    times = [1.0, 1.0, 1.02, 0.98, 2.0]
    results = write_results(tmp_path, [{"b.time_it": [[t], []]} for t in times])
    build(tmp_path / "site", store, asv=results)
    text = (tmp_path / "site" / "index.html").read_text()
    assert "none with a regression, 1 with one to be confirmed." in text
    home = data_of(tmp_path / "site" / "index.html")
    (row,) = home["tables"]["regressions"]["rows"]
    assert row[9] == "to be confirmed"
    traces = {trace["name"]: trace for trace in home["figures"]["performance"]["data"]}
    assert traces["to be confirmed"]["y"] == [pytest.approx(2)]
    assert "regression" not in traces


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere_and_plotly_once(tmp_path: Path, store: Store) -> None:
    two_runs(store)
    site = tmp_path / "site"
    build(site, store, asv=write_results(tmp_path, [{"b.time_it": [[t], []]} for t in (1, 2, 3)]))
    scripts = [path for path in site.rglob("*") if path.is_file() and "Plotly=" in path.read_text()]
    assert [path.name for path in scripts] == ["plotly.js"]
    for page in site.rglob("*.html"):
        for tag, about in Page(page.read_text()).tags:
            for key in ("src", "data-src", "href") if tag != "a" else ():
                assert "//" not in about.get(key, ""), page


@pytest.mark.slow
def test_names_with_html_and_paths_are_safe(tmp_path: Path, store: Store) -> None:
    names = [HOSTILE, "../../../etc/passwd", "CON", "ünïcode ✓", "a" * 300]
    suite = Suite(name=HOSTILE, doc=HOSTILE)
    cells = [outcome(name, name, values=a_value(0.5)) for name in names]
    keep_run(store, cells, suite=suite, command=HOSTILE)
    site = tmp_path / "site"
    build(site, store)
    assert {p.name for p in site.iterdir()} == {
        *("index.html", "assets", "runs", "suites", "algorithms", "datasets"),
        MARKER,
    }
    for name in files(site):
        if name.endswith(".html"):
            tags = [tag for tag, _ in Page((site / name).read_text()).tags]
            assert "img" not in tags
    assert len(list((site / "algorithms").iterdir())) == len(names)


@given(st.text(min_size=1), st.text(min_size=1))
def test_slugs_are_plain_and_differ_where_names_do(first: str, second: str) -> None:
    one, two = slug(first), slug(second)
    assert re.fullmatch(r"[a-z0-9_][a-z0-9_.-]{0,80}", one)
    assert (one == two) == (first == second)
    assert one.split(".")[0] not in ("con", "nul", "aux", "prn")


def test_a_plain_name_is_its_own_slug() -> None:
    assert slug("gray2023-table1") == "gray2023-table1"
    assert slug("upgma") != slug("UPGMA")  # one file on case-insensitive file systems
    assert slug("upgma").casefold() != slug("UPGMA").casefold()


@pytest.mark.slow
def test_the_command_reports_written_files(tmp_path: Path, store: Store) -> None:
    two_runs(store)
    env: dict[str, Any] = {"HCBENCH_STORE": str(tmp_path / "s.sqlite"), "HCBENCH_DEBUG": ""}
    done = CliRunner(env=env).invoke(main, ["site", str(tmp_path / "site"), "--trees", "0"])
    assert done.exit_code == 0
    assert done.stderr.endswith("9 pages in " + str(tmp_path / "site") + "; 15 files written\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    done = CliRunner(env=env).invoke(main, ["site", str(tmp_path / "full")])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
