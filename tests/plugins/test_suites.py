"""What holds for the claims and figures of all registered suites."""

from __future__ import annotations

import pytest

from hcbench.plan.outcome import REPORTED
from hcbench.plan.plan import make_plan
from hcbench.registry import load_registry
from hcbench.registry.names import split_parameter
from hcbench.registry.specs import load_function
from hcbench.registry.suite import Claim, Suite
from tests.plugins.claims import members_of

SUITES = {entry.spec.name: entry.spec for entry in load_registry().suites.entries}
by_name = pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)


def sides(claim: Claim) -> list[tuple[str, str, str, str]]:
    """Algorithm, data set, oracle and metric of a claim, and of what it compares with."""
    found = [(claim.algorithm, claim.dataset, claim.oracle, claim.metric)]
    if claim.compares:
        # Another algorithm may ask another oracle.
        oracle = claim.than_oracle or ("" if claim.better_than else claim.oracle)
        algorithm = claim.better_than or claim.algorithm
        dataset = claim.than_dataset or claim.dataset
        found.append((algorithm, dataset, oracle, claim.than_metric or claim.metric))
    return found


@by_name
def test_claims_are_about_runs_of_their_suite(suite: Suite) -> None:
    registry = load_registry()
    plan = make_plan(suite, registry)
    assert not (plan.inapplicable and suite.claims)
    ran = {(c.algorithm.identity, c.dataset.identity, c.oracle.identity) for c in plan.cells}
    oracles = {oracle for _, _, oracle in ran}
    metrics = {use.identity for text in suite.metrics for use in registry.use_metrics(text)}
    for claim in members_of(suite):
        for algorithm, dataset, oracle, metric in sides(claim):
            if not metric.endswith(REPORTED):
                (metric_use,) = registry.use_metrics(metric)
                assert metric_use.identity in metrics, claim
            algorithms = registry.use_algorithms(algorithm)
            assert len(algorithms) == 1 or claim.tuned_by, claim
            (dataset_use,) = registry.use_datasets(dataset)
            asked = {use.identity for use in registry.use_oracles(oracle)} if oracle else oracles
            for use in algorithms:
                places = {o for o in asked if (use.identity, dataset_use.identity, o) in ran}
                # Another algorithm is compared through the same oracle, where it has several.
                assert len(places) == 1 or (places and claim.better_than), claim


@by_name
def test_a_rate_is_over_several_data_sets(suite: Suite) -> None:
    registry = load_registry()
    labels = {
        use.label: use.params for text in suite.datasets for use in registry.use_datasets(text)
    }
    for claim in members_of(suite):
        if claim.exponent:
            (use,) = registry.use_datasets(claim.dataset)
            name, _ = split_parameter(use.label, claim.exponent, labels)
            along = [split_parameter(label, claim.exponent, labels)[0] for label in labels]
            assert along.count(name) > 1, claim


@by_name
def test_every_sentence_is_claimed_once(suite: Suite) -> None:
    texts = [claim.claim for claim in members_of(suite)]
    assert len(texts) == len(set(texts))


@by_name
def test_every_figure_can_be_loaded(suite: Suite) -> None:
    texts = [claim.claim for claim in suite.claims]
    for figure in suite.figures:
        assert not figure.function or callable(load_function(figure.function))
        for start in figure.claims:
            assert any(text.startswith(start) for text in texts), (figure.name, start)
