"""Jobs in isolated processes: limits that hold, crashes that are reported, nothing left behind.

A process pool does not isolate: its timeout leaves grandchildren alive, a forked copy of a job
answers other jobs, ``os._exit(0)`` looks like a timeout, and ``kill -9`` of the parent leaves
workers burning. Here a job has a warm process to itself, in a session of its own, and whatever
becomes of it is a `Report`.

Three kinds of process take part. The main process has the `pool`, which watches over the `limits`
of jobs, writes `reports`, and holds its ends of the other processes in `links`. One process runs
the `nursery`, which forks workers and buries them. In each worker runs `inside`. They speak in
`messages`; `processes` and `memory` ask the operating system.
"""

from hcbench.run.workers.limits import Limits
from hcbench.run.workers.pool import Pool
from hcbench.run.workers.reports import Report

__all__ = ["Limits", "Pool", "Report"]
