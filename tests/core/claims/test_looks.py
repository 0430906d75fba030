"""When claims are judged, and how often a verdict is false while repetitions are added."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest

from hcbench.claims.false_verdicts import expect_false_verdicts
from hcbench.claims.looks import last_look, looks_below_planned, looks_from_planned, next_looks
from hcbench.plan.presentation import MetricInfo
from hcbench.registry.suite import Claim, Suite
from hcbench.results.results import Results
from tests.core.simulated import JUDGED, at_most, false_while_adding, results_of

#: The error of a single look at 10 repetitions and a level of 95 %, where it is not at most 5 %:
#: Student's t does not allow for skew (20,000 samples).
SINGLE_LOOK = dict.fromkeys(product(JUDGED, ["=", ">=", ">"]), 0.05)
SINGLE_LOOK |= {("beta(18, 2)", "="): 0.068, ("beta(18, 2)", ">"): 0.092}


def test_the_levels_of_all_looks_add_up_to_5_percent() -> None:
    for planned in (1, 2, 3, 10, 60, 1000):
        above = list(islice(looks_from_planned(planned), 60))
        below = list(looks_below_planned(planned))
        spent = sum(1 - look.level for look in above + below)
        assert spent <= 0.05 + 1e-9
    assert [look.repetitions for look in islice(looks_from_planned(10), 4)] == [10, 20, 40, 80]
    assert [look.repetitions for look in looks_below_planned(10)] == [5, 3, 2]
    assert last_look(10, 1) is None


@pytest.mark.parametrize("planned", [1, 2, 3, 7, 10])
def test_the_last_look_is_the_largest_that_the_repetitions_reach(planned: int) -> None:
    looks = list(next_looks(planned, 0, most=100))
    numbers = [look.repetitions for look in looks]
    assert numbers == sorted(set(numbers))
    for n in range(1, 101):
        reached = [look for look in looks if look.repetitions <= n]
        assert last_look(planned, n) == (reached[-1] if reached else None)
        assert list(next_looks(planned, n, most=100)) == [k for k in looks if k.repetitions > n]


def test_between_two_looks_the_verdict_is_that_of_the_last_one() -> None:
    values = np.random.default_rng(0).normal(size=(1, 19))
    claim = Claim(claim="c", algorithm="A0", dataset="d", metric="score", paper="0.0", within=9.0)
    suite = Suite(name="s", repetitions=5, claims=(claim,))
    found = replace(results_of(values), suite=suite)
    (row,) = found.verdicts
    (at_look,) = replace(found, outcomes=found.outcomes[:10]).verdicts
    assert row["repetitions"] == at_look["repetitions"] == 10
    assert row["level"] == pytest.approx(0.996)
    assert (row["measured"], row["low"], row["high"]) == (
        at_look["measured"],
        at_look["low"],
        at_look["high"],
    )
    assert row["measured"] == pytest.approx(values[0, :10].mean())
    assert row["note"] == "judged by the first 10 of 19 repetitions"
    assert at_look["note"] == ""


def test_more_repetitions_than_planned_do_not_change_the_plan() -> None:
    suite = Suite(name="s", repetitions=10)
    assert replace(suite, repetitions=40).first_look == 10
    assert replace(suite, repetitions=40, first_look=40).first_look == 40


def test_a_repetition_without_a_value_does_not_move_the_looks() -> None:
    claim = Claim(claim="c", algorithm="A0", dataset="d", metric="score", paper="0", relation=">=")
    suite = Suite(name="s", repetitions=5, claims=(claim,))
    outcomes = list(results_of(np.full((1, 5), 1.0)).outcomes)
    outcomes[2] = replace(outcomes[2], points=())
    metric = MetricInfo("score", "higher", interval="[0, 1]")
    (row,) = Results(outcomes, (metric,), suite).verdicts
    assert (row["repetitions"], row["level"]) == (4, pytest.approx(0.96))


@pytest.mark.parametrize("name", JUDGED)
def test_adding_repetitions_until_a_claim_is_decided_keeps_the_error(name: str) -> None:
    """Judged after every repetition at 5 %, a third of the claims would have a false verdict."""
    assert false_while_adding(name, 10, "=", 30) <= at_most(SINGLE_LOOK[name, "="], 30)


@pytest.mark.nightly
@pytest.mark.parametrize("relation", ["=", ">=", ">"])
@pytest.mark.parametrize("name", JUDGED)
def test_the_error_while_repetitions_are_added_in_500_samples(name: str, relation: str) -> None:
    error = false_while_adding(name, 10, relation, 500)
    assert error <= at_most(SINGLE_LOOK[name, relation], 500)


def test_only_verdicts_by_intervals_can_be_false_by_chance() -> None:
    fields = {"algorithm": "A0", "dataset": "d", "metric": "score"}
    erratum = {"paper": "3", "erratum": "a misprint"}
    claims = (
        Claim(claim="mean", paper="0.0", within=9.0, **fields),
        Claim(claim="each", paper="9", relation="<=", every_repetition=True, **fields),
        Claim(claim="elsewhere", paper="0", **(fields | {"dataset": "e"})),
        Claim(claim="one interval", corrected={"paper": "2"}, **erratum, **fields),
        Claim(claim="two", corrected={"algorithm": "A1"}, **erratum, **fields),
        Claim(claim="other data", paper="0", other_data="another year", **fields),
    )
    values = np.random.default_rng(0).normal(size=(2, 5))
    found = replace(results_of(values), suite=Suite(name="s", claims=claims))
    chance = expect_false_verdicts(found.judged)
    assert (chance.claims, chance.by_interval) == (6, 3)
    assert chance.expected == pytest.approx(0.05 * 4)
    assert chance.text.startswith("3 of 6 claims are judged by intervals: on average at most 5 %")
    bases = [verdict.basis for verdict in found.judged]
    assert bases == ["interval", "every repetition", "", "interval", "interval", "interval"]
    fixed = {"algorithms": ("A0", "A1"), "datasets": ("d",), "oracles": ("o",)}
    equal = replace(found, outcomes=results_of(np.ones((2, 5))).outcomes, deterministic=fixed)
    assert equal.judged[0].basis == "equality"
    assert equal.false_verdicts.text == ""
