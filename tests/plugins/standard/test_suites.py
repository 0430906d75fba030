"""The standard suites can be planned, and their generator draws what it says."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hcbench_standard
from hcbench import DataRequest, Problem, Suite, load_registry, run_suite
from hcbench.analysis.tradeoffs import tradeoff
from hcbench.cli import main
from hcbench.figures.suite_panels import collect_panels
from hcbench.plan.plan import make_plan
from hcbench.store import Store
from hcbench_standard.shapes import shapes
from hcbench_standard.suites import NOISE, SCALING, SUITES
from tests.plugins.registering import light_suites

FOLDER = Path(hcbench_standard.__path__[0])


def draw(kind: str, **changes: object) -> Problem:
    settings: dict[str, object] = {"n": 700, "clusters": 3, "features": 2, "noise": 0.0}
    return shapes(DataRequest(seed=5), kind=kind, **{**settings, **changes})  # type: ignore[arg-type]


@pytest.mark.slow
def test_listing_the_suites_imports_nothing_heavy() -> None:
    assert light_suites("hcbench_standard") == [suite.name for suite in SUITES]


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_algorithm_of_a_suite_has_cells_or_needs_an_installation(suite: Suite) -> None:
    plan = make_plan(suite, load_registry())
    ran = {cell.algorithm.label for cell in plan.cells}
    lacking = {each.algorithm for each in plan.inapplicable if "pip install" in each.reason}
    assert {use.label for use in plan.algorithms} == ran | lacking
    assert {cell.dataset.label for cell in plan.cells} == {use.label for use in plan.datasets}


def test_every_suite_has_a_page_with_its_data_and_metrics() -> None:
    for suite in SUITES[::2]:
        page = (FOLDER / "pages" / f"{suite.name}.md").read_text()
        names = {name.partition("[")[0] for name in (*suite.datasets, *suite.metrics)}
        missing = {name for name in names if f"`{name}" not in page}
        assert missing <= {"seconds", "peak-memory"}, suite.name


def test_vectors_and_hierarchies_have_data_sets_enough_for_a_test_of_ranks() -> None:
    count = {suite.name: len(suite.datasets) for suite in SUITES}
    assert count["standard-vectors"] >= 12
    assert count["standard-hierarchies"] >= 12
    text = (FOLDER / "README.md").read_text()
    for name in ("standard-vectors", "standard-hierarchies", "standard-comparisons"):
        (stated,) = re.findall(rf"`{name}`.*\| (\d+),", text)
        assert int(stated) == count[name]


def test_unequal_clusters_have_their_sizes_and_spreads() -> None:
    """1 : 2 : 4 of 700 points, with standard deviations 0.5, 1 and 2.5."""
    drawn = draw("unequal")
    assert drawn.levels is not None
    label = drawn.levels[:, 0]
    assert np.bincount(label).tolist() == [100, 200, 400]
    spread = [np.asarray(drawn.vectors)[label == c].std(axis=0).mean() for c in range(3)]
    np.testing.assert_allclose(spread, [0.5, 1.0, 2.5], rtol=0.15)


def test_rings_have_radii_of_one_and_a_half() -> None:
    drawn = draw("rings")
    assert drawn.levels is not None
    radius = np.hypot(*np.asarray(drawn.vectors).T)
    np.testing.assert_allclose(radius, np.where(drawn.levels[:, 0] == 0, 1.0, 0.5))


@pytest.mark.parametrize("kind", ["blobs", "stretched"])
def test_gaussians_have_as_many_coordinates_as_asked_for(kind: str) -> None:
    drawn = draw(kind, n=10, features=7, clusters=4)
    assert np.shape(drawn.vectors) == (10, 7)
    assert drawn.levels is not None
    assert sorted(np.bincount(drawn.levels[:, 0])) == [2, 2, 3, 3]


def test_the_command_of_the_page_on_scaling_has_processor_time(
    in_process: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    page = (FOLDER / "pages" / "standard-scaling.md").read_text()
    command = page.partition("$ hcbench run standard-scaling -r 1")[2].partition("```")[0]
    words = shlex.split(command.replace("\\\n", " ").replace("[1000,10000,30000]", "[60,80]"))
    words += ["--format", "json", "-q"]
    done = CliRunner().invoke(main, ["run", "standard-scaling", "-r", "1", *words])
    assert done.exit_code == 0, done.output
    for row in json.loads(done.stdout)["cells"]:
        assert 0 < row["metrics"]["processor-seconds"] < 60


@pytest.fixture
def drawn_by(in_process: None, tmp_path: Path) -> Callable[..., dict[str, set[str]]]:
    """Run a suite with other settings, and return the lines of each of its figures."""

    def lines_of(suite: Suite, **settings: object) -> dict[str, set[str]]:
        small = replace(suite, repetitions=1, **settings)  # type: ignore[arg-type]
        results = run_suite(small, store=tmp_path / "store.sqlite", progress=False)
        # Conditions are no rivals.
        assert bool(results.rankings) == bool(results.best()) == suite.ranks
        fronts = [panel.fronts for panel in tradeoff(results, "AARI", "seconds").panels]
        assert any(fronts) == suite.ranks
        with Store(tmp_path / "store.sqlite") as store:
            libraries = store.run().environment["versions"]
        assert ("fastcluster" in libraries) == any("fc-" in name for name in small.algorithms)
        found = {}
        for figure in suite.figures:
            panels = collect_panels(figure, results)
            found[figure.name] = set(list(panels.values())[-1].lines)
        return found

    return lines_of


@pytest.mark.slow
def test_figures_of_costs_have_the_lines_of_a_method(drawn_by: Any) -> None:
    lines = drawn_by(
        SCALING,
        algorithms=(
            "UPGMA",
            "Single",
            "Ward",
            "scipy-linkage",
            "scipy-linkage[method=ward]",
            "fc-linkage",
        ),
        datasets=("shapes[n=[20, 40]]",),
    )
    assert lines == {
        "standard-scaling-average": {"UPGMA"},
        "standard-scaling-ward": {"Ward", "scipy-linkage[method=ward]"},
        "standard-scaling-single": {"Single", "scipy-linkage", "fc-linkage"},
    }


@pytest.mark.slow
def test_figures_of_noise_have_the_lines_that_vary(drawn_by: Any) -> None:
    lines = drawn_by(
        NOISE,
        algorithms=("Single", "4-AL"),
        datasets=("planted[N0=2, L=2, sigma=[0.05, 0.1, 0.2]]",),
        oracles=("quadruplet-set[noise=[0.0, 0.1]]", "similarities"),
    )
    assert lines == {
        "standard-noise-answers": {"4-AL"},
        "standard-noise-similarities": {"4-AL", "Single"},
    }
