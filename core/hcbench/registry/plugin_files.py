"""Plugin files of the user (``--plugin FILE``): their code, their import, modules beside them."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import all_suffixes
from pathlib import Path
from types import ModuleType
from typing import Any

from hcbench.errors import PluginError
from hcbench.model.regular_files import read_regular
from hcbench.registry.fingerprint import digest_sources
from hcbench.registry.hookspecs import PROJECT
from hcbench.registry.sources import code_below
from hcbench.registry.specs import load_function

#: Folders of plugin files that were loaded: two of them may not have modules of one name.
_folders: set[Path] = set()

#: Folders that are on ``sys.path`` for a block only.
_temporary: list[str] = []

#: The code of each plugin file when it was imported, by the name of its module.
_imported: dict[str, str] = {}


def code_of_file(file: Path) -> list[Path]:
    """A plugin file, and the files in its folder that it imports.

    Raises
    ------
    PluginError
        If another plugin file has a module of the same name beside it.
    """
    return code_below([file], file.parent, partial(is_beside, file.parent))


def is_beside(folder: Path, name: str) -> bool:
    """Whether the module of a name is in a folder; what is installed goes before it."""
    if name == PROJECT:
        return False
    paths = [folder / name]
    for suffix in all_suffixes():
        paths.append(folder / f"{name}{suffix}")
    # Most names are found elsewhere; it takes long to ask the import system.
    if not any(map(Path.exists, paths)):
        return False
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    if spec is None:
        # The folder is not on the path yet.
        return True
    if spec.has_location:
        module_folders = [Path(str(spec.origin)).parent]
    else:
        # A namespace package has no file, and may be in several folders.
        module_folders = [Path(place) for place in spec.submodule_search_locations or ()]
    for module_folder in module_folders:
        if module_folder in (folder, folder / name):
            return True
        if module_folder in _folders or module_folder.parent in _folders:
            raise PluginError(
                f"two plugin files have a module {name} beside them, in {module_folder} and in "
                f"{folder}; rename one of them, or use one of the files only"
            )
    return False


@contextmanager
def importable(files: Iterable[str | Path]) -> Iterator[None]:
    """Have modules beside plugin files found, as those beside a script are, while a block runs.

    Their folders are the last of ``sys.path``, so that what is installed goes before them, and are
    removed at the end: this process may be a notebook, or any program that calls `hcbench.compare`.
    """
    added = []
    for file in files:
        folder = Path(file).resolve().parent
        if _add_to_path(folder):
            added.append(str(folder))
    _temporary.extend(added)
    try:
        yield
    finally:
        for path in added:
            _temporary.remove(path)
            with suppress(ValueError):  # a plugin may have removed it
                sys.path.remove(path)


def keep_importable(folder: Path) -> None:
    """Have modules in the folder of a plugin file found from now on, in a process of our own."""
    _add_to_path(folder)


def lasting_path() -> list[str]:
    """``sys.path`` without what `importable` has added."""
    return [path for path in sys.path if path not in _temporary]


def _add_to_path(folder: Path) -> bool:
    """Add a folder to ``sys.path``; False if it is there already."""
    _folders.add(folder)
    if str(folder) in sys.path:
        return False
    sys.path.append(str(folder))
    # The import system lists a folder once, and a module may have been written since.
    importlib.invalidate_caches()
    return True


def remove_stale_bytecode(path: Path) -> None:
    """Remove the stored bytecode of a file that was changed after the bytecode was written.

    Python does the same at the next import, but recognises a change by the size and the time in
    whole seconds, and executes what an edit of the same size and second has replaced.
    """
    # There may be none, or the folder cannot be written.
    with suppress(NotImplementedError, OSError):
        bytecode = Path(importlib.util.cache_from_source(str(path)))
        # No program can set the time of the last change of a file, unlike that of its content.
        if bytecode.stat().st_mtime_ns <= path.stat().st_ctime_ns:
            bytecode.unlink()


def import_current(file: Path) -> ModuleType:
    """Import a plugin file, again if its code has changed since, with all that it imports.

    The modules beside it must be `importable`.
    """
    name = module_of(file)
    if not file.is_file():
        # It raises the error.
        return import_file(file)
    code = code_of_file(file)
    digest = digest_sources(code)
    if _imported.get(name, digest) != digest:
        # Its module and those beside it are imported again.
        changed_files = {str(path) for path in code}
        for module_name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) in changed_files:
                del sys.modules[module_name]
    _imported[name] = digest
    return import_file(file)


def imported_digest(file: Path) -> str:
    """The digest of the code of a plugin file when this process imported it; "" if it has not."""
    return _imported.get(module_of(file), "")


def module_of(file: Path) -> str:
    """The name under which a plugin file is imported.

    It is derived from the full path, so that it is the same in the main process and in workers.
    """
    return f"hcbench_file_{hashlib.blake2b(str(file).encode(), digest_size=6).hexdigest()}"


def import_file(file: Path, place: Path | None = None, digest: str = "") -> ModuleType:
    """Import a plugin file under a name of its own, once.

    The modules beside it must be `importable`.

    Parameters
    ----------
    file : Path
        Its path for the main process.
    place : Path, optional
        Its path on this machine, if that is another one.
    digest : str, optional
        Of the code that the file and those beside it must have.

    Raises
    ------
    PluginError
        If there is no such file, it is no plugin, or its code is not that of the digest.
    """
    name = module_of(file)
    if name in sys.modules:
        return sys.modules[name]
    place = place or file
    if not place.is_file():
        raise PluginError(f"there is no file {place}; give the path of a .py or .toml file")
    code = code_of_file(place)
    _check_digest(file, code, digest)
    for path in code:
        remove_stale_bytecode(path)
    loader = None
    if place.suffix == ".toml":
        loader = _declared_loader(place)
    spec = importlib.util.spec_from_file_location(name, place, loader=loader)
    if spec is None or spec.loader is None:
        raise PluginError(f"{file} is no plugin file; its name must end in .py or .toml")
    module = importlib.util.module_from_spec(spec)
    # Before it is executed, so that classes in it can be pickled and dataclasses find their module.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        # It may have been written while it was imported.
        _check_digest(file, code, digest)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _check_digest(file: Path, code: Iterable[Path], digest: str) -> None:
    """Refuse code that is not what the main process has imported, whose digest is in the keys."""
    if digest and digest_sources(code) != digest:
        raise PluginError(
            f"the plugin changed during the run: {file}, or a module beside it; run the same "
            "command again"
        )


def _declared_loader(file: Path) -> Any:
    """What makes a module of a TOML file: an `importlib.abc.Loader`, which the file names."""
    import tomllib

    declared = tomllib.loads(read_regular(file).decode("utf-8-sig")).get("loader")
    if not isinstance(declared, str):
        raise PluginError(f"{file} names no loader, such as loader = 'hcbench_foreign:Program'")
    return load_function(declared)(file)
