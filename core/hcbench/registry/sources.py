"""The files that code consists of: those that it imports, directly or not.

Imports are found by their text. To parse the sources of all plugins would take half a second, and
what is found wrongly, such as an import in a docstring, only makes a fingerprint depend on a file
more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

_IMPORT = re.compile(
    r"^[ \t]*"
    r"(?:from[ \t]+(?P<package>[.\w]+)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n;]*)"
    r"|import[ \t]+(?P<modules>[^\n;]+))",
    re.MULTILINE,
)
#: What stands before an import that does not begin a line.
_WITHIN_A_LINE = (": import ", "; import ", ": from ", "; from ")
#: A module that is imported by a constant name.
_CALLS = [
    re.compile(importer + r"\(\s*[\"']([.\w]+)[\"']")
    for importer in ("import_module", "__import__", "run_module")
]
#: What stands behind the module in the name of a function, ``"module:function"``.
_FUNCTION = re.compile(r":[A-Za-z_]\w*[\"']")
#: The full name of a module.
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
#: The most characters in the name of a module.
_LONGEST_MODULE = 200


@lru_cache(maxsize=4096)
def named_modules(content: bytes) -> tuple[str, ...]:
    """The modules that a file imports or names.

    Parameters
    ----------
    content : bytes
        The file.

    Returns
    -------
    tuple of str
        `imported_names`, modules that are imported by a constant name, ``import_module("a.b")``,
        and those of functions that a string names, ``"a.b:function"``.
    """
    text = _read(content)
    names = list(_imported_names(text))
    for call in _CALLS:
        names.extend(call.findall(text))
    names.extend(_modules_of_functions(text))
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=4096)
def imported_names(content: bytes) -> tuple[str, ...]:
    """The full names of what the import statements of a file import.

    Names imported from a module, ``*`` included, are written as if they were modules, and relative
    ones have leading dots: ``a``, ``a.name``, ``.name`` and ``..a.name``.
    """
    return tuple(_imported_names(_read(content)))


def _read(content: bytes) -> str:
    """The text of a file, in which each import begins a line."""
    text = content.decode("utf-8", "replace").replace("\\\n", " ")
    for start in _WITHIN_A_LINE:
        text = text.replace(start, f"{start[0]}\n{start[2:]}")
    return text


def _imported_names(text: str) -> Iterator[str]:
    for match in _IMPORT.finditer(text):
        package = match["package"]
        if package is None:
            yield from _listed_names(match["modules"])
            continue
        dot = "" if package.endswith(".") else "."
        for name in _listed_names(match["names"]):
            yield f"{package}{dot}{name}"


def _listed_names(text: str) -> Iterator[str]:
    """The names in what follows ``import``: without parentheses, comments and aliases."""
    for line in text.strip("()").splitlines():
        for part in line.partition("#")[0].split(","):
            words = part.split()
            if words:
                yield words[0].strip("()")


def _modules_of_functions(text: str) -> Iterator[str]:
    """The modules in strings that name a function, ``"module:function"``."""
    for match in _FUNCTION.finditer(text):
        end = match.start()
        quote = text[match.end() - 1]
        start = text.rfind(quote, max(0, end - _LONGEST_MODULE), end) + 1
        module = text[start:end]
        if start > 0 and _MODULE.fullmatch(module):
            yield module


def code_below(start: Iterable[Path], root: Path, follows: Callable[[str], bool]) -> list[Path]:
    """Files, and those below a folder that are executed when they import, directly or not.

    Parameters
    ----------
    start : iterable of Path
        The first files.
    root : Path
        The folder from which modules are imported.
    follows : callable
        Whether a top-level module of that name is the one in the folder.

    Returns
    -------
    list of Path
        Sorted. With a module, its packages are executed, which may import more.
    """
    first = list(start)
    imported = _follow(first, root, follows, named_modules, is_whole=True)
    return sorted(imported.union(first))


def used_below(start: Iterable[Path], root: Path, follows: Callable[[str], bool]) -> list[Path]:
    """The files below a folder in which the names that files import are defined.

    As `code_below`, but neither the packages of a module, nor what is imported by a text. The first
    files are among them if others import them.
    """
    return sorted(_follow(list(start), root, follows, imported_names, is_whole=False))


def _follow(
    waiting: list[Path],
    root: Path,
    follows: Callable[[str], bool],
    names_in: Callable[[bytes], Iterable[str]],
    *,
    is_whole: bool,
) -> set[Path]:
    """The files of modules that files name, with those of their packages if the road is whole."""
    folders = _Folders()
    top_level = {entry.partition(".")[0] for entry in folders.entries(str(root))}
    is_followed: dict[str, bool] = {}
    waiting = list(waiting)
    # The files that were read or wait to be read, the files of imported modules, and these modules.
    read = {str(path) for path in waiting}
    needed: set[str] = set()
    modules: set[tuple[str, ...]] = set()
    while waiting:
        path = waiting.pop()
        for name in names_in(path.read_bytes()):
            parts = _absolute_parts(name, path, root)
            if not parts or parts[0] not in top_level or parts in modules:
                continue
            modules.add(parts)
            if parts[0] not in is_followed:
                is_followed[parts[0]] = follows(parts[0])
            if not is_followed[parts[0]]:
                continue
            files = folders.files_of_module(parts, str(root))
            if not is_whole:
                # The module itself is the last, after its packages.
                files = files[-1:]
            for file in files:
                needed.add(file)
                if file not in read:
                    read.add(file)
                    waiting.append(Path(file))
    return {Path(file) for file in needed}


def _absolute_parts(name: str, path: Path, root: Path) -> tuple[str, ...]:
    """The parts of the full name of a module that a file names.

    Parameters
    ----------
    name : str
        The name, which is relative to the package of the file if it has leading dots.
    path, root : Path
        The file, and the folder from which modules are imported.

    Returns
    -------
    tuple of str
        Empty if the module is outside of the root.
    """
    if not name.startswith("."):
        return tuple(name.split("."))
    bare = name.lstrip(".")
    n_above = len(name) - len(bare) - 1
    if not path.is_relative_to(root):
        return ()
    package = path.parent.relative_to(root).parts
    if n_above > len(package):
        return ()
    parts = package[: len(package) - n_above]
    if bare:
        parts += tuple(bare.split("."))
    return parts


class _Folders:
    """The files of modules; each folder is listed once, as many modules are looked for."""

    def __init__(self) -> None:
        self._entries: dict[str, frozenset[str]] = {}

    def entries(self, folder: str) -> frozenset[str]:
        """The names of files and folders in a folder; none if it is no folder."""
        if folder not in self._entries:
            try:
                self._entries[folder] = frozenset(os.listdir(folder))
            except OSError:
                self._entries[folder] = frozenset()
        return self._entries[folder]

    def files_of_module(self, parts: Sequence[str], root: str) -> list[str]:
        """The files that are executed when a module is imported, with its packages.

        Parameters
        ----------
        parts : sequence of str
            The parts of its name. A name in the module may follow, or ``*`` for all names.
        root : str
            The folder that contains the first part.
        """
        files: list[str] = []
        folder = root
        for part in parts:
            entries = self.entries(folder)
            if part == "*":
                # Any module of the package may be among the names.
                for name in sorted(entries):
                    if name.endswith(".py"):
                        files.append(os.path.join(folder, name))
                return files
            package = os.path.join(folder, part)
            if part in entries and "__init__.py" in self.entries(package):
                files.append(os.path.join(package, "__init__.py"))
            elif f"{part}.py" in entries:
                # What follows is a name in this module.
                files.append(f"{package}.py")
                return files
            elif part not in entries:
                for suffix in EXTENSION_SUFFIXES:
                    if part + suffix in entries:
                        files.append(package + suffix)
                return files
            # Otherwise it is a folder without __init__.py, which executes nothing.
            folder = package
        return files
