"""Conformance checks: what every plugin promises, tested on a few items.

For pytest::

    from hcbench.testing import parametrize_with_checks


    @parametrize_with_checks(["Splits", "depth"])
    def test_conforms(check):
        check()

and on the command line ``hcbench check Splits``. A failed check says in one sentence what is wrong;
what a plugin cannot promise is exempted by ``{check: reason}``.

`subjects` finds what is named, and `checks` lists and runs the checks of each subject. These are
the functions ``check_...`` of `every_kind`, and of `algorithms`, `metrics`, `oracles` and
`datasets`. `running` has the planted data that all use, and calls algorithms, in this process or in
another one. `scaffold` writes the files of a new plugin, with the checks as its tests.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
