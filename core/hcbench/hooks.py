"""The hooks through which plugins register and report, each with its arguments and an example.

A plugin implements those that it needs, as functions of these names below `hcbench.hookimpl`. Its
package requires the releases of hcbench for which it is written, such as ``hcbench>=0.2,<0.3``;
other releases do not load it, and name the command that upgrades it.
"""

# Their names are listed once, where they are defined.
from hcbench.registry.hookspecs import *  # noqa: F403
from hcbench.registry.hookspecs import __all__ as __all__
