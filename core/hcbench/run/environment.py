"""On what machine, and with what versions, a run was made."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any

import psutil

from hcbench.plan.plan import Plan
from hcbench.registry.plugins import Plugin

GIB = 2**30
_SHARE = 0.8  # of the memory, so that something is left for the system


def describe_environment(plugins: list[Plugin]) -> dict[str, Any]:
    """What is recorded with every run.

    Parameters
    ----------
    plugins : list of Plugin
        Whose distributions take part.

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
        "versions": versions({"hcbench", *(p.distribution for p in plugins if not p.file)}),
        "plugins": {p.name: p.fingerprint for p in plugins},
        "commit": commit(),
    }


def describe_machine() -> dict[str, Any]:
    """What the seconds and the bytes of a cell depend on.

    Returns
    -------
    dict
        ``host``, ``system``, ``processor``, ``cores``, ``memory_bytes``.
    """
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": usable_cores(),
        "memory_bytes": psutil.virtual_memory().total,
    }


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1] if match else platform.processor()


def versions(distributions: set[str]) -> dict[str, str]:
    """Versions of the distributions and of all that they require and is installed."""
    known: dict[str, str] = {}
    waiting = sorted(distributions)
    while waiting:
        name = waiting.pop()
        if name.lower() in known:
            continue
        try:
            known[name.lower()] = version(name)
        except PackageNotFoundError:
            continue
        for requirement in distribution(name).requires or []:
            if "extra ==" not in requirement:
                waiting.append(re.split(r"[^A-Za-z0-9_.-]", requirement, maxsplit=1)[0])
    return dict(sorted(known.items()))


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


def memory_limit(plan: Plan, jobs: int) -> float:
    """GiB that a cell may take: the suite's limit, or a share of this machine's memory."""
    return plan.suite.memory or memory_share(psutil.virtual_memory().total / jobs)


def memory_share(available: float) -> float:
    """GiB that a cell may take of the bytes available to it, so that it cannot stop the machine."""
    return max(0.1, round(_SHARE * available / GIB, 1))
