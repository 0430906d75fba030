"""What a run sends to every dask worker once, and the answer."""

from __future__ import annotations

import itertools
import platform
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hcbench.plan.plan import Plan
from hcbench.registry.fingerprint import core_fingerprint, installed_version
from hcbench.registry.plugins import installed_fingerprints

CORE = "hcbench core"


@dataclass(frozen=True, slots=True)
class Terms:
    """What a run sends to every worker.

    Attributes
    ----------
    run : str
        A name that no other run has.
    python : str
        ``major.minor``: functions that are pickled by value need the same.
    fingerprints : mapping of name to fingerprint
        Of the code that decides results. A worker with another fingerprint would measure something
        else than the keys of the cells say.
    files : mapping of path to content
        Plugin files and the caller's own data; a worker that has not the same file in this place
        gets a copy.
    """

    run: str
    python: str
    fingerprints: Mapping[str, str]
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer of a worker to the terms.

    Attributes
    ----------
    refusal : str
        Why it cannot take part; "" if it can.
    machine : dict
        From `describe_machine`, with the name of the host.
    threads : int
    memory : int
        Bytes that dask allows this worker; 0 if that is not limited.
    """

    refusal: str
    machine: dict[str, Any]
    threads: int
    memory: int


def fingerprints_here(names: Iterable[str]) -> dict[str, str]:
    """The fingerprints of core, plugins and distributions of this installation; "" of the others.

    As they are now, which this process may not have loaded: cells have processes of their own.
    """
    plugins = installed_fingerprints()
    core, version = core_fingerprint.__wrapped__, installed_version.__wrapped__
    return {name: core() if name == CORE else plugins.get(name) or version(name) for name in names}


def terms_of(plan: Plan, files: Iterable[Path]) -> Terms:
    """What the workers have to know of a plan.

    Parameters
    ----------
    plan : Plan
    files : iterable of Path
        Files to send to the workers.
    """
    of_cells = (use for c in plan.cells for use in (c.algorithm, c.dataset, c.oracle))
    uses = {id(use): use for use in itertools.chain(of_cells, plan.metrics)}.values()
    decisive = {name: fingerprint for use in uses for name, fingerprint in use.fingerprints.items()}
    # A plugin that is a file, or the caller's own code, is not installed: it is sent.
    installed = {name for name, fingerprint in fingerprints_here(decisive).items() if fingerprint}
    return Terms(
        run=f"hcbench-{uuid.uuid4().hex}",
        python=python_version(),
        fingerprints={name: decisive[name] for name in sorted(installed)},
        files={str(file): file.read_bytes() for file in files},
    )


def python_version() -> str:
    """``major.minor``."""
    return ".".join(platform.python_version_tuple()[:2])
