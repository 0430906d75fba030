"""Claims that were measured to differ, or whose erratum was refuted, say why."""

from __future__ import annotations

from pathlib import Path

import pytest

from hcbench.registry import find_suite, load_registry

KNOWN = (Path(__file__).parent / "differences.txt").read_text().splitlines()
"""A suite and a claim of it in each line, as runs of the suites found them in November 2026."""


@pytest.mark.parametrize("name", sorted({line.partition(" | ")[0] for line in KNOWN}))
def test_every_claim_that_is_known_to_differ_has_a_reason(name: str):
    claims = {claim.claim: claim for claim in find_suite(load_registry(), name).claims}
    differ = [line.partition(" | ")[2] for line in KNOWN if line.startswith(f"{name} | ")]
    assert not set(differ) - set(claims), "no longer claims of the suite"
    assert [text for text in differ if not claims[text].explanation] == []


def test_recovery_at_all_proportions_has_the_reasons_of_figure_2():
    """Figure S.1 repeats figure 2 at more proportions; it takes too long to be run often."""
    claims = find_suite(load_registry(), "ghoshdastidar2019-figureS1").claims
    recovery = [c for c in claims if "recovers the hierarchy for smaller" in c.claim]
    assert recovery
    assert all(claim.explanation for claim in recovery)
