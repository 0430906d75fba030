"""Figures of suites that are described by what is drawn against what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hcbench.errors import DataNotAvailableError, HcbenchError, SuiteError
from hcbench.figures import FigureView, new_figure
from hcbench.figures.suite_curves import add_claims, draw_curves
from hcbench.figures.suite_panels import Printed, collect_panels
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench.registry import load_registry
from hcbench.registry.figure import Figure
from hcbench.registry.suite import Claim, Suite
from hcbench.registry.suite_files import read_suite
from hcbench.results.results import Results
from hcbench.store import Store

METRICS = (MetricInfo("error", "lower"), MetricInfo("items", "none"), MetricInfo("limit", "none"))
PARAMETERS = {
    "algorithms": {"A[k=1]": {"k": 1}, "A[k=2]": {"k": 2}},
    "datasets": {f"d[n={n},s={s}]": {"n": n, "s": s} for n in (10, 20) for s in ("x", "y")},
    "oracles": {"o": {}},
}
CLAIM = Claim(
    claim="Errors are few",
    algorithm="A[k=1]",
    dataset="*",
    metric="error",
    relation="<=",
    paper="9",
    every_repetition=True,
)


def results() -> Results:
    """Errors are n + 100 k in the first repetition, and 2 more in the second."""
    outcomes = []
    for algorithm, of_algorithm in PARAMETERS["algorithms"].items():
        for dataset, of_data in PARAMETERS["datasets"].items():
            for repetition in (0, 1):
                n = of_data["n"]
                error = n + 100 * of_algorithm["k"] + 2 * repetition
                values = {"error": Value(error), "items": Value(n), "limit": Value(5 * n)}
                outcomes.append(
                    Outcome(
                        key=f"{algorithm}/{dataset}/{repetition}",
                        algorithm=algorithm,
                        dataset=dataset,
                        oracle="o",
                        repetition=repetition,
                        seed=0,
                        points=(ScoredPoint(values=values),),
                    )
                )
    suite = Suite(name="s", datasets=tuple(PARAMETERS["datasets"]), claims=(CLAIM,))
    return Results(outcomes, METRICS, suite, parameters=PARAMETERS)


def figure(**changes: Any) -> Figure:
    return Figure(**{"name": "f", "doc": "d", "x": "dataset.n", "metric": "error", **changes})


def test_a_panel_has_a_line_for_each_algorithm() -> None:
    panels = collect_panels(figure(panel=("dataset.s",)), results())
    assert list(panels) == ["s = x", "s = y"]
    lines = panels["s = x"].lines
    assert lines == {
        "A[k=1]": {10: [110, 112], 20: [120, 122]},
        "A[k=2]": {10: [210, 212], 20: [220, 222]},
    }


def test_a_parameter_of_the_axis_is_not_in_the_name_of_a_line() -> None:
    panels = collect_panels(figure(x="algorithm.k", panel=("dataset.s", "dataset.n")), results())
    assert panels["s = y, n = 20"].lines == {"A": {1: [120, 122], 2: [220, 222]}}


def test_lines_may_differ_by_parameters_and_be_restricted() -> None:
    drawn = figure(line=("dataset.s",), where=("algorithm.k=2",))
    (panel,) = collect_panels(drawn, results()).values()
    assert panel.lines == {
        "s = x": {10: [210, 212], 20: [220, 222]},
        "s = y": {10: [210, 212], 20: [220, 222]},
    }


def test_values_and_bounds_are_divided_by_a_metric() -> None:
    drawn = figure(per="items", bound=("limit", "7"), where=("algorithm.k=1", "dataset.s=x"))
    (panel,) = collect_panels(drawn, results()).values()
    assert panel.lines["A[k=1]"][20] == [6.0, 6.1]
    assert panel.bounds == {"limit": {10: 5.0, 20: 5.0}, "7": {10: 7.0, 20: 7.0}}


def test_only_what_is_claimed_may_be_drawn() -> None:
    drawn = figure(claims=("Errors",), only_claimed=True, panel=("dataset.s",))
    panels = collect_panels(drawn, results())
    assert [list(panel.lines) for panel in panels.values()] == [["A[k=1]"], ["A[k=1]"]]


def test_nothing_measured_is_missing_data() -> None:
    with pytest.raises(DataNotAvailableError, match=r"error was not measured against dataset\.m"):
        collect_panels(figure(x="dataset.m"), results())


def test_several_metrics_are_panels_or_lines() -> None:
    drawn = figure(metric="error, items", panel=("metric",), where=("dataset.s=x",))
    panels = collect_panels(drawn, results())
    assert list(panels) == ["error", "items"]
    assert panels["items"].lines["A[k=1]"] == {10: [10, 10], 20: [20, 20]}
    drawn = figure(metric="items, limit", line=("metric",), where=("dataset=d[s=x, *]",))
    with pytest.raises(HcbenchError, match=r"two runs have dataset.n = 10 on the line 'items'"):
        collect_panels(drawn, results())
    one = replace(drawn, where=(*drawn.where, "algorithm=A[k=1]"))
    (panel,) = collect_panels(one, results()).values()
    assert panel.lines == {
        "items": {10: [10, 10], 20: [20, 20]},
        "limit": {10: [50, 50], 20: [100, 100]},
    }


def test_conditions_have_alternatives_and_names() -> None:
    drawn = figure(where=("algorithm.k=1|3", "dataset=d[n=[10, 20], s=x], e"))
    (panel,) = collect_panels(drawn, results()).values()
    assert panel.lines == {"A[k=1]": {10: [110, 112], 20: [120, 122]}}
    # A parameter that nothing has is "none".
    with_none = figure(where=("algorithm.k=2|", "oracle.p=1|", "dataset.s=x"))
    (panel,) = collect_panels(with_none, results()).values()
    assert list(panel.lines) == ["A[k=2]"]
    with pytest.raises(DataNotAvailableError):
        collect_panels(figure(where=("oracle.p=1",)), results())


def test_what_lacks_a_parameter_of_the_panels_is_in_all_of_them() -> None:
    plain_label = {"algorithms": {**PARAMETERS["algorithms"], "A[k=2]": {}}}
    many = results()
    many = Results(many.outcomes, METRICS, many.suite, parameters={**PARAMETERS, **plain_label})
    drawn = figure(panel=("dataset.s", "oracle.k|algorithm.k"), line=("algorithm.k",))
    panels = collect_panels(drawn, many)
    assert list(panels) == ["s = x, k = 1", "s = y, k = 1"]
    assert [sorted(panel.lines) for panel in panels.values()] == [["", "k = 1"]] * 2


def test_panels_of_numbers_are_in_their_order() -> None:
    panels = collect_panels(
        figure(x="algorithm.k", panel=("dataset.n",), line=("dataset.s",)), results()
    )
    assert list(panels) == ["n = 10", "n = 20"]


def test_algorithms_without_x_are_levels() -> None:
    outcomes = []
    for outcome in results().outcomes:
        if outcome.algorithm == "A[k=2]":
            outcome = replace(outcome, algorithm="B")
        outcomes.append(outcome)
    parameters = {**PARAMETERS, "algorithms": {"A[k=1]": {"k": 1}, "B": {}}}
    many = Results(outcomes, METRICS, results().suite, parameters=parameters)
    where = ("algorithm.k=1", "dataset.s=x")
    drawn = figure(x="algorithm.k", level=("B",), panel=("dataset.n",), where=where)
    panels = collect_panels(drawn, many)
    assert [panel.levels for panel in panels.values()] == [{"B": 211}, {"B": 221}]
    assert [list(panel.lines) for panel in panels.values()] == [["A"], ["A"]]


def test_a_metric_may_be_the_horizontal_axis() -> None:
    drawn = figure(x="limit", x_per="items", where=("algorithm.k=1", "dataset.s=x", "dataset.n=10"))
    (panel,) = collect_panels(drawn, results()).values()
    assert panel.lines == {"A[k=1]": {5.0: [110, 112]}}
    runs = figure(x="error", band="runs", metric="items", x_per="dataset.n", where=drawn.where)
    (panel,) = collect_panels(runs, results()).values()
    assert panel.lines == {"A[k=1]": {11.0: [10], 11.2: [10]}}


def claimed(**changes: Any) -> Results:
    """Results with one claim about A[k=1] where s is x."""
    claim = replace(CLAIM, dataset="d[n=[10, 20], s=x]", **changes)
    many = results()
    return Results(
        many.outcomes, METRICS, replace(many.suite, claims=(claim,)), parameters=PARAMETERS
    )


def test_printed_numbers_are_at_the_place_of_the_claim() -> None:
    drawn = figure(claims=("Errors",), printed=True, panel=("dataset.s",))
    panels = collect_panels(drawn, claimed())
    points = [Printed(10, 9, "<="), Printed(20, 9, "<=")]
    assert panels["s = x"].printed == {"A[k=1]": points}
    assert panels["s = y"].printed == {}


def test_a_bound_that_is_a_metric_is_printed_in_the_units_of_the_axis() -> None:
    drawn = figure(claims=("Errors",), printed=True, per="items")
    (panel,) = collect_panels(
        replace(drawn, where=("dataset.s=x",)), claimed(paper="", than_metric="limit")
    ).values()
    assert panel.printed == {"A[k=1]": [Printed(10, 5, "<="), Printed(20, 5, "<=")]}


def test_a_comparison_with_another_run_prints_nothing() -> None:
    drawn = figure(claims=("Errors",), printed=True, where=("dataset.s=x",))
    (panel,) = collect_panels(drawn, claimed(paper="", better_than="A[k=2]")).values()
    assert panel.printed == {}


def test_a_printed_rate_is_a_slope() -> None:
    drawn = figure(claims=("Errors",), printed=True, where=("dataset.s=x",))
    rate = claimed(exponent="n", paper="0.5", every_repetition=False)
    (panel,) = collect_panels(drawn, rate).values()
    assert panel.slopes == ["0.5"]


def test_panels_may_be_of_claims() -> None:
    drawn = figure(claims=("Errors",), only_claimed=True, panel=("claim",))
    panels = collect_panels(drawn, claimed())
    assert {title: list(panel.lines) for title, panel in panels.items()} == {
        "Errors are few": ["A[k=1]"]
    }


@pytest.mark.parametrize("band", ["", "interval", "deviation", "maximum", "runs"])
def test_a_drawing_has_the_means_and_the_verdicts(band: str, tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        view = FigureView(results(), store, load_registry())
        described = figure(panel=("dataset.s",), band=band, log="x", claims=("Errors",))
        drawing = draw_curves(described, view)
        add_claims(drawing, described, view.results)
    first, second = drawing.axes
    assert (first.get_title(), second.get_title()) == ("s = x", "s = y")
    heights = [list(line.get_ydata()) for line in first.lines]
    assert ([111, 121] in heights) == (band != "runs")
    assert ([110, 112, 120, 122] in heights) == (band == "runs")
    assert ([112, 122] in heights) == (band == "maximum")
    assert "Errors are few (≤ 9 in every repetition): all 4 differ" in drawing.get_supxlabel()
    labels = [text.get_text() for text in second.get_legend().get_texts()]
    assert labels == ["A[k=1]", "A[k=2]"]


def test_many_claims_are_counted() -> None:
    claims = tuple(replace(CLAIM, claim=f"Errors {k}", algorithm="A[k=1]") for k in range(9))
    many = results()
    many = Results(
        many.outcomes, METRICS, replace(many.suite, claims=claims), parameters=PARAMETERS
    )
    drawing, _ = new_figure()
    add_claims(drawing, figure(claims=("Errors",)), many)
    assert drawing.get_supxlabel() == "Errors: 36 differ"


def test_a_value_beyond_the_axis_is_told(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        view = FigureView(results(), store, load_registry())
        drawing = draw_curves(figure(limits=(0, 200), where=("dataset.s=x",)), view)
    assert [text.get_text() for text in drawing.axes[0].texts] == ["A[k=2]: up to 221"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": ""}, "needs x and metric, or a function"),
        ({"x": "data.n"}, "'data.n' is no parameter; write algorithm.NAME, dataset.NAME"),
        ({"panel": ("n",)}, "'n' is no parameter; write algorithm.NAME, dataset.NAME"),
        ({"panel": ("claim",)}, "a claim is a property with only_claimed only"),
        ({"printed": True}, "has no claims, which only_claimed and printed draw"),
        ({"band": "sd"}, "band is one of interval, deviation, maximum, runs; got 'sd'"),
        ({"log": "n"}, "log is x, y or xy; got 'n'"),
        ({"where": ("dataset.n",)}, "'dataset.n' is no dataset.NAME=value"),
        ({"function": "m:f"}, "has a function, which draws no x and metric"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SuiteError, match=message.replace(".", r"\.")):
        figure(**changes)


def test_a_figure_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(
        "[[figures]]\nname = 'f'\ndoc = 'd'\nx = 'dataset.n'\nmetric = 'error'\n"
        "panel = ['dataset.s']\nlimits = [0, 200]\n"
    )
    assert read_suite(path).figures == (figure(panel=("dataset.s",), limits=(0.0, 200.0)),)
