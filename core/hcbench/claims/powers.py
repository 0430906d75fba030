"""What the claims of suites accept, for ``hcbench check --claims``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hcbench.claims.families import families_of
from hcbench.claims.verdicts import accepted_values, relation_of
from hcbench.plan.outcome import REPORTED
from hcbench.registry import Registry
from hcbench.registry.specs import Interval
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
    names = [name for name in (claim.metric, claim.than_metric) if name]
    metrics = {n: registry.use_metrics(n)[0].spec for n in names if not n.endswith(REPORTED)}
    relation = relation_of(claim, metrics.values())
    low, high = accepted_values(claim, relation)
    bounded = {n: spec.interval for n, spec in metrics.items() if not spec.outside}
    first, second = (Interval(bounded.get(n, "(-inf, inf)")) for n in (names[0], names[-1]))
    bottom, top = first.low, first.high
    if claim.exponent:
        bottom, top = -math.inf, math.inf
    elif claim.compares:
        bottom, top = first.low - second.high, first.high - second.low
    can_fail = low > bottom or high < top or (relation in "<>" and bottom <= low <= top)
    strict = relation in "<>"
    return Power(
        claim,
        f"{'(' if strict or low == -math.inf else '['}{low:g}, {high:g}"
        f"{')' if strict or high == math.inf else ']'}",
        f"{bottom:g} to {top:g}",
        can_fail,
        members,
    )
