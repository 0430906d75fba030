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
another one.
"""

from collections.abc import Iterable

import lazy_loader

from hcbench import CommandSpec, hookimpl

# Without its __dir__, which would hide the hook.
__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``check``."""
    doc = "Check what every plugin must fulfil."
    return [CommandSpec(name="check", function="hcbench_testing.command:check", doc=doc)]
