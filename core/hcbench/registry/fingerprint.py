"""Fingerprints of the code that makes a result: versions, and digests of editable sources.

They are part of the key of a cell, so that a stored result is reused only while its code is the
same. Parsing all the sources that decide a result takes half a second, so the digests of files are
stored in the user's cache directory, and reused while the file's time stamp and size are the same.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from typing import NamedTuple

import platformdirs

#: Core's modules and packages that decide results: those that `hcbench.run.cell` needs to run a
#: cell, and the seeds. Modules that plan, isolate, store and show cells are not among them.
RESULT_MODULES = (
    "errors",
    "model",
    "oracle",
    "plan/outcome",
    "plan/seeds",
    "registry/specs",
    "run/cell",
    "run/inputs",
    "run/job",
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
    return [
        source
        for name in RESULT_MODULES
        for source in (core / f"{name}.py", *sorted((core / name).rglob("*.py")))
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
    known = _known()
    new = {}
    sources = []
    for path in paths:
        status = path.stat()
        name = str(path.absolute())
        source = known.get(name)
        if source is None or source[:2] != (status.st_mtime_ns, status.st_size):
            content = path.read_bytes()
            source = Source(status.st_mtime_ns, status.st_size, *_parse(content))
            if time.time_ns() - status.st_mtime_ns > _RECENT:
                new[name] = source
        sources.append(source)
    if new:
        known.update(new)
        with suppress(OSError):  # without a place for it, files are read anew each time
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


def _store() -> Path:
    # The form of a syntax tree depends on the version of Python; 1 is the version of this form.
    name = f"sources-1-{sys.implementation.cache_tag}.json"
    return platformdirs.user_cache_path("hcbench") / name


def _load() -> dict[str, Source]:
    try:
        stored = json.loads(_store().read_bytes())
        return {name: Source(*values) for name, values in stored.items()}
    except (OSError, ValueError, TypeError, AttributeError):  # there is none, or it is damaged
        return {}


_known = cache(_load)  # the files that this process has read


def _save(new: Mapping[str, Source]) -> None:
    """Add files to the store, and remove files that no longer exist."""
    sources = {name: source for name, source in _load().items() if os.path.exists(name)}
    store = _store()
    store.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=store.parent, delete=False) as file:
        json.dump({**sources, **new}, file)
    os.replace(file.name, store)  # another process reads all of it or nothing
