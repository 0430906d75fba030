"""The specs of all plugins, found by name.

`specs` and `suite` are what plugins declare, `plugins` finds them, and `registry` holds what they
register.
"""

from hcbench.registry.registry import (
    DEFAULTS,
    Catalogue,
    Entry,
    Registry,
    Use,
    default_suite,
    default_uses,
    find_commands,
    find_executors,
    find_suite,
    load_registry,
    make_use,
    use_one,
    with_defaults,
)

__all__ = [
    "DEFAULTS",
    "Catalogue",
    "Entry",
    "Registry",
    "Use",
    "default_suite",
    "default_uses",
    "find_commands",
    "find_executors",
    "find_suite",
    "load_registry",
    "make_use",
    "use_one",
    "with_defaults",
]
