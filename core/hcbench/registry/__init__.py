"""The specs of all plugins, found by name.

`catalogues` holds what is registered, and `uses` are specs with all their parameters resolved;
`registry` is made of the plugins, and `defaults` are compared where the user names nothing.
"""

from hcbench.registry.catalogues import Catalogue, Entry
from hcbench.registry.defaults import DEFAULTS, default_suite, find_suite, with_defaults
from hcbench.registry.registry import Registry, find_commands, load_registry
from hcbench.registry.uses import Use, default_uses, make_use, use_one

__all__ = [
    "DEFAULTS",
    "Catalogue",
    "Entry",
    "Registry",
    "Use",
    "default_suite",
    "default_uses",
    "find_commands",
    "find_suite",
    "load_registry",
    "make_use",
    "use_one",
    "with_defaults",
]
