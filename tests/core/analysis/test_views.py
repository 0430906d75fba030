"""The data of figures: positions, intervals, and notes."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from hcbench import Tree
from hcbench.analysis import axes, differences, ranking_texts, ranks, views
from hcbench.analysis.tradeoffs import pareto_front, tradeoff
from hcbench.errors import HcbenchError
from hcbench.figures import palette
from hcbench.figures.palette import PALETTE, PALETTE_DARK, REFERENCE, REFERENCE_DARK, looks_for
from hcbench.model.cost import Cost
from hcbench.model.trees import Partition
from hcbench.pages import report
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench.results.overviews import make_tables
from hcbench.results.results import Results
from hcbench.store.codec import count_items, encode_result
from tests.core.planned import planned
from tests.core.trees import trees

AARI = MetricInfo("AARI", "higher")
SECONDS = MetricInfo("seconds", "lower", "s", cost=True)
DEPTH = MetricInfo("depth", "none")


def cell(
    algorithm: str,
    repetition: int = 0,
    dataset: str = "d",
    oracle: str = "v",
    *,
    budget: int | None = None,
    checkpoints: dict[int, float] | None = None,
    digest: str = "",
    seconds: float = 0.5,
    queries: int | None = None,
    **values: Any,
) -> Outcome:
    points = [
        ScoredPoint(checkpoint=at, queries=at, values={"AARI": Value(value)})
        for at, value in (checkpoints or {}).items()
    ]
    end = ScoredPoint(
        queries=queries, values={name: Value(value) for name, value in values.items()}
    )
    return Outcome(
        key=f"{algorithm}/{dataset}/{oracle}/{budget}/{repetition}",
        algorithm=algorithm,
        dataset=dataset,
        oracle=oracle,
        repetition=repetition,
        seed=0,
        budget=budget,
        cost=Cost(seconds=seconds, queries=queries),
        data_digest=digest,
        points=(*points, end),
    )


def failure(algorithm: str, repetition: int = 0, dataset: str = "d", status: Any = "error") -> Any:
    made = cell(algorithm, repetition, dataset)
    return replace(made, status=status, reason="it hurts", points=())


def results(outcomes: list[Outcome], *metrics: MetricInfo, **more: Any) -> Results:
    known = more.pop("parameters", {})
    return Results(outcomes, metrics or (AARI,), **planned(outcomes, **known), **more)


# ---- Axes ----------------------------------------------------------------------------------------


def test_axes_are_the_numbers_that_vary_within_one_name() -> None:
    outcomes = [
        cell(f"A[k={k},how=x]", dataset=f"planted[delta={d}]", oracle=f"q[p={p}]", budget=b, AARI=1)
        for k, d, p, b in itertools.product((1, 2), (0.1, 0.2), (0.5, 1), (10, 20))
    ]
    outcomes += [cell("B[k=7]", dataset="iris[delta=9]", AARI=1)]
    found = {axis.id: axis.values for axis in axes.axes_of(results(outcomes))}
    assert found == {
        "dataset.delta": (0.1, 0.2),
        "oracle.p": (0.5, 1.0),
        "algorithm.k": (1.0, 2.0),
        "budget": (10.0, 20.0),
    }


def test_a_default_outside_of_labels_is_a_position_too() -> None:
    outcomes = [cell("A", dataset=d, AARI=1) for d in ("planted", "planted[delta=0.2]")]
    known = {"datasets": {"planted": {"delta": 0.1}, "planted[delta=0.2]": {"delta": 0.2}}}
    shown = results(outcomes, parameters=known)
    assert [axis.values for axis in axes.axes_of(shown)] == [(0.1, 0.2)]
    (panel,) = views.curves(shown, "delta", "AARI").panels
    assert [point.x for point in panel.lines[0].points] == [0.1, 0.2]


def test_a_missing_or_ambiguous_axis_is_reported() -> None:
    outcomes = [
        cell(f"A[p={k}]", dataset=f"d[p={d}]", AARI=1) for k, d in itertools.product((1, 2), (3, 4))
    ]
    shown = results(outcomes)
    with pytest.raises(HcbenchError, match=r"q does not vary .*: dataset\.p, algorithm\.p"):
        axes.find_axis(shown, "q")
    with pytest.raises(HcbenchError, match=r"write dataset\.p or algorithm\.p"):
        axes.find_axis(shown, "p")
    assert axes.find_axis(shown, "DATASET.P").values == (3.0, 4.0)
    with pytest.raises(HcbenchError, match="nothing does"):
        axes.find_axis(results([cell("A", AARI=1)]), "p")


def test_a_metric_has_its_name_in_any_case_or_without_parameters() -> None:
    shown = results([cell("A")], MetricInfo("AARI[levels=2]"), SECONDS)
    assert axes.find_metric(shown, "aari").label == "AARI[levels=2]"
    assert axes.find_metric(shown, "queries").unit == "queries"  # each call has it
    with pytest.raises(HcbenchError, match=r"ARI was not measured; there are AARI\[levels=2\]"):
        axes.find_metric(shown, "ARI")


# ---- Curves --------------------------------------------------------------------------------------


def test_figure_2_is_one_view() -> None:
    """A panel for each p and a line per algorithm; methods without comparisons are in all."""
    outcomes = [
        cell(name, r, f"planted[delta={d},N0=5]", oracle, AARI=d * 10 + r)
        for name, oracles in (
            ("4-AL", ("quadruplet-set[p=0.1]", "quadruplet-set[p=1.0]")),
            ("UPGMA", ("similarities",)),
            ("Random", ("quadruplet-set[p=0.1]", "similarities")),
        )
        for oracle, d, r in itertools.product(oracles, (0.02, 0.05), range(3))
    ]
    shown = results(outcomes, references=("Random",))
    found = views.curves(shown, "delta", "AARI")
    assert [panel.title for panel in found.panels] == ["p = 0.1", "p = 1"]
    assert [[line.name for line in panel.lines] for panel in found.panels] == [
        ["4-AL", "UPGMA", "Random, quadruplet-set", "Random, similarities"],
        ["4-AL", "UPGMA", "Random, similarities"],
    ]
    first, second = found.panels[0].lines[0].points
    assert (first.x, first.average, first.n) == (0.02, pytest.approx(1.2), 3)  # 0.2, 1.2, 2.2
    assert first.low is not None
    assert first.high is not None
    # Student's t of two degrees of freedom: 4.303 standard errors of 1 / sqrt(3).
    assert (first.low, first.high) == pytest.approx((1.2 - 2.484, 1.2 + 2.484), abs=1e-3)
    assert second.x == 0.05
    assert [line.reference for line in found.panels[1].lines] == [False, False, True]


def test_an_active_algorithm_is_in_the_panel_of_its_proportion() -> None:
    """Such as 4K-AL-act in figure 2, whose p is a parameter of the algorithm."""
    outcomes = [cell("A", 0, f"d[x={x}]", f"q[p={p}]", AARI=p) for x in (1, 2) for p in (0.1, 1)]
    outcomes += [
        cell(f"Act[p={p}]", 0, f"d[x={x}]", "act", AARI=p) for x in (1, 2) for p in (0.1, 1.0)
    ]
    found = views.curves(results(outcomes), "x", "AARI")
    assert [panel.title for panel in found.panels] == ["p = 0.1", "p = 1"]
    for panel, p in zip(found.panels, (0.1, 1.0), strict=True):
        assert [line.name for line in panel.lines] == ["A", "Act"]
        assert {point.average for line in panel.lines for point in line.points} == {p}


def test_algorithms_without_the_parameter_are_horizontal_lines() -> None:
    outcomes = [cell("A", oracle=f"q[p={p}]", AARI=p) for p in (0.1, 0.5, 1.0)]
    (panel,) = views.curves(results([*outcomes, cell("B", AARI=0.7)]), "p", "AARI").panels
    assert [(line.name, line.flat) for line in panel.lines] == [("A", False), ("B", True)]
    assert [(point.x, point.average) for point in panel.lines[1].points] == [(0.1, 0.7), (1.0, 0.7)]


def test_data_without_the_parameter_are_no_horizontal_line() -> None:
    outcomes = [cell("A", dataset=f"d[p={p}]", AARI=p) for p in (1, 2)]
    (panel,) = views.curves(
        results([*outcomes, cell("A", dataset="iris", AARI=5)]), "p", "AARI"
    ).panels
    assert [[point.average for point in line.points] for line in panel.lines] == [[1.0, 2.0]]


def test_other_parameters_of_algorithms_are_lines_and_of_data_panels() -> None:
    outcomes = [
        cell(f"A[how={how}]", dataset=f"d[p={p},q={q}]", AARI=p)
        for how, p, q in itertools.product("xy", (1, 2), (3, 4))
    ]
    found = views.curves(results(outcomes), "p", "AARI")
    assert [panel.title for panel in found.panels] == ["q = 3", "q = 4"]
    assert [line.name for line in found.panels[0].lines] == ["A[how=x]", "A[how=y]"]


def test_budgets_and_checkpoints_are_axes() -> None:
    outcomes = [cell("A", oracle="q", budget=b, AARI=b) for b in (10, 20)]
    (panel,) = views.curves(results([*outcomes, cell("B", AARI=5)]), "budget", "AARI").panels
    assert [[(p.x, p.average) for p in line.points] for line in panel.lines] == [
        [(10.0, 10.0), (20.0, 20.0)],
        [(10.0, 5.0), (20.0, 5.0)],
    ]
    anytime = cell("A", oracle="q", checkpoints={5: 0.1, 50: 0.4}, AARI=0.9)
    (panel,) = views.curves(results([anytime]), "checkpoint", "AARI").panels
    assert [(p.x, p.average) for p in panel.lines[0].points] == [(5.0, 0.1), (50.0, 0.4)]


def test_failures_and_infinite_values_are_counted_gaps() -> None:
    outcomes = [
        cell("A", 0, "d[p=1]", AARI=1.0),
        failure("A", 1, "d[p=1]"),
        cell("A", 0, "d[p=2]", AARI=math.nan),
        cell("A", 0, "d[p=3]", AARI=math.inf),
        cell("A", 0, "d[p=4]", AARI=4.0),
    ]
    (panel,) = views.curves(results(outcomes), "p", "AARI").panels
    (line,) = panel.lines
    assert [(p.x, p.average, p.n, p.failed) for p in line.points] == [(1, 1, 1, 1), (4, 4, 1, 0)]
    assert [(p.low, p.high) for p in line.points] == [(None, None), (None, None)]
    with pytest.raises(HcbenchError, match="AARI has no values at two places of p"):
        views.curves(results(outcomes[2:4]), "p", "AARI")


# ---- Growth --------------------------------------------------------------------------------------


def grown(*sizes: int, dataset: str = "d[N={}]", factor: float = 1e-6) -> list[Outcome]:
    return [
        cell(name, r, dataset.format(n), digest=f"{n}", seconds=factor * n**power, AARI=1)
        for n in sizes
        for r in range(2)
        for name, power in (("A", 1), ("B", 2))
    ]


def test_exponents_are_those_of_the_powers() -> None:
    sizes = {"10": 100, "20": 200, "40": 400, "80": 800}
    shown = results(grown(10, 20, 40, 80), sizes=sizes)
    found = views.scaling(shown)
    assert (found.x.id, found.metric.label) == ("n", "seconds")
    (panel,) = found.panels
    laws = [line.fit for line in panel.lines]
    assert [law and law.exponent for law in laws] == [pytest.approx(1.0), pytest.approx(2.0)]
    assert [law and law.high - law.low for law in laws] == [pytest.approx(0, abs=1e-6)] * 2
    assert [law and law.factor for law in laws] == [pytest.approx(1e-7), pytest.approx(1e-8)]
    assert [point.x for point in panel.lines[0].points] == [100.0, 200.0, 400.0, 800.0]


def test_without_sizes_the_only_parameter_of_the_data_serves() -> None:
    assert views.scaling(results(grown(10, 20))).x.id == "dataset.N"
    with pytest.raises(HcbenchError, match="number of items is the same"):
        views.scaling(results([cell("A", AARI=1)]))


def test_parameters_that_do_not_change_the_size_are_panels() -> None:
    outcomes = [o for law in ("x", "y") for o in grown(10, 20, dataset=f"d[N={{}},law={law}]")]
    sizes = {"10": 10, "20": 20}
    found = views.scaling(results(outcomes, sizes=sizes))
    assert [panel.title for panel in found.panels] == ["law = x", "law = y"]


def test_data_sets_of_one_size_each_are_one_panel() -> None:
    outcomes = [cell("A", dataset=d, digest=d, AARI=1) for d in ("iris", "wine")]
    (panel,) = views.scaling(results(outcomes, sizes={"iris": 150, "wine": 178})).panels
    assert [point.x for point in panel.lines[0].points] == [150.0, 178.0]


@given(trees())
def test_the_number_of_items_of_a_stored_tree(tree: Tree) -> None:
    assert count_items(encode_result(tree)) == tree.n


def test_the_number_of_items_of_a_stored_partition() -> None:
    assert count_items(encode_result(Partition(np.array([0, 1, 0])))) == 3


# ---- Trade-offs ----------------------------------------------------------------------------------


def test_a_front_by_hand() -> None:
    spent = [("A", 10, 0.5), ("B", 20, 0.4), ("C", 30, 0.9), ("D", 30, 0.9), ("E", 40, 0.9)]
    outcomes = [cell(a, oracle="q", queries=q, AARI=v) for a, q, v in spent]
    outcomes += [cell("Free", oracle="v", AARI=0.8), cell("Ref", oracle="q", queries=1, AARI=1.0)]
    outcomes += [cell("F", 0, oracle="q", queries=1, AARI=1.0), failure("F", 1)]
    outcomes[-1] = replace(outcomes[-1], oracle="q")
    (panel,) = tradeoff(results(outcomes, references=("Ref",)), "AARI").panels
    on_front = {point.name for point in panel.points if point.on_front}
    assert on_front == {"A", "C", "D"}
    assert [[panel.points[i].name for i in front] for front in panel.fronts] == [["A", "C", "D"]]
    assert [(level.name, level.y.average) for level in panel.levels] == [("Free", 0.8)]


def test_each_kind_of_queries_has_a_front_and_seconds_have_one() -> None:
    outcomes = [
        cell("A", oracle="q[p=1]", queries=10, seconds=1, AARI=0.5),
        cell("B", oracle="q[p=2]", queries=5, seconds=2, AARI=0.6),
        cell("C", oracle="t", queries=1, seconds=3, AARI=0.4),
    ]
    shown = results(outcomes)
    (panel,) = tradeoff(shown, "AARI", "queries").panels
    assert [[panel.points[i].name for i in front] for front in panel.fronts] == [["B"], ["C"]]
    (panel,) = tradeoff(shown, "AARI", "seconds").panels
    assert [[panel.points[i].name for i in front] for front in panel.fronts] == [["A", "B"]]
    with pytest.raises(HcbenchError, match="nothing has both AARI and rounds"):
        tradeoff(shown, "AARI", "rounds")


def test_checkpoints_are_points_at_their_own_queries() -> None:
    anytime = cell("A", oracle="q", queries=99, checkpoints={5: 0.1, 50: 0.4}, AARI=0.9)
    (panel,) = tradeoff(results([anytime]), "AARI").panels
    assert [(p.checkpoint, p.x.mean, p.y.mean) for p in panel.points] == [
        (5, 5.0, 0.1),
        (50, 50.0, 0.4),
        (None, 99.0, 0.9),
    ]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_a_front_is_not_dominated(losses: list[tuple[int, int]]) -> None:
    expected = {
        i
        for i, a in enumerate(losses)
        if not any(b != a and b[0] <= a[0] and b[1] <= a[1] for b in losses)
    }
    assert set(pareto_front([(float(x), float(y)) for x, y in losses])) == expected


# ---- Rankings ------------------------------------------------------------------------------------


def contest(table: Any, repetitions: int = 2) -> list[Outcome]:
    """Algorithms A, B, ... with these means on data sets 0, 1, ...; NaN is a failure in one."""
    return [
        failure(name, r, f"d{d}")
        if math.isnan(value) and r
        else cell(name, r, f"d{d}", AARI=0.0 if math.isnan(value) else value + (-1) ** r / 100)
        for d, row in enumerate(table)
        for name, value in zip("ABCDEFGH", row, strict=False)
        for r in range(repetitions)
    ]


def test_a_ranking_is_over_data_sets_not_repetitions() -> None:
    table = np.random.default_rng(0).normal(size=(12, 3)) + np.array([0.0, 1.0, 4.0])
    found = ranks.ranking(results(contest(table, 5)), "AARI")
    assert (found.unit, found.n_blocks, found.failed) == ("data set", 12, "worst")
    assert found.competitors == ("C", "B", "A")
    assert found.friedman.statistic == pytest.approx(stats.friedmanchisquare(*table.T).statistic)
    p = [stats.wilcoxon(table[:, i], table[:, j]).pvalue for i, j in ((2, 1), (2, 0), (1, 0))]
    assert [pair.wilcoxon.p for pair in found.pairs] == pytest.approx(p)
    assert found.worse_than_best == ("B", "A")
    assert (found.test, found.nemenyi.value) == ("holm", None)
    assert found.nemenyi.reason == "signed-rank tests decide"
    assert {pair.nemenyi_differs for pair in found.pairs} == {None}
    asked = ranks.ranking(results(contest(table, 5)), "AARI", test="nemenyi")
    assert asked.nemenyi.value == pytest.approx(2.343 * math.sqrt(12 / 72), abs=1e-3)
    apart = [pair.rank_difference > (asked.nemenyi.value or 0) for pair in asked.pairs]
    assert [pair.nemenyi_differs for pair in asked.pairs] == apart
    assert [pair.differs for pair in asked.pairs] == apart
    assert {(pair.p_holm, pair.wilcoxon.p) for pair in asked.pairs} == {(None, None)}


def test_the_treatment_of_failures_is_an_option_and_shown() -> None:
    shown = results(contest([[0.9, math.nan, 0.1], [0.5, 0.6, 0.7], [0.5, 0.4, 0.3]]))
    worst, drop = (ranks.ranking(shown, "AARI", failed=rule) for rule in ("worst", "drop"))
    assert dict(zip(worst.competitors, worst.ranks, strict=True))["B"] == (3 + 2 + 2) / 3
    # Of d0 the repetition in which B failed does not count; in the other B has 0, C 0.11, A 0.91.
    assert drop.n_blocks == 3
    assert dict(zip(drop.competitors, drop.ranks, strict=True)) == {
        "A": 5 / 3,
        "C": 2.0,
        "B": 7 / 3,
    }
    # B failed in one of two repetitions on d0.
    assert worst.failures == {"A": (0, 6), "B": (1, 6), "C": (0, 6)}
    assert (
        "an algorithm ranks last where more than 20 % of its repetitions failed, otherwise by the "
        "others"
    ) in ranking_texts.significance_lines(worst)[0]
    assert "an algorithm failed are excluded" in ranking_texts.significance_lines(drop)[0]


def test_blocks_without_all_algorithms_are_excluded_with_their_reason() -> None:
    outcomes = contest([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    outcomes = [
        replace(o, status="skipped", reason="needs vectors", points=())
        if (o.algorithm, o.dataset) == ("A", "d1")
        else o
        for o in outcomes
        if (o.algorithm, o.dataset) != ("B", "d2")
    ]
    found = ranks.ranking(results(outcomes), "AARI")
    assert found.names == ("d0",)
    assert [(left.block, left.reason) for left in found.excluded] == [
        ("d1", "A: skipped: needs vectors"),
        ("d2", "B: did not run on it"),
    ]
    assert "2 excluded" in ranking_texts.significance_lines(found)[0]


def test_too_few_data_sets_are_reported() -> None:
    found = ranks.ranking(results(contest([[0.9, 0.5, 0.1]] * 2)), "AARI")
    over, omnibus, pairs = ranking_texts.significance_lines(found)
    assert over.startswith("over 2 data sets")
    assert "p = 0.17 (exact)" in omnibus  # 6 of 6^2 ways
    assert "critical difference" not in omnibus
    assert pairs == (
        "too few for any significant difference of two: 3 algorithms need at least 3 data sets "
        "(alpha 0.05)"
    )
    (*_, block) = make_tables(results(contest([[0.9, 0.5, 0.1]] * 2)))
    assert any("too few" in note for note in block.notes)
    assert not any(entry.bold for row in block.rows for entry in row), "no star without a test"


def test_with_few_data_sets_nemenyi_decides_and_all_that_is_shown_is_its() -> None:
    """Of 5 algorithms on 8 data sets no signed-rank test can reject: 10 * 2^-7 = .078."""
    shown = results(contest([[0.9, 0.7, 0.5, 0.3, 0.1]] * 8))
    found = ranks.ranking(shown, "AARI")
    assert found.test == "nemenyi"
    limit = 2.728 * math.sqrt(30 / 48)  # 2.157
    assert found.nemenyi.value == pytest.approx(limit, abs=1e-3)
    assert found.worse_than_best == ("D", "E")  # differences of 3 and 4
    assert [found.competitors[i] for i in found.cliques[0]] == ["A", "B", "C"]
    _, omnibus, pairs = ranking_texts.significance_lines(found)
    assert "p < 0.001" in omnibus
    assert "critical difference 2.16 (Nemenyi, alpha 0.05)" in omnibus
    assert pairs == "significantly worse than A (Nemenyi's test, alpha 0.05): D, E"
    (comparison,) = json.loads(shown.to_json())["significance"]
    assert comparison["test"] == "nemenyi"
    assert comparison["groups"]["holm"] is None
    assert {pair["p_holm"] for pair in comparison["pairs"]} == {None}
    assert sum(pair["differs"] for pair in comparison["pairs"]) == 3  # A-D, A-E, B-E
    written = shown.to_markdown()
    assert "too few" not in written
    assert "Nemenyi" in written
    assert "signed-rank" not in written


@given(st.integers(2, 12), st.integers(1, 20))
def test_the_test_that_is_chosen_can_reject(k: int, n: int) -> None:
    """If all data sets agree on the order, the best and the worst differ, or no test is chosen."""
    order = [[float(k - i) + d / 100 * (i + 1) for i in range(k)] for d in range(n)]
    names = "ABCDEFGHIJKL"[:k]
    outcomes = [
        cell(name, r, f"d{d}", AARI=value)
        for d, row in enumerate(order)
        for name, value in zip(names, row, strict=True)
        for r in range(1)
    ]
    outcomes += [cell(name, 0, "other", AARI=0.5) for name in names]
    found = ranks.ranking(results(outcomes), "AARI")
    test = ranks.choose_test(k, n, 0.05)
    if not test:
        return
    blocks = replace(found, block_of_row=found.names[:n], scores=found.scores[:n])
    again = ranks.rank(blocks, found.metric)
    assert again.test == test
    assert again.pairs[k - 2].differs


def test_an_algorithm_that_failed_once_in_five_is_ranked_by_its_successes() -> None:
    """A is the best on d0 and fails in one repetition; on d1 it fails in two, and ranks last."""
    outcomes = []
    for dataset, failed in (("d0", 1), ("d1", 2)):
        for r in range(5):
            a = cell("A", r, dataset, AARI=0.9 + r / 100)
            outcomes.append(failure("A", r, dataset) if r < failed else a)
            outcomes.append(cell("B", r, dataset, AARI=0.5 + r / 100))
    shown = results(outcomes)
    found = ranks.ranking(shown, "AARI")
    assert dict(zip(found.competitors, found.ranks, strict=True)) == {"A": 1.5, "B": 1.5}
    best = {row["dataset"]: row["algorithm"] for row in shown.best() if row["metric"] == "AARI"}
    assert best == {"d0": "A"}
    first, _, of_ranks = make_tables(shown)
    assert first.header[:2] == ("algorithm", "failed")
    assert [row[1].text for row in first.rows] == ["1 of 5", "0"]
    assert [row[1].text for row in of_ranks.rows[:2]] == ["3 of 10", "0"]
    assert "where more than 20 % failed, an algorithm is not the best and ranks last" in (
        shown.to_markdown().replace("\\", "")
    )


def test_the_table_of_ranks_marks_significantly_worse_algorithms() -> None:
    table = [[0.1, 0.6, 0.3 + d / 100] for d in range(10)]
    shown = results(contest(table))
    (*_, block) = make_tables(shown)
    assert [(row[0].text, row[1].text, row[1].marks) for row in block.rows] == [
        ("B", "1.00", ()),
        ("C", "2.00", (1,)),
        ("A", "3.00", (1,)),
        ("p, Friedman", "< 0.001", ()),
    ]
    assert block.notes[0].startswith("significantly worse than the best")
    assert "over 10 data sets" in block.notes[1]
    for written in (shown.to_markdown(), shown.to_latex()):
        assert "significantly worse" in written
    (comparison,) = json.loads(shown.to_json())["significance"]
    assert (comparison["metric"], comparison["block"], comparison["failed"]) == (
        "AARI",
        "data set",
        "worst",
    )
    assert comparison["friedman"]["p"] < 0.001
    assert [(p["first"], p["second"], p["differs"]) for p in comparison["pairs"]] == [
        ("B", "C", True),
        ("B", "A", True),
        ("C", "A", True),
    ]


def test_two_algorithms_are_compared_by_signed_ranks() -> None:
    found = ranks.ranking(results(contest([[0.1, 0.2]] * 6)), "AARI")
    assert found.friedman.p is None
    assert found.pairs[0].wilcoxon.p == pytest.approx(2 / 2**6)
    assert found.worse_than_best == ("A",)


def test_ranking_errors_are_reported() -> None:
    with pytest.raises(HcbenchError, match="no two algorithms"):
        ranks.ranking(results([cell("A", AARI=1)]), "AARI")
    with pytest.raises(HcbenchError, match="has no better direction"):
        ranks.ranking(results(contest([[1, 2]]), DEPTH), "depth")
    nothing = [failure(a, r, d) for a in "AB" for r in range(2) for d in ("d", "e")]
    with pytest.raises(HcbenchError, match="all have AARI: d: all failed"):
        ranks.ranking(results(nothing), "AARI")
    assert results(nothing).ranking == []


def test_profiles_of_qualities_and_costs() -> None:
    outcomes = [
        cell(name, dataset=f"d{d}", AARI=q, seconds=1)
        for d, row in enumerate(((0.9, 0.5), (0.4, 0.6)))
        for name, q in zip("AB", row, strict=True)
    ]
    timed = [
        replace(o, points=(ScoredPoint(values={**o.points[0].values, "seconds": Value(t)}),))
        for o, t in zip(outcomes, (1.0, 2.0, 3.0, 1.0), strict=True)
    ]
    shown = results(timed, AARI, SECONDS)
    quality = ranks.profile(shown, "AARI")
    assert (quality.profile.by, quality.profile.at(0.3)) == ("difference", [1.0, 0.5])
    cost = ranks.profile(shown, "seconds")
    assert (cost.profile.by, cost.profile.at(2.0)) == ("ratio", [0.5, 1.0])
    with pytest.raises(HcbenchError, match="AARI: ratios need nonnegative costs"):
        ranks.profile(shown, "AARI", by="ratio")


def test_differences_are_paired_by_repetition() -> None:
    scores = {"A": (0.5, 0.9, 0.7, 0.8), "B": (0.4, 0.7, 0.4, 0.5), "C": (0.49, 0.1, 0.5, 0.7)}
    outcomes = [
        cell(a, r, digest=f"{r}", AARI=v)
        for a, values in scores.items()
        for r, v in enumerate(values)
    ]
    outcomes[4] = failure("B", 0)
    outcomes.append(cell("Ref", AARI=9.0))
    found = differences.paired_differences(results(outcomes, references=("Ref",)), "AARI")
    assert [(d.best, d.other, d.difference.n) for d in found] == [("A", "B", 3), ("A", "C", 4)]
    assert found[0].difference.mean == pytest.approx(0.8 / 3)  # 0.2, 0.3 and 0.3
    assert [d.differs for d in found] == [True, False]
    for pair in found:
        assert pair.difference.low is not None
        assert pair.differs == (pair.difference.low > 0)
    assert differences.paired_differences(results([cell("A", AARI=1)]), "AARI") == ()


def test_deterministic_algorithms_differ_if_their_values_do() -> None:
    outcomes = [cell(name, r, AARI=v) for name, v in (("A", 0.5), ("B", 0.4)) for r in (0, 1)]
    fixed = {"algorithms": ("A", "B"), "datasets": ("d",), "oracles": ("v",)}
    for deterministic, differs in ((fixed, True), ({}, None)):
        shown = results(outcomes, deterministic=deterministic)
        (pair,) = differences.paired_differences(shown, "AARI")
        assert pair.differs is differs
        assert pair.note == ("" if differs else "all repetitions have the same data")


def test_equal_differences_of_random_algorithms_are_undecided() -> None:
    outcomes = [
        cell(name, r, digest=f"{r}", AARI=v)
        for name, v in (("A", 0.5), ("B", 0.25))
        for r in range(5)
    ]
    (pair,) = differences.paired_differences(results(outcomes), "AARI")
    assert (pair.differs, pair.difference.low) == (None, None)
    assert pair.note == ("undecided: 5 equal values exclude a jump of probability above 0.45")


# ---- The palette ---------------------------------------------------------------------------------


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_line_colours_have_contrast_on_light_and_dark_backgrounds() -> None:
    css = (Path(report.__file__).parent / "assets" / "base.css").read_text()
    light, dark = re.findall(r"--ground: (#[0-9a-f]{6});", css)[:2]
    assert (light, contrast(light, "#ffffff")) == ("#ffffff", 1.0)  # as on paper
    assert contrast(dark, "#000000") < 2
    for colour in (*PALETTE, REFERENCE):
        assert contrast(colour, light) >= 3, colour
    for colour in (*PALETTE_DARK, REFERENCE_DARK):
        assert contrast(colour, dark) >= 4.5, colour


def test_line_styles_are_distinct() -> None:
    looks = looks_for([f"a{i}" for i in range(64)], references=["a3"])
    assert len({(look.colour, look.dash) for look in looks.values()}) == 64
    assert looks["a3"].marker == ""
    assert len(set(PALETTE)) == len(set(PALETTE_DARK)) == 16


def test_variants_of_an_algorithm_have_its_colour() -> None:
    outcomes = [cell("A", oracle=o, AARI=1) for o in ("x", "y")] + [cell("B", AARI=1)]
    looks = palette.looks_of(results(outcomes), ["A, oracle x", "A, oracle y", "B"])
    one, other = looks["A, oracle x"], looks["A, oracle y"]
    assert one.colour == other.colour == looks["A"].colour != looks["B"].colour
    assert (one.marker, one.dash) != (other.marker, other.dash)
