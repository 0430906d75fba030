"""Report and site in a real browser: no errors, working controls, drawn figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from hcbench import Tree, load_registry
from hcbench.cli import main
from hcbench.pages.report import make_report, write_report
from hcbench.pages.site import build_site
from hcbench.registry.suite import Claim, Suite
from hcbench.store import Store
from tests.browser import NEEDS_BROWSER, open_browser
from tests.core.stored_runs import HOSTILE, METRICS, keep_run, outcome

pytestmark = [NEEDS_BROWSER, pytest.mark.slow]
NOTHING = "\N{EN DASH}"
WAIT = 60  # s, on a loaded machine
FIGURES = ("leaderboard", "ranks", "curves", "growth", "trees")
ALGORITHMS = ("Alpha", "Beta", "Gamma", HOSTILE)
DATASETS = tuple(f"p[n={n},noise={s}]" for n in (8, 16, 32, 64) for s in (0.1, 0.2))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with open_browser(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report, a site, and a report of 1,000 rows."""
    folder = tmp_path_factory.mktemp("pages")
    with Store(folder / "s.sqlite") as store:
        run = keep_run(store, list(cells()), suite=Suite(name="Suite", doc=HOSTILE, claims=CLAIMS))
        keep_run(store, [outcome("Alpha", "x", status="crash", reason="signal 9")])
        write_report(folder / "report.html", store, store.run(run))
        write_report(folder / "failed.html", store, store.run(2))
        build_site(folder / "site", store, load_registry())
    for name, made in (("wide", wide_cells()), ("variants", variant_cells())):
        with Store(":memory:") as store:
            write_report(folder / f"{name}.html", store, store.run(keep_run(store, list(made))))
    with Store(":memory:") as store:
        tags = {"A": ("linkage", "fast"), "B": ("linkage",), "C": ("fast",)}
        run = keep_run(store, list(family_cells()), tags=tags)
        write_report(folder / "families.html", store, store.run(run))
    env = {"HCBENCH_STORE": str(folder / "trees.sqlite"), "HCBENCH_DEBUG": ""}
    asked = ["compare", "--algos", "UPGMA", "--datasets", "planted[N0=3]", "-r", "1", "-j1"]
    assert CliRunner(env=env).invoke(main, [*asked, "-q", "--metrics", "AARI"]).exit_code == 0
    with Store(folder / "trees.sqlite") as store:
        write_report(folder / "trees.html", store, store.run())
    with Store(":memory:") as store:
        rng = np.random.default_rng(0)
        many = [
            outcome(f"A{a}", f"d[n={d}]", values={"AARI": float(rng.uniform())})
            for a in range(20)
            for d in range(1, 51)
        ]
        text = make_report(store, store.run(keep_run(store, many)), trees=0)
        (folder / "large.html").write_text(text, encoding="utf-8")
    return folder


CLAIMS = tuple(
    Claim(claim=f"{HOSTILE} {i}", algorithm="Alpha", dataset=DATASETS[0], metric="AARI", paper=p)
    for i, p in enumerate(("0.5", "0.9"))
)


def values_of(quality: float, n: int) -> dict[str, float | None]:
    return {"AARI": quality, "queries": 10.0 * n**2, "seconds": 1e-6 * n**2}


def cells() -> Iterator[Any]:
    for a, algorithm in enumerate(ALGORITHMS):
        for d, dataset in enumerate(DATASETS):
            n = (8, 16, 32, 64)[d // 2]
            for r in range(2):
                tree = Tree([n, n, *range(n + 1, 2 * n - 1), *range(n + 1, 2 * n - 1), -1])
                yield outcome(
                    algorithm,
                    dataset,
                    r,
                    values=values_of(0.5 + 0.1 * a + 0.01 * r, n),
                    result=tree,
                    oracle=HOSTILE,
                    data_digest=f"{n}",
                )
    yield outcome("Broken", DATASETS[0], status="error", reason=HOSTILE, traceback=HOSTILE)


def wide_cells() -> Iterator[Any]:
    for algorithm in ("Alpha", "Beta"):
        for d in range(40):
            yield outcome(algorithm, f"d{d}[a_long_name=0.125]", values=values_of(0.5, 10))
    yield outcome("Alpha", "bad", status="crash", reason="signal 9", traceback="x" * 400)


def variant_cells() -> Iterator[Any]:
    for k in range(20):
        yield outcome(f"A[k={k}]", "x", values={"AARI": k / 20})
    yield outcome("B", "x", values={"AARI": 0.5})


def family_cells() -> Iterator[Any]:
    for a, algorithm in enumerate("ABCDEF"):
        for n, dataset in enumerate(("x[n=1]", "x[n=2]", "y[n=3]")):
            yield outcome(algorithm, dataset, values=values_of(0.1 * a, n + 1))


@pytest.fixture
def show(browser: Any, pages: Path) -> Iterator[Callable[..., Any]]:
    """Open a page in light or dark; afterwards there must be no error on the console."""

    def open_page(name: str, scheme: str = "light", width: int = 1280) -> Any:
        about = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [about]})
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        browser.get((pages / name).as_uri())
        wait(browser, "return document.documentElement.dataset.ready === 'yes'")
        return browser

    browser.get_log("browser")
    yield open_page
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not severe
    assert browser.execute_script("return window.hacked") is None
    browser.execute_script("try { localStorage.clear() } catch {}")


def wait(browser: Any, script: str, *args: Any) -> Any:
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, WAIT).until(lambda b: b.execute_script(script, *args))


def scroll_to(browser: Any, section: str) -> None:
    """Bring a section into view, and wait until its figures are drawn."""
    browser.execute_script(
        "document.getElementById(arguments[0]).scrollIntoView({behavior: 'instant'})", section
    )
    wait(
        browser,
        "return [...document.querySelectorAll(`#${arguments[0]} .plot`)].slice(0, 1)"
        ".every(plot => plot.dataset.drawn)",
        section,
    )


def column(browser: Any, section: str, number: int) -> list[str]:
    texts: list[str] = browser.execute_script(
        "return [...document.querySelectorAll(`#${arguments[0]} .table-block tbody tr`)]"
        ".map(row => row.children[arguments[1]].textContent)",
        section,
        number,
    )
    return texts


def press(browser: Any, section: str, label: str) -> None:
    """Press the head of a column of the table of a section."""
    browser.execute_script(
        'document.querySelector(`#${arguments[0]} [data-column="${CSS.escape(arguments[1])}"]`)'
        ".click()",
        section,
        label,
    )


def search(browser: Any, section: str, words: str) -> None:
    """Write into the search field of a section."""
    browser.execute_script(
        """const field = document.querySelector(`#${arguments[0]} input[type=search]`);
           field.value = arguments[1];
           field.dispatchEvent(new Event('input'))""",
        section,
        words,
    )


def choose(browser: Any, section: str, label: str, value: str) -> None:
    """Choose a value in the control with this label, as a reader does."""
    assert browser.execute_script(
        """const label = [...document.querySelectorAll(`#${arguments[0]} label`)]
             .find(l => l.firstChild.textContent === arguments[1]);
           const select = label.querySelector('select');
           select.value = arguments[2];
           select.dispatchEvent(new Event('change'));
           return select.value === arguments[2]""",
        section,
        label,
        value,
    )


# ---- The report ----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_figures_are_drawn(show: Callable[..., Any], scheme: str) -> None:
    page = show("report.html", scheme)
    for section in FIGURES:
        scroll_to(page, section)
        drawn = page.execute_script(
            "return document.querySelectorAll(`#${arguments[0]} .plot svg path`).length", section
        )
        assert drawn > 5, section
    assert page.execute_script("return document.documentElement.dataset.theme") == scheme


@pytest.mark.parametrize("name", ["report.html", "failed.html", "site/index.html"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_page(show: Callable[..., Any], name: str, width: int) -> None:
    page = show(name, width=width)
    for section in page.execute_script(
        "return [...document.querySelectorAll('section')].map(s => s.id)"
    ):
        if section in FIGURES and name == "report.html":
            scroll_to(page, section)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_names_with_html_are_shown_as_text(show: Callable[..., Any]) -> None:
    page = show("report.html")
    assert HOSTILE in "\n".join(column(page, "leaderboard", 0))
    scroll_to(page, "ranks")
    scroll_to(page, "leaderboard")
    legend = page.execute_script(
        "return [...document.querySelectorAll('#leaderboard .legendtext')].map(t => t.textContent)"
    )
    assert any(text.startswith(HOSTILE[:40]) for text in legend)
    assert not page.execute_script("return document.querySelectorAll('img, svg a').length")


ORDER = (
    "return document.querySelector(`#leaderboard [data-column='mean rank']`)"
    ".closest('th').getAttribute('aria-sort')"
)


def test_heads_of_columns_sort_and_the_address_keeps_it(show: Callable[..., Any]) -> None:
    page = show("report.html")
    assert page.execute_script(ORDER) == "none"
    for order in ("ascending", "descending"):
        press(page, "leaderboard", "mean rank")
        assert page.execute_script(ORDER) == order
        ranks = [float(text) for text in column(page, "leaderboard", 1)]
        assert ranks == sorted(ranks, reverse=order == "descending")
    names = column(page, "leaderboard", 0)
    page.refresh()
    wait(page, "return document.documentElement.dataset.ready === 'yes'")
    assert page.execute_script(ORDER) == "descending"
    assert column(page, "leaderboard", 0) == names


def test_the_best_values_come_first_and_missing_ones_last(show: Callable[..., Any]) -> None:
    page = show("report.html")
    for reverse in (True, False):
        press(page, "leaderboard", DATASETS[0])
        *texts, last = column(page, "leaderboard", 2)
        assert last == f"{NOTHING}1"  # with its footnote
        values = [float(text.split()[0]) for text in texts]
        assert values == sorted(values, reverse=reverse)


def test_the_table_is_sorted_by_the_keyboard_alone(show: Callable[..., Any]) -> None:
    from selenium.webdriver.common.keys import Keys

    page = show("report.html")
    page.execute_script("document.querySelector('#leaderboard th button').focus()")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    names = column(page, "leaderboard", 0)
    assert names == sorted(names)
    assert page.execute_script("return document.activeElement.dataset.column") == "algorithm"


def test_a_choice_changes_table_and_figure_and_the_address(show: Callable[..., Any]) -> None:
    page = show("report.html")
    scroll_to(page, "leaderboard")
    choose(page, "leaderboard", "Cost", "seconds")
    titles = "[...document.querySelectorAll('#leaderboard [class$=title]')].map(t => t.textContent)"
    assert wait(page, f"return {titles}.join().includes('seconds')")
    choose(page, "leaderboard", "Metric", "queries")  # a cost has no figure
    assert page.execute_script("return document.querySelector('#leaderboard .plot')") is None
    assert column(page, "leaderboard", 1)[0].startswith("640")
    assert "leaderboard.Metric=queries" in page.current_url
    page.refresh()
    wait(page, "return document.documentElement.dataset.ready === 'yes'")
    assert column(page, "leaderboard", 1)[0].startswith("640")


def test_links_within_the_page_keep_the_choices(show: Callable[..., Any]) -> None:
    page = show("report.html")
    press(page, "leaderboard", "mean rank")
    page.execute_script("document.querySelector('nav a[href=\"#trees\"]').click()")
    assert page.current_url.endswith("#trees~leaderboard.sort=%2Bmean+rank")
    page.refresh()
    wait(page, "return document.documentElement.dataset.ready === 'yes'")
    wait(page, "return document.getElementById('trees').getBoundingClientRect().top < 200")


def test_rows_are_filtered_and_searched(show: Callable[..., Any]) -> None:
    page = show("report.html")
    choose(page, "rows", "data set", DATASETS[1])
    assert set(column(page, "rows", 1)) == {DATASETS[1]}
    assert len(column(page, "rows", 0)) == len(ALGORITHMS)
    choose(page, "rows", "data set", "")
    choose(page, "rows", "noise of data set", "0.2")
    assert set(column(page, "rows", 1)) == {d for d in DATASETS if "0.2" in d}
    assert "means.noise+of+data+set=0.2" in page.current_url
    search(page, "rows", "beta n=16")
    wait(page, "return document.querySelectorAll('#rows tbody tr').length === 1")
    assert column(page, "rows", 0) == ["Beta"]


def heads(page: Any, section: str) -> list[str]:
    texts: list[str] = page.execute_script(
        "return [...document.querySelectorAll(`#${arguments[0]} thead th`)]"
        ".map(head => head.textContent)",
        section,
    )
    return texts


def test_leaderboards_are_filtered_by_family_and_tag_and_the_address_keeps_it(
    show: Callable[..., Any],
) -> None:
    page = show("families.html")
    assert heads(page, "leaderboard") == ["algorithm", "mean rank", "x[n=1]", "x[n=2]", "y[n=3]"]
    choose(page, "leaderboard", "Family of data sets", "x")
    assert heads(page, "leaderboard") == ["algorithm", "mean rank", "x[n=1]", "x[n=2]"]
    choose(page, "leaderboard", "Tag", "linkage")
    assert sorted(column(page, "leaderboard", 0)) == ["A", "B"]
    page.refresh()
    wait(page, "return document.documentElement.dataset.ready === 'yes'")
    assert sorted(column(page, "leaderboard", 0)) == ["A", "B"]
    assert len(heads(page, "leaderboard")) == 4


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_a_shadow_shows_where_columns_are_out_of_sight(
    show: Callable[..., Any], width: int
) -> None:
    page = show("wide.html", width=width)
    scroll_to(page, "leaderboard")
    frame = "const frame = document.querySelector('#leaderboard .scroll-frame');"
    wait(page, f"{frame} return frame.classList.contains('more-right')")
    assert not page.execute_script(f"{frame} return frame.classList.contains('more-left')")
    page.execute_script(f"{frame} frame.firstChild.scrollLeft = 1e6")
    wait(page, f"{frame} return frame.classList.contains('more-left')")
    assert not page.execute_script(f"{frame} return frame.classList.contains('more-right')")
    # The names stay, and the page itself does not scroll sideways.
    name = f"{frame} return frame.querySelector('tbody th').getBoundingClientRect().left"
    assert page.execute_script(name) >= 0
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_nothing_in_the_bar_of_a_site_covers_anything_else(
    show: Callable[..., Any], width: int
) -> None:
    page = show("site/index.html", width=width)
    boxes = page.execute_script(
        "return [...document.querySelectorAll('.bar > *')].map(part => {"
        " const { left, right, top, bottom } = part.getBoundingClientRect();"
        " return [left, right, top, bottom]; })"
    )
    for place, (left, right, top, bottom) in enumerate(boxes):
        for other_left, other_right, other_top, other_bottom in boxes[place + 1 :]:
            is_beside = right <= other_left + 1 or other_right <= left + 1
            is_above = bottom <= other_top + 1 or other_bottom <= top + 1
            assert is_beside or is_above


def test_rows_can_be_repetitions(show: Callable[..., Any]) -> None:
    page = show("report.html")
    choose(page, "rows", "Rows", "each repetition")
    count = page.execute_script("return document.querySelector('#rows .count').textContent")
    assert count.endswith(f"of {len(ALGORITHMS) * len(DATASETS) * 2 + 1} cells")


def test_variants_are_folded_into_their_algorithm(show: Callable[..., Any]) -> None:
    page = show("variants.html")
    assert column(page, "leaderboard", 0) == ["A (20 variants)", "B"]
    page.execute_script("document.querySelector('#leaderboard .fold').click()")
    assert column(page, "leaderboard", 0) == [
        "A (20 variants)",
        *(f"A[k={k}]" for k in range(20)),
        "B",
    ]
    search(page, "leaderboard", "k=7")
    wait(page, "return document.querySelectorAll('#leaderboard tbody tr').length === 2")


def test_a_figure_follows_its_controls_and_can_be_read_as_a_table(
    show: Callable[..., Any],
) -> None:
    page = show("report.html")
    scroll_to(page, "curves")
    choose(page, "curves", "Metric", "queries")
    title = "return document.querySelector('#curves .ytitle')?.textContent.includes('queries')"
    assert wait(page, title)
    page.execute_script("document.querySelector('#curves [aria-expanded=false]').click()")
    cells = "return document.querySelector('#curves .count').textContent"
    assert page.execute_script(cells).endswith(f"{len(ALGORITHMS) * len(DATASETS)} rows")


def test_trees_show_another_level_one_of_the_two_or_the_data(show: Callable[..., Any]) -> None:
    page = show("trees.html")
    scroll_to(page, "trees")
    titles = (
        "return [...document.querySelectorAll('#trees .annotation-text')].map(t => t.textContent)"
    )
    assert page.execute_script(titles) == ["truth", "UPGMA"]
    entries = "return document.querySelectorAll('#trees .legendtext').length"
    assert page.execute_script(entries) == 2
    choose(page, "trees", "Colours", "level 2 (4 classes)")
    wait(page, entries + " === 4")
    choose(page, "trees", "View", "result")
    wait(page, titles.replace("return ", "return (") + ").join() === 'UPGMA'")
    choose(page, "trees", "View", "result and data")
    wait(page, titles.replace("return ", "return (") + ").join() === 'UPGMA,data'")
    assert page.execute_script(
        "return document.querySelectorAll('#trees .heatmaplayer image').length"
    )


@pytest.mark.parametrize("width", [390, 1280, 2000])
def test_on_paper_nothing_is_cut(show: Callable[..., Any], width: int) -> None:
    """All rows and columns are drawn, closed texts are open, and figures fit the paper."""
    page = show("wide.html", width=width)
    paper = 718  # pixels between the margins of A4
    screen = {"width": paper, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        wait(
            page,
            "return [...document.querySelectorAll('.plot')].every(p => p.dataset.drawn)",
        )
        assert page.execute_script("return document.documentElement.scrollWidth") <= paper
        text = page.execute_script("return document.getElementById('leaderboard').textContent")
        for dataset in range(40):
            assert f"d{dataset}[" in text
        rows = "return document.querySelectorAll('#rows .scroll:first-child tbody tr').length"
        assert page.execute_script(rows) == 81
        closed = "return document.querySelectorAll('details:not([open])').length"
        assert page.execute_script(closed) == 0
        cut = page.execute_script(
            """return [...document.querySelectorAll('.scroll, .plot, pre')]
                 .filter(e => e.scrollWidth > e.clientWidth + 1)
                 .map(e => e.className)"""
        )
        assert cut == []
    finally:
        page.execute_script("window.dispatchEvent(new Event('afterprint'))")
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert page.execute_script("return document.querySelectorAll('details[open]').length") == 0
    assert len(column(page, "leaderboard", 0)) == 2


def test_printing_draws_figures_that_were_never_seen(show: Callable[..., Any]) -> None:
    page = show("report.html")
    assert page.execute_cdp_cmd("Page.printToPDF", {})["data"]
    drawn = "return [...document.querySelectorAll('.plot')].filter(p => !p.dataset.drawn).length"
    assert page.execute_script(drawn) == 0


def test_figures_are_saved_as_images(show: Callable[..., Any]) -> None:
    page = show("report.html")
    scroll_to(page, "ranks")
    for image in ("svg", "png"):
        start = page.execute_async_script(
            """const done = arguments[arguments.length - 1];
               Plotly.toImage(document.querySelector('#ranks .plot'), {format: arguments[0]})
                 .then(url => done(url.slice(0, 20)), error => done(String(error)))""",
            image,
        )
        assert start.startswith(f"data:image/{image}")


def test_no_button_sends_a_figure_anywhere(show: Callable[..., Any]) -> None:
    page = show("report.html")
    scroll_to(page, "curves")
    titles = page.execute_script(
        "return [...document.querySelectorAll('.modebar-btn')].map(b => b.dataset.title)"
    )
    assert not [title for title in titles if "loud" in str(title) or "Studio" in str(title)]


def test_light_and_dark_can_be_chosen(show: Callable[..., Any]) -> None:
    page = show("report.html")
    scroll_to(page, "curves")
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = page.execute_script(ground)
    page.execute_script("document.getElementById('theme').click()")
    assert page.execute_script(ground) != light
    dark = page.execute_script(ground)
    assert wait(
        page,
        "return document.querySelector('#curves .main-svg').style.background === arguments[0]",
        dark,
    )
    assert (
        page.execute_script("return document.getElementById('theme').getAttribute('aria-pressed')")
        == "true"
    )


CONTRASTS = """
const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const parse = text => text.match(/[\\d.]+/g).map(Number);
const groundOf = e => {  // of all that is behind, with what is partly transparent before it
  if (!e) return [255, 255, 255];
  const [r, g, b, alpha = 1] = parse(getComputedStyle(e).backgroundColor);
  if (alpha === 1) return [r, g, b];
  return groundOf(e.parentElement).map((c, i) => alpha * [r, g, b][i] + (1 - alpha) * c);
};
document.querySelectorAll('details').forEach(d => { d.open = true; });
return [...document.querySelectorAll('body *')]
  .filter(e => !e.closest('svg, script, noscript, button:disabled, .hidden-text')
    && e.getClientRects().length
    && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
  .map(e => {
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(groundOf(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return [ratio, e.className, e.textContent.slice(0, 30)];
  })
  .filter(([ratio]) => ratio < 4.5)
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["report.html", "failed.html", "site/index.html"])
def test_all_text_has_a_contrast_of_four_and_a_half(
    show: Callable[..., Any], scheme: str, name: str
) -> None:
    page = show(name, scheme)
    assert page.execute_script(CONTRASTS) == []


def test_every_control_has_a_name_and_the_focus_is_seen(show: Callable[..., Any]) -> None:
    page = show("report.html")
    nameless = page.execute_script(
        """return [...document.querySelectorAll('button, select, input, a')]
             .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label')
                            || e.labels?.[0]?.textContent.trim()) && !e.closest('.modebar'))
             .map(e => e.outerHTML)"""
    )
    assert nameless == []
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    page.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    skip = page.switch_to.active_element
    assert skip.text == "Skip to content"
    assert skip.value_of_css_property("outline-style") != "none"
    skip.send_keys(Keys.ENTER)
    assert page.execute_script("return document.activeElement.id") == "main"


def test_a_thousand_rows_are_paginated(show: Callable[..., Any]) -> None:
    page = show("large.html")
    count = "return document.querySelector('#rows .count').textContent"
    assert page.execute_script(count) == f"1{NOTHING}25 of 1,000 cells"
    page.execute_script(
        "[...document.querySelectorAll('#rows button')].find(b => b.textContent === 'Next').click()"
    )
    assert page.execute_script(count) == f"26{NOTHING}50 of 1,000 cells"


# ---- The site ------------------------------------------------------------------------------------


def test_the_site_is_searched_and_its_links_are_followed(
    show: Callable[..., Any], pages: Path
) -> None:
    page = show("site/index.html")
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    page.find_element(By.ID, "search").send_keys("gamma")
    wait(page, "return document.querySelectorAll('#found a').length === 1")
    page.find_element(By.ID, "search").send_keys(Keys.ENTER)
    wait(page, "return document.querySelector('h1')?.textContent === 'Gamma'")
    wait(page, "return document.documentElement.dataset.ready === 'yes'")
    rows = page.execute_script("return document.querySelectorAll('#results tbody tr').length")
    assert rows == len(DATASETS)
    page.find_element(By.CSS_SELECTOR, "#results tbody a").click()
    wait(page, "return location.pathname.endsWith('runs/1.html')")
    scroll_to(page, "curves")  # with the shared script of plotly
    assert page.execute_script("return document.querySelectorAll('#curves .plot path').length")


def test_a_page_of_the_site_has_the_data_of_its_report(pages: Path) -> None:
    text = (pages / "site" / "runs" / "1.html").read_text()
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    labels = [column["label"].split()[0] for column in data["tables"]["cells"]["columns"]]
    assert labels[-len(METRICS) :] == [m.label for m in METRICS]
