"""The conformance suite: what every plugin promises, checked on a few items.

For pytest::

    from hcbench.authoring.testing import parametrize_with_checks


    @parametrize_with_checks(["Splits", "depth"])
    def test_conforms(check):
        check()

and on the command line ``hcbench check Splits``. A check that fails says so in one sentence; what a
plugin cannot promise is exempted by ``{check: reason}``.

What is named becomes `subjects`, and each a list of `checks`: the functions ``check_...`` of
`declarations` and `behaviour` (all kinds), `results`, `honesty`, `degenerate` and `layouts`
(algorithms), `metrics`, `oracles` and `datasets`. All work on the `items` planted for them.
Algorithms are called by `running`, and in another process by `elsewhere`, through oracles that
`relays` may listen to; `scoring` computes metrics, `asking` asks oracles, whose `right_answers` are
known, and `making` makes data. On the command line each check has a `limited` time.
"""

from hcbench.authoring.testing.checks import Check, checks_of
from hcbench.authoring.testing.findings import CheckFailedError, Finding
from hcbench.authoring.testing.parametrize import parametrize_with_checks

__all__ = ["Check", "CheckFailedError", "Finding", "checks_of", "parametrize_with_checks"]
