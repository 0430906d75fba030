"""What the claims of suites accept, for ``hcbench check --claims``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hcbench.claims.families import families_of
from hcbench.claims.relations import accepted_values, relation_of
from hcbench.plan.outcome import REPORTED
from hcbench.registry import Registry
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.parameters import Interval
from hcbench.registry.suite import Claim, Suite


@dataclass(frozen=True, slots=True)
class Power:
    """What a claim accepts.

    Attributes
    ----------
    claim : Claim
    accepted : str
        The values that it accepts, as an interval.
    possible : str
        The values that the measured quantity can take.
    can_fail : bool
        Whether some possible value is not accepted.
    members : int
        Number of algorithms, data sets and oracles about which the claim is made.
    """

    claim: Claim
    accepted: str
    possible: str
    can_fail: bool
    members: int


def powers_of(suite: Suite, registry: Registry) -> Iterator[Power]:
    """What each claim of a suite accepts; an erratum both as printed and as corrected."""
    for family in families_of(suite):
        claim = family.claim
        members = len(family.members)
        yield _power_of(claim.without_erratum, members, registry)
        if claim.erratum:
            yield _power_of(claim.as_corrected, members, registry)


def _power_of(claim: Claim, members: int, registry: Registry) -> Power:
    metrics = _metrics_of(claim, registry)
    relation = relation_of(claim, metrics.values())
    low, high = accepted_values(claim, relation)
    least, greatest = _possible_values(claim, metrics)
    # "<" and ">" exclude their own bound, which may be a possible value.
    excludes_bounds = relation in "<>"
    # A claim that accepts all that can be measured says nothing.
    can_fail = low > least or high < greatest
    if excludes_bounds and least <= low <= greatest:
        can_fail = True

    # An infinite end is no number of the interval.
    opening = "["
    if excludes_bounds or low == -math.inf:
        opening = "("
    closing = "]"
    if excludes_bounds or high == math.inf:
        closing = ")"
    return Power(
        claim=claim,
        accepted=f"{opening}{low:g}, {high:g}{closing}",
        possible=f"{least:g} to {greatest:g}",
        can_fail=can_fail,
        members=members,
    )


def _metrics_of(claim: Claim, registry: Registry) -> dict[str, MetricSpec]:
    """The metrics of a claim that are registered: what an algorithm reports is not."""
    metrics: dict[str, MetricSpec] = {}
    for name in (claim.metric, claim.than_metric):
        if name and not name.endswith(REPORTED):
            metrics[name] = registry.use_metrics(name)[0].spec
    return metrics


def _possible_values(claim: Claim, metrics: Mapping[str, MetricSpec]) -> tuple[float, float]:
    """The least and the greatest value that the quantity of a claim can take."""
    # A slope of logarithms can be any number, whatever the metric.
    if claim.exponent:
        return -math.inf, math.inf
    interval = _interval_of(claim.metric, metrics)
    if not claim.compares:
        return interval.low, interval.high
    # A difference of two metrics, or of two values of one.
    rival_interval = _interval_of(claim.than_metric or claim.metric, metrics)
    return interval.low - rival_interval.high, interval.high - rival_interval.low


def _interval_of(name: str, metrics: Mapping[str, MetricSpec]) -> Interval:
    """The values of a metric; any number if it is unregistered, or may leave its interval."""
    spec = metrics.get(name)
    if spec is None or spec.outside:
        return Interval("(-inf, inf)")
    return Interval(spec.interval)
