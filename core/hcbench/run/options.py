"""How a plan is run, as one object from the command line to the workers; it imports nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

#: The executor of this machine.
LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a plan is run; none of this changes a result.

    Attributes
    ----------
    jobs : int, optional
        Cells at a time; by default one per core, or one per thread of a cluster.
    fresh : bool
        Run everything, whatever is stored; older runs keep what they have measured.
    exclusive : bool
        Run one cell at a time, and store each before the next begins, so that nothing of this run
        takes processor time from a timed call. New metrics of stored results, which are not timed,
        are computed before, with all jobs.
    command : str
        The command that makes this run again; it is stored with the run.
    executor : str
        ``"local"``, or an executor of a plugin.
    scheduler : str, optional
        The address of the scheduler of a cluster.
    files : sequence of Path
        The caller's own data, which are sent with the cells.
    """

    jobs: int | None = None
    fresh: bool = False
    exclusive: bool = False
    command: str = ""
    executor: str = LOCAL
    scheduler: str | None = None
    files: Sequence[Path] = ()


#: As `hcbench.compare` runs a plan unless something else is asked for.
DEFAULT_OPTIONS = RunOptions()
