"""Conformance checks: what every plugin promises, tested on a few items.

For pytest::

    from hcbench.testing import parametrize_with_checks


    @parametrize_with_checks(["Splits", "depth"])
    def test_conforms(check):
        check()

and on the command line ``hcbench check Splits``. A failed check says in one sentence what is wrong.
Checks are required, or they are advice, which does not fail. A promise that a plugin is known to
break is exempted in the test of its author, ``exempt={check: reason}``: the check is expected to
fail, and the test fails once it passes. Metrics see `EXAMPLE_COST`, as there is no call.

`subjects` finds what is named; `checks` lists and judges the checks of each subject. These are the
functions ``check_...``, which are required, and ``advise_...`` of `every_kind`, and of
`algorithms`, `metrics`, `oracles` and `datasets`. `exemptions` are expected failures, and
`isolation` runs checks in a process of their own. `planted` has the data that all use, `running`
calls algorithms on them, in this process or in another one, and `recording` records and replays
answers. `scaffold` writes the files of a new plugin, with the checks as its tests.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
