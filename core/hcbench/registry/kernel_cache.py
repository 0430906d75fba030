"""Compiled kernels that are out of date: what numba's cache does not notice by itself.

numba stores compiled kernels and compiles one again when its own file has changed, but not when a
kernel that it calls, or a constant that it uses, has changed in another file. So for the kernels of
hcbench and of packages built upon it, the stamp by which numba tells whether a stored kernel is up
to date also covers the modules of that package and of hcbench that the kernel's file imports,
directly or through others.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from hcbench.registry.fingerprint import digest_sources
from hcbench.registry.sources import read_sources


def extend_stamps(caching: Any) -> None:
    """Let the stamps of a cached kernel cover what its file imports.

    Parameters
    ----------
    caching : module
        ``numba.core.caching``.
    """
    locator = caching._SourceFileBackedLocatorMixin
    stamp_of_file = locator.get_source_stamp

    def get_source_stamp(self: Any) -> Any:
        stamp, imported = stamp_of_file(self), digest_imports(self._py_file)
        return (stamp, imported) if imported else stamp

    locator.get_source_stamp = get_source_stamp


@cache
def digest_imports(file: str) -> str:
    """A digest of what a kernel's file imports; "" if its package is not built upon hcbench.

    Parameters
    ----------
    file : str
        Of a module whose imports have been executed.
    """
    path = Path(file)
    if not path.is_file():  # a frozen application
        return ""
    package = _package_of(path)
    root = path.parents[package.count(".")] / "__init__.py"
    first = [path, root] if package else [path]
    tops = {name.partition(".")[0] for each in first for name in _imports(each)}
    package = package.partition(".")[0]
    if "hcbench" not in {package, *tops}:
        return ""
    needed: set[Path] = set()
    waiting = [path]
    while waiting:
        for name in _imports(waiting.pop()):
            module = sys.modules.get(name)
            if module is not None and name.partition(".")[0] in (package, "hcbench"):
                used = Path(module.__file__ or "")
                if used.suffix == ".py" and used not in needed:
                    needed.add(used)
                    waiting.append(used)
    return digest_sources(sorted(needed - {path}))


def _imports(path: Path) -> list[str]:
    """Full names of what a file imports."""
    (source,) = read_sources([path])
    package = _package_of(path)
    return [resolve_name(name, package) for name in source.imports]


def _package_of(path: Path) -> str:
    """The package that a file is in; "" if it is in none."""
    names: list[str] = []
    folder = path.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names)
