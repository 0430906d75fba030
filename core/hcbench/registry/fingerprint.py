"""Fingerprints of the code that makes a result: versions, and digests of editable sources.

They are part of the key of a cell, so that a stored result is reused only while its code is the
same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path

from hcbench.registry.sources import read_sources

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
    "run/given",
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
