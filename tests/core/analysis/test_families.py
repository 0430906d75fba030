"""Data sets of one family count once in ranks, tests and profiles."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from hcbench.analysis.block_ranks import average_ranks, friedman_test, rank_blocks
from hcbench.analysis.inference import allowed_inference
from hcbench.analysis.performance_profiles import performance_profile
from hcbench.analysis.ranking_texts import significance_lines
from hcbench.analysis.ranks import Ranking, profile
from hcbench.analysis.signed_ranks import signed_rank_test
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench.results.overviews import describe_numbers, make_tables
from hcbench.results.results import Results
from tests.core.simulated import at_most, false_ranks

SCORE = MetricInfo("score", "higher")
RNG = np.random.default_rng(0)


# ---- Rows of a block -----------------------------------------------------------------------------


def test_ranks_are_averaged_over_the_rows_of_a_block() -> None:
    table = [[3, 2, 1], [1000, 0, 2000], [5, 5, 6]]
    ranks = rank_blocks(table, "higher", blocks=("a", "b", "a"))
    np.testing.assert_array_equal(ranks, [[(1 + 2.5) / 2, (2 + 2.5) / 2, (3 + 1) / 2], [2, 3, 1]])
    averages, n_blocks = average_ranks(table, "higher", blocks=("a", "b", "a"))
    assert n_blocks == 2
    np.testing.assert_allclose(averages, ranks.mean(axis=0))


def test_failures_are_last_in_their_row_or_their_row_is_dropped() -> None:
    table = [[3, math.nan, 1], [1, 2, 3], [math.nan] * 3]
    blocks = ("a", "a", "b")
    np.testing.assert_array_equal(rank_blocks(table, "higher", blocks=blocks), [[2, 2.5, 1.5]])
    dropped = rank_blocks(table, "higher", failed="drop", blocks=blocks)
    np.testing.assert_array_equal(dropped, [[3, 2, 1]])


def test_blocks_of_one_row_change_nothing() -> None:
    table = RNG.integers(0, 4, size=(12, 6)).astype(float)
    table[3, 2] = math.nan
    names = [str(i) for i in range(12)]
    for failed in ("worst", "drop"):
        options: dict[str, Any] = {"failed": failed}
        assert friedman_test(table, "lower", **options) == friedman_test(
            table, "lower", **options, blocks=names
        )
        assert signed_rank_test(table[:, 0], table[:, 2], "lower", **options) == signed_rank_test(
            table[:, 0], table[:, 2], "lower", **options, blocks=names
        )
        for alone, named in zip(
            performance_profile(table, "lower", by="difference", **options).share,
            performance_profile(table, "lower", by="difference", **options, blocks=names).share,
            strict=True,
        ):
            np.testing.assert_array_equal(alone, named)


def test_p_of_mean_ranks_is_that_of_all_permutations_within_blocks() -> None:
    table = RNG.normal(size=(9, 3))
    blocks = ("a", "a", "b", "c", "c", "c", "d", "d", "d")
    means = rank_blocks(table, "lower", blocks=blocks)

    def spread(rows: Any) -> float:
        return float(((np.sum(rows, axis=0) - len(means) * 2.0) ** 2).sum())

    observed = spread(means)
    orders = itertools.product(itertools.permutations(range(3)), repeat=4)
    spreads = [
        spread([row[list(order)] for row, order in zip(means, of_all, strict=True)])
        for of_all in orders
    ]
    expected = np.mean([value >= observed - 1e-9 for value in spreads])
    test = friedman_test(table, "lower", blocks=blocks)
    assert (test.method, test.n_blocks) == ("exact", 4)
    assert test.p == pytest.approx(expected)


def test_a_row_that_is_repeated_changes_nothing() -> None:
    """Copies of a data set are no further evidence."""
    table = RNG.normal(size=(7, 3))
    blocks = list("abcdefg")
    more = np.vstack([table, np.repeat(table[:2], 20, axis=0)])
    all_blocks = blocks + ["a"] * 20 + ["b"] * 20
    once = friedman_test(table, "higher", blocks=blocks)
    often = friedman_test(more, "higher", blocks=all_blocks)
    assert often.p == once.p
    assert often.statistic == pytest.approx(once.statistic)
    pair = signed_rank_test(table[:, 0], table[:, 1], "higher", blocks=blocks)
    assert signed_rank_test(more[:, 0], more[:, 1], "higher", blocks=all_blocks) == pair
    within = performance_profile(table, "higher", by="difference", blocks=blocks)
    weighted = performance_profile(more, "higher", by="difference", blocks=all_blocks)
    assert weighted.n_blocks == 7
    for distance in (0.0, 0.3, 1.0):
        assert weighted.at(distance) == pytest.approx(within.at(distance))


def test_differences_are_averaged_over_the_rows_of_a_block() -> None:
    first = np.array([1.0, 5, 2, 8, 9, 4, 7, 3])
    second = np.array([2.0, 1, 1, 9, 5, 4, 2, 1])
    blocks = list("aabbcdef")
    means = [(-1 + 4) / 2, (1 - 1) / 2, 4, 0, 5, 2]
    test = signed_rank_test(first, second, "higher", blocks=blocks)
    assert (test.n_blocks, test.n_different, test.better) == (6, 4, 4)
    assert test.p == pytest.approx(stats.wilcoxon([m for m in means if m]).pvalue)


def test_the_one_that_failed_in_more_rows_of_a_block_is_worse() -> None:
    nan = math.nan
    for first, second, better in [
        ([nan, 9], [1, 1], 0),  # it failed once, the other never
        ([nan, nan, 9], [1, nan, 1], 0),
        ([nan, 9, 5], [1, nan, 4], 1),  # both failed once: the third row decides
    ]:
        test = signed_rank_test(first, second, "higher", blocks=["a"] * len(first))
        assert (test.n_blocks, test.n_different, test.better) == (1, 1, better)
    test = signed_rank_test([nan, 9], [1, nan], "higher", blocks="aa")
    assert (test.n_different, test.p) == (0, 1.0)


# ---- Comparisons ---------------------------------------------------------------------------------


def compared(*datasets: str, repetitions: int = 1, new_data: bool = True, **more: Any) -> Results:
    """Three algorithms, of which A is the best and C the worst on all data sets."""
    outcomes = []
    for dataset in datasets:
        for repetition in range(repetitions):
            for algorithm, score in (("A", 3.0), ("B", 2.0), ("C", 1.0)):
                outcomes.append(
                    Outcome(
                        key=f"{dataset}/{algorithm}/{repetition}",
                        algorithm=algorithm,
                        dataset=dataset,
                        oracle="o",
                        repetition=repetition,
                        seed=0,
                        data_digest=f"{dataset}/{repetition if new_data else 0}",
                        points=(ScoredPoint(values={"score": Value(score + repetition / 10)}),),
                    )
                )
    return Results(outcomes, (SCORE,), **more)


def only_ranking(results: Results) -> Ranking:
    (ranking,) = results.rankings
    return ranking


SIZES = tuple(f"iris[n={n}]" for n in range(100, 112))


def test_sizes_of_one_data_set_give_no_test_and_one_line_says_so() -> None:
    results = compared(*SIZES)
    ranking = only_ranking(results)
    assert (ranking.unit, ranking.n_blocks, ranking.names) == ("family", 1, ("iris",))
    why = "12 data sets of 1 family: iris, with one repetition on each"
    assert ranking.inference.reason == results.inference.reason == why
    assert ranking.friedman.p is None
    assert not ranking.differs_anywhere
    assert not any(pair.differs for pair in ranking.pairs)
    assert significance_lines(ranking)[1:] == (f"no test of differences: {why}",)
    assert f"no test of differences between algorithms: {why}" in describe_numbers(results, "bold")
    table = make_tables(results)[-1]  # the average ranks are still shown, without a star
    assert table.title == "average rank, 1 is best"
    assert [row[1].text for row in table.rows] == ["1.00", "2.00", "3.00", "-"]
    assert not any(entry.bold for row in table.rows for entry in row)
    assert f"no p: {why}" in table.notes
    (stored,) = json.loads(results.to_json())["significance"]
    assert stored["families"] == {"iris": list(SIZES)}
    assert stored["block"] == "family"
    assert stored["friedman"]["reason"] == why


def test_two_algorithms_say_it_too() -> None:
    results = compared(*SIZES)
    kept = [outcome for outcome in results.outcomes if outcome.algorithm != "C"]
    table = make_tables(replace(results, outcomes=kept))[-1]
    assert "no p: 12 data sets of 1 family: iris, with one repetition on each" in table.notes


def test_parameters_of_a_generator_give_a_statement_about_it() -> None:
    grid = tuple(f"planted[delta={d}]" for d in (0.1, 0.2, 0.3))
    results = compared(*grid, repetitions=9)
    ranking = only_ranking(results)
    assert (ranking.unit, ranking.n_blocks) == ("repetition", 9)
    assert ranking.names[:2] == ("planted, repetition 0", "planted, repetition 1")
    assert ranking.worse_than_best == ("B", "C")
    (over, *_) = significance_lines(ranking)
    assert over == (
        "over 9 repetitions (each with new data of 3 data sets of 1 family: planted; average of "
        "these, so that conclusions hold for planted with these parameters only)"
    )
    shared = replace(results, dependent_data=grid[:1])
    assert only_ranking(shared).inference.reason == "3 data sets of 1 family: planted"
    same = compared(*grid, repetitions=9, new_data=False)
    assert only_ranking(same).inference.reason == "3 data sets of 1 family: planted"


def test_blocks_are_families_where_there_are_several() -> None:
    results = compared("iris", "iris[n=100]", "wine", "zoo", "planted", repetitions=2)
    ranking = only_ranking(results)
    assert (ranking.unit, ranking.names) == ("family", ("iris", "wine", "zoo", "planted"))
    assert ranking.scores.shape == (5, 3)
    assert ranking.ranks == (1.0, 2.0, 3.0)
    assert ranking.friedman.n_blocks == 4
    text = "5 data sets of 4 families: iris, wine, zoo, planted"
    assert significance_lines(ranking)[0] == (
        f"over {text} (average of the repetitions on each data set, then of the data sets of a "
        "family)"
    )
    assert f"ranks count a family of data sets once: {text}" in describe_numbers(results, "bold")
    assert results.ranking[0]["blocks"] == 4
    assert profile(results, "score").profile.n_blocks == 4


def test_data_sets_of_different_families_are_as_before() -> None:
    results = compared("iris", "wine", "zoo", "planted")
    ranking = only_ranking(results)
    assert (ranking.unit, ranking.names) == ("data set", ("iris", "wine", "zoo", "planted"))
    assert significance_lines(ranking)[0] == "over 4 data sets (average of the repetitions on each)"
    assert not any("family" in line for line in describe_numbers(results, "bold"))


def test_families_are_those_of_the_plan() -> None:
    families = {"raw": "table", "scaled": "table"}
    results = compared("raw", "scaled", families=families)
    assert only_ranking(results).inference.reason.startswith("2 data sets of 1 family: table")
    assert {row["family"] for row in results.rows} == {"table"}
    assert set(results.to_frame()["family"]) == {"table"}
    assert set(results.table["family"]) == {"table"}
    assert only_ranking(compared("raw", "scaled")).unit == "data set"


def test_data_sets_with_equal_data_are_of_one_family() -> None:
    results = compared("a", "b", "c")
    outcomes = [replace(o, data_digest="a/0") if o.dataset == "c" else o for o in results.outcomes]
    inference = allowed_inference(replace(results, outcomes=outcomes).groups)
    assert inference.families == {"a": ("a", "c"), "b": ("b",)}
    assert inference.unit == "family"


@pytest.mark.parametrize(
    "design",
    [
        "twelve sizes of one data set",
        "one table in three preprocessings",
        "a grid of one generator, 8 repetitions",
        "8 families of 1 to 12 data sets",
    ],
)
def test_equal_algorithms_seldom_differ(design: str) -> None:
    """Small; each night test_simulations.py draws 2,000."""
    for share in false_ranks(design, 3, 40):
        assert share <= at_most(0.05, 40)
