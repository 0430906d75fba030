"""Fingerprints of the code that makes a result: editions, versions, and digests of sources.

They are part of the key of a cell, so that a stored result is reused only while its code leads to
the same results. An edition is an integer that an author raises when results change, so that
stored results outlive a release. Where there is none, and while hcbench itself is developed, a
digest of the code stands for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path

from hcbench.model.text import shell_command

#: Core's modules and packages that decide results: those that `hcbench.run.cell` needs to run a
#: cell, and the seeds. Modules that plan, isolate, store and show cells are not among them.
RESULT_MODULES = (
    "errors",
    "files",
    "model",
    "oracle",
    "plan/outcome",
    "plan/seeds",
    "registry/metric_specs",
    "registry/parameters",
    "registry/references",
    "registry/specs",
    "run/cell",
    "run/failures",
    "run/inputs",
    "run/job",
    "run/process_state",
    "run/requests",
    "run/returned",
    "run/timed_call",
    "run/times",
    "run/warmth",
)


#: Of core and of its built-in specs without another edition. Raise it if what `RESULT_MODULES` do
#: changes a result of any algorithm, data set, oracle or metric: all results are measured again.
CORE_EDITION = 1


@lru_cache(maxsize=1)
def is_development() -> bool:
    """Whether the source of hcbench may change without its version."""
    try:
        return is_editable(distribution("hcbench"))
    except PackageNotFoundError:
        # It runs from a folder that is merely on the path.
        return True


@lru_cache(maxsize=1)
def core_edition() -> str:
    """What stands for core in the key of a cell; with a digest while core is developed."""
    text = edition_text(CORE_EDITION)
    if is_development():
        return f"{text}+{digest_sources(_result_sources(Path(__file__).parent.parent))}"
    return text


def edition_text(edition: int) -> str:
    """An edition as it stands in a key."""
    return f"edition {edition}"


@lru_cache(maxsize=1)
def core_fingerprint() -> str:
    """`read_core_fingerprint`, as it was when this process first needed it."""
    return read_core_fingerprint()


def read_core_fingerprint() -> str:
    """The fingerprint of the hcbench that is installed now, or that runs from a folder."""
    installed: Distribution | None = None
    # None if it runs from a folder that is merely on the path.
    with suppress(PackageNotFoundError):
        installed = distribution("hcbench")
    return fingerprint_of(installed, Path(__file__).parent.parent)


def fingerprint_of(installed: Distribution | None, core: Path) -> str:
    """The version of hcbench; where its code may change, with a digest of `RESULT_MODULES`.

    Parameters
    ----------
    installed : Distribution, optional
        Where it is not installed, the version is 0.
    core : Path
        The folder of the package ``hcbench``.
    """
    if installed is None:
        return f"0+{digest_sources(_result_sources(core))}"
    if is_editable(installed):
        return f"{installed.version}+{digest_sources(_result_sources(core))}"
    return installed.version


def _result_sources(core: Path) -> list[Path]:
    """The files of `RESULT_MODULES`, which are modules or packages."""
    sources = []
    for name in RESULT_MODULES:
        root = core / name
        module = root.with_suffix(".py")
        if module.is_file():
            sources.append(module)
        sources.extend(sorted(root.rglob("*.py")))
    return sources


def digest_sources(sources: Iterable[Path]) -> str:
    """16 hexadecimal digits of the names and the bytes of source files.

    Time stamps do not count, as an edit within their resolution would not be seen.
    """
    digest = hashlib.blake2b(digest_size=8)
    for path in sources:
        content = hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()
        digest.update(f"{path.name} {content}\n".encode())
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
    """The command that installs the distributions that are not installed; "" if all are.

    Examples
    --------
    >>> installation(["numpy", "no-such-package"])
    'pip install no-such-package'
    >>> installation(["numpy"])
    ''
    """
    missing = []
    for name in required:
        if not installed_version(name):
            missing.append(name)
    if not missing:
        return ""
    return shell_command("pip", "install", *missing)


def is_editable(installed: Distribution) -> bool:
    """Whether the source of a distribution may change without its version."""
    text = installed.read_text("direct_url.json")
    return bool(text) and bool(json.loads(text or "{}").get("dir_info", {}).get("editable"))
