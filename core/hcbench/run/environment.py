"""On what machine, and with what versions, a run was made."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import threadpoolctl

from hcbench.errors import WorkerError
from hcbench.plan.plan import Plan
from hcbench.registry.fingerprint import (
    installed_version,
    read_core_fingerprint,
    read_installed_version,
)
from hcbench.registry.plugins import Plugin, installed_fingerprints
from hcbench.registry.uses import Use
from hcbench.run.memory import usable_memory

GIB = 2**30
# Names of what is no distribution, among those of fingerprints.
_CORE = "hcbench core"
_PYTHON = "Python"
_SHARE = 0.8  # of the memory, so that something is left for the system


def describe_environment(plugins: list[Plugin], libraries: set[str]) -> dict[str, Any]:
    """What is recorded with every run.

    Parameters
    ----------
    plugins : list of Plugin
        Whose distributions take part.
    libraries : set of str
        Distributions that the specs of the run require.

    Returns
    -------
    dict
        ``machine``, ``python``, ``versions`` of every distribution involved (the plugins' and
        what they require), ``plugins`` with their fingerprints, ``commit`` of hcbench's source
        where it runs from a checkout.
    """
    installed = {plugin.distribution for plugin in plugins if not plugin.file}
    return {
        "machine": describe_machine(),
        "python": platform.python_version(),
        "versions": versions(libraries | installed),
        "plugins": {plugin.name: plugin.fingerprint for plugin in plugins},
        "commit": commit(),
    }


def describe_machine() -> dict[str, Any]:
    """What the seconds and the bytes of a cell depend on.

    Returns
    -------
    dict
        ``host``, ``system``, ``processor``, ``blas`` with its kernels, on which the last digits of
        results depend, ``cores``, ``memory_bytes``.
    """
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": _processor(),
        "blas": _blas(),
        "cores": usable_cores(),
        "memory_bytes": usable_memory(),
    }


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    """The name of the processor."""
    file = Path("/proc/cpuinfo")  # on Linux
    if file.exists():
        match = re.search(r"^model name\s*:\s*(.+)$", file.read_text(), re.MULTILINE)
        if match:
            return match[1]
    return platform.processor()


def _blas() -> str:
    """The BLAS libraries of this process, each with the kernels that it has chosen."""
    names = set()
    for library in threadpoolctl.threadpool_info():
        if library["user_api"] == "blas":
            kernels = library.get("architecture", "")
            names.add(f"{library['internal_api']} {kernels}".strip())
    return ", ".join(sorted(names))


def versions(distributions: set[str]) -> dict[str, str]:
    """Versions of the distributions and of all that they require and is installed."""
    version_of: dict[str, str] = {}
    waiting = sorted(distributions)
    while waiting:
        name = waiting.pop().lower()
        version = installed_version(name)
        if name not in version_of and version:
            version_of[name] = version
            waiting += _requirements(name)
    return dict(sorted(version_of.items()))


@cache  # metadata take milliseconds to parse
def _requirements(name: str) -> list[str]:
    """The names of the distributions that a distribution requires, without its extras."""
    names = []
    for requirement in distribution(name).requires or []:
        if "extra ==" not in requirement:
            names.append(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    return names


@cache  # of the code that is loaded
def commit() -> str | None:
    """The git commit of hcbench's own source, with ``+changes`` if it is not clean."""
    folder = Path(__file__).parent
    if not (folder.parent.parent / ".git").exists():
        return None
    try:
        head = _git(folder, "rev-parse", "HEAD")
        changes = _git(folder, "status", "--porcelain", "-uno")
    except (OSError, subprocess.SubprocessError):
        return None
    if changes:
        return f"{head}+changes"
    return head


def _git(folder: Path, *command: str) -> str:
    """What a command of git prints about the repository of a folder."""
    done = subprocess.run(
        ["git", "-C", str(folder), *command],
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return done.stdout.strip()


def memory_limit(plan: Plan, available: float) -> float:
    """GiB that a cell may take: the suite's limit, or a share of the bytes available to it."""
    return plan.suite.memory or max(0.1, round(_SHARE * available / GIB, 1))


def memory_per_cell(jobs: int) -> float:
    """Bytes of the memory for each of so many cells that run at a time."""
    return usable_memory() / jobs


def check_machine(fingerprints: Mapping[str, str]) -> dict[str, Any]:
    """Check that this machine can run cells whose main process is elsewhere, and describe it.

    Parameters
    ----------
    fingerprints : mapping of name to fingerprint
        Of the code that decides results, from the main process.

    Returns
    -------
    dict
        As `describe_machine`.

    Raises
    ------
    WorkerError
        If its code is not the same.

    Examples
    --------
    >>> machine = check_machine({})
    >>> machine["cores"] > 0 and machine["memory_bytes"] > 0
    True
    >>> check_machine({"hcbench core": "edition 0"})
    Traceback (most recent call last):
        ...
    hcbench.errors.WorkerError: of hcbench core it has ..., the main process edition 0; ...
    """
    for name, fingerprint in fingerprints_here(fingerprints).items():
        if fingerprint != fingerprints[name]:
            raise WorkerError(
                f"of {name} it has {fingerprint or 'none'}, the main process "
                f"{fingerprints[name]}; install the same there"
            )
    return describe_machine()


def fingerprints_here(names: Iterable[str]) -> dict[str, str]:
    """The fingerprints of Python, core, plugins and distributions here; "" of what is missing.

    As they are now, which this process may not have loaded: cells have processes of their own.
    """
    installed = {_CORE: read_core_fingerprint()}
    installed.update(installed_fingerprints())
    # Functions that are pickled by value need the same version of Python.
    installed[_PYTHON] = ".".join(platform.python_version_tuple()[:2])
    fingerprints = {}
    for name in names:
        # What is neither core nor a plugin is a library that a spec requires.
        fingerprints[name] = installed.get(name) or read_installed_version(name)
    return fingerprints


def fingerprints_of(plan: Plan) -> dict[str, str]:
    """The fingerprints of the installed code that decides the results of a plan."""
    uses: list[Use[Any]] = list(plan.metrics)
    for cell in plan.cells:
        uses += [cell.algorithm, cell.dataset, cell.oracle]
    # Cells share their uses: each is looked at once.
    unique_uses = {id(use): use for use in uses}
    planned: dict[str, str] = {}
    for use in unique_uses.values():
        planned |= use.code
    fingerprints = {}
    names = [_PYTHON] + sorted(planned)
    for name, installed in fingerprints_here(names).items():
        # A plugin that is a file, or the caller's own code, is not installed: it is sent.
        if installed:
            fingerprints[name] = planned.get(name, installed)
    return fingerprints
