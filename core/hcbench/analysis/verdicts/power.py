"""What the claims of a suite accept, and whether they can fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.verdicts.judging import accepted_values, relation_of
from hcbench.registry.specs.parameters import Interval

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.registry.claims import Claim
    from hcbench.registry.suite import Suite


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
    """

    claim: Claim
    accepted: str
    possible: str
    can_fail: bool


def powers_of(suite: Suite, registry: Registry) -> Iterator[Power]:
    """What each claim of a suite accepts; an erratum both as printed and as corrected."""
    for claim in suite.claims:
        yield _power_of(claim.without_erratum, registry)
        if claim.erratum:
            yield _power_of(claim.as_corrected, registry)


def _power_of(claim: Claim, registry: Registry) -> Power:
    metrics = [
        registry.use_metrics(name)[0].spec for name in (claim.metric, claim.than_metric) if name
    ]
    relation = relation_of(claim, metrics)
    low, high = accepted_values(claim, relation)
    bottom, top = _possible(
        claim,
        [Interval("(-inf, inf)" if metric.outside else metric.interval) for metric in metrics],
    )
    can_fail = low > bottom or high < top or (relation in "<>" and bottom <= low <= top)
    strict = relation in "<>"
    return Power(
        claim,
        f"{'(' if strict or low == -float('inf') else '['}{low:g}, {high:g}"
        f"{')' if strict or high == float('inf') else ']'}",
        f"{bottom:g} to {top:g}",
        can_fail,
    )


def _possible(claim: Claim, intervals: list[Interval]) -> tuple[float, float]:
    """The least and the greatest value of the measured quantity."""
    first, second = intervals[0], intervals[-1]
    if claim.exponent:
        return -float("inf"), float("inf")
    if claim.compares:
        return first.low - second.high, first.high - second.low
    return first.low, first.high
