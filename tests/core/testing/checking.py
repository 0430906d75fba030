"""Outcomes of the checks of a spec."""

from __future__ import annotations

from hcbench.registry.specs import Spec
from hcbench.testing import checks_of


def failed(spec: Spec) -> dict[str, str]:
    """The names of the checks that fail or whose advice is not followed, each with its message."""
    findings = {check.name: check.run() for check in checks_of(spec)}
    return {
        name: finding.reason
        for name, finding in findings.items()
        if finding.status in ("failed", "advice")
    }


def passed(spec: Spec) -> set[str]:
    """The names of the passed checks."""
    return {check.name for check in checks_of(spec) if check.run().status == "passed"}


def skipped(spec: Spec) -> dict[str, str]:
    """The names of the skipped checks, each with its reason."""
    found = {check.name: check.run() for check in checks_of(spec)}
    return {name: each.reason for name, each in found.items() if each.status == "not applicable"}
