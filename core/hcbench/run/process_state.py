"""What a cell may change of its process, and whether the next cell may run there.

Only the code of installed plugins runs in a process that stays. It is trusted not to replace
functions of libraries, which nothing here would notice; `hcbench check` tests that an algorithm
leaves its process as it was. What a careless algorithm may change is checked after each call:
it takes less than 0.1 ms. A process that is not as it was does no further cell.
"""

from __future__ import annotations

import gc
import locale
import os
import resource
import socket
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from hcbench.run.workers.processes import LINUX, read_proc

# The limit of processor time is set by the worker itself in each phase.
_LIMITS = (
    resource.RLIMIT_AS,
    resource.RLIMIT_DATA,
    resource.RLIMIT_STACK,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_NPROC,
)


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """Settings of a process that affect later calls, and that no import is expected to change.

    Attributes
    ----------
    signals : bytes
        Those that are blocked, ignored and handled, as Linux writes them.
    limits : tuple of (soft, hard)
    scheduling : tuple
        The priority, and the processors on which it may run.
    interpreter : tuple
        Settings of Python: recursion, threads, tracing, garbage, sockets and locale.
    """

    signals: bytes
    limits: tuple[tuple[int, int], ...]
    scheduling: tuple[Any, ...]
    interpreter: tuple[Any, ...]

    @classmethod
    def now(cls) -> Self:
        """The settings of this process."""
        status = read_proc("/proc/self/status")
        return cls(
            signals=status.partition(b"SigBlk:")[2].partition(b"Cap")[0],
            limits=tuple(resource.getrlimit(limit) for limit in _LIMITS),
            scheduling=(os.getpriority(os.PRIO_PROCESS, 0), _processors()),
            interpreter=(
                sys.getrecursionlimit(),
                sys.getswitchinterval(),
                sys.gettrace(),
                sys.getprofile(),
                gc.isenabled(),
                gc.get_threshold(),
                socket.getdefaulttimeout(),
                locale.setlocale(locale.LC_ALL),
            ),
        )


@dataclass(frozen=True, slots=True)
class ProcessResources:
    """What a process holds, of which the first call of a library may open some for good.

    Attributes
    ----------
    threads : int
        On Linux those of C libraries too.
    descriptors : int
        Open files, pipes and sockets; 0 where the system does not list them.
    """

    threads: int
    descriptors: int

    @classmethod
    def now(cls) -> Self:
        """The resources of this process."""
        if not LINUX:
            return cls(threads=threading.active_count(), descriptors=0)
        return cls(
            threads=_count_entries("/proc/self/task"),
            descriptors=_count_entries("/proc/self/fd"),
        )

    def exceed(self, before: ProcessResources) -> bool:
        """Whether something was left behind since."""
        return self.threads != before.threads or self.descriptors > before.descriptors


def _count_entries(folder: str) -> int:
    """How many entries a folder has; 0 where it is hidden, as ``/proc`` may be."""
    try:
        return len(os.listdir(folder))
    except OSError:
        return 0


def _processors() -> frozenset[int]:
    """On which processors this process may run; empty where the system does not say."""
    if not hasattr(os, "sched_getaffinity"):
        return frozenset()
    return frozenset(os.sched_getaffinity(0))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What each cell finds as the first one did, since imports may change it without harm.

    Attributes
    ----------
    folder : Path
        The working directory.
    environ : mapping
        The object ``os.environ``, which an algorithm may replace.
    variables : mapping
        Its contents, as bytes.
    floating_errors : mapping
        What numpy does about them.
    """

    folder: Path
    environ: Any
    variables: Mapping[bytes, bytes]
    floating_errors: Mapping[str, Any]

    @classmethod
    def now(cls) -> Self:
        """The surroundings of this process."""
        return cls(
            folder=Path.cwd(),
            environ=os.environ,
            variables=dict(os.environb),
            floating_errors=np.geterr(),
        )

    def restore(self) -> None:
        """Make them those of this process again."""
        os.chdir(self.folder)
        os.environ = self.environ  # noqa: B003 - the very object, if it was replaced
        if dict(os.environb) != self.variables:  # bytes, which need not be decoded
            os.environ.clear()
            os.environb.update(self.variables)
        np.seterr(**self.floating_errors)
