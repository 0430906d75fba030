"""The conformance checks of hcbench for this plugin."""

from collections.abc import Callable

from hcbench.testing import parametrize_with_checks

NAMES = [
    "EXAMPLE-NAMES",
]


@parametrize_with_checks(NAMES)
def test_conforms(check: Callable[[], None]) -> None:
    """One test for each check of each name."""
    check()
