"""The conformance checks of hcbench for this plugin."""

from collections.abc import Callable

from hcbench.testing import parametrize_with_checks

NAMES = [
    "EXAMPLE-NAMES",
]

#: Checks that are known to fail, each with the reason: {"NAME:sparse": "only dense vectors"}.
#: Once such a check passes, its test fails.
EXEMPT: dict[str, str] = {}


@parametrize_with_checks(NAMES, exempt=EXEMPT)
def test_conforms(check: Callable[[], None]) -> None:
    """One test for each check of each name; advice that is not followed is skipped."""
    check()
