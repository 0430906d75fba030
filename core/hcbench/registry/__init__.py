"""What there is to compare: the specs of all plugins, found by the names people type.

`catalogues` hold what is registered, `uses` are specs with all their parameters resolved;
`registry` is made of the plugins, `defaults` say what is compared where nobody says it.
"""

from hcbench.registry.catalogues import Catalogue, Entry
from hcbench.registry.defaults import DEFAULTS, default_suite, find_suite, with_defaults
from hcbench.registry.registry import Registry, load_registry
from hcbench.registry.uses import Use, make_use, use_one

__all__ = [
    "DEFAULTS",
    "Catalogue",
    "Entry",
    "Registry",
    "Use",
    "default_suite",
    "find_suite",
    "load_registry",
    "make_use",
    "use_one",
    "with_defaults",
]
