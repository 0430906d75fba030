"""Jobs in isolated processes: limits that hold, crashes that are reported, no process left behind.

A process pool does not isolate: its timeout leaves grandchildren alive, a forked copy of a job
answers other jobs, ``os._exit(0)`` looks like a timeout, and ``kill -9`` of the parent leaves
workers running. Here a job has a warm process to itself, in a session of its own, and however it
ends, there is a `Report`.

Read `pool` first: it runs in the main process, gives jobs to workers and enforces their limits,
through `connections`. `forkserver` is the process that starts the workers, and `worker` what runs
in each. They exchange `messages`, whose `encoding` is data; `processes` asks the operating system.

`multiprocessing` has a fork server too. Ours is needed because it outlives the main process, to
kill the workers and all that they started, in whatever session, if that is killed; because it
adopts what a worker leaves behind; and because workers never import the caller's ``__main__``, so
that a script needs no ``if __name__ == "__main__"``. One serves all pools of a process.
Messages are read and written without blocking, as a stopped worker must not stop the main process.
"""

from hcbench.run.workers.messages import Limits, Report
from hcbench.run.workers.pool import Pool

__all__ = ["Limits", "Pool", "Report"]
