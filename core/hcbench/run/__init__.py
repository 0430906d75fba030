"""Running a plan: scheduling, isolated workers, the timed call.

Read `run` first, then `job` (what a worker is sent), `cell` (what it does) and `dispatch` (how its
report becomes an outcome).
"""
