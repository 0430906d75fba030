"""No number says more than is known: each test is a way in which a table or figure once misled."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hcbench.analysis import ranking_texts, ranks, views
from hcbench.analysis.inference import allowed_inference
from hcbench.analysis.tradeoffs import tradeoff
from hcbench.model.cost import Cost
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench.registry import load_registry
from hcbench.results.overviews import make_tables
from hcbench.results.results import Results

AARI = MetricInfo("AARI", "higher", interval="[-1, 1]")
SECONDS = MetricInfo("seconds", "lower", "s", cost=True)
QUERIES = MetricInfo("queries", "lower", "queries", cost=True)
NEGATIVE = "some similarities are negative"
DASGUPTA = MetricInfo("dasgupta", "lower", interval="[0, 1.5]", outside=NEGATIVE)


def cell(
    algorithm: str,
    repetition: int,
    dataset: str = "d",
    oracle: str = "v",
    *,
    data: str = "",
    **values: Any,
) -> Outcome:
    """``data``: the digest of the data of this repetition."""
    return Outcome(
        key=f"{algorithm}/{dataset}/{repetition}",
        algorithm=algorithm,
        dataset=dataset,
        oracle=oracle,
        repetition=repetition,
        data_digest=data,
        cost=Cost(seconds=0.5),
        points=(
            ScoredPoint(
                values={
                    label: value if isinstance(value, Value) else Value(value)
                    for label, value in values.items()
                }
            ),
        ),
    )


def results(outcomes: list[Outcome], *metrics: MetricInfo, **more: Any) -> Results:
    return Results(outcomes, metrics or (AARI,), **more)


# ---- Pseudo-replication --------------------------------------------------------------------------


#: Small, so that the order of the algorithms is the same in each repetition.
NOISE = dict(zip("ABCD", np.random.default_rng(0).normal(0, 0.01, (4, 12)).tolist(), strict=True))


def repeated(*, new_data: bool, repetitions: int = 12) -> Results:
    """Four algorithms whose order is the same in each repetition."""
    return results(
        [
            cell(name, r, data=f"{r}" if new_data else "same", AARI=score + NOISE[name][r % 12])
            for name, score in (("A", 0.9), ("B", 0.8), ("C", 0.7), ("D", 0.6))
            for r in range(repetitions)
        ]
    )


def test_repetitions_on_the_same_data_give_no_test_and_one_line_says_why() -> None:
    found = repeated(new_data=False)
    ranking = ranks.ranking(found, "AARI")
    assert (ranking.unit, ranking.n_blocks) == ("data set", 1)
    assert ranking.friedman.p is None
    assert ranking.nemenyi.value is None
    assert {pair.wilcoxon.p for pair in ranking.pairs} == {None}
    assert ranking.worse_than_best == ()
    why = "all repetitions on d have the same data"
    assert ranking_texts.significance_lines(ranking)[1:] == (f"no test of differences: {why}",)
    (comparison,) = json.loads(found.to_json())["significance"]
    assert comparison["friedman"]["reason"] == comparison["nemenyi"]["reason"] == why
    assert not any(pair["differs"] for pair in comparison["pairs"])
    assert found.inference.reason == why
    assert len(make_tables(found)) == 1  # no table of ranks, which would have no test


def test_repetitions_with_new_data_are_blocks_of_a_statement_about_their_generator() -> None:
    found = repeated(new_data=True)
    ranking = ranks.ranking(found, "AARI")
    assert (ranking.unit, ranking.n_blocks, ranking.inference.subject) == ("repetition", 12, "d")
    assert ranking.friedman.p == pytest.approx(1e-4)  # the least of 10,000 permutations
    assert ranking.worse_than_best == ("B", "C", "D")
    over, *_ = ranking_texts.significance_lines(ranking)
    assert over.startswith(
        "over 12 repetitions (each with new data, so that conclusions hold for d"
    )
    title = make_tables(found)[-1].title
    assert title == "average rank, 1 is best"


def test_one_repetition_gives_no_test() -> None:
    found = repeated(new_data=True, repetitions=1)
    assert found.inference.reason == "there is one repetition on d"
    assert ranks.ranking(found, "AARI").friedman.p is None


def test_data_sets_are_blocks_however_often_they_are_repeated() -> None:
    outcomes = [
        cell(name, r, dataset, data=f"{dataset}{r}", AARI=score)
        for dataset in ("d", "e")
        for name, score in (("A", 0.9), ("B", 0.8), ("C", 0.7))
        for r in range(12)
    ]
    ranking = ranks.ranking(results(outcomes), "AARI")
    assert (ranking.unit, ranking.n_blocks) == ("data set", 2)
    assert ranking.inference.draws == {"d": True, "e": True}
    assert ranking.worse_than_best == ()


def test_data_are_new_only_if_all_repetitions_differ() -> None:
    for digests, new in [("abc", True), ("aab", False), ("aaa", False), ("a", False), ("", False)]:
        outcomes = [cell("A", r, data=digest) for r, digest in enumerate(digests)]
        outcomes.append(replace(cell("B", 0), data_digest=""))  # it failed before it had data
        groups = results(outcomes).groups
        assert allowed_inference(groups).draws == {"d": new}


def test_differences_on_the_same_data_are_not_said_to_be_significant() -> None:
    for new, differs in [(True, True), (False, None)]:
        rows = json.loads(repeated(new_data=new).to_json())["differences"]
        assert {row["differs"] for row in rows} == {differs}


def test_samples_of_fixed_items_are_no_independent_repetitions() -> None:
    found = replace(repeated(new_data=True), dependent_data=("d",))
    assert found.inference.reason == "all repetitions on d have some of the same items"
    rows = json.loads(found.to_json())["differences"]
    assert {(row["differs"], row["note"]) for row in rows} == {
        (None, "all repetitions have some of the same items")
    }


@pytest.mark.parametrize("name", ["iris", "file", "wordnet", "rcv1", "20newsgroups", "products"])
def test_data_sets_that_sample_fixed_items_say_so(name: str) -> None:
    (spec,) = [e.spec for e in load_registry().datasets.entries if e.spec.name == name]
    params = {p.name: "x.csv" for p in spec.parameters if p.required}
    assert spec.dependent_with(spec.resolve({**params, "n": 10}))
    if name in ("iris", "file"):
        assert not spec.dependent_with(spec.resolve(params))


def shown(found: Results) -> list[list[str]]:
    """The texts of the first table, with a star for what is bold and the text of each footnote."""
    block = make_tables(found)[0]
    return [
        [
            f"{entry.text}{'*' * entry.bold}"
            + "".join(f" ({block.notes[mark - 1]})" for mark in entry.marks)
            for entry in row
        ]
        for row in block.rows
    ]


def test_equal_repetitions_are_one_number() -> None:
    outcomes = [cell("A", r, AARI=0.5) for r in range(3)]
    outcomes += [cell("B", r, AARI=0.4 + r / 10) for r in range(3)]
    assert shown(results(outcomes)) == [["A", "0.500"], ["B", "0.500 ± 0.100"]]
    assert "± 0 " not in results(outcomes).to_markdown()


# ---- Metrics that leave their range, and the truth -----------------------------------------------


def test_a_metric_that_leaves_its_range_says_why_and_ranks_nothing() -> None:
    outcomes = [
        cell(name, 0, dataset, dasgupta=value)
        for dataset, values in (("d", (-0.494, 0.8)), ("e", (0.6, 0.7)), ("f", (0.6, 0.7)))
        for name, value in zip("AB", values, strict=True)
    ]
    found = results(outcomes, DASGUPTA)
    why = f"outside of [0, 1.5], as {NEGATIVE}"
    assert shown(found) == [["A", f"-0.494 ({why}: not ranked)"], ["B", "0.800"]]
    ranking = ranks.ranking(found, "dasgupta")
    assert ranking.names == ("e", "f")
    assert [(b.block, b.reason) for b in ranking.excluded] == [("d", f"A: dasgupta is {why}")]


@pytest.mark.slow
def test_scores_of_trees_outside_of_the_range_are_not_compared(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from hcbench.cli import main

    (tmp_path / "x.csv").write_text("1,0\n0.9,0.1\n1,0.1\n0.9,0\n-1,0\n")
    for name, text in (("one", "(((0,1),(2,3)),4);"), ("two", "(((0,4),(2,3)),1);")):
        (tmp_path / f"{name}.nwk").write_text(text)
    trees = [str(tmp_path / f"{name}.nwk") for name in ("one", "two")]
    command = ["score", *trees, "--vectors", str(tmp_path / "x.csv"), "--metrics"]
    told = CliRunner().invoke(main, [*command, "dasgupta-normalised", "--format", "json"]).output
    scores = json.loads(told)["scores"]
    assert scores[0]["value"] < 0
    assert [score["best_tree"] for score in scores] == [False, False]
    table = CliRunner().invoke(main, [*command, "dasgupta-normalised"]).output
    assert f"outside of [0, 1.5], as {NEGATIVE}: not compared" in table


def test_the_truth_has_a_footnote_where_chance_is_better() -> None:
    outcomes = [
        cell(name, 0, AARI=aari, dasgupta=dasgupta)
        for name, aari, dasgupta in (("A", 0.5, 0.7), ("Truth", 1.0, 1.3), ("Random", 0.0, 1.0))
    ]
    found = results(
        outcomes,
        AARI,
        DASGUPTA,
        references=("Truth", "Random"),
        received_truth={"Truth": {"d": "the true hierarchy"}},
    )
    reference = " (a reference, which is not ranked)"
    worse = "worse than Random, as this metric does not compare with the truth"
    assert shown(found) == [
        ["A", "0.500", "0.700"],
        [f"Truth{reference}", "1.000", f"1.300 ({worse})"],
        [f"Random{reference}", "0.000", "1.000"],
    ]


def test_tables_of_many_data_sets_have_the_same_footnotes() -> None:
    values = {"A": 0.7, "Truth": 1.3, "Random": 1.0}
    found = results(
        [cell(name, 0, d, dasgupta=value) for d in "de" for name, value in values.items()],
        DASGUPTA,
        references=("Truth", "Random"),
        received_truth={"Truth": dict.fromkeys("de", "the true hierarchy")},
    )
    block = make_tables(found, most=1)[0]
    assert [[entry.marks for entry in row] for row in block.rows] == [[(), (), (1,), ()]] * 2
    assert block.notes == ("worse than Random, as this metric does not compare with the truth",)


def test_an_oracle_that_answers_from_the_truth_is_noted_beside_others() -> None:
    outcomes = [
        cell("Insertion", 0, oracle="ordinal", AARI=1.0),
        cell("Ward", 0, oracle="vectors", AARI=0.7),
        cell("cut", 0, oracle="vectors", AARI=0.8),
    ]
    given = {"ordinal": {"d": "the truth"}, "cut": {"d": "the number of the finest true clusters"}}
    found = results(outcomes, received_truth=given)
    oracle = "its oracle answers from the truth, which others do not see"
    hint = "receives the number of the finest true clusters, which others do not"
    assert [row[0] for row in shown(found)] == [f"Insertion ({oracle})", "Ward", f"cut ({hint})"]
    assert found.caveats == (f"Insertion: {oracle}", f"cut: {hint}")  # below each figure
    alone = results(outcomes[:1], received_truth=given)
    assert alone.caveats == ()  # nobody else is there to be compared with


def test_data_beside_the_answers_are_noted_and_are_no_truth() -> None:
    outcomes = [cell("Scaled", 0, oracle="pairs", AARI=0.9), cell("cut", 0, AARI=0.8)]
    given = {"cut": {"d": "the number of the finest true clusters"}}
    found = results(
        outcomes, received_truth=given, received_data={"Scaled": "the vectors of the items"}
    )
    assert found.caveats == (
        "Scaled: reads the vectors of the items beside the answers",
        "cut: receives the number of the finest true clusters, which others do not",
    )


# ---- Stars ---------------------------------------------------------------------------------------


def test_a_tie_of_all_has_no_star_and_a_tie_of_some_has_one_each() -> None:
    for scores, best in [("999", ""), ("995", "AB"), ("955", "A"), ("9", "")]:
        outcomes = [
            cell(name, 0, AARI=int(score) / 10) for name, score in zip("ABC", scores, strict=False)
        ]
        found = results(outcomes)
        assert "".join(row["algorithm"] for row in found.best()) == best


def test_numbers_that_differ_by_rounding_are_a_tie() -> None:
    outcomes = [cell("A", 0, AARI=0.1 + 0.2), cell("B", 0, AARI=0.3), cell("C", 0, AARI=0.1)]
    assert [row["algorithm"] for row in results(outcomes).best()] == ["A", "B"]


def test_queries_are_best_of_their_kind_and_the_legend_says_so() -> None:
    outcomes = [
        cell("A", 0, oracle="pairs", queries=10.0),
        cell("B", 0, oracle="pairs[noise=0.1]", queries=20.0),
        cell("C", 0, oracle="ordinal", queries=1.0),
    ]
    kinds = {"pairs": "pair", "pairs[noise=0.1]": "pair", "ordinal": "ordinal"}
    found = results(outcomes, QUERIES, query_kinds=kinds)
    assert [row["algorithm"] for row in found.best()] == ["A"]
    assert "best (of queries: of each kind of oracle)" in found.to_markdown()
    assert "of each kind" not in results(outcomes[:1], QUERIES).to_markdown()


def test_standard_errors_and_metrics_without_direction_have_no_star() -> None:
    from hcbench.registry import load_registry

    (error,) = load_registry().use_metrics("kendall-tau-b-error")
    assert error.spec.direction == "none"
    metric = MetricInfo("size", "none")
    assert results([cell("A", 0, size=1.0), cell("B", 0, size=2.0)], metric).best() == []


# ---- Times and growth ----------------------------------------------------------------------------


def test_times_are_medians_with_quartiles_everywhere() -> None:
    times = {"A": (1.0, 2.0, 3.0, 3.0, 4.0, 97.0), "B": (5.0, 5.0, 5.0, 5.0, 6.0, 6.0)}
    outcomes = [
        cell(name, r, data=f"{r}", seconds=time, AARI=0.5)
        for name, of_one in times.items()
        for r, time in enumerate(of_one)
    ]
    found = results(outcomes, SECONDS)
    assert shown(found) == [["A", "3.00 [2.25, 3.75] s*"], ["B", "5.00 [5.00, 5.75] s"]]
    assert "times: median [quartiles]" in found.to_markdown()
    row = found.summary[0]
    assert (row["average"], row["median"], row["mean"]) == (3.0, 3.0, 110 / 6)
    assert (row["lower_quartile"], row["upper_quartile"]) == (2.25, 3.75)
    assert (row["low"], row["high"]) == (1.0, 97.0)  # of 6, the least and the greatest
    (panel,) = tradeoff(results(outcomes, AARI, SECONDS), "AARI", "seconds").panels
    assert [point.x.average for point in panel.points] == [3.0, 5.0]
    assert panel.points[0].x.low == row["low"]


def scaled(datasets: dict[str, int]) -> Any:
    """The power laws of an algorithm of quadratic cost on data sets of these sizes."""
    outcomes = [
        cell("A", r, dataset, data=dataset, seconds=1e-6 * n**2, AARI=1.0)
        for dataset, n in datasets.items()
        for r in range(2)
    ]
    labels = {dataset: (dataset.partition("[")[0], ("n",)) for dataset in datasets}
    parameters = {dataset: {"n": n} for dataset, n in datasets.items()}
    found = results(
        outcomes,
        SECONDS,
        sizes=datasets,
        names={"datasets": labels},
        parameters={"datasets": parameters},
    )
    return [line.fit for panel in views.scaling(found, x="n").panels for line in panel.lines]


def test_a_power_law_needs_four_sizes_of_one_family() -> None:
    sizes = (10, 20, 40, 80)
    (law,) = scaled({f"planted[n={n}]": n for n in sizes})
    assert (law.exponent, law.n_points) == (pytest.approx(2.0), 4)
    assert scaled({f"planted[n={n}]": n for n in sizes[:3]}) == [None]
    assert scaled({f"{name}[n={n}]": n for name, n in zip("abcd", sizes, strict=True)}) == [None]


def test_the_interval_of_an_exponent_is_that_of_least_squares() -> None:
    times = {10: 1.0, 20: 3.0, 40: 5.0, 80: 30.0}
    outcomes = [
        replace(cell("A", 0, f"p[n={n}]", data=f"{n}"), cost=Cost(seconds=time))
        for n, time in times.items()
    ]
    labels = {f"p[n={n}]": ("p", ("n",)) for n in times}
    found = results(
        outcomes,
        sizes={f"{n}": n for n in times},
        names={"datasets": labels},
        parameters={"datasets": {f"p[n={n}]": {"n": n} for n in times}},
    )
    (panel,) = views.scaling(found).panels
    law = panel.lines[0].fit
    x, y = np.log(list(times)), np.log(list(times.values()))
    (slope, intercept), covariance = np.polyfit(x, y, 1, cov="unscaled")
    residual = y - slope * x - intercept
    error = math.sqrt(covariance[0, 0] * (residual @ residual) / 2)
    margin = 4.302653 * error  # 97.5 % quantile of Student's t with 2 degrees of freedom
    assert law is not None
    assert (law.low, law.high) == (pytest.approx(slope - margin), pytest.approx(slope + margin))
