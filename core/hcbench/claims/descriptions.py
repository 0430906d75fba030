"""Claims and what was measured of them, in texts for tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hcbench.claims.verdicts import Verdict
    from hcbench.registry.suite import Claim

#: How relations are written in tables; equality needs no sign.
_SIGNS = {"=": "", "<=": "≤ ", ">=": "≥ ", "<": "< ", ">": "> "}


def describe_claimed(claim: Claim) -> str:
    """The claim, short enough for a column of a table."""
    rival = _describe_rival(claim)
    sign = _SIGNS[claim.relation or "="]
    # The four forms of a claim: a rate, a number, two quantities with a relation, and "better".
    if claim.exponent:
        text = f"{sign}{claim.paper}, rate of {claim.exponent}"
    elif claim.paper:
        text = f"{sign}{claim.paper}"
        if rival:
            text += f" above {rival}"
    elif claim.relation or claim.within:
        text = f"{sign or '= '}{rival}"
    else:
        text = f"better than {rival}"
    if claim.within:
        text += f" within {claim.within:g}"
    if claim.every_repetition:
        text += " in every repetition"
    return text


def _describe_rival(claim: Claim) -> str:
    """What a claim compares with; "" if it compares with nothing."""
    names = list(filter(None, (claim.better_than, claim.than_metric)))
    conditions = []
    if claim.than_dataset:
        conditions.append(f"on {claim.than_dataset}")
    if claim.than_oracle:
        conditions.append(f"through {claim.than_oracle}")
    if claim.than_checkpoint is not None:
        conditions.append(f"after {claim.than_checkpoint} queries")
    if conditions and not names:
        # The same algorithm and metric under other conditions.
        names = ["itself"]
    return " ".join(names + conditions)


def describe_measured(verdict: Verdict) -> str:
    """What was measured, with its interval where it has a width; "" if nothing was."""
    if verdict.measured is None:
        return ""
    text = f"{verdict.measured:.4g}"
    # Equal ends: exact values, whose interval is a point; or None, where there is no interval.
    if verdict.low == verdict.high:
        return text
    # The interval of a one-sided claim has one end.
    if verdict.low is None:
        return f"{text} (at most {verdict.high:.4g})"
    if verdict.high is None:
        return f"{text} (at least {verdict.low:.4g})"
    return f"{text} ({verdict.low:.4g} to {verdict.high:.4g})"
