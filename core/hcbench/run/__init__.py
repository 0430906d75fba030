"""Running a plan: scheduling, isolated workers, the timed call.

Read `run` first: `run_plan` tells the whole story. `tasks` are what it has to do, each with the
`job` that a worker needs; stored results that can be reused are none. `executors` give it `workers`
of this machine, or those of a plugin. In a worker, `cell` does the job with its `inputs` and sends
an outcome, which `record` completes from the worker's report, stores and shows to the observer.
`environment` describes the machine; `rescore` makes the plan of a stored run, to compute more
metrics.
"""
