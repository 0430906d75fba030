"""Claims about several algorithms, data sets and oracles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hcbench.claims.families import families_of
from hcbench.pages.report.sections import claims_table
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench.registry.names import matches_pattern, names_in_grid
from hcbench.registry.suite import Claim, Suite
from hcbench.registry.suite_files import read_suite
from hcbench.results.overviews import make_tables
from hcbench.results.results import Results

METRICS = (MetricInfo("error", "lower"),)


def claim(**changes: Any) -> Claim:
    fields = {"claim": "c", "algorithm": "A", "dataset": "d", "metric": "error", "paper": "0"}
    return Claim(**{**fields, **changes})


def places(suite: Suite) -> list[tuple[str, str, str]]:
    """Algorithm, data set and oracle of the members of the only claim."""
    (family,) = families_of(suite)
    return [(member.algorithm, member.dataset, member.oracle) for member in family.members]


def results_of(errors: dict[tuple[str, str], float], suite: Suite) -> Results:
    """One repetition of algorithms that use no random numbers."""
    outcomes = []
    for (algorithm, dataset), error in errors.items():
        points = (ScoredPoint(values={"error": Value(error)}),)
        outcomes.append(
            Outcome(
                key=f"{algorithm}/{dataset}",
                algorithm=algorithm,
                dataset=dataset,
                oracle="o",
                repetition=0,
                seed=0,
                points=points,
            )
        )
    fixed = {
        "algorithms": tuple({outcome.algorithm for outcome in outcomes}),
        "datasets": tuple({outcome.dataset for outcome in outcomes}),
        "oracles": ("o",),
    }
    return Results(outcomes, METRICS, suite, deterministic=fixed)


def test_a_claim_about_one_place_is_its_own_member() -> None:
    single = claim()
    (family,) = families_of(Suite(name="s", claims=(single,)))
    assert family.members == (single,)


def test_grids_lists_and_patterns_mean_each_of_them() -> None:
    suite = Suite(
        name="s",
        algorithms=("A", "B[k=[1, 2]]", "C"),
        datasets=("d[n=[1, 2], law=uniform]", "d[n=1, law=hard]", "e"),
        claims=(claim(algorithm="A, B[k=[1, 2]]", dataset="d[law=uniform, *]"),),
    )
    first, second = "d[n=1,law=uniform]", "d[n=2,law=uniform]"
    assert places(suite) == [
        ("A", first, ""),
        ("A", second, ""),
        ("B[k=1]", first, ""),
        ("B[k=1]", second, ""),
        ("B[k=2]", first, ""),
        ("B[k=2]", second, ""),
    ]
    (family,) = families_of(suite)
    assert family.members[2].claim == f"c: B[k=1], {first}"


def test_members_are_named_by_what_differs() -> None:
    suite = Suite(name="s", algorithms=("A", "B"), claims=(claim(algorithm="A, B"),))
    (family,) = families_of(suite)
    assert [member.claim for member in family.members] == ["c: A", "c: B"]


def test_combinations_that_a_suite_excludes_are_no_members() -> None:
    suite = Suite(
        name="s",
        algorithms=("A[p=[1, 2]]", "B"),
        datasets=("d", "e"),
        oracles=("o[q=[1, 2]]",),
        only=(("A[p=1]", "d", "o[q=1]"), ("A[p=2]", "d", "o[q=2]"), ("B", "e")),
        claims=(claim(algorithm="A[p=[1, 2]], B", dataset="*", oracle="o[q=[1, 2]]"),),
    )
    assert places(suite) == [
        ("A[p=1]", "d", "o[q=1]"),
        ("A[p=2]", "d", "o[q=2]"),
        ("B", "e", "o[q=1]"),
        ("B", "e", "o[q=2]"),
    ]


def test_what_a_suite_does_not_run_is_said_and_not_omitted() -> None:
    suite = Suite(
        name="s",
        algorithms=("A",),
        datasets=("d",),
        only=(("A", "d"),),
        claims=(claim(algorithm="A, Absent"), claim(dataset="other[*]")),
    )
    results = results_of({("A", "d"): 0.0}, suite)
    rows = [(row["family"], row["verdict"]) for row in results.verdicts]
    assert rows == [("c", "reproduced"), ("c", "not run"), ("c", "not run")]


def test_a_grid_of_a_tuned_claim_is_one_algorithm() -> None:
    tuned = claim(algorithm="A[k=[1, 2]]", tuned_by="error", dataset="d, e")
    suite = Suite(name="s", datasets=("d", "e"), claims=(tuned,))
    assert places(suite) == [("A[k=[1, 2]]", "d", ""), ("A[k=[1, 2]]", "e", "")]


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("cut-of[*]", "cut-of[law=hard,k=3]", True),
        ("cut-of*", "cut-of[law=hard,k=3]", True),
        ("cut-of[law=hard, *]", "cut-of[k=3, law=hard]", True),
        ("cut-of[*, k=3.0]", "cut-of[k=3, law=hard]", True),
        ("cut-of[k=3, *]", "cut-of[k=30]", False),
        ("*-of[k=3]", "cut-of[k=3, law=hard]", False),
        ("*-of[k=3]", "cut-of[k=3]", True),
        ("[*", "cut-of", False),
    ],
)
def test_a_pattern_matches_names(pattern: str, name: str, matches: bool) -> None:
    assert matches_pattern(pattern, name) is matches


def test_a_list_within_a_list_is_one_value() -> None:
    assert names_in_grid("A[k=[1, [2, 3]], m=4]") == ["A[k=1,m=4]", "A[k=[[2,3]],m=4]"]
    assert names_in_grid("no [name") == ["no [name"]


def family_suite() -> Suite:
    several = claim(claim="Few errors", algorithm="A, B", dataset="d[n=[1, 2]]", note="by hand")
    single = claim(claim="One", dataset="d[n=1]")
    return Suite(
        name="s", algorithms=("A", "B"), datasets=("d[n=[1, 2]]",), claims=(several, single)
    )


ERRORS = {("A", "d[n=1]"): 0.0, ("A", "d[n=2]"): 0.0, ("B", "d[n=1]"): 0.0, ("B", "d[n=2]"): 3.0}


def test_a_family_is_one_line_of_a_table_and_names_who_differs() -> None:
    results = results_of(ERRORS, family_suite())
    block = make_tables(results)[-1]
    texts = [[entry.text for entry in row] for row in block.rows]
    assert texts == [
        ["Few errors", "0", "means from 0 to 3", "3 of 4 reproduced"],
        ["One", "0", "0", "reproduced"],
    ]
    assert block.title == "claims: 4 reproduced, 1 differs"
    assert block.notes == ("by hand", "differs: B, d[n=2]")


def test_an_explanation_is_shown_where_a_member_differs() -> None:
    several = claim(algorithm="A, B", dataset="d[n=2]", explanation="B is greedy")
    suite = replace(family_suite(), claims=(several,))
    block = make_tables(results_of(ERRORS, suite))[-1]
    assert block.notes == ("where it differs: B is greedy", "differs: B")
    suite = replace(suite, claims=(replace(several, algorithm="A", dataset="d[n=[1, 2]]"),))
    assert make_tables(results_of(ERRORS, suite))[-1].notes == ()


def test_json_keeps_the_members() -> None:
    rows = results_of(ERRORS, family_suite()).verdicts
    assert [row["family"] for row in rows] == ["Few errors"] * 4 + ["One"]
    assert rows[3]["claim"] == "Few errors: B, d[n=2]"
    assert (rows[3]["verdict"], rows[3]["measured"]) == ("differs", 3.0)


def test_a_page_opens_a_family_to_its_members() -> None:
    table = claims_table(results_of(ERRORS, family_suite()))
    assert table["kinds"] == ["family", "variant", "variant", "variant", "variant", ""]
    verdicts = [row[3][0] for row in table["rows"]]
    assert verdicts[0] == "3 of 4 reproduced"
    assert verdicts[4] == "differs"


def test_files_in_a_list_are_beside_the_suite(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("1,2\n")
    path = tmp_path / "suite.toml"
    path.write_text(
        "[[claims]]\nclaim = 'c'\nalgorithm = 'A'\ndataset = './a.csv, b.csv'\n"
        "metric = 'error'\npaper = '0'\n"
    )
    (of_files,) = read_suite(path).claims
    assert of_files.dataset == f"{tmp_path / 'a.csv'}, {tmp_path / 'b.csv'}"
