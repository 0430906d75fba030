"""Running a plan: scheduling, isolated workers, the timed call.

Read `run` first: `run_plan` tells the whole story. `tasks` are what it has to do, each with the
`job` that a worker needs; `executors` give it `workers` of this machine, or of a cluster
(`dask_pool`), with an `affinity` to the data that they have. In a worker, `cell` does the job, with
`inputs` and what is `given`, and sends an outcome. `outcomes` completes it from the worker's
report, and `record` stores it and tells the `observer`. `cached` decides which stored results are
reused; `rescore` makes the plan of a stored run, to compute more metrics.
"""
