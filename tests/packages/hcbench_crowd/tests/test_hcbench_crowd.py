"""The conformance checks of hcbench, and known values."""

import numpy as np
import pytest

import hcbench
from hcbench.testing import parametrize_with_checks

EXEMPT = {"crowd:noise_rate": "noise is the error rate of one person, and three vote"}


@parametrize_with_checks(["hcbench-crowd"], exempt=EXEMPT)
def test_conforms(check):
    check()


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0, 0, 1, 1], 0.0),  # the truth
        ([0, 1, 0, 1], 2 * np.log(2)),  # independent: H(U) + H(V)
        ([0, 0, 0, 0], np.log(2)),  # H(V)
        ([0, 1, 2, 3], np.log(2)),  # H(U) - H(V)
    ],
)
def test_the_variation_of_information_by_hand(labels, expected):
    value = hcbench.score("variation-of-information", hcbench.Partition(labels), [0, 0, 1, 1])
    assert value == pytest.approx(expected)
    normalised = hcbench.score(
        "variation-of-information[normalised=true]", hcbench.Partition(labels), [0, 0, 1, 1]
    )
    assert normalised == pytest.approx(expected / np.log(4))


TRUTH = np.arange(200) % 2
PAIRS = np.column_stack(np.triu_indices(200, 1))


def crowd(**params):
    """The crowd that is asked about 200 items."""
    chosen = ",".join(f"{name}={value}" for name, value in params.items())
    (use,) = hcbench.load_registry().use_oracles(f"crowd[{chosen},annotators=1000,noise=0.3]")
    problem = hcbench.Problem(n=200, levels=TRUTH[:, None])
    return hcbench.Oracle(use.spec.load()(problem, 1, None, **use.params))


def error_rate(votes):
    """Error rate of the crowd's answers about all pairs."""
    answers = crowd(votes=votes).ask(PAIRS)
    return np.mean(answers != (TRUTH[PAIRS[:, 0]] == TRUTH[PAIRS[:, 1]]))


@pytest.mark.parametrize("votes", [1, 3, 5])
def test_the_majority_errs_as_binomials_do(votes):
    """A vote is wrong with probability 0.3 on average: P(Bin(votes, 0.3) > votes / 2)."""
    from scipy.stats import binom

    assert error_rate(votes) == pytest.approx(binom.sf(votes // 2, votes, 0.3), abs=0.02)


def test_an_even_number_of_votes_is_refused():
    with pytest.raises(hcbench.ParameterError, match="take an odd number"):
        error_rate(2)


def test_the_confidence_is_the_share_of_the_votes_and_single_votes_have_an_annotator():
    pairs = PAIRS[:300]
    three, one = crowd(votes=3, details="true"), crowd(votes=1, details="true")
    np.testing.assert_array_equal(three.ask(pairs), crowd(votes=3).ask(pairs))
    assert set(np.round(3 * three.details["confidence"]).tolist()) == {2, 3}
    assert set(three.details["annotator"].tolist()) == {-1}
    one.ask([*pairs, (5, 5)])
    assert set(one.details["confidence"].tolist()) == {1.0}
    assert len(set(one.details["annotator"].tolist())) > 200, "of 1000, drawn with replacement"
    assert one.details["annotator"].max() < 1000
