from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from hcbench.analysis.tables import format_spread
from hcbench.errors import HcbenchError
from hcbench.model.cost import Cost
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo, Presentation
from hcbench.registry.names import same_name
from hcbench.registry.suite import Claim, Suite
from hcbench.results.changes import DataChange, find_data_changes, find_differences
from hcbench.results.overviews import make_tables
from hcbench.results.results import Results

AARI = MetricInfo("AARI", "higher", interval="[-1, 1]")
COST = MetricInfo("Dasgupta", "lower")
SECONDS = MetricInfo("seconds", "lower", "s", cost=True)
QUERIES = MetricInfo("queries", "lower", "queries", cost=True)
METRICS = (AARI, COST, SECONDS, QUERIES)


def cell(
    algorithm: str, repetition: int, dataset: str = "planted", oracle: str = "v", **values: Any
) -> Outcome:
    numbers = {
        label: value if isinstance(value, Value) else Value(value)
        for label, value in values.items()
    }
    return Outcome(
        key=f"{algorithm}/{dataset}/{oracle}/{repetition}",
        algorithm=algorithm,
        dataset=dataset,
        oracle=oracle,
        repetition=repetition,
        seed=0,
        cost=Cost(seconds=0.5, queries=9),
        points=(ScoredPoint(queries=9, values=numbers),),
    )


def failure(
    algorithm: str, repetition: int, status: Any = "timeout", dataset: str = "planted"
) -> Outcome:
    reason = "over 10 s" if status == "timeout" else "needs vectors"
    return Outcome(
        key="" if status == "skipped" else f"{algorithm}/{dataset}/{repetition}",
        algorithm=algorithm,
        dataset=dataset,
        oracle="" if status == "skipped" else "v",
        repetition=repetition,
        seed=0,
        status=status,
        reason=reason,
        points=(ScoredPoint(values={"AARI": Value(None, "skipped", f"{status}: {reason}")}),),
    )


def results(
    outcomes: list[Outcome], *claims: Claim, metrics: Any = METRICS, deterministic: Any = None
) -> Results:
    # As many repetitions are planned as there are.
    repetitions = 1 + max((outcome.repetition for outcome in outcomes), default=0)
    suite = Suite(name="s", claims=claims, repetitions=repetitions)
    return Results(outcomes, metrics, suite, deterministic=deterministic or {})


#: Nothing of the cells below uses random numbers.
FIXED = {"algorithms": ("A", "B"), "datasets": ("planted",), "oracles": ("v",)}


TWO = [
    *(cell("A", r, AARI=0.8 + 0.1 * r, Dasgupta=10.0, seconds=0.5) for r in range(2)),
    *(cell("B", r, AARI=0.7, Dasgupta=9.0 + r, seconds=0.25) for r in range(2)),
]


# ---- Cells and summary ---------------------------------------------------------------------------


def test_a_cell_has_the_fields_of_the_issue() -> None:
    entry = results(TWO).rows[0]
    fields = {
        "algorithm": "A",
        "dataset": "planted",
        "oracle": "v",
        "repetition": 0,
        "seed": 0,
        "status": "ok",
        "reason": "",
        "seconds": 0.5,
        "oracle_seconds": None,
        "peak_bytes": None,
        "queries": 9,
        "checkpoint": None,
    }
    assert {key: entry[key] for key in fields} == fields
    metrics = {"AARI": 0.8, "Dasgupta": 10.0, "seconds": 0.5, "queries": None}
    assert entry["metrics"] == metrics
    assert entry["metric_reasons"] == {"queries": "not computed"}


def test_each_checkpoint_is_an_entry_with_its_own_queries() -> None:
    points = (
        ScoredPoint(checkpoint=5, queries=4, values={"AARI": Value(0.5)}),
        ScoredPoint(queries=9, values={"AARI": Value(0.75)}),
    )
    outcome = Outcome(
        key="k",
        algorithm="A",
        dataset="d",
        oracle="o",
        repetition=0,
        seed=0,
        cost=Cost(queries=9),
        points=points,
    )
    found = results([outcome], metrics=(AARI,))
    assert [(c["checkpoint"], c["queries"], c["metrics"]["AARI"]) for c in found.rows] == [
        (5, 4, 0.5),
        (None, 9, 0.75),
    ]
    assert [(s["checkpoint"], s["mean"]) for s in found.summary] == [(5, 0.5), (None, 0.75)]
    (block, *_) = make_tables(found)
    assert [row[1].text for row in block.rows] == ["5", "end"]


def test_the_summary_by_hand() -> None:
    outcomes = [*TWO, failure("A", 2)]
    (row,) = [
        s for s in results(outcomes).summary if (s["algorithm"], s["metric"]) == ("A", "AARI")
    ]
    assert row["mean"] == pytest.approx(0.85)
    assert row["std"] == pytest.approx(math.sqrt(0.005))
    assert row["standard_error"] == pytest.approx(0.05)
    assert (row["n"], row["failed"]) == (2, 1)
    # Student's t of one degree of freedom: 12.706 standard errors.
    assert (row["low"], row["high"]) == pytest.approx((0.85 - 0.6353, 0.85 + 0.6353), abs=1e-4)
    assert row["note"] == ""


def test_nothing_disappears() -> None:
    found = results([failure("C", 0, "skipped"), failure("D", 0), *TWO])
    assert found.algorithms == ["D", "A", "B", "C"]  # algorithms that could not run are last
    counted = {
        (s["algorithm"], s["n"], s["failed"]) for s in found.summary if s["metric"] == "AARI"
    }
    assert counted == {("A", 2, 0), ("B", 2, 0), ("C", 0, 0), ("D", 0, 1)}


# ---- Best values and ranks -----------------------------------------------------------------------


def test_the_best_follow_the_direction_of_the_metric() -> None:
    best = {b["metric"]: b["algorithm"] for b in results(TWO).best()}
    assert best == {"AARI": "A", "Dasgupta": "B", "seconds": "B"}


def test_equal_means_are_all_best_and_one_alone_is_not() -> None:
    tie = [cell("A", 0, AARI=0.5), cell("B", 0, AARI=0.5), cell("C", 0, AARI=0.4)]
    assert [b["algorithm"] for b in results(tie).best()] == ["A", "B"]
    assert results(tie[:1]).best() == []


def test_means_that_are_printed_equal_are_all_best_the_larger_first() -> None:
    near = [cell("A", 0, AARI=0.5001), cell("B", 0, AARI=0.5004), cell("C", 0, AARI=0.4996)]
    found = results([*near, cell("D", 0, AARI=0.4994)])
    assert [b["algorithm"] for b in found.best()] == ["B", "A", "C"]
    assert results(near).best() == [], "all are printed as 0.500"


def test_an_algorithm_that_failed_is_not_best() -> None:
    outcomes = [*TWO, failure("A", 2), cell("B", 2, AARI=0.7), cell("C", 0, AARI=0.1)]
    assert [b["algorithm"] for b in results(outcomes, metrics=(AARI,)).best()] == ["B"]


def test_descriptive_metrics_have_no_best() -> None:
    described = replace(AARI, direction="none")
    shown = results(
        TWO,
        Claim(claim="c", algorithm="A", better_than="B", dataset="planted", metric="AARI"),
        metrics=(described,),
    )
    assert shown.best() == []
    assert shown.ranking == []
    assert "needs a relation" in str(shown.verdicts[0])
    assert "AARI ↑" not in shown.to_markdown()


def test_queries_of_different_oracles_are_not_compared() -> None:
    asked = [
        cell("A", 0, oracle="pairs", queries=10.0),
        cell("B", 0, oracle="pairs", queries=20.0),
        cell("C", 0, oracle="ordinal", queries=1.0),
    ]
    assert [b["algorithm"] for b in results(asked).best()] == ["A"]


def test_ranks_by_hand_with_a_failure_last() -> None:
    outcomes = [
        cell("A", 0, AARI=0.9),
        cell("B", 0, AARI=0.8),
        failure("A", 1),
        cell("B", 1, AARI=0.1),
        cell("A", 0, "iris", AARI=0.5),
        cell("B", 0, "iris", AARI=0.5),
    ]
    ranking = results(outcomes, metrics=(AARI,)).ranking
    # On planted A failed in a repetition, and is last there although it won the other.
    assert {(r["algorithm"], r["average_rank"], r["blocks"]) for r in ranking} == {
        ("A", (2 + 1.5) / 2, 2),
        ("B", (1 + 1.5) / 2, 2),
    }
    assert {(r["block"], r["failed"]) for r in ranking} == {("data set", "worst")}


def test_repetitions_are_blocks_only_for_one_data_set() -> None:
    outcomes = [
        replace(cell(a, r, AARI=v + r / 10), data_digest=f"{r}")
        for a, v in (("A", 0.5), ("B", 0.4))
        for r in range(3)
    ]
    alone = results(outcomes, metrics=(AARI,)).ranking
    assert [(r["algorithm"], r["block"], r["blocks"]) for r in alone] == [
        ("A", "repetition", 3),
        ("B", "repetition", 3),
    ]
    beside = results([*outcomes, cell("A", 0, "iris", AARI=0.1), cell("B", 0, "iris", AARI=0.2)])
    assert {(r["block"], r["blocks"]) for r in beside.ranking} == {("data set", 2)}


def test_costs_are_ranked_if_the_first_metric_is_one() -> None:
    outcomes = [
        cell(name, 0, dataset=dataset, AARI=0.5, seconds=seconds, queries=9)
        for dataset in ("one", "two")
        for name, seconds in (("A", 2.0), ("B", 1.0))
    ]
    ranking = results(outcomes, metrics=(SECONDS, QUERIES, AARI)).ranking
    assert [(r["metric"], r["algorithm"]) for r in ranking] == [("seconds", "B"), ("seconds", "A")]
    assert {r["metric"] for r in results(outcomes, metrics=(AARI, SECONDS)).ranking} == {"AARI"}


def test_blocks_without_all_algorithms_are_excluded_from_ranks() -> None:
    outcomes = [*TWO, *(cell("C", r, AARI=1.0) for r in range(2))]
    outcomes += [cell("A", 0, "iris", AARI=1.0), failure("B", 0, "skipped", "iris")]
    ranking = results(outcomes, metrics=(AARI,)).ranking
    assert [(r["algorithm"], r["average_rank"], r["blocks"]) for r in ranking] == [
        ("C", 1.0, 1),
        ("A", 2.0, 1),
        ("B", 3.0, 1),
    ]


def test_an_algorithm_with_two_oracles_competes_twice() -> None:
    outcomes = [cell("A", 0, oracle=o, AARI=a) for o, a in (("p=0.1", 0.5), ("p=0.5", 0.9))]
    ranking = results(outcomes, metrics=(AARI,)).ranking
    assert [r["algorithm"] for r in ranking] == ["A, oracle p=0.5", "A, oracle p=0.1"]
    assert results(TWO[:2]).ranking == []


# ---- Claims --------------------------------------------------------------------------------------


def number(paper: str, **changes: Any) -> Claim:
    fields = {"claim": "c", "algorithm": "a", "dataset": "PLANTED", "metric": "aari"}
    return Claim(paper=paper, **{**fields, **changes})


def words(first: str, second: str, metric: str = "AARI", **changes: Any) -> Claim:
    fields = {"claim": "c", "algorithm": first, "dataset": "planted", "metric": metric}
    return Claim(better_than=second, **{**fields, **changes})


def test_verdicts_on_numbers_by_hand() -> None:
    # A: mean 0.85, standard error 0.05, t = 15.895 with one degree of freedom: 0.055 to 1.645
    for paper, error, verdict in [
        ("0.85", 0.0, "undecided"),
        ("1.6", 0.0, "undecided"),
        ("1.7", 0.0, "differs"),  # rounded from 1.65
        ("1.66", 0.0, "differs"),
        ("0.04", 0.0, "differs"),
        ("0.06", 0.0, "undecided"),
        # 0.65 <= 0.05 + sqrt(0.795^2 + 1.027^2) = 1.349
        ("1.5", 0.5, "not significantly different"),
        ("2.3", 0.5, "differs"),  # 1.45
        ("0.85", 0.1, "undecided"),  # 0.795 > 2 * 0.205 + 0.005
    ]:
        (row,) = results(TWO, number(paper, paper_error=error)).verdicts
        assert row["measured"] == pytest.approx(0.85)
        assert row["standard_error"] == pytest.approx(0.05)
        assert (row["claim"], row["paper"], row["printed"]) == ("c", float(paper), paper)
        assert row["verdict"] == verdict


def test_the_rounding_of_the_printed_number_is_all_that_is_allowed_without_spread() -> None:
    exact = [cell("A", r, AARI=0.855) for r in range(3)]
    verdicts = [
        results(exact, number(p), deterministic=FIXED).verdicts[0]["verdict"]
        for p in ("0.86", "0.85", "0.860")
    ]
    assert verdicts == ["reproduced", "reproduced", "differs"]


def test_verdicts_on_words_pair_the_repetitions() -> None:
    six = [
        *(cell("A", r, AARI=0.8 + 0.1 * (r % 2), Dasgupta=10.0) for r in range(6)),
        *(cell("B", r, AARI=0.7, Dasgupta=9.0 + 1.5 * (r % 2)) for r in range(6)),
    ]
    claims = (words("A", "B"), words("B", "A"), words("b", "a", "dasgupta"))
    found = results([*six, cell("B", 6, AARI=100.0)], *claims)
    planned = replace(found.suite, first_look=6)
    better, worse, cheaper = replace(found, suite=planned).verdicts
    assert better["verdict"] == "reproduced"
    assert better["measured"] == pytest.approx(0.15)  # 0.1 and 0.2; B's 100 has no partner
    assert better["standard_error"] == pytest.approx(0.05 / 5**0.5)
    assert better["printed"] == "better than B"
    assert "over 6 repetitions, higher is better" in better["note"]
    assert worse["verdict"] == "differs"
    assert cheaper["verdict"] == "undecided", "the mean may be on the claimed side by chance"
    assert cheaper["measured"] == pytest.approx(-0.25)
    assert "too few repetitions: the 95 % interval ends at 0.4849" in cheaper["note"]


def test_an_algorithm_that_failed_reproduces_no_claim() -> None:
    outcomes = [*TWO, cell("B", 2, AARI=0.7), failure("A", 2)]
    claims = (number("0.85"), words("A", "B"), number("0.7", algorithm="B"))
    mean, better, other = results(outcomes, *claims, deterministic=FIXED).verdicts
    assert (mean["verdict"], mean["measured"]) == ("undecided", pytest.approx(0.85))
    assert "A: 1 of 3 without a value: timeout: over 10 s" in mean["note"]
    assert (better["verdict"], better["measured"]) == ("undecided", pytest.approx(0.15))
    assert "A: 1 of 3 without a value" in better["note"]
    assert other["verdict"] == "reproduced"


def test_one_repetition_does_not_show_which_is_better() -> None:
    once = [cell("A", 0, AARI=0.6), cell("B", 0, AARI=0.5)]
    ahead, behind = results(once, words("A", "B"), words("B", "A")).verdicts
    assert (ahead["verdict"], behind["verdict"]) == ("undecided", "undecided")
    assert ahead["measured"] == pytest.approx(0.1)
    assert "one repetition has no interval" in ahead["note"]


def test_equal_differences_are_certain_only_where_nothing_is_random() -> None:
    outcomes = [cell(a, r, AARI=v) for r in range(3) for a, v in (("A", 0.75), ("B", 0.5))]
    (row,) = results(outcomes, words("A", "B"), deterministic=FIXED).verdicts
    assert row["verdict"] == "reproduced"
    (row,) = results(outcomes, words("A", "B")).verdicts
    assert row["verdict"] == "undecided"
    assert "3 equal values exclude a jump of probability above 0.66" in row["note"]


def test_equal_values_are_not_better() -> None:
    same = [cell(name, repetition, AARI=0.5) for name in "AB" for repetition in (0, 1)]
    (row,) = results(same, words("A", "B"), deterministic=FIXED).verdicts
    assert row["verdict"] == "differs"


def test_an_erratum_says_why_and_what_was_measured() -> None:
    claim = number(
        "0.1", erratum="column shifted", corrected={"paper": "0.85"}, note="n = 100", within=1.0
    )
    (row,) = results(TWO, claim).verdicts
    assert row["note"].startswith("column shifted; ")
    assert "; n = 100; " in row["note"]
    assert (row["measured"], row["corrected"]) == (pytest.approx(0.85), pytest.approx(0.85))


def test_a_claim_without_data_says_why() -> None:
    for claim, note in [
        (number("1", algorithm="C"), "needs vectors"),
        (number("1", algorithm="E"), "E was not run on PLANTED"),
        (number("1", metric="ARI"), "ARI was not computed"),
        (number("1", algorithm="F"), "flat"),
        (number("1", oracle="w"), "a was not run with oracle w"),
        (number("1", algorithm="G"), "several runs match: p, budget None or q"),
        (words("A", "C"), "needs vectors"),
    ]:
        outcomes = [
            *TWO,
            failure("C", 0, "skipped"),
            cell("F", 0, AARI=Value(None, "skipped", "flat")),
            *(cell("G", 0, oracle=oracle, AARI=1.0) for oracle in "pq"),
        ]
        (row,) = results(outcomes, claim).verdicts
        assert (row["verdict"], row["measured"]) == ("not run", None)
        assert note in row["note"]


def test_a_claim_whose_cells_all_failed_was_not_run() -> None:
    (row,) = results([failure("A", 0)], number("1")).verdicts
    assert (row["verdict"], row["measured"]) == ("not run", None)
    assert row["note"] == "timeout: over 10 s"


def test_names_in_claims_match_labels() -> None:
    for written, label, same in [
        ("upgma", "UPGMA", True),
        ("hcbench:UPGMA", "UPGMA", True),
        ("UPGMA[metric='Cosine']", "UPGMA[metric=cosine]", True),
        ("X[b=1.0, a=2]", "X[a=2.0,b=1]", True),
        ("X[a=true]", "X[a=1]", False),
        ("UPGMA", "UPGMA[metric=cosine]", False),
        ("UPGMA[metric=euclidean]", "UPGMA", True),  # the default, written out
        ("UPGMA[metric=dot]", "UPGMA", False),
        ("cut-of[tree='X[b=1,a=2]']", "cut-of[tree=X[a=2.0,b=1]]", True),
        ("X[a=[1,2]]", "X[a=[1.0,2]]", True),
        ("X[", "X", False),
    ]:
        assert same_name(written, label, {"UPGMA": {"metric": "euclidean"}}) is same


def test_an_inapplicable_oracle_excludes_no_algorithm_from_a_block() -> None:
    outcomes = [
        replace(failure("A", 0, "skipped"), oracle="w"),
        replace(failure("A", 0, "skipped", "iris"), oracle="v"),
        cell("A", 0, oracle="v", AARI=0.8),
        cell("A", 0, "iris", oracle="w", AARI=0.8),
        cell("B", 0, AARI=0.7),
        cell("B", 0, "iris", AARI=0.7),
    ]
    ranking = results(outcomes, metrics=(AARI,)).ranking
    assert [(row["algorithm"], row["average_rank"], row["blocks"]) for row in ranking] == [
        ("A", 1.0, 2),
        ("B", 2.0, 2),
    ]
    nowhere = [*outcomes, failure("C", 0, "skipped")]
    assert results(nowhere, metrics=(AARI,)).ranking == ranking


def test_parameters_of_another_kind_are_no_parameters_of_an_algorithm() -> None:
    found = replace(
        results(TWO, number("0.85", algorithm="A[x=1]"), number("0.85", algorithm="A[y=1]")),
        parameters={"algorithms": {"A": {"x": 1}}, "metrics": {"A": {"y": 1}}},
    )
    assert [row["verdict"] for row in found.verdicts] == ["undecided", "not run"]


# ---- Written forms -------------------------------------------------------------------------------


def test_json_is_strict_and_complete(tmp_path: Path) -> None:
    odd = cell("A", 0, AARI=math.nan, Dasgupta=math.inf)
    found = results([odd], number("1"))
    text = found.to_json(tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text() == text

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    loaded = json.loads(text, parse_constant=refuse)
    assert loaded["cells"][0]["metrics"]["AARI"] is None
    assert {"cells", "summary", "verdicts"} <= loaded.keys()
    assert loaded["verdicts"][0].keys() >= {
        "claim",
        "paper",
        "measured",
        "standard_error",
        "verdict",
        "note",
    }
    with pytest.raises(HcbenchError, match="cannot write"):
        found.to_json(tmp_path)


def test_csv_has_a_row_a_cell_and_a_column_a_metric() -> None:
    rows = list(csv.DictReader(io.StringIO(results(TWO).to_csv())))
    assert [row["AARI"] for row in rows] == ["0.8", "0.9", "0.7", "0.7"]
    assert rows[0]["seconds"] == "0.5"
    assert rows[3]["seconds (metric)"] == "0.25"
    assert results([]).to_csv().splitlines() == ["algorithm"]


def test_a_frame_has_the_cells() -> None:
    frame = results(TWO).to_frame()
    assert frame.groupby("algorithm")["AARI"].mean().round(9).to_dict() == {"A": 0.85, "B": 0.7}


def test_the_tidy_table_has_a_row_a_cell_and_metric_with_the_parameters_of_the_plan() -> None:
    outcomes = [
        replace(cell("A[k=3]", 0, "d", queries=7.0), points=()),
        cell("B", 1, "d", AARI=Value(None, "error", "boom")),
    ]
    found = replace(
        results(outcomes, metrics=(AARI,)),
        parameters={"algorithms": {"A[k=3]": {"k": 3}}, "datasets": {"d": {"delta": 0.5}}},
    )
    table = found.table.set_index(["algorithm", "metric"])
    assert set(table.index.get_level_values("metric")) == {
        *("AARI", "seconds", "queries", "oracle_seconds", "peak_bytes", "rounds"),
    }
    assert len(table) == 2 * 6
    assert table.loc[("A[k=3]", "AARI"), "reason"] == "not computed"
    assert table.loc[("B", "AARI"), ["failed", "reason"]].tolist() == [True, "boom"]
    assert table.loc[("B", "seconds"), ["value", "has_value"]].tolist() == [0.5, True]
    assert table["dataset.delta"].unique().tolist() == [0.5]
    assert table["algorithm.k"].dropna().unique().tolist() == [3]


def test_repr_is_short() -> None:
    assert repr(results([*TWO, failure("A", 2)])) == (
        "<Results: 5 cells, algorithms: 2, data sets: 1, failed: 1>"
    )


# ---- Tables --------------------------------------------------------------------------------------


def test_numbers_are_written_in_a_fitting_form() -> None:
    for mean, std, unit, text in [
        (0.0123, 0.0004, "s", "12.3 ± 0.4 ms"),
        (0.0123, None, "s", "12.3 ms"),
        (12.5, 1.25, "s", "12.5 ± 1.2 s"),
        (1234.5, 10.0, "s", "1,234 ± 10 s"),
        (0.0, 0.0, "s", "0.00 ns"),
        (4.1 * 2**20, 0.0, "bytes", "4.1 MiB"),
        (1000.0, 3.0, "bytes", "1,000 ± 3 B"),
        (1234000.0, 0.0, "queries", "1,234,000"),
        (0.85, 0.05, "", "0.850 ± 0.050"),
        (123.45, 6.78, "", "123.5 ± 6.8"),
        (123456.0, 789.0, "", "123,456 ± 789"),
        (1.5e9, 2e7, "", "1.5e+09 ± 2e+07"),
        (0.00012, None, "", "0.00012"),
        (-0.0, 0.0, "", "0.000"),
        (-0.0004, 10.0, "", "0.000 ± 10.000"),
        (3.5, None, "bits", "3.500 bits"),
        (math.inf, None, "", "inf"),
        (None, None, "s", "-"),
    ]:
        assert format_spread(mean, std, unit) == text


def test_metrics_bounded_by_1_have_three_decimals() -> None:
    for mean, std, interval, text in [
        (-0.000148, 0.000473, "[-1, 1]", "0.000 ± 0.000"),
        (0.635, 0.051, "[-1, 1]", "0.635 ± 0.051"),
        (0.0004, None, "[0, 1]", "0.000"),
        (-0.0006, None, "(-1, 1)", "-0.001"),
        (0.0004, None, "[0, 2]", "0.0004"),
    ]:
        assert format_spread(mean, std, "", interval) == text


def notes_of(*reasons: tuple[str, int, str]) -> tuple[list[tuple[int, ...]], tuple[str, ...]]:
    """Marks of the rows, and notes, for failures with these reasons."""
    outcomes = [replace(failure(a, r), status="error", reason=reason) for a, r, reason in reasons]
    (block,) = make_tables(results(outcomes, metrics=(AARI,)))
    return [row[0].marks for row in block.rows], block.notes


def test_reasons_that_differ_in_numbers_are_one_note() -> None:
    sums = "weights must sum to 1 and these sum to {}"
    marks, notes = notes_of(
        ("A", 0, sums.format(-59.5273)),
        ("A", 1, sums.format("1.5e-07")),
        ("B", 0, sums.format(3)),
        ("B", 1, sums.format(3)),
        ("C", 0, "no such file"),
        ("C", 1, "no such file"),
    )
    assert marks == [(1,), (1,), (2,)]
    assert notes == (f"error: {sums.format(-59.5273)} (and similar)", "error: no such file")


def test_the_number_of_failed_repetitions_is_shown_in_notes() -> None:
    marks, notes = notes_of(("A", 0, "x 1"), ("A", 1, "x 2"), ("A", 2, "y"), ("B", 0, "x 3"))
    assert marks == [(1, 2), (3,)]
    assert notes == (
        "2 of 3 repetitions: error: x 1 (and similar)",
        "1 of 3 repetitions: error: y",
        "error: x 3",
    )


def test_a_block_shows_the_best_and_the_reasons() -> None:
    outcomes = [
        *(cell("A", r, AARI=0.8, queries=Value(None, "skipped", "asks nothing")) for r in range(2)),
        *(cell("B", r, AARI=0.9, queries=7.0) for r in range(2)),
        failure("B", 2),
        failure("C", 0, "skipped"),
        cell("D", 0, AARI=Value(None, "error", "ZeroDivisionError"), queries=8.0),
    ]
    (block,) = make_tables(results(outcomes, metrics=(AARI, QUERIES)))
    assert block.title == "planted"
    assert block.header == ("algorithm", "failed", "AARI ↑", "queries ↓")
    assert block.numeric == (False, True, True, True)
    assert [row[1].text for row in block.rows] == ["0", "1 of 3", "0", "-"]
    shown = [
        [
            (entry.text, entry.bold, [block.notes[m - 1] for m in entry.marks])
            for entry in (row[0], *row[2:])
        ]
        for row in block.rows
    ]
    assert shown == [
        [("A", False, []), ("0.800", False, []), ("n/a", False, ["asks nothing"])],
        [
            ("B", False, ["1 of 3 repetitions: timeout: over 10 s"]),
            ("0.900", False, []),  # B failed in a third, and no other is left to beat A
            ("7", False, []),
        ],
        [("D", False, []), ("error", False, ["ZeroDivisionError"]), ("8", False, [])],
        [("C", False, ["skipped: needs vectors"]), ("-", False, []), ("-", False, [])],
    ]


def test_reference_rows_are_last_and_not_ranked() -> None:
    outcomes = [
        cell(name, 0, dataset, AARI=aari)
        for dataset in ("planted", "iris")
        for name, aari in (("Truth", 1.0), ("A", 0.5), ("Random", 0.0), ("B", 0.4))
    ]
    found = replace(results(outcomes, metrics=(AARI,)), references=("Random", "Truth"))
    assert {b["algorithm"] for b in found.best()} == {"A"}
    assert {(r["algorithm"], r["average_rank"]) for r in found.ranking} == {("A", 1.0), ("B", 2.0)}
    assert [c["reference"] for c in found.rows[:4]] == [True, False, True, False]
    (block, *_) = make_tables(found)
    assert [(row[0].text, row[1].bold, row[0].faint) for row in block.rows] == [
        ("A", True, False),
        ("B", False, False),
        ("Truth", False, True),
        ("Random", False, True),
    ]
    assert [row[0].marks for row in block.rows] == [(), (), (1,), (1,)]
    assert block.notes == ("a reference, which is not ranked",)
    assert "| *Truth*<sup>1</sup> | *1.000* |" in found.to_markdown()
    assert r"\textit{Truth}\textsuperscript{1} & \textit{1.000}" in found.to_latex()
    alone = [outcome for outcome in outcomes if outcome.algorithm != "B"]
    beside = replace(results(alone, metrics=(AARI,)), references=("Random", "Truth"))
    assert beside.best() == []  # a single algorithm is not best, whatever the references score
    assert beside.ranking == []


def test_a_layout_comes_back_from_json_and_orders_outcomes() -> None:
    claim = Claim(claim="c", algorithm="A", dataset="planted", metric="AARI", paper="0.5")
    layout = Presentation(
        suite=Suite(name="s", algorithms=("B", "A"), budgets=(9, 5), timeout=None, claims=(claim,)),
        algorithms=("B", "A", "C"),
        datasets=("planted", "iris"),
        oracles=("v",),
        metrics=(replace(AARI, key="k"),),
        references=("B",),
        parameters={"algorithms": {"A": {"x": (1.0, math.inf), "y": "z", "u": None}}},
    )
    back = Presentation.of_description(json.loads(json.dumps(layout.describe())))
    assert back == layout
    asked = [
        failure("C", 0, "skipped", "iris"),
        *(
            replace(cell(a, r, d, AARI=0.5), budget=b)
            for d in ("planted", "iris")
            for r in range(2)
            for a in "BA"
            for b in (9, 5)
        ),
    ]
    assert [*back.in_order(asked[::-1])] == asked
    found = Results.of_layout(back, asked[::-1])
    assert (found.algorithms, found.datasets) == (["B", "A", "C"], ["planted", "iris"])
    assert Presentation.of_description({}) == Presentation()


def test_queries_of_runs_stored_when_their_unit_was_called_questions_are_queries() -> None:
    described = Presentation(metrics=(replace(QUERIES, unit="questions"), AARI)).describe()
    assert Presentation.of_description(described).metrics == (QUERIES, AARI)


def test_oracle_and_budget_are_shown_where_they_differ() -> None:
    outcomes = [cell("A", 0, oracle="p=0.1"), cell("A", 0, oracle="p=0.5")]
    (block, *_) = make_tables(results(outcomes, metrics=(AARI,)))
    assert block.header == ("algorithm", "oracle", "AARI ↑")
    assert [row[1].text for row in block.rows] == ["p=0.1", "p=0.5"]


def test_ranks_and_verdicts_are_separate_blocks() -> None:
    outcomes = [*TWO, cell("A", 0, "iris", AARI=1.0), cell("B", 0, "iris", AARI=0.5)]
    blocks = make_tables(results(outcomes, number("0.85"), metrics=(AARI,)))
    assert [block.title for block in blocks] == [
        "planted",
        "iris",
        "average rank, 1 is best",
        "claims: 1 undecided",
    ]
    assert [(row[0].text, row[1].text, row[1].bold) for row in blocks[2].rows] == [
        ("A", "1.00", False),  # no star, as no test rejects that the two are equal
        ("B", "2.00", False),
        ("p, signed-rank test", "0.50", False),  # two of the four ways of two signs
    ]
    assert [entry.text for entry in blocks[3].rows[0]] == [
        "c",
        "0.85",
        "0.85 (0.05527 to 1.645)",
        "undecided",
    ]


HOSTILE = "a|b_c*d&50%$#{~^\\<x>`"


def test_markdown_is_a_table_whatever_the_names() -> None:
    outcomes = [cell("A", 0, HOSTILE, AARI=0.9), cell(HOSTILE, 0, HOSTILE, AARI=0.8)]
    text = results(outcomes, metrics=(AARI,)).to_markdown()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows[0] == "| algorithm | AARI ↑ |"
    assert rows[1] == "| --- | ---: |"
    assert rows[2] == "| A | **0.900** |"
    assert {len(re.split(r"(?<!\\)\|", row)) for row in rows} == {4}


def test_special_characters_are_escaped_in_latex() -> None:
    outcomes = [cell("A", 0, HOSTILE, AARI=0.9), cell(HOSTILE, 0, HOSTILE, AARI=0.8)]
    text = results([*outcomes, failure("A", 1, dataset=HOSTILE)], metrics=(AARI,)).to_latex()
    assert r"\begin{tabular}{lrr}" in text
    assert r"A\textsuperscript{1} & 1 of 2 & 0.900 \\" in text
    escaped = r"a|b\_c*d\&50\%\$\#\{\textasciitilde{}\textasciicircum{}\textbackslash{}"
    assert escaped in text
    assert r"\textsuperscript{1} 1 of 2 repetitions: timeout: over 10 s" in text
    below = "".join(line for line in text.splitlines() if not line.startswith("%"))
    unescaped = below.replace(r"\{", "")
    assert unescaped.count("{") == unescaped.count("}")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_compiles(tmp_path: Path) -> None:
    tables = results([cell(HOSTILE, 0, HOSTILE, AARI=0.8), *TWO], number("0.8")).to_latex()
    source = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{tables}"
    (tmp_path / "t.tex").write_text(source + r"\end{document}")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


def test_json_contains_the_paired_differences_from_the_best() -> None:
    scores = {"A": (0.5, 0.9), "B": (0.4, 0.7)}
    cells = [cell(a, r, AARI=score) for a, of_a in scores.items() for r, score in enumerate(of_a)]
    differences = json.loads(results(cells).to_json())["differences"]
    (pair,) = [pair for pair in differences if pair["metric"] == "AARI"]
    assert (pair["best"], pair["other"], pair["dataset"]) == ("A", "B", "planted")
    assert pair["difference"]["mean"] == pytest.approx((0.1 + 0.2) / 2)
    assert pair["difference"]["n"] == 2


def test_a_mean_that_becomes_missing_is_a_change_between_runs() -> None:
    before = results([cell("A", 0, AARI=0.5), cell("B", 0, AARI=0.5), cell("C", 0, AARI=0.5)])
    missing = cell("A", 0, AARI=Value(None, "no truth"))
    after = results([missing, cell("B", 0, AARI=0.5)])
    found = {d.algorithm: d for d in find_differences(before, after) if d.metric == "AARI"}
    assert (found["A"].before, found["A"].after, found["A"].difference) == (0.5, None, None)
    assert {name: d.changes for name, d in found.items()} == {"A": True, "B": False, "C": False}


def test_data_sets_of_one_name_and_other_contents_are_told() -> None:
    before = [cell("A", 0), cell("A", 1), cell("A", 0, "fixed"), cell("A", 0, "gone")]
    after = [cell("A", 0), cell("A", 1), cell("A", 0, "fixed"), cell("B", 0, "new")]
    one = results([replace(c, data_digest=f"d{c.repetition}") for c in before])
    other = results(
        [replace(c, data_digest="x" if c.repetition else f"d{c.repetition}") for c in after]
    )
    expected = [DataChange(dataset="planted", repetitions=(1,), common=2)]
    assert find_data_changes(one, other) == expected
    assert find_data_changes(one, one) == []
    # Nothing is known of results without a digest.
    assert find_data_changes(results(before), other) == []


def test_a_deterministic_value_that_changes_between_runs_is_marked() -> None:
    before, after = (
        [cell("A", 0, AARI=a), *(cell("B", r, AARI=b + r / 100) for r in range(4))]
        for a, b in ((0.5, 0.5), (0.6, 0.501))
    )
    fixed = {**FIXED, "algorithms": ("A",)}
    changes = find_differences(
        results(before, deterministic=fixed), results(after, deterministic=fixed)
    )
    found = {change.algorithm: change for change in changes if change.metric == "AARI"}
    assert (found["A"].marked, found["A"].low) == (True, pytest.approx(0.1))
    # The differences of B are equal up to rounding, B may be random, and AARI is from -1 to 1.
    assert not found["B"].marked
    unseen = 1 - 0.025**0.25
    assert found["B"].high == pytest.approx(0.001 + unseen * (2 - 0.001))


def test_the_intervals_of_many_differences_hold_together() -> None:
    rng = np.random.default_rng(0)
    tables = rng.normal(size=(2, 10, 5))
    runs = [
        results(
            [cell(f"A{a}", r, AARI=v) for a, row in enumerate(table) for r, v in enumerate(row)],
            metrics=(AARI,),
        )
        for table in tables
    ]
    for change, before, after in zip(find_differences(*runs), *tables, strict=True):
        margin = stats.t.isf(0.025 / 10, 4) * stats.sem(after - before)
        assert change.high is not None
        assert change.low is not None
        assert change.high - change.low == pytest.approx(2 * margin)
