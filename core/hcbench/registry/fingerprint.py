"""Fingerprints of the code that makes a result: versions, and digests of editable sources.

They are part of the key of a cell, so that a stored result is reused only while its code is the
same. Parsing all the sources that decide a result takes half a second, so what was found is stored
in the user's cache directory, and reused while the bytes of the file are the same.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache, lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from typing import NamedTuple

import platformdirs

#: Core's modules and packages that decide results: those that `hcbench.run.cell` needs to run a
#: cell, and the seeds. Modules that plan, isolate, store and show cells are not among them.
RESULT_MODULES = (
    "errors",
    "files",
    "model",
    "oracle",
    "plan/outcome",
    "plan/seeds",
    "registry/references",
    "registry/specs",
    "run/cell",
    "run/inputs",
    "run/job",
    "run/process_state",
    "run/returned",
    "run/timed_call",
    "run/times",
    "run/warmth",
)


@lru_cache(maxsize=1)
def core_fingerprint() -> str:
    """`read_core_fingerprint`, as it was when this process first needed it."""
    return read_core_fingerprint()


def read_core_fingerprint() -> str:
    """The version of hcbench; in an editable installation with a digest of `RESULT_MODULES`."""
    try:
        installed = distribution("hcbench")
    except PackageNotFoundError:  # run from a folder that is merely on the path
        return f"0+{digest_sources(_result_sources())}"
    if is_editable(installed):
        return f"{installed.version}+{digest_sources(_result_sources())}"
    return installed.version


def _result_sources() -> list[Path]:
    core = Path(__file__).parent.parent
    roots = [core / name for name in RESULT_MODULES]
    return [
        source
        for root in roots
        for source in (root.with_suffix(".py"), *sorted(root.rglob("*.py")))
        if source.is_file()
    ]


def digest_sources(sources: Iterable[Path]) -> str:
    """16 hexadecimal digits of the names and the code of source files.

    Comments, docstrings and layout do not count.
    """
    paths = list(sources)
    digest = hashlib.blake2b(digest_size=8)
    for path, source in zip(paths, read_sources(paths), strict=True):
        digest.update(f"{path.name} {source.digest}\n".encode())
    return digest.hexdigest()


@cache
def installed_version(name: str) -> str:
    """`read_installed_version`, as it was when this process first needed it."""
    return read_installed_version(name)


def read_installed_version(name: str) -> str:
    """The version of a distribution that is installed now; "" if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def installation(required: Iterable[str]) -> str:
    """The command that installs the distributions that are not installed; "" if all are."""
    missing = [name for name in required if not installed_version(name)]
    return " ".join(["pip install", *missing]) if missing else ""


def is_editable(installed: Distribution) -> bool:
    """Whether the source of a distribution may change without its version."""
    text = installed.read_text("direct_url.json")
    return bool(text) and bool(json.loads(text or "{}").get("dir_info", {}).get("editable"))


class Source(NamedTuple):
    """The digest and the imports of a file.

    Attributes
    ----------
    content : str
        A digest of its bytes: a time stamp and a size may stay when a file is edited.
    digest : str
        Of its syntax tree: comments, docstrings and layout do not count.
    imports : list of str
        What it imports when it is imported itself: each module, and each name imported from one
        as if that were a module; with leading dots where they are relative.
    mentions : list of str
        The same of the whole file, functions included, with the modules that it imports or names
        by a constant: ``import_module("a.b")``, ``"a.b:function"``.
    """

    content: str
    digest: str
    imports: list[str]
    mentions: list[str]


def read_sources(paths: Iterable[Path]) -> list[Source]:
    """Read files; what was parsed before is not parsed again.

    Raises
    ------
    OSError
        If one cannot be read.
    """
    new: dict[str, dict[str, Source]] = {}
    sources = []
    for path in paths:
        content = path.read_bytes()
        folder, name = os.path.split(path.absolute())
        known = _known(folder)
        source = known.get(name)
        if source is None or source.content != _digest(content):
            source = Source(_digest(content), *_parse(content))
            known[name] = new.setdefault(folder, {})[name] = source
        sources.append(source)
    if new:
        with suppress(OSError, sqlite3.Error):  # without a place for it, files are parsed each time
            _save(new)
    return sources


def _parse(content: bytes) -> tuple[str, list[str], list[str]]:
    """The digest, the imports and the mentions of a file."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # a template, say: all of it counts
        return _digest(content), [], []
    imports = [name for node in tree.body for name in _imported_by(node)]
    mentions = [name for node in ast.walk(tree) for name in (*_imported_by(node), *_named_by(node))]
    for part in ast.walk(tree):
        if isinstance(part, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            part.body = [each for each in part.body if not _is_text(each)]
    return _digest(ast.dump(tree).encode()), imports, list(dict.fromkeys(mentions))


def _imported_by(node: ast.AST) -> list[str]:
    """The modules that a statement imports, and the names, as if they were modules."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        dot = "." if node.module else ""
        return [module, *(f"{module}{dot}{alias.name}" for alias in node.names)]
    return []


def _named_by(node: ast.AST) -> list[str]:
    """The module that is imported by its name, or in which a function is, if that is a constant."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        match = _FUNCTION.fullmatch(node.value)
        return [match[1]] if match else []
    if not isinstance(node, ast.Call) or not node.args:
        return []
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    first = node.args[0]
    if name in _IMPORTERS and isinstance(first, ast.Constant) and isinstance(first.value, str):
        return [first.value]
    return []


_FUNCTION = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):[A-Za-z_]\w*")
_IMPORTERS = ("import_module", "__import__", "run_module")


def code_below(start: Iterable[Path], root: Path, follows: Callable[[str], bool]) -> list[Path]:
    """Files, and those below a folder that they import, directly or not, in the order of paths.

    Parameters
    ----------
    start : iterable of Path
    root : Path
        The folder from which modules are imported.
    follows : callable
        Whether a top-level module of that name is the one in the folder.
    """
    folders = _Folders()
    tops = {entry.partition(".")[0] for entry in folders.entries(str(root))}
    needed = list(start)
    waiting = needed
    while waiting:
        modules: set[tuple[str, ...]] = set()
        for path, source in zip(waiting, read_sources(waiting), strict=True):
            for name in source.mentions:
                parts = _absolute_parts(name, path, root)
                if parts and parts[0] in tops:
                    modules.add(parts)
        used = {
            file
            for parts in modules
            if follows(parts[0])
            for file in folders.files_of_module(parts, str(root))
        }
        waiting = [Path(file) for file in sorted(used.difference(map(str, needed)))]
        needed = [*needed, *waiting]
    return sorted(needed)


def _absolute_parts(name: str, path: Path, root: Path) -> tuple[str, ...]:
    """The parts of the full name of a module that a file names; none if it is outside of the root.

    A relative name has leading dots.
    """
    if not name.startswith("."):
        return tuple(name.split("."))
    bare = name.lstrip(".")
    above = len(name) - len(bare) - 1
    if not path.is_relative_to(root):
        return ()
    package = path.parent.relative_to(root).parts
    if above > len(package):
        return ()
    return (*package[: len(package) - above], *(bare.split(".") if bare else ()))


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
            Of its name; a name in a module may follow, or ``*`` for all names.
        root : str
            The folder of the first part.
        """
        files: list[str] = []
        folder = root
        for part in parts:
            entries = self.entries(folder)
            if part == "*":  # any module of the package may be among the names
                modules = sorted(name for name in entries if name.endswith(".py"))
                return files + [os.path.join(folder, name) for name in modules]
            package = os.path.join(folder, part)
            if part in entries and "__init__.py" in self.entries(package):
                files.append(os.path.join(package, "__init__.py"))
            elif f"{part}.py" in entries:
                return [*files, f"{package}.py"]
            elif part not in entries:
                compiled = [suffix for suffix in EXTENSION_SUFFIXES if part + suffix in entries]
                return files + [package + suffix for suffix in compiled]
            folder = package
        return files


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a string, as docstrings of functions and of constants are."""
    match node:
        case ast.Expr(ast.Constant(str())):
            return True
    return False


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


@contextmanager
def _open_store() -> Iterator[sqlite3.Connection]:
    # The form of a syntax tree depends on the version of Python; 3 is the version of this form.
    name = f"sources-3-{sys.implementation.cache_tag}.sqlite"
    store = platformdirs.user_cache_path("hcbench", ensure_exists=True) / name
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS sources (folder TEXT, name TEXT, content TEXT,"
            " digest TEXT, imports TEXT, mentions TEXT, PRIMARY KEY (folder, name))"
        )
        yield connection


@cache
def _known(folder: str) -> dict[str, Source]:
    """The files of a folder that were read before."""
    chosen = "SELECT name, content, digest, imports, mentions FROM sources WHERE folder = ?"
    try:
        with _open_store() as store:
            rows = store.execute(chosen, [folder]).fetchall()
        return {
            name: Source(content, digest, json.loads(imports), json.loads(mentions))
            for name, content, digest, imports, mentions in rows
        }
    except (OSError, sqlite3.Error):  # there is no place for it, or it is damaged
        return {}


def _save(new: Mapping[str, Mapping[str, Source]]) -> None:
    """Store files of folders, and remove folders that no longer exist."""
    with _open_store() as store:
        for (folder,) in store.execute("SELECT DISTINCT folder FROM sources").fetchall():
            if not os.path.exists(folder):
                store.execute("DELETE FROM sources WHERE folder = ?", [folder])
        store.executemany(
            "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?)",
            [
                (folder, name, *source[:2], *map(json.dumps, source[2:]))
                for folder, files in new.items()
                for name, source in files.items()
            ],
        )
