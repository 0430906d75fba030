"""The functions of libraries, which an algorithm may replace and all cells of a worker use."""

from __future__ import annotations

import sys
from ctypes import c_uint64, c_void_p, sizeof
from typing import Any

_CHECKED = frozenset({"builtins", "hcbench", "math", "numpy", "os", "random", "scipy", "time"})
#: Of each public module: its names, those of its functions and classes, and the number that
#: CPython gives a dict at each change, up to 3.12 (PEP 509). To read it takes a twentieth of the
#: time of a comparison, which reads every function.
_noted: dict[str, tuple[dict[str, Any], dict[str, Any], Any]] = {}
_versions: list[object] = []  # when they were compared last
_modules = 0


class _Unknown:
    """Stands for the version of a dict where it is not known: it differs each time."""

    value = property(lambda _: object())


def note_libraries() -> None:
    """Note the functions and classes of the public modules that are imported, as they are now."""
    for name in _changed():
        own, _, version = _noted[name]
        _noted[name] = own, _functions(own), version
    note_imported()


def note_imported() -> None:
    """Note those of the modules that were imported since."""
    global _modules
    if _modules == len(sys.modules):
        return
    _modules = len(sys.modules)
    # A copy, as a finalizer that runs meanwhile may import a module.
    for name, module in sys.modules.copy().items():
        public_module = name.partition(".")[0] in _CHECKED and "._" not in name
        if public_module and name not in _noted:
            own = vars(module)
            has_version = sys.implementation.name == "cpython" and sys.version_info < (3, 13)
            place = id(own) + sizeof(c_void_p) * 3  # after references, type and length
            version: Any = c_uint64.from_address(place) if has_version else _Unknown()
            _versions.append(version.value)
            _noted[name] = own, _functions(own), version


def _functions(own: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in own.items() if callable(v) and not k.startswith("_")}


def _changed() -> list[str]:
    """The modules in which something was replaced since they were noted."""
    versions = [version.value for _, _, version in _noted.values()]
    pairs = zip(_noted, versions, _versions, strict=True)
    touched = [name for name, now, before in pairs if now != before]
    _versions[:] = versions
    return [name for name in touched if not _noted[name][1].items() <= _noted[name][0].items()]


def restore_libraries() -> list[str]:
    """Put back what was replaced; returns the names."""
    replaced = []
    for name in _changed():
        own, public, _ = _noted[name]
        replaced += [f"{name}.{k}" for k, v in public.items() if own.get(k) is not v]
        own.update(public)
    return replaced
