"""No number says more than is known: each test is a way in which a table or figure once misled."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hcbench.analysis import views
from hcbench.analysis.inference import allowed_inference
from hcbench.analysis.results import Results
from hcbench.analysis.tables.overviews import make_tables
from hcbench.model.cost import Cost
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo

AARI = MetricInfo("AARI", "higher", interval="[-1, 1]")


def cell(
    algorithm: str, repetition: int, dataset: str = "d", *, data: str = "", **values: Any
) -> Outcome:
    """``data``: the digest of the data of this repetition."""
    return Outcome(
        key=f"{algorithm}/{dataset}/{repetition}",
        algorithm=algorithm,
        dataset=dataset,
        oracle="v",
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


def repeated(*, new_data: bool, repetitions: int = 12) -> Results:
    """Four algorithms whose order is the same in each repetition."""
    return results(
        [
            cell(name, r, data=f"{r}" if new_data else "same", AARI=score)
            for name, score in (("A", 0.9), ("B", 0.8), ("C", 0.7), ("D", 0.6))
            for r in range(repetitions)
        ]
    )


def test_repetitions_on_the_same_data_give_no_test_and_one_line_says_why() -> None:
    found = repeated(new_data=False)
    ranking = views.ranking(found, "AARI")
    assert (ranking.unit, ranking.n_blocks) == ("data set", 1)
    assert ranking.friedman.p is None
    assert ranking.nemenyi.value is None
    assert {pair.test.p for pair in ranking.pairs} == {None}
    assert ranking.worse_than_best == ()
    why = "all repetitions on d have the same data"
    assert views.significance_lines(ranking)[1:] == (f"no test of differences: {why}",)
    (told,) = json.loads(found.to_json())["significance"]
    assert told["friedman"]["reason"] == told["nemenyi"]["reason"] == why
    assert not any(pair["differs"] for pair in told["pairs"])
    assert found.inference.reason == why
    assert len(make_tables(found)) == 1  # no table of ranks, which would have no test


def test_repetitions_with_new_data_are_blocks_of_a_statement_about_their_generator() -> None:
    found = repeated(new_data=True)
    ranking = views.ranking(found, "AARI")
    assert (ranking.unit, ranking.n_blocks, ranking.inference.about) == ("repetition", 12, "d")
    assert ranking.friedman.p == pytest.approx(1e-4)  # the least of 10,000 permutations
    assert ranking.worse_than_best == ("B", "C", "D")
    over, *_ = views.significance_lines(ranking)
    assert over.startswith(
        "over 12 repetitions (each with new data, so that conclusions hold for d"
    )
    title = make_tables(found)[-1].title
    assert title == "average rank, 1 is best"


def test_one_repetition_gives_no_test() -> None:
    found = repeated(new_data=True, repetitions=1)
    assert found.inference.reason == "there is one repetition on d"
    assert views.ranking(found, "AARI").friedman.p is None


def test_data_sets_are_blocks_however_often_they_are_repeated() -> None:
    outcomes = [
        cell(name, r, dataset, data=f"{dataset}{r}", AARI=score)
        for dataset in ("d", "e")
        for name, score in (("A", 0.9), ("B", 0.8), ("C", 0.7))
        for r in range(12)
    ]
    ranking = views.ranking(results(outcomes), "AARI")
    assert (ranking.unit, ranking.n_blocks) == ("data set", 2)
    assert ranking.inference.draws == {"d": True, "e": True}
    assert ranking.worse_than_best == ()


def test_data_are_new_only_if_all_repetitions_differ() -> None:
    for digests, new in [("abc", True), ("aab", False), ("aaa", False), ("a", False), ("", False)]:
        outcomes = [cell("A", r, data=digest) for r, digest in enumerate(digests)]
        outcomes.append(replace(cell("B", 0), data_digest=""))  # it failed before it had data
        assert allowed_inference(outcomes, ["d"]).draws == {"d": new}
