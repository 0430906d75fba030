"""Claims about more than one number, and their verdicts."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st
from scipy.stats import binomtest

from hcbench.claims.powers import powers_of
from hcbench.cli import main
from hcbench.errors import SuiteError
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import MetricInfo
from hcbench.registry import load_registry
from hcbench.registry.names import split_parameter
from hcbench.registry.references import Reference
from hcbench.registry.suite import Claim, Figure, Suite
from hcbench.results.overviews import make_tables
from hcbench.results.results import Results
from hcbench.results.verdict_tables import count_verdicts

PAPER = Reference("p", "misc", {"author": "A", "title": "T", "year": "2000"})
METRICS = (
    MetricInfo("error", "lower"),
    MetricInfo("other", "lower"),
    MetricInfo("AARI", "higher"),
)


def cell(repetition: int, dataset: str = "d", algorithm: str = "A", **values: Any) -> Outcome:
    return Outcome(
        key=f"{algorithm}/{dataset}/{repetition}",
        algorithm=algorithm,
        dataset=dataset,
        oracle="o",
        repetition=repetition,
        seed=0,
        points=(ScoredPoint(values={label: Value(value) for label, value in values.items()}),),
    )


def cells(values: list[float], dataset: str = "d", algorithm: str = "A") -> list[Outcome]:
    return [cell(r, dataset, algorithm, error=value) for r, value in enumerate(values)]


def claim(**changes: Any) -> Claim:
    fields = {"claim": "c", "algorithm": "A", "dataset": "d", "metric": "error"}
    return Claim(**{**fields, **changes})


def results(outcomes: list[Outcome], metrics: Any, suite: Suite, **more: Any) -> Results:
    """Results of algorithms, data sets and oracles that use no random numbers."""
    labels = {
        "algorithms": tuple({outcome.algorithm for outcome in outcomes}),
        "datasets": tuple({outcome.dataset for outcome in outcomes}),
        "oracles": tuple({outcome.oracle for outcome in outcomes}),
    }
    return Results(outcomes, metrics, suite, deterministic=labels, **more)


def verdict(outcomes: list[Outcome], planned: int = 0, **changes: Any) -> dict[str, Any]:
    """The verdict on a claim, where by default as many repetitions are planned as there are."""
    planned = planned or 1 + max(outcome.repetition for outcome in outcomes)
    suite = Suite(name="s", claims=(claim(**changes),), repetitions=planned)
    found = results(outcomes, METRICS, suite)
    (row,) = found.verdicts
    return row


# Mean 2, standard deviation 1, standard error 1 / sqrt(5) = 0.4472. At the planned number of five
# repetitions the level is 96 %. Student's t with four degrees of freedom has the quantiles 2.9985
# (0.98) and 2.3329 (0.96), so the interval is 0.659 to 3.341, and those of one side begin at 0.9567
# or end at 3.0433.
SPREAD = cells([1.0, 1.0, 2.0, 3.0, 3.0])


def test_bounds_by_hand() -> None:
    both, above, below = (0.659, 3.341), (None, 3.0433), (0.9567, None)
    for relation, paper, within, word, interval in [
        ("<=", "3.05", 0, "reproduced", above),
        ("<=", "3.04", 0, "undecided", above),
        ("<=", "3.00", 0.05, "reproduced", above),
        ("<=", "0.96", 0, "undecided", above),
        ("<=", "0.95", 0, "differs", below),  # the rounding of a bound is not allowed for
        (">=", "0.95", 0, "reproduced", below),
        (">=", "0.96", 0, "undecided", below),
        (">=", "3.05", 0, "differs", above),
        ("<", "3.05", 0, "reproduced", above),
        ("<", "3.04", 0, "undecided", above),
        ("<", "0.95", 0, "differs", below),
        (">", "0.95", 0, "reproduced", below),
        (">", "3.05", 0, "differs", above),
        ("=", "2.00", 0, "undecided", both),  # a large error of the mean does not help
        ("=", "2.00", 1.34, "reproduced", both),
        ("=", "2.00", 1.33, "undecided", both),
        ("=", "3.34", 0, "undecided", both),
        ("=", "3.35", 0, "differs", both),
        ("=", "3.34", 0.01, "undecided", both),
    ]:
        row = verdict(SPREAD, relation=relation, paper=paper, within=within)
        assert (row["verdict"], row["measured"]) == (word, pytest.approx(2.0)), (relation, paper)
        assert (row["low"], row["high"]) == pytest.approx(interval, abs=5e-4)


def test_a_one_sided_claim_shows_its_bound_in_tables() -> None:
    claims = (
        claim(claim="a", relation="<=", paper="3.05"),
        claim(claim="b", relation="<=", paper="0.95"),
        claim(claim="c", paper="2.00"),
    )
    block = make_tables(results(SPREAD, METRICS, Suite(name="s", claims=claims)))[-1]
    assert [row[2].text for row in block.rows] == [
        "2 (at most 3.043)",
        "2 (at least 0.9567)",
        "2 (0.659 to 3.341)",
    ]


@given(
    st.lists(st.integers(0, 8), min_size=1, max_size=6),
    st.sampled_from(["=", "<=", ">=", "<", ">"]),
    st.integers(0, 8),
    st.sampled_from([0.0, 0.5, 3.0]),
    st.booleans(),
    st.sampled_from(["(-inf, inf)", "[0, inf)", "[0, 8]"]),
)
def test_the_shown_interval_and_the_verdict_agree(
    values: list[int], relation: str, paper: int, within: float, is_fixed: bool, interval: str
) -> None:
    if relation in ("<", ">"):
        within = 0.0
    of_claim = claim(paper=str(paper), relation=relation, within=within)
    metrics = (MetricInfo("error", "lower", interval=interval),)
    suite = Suite(name="s", claims=(of_claim,))
    outcomes = cells([float(value) for value in values])
    found = results(outcomes, metrics, suite) if is_fixed else Results(outcomes, metrics, suite)
    (row,) = found.verdicts
    low = -math.inf if row["low"] is None else row["low"]
    high = math.inf if row["high"] is None else row["high"]
    slack = 1e-9
    margin = within + (0.5 if relation == "=" else 0.0)  # the rounding of a printed integer
    least = -math.inf if relation in ("<", "<=") else paper - margin
    greatest = math.inf if relation in (">", ">=") else paper + margin
    if relation == "<":
        contains_all, contains_none = high < paper - slack, low >= paper - slack
    elif relation == ">":
        contains_all, contains_none = low > paper + slack, high <= paper + slack
    else:
        contains_all = least <= low + slack and high <= greatest + slack
        contains_none = high < least - slack or low > greatest + slack
    expected = "reproduced" if contains_all else "differs" if contains_none else "undecided"
    assert row["verdict"] == expected, (low, high)


def test_a_bound_that_every_repetition_must_keep_allows_for_no_error() -> None:
    agreeing = verdict(SPREAD, relation="<=", paper="3", every_repetition=True)
    broken = verdict(SPREAD, relation="<=", paper="2", every_repetition=True)
    assert agreeing["verdict"] == "reproduced"
    assert broken["verdict"] == "differs"
    assert broken["note"] == "violated in 2 of 5 repetitions, the worst 3 in repetition 3"
    assert broken["printed"] == "≤ 2 in every repetition"


def test_bounds_are_kept_by_the_bound_itself_and_not_exceeded_by_it() -> None:
    exact = cells([2.0, 2.0])  # without spread
    for relation, word in [
        ("=", "reproduced"),
        ("<=", "reproduced"),
        (">=", "reproduced"),
        ("<", "differs"),
        (">", "differs"),
    ]:
        other = cells([2.0, 2.0], algorithm="B")
        row = verdict([*exact, *other], better_than="B", relation=relation)
        assert (row["verdict"], row["measured"]) == (word, 0.0)
    # 86 +- 0.5 by its rounding; a bound has none, and 1e-9 of it are forgiven.
    assert verdict(cells([86.5, 86.5]), paper="86")["verdict"] == "reproduced"
    assert verdict(cells([86.51, 86.51]), paper="86")["verdict"] == "differs"
    for above, word in ((1e-8, "reproduced"), (1e-6, "differs")):
        row = verdict(cells([86 + above] * 2), paper="86", relation="<=")
        assert row["verdict"] == word


def test_two_means_with_errors_are_compared_by_the_error_of_their_difference() -> None:
    """The interval of SPREAD is 2 +- 1.341; that of the paper is 2.054 times its error."""
    for paper, error, word in [
        ("2.0", 0.4, "not significantly different"),  # 1.341 <= 2 * 0.822 + 0.05
        ("2.0", 0.3, "undecided"),  # the measured interval is more than twice as wide
        ("3.6", 0.4, "not significantly different"),  # sqrt(1.341^2 + 0.822^2) = 1.573
        ("3.7", 0.4, "differs"),  # 1.7 > 1.573 + 0.05
    ]:
        assert verdict(SPREAD, paper=paper, paper_error=error)["verdict"] == word, (paper, error)
    # Without spread the value does not vary from run to run: only the rounding is tolerated.
    exact = cells([2.0, 2.0])
    assert verdict(exact, paper="2.0", paper_error=0.5)["verdict"] == "reproduced"
    assert verdict(exact, paper="2.1", paper_error=0.5)["verdict"] == "differs"


def test_doubtful_claims_are_explained() -> None:
    near = verdict(SPREAD, relation=">", paper="1.2")
    assert near["note"] == (
        # By hand: at 10 repetitions t(0.996) = 3.390 of 9 degrees of freedom, and 3.390 / sqrt(10)
        # = 1.072 > 0.8; at 20 t(0.998) = 3.273 of 19, and 3.273 / sqrt(20) = 0.732 < 0.8.
        "too few repetitions: the 95 % interval begins at 0.9567; about 20 repetitions decide if "
        "mean and spread stay"
    )
    at_the_bound = verdict(SPREAD, relation=">", paper="2.0")
    assert "more repetitions decide nothing" in at_the_bound["note"]
    assert verdict(SPREAD, relation=">", paper="0.5")["note"] == ""
    rival = [*SPREAD, *cells([1.0, 3.0, 1.0, 3.0, 2.0], algorithm="B")]
    row = verdict(rival, better_than="B")
    assert row["verdict"] == "undecided"
    assert row["note"].startswith(
        "mean paired difference over 5 repetitions, lower is better; too few repetitions"
    )


def test_one_repetition_decides_only_what_uses_no_random_numbers() -> None:
    for paper, word in (("2", "reproduced"), ("3", "differs")):
        assert verdict(cells([2.0]), paper=paper)["verdict"] == word
        suite = Suite(name="s", claims=(claim(paper=paper),))
        (row,) = Results(cells([2.0]), METRICS, suite).verdicts
        assert (row["verdict"], row["low"], row["high"]) == ("undecided", None, None)
        assert row["note"] == (
            "one repetition has no interval: its data, oracle or algorithm may be random"
        )
    always = {"paper": "3", "relation": "<=", "every_repetition": True}
    assert verdict(cells([2.0]), **always)["verdict"] == "reproduced"


def test_a_share_has_the_exact_binomial_interval() -> None:
    """All of n = 64 trees found: the one-sided bound is 0.04^(1/64) = 0.9510; of 62, 0.9494."""
    metrics = (MetricInfo("error", "higher", interval="{0, 1}"),)
    for n, found, word in [
        (64, 64, "reproduced"),
        (62, 62, "undecided"),
        (2, 2, "undecided"),
        (64, 63, "undecided"),
        (64, 0, "differs"),
        (64, 55, "differs"),  # the exact bound of the other side is 0.928
    ]:
        outcomes = cells([1.0] * found + [0.0] * (n - found))
        claims = (claim(paper="0.95", relation=">="),)
        suite = Suite(name="s", repetitions=n, claims=claims)
        (row,) = Results(outcomes, metrics, suite).verdicts
        assert row["verdict"] == word, (n, found)
        side = "less" if word == "differs" else "greater"
        exact = binomtest(found, n, alternative=side).proportion_ci(0.96, "exact")
        bounds = (None, exact.high) if word == "differs" else (exact.low, None)
        assert (row["low"], row["high"]) == pytest.approx(bounds, abs=1e-9)


def random_verdict(values: list[float], metric: MetricInfo, **changes: Any) -> dict[str, Any]:
    """The verdict on values of which the algorithm may be random."""
    suite = Suite(name="s", claims=(claim(**changes),))
    (row,) = Results(cells(values), (metric,), suite).verdicts
    return row


def test_equal_values_of_a_random_algorithm_are_no_certainty() -> None:
    """With the probability .9 of a 1, five are 1 in 59 % of cases, and the mean is .9."""
    unbounded = MetricInfo("error", "lower")
    for paper in ("0.9", "1.0"):
        row = random_verdict([1.0] * 5, unbounded, paper=paper)
        assert (row["verdict"], row["low"], row["high"]) == ("undecided", None, None)
        # 1 - .04^(1/5) = .4747
        assert row["note"].startswith("5 equal values exclude a jump of probability above 0.47")
    bounded = MetricInfo("error", "lower", interval="[0, 1]")
    row = random_verdict([1.0] * 5, bounded, paper="0.9")
    # As for a share: .02^(1/5) = .4573.
    assert (row["verdict"], row["high"]) == ("undecided", 1.0)
    assert row["low"] == pytest.approx(0.02**0.2)
    # Bounds decide what is far away, and enough repetitions what is near.
    assert random_verdict([1.0] * 5, bounded, paper="0.3")["verdict"] == "differs"
    # At twelve times the planned number, the last look is at 40, with the level 99.9 %.
    close = {"paper": "0.84", "relation": ">="}
    assert random_verdict([1.0] * 39, bounded, **close)["verdict"] == "undecided"
    assert random_verdict([1.0] * 60, bounded, **close)["verdict"] == "reproduced"
    always = {"paper": "1.0", "every_repetition": True}
    assert random_verdict([1.0] * 5, unbounded, **always)["verdict"] == "reproduced"


def test_times_vary_even_where_nothing_is_random() -> None:
    seconds = MetricInfo("error", "lower", "s")
    suite = Suite(name="s", claims=(claim(paper="2"),))
    (row,) = results(cells([2.0, 2.0]), (seconds,), suite).verdicts
    assert row["verdict"] == "undecided"


def test_an_erratum_can_fail() -> None:
    """Printed 3, corrected 2: what is measured decides."""
    fields = {"paper": "3", "erratum": "a misprint", "corrected": {"paper": "2"}}
    for values, word in [
        ([2.0, 2.0], "erratum confirmed"),
        ([3.0, 3.0], "erratum refuted"),  # the printed value is measured
        ([4.0, 4.0], "erratum refuted"),  # neither is
        ([1.5, 3.0, 3.0, 1.5, 2.0], "undecided"),
    ]:
        row = verdict(cells(values), **fields)
        assert row["verdict"] == word, values
        assert "a misprint; the printed claim: " in row["note"]
        assert row["note"].startswith("open: ") is (word == "erratum refuted")
    close = {"paper": "2.4", "erratum": "a misprint", "corrected": {"paper": "2"}}
    assert verdict(cells([2.4, 2.4]), **close)["verdict"] == "undecided"  # 2.4 rounds to both
    # With an error of .5, 2 +- 1.341 differs from 6 by more than 1.689; with 2 it agrees to 4.32.
    of_one_draw = {
        "paper": "6.0",
        "paper_error": 0.5,
        "erratum": "e",
        "corrected": {"paper_error": 2},
    }
    assert verdict(SPREAD, **of_one_draw)["verdict"] == "erratum confirmed"
    assert verdict(cells([2.0, 2.0]), algorithm="Z", **fields)["verdict"] == "not run"
    broken = [replace(o, status="error", reason="broken", points=()) for o in cells([2.0, 2.0])]
    assert verdict(broken, **fields)["verdict"] == "not run"
    with pytest.raises(SuiteError, match="an erratum needs corrected"):
        claim(paper="3", erratum="a misprint")
    with pytest.raises(SuiteError, match="corrected replaces texts and paper_error; got within"):
        claim(paper="3", erratum="a misprint", corrected={"within": 3})


def test_other_data_are_compared_but_reproduce_nothing() -> None:
    for paper, how in [("2", "agrees"), ("3", "differs")]:
        row = verdict(cells([2.0, 2.0]), paper=paper, other_data="another year")
        assert row["verdict"] == "other data"
        assert row["note"] == f"another year; on them the value {how}"


def test_missing_data_and_claims_not_run_are_distinguished() -> None:
    missing = [
        replace(o, status="skipped", reason="no file", phase="data", points=())
        for o in cells([1.0, 1.0])
    ]
    assert verdict(missing, paper="1")["verdict"] == "data not available"
    inapplicable = [replace(o, phase="", reason="too large") for o in missing]
    row = verdict(inapplicable, paper="1")
    assert (row["verdict"], row["note"]) == ("not run", "too large")


def test_a_difference_has_its_reason() -> None:
    row = verdict(cells([2.0, 2.0]), paper="3", explanation="ties are broken by rounding")
    assert row["note"] == "ties are broken by rounding"
    suite = Suite(name="s", paper=PAPER, claims=(claim(paper="3"),))
    (row,) = results(cells([2.0, 2.0]), METRICS, suite).verdicts
    assert row["note"] == "open: no reason is known"


def test_the_worst_repetition_beyond_a_bound_is_reported() -> None:
    row = verdict(cells([3.0, 9.0, 2.0, 4.0]), relation="<=", paper="2", every_repetition=True)
    assert row["note"] == "violated in 3 of 4 repetitions, the worst 9 in repetition 1"
    row = verdict(cells([-3.0, 1.0]), relation=">=", paper="2", every_repetition=True)
    assert row["note"] == "violated in 2 of 2 repetitions, the worst -3 in repetition 0"


def test_a_difference_is_of_repetitions_that_both_have() -> None:
    first = cells([1.0, 5.0, 9.0])
    some = [o for o in cells([2.0, 7.0, 0.0], algorithm="B") if o.repetition < 2]
    row = verdict([*first, *some], planned=2, better_than="B")
    assert row["measured"] == -1.5
    assert row["note"].startswith("mean paired difference over 2 repetitions, lower is better")
    assert (row["verdict"], row["low"], row["high"]) == (
        "undecided",
        None,
        pytest.approx(-1.5 + 0.5 * 7.916, abs=1e-3),
    )
    within = verdict([*first, *some], planned=2, better_than="B", within=9.5)
    assert (within["verdict"], within["note"]) == (
        "reproduced",
        "mean paired difference over 2 repetitions",
    )
    apart = verdict([cell(0, error=1.0), cell(1, algorithm="B", error=1.0)], better_than="B")
    assert (apart["verdict"], apart["measured"]) == ("undecided", None)
    assert apart["note"] == "no repetition has both values"


def test_a_failure_beside_values_leaves_it_undecided_on_either_side() -> None:
    good, rival = cells([1.0, 1.0]), cells([2.0, 2.0], algorithm="B")
    broken = [replace(of[1], status="error", reason="broken", points=()) for of in (good, rival)]
    for outcomes in ([good[0], broken[0], *rival], [*good, rival[0], broken[1]]):
        row = verdict(outcomes, better_than="B")
        assert (row["verdict"], row["measured"]) == ("undecided", -1.0)
        assert "1 of 2 without a value: error: broken" in row["note"]


def test_a_metric_that_only_describes_tunes_nothing() -> None:
    metrics = (*METRICS, MetricInfo("size", "none"))
    runs = [cell(0, algorithm=f"A[x={x}]", error=1.0, size=2.0) for x in (1, 2)]
    tuned = claim(algorithm="A[x=[1,2]]", tuned_by="size", paper="1")
    (row,) = Results(runs, metrics, Suite(name="s", claims=(tuned,))).verdicts
    assert row["note"] == "size cannot be used for tuning: it has no better direction"


def test_an_inequality_between_two_metrics_forgives_rounding_errors_alone() -> None:
    sums = [cell(0, error=0.1 + 0.2, other=0.3), cell(1, error=2.0, other=2.0)]
    wanted = {"than_metric": "other", "relation": "<=", "every_repetition": True}
    assert verdict(sums, **wanted)["verdict"] == "reproduced"
    assert verdict([*sums, cell(2, error=2.001, other=2.0)], **wanted)["verdict"] == "differs"


def test_an_infinite_value_equals_no_number_and_is_beyond_any_bound() -> None:
    without_end = cells([float("inf"), float("inf")])
    words = {
        relation: verdict(without_end, relation=relation, paper="0.86")["verdict"]
        for relation in ("=", "<=", ">=", ">")
    }
    assert [word for word, judged in words.items() if judged == "reproduced"] == [
        ">=",
        ">",
    ]


def curve(algorithm: str, **values: float) -> list[Outcome]:
    """Two equal runs, by checkpoint ("at_100") and the end."""
    points = tuple(
        ScoredPoint(
            checkpoint=None if name == "end" else int(name[3:]), values={"error": Value(value)}
        )
        for name, value in values.items()
    )
    return [replace(cell(r, algorithm=algorithm), points=points) for r in (0, 1)]


def test_a_claim_may_be_about_a_checkpoint() -> None:
    runs = [
        *curve("A", at_100=3.0, at_600=2.0, end=1.0),
        *curve("B", at_100=4.0, at_600=2.5, end=1.0),
    ]
    assert verdict(runs, paper="3", checkpoint=100)["verdict"] == "reproduced"
    assert verdict(runs, paper="1")["verdict"] == "reproduced"
    assert verdict(runs, better_than="B", checkpoint=100)["measured"] == -1.0
    later = verdict(runs, better_than="B", checkpoint=100, than_checkpoint=600)
    assert (later["verdict"], later["measured"]) == ("differs", 0.5)
    assert later["printed"] == "better than B after 600 queries"
    itself = verdict(runs, checkpoint=600, than_checkpoint=100)
    assert (itself["verdict"], itself["measured"]) == ("reproduced", -1.0)
    none = verdict(runs, paper="3", checkpoint=200)
    assert (none["verdict"], none["note"]) == (
        "not run",
        "A on d has no checkpoint 200",
    )


def grid(member: int, errors: list[float], measured: list[float]) -> list[Outcome]:
    """Repetitions of one value of a grid: their errors, and those used for tuning."""
    values = zip(errors, measured, strict=True)
    name = f"A[x={member}]"
    return [cell(r, algorithm=name, error=e, other=t, AARI=-t) for r, (e, t) in enumerate(values)]


GRID = [
    *grid(1, [0.5, 0.3, 0.9], [0.2, 0.4, 0.6]),
    *grid(2, [0.1, 0.7, 0.4], [0.3, 0.1, 0.6]),
    *cells([0.8, 0.6, 1.0], algorithm="B"),
]


def test_each_repetition_uses_the_value_selected_by_tuning() -> None:
    """x = 1, 2 and, both being equally good, the first, 1: errors 0.5, 0.7, 0.9."""
    row = verdict(GRID, algorithm="A[x=[1,2]]", tuned_by="other", paper="0.7", within=0.6)
    assert (row["verdict"], row["measured"]) == ("reproduced", pytest.approx(0.7))
    assert row["note"] == "tuned by other: A[x=1] 2 times, A[x=2] 1 times"
    higher = verdict(GRID, algorithm="A[x=[1,2]]", tuned_by="AARI", paper="0.7")
    assert higher["measured"] == pytest.approx(0.7)
    turned = verdict(GRID, algorithm="A[x=[2,1]]", tuned_by="other", paper="0.7")
    assert turned["measured"] == pytest.approx((0.5 + 0.7 + 0.4) / 3)


def test_a_tuned_algorithm_is_compared_with_one_that_has_nothing_to_tune() -> None:
    better = verdict(GRID, algorithm="A[x=[1,2]]", tuned_by="other", better_than="B")
    assert better["measured"] == pytest.approx((-0.3 + 0.1 - 0.1) / 3)
    worse = verdict(GRID, algorithm="B", tuned_by="other", better_than="A[x=[1,2]]")
    assert worse["measured"] == pytest.approx((0.3 - 0.1 + 0.1) / 3)


def test_tuning_is_done_at_the_checkpoint_of_the_claim() -> None:
    runs = []
    for member, (early, late) in {1: (0.1, 0.9), 2: (0.2, 0.3)}.items():
        points = tuple(
            ScoredPoint(
                checkpoint=at,
                values={"error": Value(10 * member + measured), "other": Value(measured)},
            )
            for at, measured in ((100, early), (600, late))
        )
        runs += [replace(cell(r, algorithm=f"A[x={member}]"), points=points) for r in (0, 1)]
    tuned = {"algorithm": "A[x=[1,2]]", "tuned_by": "other"}
    assert verdict(runs, **tuned, checkpoint=100, paper="10.1")["verdict"] == "reproduced"
    assert verdict(runs, **tuned, checkpoint=600, paper="20.3")["verdict"] == "reproduced"


def test_tuning_errors_are_reported() -> None:
    tuned = {"tuned_by": "other", "paper": "0.7"}
    unknown = verdict(GRID, algorithm="A[x=[1,3]]", **tuned)
    assert (unknown["verdict"], unknown["note"]) == (
        "not run",
        "A[x=3] was not run on d",
    )
    failed = [replace(GRID[0], status="error", reason="broken", points=()), *GRID[1:]]
    tuned["within"] = 5.0
    assert verdict(failed, algorithm="A[x=[1,2]]", **tuned)["verdict"] == "undecided"


def test_a_number_may_be_of_a_difference() -> None:
    queries = [cell(r, error=float(9 + r), other=10.0 + r) for r in range(3)]
    row = verdict(queries, than_metric="other", relation=">=", paper="-1", every_repetition=True)
    assert (row["verdict"], row["measured"], row["paper"]) == ("reproduced", -1.0, -1.0)
    assert row["printed"] == "≥ -1 above other in every repetition"


def test_data_sets_are_compared_repetition_by_repetition() -> None:
    outcomes = [*cells([1.0, 5.0], "big"), *cells([2.0, 6.0], "small")]
    smaller = verdict(outcomes, dataset="big", than_dataset="small")
    assert (smaller["verdict"], smaller["measured"]) == ("reproduced", -1.0)
    assert smaller["standard_error"] == 0
    assert smaller["printed"] == "better than itself on small"
    larger = verdict(outcomes, dataset="big", than_dataset="small", relation=">")
    assert larger["verdict"] == "differs"
    both = [*outcomes, *cells([3.0, 7.5], "small", "B")]
    other = verdict(both, dataset="big", better_than="B", than_dataset="small")
    assert (other["measured"], other["printed"]) == (-2.25, "better than B on small")


def test_which_metric_is_better_must_be_clear() -> None:
    outcomes = [cell(r, error=0.1, other=0.2, AARI=0.9) for r in range(2)]
    assert verdict(outcomes, than_metric="other")["verdict"] == "reproduced"
    unclear = verdict(outcomes, than_metric="AARI")
    assert unclear["verdict"] == "not run"
    assert "the claim needs a relation" in unclear["note"]
    assert verdict(outcomes, than_metric="AARI", relation="<")["verdict"] == "reproduced"


def test_comparable_means_that_the_whole_interval_is_within_the_tolerance() -> None:
    for other, within, word in [
        ([1.0, 1.0, 2.0, 3.0, 3.0], 0.0, "reproduced"),
        ([0.5, 0.5, 1.5, 2.5, 2.5], 0.4, "differs"),  # 0.5 apart, without spread
        ([0.5, 0.5, 1.5, 2.5, 2.5], 0.5, "reproduced"),
        ([0.0, 2.0, 2.0, 2.0, 4.0], 1.0, "undecided"),  # differences 1, -1, 0, 1, -1: 0 +- 1.341
        ([0.0, 2.0, 2.0, 2.0, 4.0], 1.35, "reproduced"),
    ]:
        outcomes = [*SPREAD, *cells(other, algorithm="B")]
        row = verdict(outcomes, better_than="B", within=within, relation="=")
        assert row["verdict"] == word, (other, within)


def test_within_replaces_the_rounding_of_a_number_by_more() -> None:
    exact = cells([0.5, 0.5])
    assert verdict(exact, paper="0.6")["verdict"] == "differs"
    row = verdict(exact, paper="0.6", within=0.1)
    assert (row["verdict"], row["printed"]) == ("reproduced", "0.6 within 0.1")


# ---- Rates ---------------------------------------------------------------------------------------


def along(power: float, *places: int, factor: float = 1.0) -> Results:
    outcomes = [
        outcome
        for p in places
        for outcome in cells([factor * p**power * f for f in (0.99, 1.01)], _gauss(p))
    ]
    outcomes += cells([100.0, 100.0], "gauss[n=7]") + cells([100.0, 100.0], "gauss[p=100,n=7]")
    labels = [_gauss(p) for p in places] + ["gauss[n=7]", "gauss[p=100,n=7]"]
    params = {label: {"p": 10, "n": 5, **({"n": 7} if "n=7" in label else {})} for label in labels}
    for p in places:
        params[_gauss(p)]["p"] = p
    params["gauss[p=100,n=7]"]["p"] = 100
    return Results(outcomes, METRICS, parameters={"datasets": params})


def _gauss(p: int) -> str:
    return "gauss" if p == 10 else f"gauss[p={p}]"


def test_a_rate_is_the_slope_over_the_data_sets() -> None:
    for power, changes, word in [
        (-0.5, {"paper": "-0.5"}, "reproduced"),
        (-0.55, {"paper": "-0.5", "relation": "<="}, "reproduced"),
        (-0.5, {"paper": "-0.5", "relation": "<="}, "undecided"),
        (-0.4, {"paper": "-0.5", "relation": "<="}, "differs"),
        (-0.6, {"paper": "-0.5", "relation": "<="}, "reproduced"),
        (-0.6, {"paper": "-0.5", "relation": "="}, "differs"),
        (-0.6, {"paper": "-0.5", "relation": "=", "within": 0.2}, "reproduced"),
    ]:
        found = along(power, 10, 100, 1000)
        for dataset in ("gauss", "gauss[p=1000]", "gauss[n=5]"):
            rate = claim(dataset=dataset, exponent="p", **changes)
            suite = Suite(name="s", claims=(rate,), repetitions=2)
            (row,) = Results(found.outcomes, METRICS, suite, found.parameters).verdicts
            assert row["measured"] == pytest.approx(power)
            assert row["verdict"] == word
            assert "slope of log(mean) against log(p) over 10, 100, 1000" in row["note"]


def test_a_rate_needs_two_data_sets_and_positive_means() -> None:
    few, negative = along(-0.5, 10), along(-0.5, 10, 100, factor=-1.0)
    suite = Suite(name="s", claims=(claim(dataset="gauss", exponent="p", paper="-0.5"),))
    (row,) = Results(few.outcomes, METRICS, suite, few.parameters).verdicts
    assert (row["verdict"], row["measured"]) == ("not run", None)
    assert "with at least two positive values of it; there are 1" in row["note"]
    (row,) = Results(negative.outcomes, METRICS, suite, negative.parameters).verdicts
    assert (row["verdict"], row["measured"]) == ("undecided", None)
    assert "has no logarithm" in row["note"]


def test_a_label_without_one_of_its_parameters() -> None:
    known = {"gauss": {"p": 10, "n": 5}, "gauss[p=3,n=7]": {"p": 3, "n": 7}}
    assert split_parameter("gauss", "p", known) == ("gauss", 10.0)
    assert split_parameter("gauss[p=3,n=7]", "p", known) == ("gauss[n=7]", 3.0)
    assert split_parameter("gauss[p=3,n=7]", "p", {}) == ("gauss[n=7]", 3.0)
    assert split_parameter("gauss[kind=round]", "kind", {}) == ("gauss", None)
    assert split_parameter("gauss", "q", known) == ("gauss", None)


# ---- Invalid claims ------------------------------------------------------------------------------


def test_an_empty_claim_is_refused() -> None:
    for fields, message in [
        ({}, "give paper, or what to compare with"),
        ({"relation": "<="}, "give paper, or what to compare with"),
        ({"paper": "0.5", "relation": "=="}, "relation is one of =, <=, >=, <, >; got '=='"),
        ({"paper": "0.5", "within": -1.0}, "within must be a number from 0, got -1.0"),
        ({"better_than": "B", "within": 0.1, "relation": "<"}, "demands one"),
        ({"exponent": "p"}, "give paper"),
        ({"exponent": "p", "better_than": "B"}, "exponent needs paper"),
        ({"exponent": "p", "paper": "1", "every_repetition": True}, "cannot hold in every"),
    ]:
        with pytest.raises(SuiteError, match=message):
            claim(**fields)


def test_two_figures_of_one_name_are_refused() -> None:
    one = Figure(name="f", doc="", function="m:f")
    other = Figure(name="f", doc="", function="m:g")
    with pytest.raises(SuiteError, match="2 figures are called f"):
        Suite(name="s", figures=(one, other))


# ---- Power ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_claim_of_the_registered_suites_can_fail() -> None:
    registry = load_registry()
    suites = [entry.spec for entry in registry.suites.entries]
    powers = [power for suite in suites for power in powers_of(suite, registry)]
    assert powers
    assert [power.claim.claim for power in powers if not power.can_fail] == []


CANNOT_FAIL = """
[[claims]]
claim = "close"
algorithm = "UPGMA"
dataset = "iris"
metric = "AARI"
paper = "0.5"
within = 0.2

[[claims]]
claim = "anything"
algorithm = "UPGMA"
dataset = "iris"
metric = "AARI"
paper = "-1"
relation = ">="

[[claims]]
claim = "better"
algorithm = "UPGMA"
better_than = "Ward"
dataset = "iris"
metric = "AARI"
"""


def test_check_lists_what_claims_accept_and_fails_if_one_accepts_everything(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(CANNOT_FAIL)
    done = CliRunner().invoke(main, ["check", "--claims", str(tmp_path / "s.toml")])
    assert done.exit_code == 1
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    # 0.5 is rounded to one digit: 0.05 and the tolerance of 0.2 on both sides.
    assert "close [0.25, 0.75] -1 to 1 yes" in rows
    assert "anything [-1, inf) -1 to 1 NO" in rows
    assert "better (0, inf) -2 to 2 yes" in rows


# ---- Tables --------------------------------------------------------------------------------------


def test_few_claims_are_one_table_with_their_notes_below() -> None:
    claims = (
        claim(claim="Table 1: two", paper="2"),
        claim(claim="Table 1: ten", paper="10"),
        claim(claim="Table 2: swapped", paper="10", erratum="swapped", corrected={"paper": "2"}),
        claim(claim="nobody", paper="1", algorithm="Z"),
    )
    found = results(cells([2.0, 2.0]), METRICS, Suite(name="s", claims=claims))
    block = make_tables(found)[-1]
    assert block.title == "claims: 1 reproduced, 1 differs, 1 erratum confirmed, 1 not run"
    assert [row[0].marks for row in block.rows] == [(), (), (1, 2, 3), (4,)]
    assert block.notes == (
        "swapped",
        "the printed claim: differs",
        "corrected, paper 2, measured 2: reproduced",
        "Z was not run on d",
    )


def test_many_claims_are_grouped_by_place() -> None:
    claims = [claim(claim=f"Table {1 + i % 2}: claim {i}", paper="2") for i in range(60)]
    claims += [claim(claim="alone: it is 10", paper="10"), claim(claim="it is 11", paper="11")]
    found = results(cells([2.0, 2.0]), METRICS, Suite(name="s", claims=tuple(claims)))
    blocks = make_tables(found)[-3:]
    assert [block.title for block in blocks] == [
        "claims of Table 1: 30 reproduced",
        "claims of Table 2: 30 reproduced",
        "claims: 2 differ",
    ]
    assert blocks[1].rows[0][0].text == "claim 1"
    assert blocks[2].rows[0][0].text == "alone: it is 10"
    assert count_verdicts(found.judged) == "60 reproduced, 2 differ"


def test_many_data_sets_give_one_table_per_metric() -> None:
    outcomes = [
        cell(0, f"d{i}", algorithm, error=value + i, AARI=value)
        for i in range(20)
        for algorithm, value in (("A", 0.5), ("B", 0.25))
    ]
    quality = (*METRICS, MetricInfo("seconds", "lower", "s", cost=True))
    found = Results(outcomes, quality)
    assert len(make_tables(found)) == 21, "with the ranks; all of them where there is room"
    blocks = make_tables(found, most=12)
    assert [block.title for block in blocks[:3]] == ["error ↓", "other ↓", "AARI ↑"]
    assert blocks[0].header == ("data set", "A", "B")
    assert len(blocks[0].rows) == 20
    assert [(entry.text, entry.bold) for entry in blocks[2].rows[3]] == [
        ("d3", False),
        ("0.500", True),
        ("0.250", False),
    ]


def test_in_an_overview_oracles_are_columns_where_an_algorithm_has_several() -> None:
    from dataclasses import replace

    outcomes = [
        replace(cell(0, f"d{i}", "A", error=1.0), oracle=oracle)
        for i in range(2)
        for oracle in ("p=0.1", "p=0.5")
    ]
    (block, *_) = make_tables(Results([*outcomes, *cells([2.0])], METRICS[:1]), most=1)
    assert block.header == ("data set", "A, oracle p=0.1", "A, oracle p=0.5", "A, oracle o")


def test_notes_below_the_table_count_their_repetitions() -> None:
    from dataclasses import replace

    outcomes = [replace(o, notes=("3 % are negative",)) for o in cells([1.0, 2.0])]
    outcomes += cells([1.0, 2.0], algorithm="B")
    outcomes[3] = replace(outcomes[3], notes=("5 % are negative", "not connected"))
    found = Results(outcomes, METRICS[:1])
    (block,) = make_tables(found)
    assert [row[0].marks for row in block.rows] == [(1,), (2, 3)]
    assert block.notes == (
        "3 % are negative",
        "1 of 2 repetitions: 5 % are negative",
        "1 of 2 repetitions: not connected",
    )
    assert found.rows[3]["notes"] == ["5 % are negative", "not connected"]
    assert json.loads(found.to_json())["cells"][0]["notes"] == ["3 % are negative"]
    assert "5 % are negative; not connected" in found.to_csv()
    assert "not connected" in found.to_markdown()
    assert r"3 \% are negative" in found.to_latex()
