"""The functions of libraries, which an algorithm may replace and all cells of a worker use."""

from __future__ import annotations

import sys
from typing import Any

_CHECKED = frozenset({"builtins", "hcbench", "math", "numpy", "os", "random", "scipy", "time"})
_noted: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
_modules = 0


def note_libraries() -> None:
    """Note the functions and classes of the public modules that are imported, as they are now."""
    for name, (own, public) in _noted.items():
        if not public.items() <= own.items():
            _noted[name] = own, _functions(own)
    note_imported()


def note_imported() -> None:
    """Note those of the modules that were imported since."""
    global _modules
    if _modules == len(sys.modules):
        return
    _modules = len(sys.modules)
    for name, module in list(sys.modules.items()):
        public_module = name.partition(".")[0] in _CHECKED and "._" not in name
        if public_module and name not in _noted:
            _noted[name] = vars(module), _functions(vars(module))


def _functions(own: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in own.items() if callable(v) and not k.startswith("_")}


def restore_libraries() -> list[str]:
    """Put back what was replaced; returns the names. Takes 0.1 ms for 150 modules."""
    replaced = []
    for name, (own, public) in _noted.items():
        if not public.items() <= own.items():
            replaced += [f"{name}.{k}" for k, v in public.items() if own.get(k) is not v]
            own.update(public)
    return replaced
