"""Running a plan: scheduling, isolated workers, the timed call.

Read `run` first: `run_plan` tells the whole story. `tasks` are what it has to do, each with the
`job` that a worker needs; stored results that can be reused are none. `executors` give it `workers`
of this machine, or those of a plugin. In a worker, `cell` does the job with its `inputs` and sends
an outcome, which `record` completes from the worker's report, stores and shows to the observer.
`environment` describes the machine; `rescore` makes the plan of a stored run, to compute more
metrics.

What is imported from here is public: it runs single jobs, in this process or in a worker, as the
conformance checks and benchmarks do.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
