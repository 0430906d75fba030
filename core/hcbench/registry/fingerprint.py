"""Fingerprints of the code that makes a result: versions, and digests of editable sources.

They are part of the key of a cell, so that a stored result is reused only while its code is the
same. Parsing all the sources that decide a result takes half a second, so the digests of files are
stored in the user's cache directory, and reused while the file's time stamp and size are the same.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache, lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

#: Core's modules and packages that decide results: those that `hcbench.run.cell` needs to run a
#: cell, and the seeds; `hcbench.files` decides them, too. Modules that plan, isolate, store and
#: show cells are not among them.
RESULT_MODULES = (
    "errors",
    "model",
    "oracle",
    "plan/outcome",
    "plan/seeds",
    "registry/specs",
    "run/cell",
    "run/inputs",
    "run/libraries",
    "run/job",
    "run/times",
)


@lru_cache(maxsize=1)
def core_fingerprint() -> str:
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
    files: Any = importlib.import_module("hcbench.files")  # a plugin, which reads for the model
    roots = [*(core / name for name in RESULT_MODULES), Path(files.__file__).parent]
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
    """The version of a distribution; "" if it is not installed."""
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


_RECENT = 2e9  # nanoseconds: a file changed so recently may change again at the same time stamp


class Source(NamedTuple):
    """The digest and the imports of a file.

    Attributes
    ----------
    changed : int
        Its time stamp in nanoseconds.
    size : int
        In bytes.
    digest : str
        Of its syntax tree: comments, docstrings and layout do not count.
    imports : list of str
        What it imports when it is imported itself: each module, and each name imported from one
        as if that were a module; with leading dots where they are relative.
    """

    changed: int
    size: int
    digest: str
    imports: list[str]


def read_sources(paths: Iterable[Path]) -> list[Source]:
    """Read files, or their stored digests.

    Raises
    ------
    OSError
        If one cannot be read.
    """
    new: dict[str, dict[str, Source]] = {}
    sources = []
    for path in paths:
        status = path.stat()
        folder, name = os.path.split(path.absolute())
        known = _known(folder)
        source = known.get(name)
        if source is None or source[:2] != (status.st_mtime_ns, status.st_size):
            content = path.read_bytes()
            source = Source(status.st_mtime_ns, status.st_size, *_parse(content))
            if time.time_ns() - status.st_mtime_ns > _RECENT:
                known[name] = new.setdefault(folder, {})[name] = source
        sources.append(source)
    if new:
        with suppress(OSError, sqlite3.Error):  # without a place for it, files are read each time
            _save(new)
    return sources


def _parse(content: bytes) -> tuple[str, list[str]]:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # a template, say: all of it counts
        return _digest(content), []
    imports = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            dot = "." if node.module else ""
            imports += [module, *(f"{module}{dot}{alias.name}" for alias in node.names)]
    for part in ast.walk(tree):
        if isinstance(part, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            part.body = [each for each in part.body if not _is_text(each)]
    return _digest(ast.dump(tree).encode()), imports


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
    # The form of a syntax tree depends on the version of Python; 2 is the version of this form.
    name = f"sources-2-{sys.implementation.cache_tag}.sqlite"
    store = platformdirs.user_cache_path("hcbench", ensure_exists=True) / name
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS sources (folder TEXT, name TEXT, changed INTEGER,"
            " size INTEGER, digest TEXT, imports TEXT, PRIMARY KEY (folder, name))"
        )
        yield connection


@cache
def _known(folder: str) -> dict[str, Source]:
    """The files of a folder that were read before."""
    chosen = "SELECT name, changed, size, digest, imports FROM sources WHERE folder = ?"
    try:
        with _open_store() as store:
            rows = store.execute(chosen, [folder]).fetchall()
        return {
            name: Source(changed, size, digest, json.loads(imports))
            for name, changed, size, digest, imports in rows
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
                (folder, name, *source[:3], json.dumps(source.imports))
                for folder, files in new.items()
                for name, source in files.items()
            ],
        )
