"""Which numbers a claim accepts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hcbench.analysis.intervals import ROUNDING_ERROR
from hcbench.claims.sides import NotMeasuredError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.metric_specs import MetricSpec
    from hcbench.registry.suite import Claim


def relation_of(claim: Claim, metrics: Iterable[MetricInfo | MetricSpec]) -> str:
    """The relation of a claim; that of "better" follows from the direction of its metrics.

    Raises
    ------
    NotMeasuredError
        If the direction is not clear.
    """
    if claim.relation:
        return claim.relation
    if claim.paper or claim.within:
        return "="
    directions = {metric.direction for metric in metrics}
    # "better" has a meaning only if all metrics of the claim have one direction.
    if "none" in directions:
        raise NotMeasuredError(
            f"{claim.metric} has no better direction: the claim needs a relation"
        )
    if len(directions) > 1:
        raise NotMeasuredError(
            f"{claim.metric} and {claim.than_metric} have opposite directions: the claim needs a "
            "relation"
        )
    if directions == {"higher"}:
        return ">"
    return "<"


def accepts(claim: Claim, relation: str, number: float, size: float) -> bool:
    """Whether a claim accepts a number, apart from rounding errors of a relative size of 1e-9."""
    low, high = accepted_values(claim, relation)
    # The rounding error of a difference is that of the larger of the two numbers.
    scale = abs(float(claim.paper or 0.0))
    if math.isfinite(size):
        scale = max(scale, size)
    slack = ROUNDING_ERROR * scale
    # A strict relation is made stricter by the slack: equal numbers must not pass by rounding.
    match relation:
        case ">":
            return number > low + slack
        case "<":
            return number < high - slack
        case _:
            return low - slack <= number <= high + slack


def accepted_values(claim: Claim, relation: str) -> tuple[float, float]:
    """The least and the greatest number that a claim accepts, apart from errors of measurement.

    Parameters
    ----------
    claim : Claim
    relation : {"=", "<=", ">=", "<", ">"}
        That of the claim; "better" is "<" or ">", as the direction of its metric says.
    """
    paper = float(claim.paper or 0.0)
    tolerance = claim.within
    if relation == "=":
        # The printed number stands for all that are rounded to it.
        tolerance += claim.rounding
    low = paper - tolerance
    if relation.startswith("<"):
        low = -math.inf
    high = paper + tolerance
    if relation.startswith(">"):
        high = math.inf
    return low, high
