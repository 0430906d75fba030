"""Which cells of a plan have a stored result, and need not run.

Apart from `run`, because ``--dry-run`` asks it too and imports nothing heavy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil

from hcbench.plan.plan import Plan

if TYPE_CHECKING:
    from hcbench.store import Store, Stored

GIB = 2**30
_SHARE = 0.8  # of the memory, so that something is left for the system
_ALGORITHM = ("warm-up", "algorithm")  # the phases in which it runs


def memory_limit(plan: Plan, jobs: int) -> float:
    """GiB that a cell may take: the suite's limit, or a share of this machine's memory."""
    return plan.suite.memory or memory_share(psutil.virtual_memory().total / jobs)


def memory_share(available: float) -> float:
    """GiB that a cell may take of the bytes available to it, so that it cannot stop the machine."""
    return max(0.1, round(_SHARE * available / GIB, 1))


def find_stored(plan: Plan, store: Store, memory: float) -> dict[str, Stored]:
    """The stored results that need not be measured again, without their values."""
    known = store.find([cell.key for cell in plan.cells], {})
    return {key: stored for key, stored in known.items() if is_reusable(stored, plan, memory)}


def is_reusable(stored: Stored, plan: Plan, memory: float) -> bool:
    """Whether a stored outcome need not be measured again.

    Whatever an algorithm does is a result, also an error or a crash; a timeout or too much memory
    only if the limit was at least the present one. Failures elsewhere (data, oracle, imports, a
    process that was killed from outside) are tried again, as are cells whose data were missing.
    """
    timeout = plan.suite.timeout
    status = stored.status
    if status == "ok":
        return True
    if stored.failed and stored.phase not in _ALGORITHM:
        return False
    if status == "timeout":
        return timeout is not None and (stored.timeout or 0) >= timeout
    if status == "memory":
        return (stored.memory or 0) >= memory
    return status != "skipped"
