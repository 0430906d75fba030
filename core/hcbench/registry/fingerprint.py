"""Which edition of code decides a result: versions, and digests of source that may change.

Part of the key of a cell, so that a stored result is found again only while the code that made it
is the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path

#: Core's sources that decide results: what `hcbench.run.cell` needs to run a cell, and the seeds.
#: What plans, isolates, stores and shows cells is not among them.
DECISIVE = (
    "asking/answers_file",
    "asking/person",
    "asking/questions",
    "asking/recorded",
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
def core_edition() -> str:
    """The version of hcbench; in an editable install with a digest of what decides results."""
    try:
        installed = distribution("hcbench")
    except PackageNotFoundError:  # run from a folder that is merely on the path
        return f"0+{digest_sources(_decisive_sources())}"
    if is_editable(installed):
        return f"{installed.version}+{digest_sources(_decisive_sources())}"
    return installed.version


def _decisive_sources() -> list[Path]:
    core = Path(__file__).parent.parent
    return [
        source
        for name in DECISIVE
        for source in (core / f"{name}.py", *sorted((core / name).rglob("*.py")))
        if source.is_file()
    ]


def digest_sources(sources: Iterable[Path]) -> str:
    """16 hexadecimal digits of the names and the content of source files."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sources:
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
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
