"""The claims of suites about single algorithms and data sets."""

from __future__ import annotations

from hcbench import Claim, Suite
from hcbench.claims.families import families_of


def members_of(suite: Suite) -> list[Claim]:
    """The members of all claims of a suite."""
    members: list[Claim] = []
    for family in families_of(suite):
        members += family.members
    return members
