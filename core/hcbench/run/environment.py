"""On what machine, and with what versions, a run was made."""

from __future__ import annotations

import itertools
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import psutil
import threadpoolctl

from hcbench.errors import WorkerError
from hcbench.plan.plan import Plan
from hcbench.registry.fingerprint import (
    installed_version,
    read_core_fingerprint,
    read_installed_version,
)
from hcbench.registry.plugins import Plugin, installed_fingerprints

GIB = 2**30
_CORE, _PYTHON = "hcbench core", "Python"
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
    return {
        "machine": describe_machine(),
        "python": platform.python_version(),
        "versions": versions({*libraries, *(p.distribution for p in plugins if not p.file)}),
        "plugins": {p.name: p.fingerprint for p in plugins},
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
        "memory_bytes": psutil.virtual_memory().total,
    }


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    file = Path("/proc/cpuinfo")  # on Linux
    text = file.read_text() if file.exists() else ""
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1] if match else platform.processor()


def _blas() -> str:
    loaded = [each for each in threadpoolctl.threadpool_info() if each["user_api"] == "blas"]
    names = {f"{each['internal_api']} {each.get('architecture', '')}".strip() for each in loaded}
    return ", ".join(sorted(names))


def versions(distributions: set[str]) -> dict[str, str]:
    """Versions of the distributions and of all that they require and is installed."""
    known: dict[str, str] = {}
    waiting = sorted(distributions)
    while waiting:
        name = waiting.pop().lower()
        if name not in known and installed_version(name):
            known[name] = installed_version(name)
            waiting += _needed(name)
    return dict(sorted(known.items()))


@cache  # metadata take milliseconds to parse
def _needed(name: str) -> list[str]:
    needed = [each for each in distribution(name).requires or [] if "extra ==" not in each]
    return [re.split(r"[^\w.-]", each, maxsplit=1)[0] for each in needed]


@cache  # of the code that is loaded
def commit() -> str | None:
    """The git commit of hcbench's own source, with ``+changes`` if it is not clean."""
    folder = Path(__file__).parent
    if not (folder.parent.parent / ".git").exists():
        return None
    try:
        head, status = (
            subprocess.run(
                ["git", "-C", str(folder), *command],
                capture_output=True,
                text=True,
                check=True,
                timeout=10,
            ).stdout
            for command in (["rev-parse", "HEAD"], ["status", "--porcelain", "-uno"])
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return head.strip() + ("+changes" if status.strip() else "")


def memory_limit(plan: Plan, available: float) -> float:
    """GiB that a cell may take: the suite's limit, or a share of the bytes available to it."""
    return plan.suite.memory or max(0.1, round(_SHARE * available / GIB, 1))


def memory_per_cell(jobs: int) -> float:
    """Bytes of this machine's memory for each of so many cells that run at a time."""
    return float(psutil.virtual_memory().total / jobs)


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
    """
    for name, own in fingerprints_here(fingerprints).items():
        if own != fingerprints[name]:
            raise WorkerError(
                f"of {name} it has {own or 'none'}, the main process {fingerprints[name]}; "
                "install the same there"
            )
    return describe_machine()


def fingerprints_here(names: Iterable[str]) -> dict[str, str]:
    """The fingerprints of Python, core, plugins and distributions here; "" of what is missing.

    As they are now, which this process may not have loaded: cells have processes of their own.
    """
    known = {_CORE: read_core_fingerprint(), **installed_fingerprints()}
    # Functions that are pickled by value need the same version of Python.
    known[_PYTHON] = ".".join(platform.python_version_tuple()[:2])
    return {name: known.get(name) or read_installed_version(name) for name in names}


def fingerprints_of(plan: Plan) -> dict[str, str]:
    """The fingerprints of the installed code that decides the results of a plan."""
    of_cells = (use for c in plan.cells for use in (c.algorithm, c.dataset, c.oracle))
    uses = {id(use): use for use in itertools.chain(of_cells, plan.metrics)}.values()
    decisive = {name: fingerprint for use in uses for name, fingerprint in use.fingerprints.items()}
    here = fingerprints_here([_PYTHON, *sorted(decisive)])
    # A plugin that is a file, or the caller's own code, is not installed: it is sent.
    return {name: decisive.get(name, own) for name, own in here.items() if own}
