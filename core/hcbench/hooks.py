"""The hooks through which plugins register and report, each with its arguments and an example.

A plugin implements those that it needs, as functions of these names below `hcbench.hookimpl`. It
may state the version that it is written for, ``HCBENCH_HOOKS = 1``, which increases when a hook or
its arguments change so that plugins have to change too.
"""

# Their names are listed once, where they are defined.
from hcbench.registry.hookspecs import *  # noqa: F403
from hcbench.registry.hookspecs import __all__ as __all__
