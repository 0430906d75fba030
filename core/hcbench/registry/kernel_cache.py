"""What numba's cache of compiled kernels lacks: kernels out of date, and compiled twice at a time.

numba stores compiled kernels and compiles one again when its own file has changed, but not when a
kernel that it calls, or a constant that it uses, has changed in another file. So for the kernels of
hcbench and of packages built upon it, the stamp by which numba tells whether a stored kernel is up
to date also covers the modules of that package and of hcbench that the kernel's file imports,
directly or through others.

A function that encloses a kernel would be compiled in every process, since numba tells kernels
apart by random numbers. So it does by the name of such a kernel and the stamp of its file.

numba wraps its own functions, such as `numpy.empty`, for calls from C that nothing can make, in a
twelfth of the time. Here it does not.

Workers that need a kernel which is not stored would all compile it. So one of them does, and the
others wait for it and read what it has stored. For numba's listeners, they compile meanwhile.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from hcbench.registry.fingerprint import digest_sources, read_sources

try:
    import fcntl
except ImportError:  # Windows, which has no workers either
    fcntl = None  # type: ignore[assignment]


def extend_cache(dispatcher: Any) -> None:
    """Let keys of cached kernels cover what is imported and enclosed, and one process compile each.

    Parameters
    ----------
    dispatcher : module
        ``numba.core.dispatcher``.
    """
    caching: Any = import_module("numba.core.caching")
    context: Any = import_module("numba.core.cpu").CPUContext
    locator = caching._SourceFileBackedLocatorMixin
    stamp_of_file, compile_kernel = locator.get_source_stamp, dispatcher.Dispatcher.compile
    key_of_kernel, wrap_for_c = caching.Cache._index_key, context.create_cfunc_wrapper

    def get_source_stamp(self: Any) -> Any:
        stamp, imported = stamp_of_file(self), digest_imports(self._py_file)
        return (stamp, imported) if imported else stamp

    def index_key(self: Any, signature: Any, codegen: Any) -> Any:
        closure = _closure_of(self._py_func)
        if not closure:
            return key_of_kernel(self, signature, codegen)
        code = sha256(self._py_func.__code__.co_code).hexdigest()
        return signature, codegen.magic_tuple(), (code, closure)

    def compile_once(self: Any, signature: Any) -> Any:
        with _locked(self, signature):
            return compile_kernel(self, signature)

    def wrap_others_for_c(self: Any, library: Any, described: Any, *arguments: Any) -> None:
        if described.modname.partition(".")[0] != "numba":
            wrap_for_c(self, library, described, *arguments)

    context.create_cfunc_wrapper = wrap_others_for_c
    locator.get_source_stamp = get_source_stamp
    caching.Cache._index_key = index_key
    dispatcher.Dispatcher.compile = compile_once


def _closure_of(function: Any) -> str:
    """What a function's closure holds, if that includes stored kernels; "" for numba to say it."""
    values = [cell.cell_contents for cell in function.__closure__ or ()]
    kernels = [value for value in values if hasattr(value, "py_func")]
    constants = [value for value in values if isinstance(value, (int, float, str))]
    stored = all(kernel._cache.cache_path is not None for kernel in kernels)
    ours = digest_imports(function.__code__.co_filename)
    if not (kernels and stored and ours) or len(kernels) + len(constants) < len(values):
        return ""
    names = [f"{kernel.__module__}.{kernel.__qualname__}" for kernel in kernels]
    stamps = [kernel._cache._impl.locator.get_source_stamp() for kernel in kernels]
    return repr((constants, names, stamps))


@contextmanager
def _locked(dispatcher: Any, signature: Any) -> Iterator[None]:
    """Let no other process read or compile a kernel meanwhile; nothing is locked without a cache.

    A kernel is a byte of a file that is locked, and the system unlocks it when a process dies. One
    process can hold several, as a kernel calls others; none of these calls the first.
    """
    kernel = dispatcher._cache
    path = getattr(kernel, "cache_path", None)
    if path is None or fcntl is None:
        yield
        return
    place = zlib.crc32(os.fsencode(kernel._impl.filename_base))
    with suppress(OSError):  # the cache is read-only, or on a file system without locks
        try:
            fcntl.lockf(_lock_file(path), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):  # a timed call must know that it waited
            arguments, returned = import_module("numba.core.sigutils").normalize_signature(
                signature
            )
            told = {"dispatcher": dispatcher, "args": arguments, "return_type": returned}
            with import_module("numba.core.event").trigger_event("numba:compile", data=told):
                fcntl.lockf(_lock_file(path), fcntl.LOCK_EX, 1, place)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.lockf(_lock_file(path), fcntl.LOCK_UN, 1, place)


@cache
def _lock_file(folder: str) -> int:
    # It stays open: closing any descriptor of a file gives up all locks of the process on it.
    os.makedirs(folder, exist_ok=True)
    return os.open(os.path.join(folder, "kernels.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)


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
